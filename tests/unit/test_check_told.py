"""What the check tells beside its tables: when a segment begins, and what its video lacks."""

from datetime import timedelta
from pathlib import Path

import pandas as pd

from made_videos import make
from murid import settings, tables
from murid.archive.stage import Check
from murid.timeline import BEGINS, FRAMES, MISSING
from roaming_cage import START, roam, write


def told(folder: Path, **given: object) -> dict[str, str]:
    """Check a segment; return what its table of positions is told."""
    outputs = {name: folder / f"{name}.parquet" for name in ("positions", "annotations")}
    written = {f"output_{name}": path for name, path in outputs.items()}
    Check(cage="A", segment="1", fps=25.0, **given, **written).run()
    return tables.read_about(outputs["positions"])


def test_frames_that_a_video_lacks_are_counted(tmp_path: Path) -> None:
    rows = "".join(f"{frame},1\n" for frame in range(60))
    (tmp_path / "positions.csv").write_text("frame,R\n" + rows)
    video = make(tmp_path / "v.mp4", [n for n in range(60) if not 20 <= n < 32])
    about = told(tmp_path, positions=tmp_path / "positions.csv", video=video)
    assert (about[FRAMES], about[MISSING]) == ("60", "12")


def test_of_a_segment_without_a_video_nothing_is_told_of_missing_frames(tmp_path: Path) -> None:
    (tmp_path / "positions.csv").write_text("frame,R\n0,1\n1,1\n")
    about = told(tmp_path, positions=tmp_path / "positions.csv", start="2026-03-02 01:00")
    assert MISSING not in about
    assert BEGINS not in about, "without logs the start is for the record"


def test_when_a_segment_with_logs_begins_is_told_by_its_start_or_its_frames(tmp_path: Path) -> None:
    log = write(roam(1, seed=1), tmp_path)
    boxes = tmp_path / "boxes.csv"
    boxes.write_text("frame,x,y,w,h,score\n0,1,1,9,9,0.9\n999,1,1,9,9,0.9\n")
    of_logs = settings.Readings(zone="Europe/Paris")
    given = {"readings": (log,), "detections": boxes, "of_logs": of_logs}
    about = told(tmp_path, **given, start="2026-03-02 21:00:00.25")
    assert pd.Timestamp(about[BEGINS]) == START + timedelta(hours=20, seconds=0.25)

    times = [START + timedelta(hours=20, seconds=2 + frame / 25) for frame in range(1000)]
    frames = tmp_path / "times.csv"
    frames.write_text("timestamp\n" + "".join(f"{time.isoformat()}\n" for time in times))
    about = told(tmp_path, **given, frame_times=frames)
    assert pd.Timestamp(about[BEGINS]) == times[0]
    again = told(tmp_path, positions=tmp_path / "positions.parquet", detections=boxes)
    assert again[BEGINS] == about[BEGINS], "tables that were judged are judged the same again"
