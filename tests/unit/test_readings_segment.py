"""A segment's minutes of its logs, and what is said of them."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from murid import settings, tables
from murid.animals import Worn
from murid.archive.check import judge_positions
from murid.cli.options import value_of
from murid.errors import InputError
from murid.grid import Grid
from murid.readings import frame_times, segment
from murid.tables import Verdict

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
FPS, FRAMES = 10.0, 1_200
WORN = [Worn("A", "R", "AA"), Worn("A", "G", "BB"), Worn("B", "R", "CC")]
Read = tuple[float, str, str]
"""Seconds from noon, tag, antenna."""


def log(
    folder: Path, reads: list[Read], name: str = "log.csv", verdict: Verdict | None = None,
    **about: str,
) -> Path:  # fmt: skip
    """Write the table of a log's reads."""
    path = folder / f"{name}.parquet"
    frame = pd.DataFrame(sorted(reads), columns=["time", "tag", "antenna"])
    times = [NOON + timedelta(seconds=time) for time in frame["time"]]
    frame["time"] = pd.Series(times, dtype="datetime64[us, UTC]")
    frame["duration"] = np.float32("nan")
    told = {"file": name, "hold": "5.0", "numbering": "columns"} | about
    if reads:
        told |= {"first": times[0].isoformat(), "last": times[-1].isoformat()}
    tables.write(frame, path, "readings", verdict, told)
    return path


def steady(tag: str, antenna: str, first: float = 0, last: float = 120) -> list[Read]:
    """Return a read a second."""
    return [(time, tag, antenna) for time in np.arange(first, last)]


def wanted(**changes: object) -> segment.Wanted:
    frames = frame_times.regular(NOON.isoformat(), "UTC", FPS, FRAMES, "the sheet")
    given: dict[str, object] = {
        "cage": "A", "names": (), "frames": frames, "worn": WORN, "antennas": None,
        "grid": Grid(), "settings": settings.Readings(),
    }  # fmt: skip
    return segment.Wanted(**given | changes)  # type: ignore[arg-type]


def trace(readings: pd.DataFrame, animal: str) -> list[int]:
    return readings["antenna"][readings["animal"] == animal].fillna(0).astype(int).tolist()


def test_each_animal_is_where_its_tag_was_read_last(tmp_path: Path) -> None:
    reads = [*steady("AA", "3"), *steady("BB", "7", last=60), (60.05, "BB", "8")]
    readings, verdict = segment.read([log(tmp_path, reads)], wanted())
    assert verdict.reason == ""
    assert trace(readings, "R") == [3] * FRAMES
    # The last read of G holds for five seconds: it is not known where it is then.
    assert trace(readings, "G") == [7] * 601 + [8] * 50 + [0] * (FRAMES - 651)


def test_a_read_from_before_the_segment_holds_into_it(tmp_path: Path) -> None:
    reads = [(-2.0, "AA", "3"), (-8.0, "BB", "4"), (30.0, "BB", "4")]
    readings, _ = segment.read([log(tmp_path, reads)], wanted())
    assert trace(readings, "R") == [3] * 31 + [0] * (FRAMES - 31)
    assert trace(readings, "G")[:300] == [0] * 300


def test_settings_stand_above_what_the_system_does(tmp_path: Path) -> None:
    reads = [(0.0, "AA", "1"), (0.0, "BB", "0")]
    given = settings.Readings(hold=1.0, numbering="rows0", offset=2.0)
    readings, _ = segment.read([log(tmp_path, reads)], wanted(settings=given))
    assert trace(readings, "R") == [0] * 20 + [4] * 11 + [0] * (FRAMES - 31)
    assert trace(readings, "G")[20] == 1


def test_logs_that_overlap_are_joined_and_reads_in_both_count_once(tmp_path: Path) -> None:
    both = [*steady("AA", "3"), *steady("BB", "7")]
    first = log(tmp_path, both[:100], "one.csv")
    second = log(tmp_path, both[90:], "two.csv")
    readings, verdict = segment.read([first, second], wanted())
    assert trace(readings, "G") == [7] * FRAMES
    assert verdict == Verdict(), "a log may be sent twice"


def test_a_log_that_cannot_be_used_is_a_reason_and_no_end(tmp_path: Path) -> None:
    bad = log(tmp_path, [], "bad.csv", Verdict("discarded", "bad.csv: found nothing"))
    good = log(tmp_path, [*steady("AA", "3"), *steady("BB", "7")])
    readings, verdict = segment.read([bad, good], wanted())
    assert trace(readings, "R") == [3] * FRAMES
    assert verdict == Verdict("repaired", "bad.csv: found nothing")


def test_what_was_left_out_of_a_log_is_told_once_and_not_by_each_segment(tmp_path: Path) -> None:
    repaired = Verdict("repaired", "log.csv: 3 lines left out")
    path = log(tmp_path, [*steady("AA", "3"), *steady("BB", "7")], verdict=repaired)
    assert segment.read([path], wanted())[1] == Verdict()


@pytest.mark.parametrize(
    ("shift", "hint"), [(3600, "-1 h would fit"), (-7200, "+2 h would fit"), (500_000, "")]
)
def test_a_log_of_another_time_is_refused_with_a_hint(
    tmp_path: Path, shift: float, hint: str
) -> None:
    path = log(tmp_path, steady("AA", "3", shift - 100, shift + 400))
    with pytest.raises(InputError) as refused:
        segment.read([path], wanted())
    text = str(refused.value)
    assert "log.csv" in text
    assert "2026-01-01 12:00:00 to 2026-01-01 12:01:59" in text
    assert hint in text
    assert ("would fit" in text) == bool(hint)


def test_an_hour_is_offered_only_at_which_the_log_has_reads(tmp_path: Path) -> None:
    """Between its first and its last read it may have none for hours."""
    reads = [*steady("AA", "3", -9_000, -8_000), *steady("AA", "3", 90_000, 90_100)]
    with pytest.raises(InputError, match=r"Name the log of these minutes") as refused:
        segment.read([log(tmp_path, reads)], wanted())
    assert "would fit" not in str(refused.value)


def test_where_a_clock_failed_or_a_log_cannot_be_used_no_hour_is_offered(tmp_path: Path) -> None:
    reads = steady("AA", "3", 3_000, 4_400)
    failed = log(tmp_path, reads, "failed.csv", clock="its clock stood still: 900 rows")
    torn = log(tmp_path, [], "torn.csv", Verdict("discarded", "torn.csv: found zero bytes"))
    sound = log(tmp_path, reads, "sound.csv")
    for logs, told in (
        ([failed], "failed.csv: its clock stood still: 900 rows"),
        ([sound, torn], "torn.csv: found zero bytes"),
        ([sound], "-1 h would fit"),
    ):
        with pytest.raises(InputError) as refused:
            segment.read(logs, wanted())
        assert told in str(refused.value)
        assert ("would fit" in str(refused.value)) == (logs == [sound])


@pytest.mark.parametrize("years", [-20, -1, 1, 73])
def test_a_log_that_is_years_off_is_told_with_what_to_set(tmp_path: Path, years: float) -> None:
    """The names of the logs, what they have, what was sought, and an offset that would do."""
    off = years * 365.25 * 86_400
    reads = [*steady("AA", "3", off - 100, off + 400), *steady("BB", "7", off - 100, off + 400)]
    paths = [log(tmp_path, reads[:500], "a.csv"), log(tmp_path, reads[500:], "b.csv")]
    with pytest.raises(InputError) as refused:
        segment.read(paths, wanted())
    text = str(refused.value)
    begins, ends = (f"{NOON + timedelta(seconds=off + at):%Y-%m-%d %H:%M:%S}" for at in (-100, 399))
    for name in ("a.csv", "b.csv"):
        assert f"{begins} to {ends} UTC ({name})" in text
    assert "2026-01-01 12:00:00 to 2026-01-01 12:01:59" in text
    assert f"clock that was wrong, by {-years:+.1f} years, set readings.offset" in text
    low, high = map(float, re.findall(r"offset: (-?\d+) to (-?\d+) would", text)[0])
    for offset in (low, high):
        given = settings.Readings(offset=offset)
        readings, _ = segment.read(paths, wanted(settings=given))
        assert (np.array(trace(readings, "R")[20:-20]) == 3).all()


def test_without_a_log_that_can_be_used_all_their_reasons_are_told(tmp_path: Path) -> None:
    bad = log(tmp_path, [], "bad.csv", Verdict("discarded", "bad.csv: found nothing"))
    with pytest.raises(InputError, match=r"bad\.csv.*no log that can be used.*found nothing"):
        segment.read([bad], wanted())


def test_of_a_silent_tag_the_last_read_before_the_segment_is_told(tmp_path: Path) -> None:
    before = log(tmp_path, [*steady("BB", "7", -900, -599), (-700.0, "AA", "3")], "before.csv")
    here = log(tmp_path, steady("AA", "3"), "here.csv")
    given = settings.Readings(offset=2.0)
    _, verdict = segment.read([before, here], wanted(settings=given))
    last = "before the segment, G (BB) was read last at "
    assert f"{last}2026-01-01 11:50:02 UTC" in verdict.reason
    _, verdict = segment.read([here], wanted())
    assert "before the segment, G (BB) is not read in its logs either" in verdict.reason


def test_of_a_silent_tag_each_fact_is_told_once(tmp_path: Path) -> None:
    before = log(tmp_path, steady("BB", "7", -900, -599), "before.csv")
    here = log(tmp_path, steady("AA", "3"), "here.csv")
    reason = judged([before, here])
    assert reason.endswith(
        "G without any reading; before the segment, G (BB) was read last at 2026-01-01 11:50:00 UTC"
    )
    assert "frames of G" not in reason


def judged(paths: list[Path], **given: float) -> str:
    """Read and judge a segment; return all that is said of it."""
    wanted_ = wanted(settings=settings.Readings(**given))
    readings, verdict = segment.read(paths, wanted_)
    limit = wanted_.settings.max_unread
    _, of_trace = judge_positions(readings, Grid(), limit, logged=True)
    return "; ".join(filter(None, (of_trace.reason, verdict.reason)))


def test_that_animals_are_read_too_seldom_is_told_with_the_last_read_of_each(
    tmp_path: Path,
) -> None:
    seldom = [(at, tag, "3") for tag in ("AA", "BB") for at in (0.4, 30.4, 60.4, 90.9)]
    path = log(tmp_path, [*seldom, (900.0, "CC", "1")])
    reason = judged([path], max_unread=0.5)
    assert reason.startswith("1992 of 2400 readings (83.00%) are missing in the antenna logs")
    assert "last reads: R at 2026-01-01 12:01:30 UTC (83% of the frames without)" in reason
    assert "last reads" not in judged([path], max_unread=0.95)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ([], "after 2026-01-01 12:00:11 UTC"),
        ([(60.0, "CC", "1")], "after 2026-01-01 12:00:11 UTC"),
        ([(900.0, "CC", "1")], "after 2026-01-01 12:00:11 UTC"),
        ([(900.0, "XX", "1")], "after 2026-01-01 12:00:11 UTC"),
        ([(700.0, "AA", "1"), (900.0, "CC", "1")],
         "from 2026-01-01 12:00:11 to 2026-01-01 12:11:42 UTC"),
    ],
)  # fmt: skip
def test_that_a_cage_is_not_read_any_more_comes_first_in_the_reason(
    tmp_path: Path, more: list[Read], told: str
) -> None:
    """By the clock of the video, to the second before, as the health of its cage tells it."""
    reads = [*steady("AA", "3", -20, 10), *steady("BB", "7", -20, 6), *more]
    reason = judged([log(tmp_path, reads)], max_unread=0.8, offset=2.9)
    span = "the segment is from 2026-01-01 12:00:00 to 2026-01-01 12:01:59 UTC"
    assert reason.startswith(f"cage A is not read {told}; {span}")
    assert re.search(r"(UTC|cages|tags): \d+ of 2400 readings", reason)
    goes_on = ", the log goes on until 2026-01-01 12:15:02 for other "
    last = more[-1] if more else (0.0, "", "")
    whose = "cages" if last[1] == "CC" else "tags"
    assert (f"{span}{goes_on}{whose}: " in reason) == (last[0] > 120)
    assert "last reads" not in reason


@pytest.mark.parametrize(("again", "told"), [([], "at all"), ([(900.0, "AA", "3")], "before")])
def test_a_cage_that_was_never_read_before_the_end_of_a_segment_is_told(
    tmp_path: Path, again: list[Read], told: str
) -> None:
    path = log(tmp_path, [*steady("CC", "3"), (1000.0, "CC", "1"), *again])
    assert judged([path]).startswith(f"cage A is not read {told}")


def test_stretches_without_any_read_are_told(tmp_path: Path) -> None:
    reads = [*steady("AA", "3", 0, 20), *steady("BB", "7", 0, 30), (119.9, "AA", "3")]
    verdict = segment.read([log(tmp_path, reads)], wanted())[1]
    assert "no tag at all was read from 12:00:29 to 12:01:59 UTC" in verdict.reason


def test_antennas_without_a_place_are_told(tmp_path: Path) -> None:
    reads = [*steady("AA", "3"), *steady("BB", "7"), (4.45, "AA", "19"), (6.0, "BB", "COM4")]
    readings, verdict = segment.read([log(tmp_path, reads)], wanted())
    assert trace(readings, "R") == [3] * FRAMES
    assert "2 reads left out of antennas that have no place on the rig: " in verdict.reason
    table = tmp_path / "antennas.csv"
    table.write_text("antenna,row,column\n3,1,1\n7,1,2\n19,1,3\nCOM4,2,1\n")
    readings, verdict = segment.read([log(tmp_path, reads)], wanted(antennas=table))
    assert verdict.reason == ""
    assert trace(readings, "R")[44:52] == [1] + [7] * 5 + [1] * 2


@pytest.mark.parametrize("prefix", ["1_", ""], ids=["several cages", "a log of one cage"])
def test_each_cage_is_read_by_its_own_antennas(tmp_path: Path, prefix: str) -> None:
    """As those of several IntelliCages in one file, whose corners are CAGE_CORNER."""
    table = tmp_path / "antennas.csv"
    table.write_text("antenna,cage,row,column\n1_1,A,1,1\n1_2,A,1,2\n2_1,B,1,1\n2_2,B,1,2\n")
    reads = [*steady("AA", f"{prefix}1"), *steady("BB", f"{prefix}2")]
    others = [*steady("CC", "2_2"), (4.5, "AA", "2_1")] if prefix else []
    path = log(tmp_path, [*reads, *others])
    readings, verdict = segment.read([path], wanted(antennas=table))
    assert trace(readings, "R") == [1] * FRAMES
    assert trace(readings, "G") == [4] * FRAMES
    left_out = "1 reads left out of antennas that have no place on the rig: 2_1 (1)"
    assert verdict.reason == (left_out if prefix else "")


def test_a_system_whose_antennas_are_in_no_grid_needs_their_places(tmp_path: Path) -> None:
    path = log(tmp_path, steady("AA", "3"), numbering="")
    with pytest.raises(InputError, match=r"readings\.numbering"):
        segment.read([path], wanted())
    other = log(tmp_path, steady("BB", "3"), "other.csv", numbering="rows")
    mixed = [log(tmp_path, steady("AA", "3"), "own.csv"), other]
    with pytest.raises(InputError, match="numbered by columns and rows"):
        segment.read(mixed, wanted())


def test_what_cannot_have_been_is_left_out(tmp_path: Path) -> None:
    reads = [*steady("AA", "1"), *steady("BB", "7"), (5.5, "AA", "16")]
    readings, verdict = segment.read([log(tmp_path, reads)], wanted())
    assert trace(readings, "R") == [1] * FRAMES
    assert "1 reads left out, of antennas more than 3 from" in verdict.reason


def test_no_animal_of_the_cage_is_refused(tmp_path: Path) -> None:
    path = log(tmp_path, steady("AA", "1"))
    with pytest.raises(InputError, match="no tag of an animal of cage Z"):
        segment.read([path], wanted(cage="Z"))


def test_what_is_not_read_is_not_filled() -> None:
    """A trace may be filled where the same antenna stands before and after; a log tells more."""
    frames = np.arange(30)
    antenna = pd.array([3] * 10 + [None] * 10 + [3] * 10, dtype="Int64")
    readings = pd.DataFrame({"frame": frames, "animal": "R", "antenna": antenna, "filled": False})
    table, verdict = judge_positions(readings, Grid(), 0.9, logged=True)
    assert verdict == Verdict()
    assert int(table["antenna"].isna().sum()) == 10
    assert not judge_positions(readings, Grid(), 0.9)[0]["antenna"].isna().any()


def test_reasons_are_joined_part_by_part() -> None:
    first, second = Verdict("repaired", "a; b; c"), Verdict("repaired", "b; d; a")
    assert (first | second).reason == "a; b; c; d"
    assert (first | Verdict("repaired", "c; a")) == first


def test_how_times_are_written_is_taken_as_it_stands() -> None:
    assert value_of("time_format", "%d.%m.%Y %H:%M:%S") == "%d.%m.%Y %H:%M:%S"


def test_a_visit_that_began_before_the_segment_is_read_to_its_end(tmp_path: Path) -> None:
    path = log(tmp_path, [(-40, "AA", "4"), (-70, "BB", "2"), (90, "BB", "7")])
    table = pd.read_parquet(path)
    table["duration"] = table["tag"].astype(str).map({"AA": 60.0, "BB": 20.0}).astype("float32")
    tables.write(table, path, "readings", about=tables.read_about(path))
    readings, _ = segment.read([path], wanted(worn=WORN[:2]))
    assert trace(readings, "R") == [4] * 201 + [0] * 999
    assert trace(readings, "G") == [0] * 900 + [7] * 201 + [0] * 99


def test_a_visit_without_an_end_does_not_last_for_ever(tmp_path: Path) -> None:
    path = log(tmp_path, [(-7_200, "AA", "4"), (60, "AA", "3"), (1, "BB", "2")])
    table = pd.read_parquet(path).assign(duration=np.float32(1e9))
    tables.write(table, path, "readings", about=tables.read_about(path))
    readings, _ = segment.read([path], wanted(worn=WORN[:2]))
    assert trace(readings, "R") == [0] * 600 + [3] * 600


@pytest.mark.parametrize(("lasts", "told"), [(7_200, True), (5_000, False), (np.nan, False)])
def test_a_visit_that_is_cut_before_the_segment_is_a_reason(
    tmp_path: Path, lasts: float, told: bool
) -> None:
    path = log(tmp_path, [(-5_400, "AA", "4")])
    table = pd.read_parquet(path).assign(duration=np.float32(lasts))
    tables.write(table, path, "readings", about=tables.read_about(path))
    with pytest.raises(InputError) as refused:
        segment.read([path], wanted(worn=WORN[:2]))
    text = str(refused.value)
    assert "reads from 2026-01-01 10:30:00 to 2026-01-01 10:30:00 UTC only" in text
    cut = "1 would last into it, but visits are taken to hold 60 minutes at most"
    assert (cut in text) == told


@pytest.mark.parametrize(
    ("cages", "status"), [("A", "discarded"), ("A,B", "usable"), ("", "usable")]
)
def test_a_tag_of_a_cage_that_no_log_serves_is_a_reason(
    tmp_path: Path, cages: str, status: str
) -> None:
    worn = [*WORN, Worn("B", "G", "DD")]
    own = log(tmp_path, [*steady("AA", "3"), *steady("BB", "7")], "own.csv", cages="A")
    other = log(tmp_path, steady("CC", "9"), "other.csv", cages=cages)
    _, verdict = segment.read([own, other], wanted(worn=worn))
    assert verdict.status == status
    told = f"other.csv (by the sheet a log of {cages}): 120 reads of CC (of B R)"
    assert (told in verdict.reason) == (status == "discarded")
