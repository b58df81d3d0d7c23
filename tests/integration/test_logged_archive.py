"""An archive whose readings are antenna logs with clock times, through the pipeline."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from logged import make_archive

from murid import tables
from murid.cli.alerts import BEYOND
from murid.cli.preflight import plan_of
from murid.readings import segment
from murid.review import corrections
from murid.sheet import read_sheet
from pipeline import ANIMALS, Workflow, copy_sources


@pytest.fixture(scope="module")
def logged(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    folder = tmp_path_factory.mktemp("logged")
    make_archive(folder)
    workflow = Workflow(copy_sources(root, folder / "sources"), folder)
    workflow.run("--configfile", "my.yaml")
    return workflow


def test_animals_are_named_by_their_tags(logged: Workflow) -> None:
    folder = logged.folder / "results/segments/B/good"
    identities = tables.read(folder / "identities/path.parquet", "identities")
    assert sorted(identities["animal"].unique()) == sorted(ANIMALS)
    assert (identities["tracklet"].notna()).mean() > 0.5
    positions = tables.read(folder / "positions.aligned.parquet", "positions")
    assert positions["antenna"].notna().mean() > 0.9
    reason = tables.read_verdict(folder / "positions.aligned.parquet").reason
    assert "nothing tells whether the clock of its antenna log is off" in reason, "too short"


def test_the_table_of_a_log_knows_the_cages_that_it_serves(logged: Workflow) -> None:
    served = {
        segment.called([path]): segment.served(path)
        for path in (logged.folder / "results/readings").glob("*.parquet")
    }
    assert served == {"A.csv": ["A"], "1 B.csv": ["B"], "2.csv": ["B"], "torn.csv": ["B"]}


def test_a_torn_log_discards_the_segments_that_need_it_and_no_others(logged: Workflow) -> None:
    listed = pd.read_csv(logged.folder / "results/report/segments.csv").set_index("segment")
    assert listed.loc["bad", "status"] == "discarded"
    assert "torn.csv" in listed.loc["bad", "reason"]
    assert set(listed.loc["good", "status"]) == {"repaired"}
    metrics = pd.read_csv(logged.folder / "results/report/metrics.csv")
    assert "path" in set(metrics["method"])


def test_health_tells_the_torn_log_and_the_segment_without_readings(logged: Workflow) -> None:
    health = pd.read_csv(logged.folder / "results/report/health.csv").set_index(["cage", "kind"])
    assert health.loc[[("B", "log")], "subject"].tolist() == ["torn.csv"]
    (missing,) = health.loc[[("B", "frames_missing")]].to_dict("records")
    assert (missing["subject"], missing["day"]) == ("bad", "2026-03-01")
    assert set(health.index.get_level_values("cage")) == {"A", "B"}, "C has no logs"
    unread = health.loc[("A", "unread")].set_index("subject")["value"]
    assert unread.to_dict() == dict.fromkeys(ANIMALS, 0.0)
    reads = tables.read(logged.folder / "results/cages/B/reads.parquet", "reads")
    assert reads["count"].sum() == 3 * 300, "what stands in two logs counts once"
    page = (logged.folder / "results/report/index.html").read_text("utf-8")
    assert "Antennas and clocks" in page


def test_cages_are_summed_up_by_day_and_what_got_worse_is_told(logged: Workflow) -> None:
    report = logged.folder / "results/report"
    cages = pd.read_csv(report / "cages.csv", keep_default_na=False).set_index(["cage", "day"])
    assert list(cages.index) == [("A", "2026-03-01"), ("B", "2026-03-01"), ("C", "")]
    assert cages[["segments", "usable", "discarded"]].to_numpy().tolist() == [
        [1, 1, 0], [2, 1, 1], [1, 1, 0]
    ]  # fmt: skip
    assert float(cages.loc[("B", "2026-03-01"), "reads_per_hour"]) > 0
    assert cages.loc[("C", ""), "reads_per_hour"] == ""
    command = [sys.executable, "-m", "murid", "alerts", str(logged.folder / "results"), "--fail"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == BEYOND
    told = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert {"2026-03-01 B discarded", "no day B log"} <= {*told}


def test_every_animal_of_every_frame_has_a_place_or_none_is_known(logged: Workflow) -> None:
    arguments = ("places", "--configfile", "my.yaml")
    assert logged.would_run(*arguments)["infer_places"] == len(
        read_sheet(logged.folder / "archive/segments.tsv")
    )
    logged.run(*arguments)
    segments = logged.folder / "results/segments"
    places = tables.read(segments / "B/good/places.parquet", "places")
    names = tables.read(segments / "B/good/identities/path.parquet", "identities")
    both = names.merge(places, on=["frame", "animal"], suffixes=("", "_place"))
    assert len(both) == len(names) == len(places)
    boxed = both["x"].notna()
    assert (both.loc[boxed, "state"] == "seen").all()
    assert set(both.loc[~boxed, "state"]) <= {"inferred", "unknown"}
    centre = both["x"] + both["w"] / 2
    assert both.loc[boxed, "x_place"].to_numpy() == pytest.approx(centre[boxed].to_numpy())
    assert tables.read(segments / "B/bad/places.parquet", "places").empty
    verdict = tables.read_verdict(segments / "B/bad/places.parquet")
    assert verdict.discarded
    assert "torn.csv" in verdict.reason
    assert logged.would_run(*arguments) == {}


def test_answers_are_looked_up_by_the_clock_that_was_put_right(
    logged: Workflow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(logged.folder)
    segment = logged.folder / "results/segments/B/good"
    named = tables.read(segment / "identities/path.parquet", "identities")
    row = named.dropna(subset=["tracklet"]).astype({"tracklet": int}).iloc[[50]]
    said = row.assign(cage="B", segment="good")[["cage", "segment", "frame", "tracklet", "animal"]]
    said.to_csv(tmp_path / "said.csv", index=False)
    raw, kept = segment / "positions.parquet", segment / "kept.parquet"
    raw.rename(kept)  # what is by the clock as it was is not looked at
    try:
        told = corrections.check(tmp_path / "said.csv", plan_of(("my.yaml",), ())).lines
    finally:
        kept.rename(raw)
    assert "B good: no name changes" in told


def test_what_is_stale_after_a_log_has_changed_is_what_it_serves(logged: Workflow) -> None:
    assert logged.would_run("--configfile", "my.yaml") == {}
    path = logged.folder / "archive/2.csv"
    before = path.read_text()
    try:
        path.write_text(before + before.splitlines()[-1] + "\n")
        stale = logged.would_run("--configfile", "my.yaml")
    finally:
        path.write_text(before)
    assert {name: stale.get(name) for name in ("read_log", "check", "watch_clock", "align")} == {
        "read_log": 1, "check": 1, "watch_clock": 1, "align": 2,
    }  # fmt: skip
    assert stale["tell_health"] == 1
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
    assert stale["tell_health"] == 1
