"""The dark phase of a cage's day, by the clock on the wall."""

from datetime import datetime, time, timedelta

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.summaries.periods import SECONDS

DARK, LIGHT = "dark", "light"
DAY = 24 * 3600
"""Seconds."""
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


def share(begin: pd.Series, end: pd.Series, dark: tuple[time, time] | None) -> NDArray[np.float64]:
    """Tell which share of the time from one moment to another is in the dark phase.

    Parameters
    ----------
    begin, end
        By the clock on the wall, as :func:`wall` gives them.
    dark
        When the light goes out and on again; None if that is not known.

    Returns
    -------
    NaN where a moment or the phase is not known.

    Examples
    --------
    >>> at = pd.to_datetime(pd.Series(["2026-03-01 19:00", "2026-03-01 18:00"]))
    >>> share(at, at + pd.Timedelta(hours=1), (time(19, 30), time(7))).tolist()
    [0.5, 0.0]
    """
    if dark is None:
        return np.full(len(begin), np.nan)
    lasts = (end - begin).dt.total_seconds().to_numpy(np.float64)
    passed = _dark_until(end, dark) - _dark_until(begin, dark)
    return np.divide(passed, lasts, out=np.full(len(begin), np.nan), where=lasts > 0)


def parts(figures: pd.DataFrame, dark: tuple[time, time] | None) -> dict[str, pd.DataFrame] | None:
    """Part figures into those of each phase: hours, and the minutes of hours that have both.

    Parameters
    ----------
    figures
        Any of the tables ``animal_figures``, ``zone_figures`` and ``pair_figures``, hours and
        minutes. An hour in which the light goes out or on is in neither phase if its minutes are
        not among them.
    dark
        When the light goes out and on again; None if that is not known.

    Returns
    -------
    Rows by :data:`DARK` and :data:`LIGHT`; those of no time of day are in neither. None if no phase
    is known, or no time at all.
    """
    known = figures[(figures["local"] != "") & figures["time"].notna()]
    if dark is None or known.empty:
        return None
    hours = known[known["period"] == "hour"]
    chosen, shares = [hours], [_of_clock(hours, "hour", dark)]
    if _both(shares[0]).any():
        minutes = known[known["period"] == "minute"]
        chosen.append(minutes[_both(_of_clock(minutes, "hour", dark))])
        shares.append(_of_clock(chosen[1], "minute", dark))
    rows, of_rows = pd.concat(chosen), np.concatenate(shares)
    return {DARK: rows[of_rows == 1], LIGHT: rows[of_rows == 0]}


def has_both(hours: pd.DataFrame, dark: tuple[time, time] | None) -> bool:
    """Tell whether any of some hours has a part in each phase, so that its minutes are needed."""
    known = hours[(hours["local"] != "") & hours["time"].notna()]
    return dark is not None and bool(_both(_of_clock(known, "hour", dark)).any())


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


def _of_clock(rows: pd.DataFrame, period: str, dark: tuple[time, time]) -> NDArray[np.float64]:
    """Tell the share that is dark of the hour, or minute, of the clock that each row is of."""
    moment = rows["time"].dt.floor("s")
    lasts = pd.Timedelta(seconds=SECONDS[period])
    # Hours are those of UTC: where clocks are off it by half an hour, they begin at half past.
    begin = wall(rows["local"]) - (moment - moment.dt.floor(lasts))
    return share(begin, begin + lasts, dark)


def _both(shares: NDArray[np.float64]) -> NDArray[np.bool_]:
    return (shares > 0) & (shares < 1)


def _dark_until(at: pd.Series, dark: tuple[time, time]) -> NDArray[np.float64]:
    """Return the seconds of the dark phase from 1970 to some moments."""
    begins, ends = (each.hour * 3600.0 + each.minute * 60 + each.second for each in dark)
    since = (at - pd.Timestamp(0)).dt.total_seconds().to_numpy(np.float64)
    days, second = np.divmod(since, DAY)
    if begins < ends:
        return days * (ends - begins) + np.clip(second - begins, 0, ends - begins)
    morning, evening = np.minimum(second, ends), np.maximum(second - begins, 0)
    return np.asarray(days * (ends + DAY - begins) + morning + evening)
