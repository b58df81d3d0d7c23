"""Rows of ``health`` of the clocks of logs: of each on its day, and of segments that are off it."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from murid.clocks import words
from murid.clocks.align import usual
from murid.health.rows import Look, Row
from murid.health.visits import day_of
from murid.readings.trace import SECOND

MOST_DRIFT = 100.0
"""Parts per million from which a drift is out of the ordinary: clocks of quartz keep below."""
MOVED = 0.1
"""Seconds by which a clock moves over a day to be told in the evening, too."""
SHOWN = 3
"""Logs of a clock that are named."""


def rows(look: Look, clocks: Sequence[pd.DataFrame]) -> Iterator[Row]:
    """Yield how far each clock is off on its day, and the segments of the cage that say otherwise.

    What is told of a clock rests on all of its segments, of whichever cages, so that it is the same
    for all that its logs serve.

    Parameters
    ----------
    look
        The cage.
    clocks
        Tables ``clocks``, each of a clock and day.
    """
    for clock in clocks:
        known = clock[clock["begins"].notna()]
        if known.empty:
            continue
        begins = known["begins"].min()
        day = day_of(begins.to_pydatetime(), look.zone)
        yield from _of_clock(look, clock, day, round(begins.timestamp()) * SECOND)
        own = known[(known["source"] == "own") & (known["cage"] == look.cage)]
        for row in own.itertuples():
            late = words.offset(row.used, _lag(row.lag))
            remark = (
                f"segment {row.segment}: the times of {_words(_names(clock.loc[[row.Index]]))} are "
                f"{late}, unlike the {row.line_segments} segments of its day that agree: its clock "
                "jumped; put right"
            )
            yield look.row("clock_offset", str(row.segment), day=day, value=row.used, remark=remark)


def _of_clock(look: Look, clock: pd.DataFrame, day: str, since: int) -> Iterator[Row]:
    names = _names(clock)
    named = _words(names)
    # ``since`` tells two clocks of a day apart, where a sheet's days are those of another zone.
    given: dict[str, Any] = {"subject": names, "log": names, "day": day, "since": since}
    line = clock[clock["source"] == "line"].sort_values("begins")
    if line.empty:
        if not (clock["source"] == "own").any():
            remark = f"{named}: nothing tells whether its clock is off"
            yield look.row("clock_offset", **given, finding=False, remark=remark)
        return
    first, last = line.iloc[0], line.iloc[-1]
    drift, lag = float(first["drift"]), _lag(first["lag"])
    moved = abs(last["used"] - first["used"]) >= MOVED
    later = f", by {_at(look, last)} {words.side(last['used'] - (lag or 0.0))}" * bool(moved)
    parts = [
        f"{named}: its times are {words.offset(first['used'], lag)}, at {_at(look, first)}{later}",
        words.drift(drift, first["drift_spread"]),
        words.told_by(int(first["line_segments"]), len(clock)),
        "put right",
    ]
    off = any(_off(late, lag) for late in line["used"]) or abs(drift) > MOST_DRIFT
    remark = "; ".join(filter(None, parts))
    yield look.row("clock_offset", **given, value=first["used"], finding=off, remark=remark)
    remark = f"{named}: {words.drift(drift, first['drift_spread']) or 'no drift can be told'}"
    yield look.row("clock_drift", **given, value=drift, finding=False, remark=remark)


def _at(look: Look, segment: pd.Series) -> str:
    return look.clock(round(segment["begins"].timestamp()) * SECOND)[-5:]


def _names(clock: pd.DataFrame) -> str:
    """Return the names of the logs of some segments, of many the first."""
    names = [*dict.fromkeys(name for logs in clock["logs"] for name in logs)]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _words(names: str) -> str:
    return f"log{'s' * (', ' in names)} {names}"


def _lag(lag: float) -> float | None:
    return None if np.isnan(lag) else float(lag)


def _off(late: float, lag: float | None) -> bool:
    """Tell whether readings run so late that somebody should see to the clock."""
    low, high = usual(lag)
    return not low <= late - (lag or 0.0) <= high
