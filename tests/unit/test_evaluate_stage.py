"""The stage ``evaluate``: a segment's tables in, its outcomes and its summary out."""

import pandas as pd
import pytest
from click.testing import CliRunner

from judged_frames import BOX, EVERY_FRAME, LABELS, detections, identities, marked
from murid import tables
from murid.cli import cli
from murid.errors import InputError
from murid.evaluate.stage import Evaluate as EvaluateStage
from murid.timeline import ANNOTATED, BEGINS, FRAMES, MISSING


def positions(animals, frames):
    grid = pd.MultiIndex.from_product([range(frames), animals], names=["frame", "animal"])
    table = grid.to_frame(index=False).assign(antenna=1, filled=False)
    return tables.conform(table, "positions") if len(table) else tables.empty("positions")


@pytest.fixture
def inputs(tmp_path):
    """The paths of a small segment's tables, and where the outcomes go."""
    found = detections([(frame, 0, "mouse", BOX) for frame in range(4)])
    kept = found.assign(tracklet=5)
    named = identities([(frame, "R", 0, BOX) for frame in range(4)])
    parts = {
        "detections": found,
        "tracklets": kept,
        "positions": positions(["R", "G"], 4),
        "annotations": marked([1, 2]),
    }

    def write(**changes):
        verdict = changes.pop("verdict", None)
        for name, table in (parts | changes).items():
            tables.write(table, tmp_path / f"{name}.parquet", name, verdict)
        for method in ("ilp", "oracle"):
            tables.write(named, tmp_path / f"{method}.parquet", "identities", verdict)
        names = {name: tmp_path / f"{name}.parquet" for name in parts}
        if "corrections" in changes:
            names["corrections"] = tmp_path / "corrections.parquet"
        return names | {
            "identities": {m: tmp_path / f"{m}.parquet" for m in ("ilp", "oracle")},
            "output_animals": tmp_path / "out" / "animals.parquet",
            "output_detections": tmp_path / "out" / "detections.parquet",
            "output_summary": tmp_path / "out" / "summary.parquet",
        }

    return write


def run(paths):
    named = tuple(paths["identities"].items())
    given = LABELS | paths | {"identities": named}
    EvaluateStage(**given, fps=25.0, default="ilp", evaluate=EVERY_FRAME).run()


def outputs(paths):
    return (
        tables.read(paths["output_animals"], "animal_outcomes"),
        tables.read(paths["output_detections"], "detection_outcomes"),
        tables.read(paths["output_summary"], "summaries").iloc[0],
    )


def test_run_writes_outcomes_and_a_summary(inputs):
    paths = inputs()
    run(paths)
    by_animal, by_detection, summary = outputs(paths)
    assert len(by_animal) == 2 * 2 * 2
    assert len(by_detection) == 2
    assert summary["animals"] == ("G", "R")
    assert summary["identified"] == 0.5
    assert summary[["frames", "detections", "tracklets"]].tolist() == [4, 4, 1]
    assert summary[["annotated_frames", "evaluated_frames"]].tolist() == [2, 2]
    assert summary[["status", "split", "method"]].tolist() == ["usable", "Test", "ilp"]


def test_a_summary_tells_how_sure_names_are_and_how_much_was_read(inputs):
    trace = positions(["R", "G"], 4).assign(antenna=pd.array([1, None] + 6 * [1], dtype="Int16"))
    paths = inputs(positions=trace)
    named = identities([(frame, "R", 0, BOX) for frame in range(4)])
    hidden = named.assign(animal="G", tracklet=None, detection=None, x=None, y=None, w=None, h=None)
    both = pd.concat([named, hidden]).reset_index(drop=True)
    both["confidence"] = [0.5, 0.9, 0.9, 0.9] + 4 * [0.1]
    tables.write(both, paths["identities"]["ilp"], "identities")
    run(paths)
    summary = outputs(paths)[2]
    assert summary[["confidence", "median_confidence"]].tolist() == pytest.approx([0.8, 0.9])
    assert summary["unread"] == 1 / 8


@pytest.mark.parametrize(("name", "alike"), [("R", 2), ("G", 0)])
def test_a_summary_holds_names_against_what_people_said_and_confidence_expects(inputs, name, alike):
    paths = inputs()
    named = identities([(frame, name, 0, BOX) for frame in range(4)])
    tables.write(named.assign(confidence=0.75), paths["identities"]["ilp"], "identities")
    run(paths)
    summary = outputs(paths)[2]
    assert summary[["compared", "alike", "expected_alike"]].tolist() == [2, alike, 1.5]


def test_what_nobody_estimated_is_not_known_in_the_summary(inputs):
    paths = inputs()
    run(paths)
    summary = outputs(paths)[2]
    unknown = ["confidence", "median_confidence", "missing_frames", "begins", "expected_alike"]
    assert summary[unknown].isna().all()


@pytest.mark.parametrize("status", ["usable", "discarded"])
def test_a_summary_has_what_the_check_found_of_time_and_missing_frames(inputs, status):
    paths = inputs()
    about = {BEGINS: "2026-03-29T18:30:00.250000+00:00", MISSING: "12"}
    trace = tables.read(paths["positions"], "positions")
    tables.write(trace, paths["positions"], "positions", tables.Verdict(status), about)
    run(paths)
    summary = outputs(paths)[2]
    assert summary["begins"] == pd.Timestamp("2026-03-29 18:30:00.25", tz="UTC")
    assert summary["missing_frames"] == 12


def test_frames_that_people_answered_are_not_evaluated(inputs):
    said = {
        "cage": "A", "segment": "1", "number": 1, "frame": 2, "x": 1.0, "y": 1.0, "w": 9.0,
        "h": 9.0, "tracklet": None, "animal": "R", "who": "", "when": "", "remark": "", "file": "",
        "line": 2,
    }  # fmt: skip
    paths = inputs(corrections=tables.conform(pd.DataFrame([said]), "corrections"))
    run(paths)
    by_animal, by_detection, summary = outputs(paths)
    for outcomes in (by_animal, by_detection):
        assert outcomes["frame"].unique().tolist() == [1]
    assert summary[["annotated_frames", "evaluated_frames"]].tolist() == [2, 1]


def test_an_unannotated_segment_has_no_outcomes_but_a_summary(inputs):
    paths = inputs(annotations=tables.empty("annotations"))
    run(paths)
    by_animal, by_detection, summary = outputs(paths)
    assert by_animal.empty
    assert by_detection.empty
    assert summary[["evaluated_frames", "identified"]].tolist() == [0, 0.5]


def test_a_discarded_segment_that_was_annotated_is_counted_as_annotated(inputs):
    gone = tables.Verdict("discarded", "no reads")
    paths = inputs(verdict=gone, annotations=tables.empty("annotations"))
    about = {FRAMES: "100", ANNOTATED: "4"}
    tables.write(tables.empty("positions"), paths["positions"], "positions", gone, about)
    run(paths)
    summary = outputs(paths)[2]
    counted = summary[["frames", "annotated_frames", "evaluated_frames"]].tolist()
    assert counted == [100, 4, 0]


def test_a_discarded_segment_flows_through_with_its_reason(inputs):
    paths = inputs(verdict=tables.Verdict("discarded", "the video is 3 minutes short"))
    run(paths)
    by_animal, by_detection, summary = outputs(paths)
    assert by_animal.empty
    assert by_detection.empty
    assert summary[["status", "reason"]].tolist() == ["discarded", "the video is 3 minutes short"]
    assert tables.read_verdict(paths["output_summary"]).discarded


def test_a_wholly_empty_segment_flows_through(inputs):
    nothing = {
        name: tables.empty(name) for name in ("detections", "tracklets", "positions", "annotations")
    }
    paths = inputs(**nothing, verdict=tables.Verdict("discarded", "no readings"))
    run(paths)
    summary = outputs(paths)[2]
    assert summary[["frames", "animals"]].tolist() == [0, ()]


def test_a_discarded_segment_is_as_long_as_the_check_found(inputs):
    nothing = {
        name: tables.empty(name) for name in ("detections", "tracklets", "positions", "annotations")
    }
    verdict = tables.Verdict("discarded", "antennas that no grid has")
    paths = inputs(**nothing, verdict=verdict)
    empty = tables.empty("positions")
    tables.write(empty, paths["positions"], "positions", verdict, {"frames": "45000"})
    run(paths)
    assert outputs(paths)[2]["frames"] == 45000


def test_the_oracle_must_be_among_the_methods(inputs):
    paths = inputs()
    del paths["identities"]["oracle"]
    with pytest.raises(InputError, match="also oracle"):
        run(paths)


def test_the_same_input_gives_the_same_bytes(inputs):
    paths = inputs()
    written = []
    for _ in range(2):
        run(paths)
        written.append(paths["output_animals"].read_bytes())
    assert written[0] == written[1]


def test_the_command_lines_evaluate_and_join_a_segment(inputs, tmp_path):
    paths = inputs()
    options = ["--cage", "c", "--segment", "1", "--fps", "25", "--default", "ilp"]
    for name, path in paths.items():
        if name == "identities":
            for method, table in path.items():
                options += ["--identities", method, str(table)]
        else:
            options += ["--" + name.replace("_", "-"), str(path)]
    result = CliRunner().invoke(cli, ["evaluate", *options, "--snippets", "[[0, 0.04]]"])
    assert result.exit_code == 0, result.output
    joined = tmp_path / "counts.parquet"
    options = ["--output-counts", str(joined)]
    options += ["--output-reliability", str(tmp_path / "reliability.parquet")]
    options += ["--output-summaries", str(tmp_path / "summaries.parquet")]
    written = [str(paths[f"output_{name}"]) for name in ("animals", "detections", "summary")]
    options += ["--segment", "c", "1", "Test", "25", "none", *written]
    result = CliRunner().invoke(cli, ["aggregate", *options])
    assert result.exit_code == 0, result.output
    counts = tables.read(joined, "counts").set_index(["method", "metric"])
    assert counts.loc[("ilp", "A_O"), ["count", "normaliser"]].tolist() == [2, 2]
