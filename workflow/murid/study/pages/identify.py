"""The page about every method on cages that were left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from murid.evaluate.outcomes import ORACLE
from murid.identify.fitted import PathModel
from murid.identify.methods import chosen, colours, methods
from murid.intervals import FEWEST_CAGES
from murid.report import wording
from murid.report.diagrams import coverage_figure, reliability_diagram
from murid.report.figures import cage_bars, cages_of
from murid.report.metrics import metrics_table
from murid.report.reliability import Reliability
from murid.settings import Paths, StudyIdentify
from murid.study import curves, figures
from murid.study.fold import UNSCORED
from murid.study.pages.layout import common, template
from murid.weights.lag import LEVEL

STEPS = {
    **{
        name: (method.step or method.label, method.step_words or method.words)
        for name, method in methods().items()
        if method.chosen
    },
    UNSCORED: ("Path without scores", "the last, of antennas and motion alone"),
    ORACLE: (methods()[ORACLE].step, methods()[ORACLE].step_words),
}
"""What each method is called on the page, and what it does; the path model's steps build up."""
DRAWN = chosen()
"""The methods whose cages are drawn."""
SPLIT = "Tune"
"""What the report calls Train and Validate together."""
ROWS = 6
"""Gaps that the table of motion shows at most: the shortest, the longest, and some in between."""


@dataclass(frozen=True)
class IdentifyResults:
    """What the study found, and what the run's own models say of lag and motion.

    Attributes
    ----------
    counts
        Table ``counts`` of all cages, each of them left out.
    methods, weights, lag, motion
        As the functions of :mod:`murid.study.identify` give.
    remarks
        What the estimate of the lag rests on, where that is little.
    reliability
        What the path model's confidence is worth, a kind of rows each.
    lags
        Seconds by which readings run late, by rig set-up; ``""`` is any other.
    model
        The path model.
    """

    counts: pd.DataFrame
    methods: pd.DataFrame
    weights: pd.DataFrame
    lag: pd.DataFrame
    motion: pd.DataFrame
    remarks: Sequence[str]
    reliability: Sequence[Reliability]
    lags: Mapping[str, float]
    model: PathModel


def render_identify(
    results: IdentifyResults,
    current: Paths,
    study: StudyIdentify,
    note: str | None,
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    results
        What was found.
    current
        The settings in use.
    study
        What was compared.
    note
        A remark on the data, if any.
    """
    counts, model = results.counts, results.model
    by_name = results.methods.set_index("method", drop=False).to_dict("index")
    return template("identify.html.j2").render(
        **common(note),
        methods=[by_name[name] for name in STEPS],
        by_name=by_name,
        steps=STEPS,
        unscored=UNSCORED,
        metrics=[name for name in results.methods.columns if name in wording.METRICS],
        words=wording.METRICS,
        snippets=len(counts[["cage", "segment", "snippet"]].drop_duplicates()),
        segments=len(counts[["cage", "segment"]].drop_duplicates()),
        cages=sorted(counts["cage"].unique()),
        splits=sorted(counts["split"].unique()),
        cage_figures=_cage_figures(counts),
        colours=colours(list(DRAWN)),
        judged=_judged(results.weights, study, current),
        current=current,
        lag_figure=curves.lag_curve(results.lag) if len(results.lag) else None,
        lags=_lags(results.lag),
        set_lag=results.lags[""],
        level=LEVEL,
        remarks=results.remarks,
        interval_words=wording.INTERVALS,
        fewest=FEWEST_CAGES,
        model=model,
        gaps=_gaps(results.motion),
        longer=float(results.motion["log_ratio"].iloc[-1]),
        motion_figures=_motion_figures(model),
        balance=-model.score.intercept / model.score.slope if model.score.slope else None,
        tenth=float(np.exp(model.score.slope / 10)),
        counted_tenth=float(np.exp(current.score_weight * model.score.slope / 10)),
        sure={entry.kind: entry for entry in results.reliability},
        row_words=wording.ROWS,
        diagram=reliability_diagram(results.reliability) if results.reliability else None,
        coverage=coverage_figure(results.reliability) if results.reliability else None,
    )


def _cage_figures(counts: pd.DataFrame) -> dict[str, Markup]:
    shown = counts[counts["method"].isin([*DRAWN, ORACLE])]
    metrics = metrics_table(shown)
    cages = cages_of(metrics, SPLIT)
    drawn = {name: cage_bars(metrics, SPLIT, name, cages) for name in ("A_GD", "A_O")}
    return {name: figure for name, figure in drawn.items() if figure is not None}


def _judged(
    weights: pd.DataFrame, study: StudyIdentify, current: Paths
) -> dict[str, dict[str, Any]]:
    """Return for each metric the best factors, those in use (None if not tried), and a heat map."""
    across = figures.Axis("score_weight", study.score_weights, "factor of the scores")
    down = figures.Axis("antenna_weight", study.antenna_weights, "factor of the antennas")
    in_use = (current.score_weight, current.antenna_weight)
    found = {}
    for name, own in weights.groupby("metric", sort=False):
        lower = wording.METRICS[str(name)].better == "lower"
        # Of several that are equally good, those in use.
        best = own.sort_values(["behind", "in_use"], ascending=[True, False], kind="stable").iloc[0]
        used = own[own["in_use"]]
        found[str(name)] = {
            "best": best.to_dict(),
            "edge": _at_edge(best["antenna_weight"], study.antenna_weights)
            or _at_edge(best["score_weight"], study.score_weights),
            "used": used.iloc[0].to_dict() if len(used) else None,
            "judged": bool(own["low"].notna().any()),
            "normaliser": int(own["normaliser"].max()),
            "figure": figures.heat_map(own, across, down, in_use, lower),
        }
    return found


def _at_edge(value: float, tried: Sequence[float]) -> bool:
    return len(tried) > 1 and value in (min(tried), max(tried))


def _lags(lag: pd.DataFrame) -> list[dict[str, Any]]:
    """Sum up each rig's curve: the lag chosen, the best, and the last that is not surely worse."""
    found = []
    for rig, own in lag.groupby("rig", sort=False):
        by_lag = own.set_index("lag")["log_likelihood"]
        chosen = float(own.loc[own["chosen"], "lag"].iloc[0])
        found.append(
            {
                "rig": rig,
                "chosen": chosen,
                "best": float(by_lag.idxmax()),
                "last": float(own.loc[own["possible"], "lag"].max()),
                "largest": float(own["lag"].max()),
                "gain": float(by_lag[chosen] - by_lag.iloc[0]),
                "none": float(own["behind"].iloc[0]),
                "told": not own["possible"].iloc[0],
                "boxes": int(own["boxes"].iloc[0]),
                "stretches": int(own["stretches"].iloc[0]),
            }
        )
    return found


def _gaps(motion: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of the table of motion; sizes as shares of themselves."""
    known = motion[motion["gap"].notna()]
    rows = known.iloc[np.unique(np.geomspace(1, len(known), ROWS).round().astype(int)) - 1]
    return [
        {
            "gap": row.gap,
            "x": row.spread_x,
            "y": row.spread_y,
            "w": np.expm1(row.spread_log_w),
            "h": np.expm1(row.spread_log_h),
            "near": row.near,
            "ratio": row.log_ratio,
        }
        for row in rows.itertuples()
    ]


def _motion_figures(model: PathModel) -> list[tuple[str, str, Markup]]:
    """Return heading, explanation and figure of all that was learnt of motion and scores."""
    found = [
        (
            "How far it moves",
            "From its last box to its first one after the gap, if it has not gone elsewhere.",
            curves.spread_curve(model.motion),
        ),
        (
            "Whether it is still near",
            "If not, its next box may be anywhere.",
            curves.near_curve(model.motion),
        ),
        (
            "When its next tracklet begins",
            "How much likelier one of its own begins than one of nobody.",
            curves.begin_curve(model.motion),
        ),
    ]
    if model.score.slope:
        words = "What the score of one box says, before it is weighed down; dotted: nothing."
        found.append(("What a score is worth", words, curves.score_curve(model.score)))
    return found
