"""A clock over a day: a line through what its segments tell, and those that are off it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

LEAST_SPAN = 2 * 3600.0
"""Seconds of a day that its segments must span for a drift to be told."""
FEWEST = 3
"""Segments without which a drift is not told."""
RIG = 0.15
"""Seconds by which segments of one clock differ all the same: systems scan in turns."""
SURE = 3.0
"""Standard errors from which a drift is one, and a segment is off the line."""
LEAST_JUMP = 1.0
"""Seconds by which a segment must be off the line to be told: less does no harm."""
MOST_DRIFT = 500e-6
"""Seconds a second that a clock may gain or lose: more is no clock."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """By how much the readings of a clock run late over a day.

    Attributes
    ----------
    middle
        Moment at which ``late`` holds, seconds.
    late, late_spread
        Seconds, and their standard error.
    drift, drift_spread
        Seconds a second by which that grows, and its standard error; 0 where it is not told.
    """

    middle: float
    late: float
    late_spread: float
    drift: float = 0.0
    drift_spread: float = 0.0

    def at(self, moments: Floats) -> Floats:
        """Return by how many seconds readings run late at moments, seconds."""
        return self.late + self.drift * (moments - self.middle)


def through(moments: Floats, late: Floats, spreads: Floats) -> Line | None:
    """Lay a line through what the segments of a clock tell; single ones that jump do not bend it.

    Parameters
    ----------
    moments
        (n,) the segments' middles, seconds.
    late, spreads
        (n,) seconds by which their readings run late, and standard errors.

    Returns
    -------
    None where there is no segment.

    Examples
    --------
    >>> hours = np.arange(6.0) * 3600
    >>> line = through(hours, 3.7 + 40e-6 * hours, np.full(6, 0.1))
    >>> round(float(line.at(np.array([0.0]))[0]), 2), round(1e6 * line.drift)
    (3.7, 40)
    """
    if not len(moments):
        return None
    errors = np.hypot(spreads, RIG)
    middle = float(np.average(moments, weights=1 / errors**2))
    begin = float(np.median(late))
    constant = _fitted(moments - middle, late, errors, [begin])
    if len(moments) < FEWEST or np.ptp(moments) < LEAST_SPAN:
        return Line(middle, *constant[0])
    sloping = _fitted(moments - middle, late, errors, [begin, 0.0])
    drift, spread = sloping[1]
    if abs(drift) < SURE * spread or abs(drift) > MOST_DRIFT:
        return Line(middle, *constant[0])
    return Line(middle, *sloping[0], drift, spread)


def off(line: Line, moments: Floats, late: Floats, spreads: Floats) -> NDArray[np.bool_]:
    """Tell which segments are off the line, beyond chance and so far that it does harm: (n,)."""
    gap = np.abs(late - line.at(moments))
    return gap > np.maximum(LEAST_JUMP, SURE * np.hypot(spreads, RIG))


def _fitted(
    moments: Floats, late: Floats, errors: Floats, begin: list[float]
) -> list[tuple[float, float]]:
    """Fit a polynomial robustly; return each coefficient and its standard error."""
    # In hours, so that coefficients are of one size.
    hours = moments / 3600
    terms = np.stack([hours**power for power in range(len(begin))], axis=1)

    def left(coefficients: Floats) -> Floats:
        return (terms @ coefficients - late) / errors

    found = least_squares(left, begin, loss="soft_l1").x
    # Those far off the line say nothing of how well the others hold it.
    weights = 1 / errors**2 / (1 + left(found) ** 2) ** 0.5
    inverse = np.linalg.pinv(terms.T @ (terms * weights[:, None]))
    scale = [3600.0**-power for power in range(len(begin))]
    return [
        (float(found[power] * scale[power]), float(np.sqrt(inverse[power, power]) * scale[power]))
        for power in range(len(begin))
    ]
