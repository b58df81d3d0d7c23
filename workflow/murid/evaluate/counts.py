"""Outcomes summed up: every metric of Section 5.3, and what is right by bins of confidence."""

import numpy as np
import pandas as pd

from murid import schemas, tables

UNIT = ["cage", "segment", "split", "snippet", "method"]
_Terms = dict[str, tuple[pd.Series, pd.Series]]
"""What is summed to the count, and to the normaliser, of each metric."""


def count_metrics(animals: pd.DataFrame, detections: pd.DataFrame) -> pd.DataFrame:
    """Count every metric in every snippet.

    Parameters
    ----------
    animals, detections
        The tables ``animal_outcomes`` and ``detection_outcomes``.

    Returns
    -------
    The table ``counts``. Rates are sums of ``count`` over sums of ``normaliser``; for ``IoU_O`` the
    count is the sum of IoU. Given detections, the counts of A_GD, MisID_GD, FNR_GD and FPR_GD add
    up to the number of detections.
    """
    parts = [
        _sum(animals[UNIT], _overall(animals)),
        _sum(detections[UNIT], _given_detections(detections)),
    ]
    counts = tables.concatenate(parts, "counts")
    order = counts["metric"].map(schemas.METRICS.index)
    counts = counts.assign(order=order).sort_values([*UNIT, "order"], ignore_index=True)
    return tables.conform(counts, "counts")


def _overall(outcomes: pd.DataFrame) -> _Terms:
    visible, assigned = outcomes["visible"], outcomes["assigned"]
    return {
        "A_O": (outcomes["correct"], visible | ~visible),
        "IoU_O": (outcomes["iou"], visible),
        "U_O": (outcomes["uncovered"], visible),
        "FNR_O": (visible & ~assigned, visible),
        "FPR_O": (~visible & assigned, ~visible),
    }


def _given_detections(outcomes: pd.DataFrame) -> _Terms:
    named, real = outcomes["identity"].notna(), outcomes["oracle"].notna()
    same = outcomes["identity"] == outcomes["oracle"]
    return {
        "A_GD": ((named & same) | (~named & ~real), real | ~real),
        "MisID_GD": (named & real & ~same, real),
        "FNR_GD": (~named & real, real),
        "FPR_GD": (named & ~real, ~real),
    }


def _sum(units: pd.DataFrame, terms: _Terms) -> pd.DataFrame:
    """Sum the terms in every unit; one row a unit and metric."""
    columns = {}
    for metric, (count, normaliser) in terms.items():
        columns[metric, "count"] = count.astype("float64")
        columns[metric, "normaliser"] = normaliser.astype("int64")
    sums = pd.DataFrame(columns).groupby([units[name] for name in UNIT], sort=True).sum()
    return pd.concat({metric: sums[metric] for metric in terms}, names=["metric"]).reset_index()


def count_reliability(animals: pd.DataFrame) -> pd.DataFrame:
    """Count rows, and those that are right, by confidence in every snippet.

    Parameters
    ----------
    animals
        The table ``animal_outcomes``; rows without a confidence are left out.

    Returns
    -------
    The table ``reliability``, bins without rows left out. Whatever is drawn of it is a sum over
    bins and snippets.
    """
    sure = animals[animals["confidence"].notna()]
    rows = sure.assign(
        kind=np.where(sure["assigned"].to_numpy(dtype=bool), *schemas.KINDS),
        bin=bin_of(sure["confidence"]),
        rows=1,
        right=sure["correct"].astype(np.int64),
        confidence=sure["confidence"].astype(np.float64),
    )
    sums = rows.groupby([*UNIT, "kind", "bin"], as_index=False)[
        ["rows", "right", "confidence"]
    ].sum()
    return tables.conform(sums, "reliability")


def bin_of(confidence: pd.Series) -> np.ndarray:
    """Return the number of the bin of :data:`murid.schemas.CONFIDENCE_EDGES` that each is in.

    Examples
    --------
    >>> bin_of(pd.Series([0.0, 0.049, 0.05, 0.9, 1.0], dtype="float32")).tolist()
    [0, 0, 1, 18, 45]
    """
    values = confidence.to_numpy(dtype=np.float32)
    return np.searchsorted(schemas.CONFIDENCE_EDGES[1:-1], values, side="right")
