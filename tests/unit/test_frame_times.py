"""When frames were taken: by start and rate, and by files of times."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid import settings
from murid.errors import InputError
from murid.readings import frame_times, of_stage

MICRO = 1_000_000


def stamp(*when: int) -> int:
    return round(datetime(*when, tzinfo=UTC).timestamp() * MICRO)


def write(folder: Path, *lines: str) -> Path:
    path = folder / "times.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_frames_follow_each_other_at_the_rate() -> None:
    times = frame_times.regular("2026-07-01 12:00:00.5", "Europe/London", 12.5, 3, "sheet")
    assert times.tolist() == [stamp(2026, 7, 1, 11) + 500_000 + n * 80_000 for n in range(3)]


@given(st.floats(1, 200), st.integers(1, 10**7))
def test_rounding_does_not_add_up(fps: float, frame: int) -> None:
    times = frame_times.regular("2026-07-01 12:00Z", "UTC", fps, frame + 1, "sheet")
    assert abs((times[-1] - times[0]) / MICRO - frame / fps) <= 1e-6


def test_a_start_in_the_hour_that_comes_twice_is_refused() -> None:
    with pytest.raises(InputError, match="twice in Europe/London"):
        frame_times.regular("2026-10-25 01:30", "Europe/London", 25, 3, "the sheet, A 1")
    assert len(frame_times.regular("2026-10-25 01:30+01:00", "Europe/London", 25, 3, "x")) == 3


@pytest.mark.parametrize(
    ("lines", "zone"),
    [
        (["frame_id,timestamp", "0,2025-08-13 05:39:13.087497", "1,2025-08-13 05:39:13.5"], "UTC"),
        (["timestamp", "2025-08-13T06:39:13.087497", "2025-08-13T06:39:13.5"], "Europe/London"),
        (["t", "2025-08-13T05:39:13.087497Z", "2025-08-13T05:39:13.5Z"], "Europe/London"),
        (["time", "20250813T053913.087497Z", "20250813T053913.5Z"], "Asia/Tokyo"),
        (["time", "20250813T063913.087497+0100", "20250813T063913.500000+01"], "Asia/Tokyo"),
        (["time", "20250813T063913.087497", "20250813T063913.5"], "Europe/London"),
        (["Time,n", "1755063553.087497,0", "1755063553.5,1"], "Asia/Tokyo"),
        (["time", "1755063553087.497", "1755063553500"], "Asia/Tokyo"),
        (["time", "1755063553087497", "1755063553500000"], "Asia/Tokyo"),
        (["time", "1755063553087497000", "1755063553500000000"], "Asia/Tokyo"),
    ],
)
def test_times_are_told_in_many_ways(tmp_path: Path, lines: list[str], zone: str) -> None:
    times = frame_times.read(write(tmp_path, *lines), zone)
    expected = [stamp(2025, 8, 13, 5, 39, 13) + 87_497, stamp(2025, 8, 13, 5, 39, 13) + 500_000]
    assert times.tolist() == expected


def test_times_since_a_start_are_those_of_the_camera_s_own_clock(tmp_path: Path) -> None:
    lines = [
        "StartTime: 1755063553.087497",
        "frame,Timestamp",
        "0,2173015",
        "1,2198015",
        "2,2223115",
    ]
    times = frame_times.read(write(tmp_path, *lines), "Asia/Tokyo")
    first = stamp(2025, 8, 13, 5, 39, 13) + 87_497
    assert times.tolist() == [first, first + 25_000, first + 50_100]


def test_an_hour_that_comes_twice_is_told_apart_by_the_order(tmp_path: Path) -> None:
    clocks = ["00:59", "01:10", "01:50", "01:05", "01:55", "02:01"]
    path = write(tmp_path, "time", *(f"2026-10-25 {clock}:00" for clock in clocks))
    minutes = (frame_times.read(path, "Europe/London") - stamp(2026, 10, 25)) // (60 * MICRO)
    assert minutes.tolist() == [-1, 10, 50, 65, 115, 121]


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (["frame,when", "0,1"], ["columns frame, when", "timestamp"]),
        (["time"], ["no frames"]),
        (["time", "2026-01-01 10:00", "noon"], ["line 3", "'noon'", "a time"]),
        (["time", "2026-01-01 10:00", "2026-01-01 09:59"], ["line 3", "no earlier"]),
        (["time", "1755063554", "1755063553"], ["line 3", "no earlier"]),
        (["time,n", "1755063554,1", "1755063555"], ["line 3", "cells"]),
        (["time", "0.000", "0.200"], ["line 2", "'0.000'", "a time"]),
        (["frame,time", "1,1755063553"], ["line 2", "frame '1'", "frame 0", "from 0"]),
        (["frame,time", "0,1755063553", "2,1755063554"], ["line 3", "frame '2'", "frame 1"]),
        (["time", "2026-03-29 01:30"], ["line 2", "a time"]),
        (["StartTime: 1755063553", "frame,Timestamp", "0,9", "1,soon"], ["line 4", "'soon'"]),
        (["StartTime: 1755063553", "frame,Timestamp", "0,9", "1,8"], ["line 4", "no earlier"]),
        (["StartTime: 1755063553", "frame,Timestamp", "0,9", "2,10"], ["line 4", "frame '2'"]),
        (["StartTime: 1755063553", "frame,Timestamp"], ["no frames"]),
        (["StartTime: 1755063553"], ["no frames"]),
    ],
)
def test_times_that_are_none_are_refused_by_their_line(
    tmp_path: Path, lines: list[str], named: list[str]
) -> None:
    with pytest.raises(InputError) as refused:
        frame_times.read(write(tmp_path, *lines), "Europe/London")
    for text in ["times.csv", *named]:
        assert text in str(refused.value)


@pytest.mark.parametrize("header", [("time",), ("time,exposure",), ("StartTime: 1", "time")])
def test_a_blank_line_is_a_frame_without_a_time_but_at_the_end(
    tmp_path: Path, header: tuple[str, ...]
) -> None:
    more = ",5" if "," in header[0] else ""
    rows = [f"{number}{more}" for number in range(1755063553, 1755063556)]
    assert len(frame_times.read(write(tmp_path, *header, *rows, "", ""), "UTC")) == 3
    for place in range(3):
        path = write(tmp_path, *header, *rows[:place], "," if more else "", *rows[place:])
        line = len(header) + place + 1
        with pytest.raises(InputError, match=rf"times\.csv, line {line}: found a blank line"):
            frame_times.read(path, "UTC")


def test_times_of_a_real_recording(shared: Path) -> None:
    path = shared / "rfid" / "grid12" / "record_20250813_053913_timestamps.csv"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    times = frame_times.read(path, "UTC")
    assert len(times) == 8_999
    assert np.median(np.diff(times)) == pytest.approx(MICRO / 30, rel=0.01)


@dataclass(frozen=True)
class Told:
    """What a stage was told of a segment."""

    cage: str = "A"
    segment: str = "1"
    fps: float = 25.0
    start: str = "2026-01-01 10:00"
    frame_times: Path | None = None
    of_logs: settings.Readings = field(default_factory=settings.Readings)


def test_frames_are_as_far_apart_as_the_video_says() -> None:
    """By the sheet's round figure, the clock would seem to drift."""
    times = of_stage.frames(Told(), 45_000, filmed=24.98)
    assert (times[-1] - times[0]) / MICRO == pytest.approx(44_999 / 24.98)
    assert np.diff(of_stage.frames(Told(), 10)).tolist() == [40_000] * 9


@pytest.mark.parametrize("filmed", [12.5, 24.0, 30.0])
def test_at_another_rate_than_the_sheet_s_no_log_tells_whose_frame_is_whose(filmed: float) -> None:
    with pytest.raises(InputError, match=r"A 1, column fps: found 25 frames a second.*frame_times"):
        of_stage.frames(Told(), 100, filmed=filmed)
