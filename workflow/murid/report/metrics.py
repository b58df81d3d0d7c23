"""Counts summed to the metrics of Section 5.3, by split and cage, and how sure they are."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from murid import intervals, schemas, tables
from murid.errors import InputError
from murid.identify.registry import in_order, obeying
from murid.intervals import Estimate

SPLITS = {
    "Train": ("Train",),
    "Validate": ("Validate",),
    "Test": ("Test",),
    "Tune": ("Train", "Validate"),
}
"""The splits that are reported, and which of the sheet they join."""
ALL = "all"

SNIPPET = ["cage", "segment", "snippet"]


def natural(name: str) -> tuple[tuple[int, str | int], ...]:
    """Return a sorting key under which ``C2`` comes before ``C10``."""
    parts = re.findall(r"\d+|\D+", name)
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in parts)


def natural_ranks(names: pd.Series) -> pd.Series:
    """Return the place of each name in the order of :func:`natural`."""
    ranks = {name: rank for rank, name in enumerate(sorted(set(names), key=natural))}
    return names.map(ranks)


def everywhere(table: pd.DataFrame) -> pd.DataFrame:
    """Let methods that people corrected somewhere be counted everywhere.

    Where nobody was asked, a method says the same as where it obeys what it was told.

    Parameters
    ----------
    table
        Any table with ``cage``, ``segment`` and ``method``, such as ``counts``.
    """
    parts = [table]
    for name, corrected in obeying().items():
        there = table.loc[table["method"] == corrected, ["cage", "segment"]]
        own = table[table["method"] == name]
        asked = pd.MultiIndex.from_frame(own[["cage", "segment"]]).isin(
            pd.MultiIndex.from_frame(there)
        )
        if len(there):
            parts.append(own[~asked].assign(method=corrected))
    return pd.concat(parts, ignore_index=True) if len(parts) > 1 else table


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
    table["value"] = table["count"] / table["normaliser"].where(table["normaliser"] > 0)
    orders = {
        "split": list(SPLITS),
        "method": in_order(table["method"]),
        "group": [ALL, *sorted(set(table["group"]) - {ALL}, key=natural)],
        "metric": list(schemas.METRICS),
    }
    ranks = {column: {name: n for n, name in enumerate(order)} for column, order in orders.items()}
    table = table.sort_values(list(ranks), key=lambda names: names.map(ranks[names.name]))
    return tables.conform(table.reset_index(drop=True), "metrics")


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
        counts["split"].isin(splits)
        & (counts["method"] == method)
        & (counts["metric"] == metric)
        & (counts["normaliser"] > 0)
    ]
    if chosen.empty:
        return None
    by_cage = chosen.groupby("cage")[["count", "normaliser"]].sum()
    count, normaliser = (by_cage[[name]].to_numpy(dtype=np.float64) for name in by_cage)
    rate = count.sum(axis=0) / normaliser.sum(axis=0)
    snippets = len(chosen[SNIPPET].drop_duplicates())
    ends = intervals.of_rates(count, normaliser)
    return intervals.estimates(rate, ends, len(by_cage), snippets)[0]
