"""The page about the choices behind the weights, compared on annotated segments."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from murid import rigs, tables
from murid.errors import InputError, LeftOut
from murid.fitting import samples
from murid.grid import Antennas, antennas_of
from murid.models.hidden import SHOWN
from murid.settings import FitWeights
from murid.study import context, drawing, geometry, predictors
from murid.study.pages import Page
from murid.study.predictors import BY_CAGE, FLOOR, MIXED

if TYPE_CHECKING:
    from murid.study.stage import Sampled, Weights

log = logging.getLogger(__name__)

PREDICTORS = {
    "random_forest": "Random forest",
    "neural_network": "Neural network, three layers",
    "logistic_regression": "Logistic regression",
    "naive_bayes": "Naive Bayes",
    "decision_tree": "Decision tree",
    "antenna_shares": "Shares at each antenna",
    "shares": "Shares over all",
}
COVARIANCES = {
    "spherical": ("Spherical", "one variance for x, y, width and height"),
    "pooled": ("Pooled", "one full covariance for all boxes"),
    "per_visibility": ("Per visibility", "a full covariance each for clear and truncated boxes"),
    "per_row": (
        "Per row",
        "a full covariance for each row of antennas, since boxes shrink with depth",
    ),
}
JUDGED_ON = {
    "Validate": "fitted to Train, judged on Validate",
    geometry.LEFT_OUT: "each cage left out in turn",
}
"""What covariances were not fitted to, by the column of their rows."""


def gather(segments: Sequence["Sampled"], transforms: Path, grid: Antennas) -> pd.DataFrame:
    """Read the annotated animals of several segments.

    Parameters
    ----------
    segments
        The annotated segments.
    transforms
        Table of the rigs' transforms.
    grid
        The antenna grid.

    Returns
    -------
    As :func:`murid.fitting.samples.collect`, with columns ``cage`` and ``split``.

    Raises
    ------
    InputError
        If there is not a single one.
    """
    parts, others = [], LeftOut(log)
    for segment in segments:
        with others.if_faulty(segment.positions):
            positions = tables.read(segment.positions, "positions")
            annotations = tables.read(segment.annotations, "annotations")
            if len(positions) and len(annotations):
                matrix = rigs.read_matrices(transforms, [segment.rig])[segment.rig]
                part = samples.collect(positions, annotations, matrix, grid)
                parts.append(part.assign(cage=segment.cage, split=segment.split))
    joined = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    if joined.empty:
        others.raise_if_all()
        raise InputError(
            "segments", "no annotated animal that has a reading", "some hundred",
            remedy="Annotate frames of segments of the splits Train and Validate.",
        )  # fmt: skip
    return joined


def compare(stage: "Weights") -> None:
    """Compare the choices behind the weights on the segments of a stage, and write the page.

    Raises
    ------
    InputError
        If the annotations do not suffice, naming what is missing.
    """
    grid = antennas_of(stage.grid.layout)
    rows = gather(stage.segments, stage.transforms, grid)
    page(rows, grid, stage).write(stage.output_dir, stage.note)


def page(rows: pd.DataFrame, grid: Antennas, stage: "Weights") -> Page:
    """Compare the choices on samples, as :func:`gather` gives them, by the settings of a stage."""
    fit, how = stage.fit_weights, stage.study_weights
    files = {
        "weights_context": context.compare(rows, how.permutations, fit.seed),
        "weights_predictors": predictors.compare(rows, grid, fit, how.folds),
        "weights_covariances": geometry.compare_covariances(rows, grid),
        "weights_sizes": geometry.compare_sizes(rows, grid, how.significance),
    }
    contexts, predicted, covariances, sizes = files.values()
    tested = sizes[sizes["p_value"].notna()]
    judged = predictor_rows(predicted, fit)
    boxed = covariance_rows(covariances, fit)
    labels = {row["predictor"]: row["label"] for row in judged if not row["in_use"]}
    shown = {
        "samples": len(rows),
        "shares": rows["visibility"].value_counts().to_dict(),
        "cages": sorted(rows["cage"].unique()),
        "context": contexts.to_dict("records"),
        "context_figure": drawing.context_bars(contexts),
        "permutations": how.permutations,
        "predictors": judged,
        "best": best_predictors(judged),
        "predictor_figure": drawing.predictor_dots(predicted, labels),
        "folds": (predicted.groupby("folds")["fold"].max() + 1).to_dict(),
        "floor": FLOOR,
        "covariances": boxed,
        "covariance_best": {
            words: row["label"]
            for column, words in JUDGED_ON.items()
            for row in boxed
            if row[f"best_{column}"]
        },
        "boxes": int(rows["visibility"].isin(SHOWN).sum()),
        "sizes": sizes.to_dict("records"),
        "size_figure": drawing.size_map(sizes, grid),
        "tested": len(tested),
        "different": int((tested["p_value"] < how.significance).sum()),
        "alike": [row.antenna for row in tested.itertuples() if not row.significant],
        "significance": how.significance,
    }
    return Page("weights", "Choices behind the weights", files, shown)


def predictor_rows(predicted: pd.DataFrame, fit: FitWeights) -> list[dict[str, Any]]:
    """Sum up each predictor over the folds, best first; the forest in use has a row of its own.

    Returns
    -------
    ``predictor, label, in_use``, and for each kind of folds, as a mapping: ``value`` (mean over all
    samples), ``error`` (standard error over folds), ``parameters``, ``folds`` (the value of each),
    ``best`` (of all but in use).
    """
    used = predictors.described(predictors.forest_in_use(fit))
    chosen = predicted[predicted["chosen"]]
    rows: list[dict[str, Any]] = [
        {"predictor": name, "label": label, "in_use": False}
        | _by_folds(chosen[chosen["predictor"] == name])
        for name, label in PREDICTORS.items()
    ]
    kinds = [kind for kind in (BY_CAGE, MIXED) if kind in rows[0]]
    forests = predicted[predicted["predictor"] == "random_forest"]
    label = f"{PREDICTORS['random_forest']} as set in fit_weights"
    rows.append(
        {"predictor": "random_forest", "label": label, "in_use": True}
        | _by_folds(forests[forests["parameters"] == used])
    )
    for kind in kinds:
        most = max(row[kind]["value"] for row in rows if not row["in_use"])
        for row in rows:
            row[kind]["best"] = row[kind]["value"] == most and not row["in_use"]
    return sorted(rows, key=lambda row: (-row[kinds[0]]["value"], row["in_use"]))


def _by_folds(candidate: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Sum up what one candidate reached, by kind of folds."""
    summed = {}
    for kind, folds in candidate.groupby("folds"):
        values = folds["log_likelihood"].to_numpy()
        summed[str(kind)] = {
            "value": float(np.average(values, weights=folds["samples"])),
            "error": float(values.std(ddof=1) / np.sqrt(len(values))),
            "parameters": folds["parameters"].iloc[0],
            "folds": values,
        }
    return summed


def best_predictors(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, list[str]]]:
    """Return for each kind of folds the best predictor, and those not surely worse.

    Not surely worse is one whose mean difference to the best, fold by fold, is less than two
    standard errors.
    """
    best_of = {}
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
        best_of[kind] = (best["label"], alike)
    return best_of


def covariance_rows(covariances: pd.DataFrame, fit: FitWeights) -> list[dict[str, Any]]:
    """Lay out the comparison of covariances: a row each, as in Table C.1 of the paper.

    Returns
    -------
    ``label, meaning, in_use``; ``Train, Validate, left_out`` (the last the mean over all boxes of
    the cages left out in turn) or NaN, and ``low, high`` over these cages; ``best_Train`` and so
    on, whether no other has a higher one.
    """
    rows = []
    for kind, (label, meaning) in COVARIANCES.items():
        judged = covariances[covariances["covariance"] == kind]
        train = judged[judged["fitted_to"] == "Train"].set_index("judged_on")["log_likelihood"]
        left = judged[judged["fitted_to"] == geometry.LEFT_OUT]
        mean = np.average(left["log_likelihood"], weights=left["boxes"]) if len(left) else np.nan
        rows.append(
            {
                "label": label,
                "meaning": meaning,
                "in_use": kind == fit.covariance,
                "Train": train.get("Train", np.nan),
                "Validate": train.get("Validate", np.nan),
                geometry.LEFT_OUT: mean,
                "low": left["log_likelihood"].min(),
                "high": left["log_likelihood"].max(),
            }
        )
    for column in ("Train", "Validate", geometry.LEFT_OUT):
        most = np.nanmax([row[column] for row in rows] + [-np.inf])
        for row in rows:
            row[f"best_{column}"] = row[column] == most
    return rows
