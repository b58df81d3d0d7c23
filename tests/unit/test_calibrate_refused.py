"""Set-ups with bad points are refused, each with its reason; the others are calibrated."""

import json

import cv2
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murid import boxes, rigs, tables
from murid.calibrate import stage
from murid.calibrate.agree import agree
from murid.calibrate.calibration import calibrate
from murid.calibrate.set_up import set_ups
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import Calibrate, Image

GRID = Grid(3, 6)


def marked(shift=0.0, seed=0):
    """Points of a slanted camera, marked with a little noise: (18, 2), pixels."""
    column, row = np.divmod(np.arange(18), 3)
    depth = 1 / (1.2 - 0.1 * row)
    points = np.column_stack([640 + (column - 2.5) * 180 * depth, 250 + 320 * (depth - 0.7)])
    return points + shift + np.random.default_rng(seed).normal(0, 0.5, (18, 2))


def frame(**rigs):
    parts = [
        pd.DataFrame({"rig": rig, "antenna": np.arange(len(xy)) + 1, "x": xy[:, 0], "y": xy[:, 1]})
        for rig, xy in rigs.items()
    ]
    return pd.concat(parts, ignore_index=True)


GOOD = {"a": marked(seed=1), "b": marked(9, seed=2), "d": marked(-7, seed=3)}


def moved(by):
    points = marked()
    points[9] += by
    return points


DAMAGES = {
    "mirrored": (marked() * [-1, 1] + [1280, 0], "points 1-18 in mirrored order"),
    "turned": (marked()[::-1], "points 1-18 turned by"),
    "permuted": (marked()[[1, 0, *range(2, 18)]], "points 1-2 nearer to"),
    "too few": (marked()[:11], "no points 12-18"),
    "one too many": (np.vstack([marked(), [[0, 0]]]), "also point 19"),
    "one far off": (moved(300), "point"),
    "one off": (moved(15), "point 10 nearer to"),
    "one a little off": (moved(9), "worst at point 10"),
    "all in one place": (np.full((18, 2), 400.0), "point"),
    "all in one line": (np.column_stack([np.arange(18) * 60.0, np.full(18, 300.0)]), "point"),
    "of another unit": (marked() * 1e-5, "points 1-18 on a scale of"),
    "in centimetres": (marked() / 37, "points 1-18 on a scale of"),
}


@pytest.mark.parametrize("grid", [GRID, None])
@pytest.mark.parametrize("damage", DAMAGES)
def test_one_bad_set_up_is_refused_and_the_others_are_as_without_it(damage, grid):
    points, reason = DAMAGES[damage]
    made = calibrate(frame(c=points, **GOOD), Calibrate(), "points.csv", grid)
    alone = calibrate(frame(**GOOD), Calibrate(), "points.csv", grid)
    for name in ("transforms", "points", "residuals"):
        pd.testing.assert_frame_equal(getattr(made, name), getattr(alone, name))
    assert list(made.refused) == ["c"]
    told = str(made.refused["c"])
    assert told.startswith("points.csv, rig c")
    assert reason in told
    assert "again" in told or "Mark" in told or "Check" in told


@settings(max_examples=10)
@given(
    st.lists(
        st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=18, max_size=18
    )
)  # fmt: skip
def test_no_points_whatever_stop_the_others(places):
    made = calibrate(frame(c=np.array(places), **GOOD), Calibrate(), "points.csv", GRID)
    assert {*made.transforms["rig"], *made.refused} == {"a", "b", "c", "d"}
    assert set(GOOD) <= set(made.transforms["rig"])


def rigs_of(**points):
    return set_ups(frame(**points), "points")


def test_the_larger_of_two_groups_is_believed():
    odd = marked()
    odd[4] += [60, -30]
    found = agree(rigs_of(a=odd, b=odd + 3, c=marked(), d=marked(2), e=marked(4)), Calibrate())
    assert set(found.mappings) == {"c", "d", "e"}
    assert set(found.faults) == {"a", "b"}


@pytest.mark.parametrize("extra", [(), ("b", "d")])
def test_of_two_groups_of_the_same_size_neither_is_believed(extra):
    odd = marked()
    odd[4] += [60, -30]
    every = {"a": odd, "b": odd + 3, "c": marked(), "d": marked(2)}
    used = {name: every[name] for name in ("a", "c", *extra)}
    found = agree(rigs_of(**used), Calibrate())
    assert not found.mappings
    assert set(found.faults) == set(used)
    assert "either may be at fault: mark the points of both" in str(found.faults["a"])
    with pytest.raises(InputError, match=r"rig a, mapped to rig [cd].*either may be at fault"):
        calibrate(frame(**used), Calibrate())


def test_what_most_set_ups_mark_is_what_is_expected():
    rigs = {name: points[:16] for name, points in GOOD.items()}
    made = calibrate(frame(c=marked(), **rigs), Calibrate())
    assert "found also points 17-18" in str(made.refused["c"])
    # Of two, the one that lacks points is at fault.
    made = calibrate(frame(a=marked(), b=marked()[:16]), Calibrate())
    assert "found no points 17-18" in str(made.refused["b"])


# The file


def as_csv(path, **rigs):
    frame(**rigs).to_csv(path, index=False)
    return path


BAD_ROWS = {
    "c,1,nan,3": "line 56: found x 'nan', y '3'",
    "c,1,1e300,3": "found x '1e300'",
    "c,one,2,3": "found antenna 'one'",
    "c,1,2": "line 56: found 3 cells",
    "a,1,2,3\nc,1,2,3": "line 56: found point 1 of rig a a second time",
    ",1,2,3": "line 56: found no rig",
}


@pytest.mark.parametrize("row", BAD_ROWS)
def test_a_bad_row_costs_its_set_up_only(tmp_path, row):
    path = as_csv(tmp_path / "points.csv", **GOOD)
    path.write_text(path.read_text() + row + "\n")
    names = [*GOOD, "c"]
    stage.Calibrate(points=path, rigs=names, output_transforms=tmp_path / "t.parquet").run()
    bad = row.split(",")[0]
    refused = rigs.read_refused(tmp_path / "t.parquet")
    assert BAD_ROWS[row] in refused[bad]
    good = set(names) - set(refused)
    assert len(good) >= 2
    assert set(rigs.read_matrices(tmp_path / "t.parquet", good)) == good


def test_a_rig_without_points_is_refused_and_so_are_its_segments(tmp_path):
    path = as_csv(tmp_path / "points.csv", **GOOD)
    stage.Calibrate(points=path, rigs=["a", "aa"], output_transforms=tmp_path / "t.parquet").run()
    assert not rigs.read_segment_verdict(tmp_path / "t.parquet", "a").discarded
    verdict = rigs.read_segment_verdict(tmp_path / "t.parquet", "aa")
    assert verdict.status == "discarded"
    assert verdict.reason.startswith("the rig aa has no transform: ")
    assert "no points of rig aa, only of a, b, d" in verdict.reason
    assert "mend the column rig of the sheet" in verdict.reason
    with pytest.raises(InputError, match=r"also one of the rig set-up 'aa'.*no points of rig aa"):
        rigs.read_matrices(tmp_path / "t.parquet", ["aa"])


@pytest.mark.parametrize("rigs", [["z"], ["c"], ["c", "z"]])
def test_with_no_rig_in_use_left_there_is_nothing_to_do(tmp_path, rigs):
    path = as_csv(tmp_path / "points.csv", c=DAMAGES["mirrored"][0], **GOOD)
    message = "no points of rig z" if rigs == ["z"] else "in mirrored order"
    with pytest.raises(InputError, match=message):
        stage.Calibrate(points=path, rigs=rigs, output_transforms=tmp_path / "t.parquet").run()
    assert not (tmp_path / "t.parquet").exists()


@pytest.mark.parametrize("text", ["", "rig,antenna\n", "rig,antenna,x,y\n"])
def test_what_is_wrong_of_the_whole_file_is_an_error(tmp_path, text):
    (tmp_path / "points.csv").write_text(text)
    with pytest.raises(InputError, match=r"points\.csv"):
        stage.Calibrate(
            points=tmp_path / "points.csv", rigs=["a"], output_transforms=tmp_path / "t.parquet"
        ).run()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"regions": None}, "image c.png: found no regions"),
        ({"regions": [{}]}, "image c.png, region 0: found a region without attributes"),
    ],
)
def test_a_bad_image_of_via_costs_its_set_up_only(tmp_path, change, message):
    project = {
        name: {"filename": f"{name}.png", "regions": [
            {"shape_attributes": {"name": "point", "cx": x, "cy": y},
             "region_attributes": {"antenna": str(number)}}
            for number, (x, y) in enumerate(points, 1)
        ]}
        for name, points in (GOOD | {"c": marked()}).items()
    }  # fmt: skip
    project["c"] |= change
    (tmp_path / "points.json").write_text(json.dumps(project))
    stage.Calibrate(
        points=tmp_path / "points.json", rigs=[*GOOD, "c"], output_transforms=tmp_path / "t.parquet"
    ).run()
    ((rig, reason),) = rigs.read_refused(tmp_path / "t.parquet").items()
    assert rig == "c"
    assert message in reason


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a.png,RIG,{,{}", "line 56, column region_shape_attributes: found malformed JSON"),
        ("a.png,RIG,[1],{}", "line 56, column region_shape_attributes: found [1]"),
        ("a.png,RIG,{", "line 56: found 3 cells; expected 4, as the header"),
        ("c_1.png,{,{},{}", "line 56, column file_attributes: found malformed JSON"),
        ("c_1.png", "line 56: found 1 cells; expected 4, as the header"),
    ],
)
def test_a_bad_line_of_a_via_export_costs_its_set_up_only(tmp_path, row, message):
    def quoted(value):
        return '"' + json.dumps(value).replace('"', '""') + '"'

    lines = ["filename,file_attributes,region_shape_attributes,region_attributes"]
    for name, points in (GOOD | {"c": marked()}).items():
        for number, (x, y) in enumerate(points, 1):
            shape = quoted({"name": "point", "cx": x, "cy": y})
            # An image may be called as that of another rig: attributes tell them apart.
            image = row.partition(",")[0] if name == "c" else f"{name}.png"
            rig = quoted({"rig": name})
            lines.append(f"{image},{rig},{shape},{quoted({'antenna': str(number)})}")
    lines[55] = row.replace("RIG", rig)
    (tmp_path / "points.csv").write_text("\n".join(lines))
    stage.Calibrate(
        points=tmp_path / "points.csv", rigs=[*GOOD, "c"], output_transforms=tmp_path / "t.parquet"
    ).run()
    ((rig, reason),) = rigs.read_refused(tmp_path / "t.parquet").items()
    assert rig == "c"
    assert message in reason


def test_a_damaged_recording_costs_its_set_up_only(tmp_path):
    picture = np.full((320, 560), 255, np.uint8)
    for row in range(4):
        for column in range(7):
            if (row + column) % 2 == 0:
                corner = np.array([70 + 60 * column, 40 + 60 * row])
                cv2.rectangle(picture, corner, corner + 59, 0, -1)
    for name in ("one", "two"):
        cv2.imwrite(str(tmp_path / f"{name}.png"), picture)
    cut = (tmp_path / "one.png").read_bytes()[:200]
    (tmp_path / "cut.png").write_bytes(cut)
    lines = [
        "rig,recording",
        "a,one.png",
        "b,cut.png",
        "c,two.png",
        "d,absent.png",
        "e,",
        ",one.png",
    ]
    (tmp_path / "rigs.csv").write_text("\n".join(lines))
    stage.Calibrate(
        points=tmp_path / "rigs.csv", rigs=list("abcde"), output_transforms=tmp_path / "t.parquet"
    ).run()
    refused = rigs.read_refused(tmp_path / "t.parquet")
    assert set(refused) == {"", "b", "d", "e"}
    assert "cut.png" in refused["b"]
    assert "a line of rig e without recording" in refused["e"]
    assert "absent.png: found no file" in refused["d"]
    matrices = rigs.read_matrices(tmp_path / "t.parquet", ["a", "c"])
    np.testing.assert_allclose(boxes.apply([[3, 4]], matrices["c"]), [[3, 4]], atol=1e-3)


# In pixels of the picture

IMAGE = Image(width=1280, height=720)
SHARES = marked() / [1280, 720]
LINE = np.column_stack([marked()[:, 0], marked()[:, 0] / 2])


def in_picture(**rigs):
    return calibrate(frame(**rigs), Calibrate(), "points.csv", GRID, image=IMAGE)


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize(
    ("change", "found", "said"),
    [
        (lambda xy: xy / [1280, 720], "from 0.1", "shares of the picture: give pixels"),
        (lambda xy: xy / 12, "from 15.81 to 90.8", "in millimetres, or of a smaller picture"),
        (lambda xy: xy * 4, "from 758.9 to 4360", "of a larger picture: set image to its"),
        (lambda xy: xy - [600, 0], "from -4", "outside of any picture; expected pixels"),
        (
            lambda xy: xy * [1, 0] + [0, 90],
            "from 90 to 90 down",
            "all on one line; expected 3 rows",
        ),
        (lambda xy: np.column_stack([xy[:, 0], xy[:, 0] / 2]), "from", "all on one line"),
    ],
)
def test_points_that_are_no_pixels_of_the_picture_are_refused_with_the_cause(
    alone, change, found, said
):
    rigs = {"a": change(marked())} | ({} if alone else {"b": change(marked(3, seed=1))})
    with pytest.raises(InputError) as caught:
        in_picture(**rigs)
    told = str(caught.value)
    assert told.startswith("points.csv, rig a: found points 1-18 from ")
    assert found in told
    assert said in told
    if "image" in told:
        assert "the picture of 1280 x 720 (image)" in told


@pytest.mark.parametrize("change", [SHARES, LINE, marked() - [600, 0]])
def test_the_other_set_ups_go_on_without_them(change):
    made = in_picture(c=change, **GOOD)
    assert list(made.refused) == ["c"]
    assert sorted(made.transforms["rig"]) == sorted(GOOD)
    assert not made.remarks


@pytest.mark.parametrize("scale", [0.5, 2.0, 3.0])
@pytest.mark.parametrize(
    "rigs", [{"b": marked(9, seed=2)}, {"b": marked(9, seed=2), "d": marked(-7)}]
)
def test_a_set_up_on_another_scale_is_told_and_is_not_the_frame_of_reference(scale, rigs):
    made = in_picture(a=marked() * scale, **rigs)
    table = made.transforms.set_index("rig")
    assert not table.loc["a", "prototype"]
    assert list(made.remarks) == ["a"]
    assert f"rig a are on {scale:.2g} times the scale of those of rig" in made.remarks["a"]


@pytest.mark.parametrize("scale", [0.85, 0.97, 1.03, 1.2])
def test_set_ups_that_differ_somewhat_are_no_reason_and_from_a_twentieth_on_logged(scale, caplog):
    middle = np.array([640.0, 360])
    made = in_picture(a=marked(), b=(marked(seed=4) - middle) * scale + middle)
    assert len(made.transforms) == 2
    assert not made.remarks
    assert ("times the scale" in caplog.text) == (not 0.95 < scale < 1.05)


def test_points_in_a_corner_of_the_picture_are_told_of_every_set_up():
    made = in_picture(a=marked() / 2.2, b=marked(5, seed=1) / 2.2)
    assert list(made.remarks) == ["a", "b"]
    assert "all in the left upper quarter of the picture of 1280 x 720" in made.remarks["a"]


def test_of_few_points_it_is_not_asked_what_they_span():
    one = pd.DataFrame({"rig": ["a"], "antenna": [1], "x": [0.0], "y": [0.0]})
    made = calibrate(one, Calibrate(), "points.csv", GRID, image=IMAGE)
    assert len(made.transforms) == 1
    assert not made.remarks


def test_a_remark_on_a_rig_is_a_reason_of_its_segments(tmp_path):
    frame(a=marked(), b=marked(seed=4) * 2).to_csv(tmp_path / "points.csv", index=False)
    path = tmp_path / "transforms.parquet"
    stage.Calibrate(
        points=tmp_path / "points.csv", rigs=["a", "b"], output_transforms=path, image=IMAGE
    ).run()
    tables.write(tables.empty("positions"), tmp_path / "p.parquet", "positions")
    assert rigs.read_segment_verdict(path, "a", tmp_path / "p.parquet") == tables.Verdict()
    verdict = rigs.read_segment_verdict(path, "b", tmp_path / "p.parquet")
    assert verdict.status == "repaired"
    assert "rig b are on 2 times the scale" in verdict.reason
