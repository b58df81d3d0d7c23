"""Logs of real systems, from the file to the trace of a segment."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from murid import settings, tables
from murid.archive.stage import Check
from murid.grid import Grid
from murid.readings import frame_times, places, segment, tags
from murid.readings.stage import ReadLog
from murid.tables import Verdict

TAGS = ("6974", "6976", "696F", "697B", "6970")


@pytest.fixture(scope="module")
def rfid(shared: Path) -> Path:
    folder = shared / "rfid"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder


@pytest.fixture(scope="module")
def grid12(rfid: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of the reads of a 12 x 12 grid."""
    path = tmp_path_factory.mktemp("grid12") / "log.parquet"
    ReadLog(file=rfid / "grid12/rfid_data_20250813_055827.csv", output=path).run()
    return path


def test_five_minutes_of_a_grid_become_a_trace(rfid: Path, grid12: Path, tmp_path: Path) -> None:
    assert len(tables.read(grid12, "readings")) == 5_976
    boxes = tmp_path / "boxes.csv"
    boxes.write_text("frame,x,y,w,h,score\n0,1,1,9,9,0.9\n8998,1,1,9,9,0.9\n")
    Check(
        cage="A", segment="1", readings=(grid12,), fps=30.0, detections=boxes,
        frame_times=rfid / "grid12/record_20250813_053913_timestamps.csv",
        grid=settings.Grid(rows=12, columns=12), output_positions=tmp_path / "positions.parquet",
        output_annotations=tmp_path / "annotations.parquet",
    ).run()  # fmt: skip
    positions = tables.read(tmp_path / "positions.parquet", "positions")
    assert positions["frame"].nunique() == 8_999
    assert set(positions["animal"]) == set(TAGS)
    assert tables.read_verdict(tmp_path / "positions.parquet") == Verdict()


def test_codes_that_are_read_once_are_no_animals(grid12: Path) -> None:
    counts = tables.read(grid12, "readings")["tag"].value_counts()
    found = tags.by_reads(counts[counts > 0].to_dict(), (), settings.Readings().ghost_share)
    assert set(found.animals) == set(TAGS)
    assert set(found.ghosts.values()) == {1}
    assert len(found.ghosts) == 10


def test_numbers_and_places_of_a_grid_are_those_of_its_readers(rfid: Path, grid12: Path) -> None:
    """Column and row stand beside each number in the log, and the places of readers in a file."""
    log = pd.read_csv(rfid / "grid12/rfid_data_20250813_055827.csv")
    grid = Grid(12, 12)
    numbering = tables.read_about(grid12)["numbering"]
    numbers = places.of(log["id"].astype(str), places.numbered(numbering, grid)).to_numpy()
    np.testing.assert_array_equal(grid.column(numbers) + 1, log["column"])
    np.testing.assert_array_equal(grid.row(numbers) + 1, log["row"])
    x, y = np.loadtxt(rfid / "grid12/readers_centers.txt").T
    # They run down a column first, as the rig's own numbers do.
    affine = np.linalg.lstsq(
        np.column_stack([grid.coordinates(grid.antennas), np.ones(144)]),
        np.column_stack([x, y]), rcond=None,
    )[0]  # fmt: skip
    pitch = np.sqrt(np.linalg.det(affine[:2]))
    left = np.column_stack([grid.coordinates(grid.antennas), np.ones(144)]) @ affine
    assert np.abs(left - np.column_stack([x, y])).max() < 0.25 * pitch


def test_both_clocks_of_a_recording_overlap_and_others_are_told(rfid: Path, grid12: Path) -> None:
    about = tables.read_about(grid12)
    path = rfid / "grid12/record_20250813_053913_timestamps.csv"
    frames = frame_times.read(path, "UTC")
    assert pd.Timestamp(about["first"]).value < 1000 * frames[0]
    assert pd.Timestamp(about["last"]).value > 1000 * frames[-1]
    wanted = segment.Wanted(
        "A", (), frame_times.read(path, "Asia/Tokyo"), None, None, Grid(12, 12),
        settings.Readings(),
    )  # fmt: skip
    with pytest.raises(Exception, match=r"-9 h would fit|\+9 h would fit"):
        segment.read([grid12], wanted)


def test_hours_that_are_missing_between_logs_are_named(rfid: Path, tmp_path: Path) -> None:
    logs = []
    for path in sorted((rfid / "ecohab").glob("*.txt")):
        logs.append(tmp_path / f"{path.stem}.parquet")
        ReadLog(file=path, output=logs[-1], logs=settings.Logs(zone="Europe/Warsaw")).run()
    assert [len(tables.read(path, "readings")) for path in logs] == [45, 1834, 480, 637]
    names = tmp_path / "antennas.csv"
    rows = [f"{number},{(number - 1) % 2 + 1},{(number - 1) // 2 + 1}" for number in range(1, 9)]
    names.write_text("\n".join(["antenna,row,column", *rows]) + "\n")
    minutes = frame_times.regular("2023-05-24 12:59", "Europe/Warsaw", 1 / 60, 12 * 60, "sheet")
    wanted = segment.Wanted(
        "A", (), minutes, None, names, Grid(2, 4), settings.Readings(hold=60)
    )  # fmt: skip
    readings, verdict = segment.read(logs, wanted)
    assert readings["animal"].nunique() >= 8
    assert "no tag at all was read from 11:59:52 to 19:00:45" in verdict.reason
    assert "20:00:43 to 22:00:22 UTC" in verdict.reason
