"""A run that obeys what people answered, and only where they were asked."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from murid import schemas, tables
from pipeline import Workflow

WHERE = ("--config", "archive=archive", "results=results")
FOLLOWING = ("evaluate", "review", "aggregate", "join", "report")
"""Jobs that follow where names of one segment are made anew."""


@pytest.fixture(scope="module")
def corrected(finished: Workflow, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A copy of a finished run, in which people were asked about A/good."""
    folder = tmp_path_factory.mktemp("corrected")
    shutil.copytree(finished.folder, folder, dirs_exist_ok=True)
    run = Workflow(finished.sources, folder)
    names, tracklets = names_of(run), tracklets_of(run)
    # A box in an annotated frame, of whom the run says who it is, is said to be another.
    boxed = names[names["detection"].notna() & (names["frame"] == 100)].iloc[0]
    other = next(name for name in "RGB" if name != boxed["animal"])
    box = [boxed["x"], boxed["y"], boxed["x"] + boxed["w"], boxed["y"] + boxed["h"]]
    rows = [
        ("A", "good", 100, *box, "", other, "Ann"),
        ("A", "good", 299, 1, 1, 5, 5, "", other, "Ann"),
        ("A", "good", 300, "", "", "", "", tracklets["tracklet"].iloc[0], other, "Ann"),
        ("A", "good", 7, "", "", "", "", "", other, "Ann"),
    ]
    columns = ["cage", "segment", "frame", "x1", "y1", "x2", "y2", "tracklet", "animal", "who"]
    pd.DataFrame(rows, columns=columns).to_csv(folder / "said.csv", index=False)
    assert run.would_run(*WHERE) == {}
    assert run.would_run(*WHERE, "corrections=said.csv") == dict.fromkeys(
        ("adopt_corrections", "identify", "identify_uncorrected", *FOLLOWING), 1
    )
    run.run(*WHERE, "corrections=said.csv")
    return run


def folder_of(run: Workflow, segment: str = "A/good") -> Path:
    return run.folder / "results" / "segments" / segment


def names_of(run: Workflow, name: str = "path") -> pd.DataFrame:
    return tables.read(folder_of(run) / "identities" / f"{name}.parquet", "identities")


def tracklets_of(run: Workflow) -> pd.DataFrame:
    return tables.read(folder_of(run) / "tracklets.parquet", "tracklets")


def test_names_obey_what_was_answered_and_are_certain_of_it(
    corrected: Workflow, finished: Workflow
) -> None:
    said = pd.read_csv(corrected.folder / "said.csv").iloc[0]
    before, after = names_of(finished), names_of(corrected)
    row = after[(after["frame"] == 100) & (after["animal"] == said["animal"])].iloc[0]
    assert np.allclose(row[["x", "y"]].to_numpy(float), said[["x1", "y1"]].to_numpy(float))
    assert row["confidence"] == 1.0
    assert not before.equals(after)
    # What the method says by itself is kept beside it.
    pd.testing.assert_frame_equal(names_of(corrected, "path.uncorrected"), before)


def test_every_correction_that_is_not_obeyed_is_on_the_page(corrected: Workflow) -> None:
    report = corrected.folder / "results" / "report"
    segments = pd.read_csv(report / "segments.csv").set_index(["cage", "segment"])
    line = segments.loc[("A", "good")]
    assert line["status"] == "repaired"
    page = (report / "index.html").read_text()
    for told in (
        "not there any longer",
        "frame 300 is beyond the end, frame 299",
        "line 5 of said.csv: found neither box nor tracklet",
    ):
        assert told in line["reason"]
        assert told in page


def test_metrics_have_both_and_leave_out_what_was_answered(
    corrected: Workflow, finished: Workflow
) -> None:
    before, after = (
        pd.read_csv(run.folder / "results/report/metrics.csv").set_index(
            ["method", "split", "group", "metric"]
        )
        for run in (finished, corrected)
    )
    methods = {*before.index.get_level_values("method")}
    assert {*after.index.get_level_values("method")} == methods | {"path_corrected"}
    place = ("Train", "A", "A_O")
    # One of the annotated frames was answered; there are three animals in each.
    for method in ("path", "path_corrected", "ilp", "oracle"):
        whole = before["normaliser"][(method if method in methods else "path", *place)]
        assert after["normaliser"][(method, *place)] == whole - 3
    # Where nobody was asked, the two are the same.
    for metric in schemas.METRICS:
        own, obeying = (
            after["count"][(method, "Test", "B", metric)] for method in ("path", "path_corrected")
        )
        assert own == obeying
    page = (corrected.folder / "results/report/index.html").read_text()
    assert "Path, corrected" in page
    assert "count for no method" in page


def test_only_segments_of_which_something_else_is_said_run_again(corrected: Workflow) -> None:
    said = corrected.folder / "said.csv"
    text = said.read_text()
    assert corrected.would_run(*WHERE, "corrections=said.csv") == {}
    try:
        said.touch()
        said.write_text(text.replace("\n", "\nC,none,1,,,,,0,R,\n", 1))
        assert corrected.would_run(*WHERE, "corrections=said.csv") == {}
        said.write_text(text + "B,good,3,,,,,0,nobody,Ben\n")
        stale = corrected.run("--dry-run", *WHERE, "corrections=said.csv")
        assert "rule adopt_corrections" in stale
        assert "identities/path.parquet" in stale
        for line in stale.splitlines():
            if line.strip().startswith("output: results/segments"):
                assert "segments/B/good" in line
        said.write_text(text.replace(",Ann", ",Eve", 1))
        assert corrected.would_run(*WHERE, "corrections=said.csv") == dict.fromkeys(
            ("adopt_corrections", "identify", *FOLLOWING), 1
        )
        # What is taken back is forgotten.
        assert corrected.would_run(*WHERE) == dict.fromkeys(("identify", *FOLLOWING), 1)
    finally:
        said.write_text(text)


def test_what_a_file_would_change_is_told_before_it_is_obeyed(
    corrected: Workflow, finished: Workflow
) -> None:
    said = corrected.folder / "said.csv"
    command = [sys.executable, "-m", "murid", "corrections", "check", str(said), *WHERE]
    done = subprocess.run(command, cwd=finished.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    assert lines[0].startswith("line 2: A good: tracklet ")
    assert ", and named " in lines[0]
    assert [line.partition(": not obeyed: ")[0] for line in lines[1:4]] == [
        f"line {number}: A good" for number in (3, 4, 5)
    ]
    changed = names_of(finished)["detection"].ne(names_of(corrected)["detection"])
    assert changed.any()
    assert "boxes change" in lines[4]
    assert lines[-1] == "1 of 4 corrections are sound"
    # By themselves, boxes that are nowhere are as sound as others.
    bare = subprocess.run(command[:-3], cwd=finished.folder, capture_output=True, text=True)
    assert (bare.returncode, bare.stdout.splitlines()[-1]) == (2, "3 of 4 corrections are sound")
