"""What the page shows, worked out from the tables: the template only lays it out."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from murid import schemas
from murid.alerts.words import some
from murid.evaluate.cage import usable
from murid.identify.registry import ORACLE, in_order, obeying
from murid.intervals import Estimate
from murid.reasons import gist, grouped
from murid.report.metric_words import METRICS, WIDE
from murid.report.metrics import ALL, SPLITS, estimate, natural_ranks


@dataclass(frozen=True)
class ResultTable:
    """A result table, of text: a row a method, a column a metric.

    ``best`` has the best figure of each column as it is shown, None with nothing to compare.
    """

    metrics: tuple[str, ...]
    rows: dict[str, list[str]]
    oracle: list[str] | None
    best: list[str | None]
    normalisers: list[str]

    @property
    def overall(self) -> int:
        """Number of columns that are overall metrics."""
        return sum(metric in schemas.OVERALL_METRICS for metric in self.metrics)


@dataclass(frozen=True)
class Headline:
    """What the first paragraph says of the names that are delivered."""

    split: str
    method: str
    right: Estimate
    given_detections: Estimate | None
    bound: Estimate | None
    frames: int
    segments: int
    cages: int
    leaks: dict[str, str]
    """Of a test set, its segments by cage of which others were learnt from."""

    @property
    def few(self) -> bool:
        """Whether there are too few frames to judge by, however many cages they are of."""
        return self.frames < FEWEST_FRAMES

    @property
    def little(self) -> str:
        """Why the figure is little evidence; "" if it is enough."""
        if self.few:
            return "too few annotated frames to judge"
        if self.right.interval is None:
            return "too few cages to judge"
        low, high = self.right.interval
        return "cages differ too much to judge" if 100 * (high - low) > WIDE else ""


FEWEST_FRAMES = 100
"""Annotated frames below which a share says little."""
LEARNT = ("Train", "Validate")
_NOTHING = "–"


def rates(metrics: pd.DataFrame, split: str) -> ResultTable:
    """Return the rates of a split over all cages, as the paper's Table 2."""
    return _table(metrics, split, "value", schemas.METRICS, "{:.3f}")


def numbers(metrics: pd.DataFrame, split: str) -> ResultTable:
    """Return the counts of a split over all cages with their normalisers, as its Table 3."""
    columns = tuple(metric for metric in schemas.METRICS if metric != "IoU_O")
    return _table(metrics, split, "count", columns, "{:,.0f}")


def _table(
    metrics: pd.DataFrame, split: str, quantity: str, columns: tuple[str, ...], form: str
) -> ResultTable:
    def text(value: float, form: str = form) -> str:
        return _NOTHING if pd.isna(value) else form.format(value)

    chosen = metrics[(metrics["split"] == split) & (metrics["group"] == ALL)]
    wide = chosen.pivot(index="method", columns="metric", values=quantity)
    texts = wide.reindex(index=in_order(chosen["method"]), columns=list(columns)).map(text)
    rows = {str(method): list(row) for method, row in texts.iterrows()}
    oracle = rows.pop(ORACLE, None)
    judged = zip(columns, zip(*rows.values(), strict=True), strict=False)
    best = [_best(shown, metric) for metric, shown in judged]
    sizes = chosen.groupby("metric")["normaliser"].max().reindex(list(columns))
    return ResultTable(columns, rows, oracle, best, [text(size, "{:,.0f}") for size in sizes])


def _best(texts: Sequence[str], metric: str) -> str | None:
    """Return the best figure of a column, as it is shown; with nothing to compare, none is."""
    shown = [text for text in texts if text != _NOTHING]
    if len(shown) < 2:
        return None
    choose = max if METRICS[metric].better == "higher" else min
    return choose(shown, key=lambda text: float(text.replace(",", "")))


def headline(
    counts: pd.DataFrame, summaries: pd.DataFrame, splits: Sequence[str]
) -> Headline | None:
    """Sum up how well what is delivered does on the first single split of some.

    That is the default method's, and where people were asked about any segment of the split, what
    it says as it obeys them. None if there is none, or nothing counts there.
    """
    split = next((split for split in splits if len(SPLITS[split]) == 1), None)
    there = summaries[(summaries["split"] == split) & (summaries["evaluated_frames"] > 0)]
    if split is None or there.empty:
        return None
    method = str(there["method"].mode().iloc[0])
    corrected = obeying().get(method, method)
    if corrected in set(there["method"]):
        method = corrected
    right = estimate(counts, [split], method, "A_O")
    if right is None:
        return None
    return Headline(
        split=split,
        method=method,
        right=right,
        given_detections=estimate(counts, [split], method, "A_GD"),
        bound=estimate(counts, [split], ORACLE, "A_O"),
        frames=int(there["evaluated_frames"].sum()),
        segments=len(there),
        cages=there["cage"].nunique(),
        leaks=_leaks(there, summaries) if split == "Test" else {},
    )


def _leaks(judged: pd.DataFrame, summaries: pd.DataFrame) -> dict[str, str]:
    """Return the segments that are judged of cages with others that were learnt from, by cage."""
    learnt = summaries[summaries["split"].isin(LEARNT) & (summaries["evaluated_frames"] > 0)]
    both = sort_segments(judged[judged["cage"].isin(learnt["cage"])])
    return {str(cage): some([*rows["segment"]]) for cage, rows in both.groupby("cage", sort=False)}


def sort_segments(summaries: pd.DataFrame) -> pd.DataFrame:
    """Sort segments by cage and segment, numbers within names as numbers."""
    return summaries.sort_values(["cage", "segment"], key=natural_ranks, ignore_index=True)


def longest(stretches: pd.DataFrame, most: int) -> list[dict[str, object]]:
    """Return the first stretches as rows of the page; ``starts`` is minutes and seconds.

    Those that are the same in several segments of a cage are one row, of the first of them;
    ``which`` names these, and ``count`` says how many there are.
    """
    keys = [name for name in stretches if name != "segment"]
    rows = stretches.drop_duplicates(keys).head(most)
    alike = stretches.merge(rows[keys], on=keys).groupby(keys, sort=False, dropna=False)["segment"]
    told = alike.agg(which=lambda segments: some([*segments]), count="size").reset_index()
    rows = rows.merge(told, on=keys, how="left")
    frames = rows["last_frame"] - rows["first_frame"] + 1
    starts = (rows["first_frame"] * rows["seconds"] / frames).round().astype(int)
    clock = [f"{second // 60}:{second % 60:02}" for second in starts]
    return rows.assign(starts=clock).to_dict("records")


def reasons(summaries: pd.DataFrame, of_one_cage: bool = False) -> list[dict[str, object]]:
    """Return the reasons of segments, the commonest first: one that differs in numbers alone once.

    Parameters
    ----------
    summaries
        The table of these segments.
    of_one_cage
        Whether the name of their cage need not be told.

    Returns
    -------
    The ``count`` of segments, ``which`` they are, the first few, and the ``reason`` of the first,
    in short where there are several.
    """
    keys = zip(summaries["cage"], summaries["segment"], strict=True)
    names = [segment if of_one_cage else f"{cage} {segment}" for cage, segment in keys]
    rows: list[dict[str, object]] = []
    for reason, places in grouped(summaries["reason"]):
        if len(places) > 1:
            same = len({*summaries["reason"].iloc[places]}) == 1
            reason = gist(reason) + " (figures are those of the first)" * (not same)
        which = some([names[place] for place in places])
        rows.append({"count": len(places), "which": which, "reason": reason})
    return rows


def status_overview(summaries: pd.DataFrame) -> list[dict[str, object]]:
    """Count segments, hours and annotated segments of each status, and of all."""
    parts = {status: summaries[summaries["status"] == status] for status in schemas.STATUSES}
    return [
        {
            "status": status,
            "segments": len(part),
            "hours": _hours(part),
            "cages": part["cage"].nunique(),
            "annotated": int((part["annotated_frames"] > 0).sum()),
            "evaluated_frames": int(part["evaluated_frames"].sum()),
        }
        for status, part in (parts | {"all": summaries}).items()
    ]


def unannotated_overview(summaries: pd.DataFrame) -> dict[str, float] | None:
    """Sum up the segments that nobody annotated; None if there is none."""
    part = summaries[usable(summaries) & (summaries["annotated_frames"] == 0)]
    named = part.dropna(subset=["identified"])
    if named.empty or not named["frames"].sum():
        return None
    animal_frames = named["frames"] * named["animals"].map(len)
    low, high = named["identified"].quantile([0.05, 0.95])
    return {
        "segments": len(part),
        "hours": _hours(part),
        "identified": float((named["identified"] * animal_frames).sum() / animal_frames.sum()),
        "low": float(low),
        "high": float(high),
        "detections": float(named["detections"].sum() / named["frames"].sum()),
    }


def _hours(summaries: pd.DataFrame) -> float:
    return float((summaries["frames"] / summaries["fps"]).sum() / 3600)
