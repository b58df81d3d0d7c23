"""Clocks of logs that stand still, jump, or go back; and rows that are only out of order."""

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antenna_logs import Read, table
from murid.archive.columns import Judged
from murid.errors import InputError
from murid.readings import logs
from murid.readings.how import How

START = datetime(2026, 1, 1, 10)
MINUTE = timedelta(minutes=1)
Times = list[datetime]


def visits(minutes: int, every: float = 5.0, seed: int = 1, ms: int = 0) -> list[Read]:
    """Return reads of two tags at four antennas, one each so many seconds."""
    draw = np.random.default_rng(seed)
    return [
        Read(START + timedelta(seconds=every * n, milliseconds=ms), f"T{draw.integers(2)}",
             int(draw.integers(1, 5)))
        for n in range(int(minutes * 60 / every))
    ]  # fmt: skip


def shifted(reads: list[Read], by: timedelta, first: int, last: int | None = None) -> list[Read]:
    """Return reads of which those of some rows are by a clock that is off."""
    rows = range(len(reads))[first:last]
    return [r._replace(time=r.time + by) if n in rows else r for n, r in enumerate(reads)]


def read(folder: Path, reads: list[Read]) -> Judged:
    return logs.read(table(folder / "log.csv", reads), How())


def times(judged: Judged) -> Times:
    return [time.replace(tzinfo=None) for time in judged.table["time"].dt.to_pydatetime()]


def refused(folder: Path, reads: list[Read]) -> str:
    with pytest.raises(InputError) as error:
        read(folder, reads)
    return str(error.value)


def test_a_sound_clock_is_not_told(tmp_path: Path) -> None:
    judged = read(tmp_path, visits(300))
    assert judged.verdict.status == "usable"
    assert judged.table.attrs["clock"] == ""


@pytest.mark.parametrize("years", [73, 1, -20])
@pytest.mark.parametrize("last", [None, 1500])
def test_reads_after_a_clock_jumped_far_are_left_out_by_row_and_times(
    tmp_path: Path, years: float, last: int | None
) -> None:
    reads = visits(300)
    off = timedelta(days=round(365.25 * years))
    given_ = shifted(reads, off, 2000 if last is None else 1200, last)
    judged = read(tmp_path, given_)
    sound = [r.time for r, g in zip(reads, given_, strict=True) if r == g]
    assert times(judged) == sound
    clock = judged.table.attrs["clock"]
    row = len(reads[:2000]) + 2 if last is None else 1202
    jump, before = given_[row - 2].time, reads[row - 3].time
    assert f"jumped: {jump:%Y-%m-%d %H:%M:%S} UTC in line {row:,} after {before:%Y-%m-%d}" in clock
    assert f"{len(reads) - len(sound):,} reads are left out" in clock
    assert clock in judged.verdict.reason
    assert judged.verdict.status == "repaired"


def stood(reads: list[Read], first: int, count: int, late: bool) -> list[Read]:
    """Return reads of which some have one time; then the clock goes on as late as that."""
    still = reads[first].time
    stand = reads[first + count - 1].time - still
    after = [r._replace(time=r.time - stand * late) for r in reads[first + count :]]
    return [*reads[:first], *(r._replace(time=still) for r in reads[first : first + count]), *after]


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("count", [400, 3000])
def test_reads_at_the_time_at_which_a_clock_stood_are_left_out(
    tmp_path: Path, late: bool, count: int
) -> None:
    """And what follows, unless it caught up."""
    reads = visits(300, ms=250)
    judged = read(tmp_path, stood(reads, 600, count, late))
    after = [] if late else [r.time for r in reads[600 + count :]]
    assert times(judged) == [*(r.time for r in reads[:600]), *after]
    clock = judged.table.attrs["clock"]
    assert f"its clock stood still: {count:,} rows from line 602 on have the time" in clock
    assert f"{reads[600].time:%Y-%m-%d %H:%M:%S} UTC" in clock
    assert ("are late by as long" in clock) == (late and 600 + count < len(reads))


def test_a_log_whose_clock_stood_all_the_time_is_refused(tmp_path: Path) -> None:
    text = refused(tmp_path, stood(visits(60), 0, 720, late=False))
    assert "all 720 reads at one time, 2026-01-01 10:00:00 UTC in line 2" in text


def test_many_animals_that_are_read_in_one_second_are_no_clock_that_stands(tmp_path: Path) -> None:
    reads = visits(60)
    burst = [Read(reads[300].time, f"X{n}", 1 + n % 4) for n in range(400)]
    judged = read(tmp_path, [*reads[:301], *burst, *reads[301:]])
    assert judged.table.attrs["clock"] == ""
    assert len(judged.table) == len(reads) + 400


def test_a_clock_that_went_back_far_refuses_the_log_by_row_and_times(tmp_path: Path) -> None:
    reads = shifted(visits(300), -60 * MINUTE, 1800)
    text = refused(tmp_path, reads)
    assert "its clock went back: 2026-01-01 11:30:00 UTC in line 1,802" in text
    assert "after 2026-01-01 12:29:55 UTC" in text
    assert "cut the file there" in text


@pytest.mark.parametrize("ahead", [10 * MINUTE, 600 * MINUTE, 9000 * MINUTE])
def test_a_clock_that_was_ahead_for_a_while_loses_what_it_stamped_then(
    tmp_path: Path, ahead: timedelta
) -> None:
    reads = visits(300)
    judged = read(tmp_path, shifted(reads, ahead, 1200, 1500))
    assert times(judged) == [r.time for r in [*reads[:1200], *reads[1500:]]]
    clock = judged.table.attrs["clock"]
    assert "it jumped to" in clock
    assert f"and back to {reads[1500].time:%Y-%m-%d %H:%M:%S} UTC in line 1,502" in clock


def by_antenna(reads: list[Read]) -> list[Read]:
    return sorted(reads, key=lambda r: (r.antenna, r.time))


def by_tag(reads: list[Read]) -> list[Read]:
    return sorted(reads, key=lambda r: (r.tag, r.antenna, r.time))


def files_in_another_order(reads: list[Read]) -> list[Read]:
    return [*reads[2400:], *reads[:1200], *reads[1200:2400]]


def one_file_twice(reads: list[Read]) -> list[Read]:
    return [*reads[:2400], *reads[600:]]


def newest_first(reads: list[Read]) -> list[Read]:
    return reads[::-1]


def in_no_order(reads: list[Read]) -> list[Read]:
    return [reads[place] for place in np.random.default_rng(3).permutation(len(reads))]


def some_late(reads: list[Read]) -> list[Read]:
    late = {*range(200, len(reads), 40)}
    kept = [r for n, r in enumerate(reads) if n not in late]
    for n in sorted(late):
        kept.insert(min(n + 30, len(kept)), reads[n])
    return kept


@pytest.mark.parametrize(
    "written",
    [by_antenna, by_tag, files_in_another_order, one_file_twice, newest_first, in_no_order,
     some_late],
)  # fmt: skip
def test_rows_that_are_only_out_of_order_are_all_kept(tmp_path: Path, written) -> None:
    reads = visits(300, ms=250)
    judged = read(tmp_path, written(reads))
    assert judged.table.attrs["clock"] == ""
    assert times(judged) == [r.time for r in reads]


@given(
    off=st.integers(-400, 40_000), first=st.integers(0, 720), last=st.integers(0, 720),
    seed=st.integers(0, 5),
)  # fmt: skip
def test_no_read_is_made_by_what_a_clock_does(
    tmp_path_factory: pytest.TempPathFactory, off: int, first: int, last: int, seed: int
) -> None:
    reads = shifted(visits(60, seed=seed), off * MINUTE, first, last)
    try:
        judged = read(tmp_path_factory.mktemp("log"), reads)
    except InputError:
        return
    assert {*times(judged)} <= {r.time for r in reads}
    kept = pd.Series(times(judged))
    assert kept.is_monotonic_increasing
    lost = bool(judged.table.attrs["clock"])
    assert lost or len(kept) == len({(r.time, r.tag, r.antenna) for r in reads})


def test_a_clock_that_stood_twice_is_told_of_both_times_or_of_the_first_after_which_it_is_late(
    tmp_path: Path,
) -> None:
    reads = visits(300, ms=250)
    for late, told in ((False, 2), (True, 1)):
        judged = read(tmp_path, stood(stood(reads, 600, 400, late), 2000, 400, late))
        assert judged.table.attrs["clock"].count("stood still") == told
        left = reads[:600] if late else [*reads[:600], *reads[1000:2000], *reads[2400:]]
        assert times(judged) == [r.time for r in left]
