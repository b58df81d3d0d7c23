"""What the page shows, worked out from the tables: the template only lays it out."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from murid import contracts
from murid.intervals import Estimate
from murid.report.metrics import ALL, ORACLE, SPLITS, estimate, in_order, natural
from murid.report.wording import METRICS


@dataclass(frozen=True)
class Cell:
    """A figure of a table, and whether it is the best of its column."""

    text: str
    best: bool = False


@dataclass(frozen=True)
class ResultTable:
    """A result table: a row a method, a column a metric, cells as text."""

    metrics: tuple[str, ...]
    rows: dict[str, list[Cell]]
    oracle: list[Cell] | None
    normalisers: list[Cell] | None = None

    @property
    def overall(self) -> int:
        """Number of columns that are overall metrics."""
        return sum(metric in contracts.OVERALL_METRICS for metric in self.metrics)


@dataclass(frozen=True)
class Headline:
    """What the first paragraph says of the default method."""

    split: str
    method: str
    right: Estimate
    given_detections: Estimate | None
    bound: Estimate | None
    frames: int
    segments: int
    cages: int


_NOTHING = "–"


def rates(metrics: pd.DataFrame, split: str) -> ResultTable:
    """Return the rates of a split over all cages, as the paper's Table 2."""
    return _table(metrics, split, "value", contracts.METRICS, "{:.3f}")


def numbers(metrics: pd.DataFrame, split: str) -> ResultTable:
    """Return the counts of a split over all cages with their normalisers, as its Table 3."""
    columns = tuple(metric for metric in contracts.METRICS if metric != "IoU_O")
    return _table(metrics, split, "count", columns, "{:,.0f}", normalisers=True)


def _table(
    metrics: pd.DataFrame,
    split: str,
    quantity: str,
    columns: Sequence[str],
    form: str,
    normalisers: bool = False,
) -> ResultTable:
    chosen = metrics[(metrics["split"] == split) & (metrics["group"] == ALL)]
    methods = in_order(chosen["method"])
    wide = chosen.pivot(index="method", columns="metric", values=quantity)
    texts = wide.reindex(index=methods, columns=list(columns)).map(
        lambda value: _NOTHING if pd.isna(value) else form.format(value)
    )
    judged = [method for method in methods if method != ORACLE]
    rows = {
        method: [
            Cell(texts.loc[method, metric], _is_best(texts.loc[judged, metric], method, metric))
            for metric in columns
        ]
        for method in judged
    }
    oracle = [Cell(text) for text in texts.loc[ORACLE]] if ORACLE in methods else None
    sizes = chosen.groupby("metric")["normaliser"].max().reindex(list(columns))
    sizes = [Cell(_NOTHING if pd.isna(size) else f"{size:,.0f}") for size in sizes]
    return ResultTable(tuple(columns), rows, oracle, sizes if normalisers else None)


def _is_best(texts: pd.Series, method: str, metric: str) -> bool:
    """Tell whether the figure, as it is shown, is the best; with nothing to compare, none is."""
    values = texts[texts != _NOTHING].str.replace(",", "").astype(float)
    if len(values) < 2 or method not in values.index:
        return False
    best = values.max() if METRICS[metric].better == "higher" else values.min()
    return bool(values[method] == best)


def headline(counts: pd.DataFrame, summaries: pd.DataFrame, split: str) -> Headline | None:
    """Sum up how well the default method does on a split; None if nothing counts there."""
    members = SPLITS[split]
    there = summaries[summaries["split"].isin(members) & (summaries["evaluated_frames"] > 0)]
    if there.empty:
        return None
    method = str(there["method"].mode().iloc[0])

    def share(method: str, metric: str) -> Estimate | None:
        return estimate(counts, members, method, metric)

    right = share(method, "A_O")
    if right is None:
        return None
    return Headline(
        split=split,
        method=method,
        right=right,
        given_detections=share(method, "A_GD"),
        bound=share(ORACLE, "A_O"),
        frames=int(there["evaluated_frames"].sum()),
        segments=len(there),
        cages=there["cage"].nunique(),
    )


def sort_segments(summaries: pd.DataFrame) -> pd.DataFrame:
    """Sort segments by cage and segment, numbers within names as numbers."""
    keys = [
        (natural(cage), natural(segment))
        for cage, segment in zip(summaries["cage"], summaries["segment"], strict=True)
    ]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return summaries.iloc[order].reset_index(drop=True)


def usable(summaries: pd.DataFrame) -> pd.Series:
    """Tell which segments are neither discarded nor failed."""
    return ~summaries["status"].isin(contracts.UNUSABLE)


def sort_stretches(stretches: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Sort stretches, the longest first, without those of segments that cannot be used."""
    kept = summaries.loc[usable(summaries), ["cage", "segment"]]
    of_segment = pd.MultiIndex.from_frame(stretches[["cage", "segment"]])
    known = stretches[of_segment.isin(pd.MultiIndex.from_frame(kept))]
    order = ["seconds", "cage", "segment", "first_frame", "candidate", "other"]
    ascending = [name != "seconds" for name in order]
    return known.sort_values(order, ascending=ascending, ignore_index=True)


def longest(stretches: pd.DataFrame, most: int) -> list[dict[str, object]]:
    """Return the first stretches as rows of the page; ``starts`` is minutes and seconds."""
    rows = stretches.head(most)
    frames = rows["last_frame"] - rows["first_frame"] + 1
    starts = (rows["first_frame"] * rows["seconds"] / frames).round().astype(int)
    clock = [f"{second // 60}:{second % 60:02}" for second in starts]
    return rows.assign(starts=clock).to_dict("records")


def status_overview(summaries: pd.DataFrame) -> list[dict[str, object]]:
    """Count segments, hours and annotated segments of each status, and of all."""
    rows = []
    for status in (*contracts.STATUSES, None):
        part = summaries if status is None else summaries[summaries["status"] == status]
        rows.append(
            {
                "status": status or "all",
                "segments": len(part),
                "hours": _hours(part),
                "cages": part["cage"].nunique(),
                "annotated": int((part["annotated_frames"] > 0).sum()),
                "evaluated_frames": int(part["evaluated_frames"].sum()),
            }
        )
    return rows


def unannotated_overview(summaries: pd.DataFrame) -> dict[str, float] | None:
    """Sum up the segments that nobody annotated; None if there is none."""
    part = summaries[usable(summaries) & (summaries["annotated_frames"] == 0)]
    known = part.dropna(subset=["identified"])
    if known.empty or not known["frames"].sum():
        return None
    animal_frames = known["frames"] * known["animals"].map(len)
    low, high = known["identified"].quantile([0.05, 0.95])
    return {
        "segments": len(part),
        "hours": _hours(part),
        "identified": float((known["identified"] * animal_frames).sum() / animal_frames.sum()),
        "low": float(low),
        "high": float(high),
        "detections": float(known["detections"].sum() / known["frames"].sum()),
    }


def _hours(summaries: pd.DataFrame) -> float:
    return float((summaries["frames"] / summaries["fps"]).sum() / 3600)
