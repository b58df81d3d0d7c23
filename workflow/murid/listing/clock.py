"""Clock times that names of files tell: when they were, and what a segment is called by them.

Standard library only, since options are checked by it.
"""

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from murid import start_times

Clock = Mapping[str, int | str]
"""Parts of a time, as :class:`murid.listing.patterns.Told` has them."""
DATE = frozenset({"year", "month", "day"})
STARTED = DATE | {"hour", "minute"}
"""What must be told of a time at which a segment starts."""
PARTS = ("year", "month", "day", "hour", "minute", "second", "microsecond")
"""In their order; :class:`datetime.datetime` takes them so."""
LASTS = {
    "year": timedelta(days=366),
    "month": timedelta(days=31),
    "day": timedelta(days=1),
    "hour": timedelta(hours=1),
}
"""How long a file lasts whose name tells no finer part of a time."""
LENGTH = "a length of time such as 90s, 30min, 1h or 1d"
"""How lengths are written, for messages."""
_LENGTH = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) ?(s|min|h|d)")
_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
LONGEST = timedelta(days=366)


def length(text: str) -> timedelta:
    """Return a length of time.

    Raises
    ------
    ValueError
        If it is none as :data:`LENGTH`, or no longer than nothing or longer than a year.

    Examples
    --------
    >>> length("1.5h")
    datetime.timedelta(seconds=5400)
    """
    found = _LENGTH.fullmatch(text)
    lasts = timedelta(seconds=float(found[1]) * _UNITS[found[2]]) if found else timedelta()
    if not timedelta() < lasts <= LONGEST:
        raise ValueError(LENGTH)
    return lasts


def lasting(parts: Collection[str]) -> timedelta | None:
    """Return how long a file lasts by the parts of a time that its name tells, None if untold.

    Examples
    --------
    >>> lasting({"year", "month", "day"}), lasting({"hour", "minute"})
    (datetime.timedelta(days=1), None)
    """
    told = [part for part in PARTS if part in parts]
    return LASTS.get(told[-1]) if told else None


def local(clock: Clock) -> datetime:
    """Return what the clock showed, from midnight of the first day where parts are lacking.

    Raises
    ------
    ValueError
        If there is no such day.
    """
    given = {part: clock[part] for part in PARTS if part in clock}
    # A day of month 0 is what a day of the year becomes that there is not.
    first = {"year": 1, "month": 1, "day": 1, **given}
    try:
        return datetime(**first)  # type: ignore[arg-type]
    except ValueError:
        raise ValueError("a date that there is not") from None


def started(clock: Clock, zone: str) -> datetime:
    """Return when a clock showed a time, in UTC.

    Raises
    ------
    ValueError
        Saying why nobody can know: there is no such day, or the clock showed it twice or never.
    """
    text = local(clock).isoformat() + str(clock.get("offset", ""))
    return start_times.parse(text, zone)


def bounds(clock: Clock, lasts: timedelta | None, zone: str) -> tuple[datetime, datetime | None]:
    """Return when a file begins at the earliest and ends at the latest, in UTC.

    Parameters
    ----------
    clock
        What it was called by when it began.
    lasts
        How long by the same clock, None if nobody knows.
    zone
        Of the clock.

    Raises
    ------
    ValueError
        As :func:`local`.
    """
    begin = local(clock)
    if "offset" in clock:
        exact = started(clock, zone)
        return exact, exact + lasts if lasts else None
    end = max(_readings(begin + lasts, zone)) if lasts else None
    return min(_readings(begin, zone)), end


def _readings(shown: datetime, zone: str) -> list[datetime]:
    """Return when a clock may have shown a time: twice, or as if, where its offset changes."""
    return [shown.replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC) for fold in (0, 1)]


def written(start: datetime, zone: str) -> str:
    """Return a time as the sheet has it: by the clock of a zone, with its offset.

    Examples
    --------
    >>> written(datetime(2026, 3, 29, 19, 30, tzinfo=UTC), "Europe/London")
    '2026-03-29T20:30:00+01:00'
    """
    return start.astimezone(ZoneInfo(zone)).isoformat()


def name_of(start: datetime, zone: str) -> str:
    """Return what a segment is called that starts then: as the clock showed, or in UTC if twice.

    Examples
    --------
    >>> name_of(datetime(2026, 3, 29, 19, 30, tzinfo=UTC), "Europe/London")
    '20260329T203000'
    >>> name_of(datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "Europe/London")
    '20261025T003000Z'
    """
    shown = start.astimezone(ZoneInfo(zone))
    once = shown.replace(fold=0).utcoffset() == shown.replace(fold=1).utcoffset()
    named, zulu = (shown, "") if once else (start.astimezone(UTC), "Z")
    fraction = f".{named.microsecond:06}" if named.microsecond else ""
    return f"{named:%Y%m%dT%H%M%S}{fraction}{zulu}"
