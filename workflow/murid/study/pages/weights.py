"""The page about the choices behind the weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from murid.affinity import SHOWN
from murid.grid import Grid
from murid.settings import FitWeights, StudyWeights
from murid.study import figures
from murid.study.geometry import COVARIANCES, LEFT_OUT
from murid.study.pages.layout import common, template
from murid.study.predictors import BY_CAGE, FLOOR, MIXED, described, forest_in_use

PREDICTORS = {
    "random_forest": "Random forest",
    "neural_network": "Neural network, three layers",
    "logistic_regression": "Logistic regression",
    "naive_bayes": "Naive Bayes",
    "decision_tree": "Decision tree",
    "antenna_shares": "Shares at each antenna",
    "shares": "Shares over all",
}
COVARIANCE_WORDS = {
    "spherical": ("Spherical", "one variance for x, y, width and height"),
    "pooled": ("Pooled", "one full covariance for all boxes"),
    "per_visibility": ("Per visibility", "a full covariance each for clear and truncated boxes"),
    "per_row": (
        "Per row",
        "a full covariance for each row of antennas, since boxes shrink with depth",
    ),
}


@dataclass(frozen=True)
class WeightsResults:
    """What the study of the weights found: the samples, and a table of each of its four parts."""

    samples: pd.DataFrame
    context: pd.DataFrame
    predictors: pd.DataFrame
    covariances: pd.DataFrame
    sizes: pd.DataFrame


def render_weights(
    results: WeightsResults, grid: Grid, fit: FitWeights, settings: StudyWeights, note: str | None
) -> str:
    """Return the page about the choices behind the weights as HTML.

    Parameters
    ----------
    results
        What was found.
    grid
        The antenna grid.
    fit
        The settings of the weights in use.
    settings
        How choices were compared.
    note
        A remark on the data, if any.
    """
    samples, sizes = results.samples, results.sizes
    tested = sizes[sizes["p_value"].notna()]
    rows = predictor_rows(results.predictors, fit)
    labels = {row["predictor"]: row["label"] for row in rows if not row["in_use"]}
    return template("weights.html.j2").render(
        **common(note),
        samples=len(samples),
        shares=samples["visibility"].value_counts().to_dict(),
        cages=sorted(samples["cage"].unique()),
        context=results.context.to_dict("records"),
        context_figure=figures.context_bars(results.context),
        permutations=settings.permutations,
        predictors=rows,
        best=best_predictors(rows),
        predictor_figure=figures.predictor_dots(results.predictors, labels),
        folds=fold_counts(results.predictors),
        floor=FLOOR,
        covariances=covariance_rows(results.covariances, fit),
        covariance_best=_best_covariances(results.covariances),
        boxes=int(samples["visibility"].isin(SHOWN).sum()),
        sizes=sizes.to_dict("records"),
        size_figure=figures.size_map(sizes, grid),
        tested=len(tested),
        different=int((tested["p_value"] < settings.significance).sum()),
        alike=[row.antenna for row in tested.itertuples() if not row.significant],
        significance=settings.significance,
    )


def fold_counts(predictors: pd.DataFrame) -> dict[str, int]:
    """Return the number of folds of each kind, ``by_cage`` and ``mixed``; absent if not made."""
    return (predictors.groupby("folds")["fold"].max() + 1).to_dict()


def predictor_rows(predictors: pd.DataFrame, fit: FitWeights) -> list[dict[str, Any]]:
    """Sum up each predictor over the folds, best first; the forest in use has a row of its own.

    Returns
    -------
    ``predictor, label, in_use``, and for each kind of folds, as a mapping: ``value`` (mean over all
    samples), ``error`` (standard error over folds), ``parameters``, ``folds`` (the value of each),
    ``best`` (of all but in use).
    """
    used = described(forest_in_use(fit))
    is_used = (predictors["predictor"] == "random_forest") & (predictors["parameters"] == used)
    parts = [(name, predictors[predictors["chosen"] & (predictors["predictor"] == name)], False)
             for name in PREDICTORS]  # fmt: skip
    parts.append(("random_forest", predictors[is_used], True))
    rows = []
    for name, part, in_use in parts:
        row: dict[str, Any] = {"predictor": name, "in_use": in_use}
        row["label"] = PREDICTORS[name] + " as set in fit_weights" * in_use
        for kind, own in part.groupby("folds"):
            values = own["log_likelihood"].to_numpy()
            row[str(kind)] = {
                "value": float(np.average(values, weights=own["samples"])),
                "error": float(values.std(ddof=1) / np.sqrt(len(values))),
                "parameters": own["parameters"].iloc[0],
                "folds": own.sort_values("fold")["log_likelihood"].to_numpy(),
            }
        rows.append(row)
    kinds = [kind for kind in (BY_CAGE, MIXED) if kind in rows[0]]
    for kind in kinds:
        most = max(row[kind]["value"] for row in rows if not row["in_use"])
        for row in rows:
            row[kind]["best"] = row[kind]["value"] == most and not row["in_use"]
    return sorted(rows, key=lambda row: (-row[kinds[0]]["value"], row["in_use"]))


def best_predictors(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, list[str]]]:
    """Return for each kind of folds the best predictor, and those not surely worse.

    Not surely worse is one whose mean difference to the best, fold by fold, is less than two
    standard errors.
    """
    found = {}
    for kind in (BY_CAGE, MIXED):
        judged = [row for row in rows if kind in row and not row["in_use"]]
        best = next((row for row in judged if row[kind]["best"]), None)
        if best is None:
            continue
        alike = []
        for row in judged:
            behind = best[kind]["folds"] - row[kind]["folds"]
            error = behind.std(ddof=1) / np.sqrt(len(behind))
            if row is not best and behind.mean() < 2 * error:
                alike.append(row["label"])
        found[kind] = (best["label"], alike)
    return found


def covariance_rows(covariances: pd.DataFrame, fit: FitWeights) -> list[dict[str, object]]:
    """Lay out the comparison of covariances: a row each, as in Table C.1 of the paper.

    Returns
    -------
    ``label, meaning, in_use``; ``Train, Validate, left_out`` (the last the mean over all boxes of
    the cages left out in turn) or NaN, and ``low, high`` over these cages.
    """
    rows = []
    for kind in COVARIANCES:
        own = covariances[covariances["covariance"] == kind]
        train = own[own["fitted_to"] == "Train"].set_index("judged_on")["log_likelihood"]
        left = own[own["fitted_to"] == LEFT_OUT]
        label, meaning = COVARIANCE_WORDS[kind]
        rows.append(
            {
                "label": label,
                "meaning": meaning,
                "in_use": kind == fit.covariance,
                "Train": train.get("Train", np.nan),
                "Validate": train.get("Validate", np.nan),
                "left_out": _mean(left),
                "low": left["log_likelihood"].min(),
                "high": left["log_likelihood"].max(),
            }
        )
    for column in ("Train", "Validate", "left_out"):
        most = np.nanmax([row[column] for row in rows] + [-np.inf])
        for row in rows:
            row[f"best_{column}"] = row[column] == most
    return rows


def _mean(rows: pd.DataFrame) -> float:
    if rows.empty:
        return float("nan")
    return float(np.average(rows["log_likelihood"], weights=rows["boxes"]))


def _best_covariances(covariances: pd.DataFrame) -> dict[str, str]:
    """Return the label of the best covariance on Validate and on cages left out."""
    fitted = covariances[covariances["fitted_to"] == "Train"]
    sets = {
        "Validate": fitted[fitted["judged_on"] == "Validate"],
        LEFT_OUT: covariances[covariances["fitted_to"] == LEFT_OUT],
    }
    found = {}
    for name, rows in sets.items():
        if len(rows):
            means = {kind: _mean(own) for kind, own in rows.groupby("covariance")}
            found[name] = COVARIANCE_WORDS[max(means, key=means.__getitem__)][0]
    return found
