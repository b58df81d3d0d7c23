"""The dark phase of a cage's day, by the clock on the wall."""

from datetime import datetime, time, timedelta

import pandas as pd

_CLOCK = len("2026-03-29 01:30:00")


def on_the_wall(local: pd.Series) -> pd.Series:
    """Return what the clock on the wall shows, without its offset, which changes twice a year.

    Parameters
    ----------
    local
        Times as the summaries write them: ``2026-03-29 01:30:00+01:00``; empty = not known.

    Returns
    -------
    Times without a zone; NaT where none is known.
    """
    return pd.to_datetime(local.str[:_CLOCK], errors="coerce")


def is_dark(local: pd.Series, dark: tuple[time, time] | None) -> pd.Series | None:
    """Tell which times of day are in the dark phase.

    Parameters
    ----------
    local
        Times as the summaries write them, by the clock of the cage; empty = not known.
    dark
        When the light goes out and on again; None if that is not known.

    Returns
    -------
    A mask, False where no time is known; None if no phase is known, or no time at all.
    """
    if dark is None or not (local != "").any():
        return None
    times = on_the_wall(local).dt.time
    begins, ends = dark
    if begins < ends:
        return times.map(lambda at: begins <= at < ends if pd.notna(at) else False).astype(bool)
    return times.map(lambda at: (at >= begins or at < ends) if pd.notna(at) else False).astype(bool)


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
