"""How long visits last is told by their ends, on the clock of the log, or said not to be known."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antenna_logs import TAGS
from murid.errors import InputError
from murid.readings import local_time, logs
from murid.readings.how import How

BERLIN = How(zone="Europe/Berlin")
SOUND = ("2026-06-01 12:00:00", "2026-06-01 12:00:09")
CHANGES = {
    "Europe/Berlin": (datetime(2026, 3, 29, 1), datetime(2026, 10, 25, 1)),
    "Australia/Lord_Howe": (datetime(2025, 10, 4, 15, 30), datetime(2025, 4, 5, 15)),
    "America/Santiago": (datetime(2025, 9, 7, 4), datetime(2025, 4, 6, 3)),
}
"""When clocks are put forward and back, in UTC."""


def read(folder, *spans, columns="Start\tEnd"):
    """Read a log of visits, given the start and end of each."""
    path = folder / "Visits.txt"
    rows = [f"{TAGS[0]}\t{start}\t{end}\t1\n" for start, end in spans]
    path.write_text("".join([f"AnimalTag\t{columns}\tCorner\n", *rows]))
    return logs.read(path, BERLIN)


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        ("2026-03-29 01:59:50", "2026-03-29 03:00:10", 20),
        ("2026-10-25 02:59:50", "2026-10-25 02:00:10", 20),
        ("2026-10-25 01:59:50", "2026-10-25 02:00:10", 20),
        ("2026-10-25 01:50:00", "2026-10-25 03:00:00", 7_800),
        ("2026-06-01 12:00:00+02:00", "2026-06-01 10:00:20Z", 20),
        ("2026-03-29 00:59:50Z", "2026-03-29 03:00:10+02:00", 20),
    ],
)
def test_a_visit_lasts_as_long_as_in_utc(tmp_path, start, end, seconds):
    assert read(tmp_path, (start, end)).table["duration"].tolist() == [seconds]


@given(
    zone=st.sampled_from([*CHANGES]),
    back=st.booleans(),
    before=st.timedeltas(timedelta(0), timedelta(hours=3)),
    lasts=st.timedeltas(timedelta(0), timedelta(minutes=29)),
)
def test_ends_near_a_change_of_clocks_come_back_exactly(zone, back, before, lasts):
    begun = CHANGES[zone][back] - before
    end = begun + lasts
    shown = end.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    local, start = (np.array([time], dtype="datetime64[us]") for time in (shown, begun))
    assert local_time.ends_in_utc(local, start, zone).item() == end


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        ("2026-06-01 12:00:00+02:00", "2026-06-01 12:00:20", "an end without a zone"),
        ("2026-06-01 12:00:00", "2026-06-01 12:00:20+02:00", "an end with a zone"),
    ],
)
def test_an_end_with_a_zone_where_starts_have_none_is_refused(tmp_path, start, end, told):
    with pytest.raises(InputError, match=f"line 2: found {told}"):
        read(tmp_path, (start, end))


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("2026-06-01 11:59:57", "whose end is before the start: are the columns exchanged?"),
        ("2026-03-29 02:30:00", "whose end is in an hour that the clock skips"),
        ("soon", "whose end is no time, or before 1990 or from 2100 on"),
        ("1970-01-01 00:00:05", "whose end is no time, or before 1990 or from 2100 on"),
        ("9999-12-31 23:59:59", "whose end is no time, or before 1990 or from 2100 on"),
    ],
)
def test_ends_that_cannot_be_are_counted_and_are_none(tmp_path, end, told):
    other = ("2026-06-01 12:00:01", end)
    judged = read(tmp_path, SOUND, other, ("2026-06-01 12:00:02", end))
    assert judged.verdict.status == "repaired"
    assert f"2 lines {told} (the first is line 3" in judged.verdict.reason
    assert "taken without an end" in judged.verdict.reason
    assert judged.table["duration"].isna().tolist() == [False, True, True]
    with pytest.raises(InputError, match=r"not one end .*the first is line 2"):
        read(tmp_path, other)


def test_exchanged_columns_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"after its start .*line 2.*exchanged"):
        read(tmp_path, SOUND, SOUND, columns="End\tStart")


def test_some_ends_may_be_empty_and_all_are_told(tmp_path):
    empty = [(f"2026-06-01 12:00:0{n + 1}", text) for n, text in enumerate(["", "NULL", " "])]
    assert read(tmp_path, SOUND, *empty).verdict.status == "usable"
    judged = read(tmp_path, *empty)
    assert "all ends are empty" in judged.verdict.reason
    assert judged.table["duration"].isna().all()


def test_visits_of_more_than_an_hour_are_told(tmp_path):
    hour, days = (
        ("2026-06-01 13:00:00", "2026-06-01 14:00:00"),
        ("2026-06-01 14:00:00", "2026-06-05"),
    )
    reason = read(tmp_path, SOUND, hour, days).verdict.reason
    assert (
        reason
        == "Visits.txt: 1 line lasting more than 60 minutes (line 4) is taken to last 60 minutes"
    )


@pytest.mark.parametrize("order", ["start", "end"])
def test_a_visit_that_others_fall_into_is_no_clock_that_falls_back(tmp_path, order):
    day = "2026-10-25"
    spans = [
        (f"{day} {start}:00", f"{day} {end}:00")
        for start, end in (("01:50", "01:51"), ("02:05", "02:20"), ("02:15", "02:16"),
                           ("02:50", "02:10"), ("02:55", "02:01"), ("02:30", "02:31"))
    ]  # fmt: skip
    began = ["23:50:00", "00:05:00", "00:15:00", "00:50:00", "00:55:00", "01:30:00"]
    rows = range(6) if order == "start" else (0, 2, 1, 4, 3, 5)
    judged = read(tmp_path, *(spans[row] for row in rows))
    assert judged.table["time"].dt.strftime("%H:%M:%S").tolist() == began
    assert judged.table["duration"].tolist() == [60, 900, 60, 1200, 360, 60]
    assert judged.verdict.status == "usable"
