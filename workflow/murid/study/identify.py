"""Every method on cages that were left out, summed up, and the page about it."""

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from murid import affinity, intervals, tables
from murid.errors import InputError
from murid.evaluate.outcomes import ORACLE
from murid.files import write_text
from murid.identify import fitted
from murid.identify.methods import chosen
from murid.identify.methods import methods as known
from murid.report import wording
from murid.report.reliability import assess, drawn
from murid.settings import Paths, StudyIdentify
from murid.study import compare
from murid.study.fold import UNSCORED, weighed
from murid.study.pages.identify import IdentifyResults, render_identify

if TYPE_CHECKING:
    from murid.study.stage import Identify

BEFORE = {
    **{name: known()[name].after for name in chosen()},
    UNSCORED: "path",
    ORACLE: None,
}
"""Every method that is shown, and the one that it is compared with."""
METRICS = ("A_GD", "MisID_GD", "FNR_GD", "FPR_GD", "A_O")
WEIGHED = ("A_GD", "MisID_GD", "A_O")
"""The metrics by which factors of the evidence are compared."""
SPLIT = "Tune"
"""What the report calls Train and Validate together."""


def compare_methods(counts: pd.DataFrame) -> pd.DataFrame:
    """Sum counts over all cages, and compare each method with the one before.

    Parameters
    ----------
    counts
        Table ``counts`` of all cages.

    Returns
    -------
    A row a method of :data:`BEFORE`: ``method, before`` (empty if none), and for each of
    :data:`METRICS`, say ``A_GD``: ``A_GD`` (the rate), ``A_GD_low, A_GD_high`` (its 95% interval),
    ``A_GD_count, A_GD_normaliser, A_GD_cages``, ``A_GD_change`` (to the method before) and
    ``A_GD_change_low, A_GD_change_high`` (its interval, on the same cages). NaN where nothing
    counts, and intervals with too few cages to tell.
    """
    methods = list(BEFORE)
    first = np.array([before is None for before in BEFORE.values()])
    earlier = [methods.index(before or method) for method, before in BEFORE.items()]
    parts = [
        pd.DataFrame({"method": methods, "before": [before or "" for before in BEFORE.values()]})
    ]
    for metric in METRICS:
        count, normaliser = compare.by_cage(counts, metric, methods)
        values = compare.totals(count, normaliser)
        low, high = intervals.of_rates(count, normaliser)
        change_low, change_high = intervals.of_differences(count, normaliser, earlier)
        columns = {
            "": values,
            "_low": low,
            "_high": high,
            "_count": count.sum(axis=0),
            "_normaliser": normaliser.sum(axis=0),
            "_cages": (normaliser > 0).sum(axis=0),
            "_change": np.where(first, np.nan, values - values[earlier]),
            "_change_low": np.where(first, np.nan, change_low),
            "_change_high": np.where(first, np.nan, change_high),
        }
        parts.append(pd.DataFrame({metric + name: column for name, column in columns.items()}))
    return pd.concat(parts, axis=1)


def compare_weights(counts: pd.DataFrame, study: StudyIdentify, current: Paths) -> pd.DataFrame:
    """Compare the factors of the evidence of antennas and scores, by the path model.

    Parameters
    ----------
    counts
        Table ``counts`` of all cages.
    study
        The factors.
    current
        The settings in use.

    Returns
    -------
    A row a metric and pair of factors: ``metric, antenna_weight, score_weight, in_use, count,
    normaliser, value``, and as :func:`murid.study.compare.behind` gives.
    """
    pairs = list(product(study.antenna_weights, study.score_weights))
    names = [weighed(*pair) for pair in pairs]
    in_use = [pair == (current.antenna_weight, current.score_weight) for pair in pairs]
    parts = []
    for metric in WEIGHED:
        count, normaliser = compare.by_cage(counts, metric, names)
        part = pd.DataFrame(pairs, columns=["antenna_weight", "score_weight"])
        part = part.assign(
            in_use=in_use, count=count.sum(axis=0), normaliser=normaliser.sum(axis=0)
        )
        part["value"] = compare.totals(count, normaliser)
        part.insert(0, "metric", metric)
        if part["value"].notna().any():
            lower = wording.METRICS[metric].better == "lower"
            part = part.join(compare.behind(count, normaliser, lower))
            parts.append(part)
    return pd.concat(parts, ignore_index=True)


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
        pd.DataFrame(
            {
                "rig": label,
                "lag": curves[rig]["lags"],
                "log_likelihood": curves[rig]["log_likelihood"],
                "behind": curves[rig]["behind"],
                "possible": curves[rig]["possible"],
                "chosen": np.array(curves[rig]["lags"]) == curves[rig]["chosen"],
                "boxes": curves[rig]["boxes"],
                "stretches": curves[rig]["stretches"],
            }
        )
        for rig, label in shown.items()
        if rig in curves
    ]
    columns = ["rig", "lag", "log_likelihood", "behind", "possible", "chosen", "boxes", "stretches"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def motion_table(motion: fitted.Motion) -> pd.DataFrame:
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
    current, study = stage.paths, stage.study_identify
    joined = tables.concatenate((tables.read(path, "counts") for path in stage.counts), "counts")
    _check(joined, study)
    rows = tables.concatenate(
        (tables.read(path, "reliability") for path in stage.reliability), "reliability"
    )
    sure = assess(rows[rows["method"] == "path"])
    lagged = affinity.read(stage.weights).lagged
    model = fitted.read(stage.path_model)
    results = IdentifyResults(
        counts=joined,
        methods=compare_methods(joined),
        weights=compare_weights(joined, study, current),
        lag=lag_table(lagged.provenance.get("lag", {})),
        remarks=lagged.provenance.get("lag_remarks", []),
        motion=motion_table(model.motion),
        reliability=[entry for entry in sure if entry.split == SPLIT],
        lags=lagged.lags,
        model=model,
    )
    for name, table in {
        "methods": results.methods,
        "weights": results.weights,
        "lag": results.lag,
        "motion": results.motion,
        "reliability": drawn(results.reliability).drop(columns=["split", "method"]),
    }.items():
        write_text(stage.output_dir / f"identify_{name}.csv", tables.to_csv(table))
    page = render_identify(results, current, study, stage.note)
    write_text(stage.output_dir / "identify.html", page)


def _check(counts: pd.DataFrame, study: StudyIdentify) -> None:
    if counts.empty:
        raise InputError(
            "annotations", "no frame of Train and Validate that could be evaluated", "some",
            remedy="Annotate some, or see evaluate.snippets and evaluate.min_annotated.",
        )  # fmt: skip
    pairs = product(study.antenna_weights, study.score_weights)
    missing = {*BEFORE, *(weighed(*pair) for pair in pairs)} - set(counts["method"])
    if missing:
        raise InputError(
            "counts", f"nothing on {min(missing)}", "every method, antenna and score weight",
            remedy="Give the settings that the counts were made with.",
        )  # fmt: skip
