"""The page about every method on cages that were left out."""

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from murid import intervals, tables
from murid.evaluate.outcomes import ORACLE
from murid.fitting.lag import LEVEL
from murid.identify.registry import colours, methods, usual
from murid.intervals import FEWEST_CAGES
from murid.models import fitted_path, fitted_weights
from murid.report import metric_words
from murid.report.diagrams import coverage_figure, reliability_diagram
from murid.report.figures import cage_bars, cages_of
from murid.report.metrics import metrics_table
from murid.report.reliability import Reliability, assess, drawn
from murid.settings import Paths, StudyIdentify
from murid.study import compare, drawing
from murid.study.compare import Setting
from murid.study.fold import CONSTANT, UNSCORED, weighed
from murid.study.missed import by_cage
from murid.study.pages import Page

if TYPE_CHECKING:
    from murid.study.stage import Identify


class Step(NamedTuple):
    """What a method is called on the page, what it does, and which it is compared with, if any."""

    called: str
    words: str
    before: str | None


STEPS = {
    **{
        name: Step(method.step or method.label, method.step_words or method.words, method.after)
        for name, method in methods().items()
        if name in usual()
    },
    UNSCORED: Step("Path without scores", "the path model, of antennas and motion alone", "path"),
    CONSTANT: Step(
        "Path frame by frame",
        "the path model, with every frame of a long rest counted like any other",
        "path",
    ),
    ORACLE: Step(methods()[ORACLE].step, methods()[ORACLE].step_words, None),
}
"""Every method that is shown, in order; the path model's steps build up."""
METRICS = ("A_GD", "MisID_GD", "FNR_GD", "FPR_GD", "A_O")
WEIGHED = ("A_GD", "MisID_GD", "A_O")
"""The metrics by which weights of the evidence are compared."""
SPLIT = "Tune"
"""What the report calls Train and Validate together."""
LAG = ["rig", "lag", "log_likelihood", "behind", "possible", "chosen", "boxes", "stretches"]
ROWS = 6
"""Gaps that the table of motion shows at most: the shortest, the longest, and some in between."""


def compare_methods(counts: pd.DataFrame) -> pd.DataFrame:
    """Sum counts over all cages, and compare each method with the one before.

    Parameters
    ----------
    counts
        Table ``counts`` of all cages.

    Returns
    -------
    A row a method of :data:`STEPS`: ``method, before`` (empty if none), and for each of
    :data:`METRICS`, say ``A_GD``: ``A_GD`` (the rate), ``A_GD_low, A_GD_high`` (its 95% interval),
    ``A_GD_count, A_GD_normaliser, A_GD_cages``, ``A_GD_change`` (to the method before) and
    ``A_GD_change_low, A_GD_change_high`` (its interval, on the same cages). NaN where nothing
    counts, and intervals with too few cages to tell.
    """
    names = list(STEPS)
    before = [step.before for step in STEPS.values()]
    first = np.array([one is None for one in before])
    earlier = [names.index(one or name) for name, one in zip(names, before, strict=True)]
    columns: dict[str, Any] = {"method": names, "before": [one or "" for one in before]}
    for metric in METRICS:
        count, normaliser = compare.by_cage(counts, metric, names)
        values = compare.totals(count, normaliser)
        low, high = intervals.of_rates(count, normaliser)
        change_low, change_high = intervals.of_differences(count, normaliser, earlier)
        columns |= {
            metric: values,
            f"{metric}_low": low,
            f"{metric}_high": high,
            f"{metric}_count": count.sum(axis=0),
            f"{metric}_normaliser": normaliser.sum(axis=0),
            f"{metric}_cages": (normaliser > 0).sum(axis=0),
            f"{metric}_change": np.where(first, np.nan, values - values[earlier]),
            f"{metric}_change_low": np.where(first, np.nan, change_low),
            f"{metric}_change_high": np.where(first, np.nan, change_high),
        }
    return pd.DataFrame(columns)


def settings_of(tried: StudyIdentify, current: Paths) -> tuple[Setting, Setting]:
    """Return what is compared of how the antennas are weighed, and what is in use."""
    factor, exponent = "factor of the antennas", "exponent of a dwell"
    return (
        Setting("antenna_weight", tried.antenna_weights, factor, current.antenna_weight),
        Setting("dwell_exponent", tried.dwell_exponents, exponent, current.dwell_exponent),
    )


def compare_weights(counts: pd.DataFrame, settings: tuple[Setting, Setting]) -> pd.DataFrame:
    """Compare how the antennas are weighed, by the path model.

    Returns
    -------
    As :func:`murid.study.compare.compare_settings`, with ``antenna_weight`` and ``dwell_exponent``;
    metrics of which nothing counts are left out.
    """
    compared = compare.compare_settings(counts, WEIGHED, WEIGHED, settings, weighed)
    return compared[compared.groupby("metric")["value"].transform("count") > 0]


def lag_table(curves: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Lay out how well boxes fit readings at each lag.

    Parameters
    ----------
    curves
        As the provenance of fitted weights keeps them; none if the lag was set, not estimated.

    Returns
    -------
    ``rig`` (``all`` for all together; rigs by themselves only if there are several), ``lag``
    (seconds), ``log_likelihood`` (mean of a box), ``behind`` (the best, in standard errors),
    ``possible`` (whether it cannot be told from the best), ``chosen``, ``boxes``, ``stretches``.
    """
    rigs = [rig for rig in curves if rig]
    shown = {"": "all"} | ({rig: rig for rig in rigs} if len(rigs) > 1 else {})
    parts = [
        pd.DataFrame({**curves[rig], "rig": label, "lag": curves[rig]["lags"]})
        for rig, label in shown.items()
        if rig in curves
    ]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=LAG)
    return table.assign(chosen=table["lag"] == table["chosen"])[LAG]


def motion_table(motion: fitted_path.Motion) -> pd.DataFrame:
    """Lay out how an animal gets from one tracklet to its next.

    Returns
    -------
    A row a gap, and a last one, without a gap, for longer absences: ``gap`` (seconds), ``near``
    (probability that the animal is still where it was), ``spread_x, spread_y`` (standard deviation
    of the change if it is, pixels of the frame of reference), ``spread_log_w, spread_log_h``, and
    ``log_ratio`` (how much likelier its next tracklet begins then than one of nobody).
    """
    names = ["spread_x", "spread_y", "spread_log_w", "spread_log_h"]
    table = pd.DataFrame(motion.spread, columns=names)
    table.insert(0, "gap", motion.seconds)
    table.insert(1, "near", motion.near)
    table["log_ratio"] = motion.gaps
    longer = pd.DataFrame([{"log_ratio": motion.fresh}])
    return pd.concat([table, longer], ignore_index=True)


def sum_up(stage: "Identify") -> None:
    """Compare the methods by the tables of every cage that was left out, and write the page.

    Raises
    ------
    InputError
        If no frame was evaluated, or the counts lack a method.
    """
    tried, current = stage.study_identify, stage.paths
    variants = [weighed(*pair) for pair in product(tried.antenna_weights, tried.dwell_exponents)]
    counts = compare.read_counts(
        stage.counts, [*STEPS, *variants], "every method, antenna weight and dwell exponent"
    )
    settings = settings_of(tried, current)
    lagged, model = fitted_weights.read(stage.weights).lagged, fitted_path.read(stage.path_model)
    missed = by_cage(
        tables.concatenate((tables.read(path, "missed") for path in stage.missed), "missed")
    )
    reliability = tables.concatenate(
        (tables.read(path, "reliability") for path in stage.reliability), "reliability"
    )
    entries = assess(reliability[reliability["method"] == "path"])
    entries = [entry for entry in entries if entry.split == SPLIT]
    compared, weights = compare_methods(counts), compare_weights(counts, settings)
    lag, motion = lag_table(lagged.provenance.get("lag", {})), motion_table(model.motion)
    shown = {
        **_of_methods(counts, compared),
        **_of_motion(model, motion, current),
        **_of_confidence(entries),
        "missed": {kind: rows.to_dict("records") for kind, rows in missed.groupby("kind")},
        "judged": {name: _judged(weights, name, settings) for name in weights["metric"].unique()},
        "current": current,
        "lag_figure": drawing.lag_curve(lag) if len(lag) else None,
        "lags": [_of_lag(rig, curve) for rig, curve in lag.groupby("rig", sort=False)],
        "set_lag": lagged.lags[""],
        "level": LEVEL,
        "remarks": lagged.provenance.get("lag_remarks", []),
    }
    files = {
        "identify_methods": compared,
        "identify_weights": weights,
        "identify_lag": lag,
        "identify_motion": motion,
        "identify_missed": missed,
        "identify_reliability": drawn(entries).drop(columns=["split", "method"]),
    }
    page = Page("identify", "Identification on cages left out", files, shown)
    page.write(stage.output_dir, stage.note)


def _of_methods(counts: pd.DataFrame, compared: pd.DataFrame) -> dict[str, Any]:
    """Return what the page says of the methods, and the figures of single cages."""
    by_name = compared.set_index("method", drop=False).to_dict("index")
    metrics = metrics_table(counts[counts["method"].isin([*usual(), ORACLE])])
    cages = cages_of(metrics, SPLIT)
    bars = {name: cage_bars(metrics, SPLIT, name, cages) for name in ("A_GD", "A_O")}
    return {
        **compare.extent(counts),
        "methods": list(by_name.values()),
        "by_name": by_name,
        "steps": STEPS,
        "unscored": UNSCORED,
        "metrics": METRICS,
        "words": metric_words.METRICS,
        "cage_figures": {name: figure for name, figure in bars.items() if figure is not None},
        "colours": colours(usual()),
        "fewest": FEWEST_CAGES,
    }


def _judged(
    weights: pd.DataFrame, metric: str, settings: tuple[Setting, Setting]
) -> dict[str, Any] | None:
    """Return what :func:`murid.study.compare.judge` does, with a heat map."""
    judged = compare.judge(weights, metric)
    if judged is not None:
        factor, exponent = settings
        lower_is_better = metric_words.METRICS[metric].better == "lower"
        judged["edge"] = any(one.is_edge(judged["best"][one.column]) for one in settings)
        judged["figure"] = drawing.heat_map(judged["rows"], exponent, factor, lower_is_better)
    return judged


def _of_lag(rig: object, curve: pd.DataFrame) -> dict[str, Any]:
    """Sum up a rig's curve: the lag chosen, the best, and the last that is not surely worse."""
    by_lag = curve.set_index("lag")["log_likelihood"]
    chosen_lag = float(curve.loc[curve["chosen"], "lag"].iloc[0])
    without = curve.iloc[0]
    return {
        "rig": rig,
        "chosen": chosen_lag,
        "best": float(by_lag.idxmax()),
        "last": float(curve.loc[curve["possible"], "lag"].max()),
        "largest": float(curve["lag"].max()),
        "gain": float(by_lag[chosen_lag] - by_lag.iloc[0]),
        "without": without.to_dict(),
    }


def _of_motion(
    model: fitted_path.PathModel, motion: pd.DataFrame, current: Paths
) -> dict[str, Any]:
    """Return what the page says of what was learnt of motion and scores, and its figures."""
    gaps = motion[motion["gap"].notna()]
    score = model.score
    shown = np.unique(np.geomspace(1, len(gaps), ROWS).round().astype(int)) - 1
    return {
        "model": model,
        "gaps": gaps.iloc[shown].to_dict("records"),
        "longer": model.motion.fresh,
        "spread_figure": drawing.spread_curve(model.motion),
        "near_figure": drawing.near_curve(model.motion),
        "begin_figure": drawing.begin_curve(model.motion),
        "score_figure": drawing.score_curve(score) if score.slope else None,
        "balance": -score.intercept / score.slope if score.slope else None,
        "tenth": float(np.exp(score.slope / 10)),
        "counted_tenth": float(np.exp(current.score_weight * score.slope / 10)),
    }


def _of_confidence(entries: list[Reliability]) -> dict[str, Any]:
    """Return what the page says of how far the path model's confidence can be trusted."""
    return {
        "sure": {entry.kind: entry for entry in entries},
        "row_words": metric_words.ROWS,
        "diagram": reliability_diagram(entries) if entries else None,
        "coverage": coverage_figure(entries) if entries else None,
    }
