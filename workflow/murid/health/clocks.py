"""Rows of ``health`` of the clocks of logs: of each on its day, and of segments that are off it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from murid.clocks import words
from murid.clocks.align import usual
from murid.clocks.search import LEAST_JUMP
from murid.health.rows import Look, Row
from murid.health.visits import day_of
from murid.readings.trace import SECOND

MOST_DRIFT = 100.0
"""Parts per million from which a drift is out of the ordinary: clocks of quartz keep below."""
MOVED = 0.1
"""Seconds by which a clock moves over a day to be told in the evening, too."""
SHOWN = 3
"""Logs of a clock that are named."""


class _OnDay(NamedTuple):
    """A clock on a day: its segments of which the time is known, its logs, and when it begins.

    Beside the columns of ``clocks``, ``off`` is by how many seconds the clock itself is ahead: by
    which readings run late beyond the lag that the settings know.
    """

    segments: pd.DataFrame
    logs: str
    day: str
    begins: int


def rows(look: Look, clocks: Sequence[pd.DataFrame]) -> Iterator[Row]:
    """Yield how far each clock is off on its day, and the segments of the cage that say otherwise.

    What is told of a clock rests on all of its segments, of whichever cages, so that it is the same
    for all that its logs serve.

    Parameters
    ----------
    look
        The cage.
    clocks
        Tables ``clocks``, each of a clock and day, or of a clock on days that the sheet does not
        tell.
    """
    days = [of_day for clock in clocks for of_day in _by_day(look, clock)]
    off_since: str | None = None
    seen = False
    for of_day in _once(days):
        line = of_day.segments[of_day.segments["source"] == "line"].sort_values("begins")
        if line.empty:
            if not (of_day.segments["source"] == "own").any():
                remark = f"{_named(of_day)}: nothing tells whether it is off"
                yield look.row("clock_offset", **_given(of_day), finding=False, remark=remark)
            continue
        is_off = [_is_off(row.off, _lag(row.lag)) for row in line.itertuples()]
        if not is_off[0]:
            off_since = None
        if off_since is None and any(is_off):
            place = is_off.index(True)
            begun = look.clock(round(line["begins"].iloc[place].timestamp()) * SECOND)
            off_since = f"off since {begun}" + " or before" * (place == 0 and not seen)
        seen = True
        yield from _of_line(look, of_day, line, off_since)
        if not is_off[-1]:
            off_since = None
    for of_day in days:
        yield from _of_segments(look, of_day)


def _by_day(look: Look, clock: pd.DataFrame) -> Iterator[_OnDay]:
    known = clock[clock["begins"].notna()]
    known = known.assign(off=known["used"] - known["lag"].fillna(0.0))
    names = known["begins"].map(lambda begins: day_of(begins.to_pydatetime(), look.zone))
    for day, part in known.groupby(names):
        yield _OnDay(part, _names(part), str(day), round(part["begins"].min().timestamp()) * SECOND)


def _once(days: Sequence[_OnDay]) -> list[_OnDay]:
    """Return the days of clocks in order of time.

    Where those of segments with and without a start begin in one second, what stands on more.
    """
    found: dict[tuple[str, str, int], _OnDay] = {}
    for of_day in days:
        key = of_day.logs, of_day.day, of_day.begins
        other = found.get(key)
        if other is None or _standing(of_day) > _standing(other):
            found[key] = of_day
    return sorted(found.values(), key=lambda of_day: of_day.begins)


def _standing(of_day: _OnDay) -> int:
    return int(of_day.segments["line_segments"].max())


def _of_line(look: Look, of_day: _OnDay, line: pd.DataFrame, since: str | None) -> Iterator[Row]:
    first, last = line.iloc[0], line.iloc[-1]
    drift, lag = float(first["drift"]), _lag(first["lag"])
    moved = abs(last["off"] - first["off"]) >= MOVED
    later = f", by {_at(look, last)} {words.side(last['off'])}" * bool(moved)
    doubt = line["doubt"].max()
    more = words.explained(last.to_dict() | {"doubt": doubt}, look.zone, "it")
    parts = [
        f"{_named(of_day)}: it is {words.offset(first['used'], lag)}, at {_at(look, first)}{later}",
        *([since] if since else []),
        *more,
        "readings are put right",
    ]
    remark = "; ".join(parts)
    worst = line["off"].iloc[int(line["off"].abs().argmax())]
    off = bool(since) or abs(drift) > MOST_DRIFT or doubt >= LEAST_JUMP
    off = off or bool((line["jump"].abs() >= LEAST_JUMP).any())
    given = _given(of_day)
    yield look.row("clock_offset", **given, value=worst, finding=off, remark=remark)
    told = words.told_by(
        int(first["line_segments"]), int(first["line_of"]), words.days(first, look.zone)
    )
    rate = words.drift(drift, first["drift_spread"], "it")
    said = f"{rate}, {told}" if rate else "no drift can be told"
    remark = f"{_named(of_day)}: {said}"
    yield look.row("clock_drift", **given, value=drift, finding=False, remark=remark)


def _of_segments(look: Look, of_day: _OnDay) -> Iterator[Row]:
    """Yield rows of segments of the cage that are off the line of their day."""
    rows = of_day.segments
    own = rows[(rows["source"] == "own") & (rows["cage"] == look.cage)]
    for place, row in zip(own.index, own.to_dict("records"), strict=True):
        late = words.offset(row["used"], _lag(row["lag"]))
        named = words.of_logs(_names(rows.loc[[place]]))
        parts = [
            f"{named}: in segment {row['segment']} it is {late}",
            *words.explained(row, look.zone, "it"),
            "readings are put right",
        ]
        yield look.row(
            "clock_offset", str(row["segment"]), day=of_day.day, value=row["off"],
            remark="; ".join(parts),
        )  # fmt: skip


def _given(of_day: _OnDay) -> dict[str, Any]:
    # ``since`` tells two clocks of a day apart, where a sheet's days are those of another zone.
    return {
        "subject": of_day.logs, "log": of_day.logs, "day": of_day.day, "since": of_day.begins
    }  # fmt: skip


def _named(of_day: _OnDay) -> str:
    return words.of_logs(of_day.logs)


def _at(look: Look, segment: pd.Series) -> str:
    return look.clock(round(segment["begins"].timestamp()) * SECOND)[-5:]


def _names(clock: pd.DataFrame) -> str:
    """Return the names of the logs of some segments, of many the first."""
    names = [*dict.fromkeys(name for logs in clock["logs"] for name in logs)]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _lag(lag: float) -> float | None:
    return None if np.isnan(lag) else float(lag)


def _is_off(off: float, lag: float | None) -> bool:
    """Tell whether readings run so late that somebody should see to the clock."""
    low, high = usual(lag)
    return not low <= off <= high
