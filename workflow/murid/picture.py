"""Whether boxes can be of a picture at all: their unit, and where they lie."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murid import boxes

WHOLE = 0.8
"""Share of the picture from which a box is the picture rather than an animal."""
FOLLOWS = 0.9
"""Correlation of sides and corners from which sides are corners themselves."""
MOST_OUTSIDE = 0.5
"""Share of boxes outside the picture from which they are boxes of another one."""


def other_unit(given: ArrayLike) -> str:
    """Tell what boxes are if they are no ``x, y, w, h`` in pixels; nothing if they seem to be.

    Parameters
    ----------
    given
        Shape (n, 4), finite.
    """
    table = np.asarray(given, dtype=np.float64).reshape(-1, 4)
    if not len(table):
        return ""
    x, y, w, h = table.T
    count = f"{len(table):,} boxes"
    if max(w.max(), h.max()) <= 1:
        return (
            f"{count}, none wider or higher than a pixel: these look like shares of the picture "
            "(0 to 1); expected pixels of the raw frame"
        )
    follows = (w > x).all() and (h > y).all() and _correlation(x, w) >= FOLLOWS
    if follows and _correlation(y, h) >= FOLLOWS:
        return (
            f"{count}, all with w above x and h above y, and growing with them: these look like "
            "x2, y2 of the other corner; expected w = x2 - x and h = y2 - y"
        )
    return ""


def outside(given: ArrayLike, size: tuple[float, float]) -> NDArray[np.bool_]:
    """Tell which boxes have their centre outside a picture: (n, 4), width and height -> (n,)."""
    centres = boxes.centroids_and_sizes(given)[:, :2]
    return np.asarray(((centres < 0) | (centres > np.array(size))).any(axis=1))


def as_large(given: ArrayLike, size: tuple[float, float]) -> NDArray[np.bool_]:
    """Tell which boxes are the picture rather than an animal in it: (n, 4) -> (n,)."""
    table = np.asarray(given, dtype=np.float64).reshape(-1, 4)
    low, high = table[:, :2], table[:, :2] + table[:, 2:]
    covered = np.prod(np.clip(np.minimum(high, size) - np.maximum(low, 0), 0, None), axis=1)
    return ~outside(table, size) & (covered >= WHOLE * np.prod(size))


def _correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return how closely one follows the other; 0 where either is always the same."""
    if min(np.ptp(first), np.ptp(second)) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])
