"""Which segments lie on lines of one drift, where a clock may be set in between: the least that
explains what all of them tell.

Each explanation has a price: what a segment tells counts if it is on no line, a jump counts, and so
does a drift. Prices are in segments that are not certain.
"""

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
    came: list[Ints] = []
    tolerances = told.tolerances
    for time in range(int(times[-1]) + 1):
        if time:
            jumped = total.min(axis=1, keepdims=True) + JUMP
            best = total[-1].argmin()
            came.append(np.where(total[-1] <= jumped[-1], np.arange(len(anchors)), best))
            total = np.minimum(total, jumped)
        for place in np.flatnonzero(times == time):
            gap = told.late[place] - told.late[anchors]
            apart = told.moments[place] - told.moments[anchors]
            share = np.abs(gap - slopes * apart) / tolerances[place]
            # The nearer to a line, the better: a drift is no staircase of small jumps.
            off = np.minimum(share**2, 1.0)
            total += CERTAIN * off if told.certain[place] else off
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
    order = np.lexsort([told.errors, ~told.certain, times])
    firsts = np.searchsorted(times[order], times[order], side="left")
    return np.sort(order[np.arange(len(order)) - firsts < ANCHORS])
