"""Which box is whose in a frame, how probable each pair is, whoever else is there.

Each animal has one box at most, and each box is of one animal at most. Sums over all ways to pair
them are approximated by passing messages between animals and boxes, which is exact where they form
no loop, and close to it where they do.

References
----------
Williams, J. and Lau, R. (2014). Approximate evaluation of marginal association probabilities with
belief propagation. IEEE Transactions on Aerospace and Electronic Systems 50(4), 2942-2959.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 30
_MOST = 30.0
"""Log odds beyond which a pair is no surer."""

Floats = NDArray[np.float64]


class Association(NamedTuple):
    """Who is where.

    Attributes
    ----------
    pairs
        (N, B, J) probability of each box being each animal.
    evidence
        (N,) log of the sum over all ways to pair them, relative to none being paired.
    """

    pairs: Floats
    evidence: Floats


def associate(odds: Floats) -> Association:
    """Pair boxes with animals.

    Parameters
    ----------
    odds
        (N, B, J) in N frames, log odds of a box being an animal, against it being nobody and the
        animal hidden; minus infinity where there is no such box or animal.
    """
    weights = np.exp(np.minimum(odds, _MOST))
    to_animal = np.ones_like(weights)
    to_box = weights
    for _ in range(_ROUNDS):
        claimed = weights * to_animal
        to_box = weights / (1 + claimed.sum(axis=1, keepdims=True) - claimed)
        to_animal = 1 / (1 + to_box.sum(axis=2, keepdims=True) - to_box)
    claimed = weights * to_animal
    total = 1 + claimed.sum(axis=1, keepdims=True)
    evidence = (
        np.log(total[:, 0]).sum(axis=1)
        + np.log1p(to_box.sum(axis=2)).sum(axis=1)
        - np.log1p(to_box * to_animal).sum(axis=(1, 2))
    )
    return Association(claimed / total, evidence)
