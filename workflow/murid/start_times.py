"""When a segment starts: a time of day that the sample sheet tells, on a clock of some zone.

Standard library only, since every cluster job reads the sample sheet.
"""

import difflib
import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from murid.errors import InputError

WRITTEN = "a time such as 2026-03-29 20:30:00, perhaps with parts of a second and +01:00 or Z"
"""How a time is written, for messages."""
YEARS = range(1990, 2200)
"""In which videos are taken; cameras that were never set begin in 1, 1899, 1970 or 1980."""
_TIME = re.compile(
    r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?[0-5]\d)?", re.ASCII
)


_ABBREVIATION = re.compile(r"[A-Z]{2,5}")
"""Letters that several zones share: IST is in India, Ireland and Israel."""


def is_time(text: str) -> bool:
    """Tell whether a text is a time as :data:`WRITTEN`, that there is in some calendar.

    Examples
    --------
    >>> [is_time(text) for text in ("2026-03-29 20:30", "2026-03-29T20:30:00.25Z", "20:30", "")]
    [True, True, False, False]
    """
    if not _TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_zone(name: str) -> bool:
    """Tell whether a time zone is known by this name.

    Examples
    --------
    >>> [is_zone(name) for name in ("Europe/London", "UTC", "London", "../x")]
    [True, True, False, False]
    """
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def parse(text: str, zone: str) -> datetime:
    """Return a time in UTC.

    Parameters
    ----------
    text
        As :func:`is_time` takes it.
    zone
        Of the clock, where the text does not say.

    Raises
    ------
    ValueError
        If the clock did not show it, or showed it twice, as when daylight saving begins or ends, or
        it is past all years; saying so.

    Examples
    --------
    >>> parse("2026-03-29 20:30:00", "Europe/London").isoformat()
    '2026-03-29T19:30:00+00:00'
    >>> parse("2026-10-25 01:30", "Europe/Paris").isoformat()
    '2026-10-24T23:30:00+00:00'
    """
    try:
        return _in_utc(text, datetime.fromisoformat(text), zone)
    except OverflowError as error:
        raise ValueError(f"{text}, which in UTC is in no year from 1 to 9999") from error


def _in_utc(text: str, time: datetime, zone: str) -> datetime:
    if time.tzinfo is not None:
        return time.astimezone(UTC)
    first, second = (time.replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first.astimezone(UTC)
    offsets = " or ".join(map(_offset, (first, second)))
    if first.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0) == time:
        raise ValueError(f"{text}, which came twice in {zone}; write {offsets} behind it")
    raise ValueError(f"{text}, which no clock in {zone} showed; write {offsets} behind it")


def known(text: str, zone: str) -> datetime | None:
    """Return a time in UTC as :func:`parse` has it, or None where a text tells none.

    Examples
    --------
    >>> known("2026-03-29 20:30", "UTC").isoformat()
    '2026-03-29T20:30:00+00:00'
    >>> known("2026-10-25 02:30", "Europe/Paris"), known("in the evening", "UTC")
    (None, None)
    """
    try:
        return parse(text, zone) if _is_set(text) else None
    except ValueError:
        return None


def _is_set(text: str) -> bool:
    """Tell whether a text is a time, of a clock that was set."""
    return is_time(text) and datetime.fromisoformat(text).year in YEARS


def moment(text: str, zone: str) -> datetime | None:
    """Return a time in UTC that the sample sheet tells, or None where its text tells none.

    That of a clock which was never set is none: figures and days would span decades.

    Parameters
    ----------
    text
        As the sheet has it.
    zone
        Of the clock, where the text does not say.

    Raises
    ------
    InputError
        If no clock of the zone showed that time, or one showed it twice.
    """
    if not _is_set(text):
        return None
    try:
        return parse(text, zone)
    except ValueError as error:
        raise InputError(
            "sample sheet", str(error), f"a time that clocks in {zone} showed once",
            where="column start",
        ) from error  # fmt: skip


def _offset(time: datetime) -> str:
    """Return by how much a time is ahead of UTC, as +01:00."""
    return time.isoformat()[len(time.replace(tzinfo=None).isoformat()) :]


def near_zones(name: str) -> list[str]:
    """Return names of time zones that may be meant by one that is none.

    Examples
    --------
    >>> near_zones("London")[0], near_zones("Europe/Londn")[0], near_zones("IST")
    ('Europe/London', 'Europe/London', [])
    """
    if _ABBREVIATION.fullmatch(name):
        return []
    known = {zone.lower(): zone for zone in available_timezones()}
    cities = {zone.rpartition("/")[2]: full for zone, full in sorted(known.items())}
    wanted = name.lower().replace(" ", "_")
    near = [known[each] for each in difflib.get_close_matches(wanted, known, n=3, cutoff=0.7)]
    near += [cities[each] for each in difflib.get_close_matches(wanted, cities, n=2)]
    return list(dict.fromkeys(near))
