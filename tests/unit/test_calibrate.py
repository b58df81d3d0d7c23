import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from marked_points import read_points
from murid import boxes, tables
from murid.calibrate import stage
from murid.calibrate.calibration import calibrate as calibrate_all
from murid.calibrate.fit import fit
from murid.cli import cli
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import Calibrate

ANTENNAS = np.arange(1, 19)
GRID = Grid(3, 6)


def calibrate(points, settings, **how):
    """The transforms alone."""
    return calibrate_all(points, settings, **how).transforms


def grid_points(rows=3, columns=6):
    """Antenna centres as a slanted camera sees them, about as wide as 1280 x 720."""
    column, row = np.divmod(np.arange(rows * columns), rows)
    depth = 1 / (1.2 - 0.1 * row)
    x = 640 + (column - (columns - 1) / 2) * 180 * depth
    y = 250 + 320 * (depth - 0.7)
    return np.column_stack([x, y])


def similarity(scale=1.0, degrees=0.0, shift=(0.0, 0.0)):
    c, s = scale * np.cos(np.radians(degrees)), scale * np.sin(np.radians(degrees))
    return np.array([[c, -s, shift[0]], [s, c, shift[1]]])


def frame(**rigs):
    return pd.concat(
        [
            pd.DataFrame(
                {"rig": rig, "antenna": np.arange(len(xy)) + 1, "x": xy[:, 0], "y": xy[:, 1]}
            )
            for rig, xy in rigs.items()
        ],
        ignore_index=True,
    )


def matrix_of(table, rig):
    row = table.set_index("rig").loc[rig]
    return row[[f"m{i}{j}" for i in range(2) for j in range(3)]].to_numpy(float).reshape(2, 3)


def write_csv(path, data):
    data.to_csv(path, index=False)
    return path


similarities = st.builds(
    similarity,
    st.floats(0.8, 1.25),
    st.floats(-5, 5),
    st.tuples(st.floats(-100, 100), st.floats(-100, 100)),
)


@given(similarities, st.sampled_from(["similarity", "affine"]))
def test_a_fit_without_noise_is_exact(matrix, kind):
    points = grid_points()
    assert_allclose(fit(points, boxes.apply(points, matrix), kind), matrix, atol=1e-8)


@given(st.tuples(st.floats(-100, 100), st.floats(-100, 100)))
def test_a_translation_is_recovered(shift):
    matrix = similarity(shift=shift)
    points = grid_points()
    assert_allclose(fit(points, boxes.apply(points, matrix), "translation"), matrix, atol=1e-9)


def errors(matrix, noise):
    """How far a rig's points land from where a similarity puts them, (18,), px."""
    points = grid_points()
    marked = boxes.apply(points, matrix) + noise
    table = calibrate(frame(a=points, b=marked), Calibrate())
    prototype = table.loc[table["prototype"], "rig"].item()
    other, truth = ("a", matrix) if prototype == "b" else ("b", boxes.invert(matrix))
    places = points if other == "a" else boxes.apply(points, matrix)
    found = boxes.apply(places, matrix_of(table, other))
    return np.linalg.norm(found - boxes.apply(places, truth), axis=1)


@given(similarities, st.integers(0, 2**32 - 1))
def test_known_similarities_come_back_within_half_a_pixel(matrix, seed):
    """Points are marked with 1 px of noise; a draw may be unlucky, so many are averaged."""
    points = grid_points()
    truth = boxes.apply(points, matrix)
    marked = truth + np.random.default_rng(seed).normal(0, 1, (100, 18, 2))
    found = np.stack([boxes.apply(points, fit(points, one)) for one in marked])
    assert np.linalg.norm(found - truth, axis=-1).mean() < 0.5


@settings(max_examples=3, deadline=None)
@given(similarities)
def test_so_they_do_when_set_ups_are_calibrated(matrix):
    noise = np.random.default_rng(4).normal(0, 1, (20, 18, 2))
    assert np.mean([errors(matrix, one).mean() for one in noise]) < 0.5


@settings(max_examples=20, deadline=None)
@given(st.lists(similarities, min_size=1, max_size=4))
def test_exactly_one_prototype_and_it_maps_to_itself(matrices):
    points = grid_points()
    rigs = {f"r{i}": boxes.apply(points, matrix) for i, matrix in enumerate(matrices)}
    table = calibrate(frame(**rigs), Calibrate())
    assert table["rig"].tolist() == sorted(rigs)
    prototype = table.loc[table["prototype"], "rig"].item()
    assert_allclose(matrix_of(table, prototype), np.eye(2, 3))
    for rig, xy in rigs.items():
        assert_allclose(boxes.apply(xy, matrix_of(table, rig)), rigs[prototype], atol=1e-6)


def test_the_prototype_is_the_set_up_with_the_smallest_total_residual():
    rng = np.random.default_rng(3)
    points = grid_points()
    bad = points + rng.normal(0, 4, points.shape)
    rigs = {"a_bad": bad, "b": points, "c": points + rng.normal(0, 0.2, points.shape)}
    table = calibrate(frame(**rigs), Calibrate(out_of_line=100))
    assert table.set_index("rig")["prototype"].to_dict()["a_bad"] is False
    assert table.set_index("rig").loc["a_bad", "validation_residual"] > 2


def test_even_points_do_not_enter_the_fit_that_is_judged():
    points = grid_points()
    moved = points.copy()
    moved[1::2] += 3.0
    table = calibrate(frame(a=points, b=moved), Calibrate()).set_index("rig")
    other = table[~table["prototype"]]
    assert other["fit_residual"].item() == pytest.approx(0.0, abs=1e-9)
    assert other["validation_residual"].item() == pytest.approx(3 * np.sqrt(2))


def test_points_in_one_row_are_no_mirror_image():
    points = np.column_stack([np.arange(8) * 100.0, np.full(8, 300.0)])
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(0, 0.5, (2, 8, 2))
        table = calibrate(frame(a=points + noise[0], b=points + noise[1]), Calibrate())
        assert len(table) == 2


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(18)), st.sampled_from(["translation", "similarity", "affine"]))
def test_any_other_order_of_points_is_caught(order, kind):
    points = grid_points()
    if list(order) == list(range(18)):
        return
    with pytest.raises(InputError, match=r"points? \d"):
        calibrate(frame(a=points, b=points[list(order)]), Calibrate(transform=kind))


@pytest.mark.parametrize("pair", [(0, 1), (0, 3), (7, 10), (16, 17)])
def test_two_swapped_points_are_named(pair):
    points = grid_points()
    swapped = points.copy()
    swapped[list(pair)] = points[list(pair[::-1])]
    numbers = ", ".join(str(i + 1) for i in pair)
    expected = numbers.replace(", ", "-") if pair[1] == pair[0] + 1 else numbers
    with pytest.raises(InputError, match=f"points {expected} nearer"):
        calibrate(frame(a=points, b=swapped), Calibrate())


@pytest.mark.parametrize("kind", ["similarity", "affine", "translation"])
@pytest.mark.parametrize("flip", [[-1, 1], [1, -1]])
def test_mirrored_points_are_caught(kind, flip):
    points = grid_points()
    with pytest.raises(InputError, match="points 1-18 in mirrored order"):
        calibrate(frame(a=points, b=points * flip), Calibrate(transform=kind))


def test_points_numbered_from_the_other_end_are_caught():
    points = grid_points()
    with pytest.raises(InputError, match=r"turned by -?180 degrees"):
        calibrate(frame(a=points, b=-points), Calibrate())


def test_a_residual_above_the_limit_names_the_worst_point():
    points = grid_points()
    moved = points.copy()
    moved[9] += 9
    with pytest.raises(InputError, match="worst at point 10"):
        calibrate(frame(a=points, b=moved), Calibrate(max_residual=2))


def test_missing_points_are_named():
    data = frame(a=grid_points(), b=grid_points())
    short = data[~((data["rig"] == "b") & data["antenna"].isin([3, 4, 5, 9]))]
    refused = calibrate_all(short, Calibrate()).refused
    assert "rig b: found no points 3-5, 9;" in str(refused["b"])


def test_too_few_points_for_the_kind():
    few = frame(a=grid_points()[:4], b=grid_points()[:4])
    assert len(calibrate(few, Calibrate())) == 2
    with pytest.raises(InputError, match="at least 3 odd points"):
        calibrate(few, Calibrate(transform="affine"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rig,antenna,x\na,1,2\n", "a column y"),
        ("", "an empty file"),
        ("rig,antenna,x,y\na,1,2,3\na,1,5,6\n", "line 3: found point 1 of rig a a second time"),
        (f"rig,antenna,x,y\na,{'9' * 5000},2,3\n", "line 2: found antenna"),
        ("rig,antenna,x,y\na,१,2,3\n", "line 2: found antenna"),
        (f"rig,antenna,x,y\na,1,{'2' * 200_000},3\n", "malformed CSV"),
        (f"rig,recording\na,{'v' * 200_000}\n", "malformed CSV"),
        ("rig,antenna,x,y\na,0,2,3\n", "line 2: found antenna '0'"),
        ("rig,antenna,x,y\na,1,two,3\n", "line 2: found x 'two'"),
        ("rig,antenna,x,y\na,1,nan,3\n", "two finite numbers"),
        ("rig,antenna,x,y\n,1,2,3\n", "no rig"),
        ("rig,antenna,x,y\na,1,2\n", "line 2"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_points(path)


def test_a_rig_in_use_without_points(tmp_path):
    path = write_csv(tmp_path / "points.csv", frame(a=grid_points()))
    with pytest.raises(InputError, match="no points of rig z, only of a"):
        stage.Calibrate(points=path, rigs=["z"], output_transforms=tmp_path / "out.parquet").run()


def test_without_points_one_rig_is_the_identity(tmp_path):
    output = tmp_path / "out.parquet"
    stage.Calibrate(rigs=["only", "only"], output_transforms=output).run()
    table = tables.read(output, "transforms")
    assert table["rig"].tolist() == ["only"]
    assert_allclose(matrix_of(table, "only"), np.eye(2, 3))
    assert table["validation_residual"].isna().all()
    with pytest.raises(InputError, match="no points for the rigs a, b"):
        stage.Calibrate(rigs=["a", "b"], output_transforms=output).run()


def test_the_command_writes_the_table(tmp_path):
    moved = boxes.apply(grid_points(), similarity(1.01, -1, (4, 2)))
    path = write_csv(tmp_path / "points.csv", frame(a=grid_points(), b=moved))
    output = tmp_path / "transforms.parquet"
    arguments = ["calibrate", "--points", path, "--rig", "a", "--rig", "b", "--output", output]
    result = CliRunner().invoke(
        cli, [str(argument) for argument in arguments] + ["--transform", "affine"]
    )
    assert result.exit_code == 0, result.output
    assert tables.read(output, "transforms")["prototype"].sum() == 1


@pytest.mark.parametrize("places", [None, "[[100, 200], [900, 300]]"])
def test_points_are_compared_with_a_grid_only_where_there_is_one(tmp_path, places):
    order = np.random.default_rng(1).permutation(18)
    rigs = {"a": grid_points()[order], "b": boxes.apply(grid_points()[order], similarity(1.05))}
    path = write_csv(tmp_path / "points.csv", frame(**rigs))
    output = tmp_path / "transforms.parquet"
    arguments = ["calibrate", "--points", path, "--rig", "a", "--rig", "b", "--output", output]
    told = ["--places", places] if places else []
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments] + told)
    assert (result.exit_code == 0) == (places is not None), result.output
    if places:
        assert len(tables.read(output, "transforms")) == 2


# One set-up alone, or all alike: numbers compared with the grid


def renumbered(order, *rigs):
    points = grid_points()
    return frame(**dict.fromkeys(rigs, points[order]))


@pytest.mark.parametrize("rigs", [("a",), ("a", "b")])
@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(range(18), 2)))
def test_any_two_points_that_are_swapped_are_named(rigs, first, second):
    order = np.arange(18)
    order[[first, second]] = second, first
    with pytest.raises(InputError) as caught:
        calibrate(renumbered(order, *rigs), Calibrate(), grid=GRID)
    named = set(re.search(r"found points ([0-9, -]+)", str(caught.value))[1].strip().split(", "))
    expected = {str(first + 1), str(second + 1)}
    assert named == (expected if second > first + 1 else {f"{first + 1}-{second + 1}"})


NUMBERS = np.arange(18).reshape(6, 3)  # columns, rows


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (NUMBERS[::-1], "mirrored order"),
        (NUMBERS[:, ::-1], "mirrored order"),
        (NUMBERS[::-1, ::-1], "turned by -?180 degrees"),
        (np.arange(18).reshape(3, 6).T, "nearer to the place of another"),
        (np.roll(NUMBERS, 1), "points"),
        (np.roll(NUMBERS, 1, axis=0), "points"),
        (np.roll(NUMBERS, 1, axis=1), "points"),
    ],
)
def test_other_ways_to_number_are_caught_even_in_all_set_ups(order, message):
    with pytest.raises(InputError, match=message):
        calibrate(renumbered(order.ravel(), "a", "b", "c"), Calibrate(), grid=GRID)


@settings(max_examples=40)
@given(st.permutations(range(18)))
def test_any_permutation_of_all_set_ups_is_caught(order):
    if list(order) == list(range(18)):
        return
    with pytest.raises(InputError, match=r"rig a.*points? \d"):
        calibrate(renumbered(np.array(order), "a"), Calibrate(), grid=GRID)


@settings(max_examples=40)
@given(similarities, st.integers(0, 99))
def test_points_that_are_right_are_not_refused(matrix, seed):
    noise = np.random.default_rng(seed).normal(0, 2, (2, 18, 2))
    points = grid_points()
    rigs = {"a": points + noise[0], "b": boxes.apply(points, matrix) + noise[1]}
    assert len(calibrate(frame(**rigs), Calibrate(), grid=GRID)) == 2


def test_other_grids_and_single_rows():
    points = grid_points(4, 5)
    assert len(calibrate(frame(a=points), Calibrate(), grid=Grid(4, 5))) == 1
    assert len(calibrate(frame(a=points), Calibrate(), grid=GRID)) == 1
    row = np.column_stack([np.arange(6) * 100.0, np.full(6, 300.0)])
    assert len(calibrate(frame(a=row), Calibrate(), grid=Grid(1, 6))) == 1


def test_a_set_up_out_of_line_is_refused_with_its_worst_point():
    rng = np.random.default_rng(2)
    rigs = {name: grid_points() + rng.normal(0, 0.5, (18, 2)) for name in "abcd"}
    rigs["c"][9] += [12, 9]
    (fault,) = calibrate_all(frame(**rigs), Calibrate(), grid=GRID).refused.values()
    assert re.search("rig c, .*worst at point 10", str(fault))
    assert len(calibrate(frame(**rigs), Calibrate(out_of_line=100), grid=GRID)) == 4


# Kinds compared, and points before and after


def test_the_residuals_of_every_kind():
    points = grid_points()
    bent = np.column_stack([points, np.ones(18)]) @ np.array(
        [[1.02, 0.01, 1e-4], [-0.02, 0.98, 5e-5], [3, -2, 1]]
    )
    made = calibrate_all(frame(a=points, b=bent[:, :2] / bent[:, 2:]), Calibrate())
    table = made.residuals.set_index("transform")
    assert list(table.index) == ["translation", "similarity", "affine", "homography"]
    held_back = table["validation_residual"]
    assert held_back["translation"] > held_back["similarity"] > held_back["affine"] > 0.1
    assert held_back["homography"] < 1e-3
    assert table["used"].tolist() == [False, True, False, False]
    used = made.transforms[~made.transforms["prototype"]]["validation_residual"].item()
    assert used == held_back["similarity"]


def test_points_before_and_after():
    points = grid_points()
    made = calibrate_all(
        frame(a=points, b=boxes.apply(points, similarity(1.03, 2, (9, -7)))), Calibrate()
    )
    after = made.points.pivot(index="antenna", columns="rig", values="reference_x")
    before = made.points.pivot(index="antenna", columns="rig", values="x")
    assert (before["a"] - before["b"]).abs().max() > 5
    assert_allclose(after["a"], after["b"], atol=1e-6)


# Points of VIA


def via_project(rigs):
    return {
        f"{name}-1": {
            "filename": f"{name}.png",
            "size": -1,
            "file_attributes": {} if name.startswith("b") else {"rig": name.split("_")[0]},
            "regions": [
                {
                    "shape_attributes": {"name": "point", "cx": x, "cy": y},
                    "region_attributes": {"antenna": str(number)},
                }
                for number, (x, y) in enumerate(xy, 1)
            ],
        }
        for name, xy in rigs.items()
    }


def test_points_of_a_via_project(tmp_path):
    points = grid_points()
    rigs = {"a_1": points - 1, "a_2": points + 1, "b": points + 5}
    path = tmp_path / "points.json"
    for data in (via_project(rigs), {"_via_img_metadata": via_project(rigs)}):
        path.write_text(json.dumps(data))
        found = read_points(path)
        assert found["rig"].unique().tolist() == ["a", "b"]
        assert_allclose(found.loc[found["rig"] == "a", ["x", "y"]], points)
        assert_allclose(found.loc[found["rig"] == "b", ["x", "y"]], points + 5)


def test_points_that_via_exported_as_csv(tmp_path):
    lines = ["filename,file_size,file_attributes,region_count,region_id,"
             "region_shape_attributes,region_attributes"]  # fmt: skip
    for image in via_project({"a": grid_points(), "b": grid_points() + 1}).values():
        for number, region in enumerate(image["regions"]):
            cells = (image["file_attributes"], region["shape_attributes"])
            about, shape, attributes = (
                '"' + json.dumps(cell).replace('"', '""') + '"'
                for cell in (*cells, region["region_attributes"])
            )
            lines.append(f"{image['filename']},1,{about},18,{number},{shape},{attributes}")
    path = tmp_path / "points.csv"
    path.write_text("\n".join(lines))
    found = read_points(path)
    assert found.groupby("rig").size().to_dict() == {"a": 18, "b": 18}
    assert_allclose(found.loc[found["rig"] == "b", ["x", "y"]], grid_points() + 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape_attributes": {"name": "rect", "x": 1}}, "found the shape rect"),
        ({"region_attributes": {}}, "found antenna ''"),
        ({"region_attributes": {"antenna": "2"}}, "found point 2 of rig a a second time"),
        ({"shape_attributes": {"name": "point", "cx": 1}}, r"found the point \[1, None\]"),
    ],
)
def test_faulty_points_of_via_are_named(tmp_path, change, message):
    data = via_project({"a": grid_points()})
    data["a-1"]["regions"][0] |= change
    (tmp_path / "points.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match=f"image a.png, region [01]: {message}"):
        read_points(tmp_path / "points.json")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', "{}", '{"project": {}}'])
def test_json_that_is_not_of_via(tmp_path, text):
    (tmp_path / "points.json").write_text(text)
    with pytest.raises(InputError, match=r"points\.json"):
        read_points(tmp_path / "points.json")
