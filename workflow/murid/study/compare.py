"""Rates of methods side by side, on the same cages, and how sure their differences are."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import intervals, tables
from murid.errors import InputError
from murid.report import metric_words

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """A setting of which several values are tried: its column, these, and what it is called.

    ``current`` is the value in use.
    """

    column: str
    tried: Sequence[float]
    label: str
    current: float

    def is_edge(self, value: float) -> bool:
        """Tell whether a value is the least or the most tried, so that better may lie beyond."""
        return len(self.tried) > 1 and value in (min(self.tried), max(self.tried))


def read_counts(paths: Iterable[Path], methods: Collection[str], expected: str) -> pd.DataFrame:
    """Read the counts of all segments or cages.

    Parameters
    ----------
    paths
        Tables ``counts``.
    methods, expected
        The methods that they are to have, and these in words.

    Raises
    ------
    InputError
        If no frame was evaluated, or a method is missing.
    """
    counts = tables.concatenate((tables.read(path, "counts") for path in paths), "counts")
    if counts.empty:
        raise InputError(
            "annotations", "no frame of Train and Validate that could be evaluated", "some",
            remedy="Annotate some, or see evaluate.snippets and evaluate.min_annotated.",
        )  # fmt: skip
    missing = set(methods) - set(counts["method"])
    if missing:
        raise InputError(
            "counts", f"nothing on {min(missing)}", expected,
            remedy="Give the settings that the counts were made with.",
        )  # fmt: skip
    return counts


def extent(counts: pd.DataFrame) -> dict[str, Any]:
    """Return what counts are of: how many ``snippets`` and ``segments``, ``cages``, ``splits``."""
    return {
        "snippets": len(counts[["cage", "segment", "snippet"]].drop_duplicates()),
        "segments": len(counts[["cage", "segment"]].drop_duplicates()),
        "cages": sorted(counts["cage"].unique()),
        "splits": sorted(counts["split"].unique()),
    }


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
    rows = counts[(counts["metric"] == metric) & counts["method"].isin(methods)]
    sums = rows.groupby(["cage", "method"])[["count", "normaliser"]].sum().unstack()
    count, normaliser = (
        sums[name].reindex(columns=list(methods)).fillna(0).to_numpy(dtype=np.float64)
        for name in ("count", "normaliser")
    )
    return count, normaliser.astype(np.int64)


def totals(count: Floats, normaliser: NDArray[np.integer]) -> Floats:
    """Return the rates over all cages, NaN where nothing counts: (cages, n) -> (n,)."""
    return intervals.rates(count.sum(axis=0), normaliser.sum(axis=0))


def compare_settings(
    counts: pd.DataFrame,
    metrics: Iterable[str],
    judged: Collection[str],
    settings: tuple[Setting, Setting],
    name: Callable[[Any, Any], str],
) -> pd.DataFrame:
    """Sum counts over cages, and tell how sure it is that a pair of settings is not the best.

    Parameters
    ----------
    counts
        Table ``counts`` of all cages.
    metrics, judged
        What is summed, and of what is told how far each pair is behind the best.
    settings
        The two settings of which all values were tried together.
    name
        Names a pair of their values, as ``method`` in ``counts``.

    Returns
    -------
    One row a metric and pair of values: ``metric``, the two columns of the settings, ``in_use,
    count, normaliser, value``, and of what is judged, unless nothing counts, as :func:`behind`
    gives.
    """
    pairs = list(product(*(setting.tried for setting in settings)))
    current = tuple(setting.current for setting in settings)
    parts = []
    for metric in metrics:
        count, normaliser = by_cage(counts, metric, [name(*pair) for pair in pairs])
        part = pd.DataFrame(pairs, columns=[setting.column for setting in settings])
        part.insert(0, "metric", metric)
        part["in_use"] = [pair == current for pair in pairs]
        part["count"], part["normaliser"] = count.sum(axis=0), normaliser.sum(axis=0)
        part["value"] = totals(count, normaliser)
        if metric in judged and part["value"].notna().any():
            lower_is_better = metric_words.METRICS[metric].better == "lower"
            part = part.join(behind(count, normaliser, lower_is_better))
        parts.append(part)
    return pd.concat(parts, ignore_index=True).astype({"as_good": object, "cages": "Int64"})


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
    return pd.DataFrame(
        {
            "behind": values[best] - values,
            "low": 0.0 - high,
            "high": 0.0 - low,
            "as_good": [None if np.isnan(limit) else bool(limit >= 0) for limit in high],
            "cages": (normaliser > 0).sum(axis=0),
        }
    )


def judge(table: pd.DataFrame, metric: str) -> dict[str, Any] | None:
    """Return what a page says of the pairs of settings by a metric.

    Parameters
    ----------
    table
        As :func:`compare_settings` gives.
    metric
        One that is judged.

    Returns
    -------
    ``rows`` of the table, the ``best`` and the one in use (``used``, None if not tried) of them,
    whether there are cages enough to tell differences (``judged``), and the largest
    ``normaliser``; None if nothing counts. Of several that are equally good, those in use are best.
    """
    rows = table[(table["metric"] == metric) & table["value"].notna()]
    if rows.empty:
        return None
    order = rows.sort_values(["behind", "in_use"], ascending=[True, False], kind="stable")
    used = rows[rows["in_use"]]
    return {
        "rows": rows,
        "best": order.iloc[0].to_dict(),
        "used": used.iloc[0].to_dict() if len(used) else None,
        "judged": bool(rows["low"].notna().any()),
        "normaliser": int(rows["normaliser"].max()),
    }
