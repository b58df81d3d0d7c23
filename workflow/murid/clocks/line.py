"""A clock over days: lines of one drift through what its segments tell, and what is off them."""

from dataclasses import dataclass, replace

import numpy as np

from murid.clocks import search
from murid.clocks.search import MOST_DRIFT, RIG, SURE, Explained, Floats, Ints, Told, Truths

LEAST_SPAN = 2 * 3600.0
"""Seconds that the segments on a line must span for a drift to be told."""
OFTEN = 3
"""Lines from which on a clock is set again and again."""
FEWEST = 3
"""Segments without which a drift is not told, nor anything by segments that are not certain."""


@dataclass(frozen=True)
class Line:
    """By how much readings run late while a clock is not set.

    Attributes
    ----------
    begins, ends
        Moments of the first and the last segment on it, seconds.
    middle
        Moment at which ``late`` holds, seconds.
    late, spread
        Seconds, and their standard error.
    segments
        How many segments it stands on.
    """

    begins: float
    ends: float
    middle: float
    late: float
    spread: float
    segments: int


@dataclass(frozen=True)
class Course:
    """By how much the readings of a clock run late: a line, and another wherever it was set.

    Attributes
    ----------
    lines
        In order of time.
    drift, drift_spread
        Seconds a second by which all of them grow, and its standard error; 0 where no drift is
        told.
    other
        Where a drift cannot be told from a jump, what the clock did if it drifts; or None.
    """

    lines: tuple[Line, ...]
    drift: float = 0.0
    drift_spread: float = 0.0
    other: "Course | None" = None

    @property
    def segments(self) -> int:
        """How many segments it stands on."""
        return sum(line.segments for line in self.lines)

    def which(self, moments: Floats) -> Ints:
        """Return the number of the line that holds at moments, the nearest between two: (n,)."""
        away = [
            np.maximum(0, np.maximum(line.begins - moments, moments - line.ends))
            for line in self.lines
        ]
        return np.argmin(away, axis=0)

    def at(self, moments: Floats, lines: Ints | None = None) -> Floats:
        """Return by how many seconds readings run late at moments, by the lines that hold: (n,)."""
        lines = self.which(moments) if lines is None else lines
        late, middle = (
            np.array([getattr(line, name) for line in self.lines])[lines]
            for name in ("late", "middle")
        )
        return late + self.drift * (moments - middle)

    def open(self, moments: Floats) -> Floats:
        """Return the seconds by which it is open how late readings run at moments: (n,).

        Between two lines it is open when the clock was set; and where a drift cannot be told from a
        jump, what it did. A clock that is set again and again may be set after all that tells.
        """
        there = self.at(moments)
        found = np.zeros(len(moments))
        for number in range(1, len(self.lines)):
            between = (moments > self.lines[number - 1].ends) & (
                moments < self.lines[number].begins
            )
            for side in (number - 1, number):
                gap = np.abs(there - self.at(moments, np.full(len(moments), side)))
                found = np.maximum(found, gap * between)
        if len(self.lines) >= OFTEN:
            jumps = [
                abs(float(np.diff(self.at(np.full(2, line.begins), np.array([old, old + 1])))[0]))
                for old, line in enumerate(self.lines[1:])
            ]
            found[moments > self.lines[-1].ends] = max(jumps)
        if self.other is not None:
            found = np.maximum(found, np.abs(there - self.other.at(moments)))
        return found


def through(moments: Floats, late: Floats, spreads: Floats, certain: Truths) -> Course | None:
    """Lay lines of one drift through what segments of a clock tell, as few as explain most.

    One segment may find its best shift by chance, but not several that agree: chance would spread
    them over minutes. So a line stands on one segment that is certain, or on :data:`FEWEST` and the
    half of all that agree.

    Parameters
    ----------
    moments
        (n,) the segments' middles, seconds, in order.
    late, spreads
        (n,) seconds by which their readings run late, and standard errors.
    certain
        (n,) whether a segment's figure is beyond chance by itself.

    Returns
    -------
    None where nothing is known.

    Examples
    --------
    >>> hours = np.arange(6.0) * 3600
    >>> course = through(hours, 3.7 + 40e-6 * hours, np.full(6, 0.1), np.zeros(6, dtype=bool))
    >>> round(float(course.at(np.array([0.0]))[0]), 2), round(1e6 * course.drift)
    (3.7, 40)
    """
    if not len(moments):
        return None
    told = Told(moments, late, np.hypot(spreads, RIG), certain)
    steady, drifting = search.steadily(told), search.drifting(told)
    if steady.price - drifting.price >= search.BEYOND:
        course = _course(told, drifting)
        if course is None or course.drift:
            return course
        # Fitted, it is no drift that is told: what lies on its lines is on no level ones.
    course = _course(told, steady)
    if course is not None and drifting.price < steady.price:
        other = _course(told, drifting, fewest=2)
        if other is not None and other.drift and _differ(course, other, moments):
            return replace(course, other=other)
    return course


def _differ(course: Course, other: Course, moments: Floats) -> bool:
    """Tell whether two courses differ by their jumps, or by what does harm at some moment."""
    gap = np.abs(course.at(moments) - other.at(moments)).max()
    return len(course.lines) > len(other.lines) or bool(gap >= search.LEAST_JUMP)


def off(course: Course, moments: Floats, late: Floats, spreads: Floats) -> Truths:
    """Tell which segments are off the lines, beyond chance and so far that it does harm: (n,)."""
    told = Told(moments, late, np.hypot(spreads, RIG), np.zeros(len(moments), dtype=bool))
    return np.abs(late - course.at(moments)) > told.tolerances


def _course(told: Told, by: Explained, fewest: int = FEWEST) -> Course | None:
    """Fit lines to the segments that an explanation has on them; None if none stands.

    A drift is told by ``fewest`` segments.
    """
    groups = []
    for number in range(int(by.line[-1]) + 1):
        of = by.line == number
        on = of & by.on
        enough = on.sum() >= FEWEST and 2 * on.sum() >= of.sum()
        if enough or (on & told.certain).any():
            groups.append(np.flatnonzero(on))
    if not groups:
        return None
    course = _fitted(told, groups, fewest)
    while small := _small_jump(course):
        # Prices of many segments add up: a jump that does no harm is none.
        groups[small - 1 : small + 1] = [np.concatenate(groups[small - 1 : small + 1])]
        course = _fitted(told, groups, fewest)
    return course


def _small_jump(course: Course) -> int:
    """Return the number of the first line before which the clock jumped by too little; 0 = none."""
    for number, new in enumerate(course.lines[1:], 1):
        moment, sides = np.full(2, new.begins), np.array([number - 1, number])
        if abs(float(np.diff(course.at(moment, sides))[0])) < search.LEAST_JUMP:
            return number
    return 0


def _fitted(told: Told, groups: list[Ints], fewest: int) -> Course:
    """Fit a line to each group of segments, all of one drift, which ``fewest`` tell."""
    middles = [
        float(np.average(told.moments[on], weights=1 / told.errors[on] ** 2)) for on in groups
    ]
    drift, spread = _drift(told, groups, middles, fewest)
    lines = []
    for on, middle in zip(groups, middles, strict=True):
        moments, weights = told.moments[on], 1 / told.errors[on] ** 2
        level = float(np.average(told.late[on] - drift * (moments - middle), weights=weights))
        error = float(weights.sum() ** -0.5)
        lines.append(Line(moments[0], moments[-1], middle, level, error, len(on)))
    return Course(tuple(lines), drift, spread)


def _drift(
    told: Told, groups: list[Ints], middles: list[float], fewest: int
) -> tuple[float, float]:
    """Return the drift that segments on lines share, and its standard error; 0 if none is told."""
    if sum(map(len, groups)) < fewest:
        return 0.0, 0.0
    if max(float(np.ptp(told.moments[on])) for on in groups) < LEAST_SPAN:
        return 0.0, 0.0
    along = np.concatenate(
        [told.moments[on] - middle for on, middle in zip(groups, middles, strict=True)]
    )
    every = np.concatenate(groups)
    weights = 1 / told.errors[every] ** 2
    # About its middle a line's level does not depend on its slope.
    sum_of_squares = float((weights * along**2).sum())
    drift = float((weights * along * told.late[every]).sum()) / sum_of_squares
    spread = sum_of_squares**-0.5
    if abs(drift) < SURE * spread or abs(drift) > MOST_DRIFT:
        return 0.0, 0.0
    return drift, spread
