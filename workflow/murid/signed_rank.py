"""Wilcoxon's signed-rank test: whether paired observations differ beyond chance, in one direction.

Written out, since every segment is tested, and the library that has it takes longer to load than
the test of a segment's trace takes.

References
----------
Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1: 80-83.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

EXACT, EXACT_TIED = 50, 13
"""Differences up to which every way of giving them signs is counted, the latter where some are of
one size, or 0; beyond, a Gaussian serves. The numbers are those of ``scipy.stats.wilcoxon``."""


def greater(differences: ArrayLike) -> float:
    """Return how probable differences so far above 0 are if both signs are as probable.

    Parameters
    ----------
    differences
        (n,), finite; those of 0 do not count, and of equals each has their mean rank.

    Returns
    -------
    0 to 1; 1 if there are none.

    Examples
    --------
    >>> greater([3.0, 1.0, 2.0])
    0.125
    """
    every = np.asarray(differences, dtype=np.float64)
    values = every[every != 0]
    if not len(values):
        return 1.0
    _, which, counts = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    # Twice the mean rank of equals, which is a whole number.
    ranks = (2 * counts.cumsum() - counts + 1)[which]
    found = int(ranks[values > 0].sum())
    tied = len(counts) < len(every)
    if len(every) > (EXACT_TIED if tied else EXACT):
        excess = (found - ranks.sum() / 2) / math.sqrt((ranks**2).sum() / 4)
        return math.erfc(excess / math.sqrt(2)) / 2
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    for rank in ranks:
        chances[rank:] += chances[:-rank].copy()
        chances /= 2
    return min(float(chances[found:].sum()), 1.0)
