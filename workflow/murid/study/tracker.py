"""The settings of the tracker compared over all segments, and the page about it (App. C.2)."""

from itertools import product
from typing import TYPE_CHECKING

import pandas as pd

from murid import contracts, tables
from murid.errors import InputError
from murid.files import write_text
from murid.settings import StudyTracker
from murid.study import compare
from murid.study.pages.tracker import render_tracker
from murid.study.sweep import cell

if TYPE_CHECKING:
    from murid.study.stage import Tracker

JUDGED = ("A_GD", "A_O")
"""The metrics by which the paper chose; the higher the better."""


def compare_pairs(counts: pd.DataFrame, grid: StudyTracker) -> pd.DataFrame:
    """Sum counts over segments, and tell how sure it is that a pair of settings is not the best.

    Parameters
    ----------
    counts
        Table ``counts`` of all segments, as :func:`murid.study.sweep.sweep` gives.
    grid
        The pairs.

    Returns
    -------
    One row a metric, IoU and minimum length: ``metric, iou, min_length, count, normaliser,
    value``; for ``A_GD`` and ``A_O`` also ``behind`` (best value less this one), ``low, high`` (its
    interval; NaN with too few cages to tell), ``as_good`` (whether it reaches 0), ``cages``.
    """
    pairs = list(product(grid.ious, grid.min_lengths))
    names = [cell(*pair) for pair in pairs]
    parts = []
    for metric in contracts.METRICS:
        count, normaliser = compare.by_cage(counts, metric, names)
        part = pd.DataFrame(pairs, columns=["iou", "min_length"])
        part.insert(0, "metric", metric)
        part["count"], part["normaliser"] = count.sum(axis=0), normaliser.sum(axis=0)
        part["value"] = compare.totals(count, normaliser)
        if metric in JUDGED and part["value"].notna().any():
            part = pd.concat([part, compare.behind(count, normaliser)], axis=1)
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    return table.astype({"as_good": object, "cages": "Int64"})


def sum_up(stage: "Tracker") -> None:
    """Compare the pairs of settings by the counts of all segments, and write the page.

    Raises
    ------
    InputError
        If no frame was evaluated, or the counts lack a pair of settings.
    """
    grid = stage.study_tracker
    joined = tables.concatenate((tables.read(path, "counts") for path in stage.counts), "counts")
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
    compared = compare_pairs(joined, grid)
    write_text(stage.output_dir / "tracker.csv", tables.to_csv(compared))
    page = render_tracker(compared, joined, stage.track, grid, stage.note)
    write_text(stage.output_dir / "tracker.html", page)
