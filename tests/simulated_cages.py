"""Cages of which the truth is known, to see how often intervals cover it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

Floats = NDArray[np.float64]
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


@dataclass(frozen=True)
class Situation:
    """How cages are alike.

    ``rate`` is the share right on average over all cages that there could be. Its log odds differ
    from cage to cage and from snippet to snippet with the standard deviations ``between`` and
    ``within``. Each snippet has ``rows``; if ``unequal``, between a quarter of them and all, and
    each cage from one snippet to ``snippets``.
    """

    cages: int
    snippets: int
    rate: float
    between: float
    within: float
    rows: int = 135
    unequal: bool = False


def mean_rate(middle: float, spread: float) -> float:
    """Return the mean of the logistic function of a normal variable."""
    return float(_WEIGHTS @ expit(middle + spread * _NODES) / _WEIGHTS.sum())


def draw(
    situation: Situation, repeats: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw rows that are right, and all rows: (cages, snippets, repeats) each."""
    spread = np.hypot(situation.between, situation.within)
    middle = brentq(lambda at: mean_rate(at, spread) - situation.rate, -20, 30)
    shape = (situation.cages, situation.snippets, repeats)
    odds = middle + random.normal(0, situation.between, (situation.cages, 1, repeats))
    odds = odds + random.normal(0, situation.within, shape)
    rows = np.full(shape, situation.rows)
    if situation.unequal:
        held = random.integers(1, situation.snippets + 1, (situation.cages, 1, repeats))
        some = random.integers(max(situation.rows // 4, 1), situation.rows + 1, shape)
        rows = np.where(np.arange(situation.snippets)[:, None] < held, some, 0)
    return random.binomial(rows, expit(odds)), rows


def covered(low: Floats, high: Floats, truth: float) -> float:
    """Return the share of intervals that cover the truth."""
    return float(((low <= truth) & (truth <= high)).mean())
