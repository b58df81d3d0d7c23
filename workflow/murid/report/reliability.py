"""How far a method's own confidence can be trusted, worked out from sums in bins of confidence.

All of it rests on three sums a bin: the rows, those that are right, and the confidences.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import intervals, schemas
from murid.identify.registry import in_order
from murid.intervals import Estimate
from murid.report.metrics import SNIPPET, SPLITS

KINDS = {"all": schemas.KINDS, "box": ("box",)}
"""The rows that are looked at together."""
COVERAGES = np.arange(5, 101) / 100
"""Shares of the rows at which the curve of accuracy is drawn."""
KEPT = (0.8, 1.0)
"""Shares of the rows of which the page says how many are right."""
BINS = 10

_SUMS = ["rows", "right", "confidence"]
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reliability:
    """What a method's confidence is worth on a split.

    ``bins`` has a row for each tenth that holds any rows: ``stated`` (mean confidence), ``right``
    (share), its 95% interval ``low`` and ``high`` (NaN with too few cages to tell), and ``rows``.
    ``curve`` is the accuracy at :data:`COVERAGES`, ``accuracy`` that at each of :data:`KEPT` with
    its interval.
    """

    split: str
    method: str
    kind: str
    rows: int
    error: Estimate
    bins: pd.DataFrame
    curve: _Floats
    accuracy: dict[float, Estimate]


def expected_calibration_error(rows: _Floats, right: _Floats, confidence: _Floats) -> _Floats:
    """Return by how much stated confidence and share right differ, on average over the rows.

    Parameters
    ----------
    rows, right, confidence
        (..., bins), sums over each bin's rows.

    Returns
    -------
    Shape (...,), 0 to 1: the sum over bins of ``rows / total * |right - confidence| / rows``
    (Guo et al. 2017, *On calibration of modern neural networks*, Eq. 3).

    Examples
    --------
    Ten rows of 0.9 of which eight are right, and ten of 0.6 of which seven are:

    >>> error = expected_calibration_error(np.array([10, 10]), np.array([8, 7]), np.array([9, 6]))
    >>> float(error.round(9))
    0.1
    """
    return np.abs(right - confidence).sum(axis=-1) / rows.sum(axis=-1)


def coverage_curve(rows: _Floats, right: _Floats, coverages: Sequence[float] | _Floats) -> _Floats:
    """Return the share right among the surest rows, for several shares of the rows.

    Parameters
    ----------
    rows, right
        (bins,), sums over each bin's rows, the least certain first.
    coverages
        (n,), shares of the rows that are kept, above 0. Of a bin that is kept in part, it is the
        mean over all choices.

    Returns
    -------
    Shape (n,), 0 to 1.

    Examples
    --------
    >>> coverage_curve(np.array([5, 5]), np.array([2, 5]), [0.5, 1.0]).tolist()
    [1.0, 0.7]
    """
    kept = np.concatenate([[0], np.cumsum(rows[::-1])])
    good = np.concatenate([[0], np.cumsum(right[::-1])])
    wanted = np.asarray(coverages, dtype=np.float64) * kept[-1]
    return np.interp(wanted, kept, good) / wanted


def to_tenths(sums: _Floats) -> _Floats:
    """Merge the bins of ``reliability`` to ten of equal width; (..., bins, n) to (..., 10, n)."""
    tenth = np.floor(schemas.CONFIDENCE_EDGES[:-1].astype(np.float64) * BINS + 1e-5)
    starts = np.searchsorted(tenth, np.arange(BINS))
    return np.add.reduceat(sums, starts, axis=-2)


def assess(table: pd.DataFrame) -> list[Reliability]:
    """Assess every method that states a confidence, on every split that has rows.

    Parameters
    ----------
    table
        The table ``reliability`` of any number of cages. Segments without a split are left out.
    """
    assessed = []
    for split, members in SPLITS.items():
        here = table[table["split"].isin(members)]
        for method in in_order(here["method"]):
            for kind, kinds in KINDS.items():
                rows = here[(here["method"] == method) & here["kind"].isin(kinds)]
                if len(rows):
                    assessed.append(_assess(split, method, kind, rows))
    return assessed


def drawn(reliabilities: Sequence[Reliability]) -> pd.DataFrame:
    """Return all numbers of the figures as one table, a row a number.

    Returns
    -------
    ``measure`` is ``share_right`` (of the rows of a bin, at their mean confidence ``at``),
    ``accuracy`` (of the surest rows, at the share ``at`` that is kept) or
    ``expected_calibration_error``; ``value`` comes with its 95% interval ``low`` to ``high`` where
    there is one, and ``rows`` says of how many rows it is.
    """
    columns = ["split", "method", "kind", "measure", "at", "value", "low", "high", "rows"]
    rows = [
        {"split": entry.split, "method": entry.method, "kind": entry.kind, **row}
        for entry in reliabilities
        for row in _numbers(entry)
    ]
    return pd.DataFrame(rows, columns=columns)


def _numbers(entry: Reliability) -> list[dict[str, Any]]:
    bins = entry.bins.rename(columns={"stated": "at", "right": "value"})
    error = {"measure": "expected_calibration_error", "rows": entry.rows}
    curve = [
        {"measure": "accuracy", "at": at, "value": value, "rows": round(at * entry.rows)}
        | (_ends(entry.accuracy[at]) if at in entry.accuracy else {})
        for at, value in zip(COVERAGES.tolist(), entry.curve, strict=True)
    ]
    return [
        *bins.assign(measure="share_right").to_dict("records"),
        error | _ends(entry.error),
        *curve,
    ]


def _ends(estimate: Estimate) -> dict[str, float]:
    low, high = estimate.interval or (np.nan, np.nan)
    return {"value": estimate.value, "low": low, "high": high}


def _by_cage(rows: pd.DataFrame) -> _Floats:
    """Sum up every cage; (cages, bins, 3)."""
    units = rows.groupby("cage", sort=True).ngroup().to_numpy()
    sums = np.zeros((units.max() + 1, len(schemas.CONFIDENCE_EDGES) - 1, len(_SUMS)))
    np.add.at(sums, (units, rows["bin"].to_numpy(dtype=np.int64)), rows[_SUMS].to_numpy(np.float64))
    return sums


def _assess(split: str, method: str, kind: str, rows: pd.DataFrame) -> Reliability:
    sums = _by_cage(rows)
    total = sums.sum(axis=0)
    snippets = len(rows[SNIPPET].drop_duplicates())

    def estimates(figures: Callable[[_Floats], _Floats], share: bool) -> list[Estimate]:
        """Work out figures, (bins, 3) -> (k,), of all cages and without each."""
        value = figures(total)
        without = np.full((len(sums), len(value)), np.nan)
        if len(sums) > 1:
            without = np.array([figures(total - cage) for cage in sums])
        sizes = np.repeat(sums[:, :, :1].sum(axis=1), len(value), axis=1)
        ends = intervals.interval(value, without, sizes, share)
        return intervals.estimates(value, ends, len(sums), snippets)

    kept = estimates(lambda part: coverage_curve(part[:, 0], part[:, 1], KEPT), share=True)
    # Chance only adds to a calibration error, which may truly be 0: no log odds.
    (error,) = estimates(
        lambda part: expected_calibration_error(*to_tenths(part).T)[None], share=False
    )
    if error.interval:
        error = replace(error, interval=(max(error.interval[0], 0.0), error.interval[1]))
    return Reliability(
        split=split,
        method=method,
        kind=kind,
        rows=int(total[:, 0].sum()),
        error=error,
        bins=_bins(sums),
        curve=coverage_curve(total[:, 0], total[:, 1], COVERAGES),
        accuracy=dict(zip(KEPT, kept, strict=True)),
    )


def _bins(sums: _Floats) -> pd.DataFrame:
    """Return the ten bins' shares."""
    tenths = to_tenths(sums)
    tenths = tenths[:, tenths[..., 0].sum(axis=0) > 0]
    rows, right, confidence = tenths.sum(axis=0).T
    low, high = intervals.of_rates(tenths[..., 1], tenths[..., 0])
    return pd.DataFrame(
        {
            "stated": confidence / rows,
            "right": right / rows,
            "low": low,
            "high": high,
            "rows": rows.astype(np.int64),
        }
    )
