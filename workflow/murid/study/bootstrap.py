"""Rates over whole snippets, and how sure they and their differences are.

Whole snippets are drawn with replacement, since frames seconds apart are alike; what is compared is
drawn together.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

LEVELS = (0.025, 0.975)
"""Between these quantiles of the draws lies a 95% interval."""

_SNIPPET = ["cage", "segment", "snippet"]
Floats = NDArray[np.float64]


def by_snippet(
    counts: pd.DataFrame, metric: str, methods: Sequence[str]
) -> tuple[Floats, NDArray[np.int64]]:
    """Sum the counts of a metric.

    Parameters
    ----------
    counts
        The table ``counts``.
    metric
        Which.
    methods
        The methods, in the order of the columns.

    Returns
    -------
    Counts and normalisers, (snippets, methods) each; 0 where a method has none.
    """
    own = counts[(counts["metric"] == metric) & counts["method"].isin(methods)]
    wide = own.pivot_table(
        index=_SNIPPET, columns="method", values=["count", "normaliser"], aggfunc="sum"
    )

    def columns(name: str) -> Floats:
        chosen = wide[name] if name in wide else pd.DataFrame()
        return chosen.reindex(columns=list(methods)).fillna(0).to_numpy(dtype=np.float64)

    return columns("count"), columns("normaliser").astype(np.int64)


def draw(snippets: int, resamples: int, seed: int) -> NDArray[np.int64]:
    """Draw how often each snippet counts: (resamples, snippets), none if there is only one."""
    if snippets < 2:
        return np.zeros((0, snippets), dtype=np.int64)
    random = np.random.default_rng(seed)
    return random.multinomial(snippets, np.full(snippets, 1 / snippets), size=resamples)


def rates(count: Floats, normaliser: NDArray[np.number]) -> Floats:
    """Return counts over normalisers, NaN where nothing counts: same shape."""
    return np.divide(count, normaliser, out=np.full(count.shape, np.nan), where=normaliser > 0)


def interval(drawn: Floats) -> tuple[Floats, Floats]:
    """Return the percentile bootstrap's 95% interval: (resamples, n) -> (n,) twice, NaN if none."""
    bounds = np.full((2, drawn.shape[1]), np.nan)
    if len(drawn):
        known = ~np.isnan(drawn).all(axis=0)
        bounds[:, known] = np.nanquantile(drawn[:, known], LEVELS, axis=0)
    return bounds[0], bounds[1]


def behind(
    count: Floats,
    normaliser: NDArray[np.integer],
    drawn: NDArray[np.int64],
    lower_is_better: bool = False,
) -> pd.DataFrame:
    """Compare every column with the best.

    Parameters
    ----------
    count, normaliser
        (snippets, n), as :func:`by_snippet` gives.
    drawn
        (resamples, snippets), as :func:`draw` gives.
    lower_is_better
        What the best is.

    Returns
    -------
    A row a column: ``behind`` (by how much it is worse), ``low, high`` (its interval; NaN with a
    single snippet), ``as_good`` (whether the interval reaches 0).
    """
    sign = -1.0 if lower_is_better else 1.0
    values = sign * rates(count.sum(axis=0), normaliser.sum(axis=0))
    best = int(np.nanargmax(values))
    again = sign * rates(drawn @ count, drawn @ normaliser)
    low, high = interval(again[:, [best]] - again)
    as_good = [None if np.isnan(limit) else bool(limit <= 0) for limit in low]
    return pd.DataFrame(
        {"behind": values[best] - values, "low": low, "high": high, "as_good": as_good}
    )
