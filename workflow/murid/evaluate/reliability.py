"""How sure a method is, and how often it is right, summed in bins of confidence."""

import numpy as np
import pandas as pd

from murid import contracts, tables

_UNIT = ["cage", "segment", "split", "snippet", "method", "kind", "bin"]


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
        kind=np.where(sure["assigned"].to_numpy(dtype=bool), *contracts.KINDS),
        bin=bin_of(sure["confidence"]),
        rows=1,
        right=sure["correct"].astype(np.int64),
        confidence=sure["confidence"].astype(np.float64),
    )
    sums = rows.groupby(_UNIT, as_index=False)[["rows", "right", "confidence"]].sum()
    return tables.conform(sums, "reliability")


def bin_of(confidence: pd.Series) -> np.ndarray:
    """Return the number of the bin of :data:`murid.contracts.CONFIDENCE_EDGES` that each is in.

    Examples
    --------
    >>> bin_of(pd.Series([0.0, 0.049, 0.05, 0.9, 1.0], dtype="float32")).tolist()
    [0, 0, 1, 18, 45]
    """
    values = confidence.to_numpy(dtype=np.float32)
    return np.searchsorted(contracts.CONFIDENCE_EDGES[1:-1], values, side="right")
