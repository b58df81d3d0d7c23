"""The page about the tracker's settings."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from markupsafe import Markup

from murid.evaluate.outcomes import ORACLE
from murid.report import wording
from murid.settings import StudyTracker, Track
from murid.study import figures
from murid.study.pages.layout import common, template

JUDGED = {
    "A_GD": ("A", "GD", "boxes named rightly", "Of all boxes that the detector found in the "
             "evaluated frames: those given the right name, or rightly none."),
    "A_O": ("A", "O", "animals rightly placed or hidden", "Of all animals in all evaluated frames: "
            "those whose box overlaps the annotated one enough, or that are rightly said to be "
            "hidden."),
}  # fmt: skip


def render_tracker(
    compared: pd.DataFrame,
    counts: pd.DataFrame,
    current: Track,
    grid: StudyTracker,
    note: str | None,
) -> str:
    """Return the page about the tracker's settings as HTML.

    Parameters
    ----------
    compared
        As :func:`murid.study.tracker.compare` gives.
    counts
        Table ``counts`` of all segments.
    current
        The settings in use.
    grid
        The settings compared.
    note
        A remark on the data, if any.
    """
    in_use = (current.iou, current.min_length)
    axes = (
        figures.Axis("iou", grid.ious, "IoU at which a detection joins a tracklet"),
        figures.Axis("min_length", grid.min_lengths, "minimum length, frames"),
    )
    metrics = []
    for name, (symbol, index, word, meaning) in JUDGED.items():
        own = compared[(compared["metric"] == name) & compared["value"].notna()]
        if own.empty:
            continue
        used = own[(own["iou"] == in_use[0]) & (own["min_length"] == in_use[1])]
        metrics.append(
            {
                "name": name,
                "symbol": Markup(f"{symbol}<sub>{index}</sub>"),  # noqa: S704 - constants
                "word": word,
                "meaning": meaning,
                "best": own.loc[own["value"].idxmax()].to_dict(),
                "used": used.iloc[0].to_dict() if len(used) else None,
                "as_good": int(own["as_good"].eq(True).sum()),
                "judged": bool(own["low"].notna().any()),
                "bound": _bound(counts, name),
                "normaliser": int(own["normaliser"].max()),
                "figure": figures.heat_map(own, *axes, in_use),
            }
        )
    return template("tracker.html.j2").render(
        **common(note),
        metrics=metrics,
        edges=edges([metric["best"] for metric in metrics], grid),
        interval_words=wording.INTERVALS,
        pairs=len(grid.ious) * len(grid.min_lengths),
        margin=grid.margin,
        segments=len(counts[["cage", "segment"]].drop_duplicates()),
        snippets=len(counts[["cage", "segment", "snippet"]].drop_duplicates()),
        cages=sorted(counts["cage"].unique()),
        splits=sorted(counts["split"].unique()),
    )


def edges(best: Sequence[Mapping[str, Any]], grid: StudyTracker) -> list[str]:
    """Name the edges of the grid that the best settings lie at, beyond which others could lie."""
    found = []
    for row in best:
        if len(grid.ious) > 1 and row["iou"] in (min(grid.ious), max(grid.ious)):
            found.append(f"IoU {row['iou']:g}")
        # A minimum length of 1 has nothing beyond.
        lengths = {min(grid.min_lengths), max(grid.min_lengths)} - {1}
        if len(grid.min_lengths) > 1 and row["min_length"] in lengths:
            found.append(f"minimum length {row['min_length']}")
    return list(dict.fromkeys(found))


def _bound(counts: pd.DataFrame, metric: str) -> float | None:
    own = counts[(counts["method"] == ORACLE) & (counts["metric"] == metric)]
    total = own["normaliser"].sum()
    return float(own["count"].sum() / total) if total else None
