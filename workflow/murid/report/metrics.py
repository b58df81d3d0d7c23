"""Counts summed to the metrics of Section 5.3, by split and cage, and how sure they are."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from murid import contracts, tables
from murid.errors import InputError

SPLITS = {
    "Train": ("Train",),
    "Validate": ("Validate",),
    "Test": ("Test",),
    "Tune": ("Train", "Validate"),
}
"""The splits that are reported, and which of the sheet they join."""
ALL = "all"
METHODS = ("static_c", "static_p", "ilp", "ilp_lag", "ilp_tempered", "path", "visual", "oracle")
ORACLE = "oracle"

_SNIPPET = ["cage", "segment", "snippet"]


@dataclass(frozen=True)
class Estimate:
    """A rate with its 95% interval, both 0 to 1; no interval where there is only one snippet."""

    value: float
    interval: tuple[float, float] | None
    snippets: int


def natural(name: str) -> tuple[tuple[int, str | int], ...]:
    """Return a sorting key under which ``C2`` comes before ``C10``."""
    parts = re.findall(r"\d+|\D+", name)
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in parts)


def in_order(methods: Iterable[str]) -> list[str]:
    """Sort methods as the paper does; others follow by name."""
    known = {method: number for number, method in enumerate(METHODS)}
    return sorted(set(methods), key=lambda method: (known.get(method, len(known)), method))


def metrics_table(counts: pd.DataFrame) -> pd.DataFrame:
    """Sum counts to the metrics of every split, method and group.

    Parameters
    ----------
    counts
        The table ``counts`` of any number of cages. Segments without a split are left out.

    Returns
    -------
    The table ``metrics``: splits, methods and metrics in the order of the paper, the group ``all``
    before the cages. A split that has no counts is absent.

    Raises
    ------
    InputError
        If a cage is named ``all``.
    """
    if (counts["cage"] == ALL).any():
        raise InputError("counts", f"a cage named {ALL!r}", "another name", where="column cage")
    by_split = pd.concat(
        counts[counts["split"].isin(members)].assign(split=split)
        for split, members in SPLITS.items()
    )
    grouped = pd.concat([by_split.assign(group=ALL), by_split.assign(group=by_split["cage"])])
    keys = ["split", "method", "group", "metric"]
    table = grouped.groupby(keys, as_index=False)[["count", "normaliser"]].sum()
    normaliser = table["normaliser"].where(table["normaliser"] > 0)
    table["value"] = table["count"] / normaliser
    orders = {
        "split": list(SPLITS),
        "method": in_order(table["method"]),
        "group": [ALL, *sorted(set(table["group"]) - {ALL}, key=natural)],
        "metric": list(contracts.METRICS),
    }
    for column, order in orders.items():
        table[column] = pd.Categorical(table[column], order)
    table = table.sort_values(list(orders), ignore_index=True)
    return tables.conform(table.astype(dict.fromkeys(orders, object)), "metrics")


def estimate(
    counts: pd.DataFrame,
    splits: Sequence[str],
    method: str,
    metric: str,
    resamples: int,
    seed: int,
) -> Estimate | None:
    """Estimate a rate and its 95% interval by the percentile bootstrap over snippets.

    Whole snippets are drawn with replacement, since frames seconds apart are alike.

    Parameters
    ----------
    counts
        The table ``counts``.
    splits
        Splits of the sheet to join.
    method, metric
        Which.
    resamples
        Number of resamples.
    seed
        Seed of the random draws.

    Returns
    -------
    The estimate, or None if nothing counts.
    """
    chosen = counts[
        counts["split"].isin(splits) & (counts["method"] == method) & (counts["metric"] == metric)
    ]
    sums = chosen.groupby(_SNIPPET)[["count", "normaliser"]].sum()
    values = sums.to_numpy(dtype=np.float64)
    count, normaliser = values.sum(axis=0)
    if normaliser == 0:
        return None
    if len(values) < 2:
        return Estimate(count / normaliser, None, len(values))
    random = np.random.default_rng(seed)
    drawn = np.array(
        [values[random.integers(len(values), size=len(values))].sum(0) for _ in range(resamples)]
    )
    drawn = drawn[drawn[:, 1] > 0]
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
    return Estimate(count / normaliser, (float(low), float(high)), len(values))
