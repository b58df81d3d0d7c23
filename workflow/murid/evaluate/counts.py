"""Outcomes summed to counts: numerators and normalisers of every metric of Section 5.3."""

import pandas as pd

from murid import tables

UNIT = ["cage", "segment", "split", "snippet", "method"]


def count_metrics(animals: pd.DataFrame, detections: pd.DataFrame) -> pd.DataFrame:
    """Count every metric in every snippet.

    Parameters
    ----------
    animals, detections
        The tables ``animal_outcomes`` and ``detection_outcomes``.

    Returns
    -------
    The table ``counts``. Rates are sums of ``count`` over sums of ``normaliser``; for ``IoU_O`` the
    count is the sum of IoU. The errors given detections add up: A_GD + MisID_GD + FNR_GD + FPR_GD
    count every detection once.
    """
    parts = [*_overall(animals), *_given_detections(detections)]
    counts = tables.concatenate(parts, "counts")
    counts["metric"] = pd.Categorical(counts["metric"], tables.METRICS)
    counts = counts.sort_values([*UNIT, "metric"], ignore_index=True)
    return tables.conform(counts.astype({"metric": object}), "counts")


def _overall(outcomes: pd.DataFrame) -> list[pd.DataFrame]:
    visible, assigned = outcomes["visible"], outcomes["assigned"]
    return [
        _sum(outcomes, "A_O", outcomes["correct"], visible | ~visible),
        _sum(outcomes, "IoU_O", outcomes["iou"], visible),
        _sum(outcomes, "U_O", outcomes["uncovered"], visible),
        _sum(outcomes, "FNR_O", visible & ~assigned, visible),
        _sum(outcomes, "FPR_O", ~visible & assigned, ~visible),
    ]


def _given_detections(outcomes: pd.DataFrame) -> list[pd.DataFrame]:
    named, real = outcomes["identity"].notna(), outcomes["oracle"].notna()
    same = outcomes["identity"] == outcomes["oracle"]
    return [
        _sum(outcomes, "A_GD", (named & same) | (~named & ~real), real | ~real),
        _sum(outcomes, "MisID_GD", named & real & ~same, real),
        _sum(outcomes, "FNR_GD", ~named & real, real),
        _sum(outcomes, "FPR_GD", named & ~real, ~real),
    ]


def _sum(
    outcomes: pd.DataFrame, metric: str, count: pd.Series, normaliser: pd.Series
) -> pd.DataFrame:
    """Sum two columns in every unit."""
    terms = outcomes[UNIT].assign(
        metric=metric, count=count.astype(float), normaliser=normaliser.astype("int64")
    )
    return terms.groupby([*UNIT, "metric"], sort=True, as_index=False).sum()
