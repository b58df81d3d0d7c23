"""How far a method's own confidence can be trusted, worked out from sums in bins of confidence.

All of it rests on three sums a bin: the rows, those that are right, and the confidences.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import contracts
from murid.report.metrics import SPLITS, Estimate, in_order
from murid.settings import Report

KINDS = {"all": contracts.KINDS, "box": ("box",)}
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
    (share), its 95% interval ``low`` and ``high``, and ``rows``. ``curve`` is the accuracy at
    :data:`COVERAGES`, ``accuracy`` that at each of :data:`KEPT` with its interval.
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


def wilson(right: _Floats, rows: _Floats) -> tuple[_Floats, _Floats]:
    """Return Wilson's 95% interval of a share, for counts above 0, as if rows were independent.

    Examples
    --------
    >>> low, high = wilson(np.array([9.0]), np.array([10.0]))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.5958], [0.9821])
    """
    square = 1.959964**2
    middle = (right + square / 2) / (rows + square)
    half = np.sqrt(square * (right * (rows - right) / rows + square / 4)) / (rows + square)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def to_tenths(sums: _Floats) -> _Floats:
    """Merge the bins of ``reliability`` to ten of equal width; (..., bins, n) to (..., 10, n)."""
    tenth = np.floor(contracts.CONFIDENCE_EDGES[:-1].astype(np.float64) * BINS + 1e-5)
    starts = np.searchsorted(tenth, np.arange(BINS))
    return np.add.reduceat(sums, starts, axis=-2)


def assess(table: pd.DataFrame, settings: Report) -> list[Reliability]:
    """Assess every method that states a confidence, on every split that has rows.

    Parameters
    ----------
    table
        The table ``reliability`` of any number of cages. Segments without a split are left out.
    settings
        Resamples and seed of the bootstrap.
    """
    found = []
    for split, members in SPLITS.items():
        here = table[table["split"].isin(members)]
        for method in in_order(here["method"]):
            for kind, kinds in KINDS.items():
                rows = here[(here["method"] == method) & here["kind"].isin(kinds)]
                if len(rows):
                    sums = _by_snippet(rows)
                    found.append(_assess(split, method, kind, sums, settings))
    return found


def drawn(reliabilities: Sequence[Reliability]) -> pd.DataFrame:
    """Return all numbers of the figures as one table, a row a number.

    Returns
    -------
    ``measure`` is ``share_right`` (of the rows of a bin, at their mean confidence ``at``),
    ``accuracy`` (of the surest rows, at the share ``at`` that is kept) or
    ``expected_calibration_error``; ``value`` comes with its 95% interval ``low`` to ``high`` where
    there is one, and ``rows`` says of how many rows it is.
    """
    parts = [
        _numbers(entry).assign(split=entry.split, method=entry.method, kind=entry.kind)
        for entry in reliabilities
    ]
    columns = ["split", "method", "kind", "measure", "at", "value", "low", "high", "rows"]
    if not parts:
        return pd.DataFrame(columns=columns)
    return pd.concat(parts, ignore_index=True)[columns]


def _numbers(entry: Reliability) -> pd.DataFrame:
    error = {"measure": "expected_calibration_error", "value": entry.error.value}
    error |= {"rows": entry.rows, **_interval(entry.error)}
    bins = entry.bins.rename(columns={"stated": "at", "right": "value"})
    curve = [
        {"measure": "accuracy", "at": at, "value": value, "rows": round(at * entry.rows)}
        | (_interval(entry.accuracy[at]) if at in entry.accuracy else {})
        for at, value in zip(COVERAGES.tolist(), entry.curve, strict=True)
    ]
    return pd.concat([bins.assign(measure="share_right"), pd.DataFrame([error, *curve])])


def _interval(estimate: Estimate) -> dict[str, float]:
    return dict(zip(("low", "high"), estimate.interval or (), strict=False))


def _by_snippet(rows: pd.DataFrame) -> _Floats:
    """Sum up every snippet; (snippets, bins, 3)."""
    units = rows.groupby(["cage", "segment", "snippet"], sort=True).ngroup().to_numpy()
    sums = np.zeros((units.max() + 1, len(contracts.CONFIDENCE_EDGES) - 1, len(_SUMS)))
    np.add.at(sums, (units, rows["bin"].to_numpy(dtype=np.int64)), rows[_SUMS].to_numpy(np.float64))
    return sums


def _assess(split: str, method: str, kind: str, sums: _Floats, settings: Report) -> Reliability:
    total = sums.sum(axis=0)
    again = _resample(sums, settings.resamples, settings.seed)
    errors = expected_calibration_error(*np.moveaxis(to_tenths(again), -1, 0))
    error = float(expected_calibration_error(*to_tenths(total).T))
    kept = np.array([coverage_curve(*part.T[:2], KEPT) for part in again]).reshape(-1, len(KEPT))
    accuracy = coverage_curve(*total.T[:2], KEPT)
    return Reliability(
        split=split,
        method=method,
        kind=kind,
        rows=int(total[:, 0].sum()),
        error=_estimate(error, errors, len(sums)),
        bins=_bins(total, again),
        curve=coverage_curve(*total.T[:2], COVERAGES),
        accuracy={
            share: _estimate(float(accuracy[number]), kept[:, number], len(sums))
            for number, share in enumerate(KEPT)
        },
    )


def _resample(sums: _Floats, resamples: int, seed: int) -> _Floats:
    """Draw snippets with replacement and sum them up; (resamples, bins, 3), none if one snippet."""
    if len(sums) < 2:
        return np.zeros((0, *sums.shape[1:]))
    random = np.random.default_rng(seed)
    shares = np.full(len(sums), 1 / len(sums))
    return np.array(
        [np.tensordot(random.multinomial(len(sums), shares), sums, 1) for _ in range(resamples)]
    )


def _estimate(value: float, again: _Floats, snippets: int) -> Estimate:
    if not len(again):
        return Estimate(value, None, snippets)
    low, high = np.quantile(again, [0.025, 0.975])
    # Noise can only add to a calibration error, so that all that is redrawn may lie above it.
    return Estimate(value, (min(float(low), value), max(float(high), value)), snippets)


def _bins(total: _Floats, again: _Floats) -> pd.DataFrame:
    """Return the ten bins' shares; each interval is the wider of Wilson's and the bootstrap's."""
    tenths = to_tenths(total)
    filled = tenths[:, 0] > 0
    rows, right, confidence = tenths[filled].T
    low, high = wilson(right, rows)
    if len(again):
        sums = to_tenths(again)[:, filled]
        known = np.where(sums[..., 0] > 0, sums[..., 0], np.nan)
        bounds = np.nanquantile(sums[..., 1] / known, [0.025, 0.975], axis=0)
        low, high = np.fmin(low, bounds[0]), np.fmax(high, bounds[1])
    return pd.DataFrame(
        {
            "stated": confidence / rows,
            "right": right / rows,
            "low": low,
            "high": high,
            "rows": rows.astype(np.int64),
        }
    )
