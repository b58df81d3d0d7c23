"""A small archive whose readings are antenna logs with clock times."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd

from murid import tables
from pipeline import ANIMALS, make_segment

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


def make_archive(folder: Path) -> None:
    """Write three cages, two of them with logs, one of which is torn, and ``my.yaml``."""
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
