"""Rates of methods side by side, on the same cages, and how sure their differences are."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import intervals

Floats = NDArray[np.float64]


def by_cage(
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
    Counts and normalisers, (cages, methods) each; 0 where a method has none.
    """
    own = counts[(counts["metric"] == metric) & counts["method"].isin(methods)]
    wide = own.pivot_table(
        index="cage", columns="method", values=["count", "normaliser"], aggfunc="sum"
    )

    def columns(name: str) -> Floats:
        chosen = wide[name] if name in wide else pd.DataFrame()
        return chosen.reindex(columns=list(methods)).fillna(0).to_numpy(dtype=np.float64)

    return columns("count"), columns("normaliser").astype(np.int64)


def totals(count: Floats, normaliser: NDArray[np.integer]) -> Floats:
    """Return the rates over all cages, NaN where nothing counts: (cages, n) -> (n,)."""
    return intervals.rates(count.sum(axis=0), normaliser.sum(axis=0))


def behind(
    count: Floats, normaliser: NDArray[np.integer], lower_is_better: bool = False
) -> pd.DataFrame:
    """Compare every column with the best.

    Parameters
    ----------
    count, normaliser
        (cages, n), as :func:`by_cage` gives.
    lower_is_better
        What the best is.

    Returns
    -------
    A row a column: ``behind`` (by how much it is worse), ``low, high`` (its interval; NaN with too
    few cages to tell), ``as_good`` (whether the interval reaches 0), ``cages``.
    """
    sign = -1.0 if lower_is_better else 1.0
    values = sign * totals(count, normaliser)
    best = int(np.nanargmax(values))
    others = np.full(len(values), best, dtype=np.int64)
    low, high = intervals.of_differences(sign * count, normaliser, others)
    as_good = [None if np.isnan(limit) else bool(limit >= 0) for limit in high]
    return pd.DataFrame(
        {
            "behind": values[best] - values,
            "low": 0.0 - high,
            "high": 0.0 - low,
            "as_good": as_good,
            "cages": (normaliser > 0).sum(axis=0),
        }
    )
