"""The stage ``identify`` on odd and wrong input: a clear error, or a right result."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from murid import rigs, tables
from murid.errors import InputError
from murid.fitting import fit_path
from murid.identify import scene
from murid.identify.stage import Identify
from murid.models import fitted_path, fitted_weights
from murid.run import provenance
from murid.settings import Grid, Image, Paths
from small_rig import FPS, MODEL, MOTION, boxes_at, positions, simple_model

METHODS = ("static_c", "static_p", "ilp", "ilp_lag", "ilp_tempered", "path")


@pytest.fixture
def identify(tmp_path):
    """Write tables, name them by every method, and return the tables that come out."""
    model = simple_model()
    fitted_weights.write(fitted_weights.Weights(model, model), tmp_path / "weights.json")
    fitted_path.write(MODEL, tmp_path / "path_model.json")
    still = {f"m{row}{column}": [float(row == column)] for row in range(2) for column in range(3)}
    residuals = {"fit_residual": [np.nan], "validation_residual": [np.nan]}
    transform = pd.DataFrame({"rig": ["rig"], "prototype": [True], **still, **residuals})
    tables.write(transform, tmp_path / "transforms.parquet", "transforms")
    marks = tables.empty("annotations")
    tables.write(marks, tmp_path / "annotations.parquet", "annotations")

    def run(
        trace, rows, detections=None, methods=METHODS, path_model=True, foreign=None,
        fps=FPS, grid=None, image=None, said=None, **weighing,
    ):  # fmt: skip
        linked = boxes_at(rows, "tracklets") if rows else tables.empty("tracklets")
        if detections is None:
            detections = [row[:3] for row in rows]
        found = boxes_at(detections) if detections else tables.empty("detections")
        trace = positions(trace) if len(trace) else tables.empty("positions")
        for name, table in (("detections", found), ("tracklets", linked), ("positions", trace)):
            tables.write(table, tmp_path / f"{name}.parquet", name)
        if foreign is not None:
            foreign.to_parquet(tmp_path / "tracklets.parquet")
        if said is not None:
            tables.write(*said[:1], tmp_path / "corrections.parquet", "corrections", *said[1:])
        names = ("detections", "tracklets", "positions", "annotations", "transforms")
        Identify(
            **{name: tmp_path / f"{name}.parquet" for name in names},
            weights=tmp_path / "weights.json",
            path_model=tmp_path / "path_model.json" if path_model else None,
            corrections=tmp_path / "corrections.parquet" if said is not None else None,
            rig="rig", fps=fps, paths=Paths(**weighing), grid=grid, image=image,
            outputs=[(method, tmp_path / f"named_{method}.parquet") for method in methods],
            output_posteriors=tmp_path / "posteriors.parquet",
        ).run()  # fmt: skip
        named = {
            method: tables.read(tmp_path / f"named_{method}.parquet", "identities")
            for method in methods
        }
        return named, tables.read(tmp_path / "posteriors.parquet", "posteriors")

    return run


def along(frames, x, number, detection=0):
    return [(frame, detection, x, number) for frame in frames]


def test_a_rig_that_was_refused_discards_its_segments(identify, tmp_path):
    about = {f"{rigs.REFUSED}rig": "its points are mirrored"}
    path = tmp_path / "transforms.parquet"
    tables.write(tables.empty("transforms"), path, "transforms", about=about)
    named, posteriors = identify([[1, 3]] * 8, along(range(8), 100, 0))
    assert posteriors.empty
    expected = tables.Verdict("discarded", "the rig rig has no transform: its points are mirrored")
    for method, table in named.items():
        assert table.empty
        assert tables.read_verdict(tmp_path / f"named_{method}.parquet") == expected


def test_two_animals_are_named_and_only_the_path_is_sure_of_it(identify):
    rows = sorted(along(range(8), 100, 0) + along(range(8), 300, 1, detection=1))
    named, posteriors = identify([[1, 3]] * 8, rows)
    for method, table in named.items():
        assert table.loc[table["animal"] == "A", "detection"].eq(0).all(), method
        assert table.loc[table["animal"] == "B", "detection"].eq(1).all(), method
        confidence = table["confidence"]
        assert confidence.between(0, 1).all() if method == "path" else confidence.isna().all()
    best = posteriors.sort_values("probability").groupby("tracklet").last()
    assert best["animal"].tolist() == ["A", "B"]
    assert posteriors.groupby("tracklet")["probability"].sum().max() <= 1 + 1e-6


def exchanged(frames=600, at=300):
    """Two tracklets, at 100 and 300, that change places; the antennas know."""
    rows = []
    for frame in range(frames):
        places = (100, 300) if frame < at else (300, 100)
        rows += [(frame, number, x, number) for number, x in enumerate(places)]
    return [[1, 3]] * frames, rows


def test_tracklets_of_two_animals_are_named_by_their_boxes_and_are_certain_of_neither(identify):
    named, posteriors = identify(*exchanged(), methods=("ilp_tempered", "path"))
    path = named["path"]
    for animal, place in (("A", 100), ("B", 300)):
        own = path[path["animal"] == animal]
        assert (own["x"] + own["w"] / 2 == place).all()
        assert own["tracklet"].tolist() == [place // 200] * 300 + [1 - place // 200] * 300
    assert posteriors["probability"].between(0.4, 0.6).all()
    # Whole tracklets, as in the paper: half of the boxes are wrong, whatever is named.
    whole = named["ilp_tempered"]
    assert whole.groupby("animal")["tracklet"].nunique().max() <= 1


def test_a_stretch_too_short_to_be_believed_is_not_cut(identify):
    frames, rows = exchanged(302, 300)
    named, posteriors = identify(frames, rows, methods=("path",))
    assert named["path"].groupby("animal")["tracklet"].nunique().tolist() == [1, 1]
    assert posteriors.groupby("tracklet")["probability"].max().between(0.9, 1).all()


def corrections(*rows):
    """Rows of (frame, tracklet, animal)."""
    said = pd.DataFrame(rows, columns=["frame", "tracklet", "animal"])
    said["number"] = np.arange(len(said)) + 1
    said["line"] = said["number"] + 1
    texts = {"cage": "A", "segment": "1", "who": "", "when": "", "remark": "", "file": "said.csv"}
    return tables.conform(
        said.assign(x=np.nan, y=np.nan, w=np.nan, h=np.nan, **texts), "corrections"
    )


def test_only_the_path_obeys_what_people_answered_and_is_certain_of_it(identify, tmp_path):
    rows = sorted(along(range(8), 100, 0) + along(range(8), 300, 1, detection=1))
    before, _ = identify([[1, 3]] * 8, rows)
    after, posteriors = identify([[1, 3]] * 8, rows, said=[corrections((5, 0, "B"))])
    for method in METHODS[:-1]:
        pd.testing.assert_frame_equal(before[method], after[method])
    path = after["path"].set_index(["frame", "animal"])
    assert path["detection"].xs("B", level="animal").tolist() == [0] * 8
    assert path["confidence"][5, "B"] == 1.0
    best = posteriors.sort_values("probability").groupby("tracklet").last()
    assert best["animal"][0] == "B"
    about = pq.read_schema(tmp_path / "named_path.parquet").metadata
    assert about[b"murid.about.answers"] == b"1"


def test_what_is_not_obeyed_is_a_reason_of_the_path_alone(identify, tmp_path):
    rows = sorted(along(range(8), 100, 0) + along(range(8), 300, 1, detection=1))
    read = tables.Verdict("failed", "line 3 of said.csv: found 'x' in column frame")
    said = [corrections((5, 0, "C"), (5, 1, "A")), read]
    named, _ = identify([[1, 3]] * 8, rows, said=said)
    assert len(named["path"]) == 16
    for name in ("named_path", "posteriors"):
        verdict = tables.read_verdict(tmp_path / f"{name}.parquet")
        assert verdict.status == "repaired"
        assert "line 3 of said.csv" in verdict.reason
        assert "1 of 2 corrections are not obeyed" in verdict.reason
        assert "the animal 'C' is not there, only A, B" in verdict.reason
    assert tables.read_verdict(tmp_path / "named_ilp.parquet").status == "usable"


def test_without_answers_nothing_tells_of_them(identify, tmp_path):
    rows = sorted(along(range(60), 100, 0) + along(range(60), 300, 1, detection=1))
    identify([[1, 3]] * 60, rows, methods=("path",))
    kept = (tmp_path / "named_path.parquet").read_bytes()
    assert b"answers" not in kept
    identify([[1, 3]] * 60, rows, methods=("path",), said=[corrections()])
    assert tables.read_verdict(tmp_path / "named_path.parquet").status == "usable"
    named = tables.read(tmp_path / "named_path.parquet", "identities")
    (tmp_path / "kept.parquet").write_bytes(kept)
    pd.testing.assert_frame_equal(named, tables.read(tmp_path / "kept.parquet", "identities"))


def test_how_names_were_searched_is_told_in_the_tables_and_the_log(identify, tmp_path, caplog):
    caplog.set_level("INFO", logger="murid")
    identify(*exchanged(), methods=("path",))
    for name in ("named_path", "posteriors"):
        about = pq.read_schema(tmp_path / f"{name}.parquet").metadata
        assert about[b"murid.about.tracklet_cuts"] == b"2"
        assert about[b"murid.about.steps_cut_short"] == b"0"
        assert about[b"murid.about.weight_let_go"] == b"0"
        assert tables.read_verdict(tmp_path / f"{name}.parquet").status == "usable"
    assert "steps_cut_short 0" in caplog.text


def test_a_search_that_lets_likely_names_go_is_a_reason(identify, tmp_path, caplog):
    # Nobody knows who is who where both antennas say the same: two states are as good.
    rows = sorted(along(range(9), 190, 0) + along(range(9), 210, 1, detection=1))
    identify([[2, 2]] * 9, rows, methods=("path",), most_states=1)
    for name in ("named_path", "posteriors"):
        verdict = tables.read_verdict(tmp_path / f"{name}.parquet")
        assert verdict.status == "repaired"
        assert "identify.most_states 1" in verdict.reason
    assert "identify.most_states 1" in caplog.text


def test_without_tracklets_every_animal_is_hidden(identify):
    named, posteriors = identify([[1, 3]] * 3, [])
    for table in named.values():
        assert len(table) == 6
        assert table["x"].isna().all()
    assert posteriors.empty
    assert named["path"]["confidence"].between(0, 1).all()


def test_one_animal_and_one_frame(identify):
    named, _ = identify([[2]], along([0], 200, 0))
    for method, table in named.items():
        assert len(table) == 1
        # One look is too little for the path model to set it above a false box.
        assert method in ("ilp_tempered", "path") or table["detection"].tolist() == [0]


def test_an_animal_without_any_reading_may_still_get_the_box_that_is_left(identify):
    rows = sorted(along(range(6), 100, 0) + along(range(6), 300, 1, detection=1))
    named, posteriors = identify([[1, 0]] * 6, rows)
    for method, table in named.items():
        assert table.loc[table["animal"] == "A", "detection"].eq(0).all(), method
    assert set(posteriors["animal"]) == {"A", "B"}


def test_no_animals_give_empty_tables(identify):
    named, _ = identify(np.zeros((0, 0), dtype=int), [])
    assert all(table.empty for table in named.values())


@pytest.mark.parametrize(
    ("trace", "rows", "detections", "message"),
    [
        ([[1, 9]] * 3, along(range(3), 100, 0), None, "frame 0, animal B: found antenna 9"),
        ([[1, 3]] * 3, along(range(5), 100, 0), None, "a box at frame 4; expected frames 0 to 2"),
        (
            [[1, 3]] * 3,
            along([0, 1], 100, 0),
            [(0, 0, 100)],
            "row 1 (frame 1): found detection 0",
        ),
        ([[1, 1, 1, 1, 1, 1]] * 3, along(range(3), 100, 0), None, "up to 3 animals"),
        (
            [[1, 3]] * 3,
            along([0, 1], 100, 0) + along([1], 300, 0, detection=1),
            None,
            "row 2 (frame 1): found the tracklet 0 twice",
        ),
    ],
)
@pytest.mark.parametrize("method", ["ilp", "ilp_lag", "ilp_tempered", "path"])
def test_what_cannot_be_is_named(identify, tmp_path, trace, rows, detections, message, method):
    with pytest.raises(InputError) as error:
        identify(trace, rows, detections, methods=(method,))
    assert message in str(error.value)
    assert error.value.file.startswith(str(tmp_path))
    assert not (tmp_path / f"named_{method}.parquet").exists()


@pytest.mark.parametrize("method", ["ilp", "ilp_lag", "ilp_tempered", "path"])
def test_two_tracklets_of_one_detection_are_refused(identify, tmp_path, method):
    rows = along(range(3), 100, 0)
    # What murid writes cannot be so, but another tool's table can.
    other = boxes_at(rows, "tracklets").assign(tracklet=1)
    foreign = pd.concat([boxes_at(rows, "tracklets"), other.iloc[[1]]], ignore_index=True)
    with pytest.raises(InputError, match="frame 1, detection 0 a second time") as error:
        identify([[1, 3]] * 3, rows, methods=(method,), foreign=foreign)
    assert error.value.file == str(tmp_path / "tracklets.parquet")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"grid": Grid(rows=4, columns=1)}, "made for 1 x 4 antennas.*one for 4 x 1"),
        ({"image": Image(width=900, height=900)}, "1280 x 720 pixels.*one for 900 x 900"),
    ],
)
def test_models_made_for_another_rig_are_refused(identify, tmp_path, changes, message):
    rows = along(range(3), 100, 0)
    identify([[1]] * 3, rows, grid=Grid(rows=1, columns=4), image=Image())
    with pytest.raises(InputError, match=message) as error:
        identify([[1]] * 3, rows, methods=("ilp",), **changes)
    assert error.value.file == str(tmp_path / "weights.json")
    assert "Set weights: to null" in error.value.remedy


def test_a_path_model_made_for_another_rig_is_refused(identify, tmp_path):
    made = replace(MODEL.made_for, image=(320, 180))
    fitted_path.write(replace(MODEL, made_for=made), tmp_path / "path_model.json")
    with pytest.raises(InputError, match=r"320 x 180 pixels.*one for 1280 x 720") as error:
        identify([[1]] * 3, along(range(3), 100, 0), image=Image())
    assert error.value.file == str(tmp_path / "path_model.json")
    assert "Set path_model: to null" in error.value.remedy


def test_a_cage_of_more_animals_than_the_weights_know_is_refused(identify, tmp_path):
    with pytest.raises(
        InputError, match=r"up to 3 animals.*one for 4.*Set weights: to null"
    ) as error:
        identify([[1, 2, 3, 4]] * 3, along(range(3), 100, 0))
    assert error.value.file == str(tmp_path / "weights.json")


@pytest.mark.parametrize(
    ("trace", "changes", "said"),
    [
        ([[1, 3]] * 80, {}, ""),
        ([[1, 3]] * 80, {"fitted_with": ("0af3", "own")}, ""),
        ([[1, 3]] * 80, {"fitted_with": ("0af3", "1b")}, "other weights than those of its own run"),
        ([[1, 3]] * 80, {"fps": 30.0}, ""),
        ([[1, 3]] * 80, {"fps": 12.5}, "12.5 frames a second, not 25"),
        ([[1, 3, 4]] * 80, {}, "3 animals, not 1 to 2"),
        ([[1, 3]] * 80, {"antenna_weight": 1.0}, "identify.antenna_weight of 1, not 0.04"),
        ([[1, 3]] * 80, {"correct_lag": False}, "identify.correct_lag of false, not true"),
        (
            [[1, 3]] * 80,
            {"score_weight": 0.0, "transitions": False},
            "identify.score_weight of 0, not 0.5; identify.transitions of false, not true",
        ),
    ],
)
def test_conditions_that_confidence_was_not_learnt_under_are_told(
    identify, tmp_path, caplog, trace, changes, said
):
    changes = dict(changes)
    known = Paths().model_dump(include=set(fit_path.CONDITIONS))
    own = fitted_weights.read(tmp_path / "weights.json").digest
    digests = [own if digest == "own" else digest for digest in changes.pop("fitted_with", ())]
    made = replace(MODEL.made_for, weighing=known, lags={"": 0.0}, weights=tuple(digests))
    fitted_path.write(replace(MODEL, made_for=made), tmp_path / "path_model.json")
    identify(trace, along(range(80), 100, 0), methods=("ilp", "path"), **changes)
    verdict = tables.read_verdict(tmp_path / "named_path.parquet")
    reason = f"confidence was learnt under other conditions: {said}" if said else ""
    if "weights" in said:
        reason += " (give both of one run, or set path_model: to null)"
    assert verdict == tables.Verdict("repaired" if said else "usable", reason)
    assert tables.read_verdict(tmp_path / "posteriors.parquet") == verdict
    assert [record.getMessage() for record in caplog.records] == ([reason] if said else [])
    # What knows no confidence is what it was.
    assert tables.read_verdict(tmp_path / "named_ilp.parquet") == tables.Verdict()


def test_a_method_that_names_nobody_says_so(identify, tmp_path):
    # Scores of animals as this model has it are those of false boxes.
    wrong = replace(MODEL, score=fitted_path.Score(0.0, -100.0))
    fitted_path.write(wrong, tmp_path / "path_model.json")
    named, _ = identify([[1, 3]] * 8, along(range(8), 100, 0), methods=("ilp", "path"))
    assert named["path"]["detection"].isna().all()
    assert named["ilp"]["detection"].notna().any()
    verdict = tables.read_verdict(tmp_path / "named_path.parquet")
    assert verdict.status == "repaired"
    assert "path names nobody: it takes each of 8 boxes for no animal's" in verdict.reason
    assert tables.read_verdict(tmp_path / "named_ilp.parquet") == tables.Verdict()


def test_a_method_twice_and_a_path_without_its_model_are_refused(identify):
    rows = along(range(3), 100, 0)
    with pytest.raises(InputError, match="twice"):
        identify([[1]] * 3, rows, methods=("ilp", "ilp"))
    with pytest.raises(InputError, match="without a path model"):
        identify([[1]] * 3, rows, path_model=False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("path model 2", "path model 1"), "path model 1'; expected"),
        (lambda text: text[:-9], "malformed JSON"),
        (lambda text: text.replace('"near": [0.9', '"near": [1.9'), "near"),
        (
            lambda text: text.replace('"anywhere": [150.0', '"anywhere": [0.0'),
            "anywhere.0: found 0.0",
        ),
        (lambda text: text.replace('"fresh": -4.0', '"fresh": NaN'), "fresh"),
        (lambda text: text.replace('"slope": 0.0', '"slope": NaN'), "slope"),
        (
            lambda text: text.replace('"slope": 1.0', '"slope": null'),
            "slope: found None",
        ),
        (lambda text: text.replace('"boxed"', '"bxed"'), "boxed"),
        (lambda text: text.replace('"hidden": [1.0]', '"hidden": [1.0, 0.5]'), "shares"),
        (lambda text: "[" * 100_000 + "]" * 100_000, "malformed JSON"),
        (lambda text: text.replace('"fresh": -4.0', '"fresh": 1e308'), "fresh: 1e\\+308"),
        (lambda text: text.replace('"fresh": -4.0', '"fresh": 1' + 400 * "0"), "a huge integer"),
        (
            lambda text: text.replace('"near": [0.9', '"near": [[]'),
            r"near.0: found \[\]",
        ),
    ],
)
def test_a_damaged_path_model_is_refused(tmp_path, change, message):
    path = tmp_path / "path_model.json"
    fitted_path.write(MODEL, path)
    again = fitted_path.read(path)
    np.testing.assert_array_equal(again.motion.spread, MOTION.spread)
    assert again.hidden == fitted_path.Missed()
    path.write_text(change(path.read_text()))
    with pytest.raises(InputError, match=message):
        fitted_path.read(path)


@pytest.mark.parametrize(
    ("labels", "linked", "told"),
    [
        ([], 0, ""),
        (["mouse", "tunnel"], 1, ""),
        (["mouse", "mouse", "tunnel"], 0, "none of 2 boxes is in a tracklet. Compare track.iou"),
        (["tunnel", "tunnel"], 0, "none of 2 boxes is labelled mouse"),
    ],
)
def test_where_nobody_can_be_named_it_is_said_why(labels, linked, told):
    found = pd.DataFrame({"label": labels}, dtype=object)
    verdict = scene.warn_if_nameless(found, pd.DataFrame({"frame": range(linked)}))
    assert told in verdict.reason
    assert verdict.status == ("repaired" if told else "usable")


def test_naming_loads_no_library_that_takes_longer_to_load_than_it_to_judge_a_trace():
    heavy = ("scipy", "sklearn", "torch", "cv2", "av", "matplotlib", "mip")
    code = "import sys; from murid.identify import answer, continuity, scene; "
    code += f"print([m for m in {heavy} if m in sys.modules])"
    environment = {"PYTHONPATH": str(provenance.PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
