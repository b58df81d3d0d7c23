"""How sure a figure is: 95% intervals, by how much cages differ.

Frames of a snippet are alike, and so are snippets of a cage, so that a cage is one observation,
however many snippets and frames it brings. Every figure is worked out again without each cage in
turn (the jackknife); how much it then changes gives its standard error, and Student's t the
interval. What a cage's own snippets add to the differences between cages is in there, too.
Too few cages tell nothing, and get no interval.

Cages are not alike on both sides: near a share of one, most are a little better than their mean and
a few are far worse, and some of six may happen to hold none of these. Student's t then misses on
that side up to four times as often as it should. Johnson's correction by the skewness of the
cages' contributions moves that end further out; the other stays, since six cages hardly tell how
skewed they are. If one cage in ten is far worse and none of six is, no interval can know.

References
----------
Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap, chapter 11.
Johnson, N. J. (1978). Modified t tests and confidence intervals for asymmetrical populations.
Journal of the American Statistical Association 73: 536-544.
Kish, L. (1965). Survey Sampling, section 11.7: how many cages those of unequal size are worth.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
FEWEST_CAGES = 3
"""Cages that an interval needs."""
FEWEST_WORTH = 2.0
"""Cages of equal size that they need to be worth."""

Floats = NDArray[np.float64]
Numbers = Floats | NDArray[np.integer]
_HALF_A_ROW = 0.5
"""Keeps log odds finite."""
_NO_SPREAD = 1e-24
"""Mean square that is taken for none, through rounding."""
_NO_ROW = 1e-6
"""Rows that are taken for none, through rounding."""


@dataclass(frozen=True)
class Estimate:
    """A share with its 95% interval, all 0 to 1, and the numbers of cages and snippets behind it.

    There is no interval where the cages are too few to tell.
    """

    value: float
    interval: tuple[float, float] | None
    cages: int
    snippets: int


def estimates(
    values: Floats, ends: tuple[Floats, Floats], cages: int, snippets: int
) -> list[Estimate]:
    """Return figures and the ends of their intervals, (k,) each, as estimates."""
    return [
        Estimate(
            float(value), None if np.isnan(low) else (float(low), float(high)), cages, snippets
        )
        for value, low, high in zip(values, *ends, strict=True)
    ]


def worth(sizes: Floats) -> Floats:
    """Return how many cages of equal size those of unequal sizes are worth: (cages, k) -> (k,).

    Examples
    --------
    >>> worth(np.array([[5.0, 9.0], [5.0, 1.0], [0.0, 0.0]])).round(2).tolist()
    [2.0, 1.22]
    """
    squares = (sizes**2).sum(axis=0)
    return np.where(squares > 0, sizes.sum(axis=0) ** 2 / np.maximum(squares, 1), 0.0)


def suffice(sizes: Floats) -> NDArray[np.bool_]:
    """Tell whether cages of these sizes suffice for an interval: (cages, k) -> (k,)."""
    return ((sizes > 0).sum(axis=0) >= FEWEST_CAGES) & (worth(sizes) >= FEWEST_WORTH)


def interval(
    value: Floats, without: Floats, sizes: Floats, share: bool = True
) -> tuple[Floats, Floats]:
    """Return the 95% interval of figures, by the jackknife over cages.

    It is wider to the side of the tail, by how skewed the cages' contributions are. The jackknife's
    estimate of a figure's bias widens the interval to that side, too, so that it holds of figures
    to which chance can only add. Shares of all or nothing do not show how much cages differ: their
    interval goes as far as if one row of the largest cage were otherwise.

    Parameters
    ----------
    value
        (k,), the figures.
    without
        (cages, k), the same without each cage.
    sizes
        (cages, k), rows that each cage brings; with 0, a cage is none.
    share
        Whether the figures are shares, 0 to 1: their log odds are then taken to be Student's, with
        the error of the share carried over (delta method), else the figures themselves, which are
        from -1 to 1.

    Returns
    -------
    Lower and upper ends, (k,) each, which the figures are within; NaN where cages are too few.
    """
    low, high = np.full((2, len(value)), np.nan)
    judged = suffice(sizes) & np.isfinite(value)
    if not judged.any():
        return low, high
    from scipy.special import expit  # slow to import, and seldom needed
    from scipy.stats import t as student

    value, without, sizes = value[judged], without[:, judged], sizes[:, judged]
    given = value
    if share:
        value, without = _one_otherwise(value, without, sizes)
    total, cages = sizes.sum(axis=0), (sizes > 0).sum(axis=0)
    centre, slope = value, np.ones(len(value))
    if share:
        # A leap of the log odds without the one cage that holds all errors would tell nothing.
        centre, likely = _log_odds(value, total), (value * total + _HALF_A_ROW) / (total + 1)
        slope = likely * (1 - likely)
    again = np.where(sizes > 0, without, 0.0)
    mean = again.sum(axis=0) / cages
    contributions = np.where(sizes > 0, mean - again, 0.0) / slope
    error = np.sqrt((contributions**2).sum(axis=0) * (cages - 1) / cages)
    unbiased = centre - (cages - 1) * (mean - value) / slope
    times = student.ppf((1 + LEVEL) / 2, worth(sizes) - 1)
    tail = _tail(contributions, cages) * (1 + 2 * times**2) * error
    if share:
        # So few rows fall to cages by chance, whether cages are alike or not.
        few = np.minimum(value, 1 - value) * total < cages - _NO_ROW
        tail = np.where(few, 0.0, tail)
    ends = (
        np.minimum(centre, unbiased) - times * error + np.minimum(tail, 0),
        np.maximum(centre, unbiased) + times * error + np.maximum(tail, 0),
    )
    lower, upper = (expit(end) for end in ends) if share else (np.clip(end, -1, 1) for end in ends)
    low[judged], high[judged] = np.minimum(lower, given), np.maximum(upper, given)
    return low, high


def _tail(contributions: Floats, cages: NDArray[np.int_]) -> Floats:
    """Return by how many standard errors, for each 1 + 2 t², the interval reaches to a tail's side.

    It is the skewness of what cages contribute, (cages, k) about their mean and 0 where there is no
    cage, over 6 times the root of their number (Johnson 1978).
    """
    square = (contributions**2).sum(axis=0) / cages
    cube = (contributions**3).sum(axis=0) / cages
    skewness = np.divide(cube, square**1.5, out=np.zeros(len(cube)), where=square > _NO_SPREAD)
    return skewness / (6 * np.sqrt(cages))


def _one_otherwise(value: Floats, without: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Put one row of the largest cage otherwise where all rows are right, or none is."""
    total = sizes.sum(axis=0)
    step = np.where(value * total < _NO_ROW, 1.0, np.where((1 - value) * total < _NO_ROW, -1.0, 0))
    largest = np.arange(len(sizes))[:, None] == sizes.argmax(axis=0)
    left = np.where(largest | (sizes == total), np.inf, total - sizes)
    return value + step / total, without + step / left


def _log_odds(share: Floats, rows: Floats) -> Floats:
    right, wrong = share * rows + _HALF_A_ROW, (1 - share) * rows + _HALF_A_ROW
    return np.log(right) - np.log(wrong)


def rates(count: Floats, normaliser: Numbers) -> Floats:
    """Return counts over normalisers, NaN where nothing counts: same shape."""
    return np.divide(
        count, normaliser, out=np.full(np.shape(count), np.nan), where=np.asarray(normaliser) > 0
    )


def of_rates(count: Floats, normaliser: Numbers) -> tuple[Floats, Floats]:
    """Return the 95% intervals of rates.

    Parameters
    ----------
    count, normaliser
        (cages, k), sums over each cage; the rates are ratios of sums over all.

    Returns
    -------
    Lower and upper ends, (k,) each; NaN where cages are too few.

    Examples
    --------
    Of three cages of a hundred rows, 80, 90 and 85 are right; and in three others all are:

    >>> count = np.array([[80.0, 100.0], [90.0, 100.0], [85.0, 100.0]])
    >>> [end.round(3).tolist() for end in of_rates(count, np.full((3, 2), 100.0))]
    [[0.681, 0.917], [0.937, 1.0]]
    """
    total, rows = count.sum(axis=0), normaliser.sum(axis=0)
    without = rates(total - count, rows - normaliser)
    return interval(rates(total, rows), without, normaliser.astype(np.float64))


def of_differences(
    count: Floats, normaliser: Numbers, others: Sequence[int] | NDArray[np.integer]
) -> tuple[Floats, Floats]:
    """Return the 95% intervals of differences between rates of the same cages.

    Of simulated rates of .91 to .98 whose log odds differ much between cages (standard deviation
    1.3, that of their difference 0.6), six cages covered the truth in 81 to 86% only.

    Parameters
    ----------
    count, normaliser
        (cages, k), sums over each cage.
    others
        (k,) column that each is compared with.

    Returns
    -------
    Ends of the interval of each column's rate less that of its other, (k,) each; NaN where cages
    are too few.
    """
    total, rows = count.sum(axis=0), normaliser.sum(axis=0)
    value, without = rates(total, rows), rates(total - count, rows - normaliser)
    sizes = (normaliser + normaliser[:, others]).astype(np.float64)
    return interval(value - value[others], without - without[:, others], sizes, share=False)
