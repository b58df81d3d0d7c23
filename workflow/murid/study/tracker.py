"""The page about the tracker's settings, compared over all segments (Appendix C.2)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd
from markupsafe import Markup

from murid import schemas
from murid.evaluate.outcomes import ORACLE
from murid.settings import StudyTracker, Track
from murid.study import compare, drawing
from murid.study.compare import Setting
from murid.study.pages import Page
from murid.study.sweep import cell, cells

if TYPE_CHECKING:
    from murid.study.stage import Tracker

JUDGED = {
    "A_GD": ("boxes named rightly", "Of all boxes that the detector found in the evaluated frames: "
             "those given the right name, or rightly none."),
    "A_O": ("animals rightly placed or hidden", "Of all animals in all evaluated frames: those "
            "whose box overlaps the annotated one enough, or that are rightly said to be hidden."),
}  # fmt: skip
"""The metrics by which the paper chose, in words; the higher the better."""


def settings_of(tried: StudyTracker, current: Track) -> tuple[Setting, Setting]:
    """Return the two settings that are compared, and their values in use."""
    return (
        Setting("iou", tried.ious, "IoU at which a detection joins a tracklet", current.iou),
        Setting("min_length", tried.min_lengths, "minimum length, frames", current.min_length),
    )


def compare_pairs(counts: pd.DataFrame, settings: tuple[Setting, Setting]) -> pd.DataFrame:
    """Sum the counts of all segments for every pair of settings.

    Returns
    -------
    As :func:`murid.study.compare.compare_settings`, with ``iou`` and ``min_length``.
    """
    return compare.compare_settings(counts, schemas.METRICS, JUDGED, settings, cell)


def sum_up(stage: "Tracker") -> None:
    """Compare the pairs of settings by the counts of all segments, and write the page.

    Raises
    ------
    InputError
        If no frame was evaluated, or the counts lack a pair of settings.
    """
    tried = stage.study_tracker
    counts = compare.read_counts(stage.counts, cells(tried), "every pair of ious and min_lengths")
    settings = settings_of(tried, stage.track)
    compared = compare_pairs(counts, settings)
    metrics = []
    for name, (word, meaning) in JUDGED.items():
        judged = compare.judge(compared, name)
        if judged is not None:
            symbol = Markup("{}<sub>{}</sub>").format(*name.split("_"))
            judged |= {"symbol": symbol, "word": word, "meaning": meaning}
            judged["bound"] = _bound(counts, name)
            judged["figure"] = drawing.heat_map(judged["rows"], *settings)
            metrics.append(judged)
    shown = {
        **compare.extent(counts),
        "metrics": metrics,
        "edges": edges([metric["best"] for metric in metrics], settings),
        "pairs": len(cells(tried)),
        "margin": tried.margin,
    }
    table = compared.drop(columns="in_use")
    Page("tracker", "Settings of the tracker", {"tracker": table}, shown).write(
        stage.output_dir, stage.note
    )


def edges(best: Iterable[dict[str, Any]], settings: tuple[Setting, Setting]) -> list[str]:
    """Name the edges of the grid that the best settings lie at, beyond which others could lie."""
    iou, length = settings
    named = []
    for row in best:
        if iou.is_edge(row["iou"]):
            named.append(f"IoU {row['iou']:g}")
        # A minimum length of 1 has nothing beyond.
        if row["min_length"] > 1 and length.is_edge(row["min_length"]):
            named.append(f"minimum length {row['min_length']}")
    return list(dict.fromkeys(named))


def _bound(counts: pd.DataFrame, metric: str) -> float | None:
    """Return what the oracle reaches, if it was counted."""
    rows = counts[(counts["method"] == ORACLE) & (counts["metric"] == metric)]
    total = rows["normaliser"].sum()
    return float(rows["count"].sum() / total) if total else None
