"""The settings of the tracker compared over all segments, and the page about it (App. C.2)."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import tables
from murid.errors import InputError
from murid.evaluate.outcomes import ORACLE
from murid.files import write_text
from murid.settings import StudyTracker, Track
from murid.study.pages.tracker import render_tracker
from murid.study.sweep import cell

JUDGED = ("A_GD", "A_O")
"""The metrics by which the paper chose; the higher the better."""
DIGITS = "%.12g"

_SNIPPET = ["cage", "segment", "snippet"]


def compare(counts: pd.DataFrame, grid: StudyTracker) -> pd.DataFrame:
    """Sum counts over segments, and tell how sure it is that a pair of settings is not the best.

    The 95% interval of the difference to the best pair is the percentile bootstrap over whole
    snippets, the same snippets for both.

    Parameters
    ----------
    counts
        Table ``counts`` of all segments, as :func:`murid.study.sweep.sweep` gives.
    grid
        The pairs, and the bootstrap.

    Returns
    -------
    One row a metric, IoU and minimum length: ``metric, iou, min_length, count, normaliser,
    value``; for ``A_GD`` and ``A_O`` also ``behind`` (best value less this one), ``low, high`` (its
    interval; NaN with a single snippet), ``as_good`` (whether the interval reaches 0).
    """
    pairs = list(product(grid.ious, grid.min_lengths))
    names = [cell(*pair) for pair in pairs]
    parts = []
    for metric in tables.METRICS:
        own = counts[(counts["metric"] == metric) & (counts["method"] != ORACLE)]
        wide = own.pivot(index=_SNIPPET, columns="method", values=["count", "normaliser"])
        right = wide["count"].reindex(columns=names).to_numpy(dtype=np.float64)
        total = wide["normaliser"].reindex(columns=names).to_numpy(dtype=np.float64)
        part = pd.DataFrame(pairs, columns=["iou", "min_length"])
        part.insert(0, "metric", metric)
        part["count"], part["normaliser"] = right.sum(axis=0), total.sum(axis=0).astype(np.int64)
        part["value"] = _rates(right.sum(axis=0), total.sum(axis=0))
        if metric in JUDGED and part["value"].notna().any():
            part = pd.concat([part, _behind(right, total, grid)], axis=1)
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    return table.astype({"as_good": object})


def _rates(right: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(right, total, out=np.full(right.shape, np.nan), where=total > 0)


def _behind(
    right: NDArray[np.float64], total: NDArray[np.float64], grid: StudyTracker
) -> pd.DataFrame:
    """Compare every pair of settings with the best: (snippets, pairs) each -> a row a pair."""
    values = _rates(right.sum(axis=0), total.sum(axis=0))
    best = int(np.nanargmax(values))
    snippets = len(right)
    low = high = np.full(len(values), np.nan)
    if snippets > 1:
        random = np.random.default_rng(grid.seed)
        share = np.full(snippets, 1 / snippets)
        drawn = random.multinomial(snippets, share, size=grid.resamples)
        again = _rates(drawn @ right, drawn @ total)
        low, high = np.nanquantile(again[:, [best]] - again, [0.025, 0.975], axis=0)
    behind = values[best] - values
    as_good = [None if np.isnan(limit) else bool(limit <= 0) for limit in low]
    return pd.DataFrame({"behind": behind, "low": low, "high": high, "as_good": as_good})


def run(
    counts: Sequence[Path],
    output_dir: Path,
    current: Track,
    grid: StudyTracker,
    note: str | None = None,
) -> None:
    """Write ``tracker.html`` and ``tracker.csv``.

    Parameters
    ----------
    counts
        A table ``counts`` of every segment, as :func:`murid.study.sweep.run` writes.
    output_dir
        Where to.
    current
        The tracker's settings in use, pointed out on the page.
    grid
        The settings compared.
    note
        A remark on the data, shown under the heading.

    Raises
    ------
    InputError
        If no frame was evaluated, or the counts lack a pair of settings.
    """
    parts = [tables.read(path, "counts") for path in counts]
    joined = tables.concatenate(parts, "counts")
    if joined.empty:
        raise InputError(
            "annotations", "no frame of Train and Validate that could be evaluated", "some",
            remedy="Annotate some, or see evaluate.snippets and evaluate.min_annotated.",
        )  # fmt: skip
    missing = {cell(*pair) for pair in product(grid.ious, grid.min_lengths)} - set(joined["method"])
    if missing:
        raise InputError(
            "counts", f"nothing on {min(missing)}", "every pair of ious and min_lengths",
            remedy="Give the settings that the counts were made with.",
        )  # fmt: skip
    compared = compare(joined, grid)
    write_text(
        output_dir / "tracker.csv",
        compared.to_csv(index=False, float_format=DIGITS, lineterminator="\n"),
    )
    write_text(output_dir / "tracker.html", render_tracker(compared, joined, current, grid, note))
