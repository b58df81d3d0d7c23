"""Counts summed to the metrics of Section 5.3, by split and cage, and how sure they are."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from murid import contracts, intervals, tables
from murid.errors import InputError
from murid.identify.methods import methods as known_methods
from murid.intervals import Estimate

SPLITS = {
    "Train": ("Train",),
    "Validate": ("Validate",),
    "Test": ("Test",),
    "Tune": ("Train", "Validate"),
}
"""The splits that are reported, and which of the sheet they join."""
ALL = "all"
ORACLE = "oracle"

SNIPPET = ["cage", "segment", "snippet"]


def natural(name: str) -> tuple[tuple[int, str | int], ...]:
    """Return a sorting key under which ``C2`` comes before ``C10``."""
    parts = re.findall(r"\d+|\D+", name)
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in parts)


def in_order(methods: Iterable[str]) -> list[str]:
    """Sort methods as the paper does; others follow by name."""
    known = {method: number for number, method in enumerate(known_methods())}
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
    counts: pd.DataFrame, splits: Sequence[str], method: str, metric: str
) -> Estimate | None:
    """Estimate a rate and its 95% interval.

    Parameters
    ----------
    counts
        The table ``counts``.
    splits
        Splits of the sheet to join.
    method, metric
        Which.

    Returns
    -------
    The estimate, or None if nothing counts.
    """
    chosen = counts[
        counts["split"].isin(splits) & (counts["method"] == method) & (counts["metric"] == metric)
    ]
    chosen = chosen[chosen["normaliser"] > 0]
    if chosen.empty:
        return None
    sums = chosen.groupby("cage")[["count", "normaliser"]].sum().to_numpy(dtype=np.float64)
    count, normaliser = sums[:, :1], sums[:, 1:]
    low, high = intervals.of_rates(count, normaliser)
    return Estimate(
        float(count.sum() / normaliser.sum()),
        None if np.isnan(low[0]) else (float(low[0]), float(high[0])),
        len(sums),
        len(chosen[SNIPPET].drop_duplicates()),
    )
