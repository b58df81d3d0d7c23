"""A clock over a day: a line through what its segments tell, and those that are off it."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

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
MOST_PAIRS = 2_000
"""Pairs of segments through which lines are tried."""
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
    segments
        How many segments it stands on.
    drift, drift_spread
        Seconds a second by which that grows, and its standard error; 0 where it is not told.
    """

    middle: float
    late: float
    late_spread: float
    segments: int
    drift: float = 0.0
    drift_spread: float = 0.0

    def at(self, moments: Floats) -> Floats:
        """Return by how many seconds readings run late at moments, seconds."""
        return self.late + self.drift * (moments - self.middle)


def through(
    moments: Floats, late: Floats, spreads: Floats, certain: NDArray[np.bool_]
) -> Line | None:
    """Lay a line through what most segments of a clock tell; those that jump do not bend it.

    One segment may find its best shift by chance, but not several that agree: chance would spread
    them over minutes. So a line stands on one segment that is certain, or on :data:`FEWEST` and the
    half of all that agree.

    Parameters
    ----------
    moments
        (n,) the segments' middles, seconds.
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
    >>> line = through(hours, 3.7 + 40e-6 * hours, np.full(6, 0.1), np.zeros(6, dtype=bool))
    >>> round(float(line.at(np.array([0.0]))[0]), 2), round(1e6 * line.drift)
    (3.7, 40)
    """
    if not len(moments):
        return None
    errors = np.hypot(spreads, RIG)
    agree = _agreeing(moments, late, errors, certain)
    enough = agree.sum() >= FEWEST and 2 * agree.sum() >= len(agree)
    if not (enough or (agree & certain).any()):
        return None
    moments, late, errors = (values[agree] for values in (moments, late, errors))
    middle = float(np.average(moments, weights=1 / errors**2))
    constant = Line(middle, *_fitted(moments - middle, late, errors, 1)[0], len(late))
    if len(moments) < FEWEST or np.ptp(moments) < LEAST_SPAN:
        return constant
    (at_middle, spread), (drift, drift_spread) = _fitted(moments - middle, late, errors, 2)
    if abs(drift) < SURE * drift_spread or abs(drift) > MOST_DRIFT:
        return constant
    return Line(middle, at_middle, spread, len(late), drift, drift_spread)


def _agreeing(
    moments: Floats, late: Floats, errors: Floats, certain: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the segments that are on the line that most are on, certain ones counting more: (n,).

    Lines through any one of them, and through any two, are tried; of many, some drawn by lot.
    """
    weight = np.where(certain, 3.0, 1.0)
    pairs = np.array([*combinations(range(len(moments)), 2)], dtype=np.int64).reshape(-1, 2)
    if len(pairs) > MOST_PAIRS:
        pairs = pairs[np.random.default_rng(1).choice(len(pairs), MOST_PAIRS, replace=False)]
    apart = moments[pairs[:, 1]] - moments[pairs[:, 0]]
    pairs = pairs[apart >= LEAST_SPAN]
    slopes = (late[pairs[:, 1]] - late[pairs[:, 0]]) / apart[apart >= LEAST_SPAN]
    bases = np.concatenate([np.arange(len(moments)), pairs[abs(slopes) <= MOST_DRIFT, 0]])
    slopes = np.concatenate([np.zeros(len(moments)), slopes[abs(slopes) <= MOST_DRIFT]])
    best, most = np.zeros(len(moments), dtype=bool), (0.0, 0.0)
    for base, slope in zip(bases, slopes, strict=True):
        gap = np.abs(late - late[base] - slope * (moments - moments[base]))
        on = gap <= np.maximum(LEAST_JUMP, SURE * errors)
        found = float(weight[on].sum()), -float((gap[on] / errors[on]).mean())
        if found > most or not best.any():
            best, most = on, found
    return best


def off(line: Line, moments: Floats, late: Floats, spreads: Floats) -> NDArray[np.bool_]:
    """Tell which segments are off the line, beyond chance and so far that it does harm: (n,)."""
    gap = np.abs(late - line.at(moments))
    return gap > np.maximum(LEAST_JUMP, SURE * np.hypot(spreads, RIG))


def _fitted(moments: Floats, late: Floats, errors: Floats, terms: int) -> list[tuple[float, float]]:
    """Fit a constant or a line; return each coefficient and its standard error."""
    # In hours, so that coefficients are of one size.
    scale = 3600.0 ** np.arange(terms)
    design = np.stack([(moments / 3600) ** power for power in range(terms)], axis=1)
    found, *_ = np.linalg.lstsq(design / errors[:, None], late / errors, rcond=None)
    inverse = np.linalg.pinv((design / errors[:, None] ** 2).T @ design)
    spread = np.sqrt(np.diag(inverse))
    return [
        (float(value), float(error))
        for value, error in zip(found / scale, spread / scale, strict=True)
    ]
