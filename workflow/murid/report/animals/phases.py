"""The dark phase of a cage's day, by the clock on the wall."""

from datetime import datetime, time, timedelta

import pandas as pd

WALL = "%Y-%m-%d %H:%M:%S"
_CLOCK = len("2026-03-29 01:00:00")


def wall(local: pd.Series) -> pd.Series:
    """Return times as the clock on the wall showed them, without its offset from UTC.

    Parameters
    ----------
    local
        Times as the summaries write them, by the clock of the cage; empty = not known.

    Returns
    -------
    datetime64, NaT where no time is known.

    Examples
    --------
    >>> wall(pd.Series(["2026-03-29 01:00:00+01:00", "2026-03-29 03:00:00+02:00"])).dt.hour.tolist()
    [1, 3]
    """
    # Offsets differ within a table where daylight saving begins or ends.
    return pd.to_datetime(local.str[:_CLOCK], format=WALL, errors="coerce")


def is_dark(local: pd.Series, dark: tuple[time, time] | None) -> pd.Series | None:
    """Tell which times of day are in the dark phase.

    Parameters
    ----------
    local
        As :func:`wall` takes them.
    dark
        When the light goes out and on again; None if that is not known.

    Returns
    -------
    A mask (``boolean``), missing where no time is known, which is neither dark nor light; None if
    no phase is known, or no time at all.
    """
    if dark is None or not (local != "").any():
        return None
    at = wall(local)
    known = at.notna()
    begins, ends = dark
    after, before = (at.dt.time[known] >= begins), (at.dt.time[known] < ends)
    held = after & before if begins < ends else after | before
    return held.astype("boolean").reindex(local.index)


def nights(
    first: datetime, last: datetime, dark: tuple[time, time]
) -> list[tuple[datetime, datetime]]:
    """Return when the dark phases begin and end that have a part between two times.

    Examples
    --------
    >>> from datetime import datetime as at, time
    >>> found = nights(at(2026, 3, 1, 12), at(2026, 3, 2, 12), (time(19), time(7)))
    >>> [(out.hour, on.day) for out, on in found]
    [(19, 2)]
    """
    begins, ends = dark
    day = (first - timedelta(days=1)).date()
    found = []
    while day <= last.date():
        out = datetime.combine(day, begins)
        on = datetime.combine(day + timedelta(days=begins >= ends), ends)
        if on > first and out < last:
            found.append((out, on))
        day += timedelta(days=1)
    return found
