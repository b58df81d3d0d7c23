"""What a run makes, and what a second one makes again."""

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from murid import schemas, tables, video
from murid.run import record
from murid.settings import Identify
from pipeline import FRAMES, Workflow, copy_sources

WHERE = ("--config", "archive=archive", "results=results")
AFTER = "identify identify_others evaluate aggregate review join report"
"""Rules that follow where what tracklets are named by has changed."""
FITTED = "fit_weights fit_weights_train fit_path models"
OWN = ("check", "adopt_detections", "compare_annotations", "track")
ONE_SEGMENT = dict.fromkeys((*OWN, *AFTER.split()), 1)
"""Jobs that a new or changed segment costs, if nothing is fitted to it."""


def results(workflow: Workflow) -> Path:
    return workflow.folder / "results"


def jobs(rules: str) -> dict[str, int]:
    """Return how many jobs the named rules have in a whole run."""
    counts = dict.fromkeys(
        ("fit_weights", "fit_weights_train", "fit_path", "models", "join", "report"), 1
    )
    counts |= dict.fromkeys(("compare_annotations", "identify_others", "aggregate", "review"), 2)
    return {rule: counts.get(rule, 3) for rule in rules.split()}


@contextmanager
def put_aside(path: Path) -> Iterator[None]:
    """Let a file be changed or missing for a while."""
    kept = path.with_name(f"{path.name}.kept")
    path.rename(kept)
    try:
        yield
    finally:
        kept.replace(path)


def test_a_run_leaves_a_record_of_where_it_found_what_it_worked_on(finished: Workflow) -> None:
    told = record.read(finished.folder / "results")
    assert told.archive == str(finished.folder / "archive")
    assert told.sheet == str(finished.folder / "archive" / "segments.tsv")
    assert told.method == "path"


def test_the_report_is_there(finished: Workflow) -> None:
    folder = results(finished) / "report"
    assert "<html" in (folder / "index.html").read_text()
    metrics = pd.read_csv(folder / "metrics.csv")
    assert list(metrics.columns) == list(schemas.CONTRACTS["metrics"].schema.names)
    assert set(metrics["method"]) == {*Identify().methods, "oracle"}
    assert set(metrics["split"]) >= {"Train", "Test"}
    assert set(metrics["group"]) == {"all", "A", "B"}
    assert set(pd.read_csv(folder / "reliability.csv")["method"]) == {"path"}
    listed = pd.read_csv(folder / "review.csv")
    assert list(listed.columns) == list(schemas.CONTRACTS["stretches"].schema.names)
    whole = metrics.query("split == 'Test' and method == 'ilp' and group == 'all'")
    assert whole.set_index("metric")["value"]["A_O"] > 0.7


def test_every_segment_has_a_table_of_identities(finished: Workflow) -> None:
    for segment, rows in {"A/good": 900, "B/good": 900, "B/bad": 0}.items():
        folder = results(finished) / "segments" / segment / "identities"
        assert len(tables.read(folder / "path.parquet", "identities")) == rows
        # Methods are compared where there are annotations.
        assert (folder / "ilp.parquet").exists() == (segment != "B/bad")


def test_a_corrupt_segment_ends_as_a_line_in_the_report(finished: Workflow) -> None:
    summaries = tables.read(results(finished) / "cages" / "B" / "summaries.parquet", "summaries")
    line = summaries.set_index("segment").loc["bad"]
    assert line["status"] == "discarded"
    assert "positions.parquet" in line["reason"]
    assert "B/bad/positions.parquet" in (results(finished) / "report" / "index.html").read_text()


def test_the_second_run_has_nothing_to_do(finished: Workflow) -> None:
    assert "Nothing to be done" in finished.run(*WHERE)
    # A report lists segments; without one they are listed by themselves, and nothing else is made.
    listed = {"list_segments": 1, "identities": 1}
    assert finished.would_run("identities", *WHERE) == listed


def test_dates_of_files_change_nothing(finished: Workflow) -> None:
    """Whether files are touched, or are of years ago or of years to come."""
    archive = finished.folder / "archive"
    for path in archive.rglob("*.*"):
        path.touch()
    (results(finished) / "segments" / "A" / "good" / "tracklets.parquet").touch()
    dated = {archive / "A/good/positions.parquet": -1e8, archive / "B/good/positions.parquet": 3e8}
    try:
        for path, ahead in dated.items():
            os.utime(path, (time.time() + ahead,) * 2)
        assert finished.would_run(*WHERE) == {}
    finally:
        for path in dated:
            path.touch()


@pytest.mark.parametrize(
    ("setting", "rules"),
    [
        ("detect={score: 0.5}", f"adopt_detections compare_annotations track {FITTED} {AFTER}"),
        ("fit_weights={trees: 20}", f"{FITTED} {AFTER}"),
        ("review={below: 0.5}", "review join report"),
        ("report={title: Mice}", "report"),
        ("alerts={failed: 0.5}", "report"),
        ("train_detector={iterations: 2}", ""),
    ],
)
def test_a_changed_setting_reruns_its_stage_and_what_follows(
    finished: Workflow, setting: str, rules: str
) -> None:
    assert finished.would_run(*WHERE, setting) == jobs(rules)


def test_a_setting_may_come_from_a_file(finished: Workflow, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("track:\n  iou: 0.5\n")
    stale = finished.would_run("--configfile", str(path), *WHERE)
    assert stale == jobs(f"track fit_path models {AFTER}")


@pytest.mark.parametrize(
    ("file", "old", "new", "rules"),
    [
        ("tracking/link.py", "\nfrom ", "\nimport math\nfrom ", f"track fit_path models {AFTER}"),
        ("report/page.html.j2", "</body>", "<hr></body>", "report"),
    ],
)
def test_changed_code_reruns_its_stage_and_what_follows(
    finished: Workflow, root: Path, tmp_path: Path, file: str, old: str, new: str, rules: str
) -> None:
    checkout = Workflow(copy_sources(root, tmp_path / "sources"), finished.folder)
    path = checkout.sources / "workflow" / "murid" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    assert checkout.would_run(*WHERE) == jobs(rules)


def test_a_new_segment_costs_only_its_own_jobs(finished: Workflow, tmp_path: Path) -> None:
    sheet = tmp_path / "segments.tsv"
    lines = (finished.folder / "archive" / "segments.tsv").read_text()
    archive = finished.folder / "archive" / "B"
    shutil.copytree(archive / "good", archive / "new", dirs_exist_ok=True)
    row = lines.splitlines()[2].replace("B\tgood", "B\tnew").replace("B/good", "B/new")
    sheet.write_text(lines + row + "\n")
    assert finished.would_run(*WHERE, f"segments={sheet}") == ONE_SEGMENT
    # What every segment is named by is published: what was fitted may be gone.
    fitted = [results(finished) / f"{name}.json" for name in ("weights", "path_model")]
    with put_aside(fitted[0]), put_aside(fitted[1]):
        assert finished.would_run(*WHERE, f"segments={sheet}") == ONE_SEGMENT
        copied = results(finished) / "segments" / "B"
        new = "results/segments/B/new/identities/path.parquet"
        try:
            finished.run(new, *WHERE, f"segments={sheet}")
            named, again = (
                tables.read(copied / name / "identities" / "path.parquet", "identities")
                for name in ("good", "new")
            )
        finally:
            shutil.rmtree(copied / "new", ignore_errors=True)
    pd.testing.assert_frame_equal(named, again)


def test_models_are_inputs_of_what_uses_them(finished: Workflow) -> None:
    """Else they would not be where jobs are, on storage that is not shared."""
    said = finished.run("--dry-run", "--forcerun", "identify", "identify_others", *WHERE)
    for rule in ("identify", "identify_others"):
        needed = re.findall(rf"rule {rule}:\n    input: (.*)\n", said)
        assert needed
        for name in ("weights.json", "transforms.parquet", "path_model.json"):
            assert all(f"results/models/{name}" in inputs for inputs in needed)


def test_a_published_model_that_is_gone_is_published_again_and_renames_nobody(
    finished: Workflow,
) -> None:
    with put_aside(results(finished) / "models" / "weights.json"):
        assert finished.would_run(*WHERE) == {}
        said = finished.run("results/models/weights.json", *WHERE)
        assert "rule models" in said
        assert finished.would_run(*WHERE) == {}


@pytest.mark.parametrize("with_detections", [True, False])
def test_with_tracklets_of_its_own_a_segment_is_not_tracked(
    finished: Workflow, tmp_path: Path, with_detections: bool
) -> None:
    source = results(finished) / "segments" / "B" / "good" / "tracklets.parquet"
    found = "B/good/detections.parquet" if with_detections else ""
    sheet = tmp_path / "segments.tsv"
    sheet.write_text(
        "cage\tsegment\tpositions\tdetections\ttracklets\tvideo\n"
        f"B\tnew\tB/good/positions.parquet\t{found}\t{source}\tB/good/none.mp4\n"
    )
    weights = [f"{name}=results/{name}.json" for name in ("weights", "path_model")]
    stale = finished.would_run(*WHERE, f"segments={sheet}", *weights)
    rules = {"check", "adopt_detections", "adopt_tracklets", *AFTER.split()} - {"identify_others"}
    assert stale == dict.fromkeys(rules, 1)


def test_a_changed_file_reruns_its_segment(finished: Workflow) -> None:
    path = finished.folder / "archive" / "B" / "good" / "positions.parquet"
    with put_aside(path):
        path.write_bytes(b"something else")
        assert finished.would_run(*WHERE) == ONE_SEGMENT


def test_a_file_replaced_with_its_date_kept_reruns_its_segment(finished: Workflow) -> None:
    path = finished.folder / "archive" / "B" / "good" / "positions.parquet"
    with put_aside(path):
        path.write_bytes(b"something else")
        shutil.copystat(path.with_name("positions.parquet.kept"), path)
        assert finished.would_run(*WHERE) == ONE_SEGMENT


def test_files_of_the_future_and_that_vanish_stop_nothing(
    finished: Workflow, tmp_path: Path
) -> None:
    archive = finished.folder / "archive" / "B"
    shutil.copytree(archive / "good", archive / "future", dirs_exist_ok=True)
    for path in (archive / "future").iterdir():
        os.utime(path, (4e9, 4e9))
    sheet = tmp_path / "segments.tsv"
    sheet.write_text(
        "cage\tsegment\tpositions\tdetections\n"
        "B\tfuture\tB/future/positions.parquet\tB/future/detections.parquet\n"
        "B\tgone\tB/gone/positions.parquet\tB/gone/detections.parquet\n"
    )
    where = ["archive=archive", f"results={tmp_path}", f"segments={sheet}"]
    made = [tmp_path / "segments" / "B" / name / "positions.parquet" for name in ("future", "gone")]
    finished.run(*map(str, made), "--config", *where)
    verdicts = [tables.read_verdict(path) for path in made]
    assert [verdict.status for verdict in verdicts] == ["usable", "discarded"]
    assert "B/gone/positions.parquet: found no file" in verdicts[1].reason


def without_privileges() -> list[str]:
    """Return words before a command, which root's right to open everything is taken away by."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root may open everything, and there is no setpriv to take that away")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def test_what_is_wrong_of_a_segment_stops_nothing(finished: Workflow, tmp_path: Path) -> None:
    """A folder that may not be searched; a rig that is misspelt; a video without a detector."""
    archive = tmp_path / "archive"
    sound = finished.folder / "archive" / "B" / "good"
    for name in ("sound", "locked", "misspelt", "filmed"):
        shutil.copytree(sound, archive / name)
    noise = np.random.default_rng(1).integers(60, 200, (FRAMES, 48, 64), dtype=np.uint8)
    video.write(archive / "filmed" / "v.mp4", noise, 25.0)
    points = [("rig", "antenna", "x", "y")]
    points += [("north", a, 200 * ((a - 1) // 3), 200 * ((a - 1) % 3)) for a in range(1, 19)]
    (archive / "points.csv").write_text("\n".join(",".join(map(str, row)) for row in points))
    rows = ["cage\tsegment\trig\tpositions\tdetections\tvideo"]
    for name in ("sound", "locked", "misspelt", "filmed"):
        rig = "nroth" if name == "misspelt" else "north"
        boxes = "\tfilmed/v.mp4" if name == "filmed" else f"{name}/detections.parquet\t"
        rows.append(f"C\t{name}\t{rig}\t{name}/positions.parquet\t{boxes}")
    (archive / "segments.tsv").write_text("\n".join(rows))
    given = [f"{name}=results/{name}.json" for name in ("weights", "path_model")]
    where = [f"archive={archive}", f"points={archive}/points.csv", f"results={tmp_path}/results"]
    (archive / "locked").chmod(0)
    try:
        said = finished.run(
            "--config", *where, *given, before=without_privileges(), check=False
        )  # fmt: skip
    finally:
        (archive / "locked").chmod(0o700)
    for words in (
        "no points of the rig nroth, which 1 segment has (C misspelt), only of north",
        "1 segment has a video but no boxes (C filmed)",
        f"files cannot be looked at (Permission denied) ({archive}/locked/",
    ):
        assert words in said
    report = tmp_path / "results" / "report"
    told = pd.read_csv(report / "segments.csv").set_index("segment")
    assert told["status"].to_dict() == {
        "filmed": "discarded", "locked": "discarded", "misspelt": "discarded", "sound": "usable"
    }  # fmt: skip
    assert f"{archive}/locked/positions.parquet" in told.loc["locked", "reason"]
    assert "ermission denied" in told.loc["locked", "reason"]
    reason = told.loc["misspelt", "reason"]
    assert reason.startswith(
        f"the rig nroth has no transform: {archive}/points.csv: found no points"
    )
    assert "no detector to find them" in told.loc["filmed", "reason"]
    assert "1 rig set-up could not be calibrated" in (report / "index.html").read_text()


def test_a_new_annotation_refits_what_was_fitted_to_it(finished: Workflow) -> None:
    path = finished.folder / "archive" / "A" / "good" / "via.json"
    with put_aside(path):
        path.write_text(path.with_name("via.json.kept").read_text().replace('"R"', '"G"', 1))
        assert finished.would_run(*WHERE) == dict.fromkeys(OWN, 1) | jobs(f"{FITTED} {AFTER}")


def test_models_that_are_fitted_anew_and_are_the_same_rerun_nothing(finished: Workflow) -> None:
    said = finished.run("results/models.sha256", "--forcerun", "fit_weights", *WHERE)
    assert "rule models" in said
    assert finished.would_run(*WHERE) == {}


def test_a_fresh_checkout_changes_nothing(finished: Workflow, root: Path, tmp_path: Path) -> None:
    checkout = Workflow(copy_sources(root, tmp_path / "sources"), finished.folder)
    assert checkout.would_run(*WHERE) == {}


def test_a_missing_file_stops_nothing(finished: Workflow) -> None:
    with put_aside(finished.folder / "archive" / "B" / "good" / "detections.parquet"):
        assert finished.would_run(*WHERE) == ONE_SEGMENT


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            "trakc={iou: 0.5}",
            "--config, key trakc: found the unknown key 'trakc'; expected one of ",
        ),
        ("segments=no.tsv", "--config, key segments: found 'no.tsv', which is no file"),
    ],
)
def test_a_wrong_setting_is_one_message(finished: Workflow, setting: str, message: str) -> None:
    said = finished.run("--dry-run", *WHERE, setting, check=False)
    assert message in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("filmed", "message"),
    [
        (False, "Train or Validate has annotations to fit weights to: annotate one, "
         "set fit_weights.annotations: none to learn them without, or weights: to fitted ones"),
        (True, "Train has both a video and annotations to "
         "train the detector on: annotate one, or set detector: to a trained one"),
    ],
)  # fmt: skip
def test_a_run_says_what_it_needs_in_a_line(
    finished: Workflow, tmp_path: Path, filmed: bool, message: str
) -> None:
    sheet = tmp_path / "segments.tsv"
    text = (finished.folder / "archive" / "segments.tsv").read_text()
    if filmed:
        text = re.sub(r"\t\S*detections.parquet", "\tv.mp4", text).replace("detections", "video")
    sheet.write_text(text.replace("A/good/via.json", ""))
    fresh = ("--config", "archive=archive", "results=elsewhere", f"segments={sheet}")
    said = finished.run("--dry-run", *fresh, check=False)
    assert f"{sheet}: no segment of split {message}" in said.splitlines()
    assert "Traceback" not in said
    assert "InputFunctionException" not in said


def test_without_annotations_weights_are_learnt_from_every_segment(
    finished: Workflow, tmp_path: Path
) -> None:
    sheet = tmp_path / "segments.tsv"
    text = (finished.folder / "archive" / "segments.tsv").read_text()
    sheet.write_text(re.sub(r"\t\S*via.json\t(Train|Test)", "\t\t", text))
    settings = "fit_weights={annotations: none}"
    fresh = ("--config", "archive=archive", "results=elsewhere", f"segments={sheet}", settings)
    counts = finished.would_run(*fresh)
    assert (counts["learn_weights"], counts["fit_path"], counts["track"]) == (1, 1, 3)
    assert not {"fit_weights", "fit_weights_train"} & counts.keys()


def test_given_weights_are_used(finished: Workflow, tmp_path: Path) -> None:
    given = tmp_path / "weights.json"
    shutil.copy2(results(finished) / "weights.json", given)
    stale = finished.would_run(*WHERE, f"weights={given}")
    assert stale == jobs(f"fit_path models {AFTER}")


@pytest.mark.parametrize("profile", ["local", "slurm"])
def test_profiles_are_valid(finished: Workflow, root: Path, profile: str) -> None:
    if profile == "slurm":
        pytest.importorskip("snakemake_executor_plugin_slurm")
    assert finished.would_run("--profile", str(root / "profiles" / profile), *WHERE) == {}
