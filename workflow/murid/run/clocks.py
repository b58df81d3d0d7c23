"""Which segments are by one clock: those whose antenna logs one machine wrote, day by day."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from murid.clocks.days import DAYS_BEFORE
from murid.sheet import Segment

Key = tuple[str, str]


class Clock(NamedTuple):
    """A clock on a day.

    Attributes
    ----------
    segments
        Those whose readings are by it.
    before
        Names of the same clock on the :data:`DAYS_BEFORE` days before, as far as there are
        segments.
    """

    segments: list[Key]
    before: list[str]


def by_clock(segments: Mapping[Key, Segment], one: bool) -> dict[str, Clock]:
    """Return the segments whose readings are by one clock on one day, by a name for it.

    The name tells whose they are, and the day.

    Logs that serve a cage are by one clock, and so are cages that a log serves.

    Parameters
    ----------
    segments
        Of the sheet; those without readings are by none.
    one
        Whether all logs are by one clock.
    """
    first: dict[str, str] = {}

    def root(name: str) -> str:
        name = "all" if one else name
        while first.setdefault(name, name) != name:
            first[name] = name = first[first[name]]
        return name

    for key, row in segments.items():
        for path in row.readings:
            first[root(f"log {path}")] = root(f"cage {key[0]}")
    clocks: dict[tuple[str, str], list[Key]] = {}
    for key, row in segments.items():
        if row.readings:
            clocks.setdefault((root(f"cage {key[0]}"), row.start[:10]), []).append(key)
    names = {
        (clock, day): f"{'all' if one else _cages(keys)}_{day or 'undated'}"
        for (clock, day), keys in clocks.items()
    }
    return {
        names[clock, day]: Clock(
            keys, [names[clock, other] for other in _before(day) if (clock, other) in names]
        )
        for (clock, day), keys in clocks.items()
    }


def _before(day: str) -> list[str]:
    """Return the days before one, as the sheet writes them; none if that is no date."""
    try:
        last = date.fromisoformat(day)
    except ValueError:
        return []
    # A camera that was never set may write year 1, before which there are no days.
    count = min(DAYS_BEFORE, (last - date.min).days)
    return [str(last - timedelta(days=number)) for number in range(count, 0, -1)]


def _cages(keys: Sequence[Key]) -> str:
    """Name the cages of segments: the first, and how many more; no cage has a name with a plus."""
    first, *others = dict.fromkeys(cage for cage, _ in keys)
    return f"{first}+{len(others)}_more" if others else first
