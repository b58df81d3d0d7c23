"""``murid sheet --cut``: a long recording becomes several segments, parts of one video."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from listed_folder import make, refused, rows, run
from murid.listing import cut
from murid.listing.findings import Findings
from murid.listing.recordings import Recording
from murid.sheet import read_sheet
from murid.start_times import parse
from readme_blocks import blocks

VIDEO, LOG = "{cage}/{date:%Y-%m-%d}_{start:%H%M%S}.mp4", "rfid/{cage}/{date:%Y%m%d}.txt"
DAYS = ("--video", VIDEO, "--log", LOG, "--zone", "Europe/London", "--fps", "25")
START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def archive(tmp_path):
    root = tmp_path / "archive"
    make(root, "C1/2026-03-28_000000.mp4", *(f"rfid/C1/202603{day}.txt" for day in range(27, 31)))
    return root


def test_a_day_is_cut_into_half_hours(archive):
    run(archive, *DAYS, "--segment-length", "1d", "--cut", "30min")
    sheet = [*rows(archive).values()]
    assert len(sheet) == 48
    assert {row.video for row in sheet} == {"C1/2026-03-28_000000.mp4"}
    assert [row.first_frame for row in sheet] == [45_000 * part for part in range(48)]
    assert [row.last_frame for row in sheet[:-1]] == [45_000 * n - 1 for n in range(1, 48)]
    assert sheet[-1].last_frame is None, "to the end, wherever that is"
    starts = [parse(row.start, "UTC") for row in sheet]
    assert starts[0] == datetime(2026, 3, 28, tzinfo=UTC)
    assert {later - former for former, later in pairwise(starts)} == {timedelta(minutes=30)}
    assert all("rfid/C1/20260328.txt" in row.readings for row in sheet)
    assert sheet[0].segment.endswith("_01")


def test_what_is_cut_is_not_listed_again(archive):
    run(archive, *DAYS, "--segment-length", "1d", "--cut", "30min")
    before = (archive / "segments.tsv").read_bytes()
    make(archive, "C1/2026-03-29_000000.mp4")
    run(archive, *DAYS, "--segment-length", "1d", "--cut", "30min", "--update")
    after = (archive / "segments.tsv").read_bytes()
    assert after.startswith(before)
    assert len(rows(archive)) == 48 + 48


def test_files_of_the_whole_are_of_no_part(archive):
    make(archive, "C1/2026-03-28.json")
    more = ("--annotations", "{cage}/{date:%Y-%m-%d}.json")
    said = run(archive, *DAYS, "--segment-length", "2h", "--cut", "30min", *more)
    assert "cells left empty, since the recording is cut" in said
    assert {row.annotations for row in rows(archive).values()} == {""}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--video", VIDEO, "--log", LOG, "--segment-length", "1d"), "no --fps"),
        (DAYS, "neither --durations nor --segment-length"),
        (("--tracklets", VIDEO, *DAYS[2:], "--segment-length", "1d"), "no pattern of videos"),
    ],
)
def test_what_it_takes_is_asked_for(archive, options, why):
    assert why in refused(archive, *options, "--cut", "30min")


@given(
    st.floats(1, 100_000), st.floats(5, 4_000), st.sampled_from([1.0, 12.5, 25.0, 29.97, 120.0])
)  # fmt: skip
def test_parts_hold_each_frame_once(seconds, length, fps):
    one = Recording("v.mp4", "A", "x", "", {}, START, lasts=timedelta(seconds=seconds))
    parts = cut.into_parts([one], timedelta(seconds=length), fps, Findings())
    if len(parts) == 1:
        assert parts == [one]
        assert seconds < 2 * length
        return
    ends = [(-1, -1), *(part.frames for part in parts)]
    for (_, last), (first, _) in pairwise(ends):
        assert first == last + 1
    assert parts[-1].frames[1] is None
    for part in parts:
        assert abs((part.start - START).total_seconds() - part.frames[0] / fps) < 1e-3
    rest = seconds - parts[-1].frames[0] / fps
    assert -0.01 * length <= rest <= 1.2 * length + 2 / fps
    assert len({part.segment for part in parts}) == len(parts)


def test_the_example_that_is_documented_is_a_sheet(root, tmp_path):
    (text,) = blocks((root / "config" / "README.md").read_text())["A recording of a day"]
    (tmp_path / "segments.tsv").write_text(text)
    parts = [row.part for row in read_sheet(tmp_path / "segments.tsv").values()]
    assert [part.first for part in parts] == [0, 45_000, 90_000]
