"""An archive whose readings are antenna logs with clock times, through the pipeline."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from pipeline import ANIMALS, Workflow, copy_sources, make_segment

from murid import tables

FPS = 25.0
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
SHEET = """\
cage\tsegment\treadings\tpositions\tstart\tdetections\tannotations\tsplit
A\tgood\trfid/A.csv\t\t2026-03-01 10:00\tA/good/detections.parquet\tA/good/via.json\tTrain
B\tgood\t1 B.csv;2.csv\t\t2026-03-01 10:00\tB/good/detections.parquet\tB/good/via.json\tTest
B\tbad\trfid/torn.csv\t\t2026-03-01 11:00\tB/good/detections.csv\t\tTest
C\tplain\t\tC/plain/positions.parquet\t\tC/plain/detections.parquet\t\t
"""
CONFIG = """\
archive: archive
results: results
animals: archive/animals.tsv
readings: {zone: Europe/Berlin}
"""


def tag(cage: str, animal: str) -> str:
    return f"0065-{ord(cage):05d}{ord(animal):05d}"


def log_of(cage: str, positions: pd.DataFrame) -> pd.DataFrame:
    """Return a read a frame and animal, on the local clock."""
    rows = positions.dropna(subset=["antenna"])
    times = [START + timedelta(seconds=frame / FPS) for frame in rows["frame"]]
    return pd.DataFrame(
        {
            "time": [f"{time + timedelta(hours=1):%Y-%m-%d %H:%M:%S.%f}" for time in times],
            "tag": [tag(cage, animal) for animal in rows["animal"]],
            "antenna": rows["antenna"].to_numpy(),
        }
    )


@pytest.fixture(scope="module")
def logged(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    folder = tmp_path_factory.mktemp("logged")
    archive = folder / "archive"
    (archive / "rfid").mkdir(parents=True)
    for number, cage in enumerate("AB"):
        made = archive / cage / "good"
        make_segment(made, number)
        log = log_of(cage, tables.read(made / "positions.parquet", "positions"))
        (made / "positions.parquet").unlink()
        if cage == "A":
            log.to_csv(archive / "rfid" / "A.csv", index=False)
        else:
            log[:500].to_csv(archive / "1 B.csv", index=False)
            log[450:].to_csv(archive / "2.csv", index=False)
    make_segment(archive / "C/plain", 2)
    boxes = tables.read(archive / "B/good/detections.parquet", "detections")
    boxes.drop(columns=["detection", "label"]).to_csv(
        archive / "B/good/detections.csv", index=False
    )
    (archive / "rfid" / "torn.csv").write_bytes(b"time,tag,antenna\n" + 200 * b"\0")
    (archive / "segments.tsv").write_text(SHEET)
    lines = [f"{cage}\t{animal}\t{tag(cage, animal)}" for cage in "AB" for animal in ANIMALS]
    (archive / "animals.tsv").write_text("\n".join(["cage\tanimal\ttag", *lines]) + "\n")
    (folder / "my.yaml").write_text(CONFIG)
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
