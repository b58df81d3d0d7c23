"""The clock of a day: what its segments and those of days before tell, and each segment's part."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from murid import tables
from murid.clocks import line, words
from murid.clocks.days import DAYS_BEFORE
from murid.clocks.line import FEWEST, Course
from murid.clocks.search import Floats, Truths

DAY = 86_400.0


def set_clock(parts: Sequence[Path], before: Sequence[Path], output: Path) -> str:
    """Write by how much the readings of each segment of a day run late; return that in words.

    Days after it tell nothing of it, so that a new night does not make anew what is told of those
    before. A segment that is surely off the lines has its own figure: its clock was off, or was
    set, for it alone. One that tells nothing for certain has the line's. Where there is no line,
    nothing is known.

    Parameters
    ----------
    parts
        Tables ``lateness``, of one segment each, of the same clock and day; or of any days, where
        the sheet does not tell days: then each segment's is made of those a day long.
    before
        The same of the :data:`DAYS_BEFORE` days before it.
    output
        Table ``clocks`` to write, of the segments in ``parts``.
    """
    known = pd.concat(
        [
            tables.concatenate(
                (tables.read(path, "lateness") for path in paths), "lateness"
            ).assign(earlier=earlier)
            for paths, earlier in ((before, True), (parts, False))
        ]
    )
    known = known.sort_values(["begins", "cage", "segment"], ignore_index=True)
    begins, earlier = _seconds(known), known["earlier"].to_numpy(dtype=bool)
    made, told = [], ""
    for own in _days(begins, ~earlier):
        # Of a segment that is discarded, not even the time is known.
        first = np.nanmin(begins[own], initial=np.inf)
        with np.errstate(invalid="ignore"):
            near = earlier | ((begins >= first - DAYS_BEFORE * DAY) & (begins < first))
        rows = of_day(known[own | near].reset_index(drop=True), own[own | near])
        made.append(rows)
        told = _described(rows)
    table = pd.concat(made, ignore_index=True).drop(columns="earlier")
    tables.write(tables.conform(table, "clocks"), output, "clocks")
    return told


def _days(begins: Floats, own: Truths) -> Iterator[Truths]:
    """Yield the segments of each day, (n,): a day is as long from its first segment on.

    Segments of which no time is known are of the first.
    """
    unknown = own & np.isnan(begins)
    left = own & ~unknown
    if not left.any():
        yield unknown
        return
    while left.any():
        now = left & (begins < begins[left].min() + DAY)
        yield now | unknown
        left &= ~now
        unknown = np.zeros(len(own), dtype=bool)


def of_day(known: pd.DataFrame, own: Truths) -> pd.DataFrame:
    """Return the rows of ``clocks`` of a day's own segments.

    Parameters
    ----------
    known
        Rows of ``lateness`` of all that tell of the day.
    own
        (n,) which of them are of the day.
    """
    middles = _seconds(known) + known["seconds"].to_numpy(dtype=np.float64) / 2
    late, spread = (known[name].to_numpy(dtype=np.float64) for name in ("late", "spread"))
    sure = known["certain"].to_numpy(dtype=bool)
    told = np.isfinite(late) & np.isfinite(spread) & np.isfinite(middles)
    order = np.flatnonzero(told)[np.argsort(middles[told], kind="stable")]
    course = line.through(middles[order], late[order], spread[order], sure[order])
    mine, timed = known[own], np.isfinite(middles[own])
    if course is None or not timed.any():
        return _rows(mine, len(known), timed, {})
    moments, late, spread = (values[own][timed] for values in (middles, late, spread))
    told, sure = told[own][timed], sure[own][timed]
    off = np.zeros(len(moments), dtype=bool)
    off[told] = line.off(course, moments[told], late[told], spread[told])
    alone = off & sure
    spreads = np.array([each.spread for each in course.lines])
    filled = {
        "used": np.where(alone, late, course.at(moments)),
        "source": np.where(alone, "own", "line"),
        "drift": 1e6 * course.drift,
        "line_segments": course.segments,
        "line_spread": spreads[course.which(moments)],
        "drift_spread": 1e6 * course.drift_spread,
        "line_from": course.lines[0].begins,
        "line_to": course.lines[-1].ends,
        "doubt": np.maximum(course.open(moments), _against(course, moments, late, off, alone)),
        "other_drift": 1e6 * course.other.drift if course.other else 0.0,
    }
    return _rows(mine, len(known), timed, filled | _jumps(course, moments))


def _rows(
    mine: pd.DataFrame, looked_at: int, timed: Truths, filled: Mapping[str, object]
) -> pd.DataFrame:
    """Return rows of ``clocks``; what is ``filled`` is known of those that are timed alone."""
    usual: dict[str, object] = dict.fromkeys(
        ("used", "line_spread", "drift_spread", "jump", *_TIMES), np.nan
    )
    usual |= {"source": "none", "line_of": looked_at, "line_segments": 0}
    usual |= dict.fromkeys(("drift", "doubt", "other_drift"), 0.0)
    rows = mine.assign(**usual).reset_index(drop=True)
    for name, values in filled.items():
        rows.loc[timed, name] = values
    for name in _TIMES:
        moments = pd.to_datetime((1e6 * rows[name]).round(), unit="us", utc=True)
        rows[name] = moments.astype("datetime64[us, UTC]")
    return rows


def _jumps(course: Course, moments: Floats) -> dict[str, Floats]:
    """Return of each segment the last jump before it, if that is of its day: seconds, and when."""
    found = {name: np.full(len(moments), np.nan) for name in _OF_JUMP}
    which = course.which(moments)
    for number, (old, new) in enumerate(pairwise(course.lines), 1):
        since = (which >= number) & (new.begins >= moments.min())
        old_at, new_at = (
            float(course.at(np.array([new.begins]), np.array([side]))[0])
            for side in (number - 1, number)
        )
        for name, value in zip(_OF_JUMP, (new_at - old_at, old.ends, new.begins), strict=True):
            found[name][since] = value
    return found


_OF_JUMP = ("jump", "jump_after", "jump_before")
_TIMES = ("line_from", "line_to", *_OF_JUMP[1:])
"""Columns that are moments."""


def _against(course: Course, moments: Floats, late: Floats, off: Truths, alone: Truths) -> Floats:
    """Return the seconds by which what segments tell contradicts their lines: (n,).

    One that may be chance counts where a line stands on few, or is not told after it any more. Then
    it is as open of the others there, which may tell nothing.
    """
    which = course.which(moments)
    few = np.array([each.segments < FEWEST for each in course.lines])[which]
    after = moments > np.array([each.ends for each in course.lines])[which]
    counts = off & (alone | few | after)
    against = np.where(counts, np.abs(late - course.at(moments)), 0.0)
    for number in range(len(course.lines)):
        beyond = after & (which == number)
        against[beyond & ~alone] = against[beyond].max(initial=0.0)
    return against


def _seconds(known: pd.DataFrame) -> Floats:
    """Return when segments begin, seconds since 1970; NaN where that is not known."""
    begins = known["begins"].dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    return np.where(np.isnat(begins), np.nan, begins.astype(np.int64) / 1e6)


def _described(rows: pd.DataFrame) -> str:
    """Say what is known of a day's clock."""
    on_line = rows[rows["source"] == "line"]
    if on_line.empty:
        return f"none of {len(rows)} segments tells whether the log's clock is off"
    row = on_line.iloc[len(on_line) // 2]
    lag = None if np.isnan(row["lag"]) else float(row["lag"])
    parts = [
        f"the log's clock is {words.offset(row['used'], lag)}, give or take "
        f"{row['line_spread']:.1f} s, in the middle of the day's segments",
        *words.explained(row.to_dict(), "UTC", "it"),
    ]
    return "; ".join(parts)
