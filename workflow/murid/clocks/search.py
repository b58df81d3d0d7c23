"""Which segments lie on lines of one drift, where a clock may be set in between: the least that
explains what all of them tell.

Each explanation has a price: what a segment tells counts if it is on no line, a jump counts, and so
does a drift. Prices are in segments that are not certain.
"""

from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RIG = 0.15
"""Seconds by which segments of one clock differ all the same: systems scan in turns."""
SURE = 3.0
"""Standard errors from which a drift is one, and a segment is off the line."""
LEAST_JUMP = 1.0
"""Seconds by which a segment must be off the line to be told: less does no harm."""
MOST_DRIFT = 500e-6
"""Seconds a second that a clock may gain or lose: more is no clock."""
FINE = 3e-6
"""Seconds a second between drifts that are tried: half of it makes .5 s in four days."""
CERTAIN = 3.0
"""What a certain segment counts that is on no line; others 1."""
JUMP, DRIFT = 2.5, 1.0
"""What a jump counts, which one certain segment outweighs, or three others; and a drift."""
BEYOND = 2.0
"""By how much a drift must explain better to be told apart from jumps."""
TOGETHER = 60.0
"""Seconds within which segments, of several cages, are of one time: a clock jumps between times."""
ANCHORS = 2
"""Segments of a time through which lines are tried."""
MOST_STRETCHES = 576
"""Times beyond which lines are tried through fewer segments, of as many stretches of time: every
ten minutes of four days. The search would grow by the square of their number."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]


class Told(NamedTuple):
    """What segments tell of their clock, in order of time; all (n,).

    Attributes
    ----------
    moments
        Their middles, seconds.
    late, errors
        Seconds by which their readings run late, and standard errors.
    certain
        Whether a segment's figure is beyond chance by itself.
    """

    moments: Floats
    late: Floats
    errors: Floats
    certain: Truths

    @property
    def tolerances(self) -> Floats:
        """Seconds by which each may be off a line that it is on."""
        return np.maximum(LEAST_JUMP, SURE * self.errors)


class Explained(NamedTuple):
    """An explanation: its price, its drift, and of each segment which line is its, and if it is on.

    Lines are numbered from 0 in order of time.
    """

    price: float
    drift: float
    line: Ints
    on: Truths


def steadily(told: Told) -> Explained:
    """Explain by a clock that does not drift."""
    return _explained(told, 0.0)


def drifting(told: Told) -> Explained:
    """Explain by the drift that does so best."""
    count = round(MOST_DRIFT / FINE)
    drifts = FINE * np.setdiff1d(np.arange(-count, count + 1), [0])
    prices, _ = _walked(told, drifts)
    # Of several that explain alike the least.
    least = np.flatnonzero(prices <= prices.min() + 1e-9)
    return _explained(told, float(drifts[least[np.abs(drifts[least]).argmin()]]))


def _explained(told: Told, drift: float) -> Explained:
    (price,), anchors = _walked(told, np.array([drift]))
    gap = np.abs(told.late - told.late[anchors] - drift * (told.moments - told.moments[anchors]))
    line = np.cumsum(np.diff(anchors, prepend=anchors[:1]) != 0)
    return Explained(price + DRIFT * bool(drift), drift, line, gap <= told.tolerances)


def _walked(told: Told, drifts: Floats) -> tuple[Floats, Ints]:
    """Return the least price by each drift, (n drifts,), and of the last one the lines.

    A line is named by the segment through which it goes: (n,).
    """
    times = _times(told.moments)
    anchors = _anchors(told, times)
    slopes = drifts[:, None]
    total = np.zeros((len(drifts), len(anchors)))
    off = np.empty_like(total)
    came: list[Ints] = []
    tolerances = told.tolerances
    bounds = np.searchsorted(times, np.arange(int(times[-1]) + 2))
    for time, (first, last) in enumerate(pairwise(bounds)):
        if time:
            jumped = total.min(axis=1, keepdims=True) + JUMP
            best = total[-1].argmin()
            came.append(np.where(total[-1] <= jumped[-1], np.arange(len(anchors)), best))
            np.minimum(total, jumped, out=total)
        for place in range(first, last):
            gap = told.late[place] - told.late[anchors]
            apart = told.moments[place] - told.moments[anchors]
            np.multiply(slopes, apart, out=off)
            np.subtract(gap, off, out=off)
            off /= tolerances[place]
            # The nearer to a line, the better: a drift is no staircase of small jumps.
            np.minimum(np.square(off, out=off), 1.0, out=off)
            if told.certain[place]:
                off *= CERTAIN
            total += off
    line = int(total[-1].argmin())
    lines = [line]
    for step in reversed(came):
        line = int(step[line])
        lines.append(line)
    return total.min(axis=1), anchors[np.array(lines[::-1])[times]]


def _times(moments: Floats) -> Ints:
    """Number the times of segments, from 0: (n,); those that follow closely are of one."""
    numbers, begins = [], -np.inf
    number = -1
    for moment in moments:
        if moment - begins > TOGETHER:
            number, begins = number + 1, moment
        numbers.append(number)
    return np.array(numbers, dtype=np.int64)


def _anchors(told: Told, times: Ints) -> Ints:
    """Return the segments through which lines are tried: the surest of each time."""
    order = _surest(told, times)
    firsts = np.searchsorted(times[order], times[order], side="left")
    anchors = np.sort(order[np.arange(len(order)) - firsts < ANCHORS])
    count = int(times[-1]) + 1
    if count <= MOST_STRETCHES:
        return anchors
    return _thinned(told, anchors, times * MOST_STRETCHES // count)


def _surest(told: Told, times: Ints) -> Ints:
    """Return the order of segments by time, the surest of each first: (n,)."""
    return np.lexsort([told.errors, ~told.certain, times])


def _thinned(told: Told, anchors: Ints, stretches: Ints) -> Ints:
    """Return of each stretch the surest anchors, and others through which other lines may go.

    A line through one that a surer one is near to is nearly the same.
    """
    some = _agreed(told, 2 * len(stretches) // MOST_STRETCHES)
    order = _surest(told, stretches)
    kept: list[int] = []
    for _, places in groupby(order[np.isin(order, anchors)], key=stretches.__getitem__):
        own: list[int] = []
        for place in places:
            apart = np.abs(told.late[own] - told.late[place]) > LEAST_JUMP
            if len(own) < ANCHORS or (some[place] and apart.all()):
                own.append(place)
        kept += own
    return np.sort(np.array(kept, dtype=np.int64))


def _agreed(told: Told, reach: int) -> Truths:
    """Tell which segments could be on a line of their own: (n,).

    Such are certain, or agree with so many others, of ``reach`` before and after, that these
    outweigh a jump.
    """
    others = np.zeros(len(told.late), dtype=np.int64)
    for step in range(1, reach + 1):
        gap = np.abs(told.late[step:] - told.late[:-step])
        drifted = MOST_DRIFT * (told.moments[step:] - told.moments[:-step])
        near = gap <= np.maximum(told.tolerances[step:], told.tolerances[:-step]) + drifted
        others[step:] += near
        others[:-step] += near
    return told.certain | (1 + others > JUMP)
