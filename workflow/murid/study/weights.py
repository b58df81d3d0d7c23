"""The choices behind the weights, compared on annotated segments, and the page about it."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from murid import tables
from murid.errors import InputError, LeftOut
from murid.files import write_text
from murid.grid import Grid
from murid.study import context, geometry, predictors
from murid.study.pages.weights import WeightsResults, render_weights
from murid.weights import samples

if TYPE_CHECKING:
    from murid.study.stage import Sampled, Weights

log = logging.getLogger(__name__)

PARTS = ("context", "predictors", "covariances", "sizes")


def gather(segments: Sequence["Sampled"], transforms: Path, grid: Grid) -> pd.DataFrame:
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
    As :func:`murid.weights.samples.collect`, with columns ``cage`` and ``split``.

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
                matrix = tables.read_matrices(transforms, [segment.rig])[segment.rig]
                own = samples.collect(positions, annotations, matrix, grid)
                parts.append(own.assign(cage=segment.cage, split=segment.split))
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
    grid = Grid(stage.grid.rows, stage.grid.columns)
    fit, how = stage.fit_weights, stage.study_weights
    rows = gather(stage.segments, stage.transforms, grid)
    results = WeightsResults(
        samples=rows,
        context=context.compare(rows, how.permutations, fit.seed),
        predictors=predictors.compare(rows, grid, fit, how.folds),
        covariances=geometry.compare_covariances(rows, grid),
        sizes=geometry.compare_sizes(rows, grid, how.significance),
    )
    for name in PARTS:
        table: pd.DataFrame = getattr(results, name)
        write_text(stage.output_dir / f"weights_{name}.csv", tables.to_csv(table))
    page = render_weights(results, grid, fit, how, stage.note)
    write_text(stage.output_dir / "weights.html", page)
