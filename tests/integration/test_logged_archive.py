"""An archive whose readings are antenna logs with clock times, through the pipeline."""

from pathlib import Path

import pandas as pd
import pytest
from logged import make_archive
from pipeline import ANIMALS, Workflow, copy_sources

from murid import tables


@pytest.fixture(scope="module")
def logged(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    folder = tmp_path_factory.mktemp("logged")
    make_archive(folder)
    workflow = Workflow(copy_sources(root, folder / "sources"), folder)
    workflow.run("--configfile", "my.yaml")
    return workflow


def test_animals_are_named_by_their_tags(logged: Workflow) -> None:
    segment = logged.folder / "results/segments/B/good"
    identities = tables.read(segment / "identities/path.parquet", "identities")
    assert sorted(identities["animal"].unique()) == sorted(ANIMALS)
    assert (identities["tracklet"].notna()).mean() > 0.5
    positions = tables.read(segment / "positions.aligned.parquet", "positions")
    assert positions["antenna"].notna().all()
    reason = tables.read_verdict(segment / "positions.aligned.parquet").reason
    assert "50 reads that stand in two logs count once" in reason
    assert "nothing tells how late its antenna log runs" in reason, "of twelve seconds nothing can"


def test_a_torn_log_discards_the_segments_that_need_it_and_no_others(logged: Workflow) -> None:
    listed = pd.read_csv(logged.folder / "results/report/segments.csv").set_index("segment")
    assert listed.loc["bad", "status"] == "discarded"
    assert "torn.csv" in listed.loc["bad", "reason"]
    assert set(listed.loc["good", "status"]) == {"repaired"}
    metrics = pd.read_csv(logged.folder / "results/report/metrics.csv")
    assert "path" in set(metrics["method"])


def test_what_is_stale_after_a_log_has_changed_is_what_it_serves(logged: Workflow) -> None:
    assert logged.would_run("--configfile", "my.yaml") == {}
    path = logged.folder / "archive/rfid/2.csv"
    before = path.read_text()
    try:
        path.write_text(before + before.splitlines()[-1] + "\n")
        stale = logged.would_run("--configfile", "my.yaml")
    finally:
        path.write_text(before)
    assert {name: stale.get(name) for name in ("read_log", "check", "watch_clock", "align")} == {
        "read_log": 1, "check": 1, "watch_clock": 1, "align": 2,
    }  # fmt: skip
    assert "fit_weights" not in stale, "learnt from the other cage, by another clock"


def test_a_tag_that_goes_to_another_animal_is_heard(logged: Workflow) -> None:
    path = logged.folder / "archive/animals.tsv"
    before = path.read_text()
    try:
        path.write_text(before.replace("B\tR\t", "B\tr\t"))
        stale = logged.would_run("--configfile", "my.yaml")
    finally:
        path.write_text(before)
    assert "read_log" not in stale
    assert stale["check"] == 2
