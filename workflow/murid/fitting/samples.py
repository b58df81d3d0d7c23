"""What the model is fitted to: one row for each animal in each frame annotated without doubt."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from murid import boxes, schemas, timeline, truth
from murid.grid import CELLS, Antennas

CONTEXT = [f"cell{cell}" for cell in range(CELLS)]
GEOMETRY = ["x", "y", "w", "h"]
"""Box columns of a sample: the *centroid* and size, in the frame of reference; NaN if hidden."""
COLUMNS = ["frame", "animal", "antenna", *CONTEXT, "visibility", *GEOMETRY]
"""All columns of a sample."""


def collect(
    positions: pd.DataFrame,
    annotations: pd.DataFrame,
    matrix: ArrayLike,
    grid: Antennas,
    lag: int = 0,
) -> pd.DataFrame:
    """Pair a segment's annotations with its antennas.

    Frames that are not beyond doubt (:func:`murid.truth.unambiguous_frames`) are left out, as are
    animals without a reading.

    Parameters
    ----------
    positions, annotations
        Tables of one segment.
    matrix
        (2, 3), raw pixels to the frame of reference.
    grid
        The antenna grid.
    lag
        Frames by which the readings run late.

    Returns
    -------
    Columns ``frame, animal, antenna, cell0..cell8, visibility`` (clear, truncated, marginal,
    hidden) and ``x, y, w, h``.
    """
    return from_trace(timeline.trace(positions, grid), annotations, matrix, grid, lag)


def from_trace(
    trace: pd.DataFrame, annotations: pd.DataFrame, matrix: ArrayLike, grid: Antennas, lag: int = 0
) -> pd.DataFrame:
    """Do as :func:`collect`, with positions as :func:`murid.timeline.trace` gives them."""
    frames = np.intersect1d(truth.unambiguous_frames(annotations), trace.index)
    readings = timeline.advance(trace.to_numpy(dtype=np.int64), lag)
    antennas = readings[frames]
    context = grid.context(antennas)
    shown = truth.shown_animals(annotations).set_index(["frame", "animal"])
    parts = []
    for column, animal in enumerate(trace.columns):
        rows = shown.reindex(pd.MultiIndex.from_product([frames, [animal]]))
        boxed = boxes.transform(rows[schemas.BOX].fillna(0), matrix)
        geometry = np.where(
            rows[["x"]].notna().to_numpy(), boxes.centroids_and_sizes(boxed), np.nan
        )
        part = pd.DataFrame({"frame": frames, "animal": animal, "antenna": antennas[:, column]})
        part[CONTEXT] = context[:, column]
        part["visibility"] = rows["visibility"].astype(object).fillna("hidden").to_numpy()
        part[GEOMETRY] = geometry
        parts.append(part[part["antenna"] > 0])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
