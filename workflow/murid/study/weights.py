"""The choices behind the weights, compared on annotated segments, and the page about it."""

import logging
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from murid import tables
from murid.errors import InputError, LeftOut
from murid.files import write_text
from murid.grid import Grid
from murid.settings import FitWeights, StudyWeights
from murid.study import context, geometry, predictors
from murid.study.pages.weights import WeightsResults, render_weights
from murid.weights import samples

log = logging.getLogger(__name__)

PARTS = ("context", "predictors", "covariances", "sizes")


def gather(
    segments: Sequence[tuple[str, str, Path, Path, str]], transforms: Path, grid: Grid
) -> pd.DataFrame:
    """Read the annotated animals of several segments.

    Parameters
    ----------
    segments
        Of each: cage, split, the tables ``positions`` and ``annotations``, and its rig set-up.
    transforms
        Table of the rigs' transforms.
    grid
        The antenna grid.

    Returns
    -------
    As :func:`murid.weights.samples.collect`, with columns ``cage`` and ``split``.

    Raises
    ------
    InputError
        If there is not a single one.
    """
    parts, others = [], LeftOut(log)
    for cage, split, positions_path, annotations_path, rig in segments:
        with others.if_faulty(positions_path):
            positions = tables.read(positions_path, "positions")
            annotations = tables.read(annotations_path, "annotations")
            if len(positions) and len(annotations):
                matrix = tables.read_matrices(transforms, [rig])[rig]
                own = samples.collect(positions, annotations, matrix, grid)
                parts.append(own.assign(cage=cage, split=split))
    joined = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    if joined.empty:
        others.raise_if_all()
        raise InputError(
            "segments", "no annotated animal that has a reading", "some hundred",
            remedy="Annotate frames of segments of the splits Train and Validate.",
        )  # fmt: skip
    return joined


def run(
    segments: Sequence[tuple[str, str, Path, Path, str]],
    transforms: Path,
    output_dir: Path,
    grid: Grid,
    fit: FitWeights,
    settings: StudyWeights,
    note: str | None = None,
) -> None:
    """Write the page ``weights.html``, and the CSV files ``weights_*`` that it shows.

    Parameters
    ----------
    segments, transforms, grid
        As :func:`gather`.
    output_dir
        Where to.
    fit
        The settings of the weights in use, pointed out on the page.
    settings
        How choices are compared.
    note
        A remark on the data, shown under the heading.

    Raises
    ------
    InputError
        If the annotations do not suffice, naming what is missing.
    """
    rows = gather(segments, transforms, grid)
    results = WeightsResults(
        samples=rows,
        context=context.compare(rows, settings.permutations, fit.seed),
        predictors=predictors.compare(rows, grid, fit, settings.folds),
        covariances=geometry.compare_covariances(rows, grid),
        sizes=geometry.compare_sizes(rows, grid, settings.significance),
    )
    for name in PARTS:
        table: pd.DataFrame = getattr(results, name)
        text = tables.to_csv(table)
        write_text(output_dir / f"weights_{name}.csv", text)
    write_text(output_dir / "weights.html", render_weights(results, grid, fit, settings, note))
