"""Local clock times become UTC, in the hour that comes twice too, and what never was is none."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from murid.errors import InputError
from murid.readings import local_time

CHANGES = {
    "Europe/Warsaw": (datetime(2025, 3, 30, 1), datetime(2025, 10, 26, 1)),
    "America/New_York": (datetime(2025, 3, 9, 7), datetime(2025, 11, 2, 6)),
    "Australia/Sydney": (datetime(2025, 10, 4, 16), datetime(2025, 4, 5, 16)),
    "America/Santiago": (datetime(2025, 9, 7, 4), datetime(2025, 4, 6, 3)),
    "Australia/Lord_Howe": (datetime(2025, 10, 4, 15, 30), datetime(2025, 4, 5, 15)),
    "Europe/Dublin": (datetime(2025, 3, 30, 1), datetime(2025, 10, 26, 1)),
    "Pacific/Chatham": (datetime(2025, 9, 27, 14), datetime(2025, 4, 5, 14)),
}
"""When clocks are put forward and back, in UTC."""
SHIFT = {"Australia/Lord_Howe": timedelta(minutes=30)}
HOUR = timedelta(hours=1)


def shown(times: list[datetime], zone: str) -> np.ndarray:
    """What a clock of the zone shows at times in UTC, as Python's own library has it."""
    local = [time.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)) for time in times]
    return np.array([time.replace(tzinfo=None) for time in local], dtype="datetime64[us]")


def exact(times: list[datetime]) -> np.ndarray:
    return np.array(times, dtype="datetime64[us]")


@given(
    zone=st.sampled_from([*CHANGES, "UTC", "Asia/Kolkata", "Africa/Casablanca", "Asia/Tokyo"]),
    steps=st.lists(st.timedeltas(timedelta(microseconds=1), timedelta(minutes=28)), min_size=1),
    back=st.booleans(),
    before=st.timedeltas(timedelta(hours=1, seconds=1), timedelta(hours=3)),
)
def test_reads_across_a_change_come_back_exactly(zone, steps, back, before):
    change = CHANGES.get(zone, CHANGES["Europe/Warsaw"])[back]
    times = [change - before]
    for step in steps:
        times.append(times[-1] + step)
    found = local_time.to_utc(shown(times, zone), zone)
    assert (found.utc == exact(times)).all()
    assert not found.never.any()
    assert not found.unsure.any()


@given(
    zone=st.sampled_from([*CHANGES]),
    steps=st.lists(st.timedeltas(timedelta(microseconds=1), timedelta(minutes=28)), min_size=1),
    after=st.timedeltas(timedelta(hours=1, seconds=1), timedelta(hours=3)),
)
def test_a_log_that_begins_in_the_second_hour_and_goes_on_is_told(zone, steps, after):
    times = [CHANGES[zone][1] + after]
    for step in steps:
        times.insert(0, times[0] - step)
    found = local_time.to_utc(shown(times, zone), zone)
    assert (found.utc == exact(times)).all()


@given(
    zone=st.sampled_from(["Europe/Warsaw", "Australia/Sydney", "America/St_Johns", "Asia/Tehran"]),
    times=st.lists(st.datetimes(datetime(1991, 1, 1), datetime(2037, 1, 1)), min_size=1).map(
        sorted
    ),
)
@example(zone="Asia/Tehran", times=[datetime(1991, 5, 2, 20, 30), datetime(2022, 9, 21, 19, 30)])
def test_any_times_come_back_or_their_hour_came_twice(zone, times):
    local = shown(times, zone)
    found = local_time.to_utc(local, zone)
    assert not found.never.any()
    wrong = found.utc != exact(times)
    assert (wrong <= (found.supposed | found.unsure)).all()


@pytest.mark.parametrize("zone", [*CHANGES])
def test_an_hour_that_the_clock_skips_is_no_time(zone):
    change = CHANGES[zone][0]
    before, after = shown([change - timedelta(minutes=1), change + timedelta(minutes=1)], zone)
    skipped = before + np.timedelta64(2, "m")
    found = local_time.to_utc(np.array([before, skipped, after]), zone)
    assert found.never.tolist() == [False, True, False]
    assert np.isnat(found.utc).tolist() == [False, True, False]
    assert found.utc[2] - found.utc[0] == np.timedelta64(2, "m")


def warsaw(*clock: str) -> local_time.Converted:
    return local_time.to_utc(
        np.array([f"2025-10-26T{each}" for each in clock], dtype="datetime64[us]"), "Europe/Warsaw"
    )


def hours(found: local_time.Converted) -> list[str]:
    return [str(time)[11:16] for time in found.utc]


def test_disorder_of_a_moment_is_no_clock_that_is_put_back():
    found = warsaw("02:10:00", "02:09:30", "02:50:00", "02:01:00", "02:00:40")
    assert hours(found) == ["00:10", "00:09", "00:50", "01:01", "01:00"]
    assert not found.supposed.any()


def test_rows_in_no_order_do_not_tell_which_of_the_two_hours_they_are_in():
    found = warsaw("01:00", "02:50", "02:10", "02:40", "02:20", "04:00")
    assert found.unsure.tolist() == [False, True, True, True, True, False]
    assert hours(found)[0] == "23:00"
    assert np.isnat(found.utc[1:5]).all()


def test_an_hour_without_a_fall_goes_with_what_is_before_or_after_and_is_told():
    assert hours(warsaw("01:50", "02:10", "02:20")) == ["23:50", "00:10", "00:20"]
    assert hours(warsaw("02:40", "02:50", "03:05")) == ["01:40", "01:50", "02:05"]
    assert hours(warsaw("02:40")) == ["00:40"]
    for found in (warsaw("01:50", "02:10"), warsaw("02:50", "03:05"), warsaw("02:40")):
        assert found.supposed.any()


def test_a_pause_hides_the_clock_that_is_put_back():
    found = warsaw("01:59", "02:01", "02:02", "02:57", "02:59", "03:01")
    assert hours(found) == ["23:59", "00:01", "00:02", "01:57", "01:59", "02:01"]
    assert found.supposed.tolist() == [False, True, True, True, True, False]


def test_no_reads_are_none():
    found = local_time.to_utc(np.empty(0, dtype="datetime64[us]"), "Europe/Warsaw")
    assert found.utc.shape == (0,)


@pytest.mark.parametrize(
    ("zone", "near"),
    [
        ("Europe/Warsav", "Europe/Warsaw"), ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"), ("europe/london", "Europe/London"),
    ],
)  # fmt: skip
def test_an_unknown_zone_is_told_with_those_that_are_near(zone, near):
    with pytest.raises(InputError, match=near):
        local_time.zone_of(zone)


@pytest.mark.parametrize(
    "zone", ["", "..", "/etc/passwd", "../../etc/passwd", "Europe", "x\0", "+2", "localtime"]
)
def test_what_is_no_zone_is_refused(zone):
    with pytest.raises(InputError, match="IANA name"):
        local_time.zone_of(zone)
