"""Local clock times into UTC: the hour that comes twice in autumn, and the one that never was.

Which of the two a read is in, its clock does not say; the order of the rows does, since they were
written as time went on: where the clock falls back, the second begins. A log that tells ends has a
row when its visit has ended, so that starts run back at each visit that others fell into: there it
is the ends that go on, unless the rows were sorted by their starts.
"""

import zoneinfo
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from murid import start_times
from murid.errors import InputError

DISORDER = np.timedelta64(60, "s")
"""How far rows may be out of order before it is the clock that was put back."""
_STEP = timedelta(hours=6)
"""No zone has changed its clocks twice within it since 1990."""
_AT_ONCE = 2**18
"""Rows that are converted at once: what it takes besides is small."""
_NO_ZONES = ("localtime", "Factory")
"""Names that the database of zones has for the machine's own zone, and for none."""
_NONE = np.datetime64("NaT", "us")


class Converted(NamedTuple):
    """Local times in UTC."""

    utc: NDArray[np.datetime64]
    """datetime64[us]; NaT where there is no such time, or it cannot be told which."""
    never: NDArray[np.bool_]
    """Rows in an hour that the clock skips."""
    unsure: NDArray[np.bool_]
    """Rows in an hour that comes twice, whose order does not tell in which: NaT."""
    supposed: NDArray[np.bool_]
    """Rows in an hour that comes twice that were put into one of the two by what is before and
    after, since the clock is not seen to fall back."""


class _Spans(NamedTuple):
    """Spans of time of one offset each, in order."""

    starts: NDArray[np.datetime64]
    """Local time at which each begins, by its own offset."""
    ends: NDArray[np.datetime64]
    """Local time before which it ends, by its own offset."""
    offsets: NDArray[np.timedelta64]


@cache
def zone_of(name: str) -> zoneinfo.ZoneInfo:
    """Return a time zone by its IANA name.

    Raises
    ------
    InputError
        If there is none, with names that are near.
    """
    try:
        if name in _NO_ZONES:
            raise zoneinfo.ZoneInfoNotFoundError(name)
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        listed = ", ".join(start_times.near_zones(name))
        raise InputError(
            "zone", repr(name), "the IANA name of a time zone, such as Europe/London or UTC",
            remedy=f"Is it {listed}?" if listed else "A clock that keeps one offset all the year "
            "has Etc/GMT-1 if it is an hour ahead of UTC.",
        ) from error  # fmt: skip


def to_utc(local: NDArray[np.datetime64], zone: str) -> Converted:
    """Convert local times, in the order of their rows, to UTC.

    In an hour that comes twice, rows before the clock falls back are in the first and those after
    it in the second. If it is not seen to fall back, all are in one of the two, or the pause in
    reads that is the longest hides it; if it falls back more than once, nothing can be told.

    Parameters
    ----------
    local
        datetime64[us] without NaT, as the clock showed it.
    zone
        IANA name of the clock's zone.

    Raises
    ------
    InputError
        If there is no such zone.

    Examples
    --------
    >>> local = np.array(["2025-10-26T02:59", "2025-10-26T02:01"], dtype="datetime64[us]")
    >>> [str(time) for time in to_utc(local, "Europe/Berlin").utc.astype("datetime64[m]")]
    ['2025-10-26T00:59', '2025-10-26T01:01']
    """
    tz = zone_of(zone)
    none = np.zeros(len(local), dtype=bool)
    if not len(local):
        return Converted(local.copy(), none, none, none)
    spans = _spans(tz, local.min(), local.max())
    utc, never, twice = np.empty_like(local), none.copy(), none.copy()
    span_of = np.empty(len(local), dtype=np.int16)
    for start in range(0, len(local), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        last, never[part], twice[part] = _span_of(local[part], spans)
        utc[part] = local[part] - spans.offsets[last]
        span_of[part] = last
    utc[never] = _NONE
    unsure, supposed = none.copy(), none.copy()
    for span in np.unique(span_of[twice]):
        rows = np.flatnonzero(twice & (span_of == span))
        second, sure = _second_time(local, rows, spans.starts[span], spans.ends[span - 1])
        if second is None:
            utc[rows], unsure[rows] = _NONE, True
        else:
            first = rows[:second]
            utc[first] = local[first] - spans.offsets[span - 1]
            supposed[rows] = not sure
    return Converted(utc, never, unsure, supposed)


def begun_in_utc(
    local: NDArray[np.datetime64], ends: NDArray[np.datetime64], zone: str
) -> Converted:
    """Convert the local times at which something began, and that tell when it ended, to UTC.

    Rows are in the order of the ends or of the starts: of those of the two that run back less
    often. If it is the ends, then in an hour that comes twice something began the last time that is
    not after its end; which time its end is, the order of the rows tells, as in :func:`to_utc`.

    Parameters
    ----------
    local
        (rows,) datetime64[us] without NaT, as the clock showed it.
    ends
        (rows,) the same of the ends; NaT where there is none: then the start stands for it.
    zone
        IANA name of the clock's zone.

    Raises
    ------
    InputError
        If there is no such zone.

    Examples
    --------
    >>> local, ends = np.array(
    ...     [["2025-10-26T02:15", "2025-10-26T02:05"], ["2025-10-26T02:16", "2025-10-26T02:20"]],
    ...     dtype="datetime64[us]",
    ... )
    >>> [str(time)[11:16] for time in begun_in_utc(local, ends, "Europe/Berlin").utc]
    ['00:15', '00:05']
    """
    tz = zone_of(zone)
    told = np.where(np.isnat(ends), local, ends)
    if not len(local) or _falls(local) < _falls(told):
        return to_utc(local, zone)
    ended = to_utc(told, zone)
    if ended.never.any():
        ended = to_utc(np.where(ended.never, local, told), zone)
    spans = _spans(tz, local.min(), local.max())
    last, never, twice = _span_of(local, spans)
    utc = local - spans.offsets[last]
    first = twice & ~(utc <= ended.utc)
    utc[first] = local[first] - spans.offsets[last[first] - 1]
    unsure = twice & ended.unsure
    utc[never | unsure] = _NONE
    return Converted(utc, never, unsure, twice & ended.supposed)


def ends_in_utc(
    local: NDArray[np.datetime64], begun: NDArray[np.datetime64], zone: str
) -> NDArray[np.datetime64]:
    """Convert the local times at which something ended, given when it began, to UTC.

    In an hour that comes twice, it ended the first time that is not before its beginning.

    Parameters
    ----------
    local
        (ends,) datetime64[us] without NaT, as the clock showed it.
    begun
        (ends,) datetime64[us] in UTC.
    zone
        IANA name of the clock's zone.

    Returns
    -------
    (ends,) datetime64[us]; NaT in an hour that the clock skips.

    Raises
    ------
    InputError
        If there is no such zone.
    """
    tz = zone_of(zone)
    if not len(local):
        return local.copy()
    spans = _spans(tz, local.min(), local.max())
    last = np.searchsorted(spans.starts, local, side="right") - 1
    before = np.maximum(last - 1, 0)
    first_time = local - spans.offsets[before]
    twice = local < spans.ends[before]
    utc = np.where(twice & (first_time >= begun), first_time, local - spans.offsets[last])
    utc[local >= spans.ends[last]] = _NONE
    return utc


def _falls(local: NDArray[np.datetime64]) -> int:
    return int((np.diff(local) < -DISORDER).sum())


def _span_of(
    local: NDArray[np.datetime64], spans: _Spans
) -> tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the last span each time can be in, whether it is in none, and whether in two."""
    last = np.searchsorted(spans.starts, local, side="right") - 1
    never = local >= spans.ends[last]
    twice = (last > 0) & (local < spans.ends[last - 1])
    return last, never, twice


def _second_time(
    local: NDArray[np.datetime64],
    rows: NDArray[np.intp],
    start: np.datetime64,
    end: np.datetime64,
) -> tuple[int | None, bool]:
    """Tell from which of the rows of an hour that comes twice it is the second time.

    Parameters
    ----------
    local
        All local times, in the order of their rows.
    rows
        Those in the hour.
    start, end
        The hour.

    Returns
    -------
    Position in ``rows``, None if their order tells nothing; and whether the clock was seen to fall
    back there.
    """
    steps = np.diff(local[rows])
    falls = np.flatnonzero(steps < -DISORDER)
    if len(falls) == 1:
        return int(falls[0]) + 1, True
    if len(falls):
        return None, False
    before = rows[0] > 0 and local[: rows[0]].max() < end
    after = rows[-1] + 1 < len(local) and local[rows[-1] + 1 :].min() >= start
    if before and after:
        # The clock fell back in a pause of the reads: the longest one, as far as can be told.
        first, last = local[rows[0]] - local[rows[0] - 1], local[rows[-1] + 1] - local[rows[-1]]
        return int(np.argmax(np.concatenate([[first], steps, [last]]))), False
    return (0 if after else len(rows)), False


@cache
def _changes(tz: zoneinfo.ZoneInfo, first: datetime, last: datetime) -> list[datetime]:
    """Return the times in UTC at which the offset of a zone changes, to the second."""
    found = []
    time = first
    while time < last:
        later = time + _STEP
        if _offset(tz, time) != _offset(tz, later):
            low, high = time, later
            while high - low > timedelta(seconds=1):
                middle = low + timedelta(seconds=int((high - low).total_seconds()) // 2)
                if _offset(tz, middle) == _offset(tz, time):
                    low = middle
                else:
                    high = middle
            found.append(high)
        time = later
    return found


def _offset(tz: zoneinfo.ZoneInfo, time: datetime) -> timedelta:
    return time.astimezone(tz).utcoffset() or timedelta()


def _spans(tz: zoneinfo.ZoneInfo, first: np.datetime64, last: np.datetime64) -> _Spans:
    """Return the spans of one offset each that local times from first to last lie in."""
    days = [str(time)[: len("YYYY-MM-DD")] for time in (first, last)]
    ends = [datetime.fromisoformat(day).replace(tzinfo=UTC) for day in days]
    begin, end = ends[0] - timedelta(days=2), ends[1] + timedelta(days=3)
    changes = _changes(tz, begin, end)
    offsets = [_offset(tz, time) for time in (begin, *changes)]
    edges = [begin, *changes, end]
    shifted = [
        [(edge + offset).replace(tzinfo=None) for edge, offset in zip(part, offsets, strict=True)]
        for part in (edges[:-1], edges[1:])
    ]
    return _Spans(
        np.array(shifted[0], dtype="datetime64[us]"),
        np.array(shifted[1], dtype="datetime64[us]"),
        np.array(offsets, dtype="timedelta64[us]"),
    )
