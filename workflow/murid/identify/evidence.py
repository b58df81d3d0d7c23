"""What speaks for each box being each animal, frame by frame (Eqs. 5-7)."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import boxes, schemas, timeline
from murid.errors import InputError
from murid.models.fitted_weights import Affinity

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Readings:
    """A segment's antenna trace as arrays.

    Attributes
    ----------
    animals
        Names, J of them, sorted.
    antennas
        (F, J) int64 for frames 0 to F - 1; 0 = no reading.
    contexts
        (F, J, 9) int8, the other animals around each.
    hidden
        (F, J) float64, log p(hidden | antenna, context).
    shares
        (F, J) float64, what each reading counts by its age, 0 to 1; None: all count whole.
    """

    animals: list[str]
    antennas: NDArray[np.int64]
    contexts: NDArray[np.int8]
    hidden: Floats
    shares: Floats | None = None

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self.antennas)


def read_trace(
    positions: pd.DataFrame, affinity: Affinity, lag: int = 0, life: float = 0.0
) -> Readings:
    """Turn the table ``positions`` of a segment into arrays.

    Parameters
    ----------
    positions
        The table.
    affinity
        The model that the trace is for.
    lag
        Frames by which readings run late, as :meth:`.Affinity.lag_frames` tells; 0 for the paper's.
    life
        Frames after which a reading counts half, which then holds until the next one; 0: none does.

    Raises
    ------
    InputError
        If a reading lies outside the model's grid, naming frame and animal.
    """
    wide = timeline.trace(positions, affinity.grid)
    antennas, shares = timeline.advance(wide.to_numpy(dtype=np.int64), lag), None
    if life:
        antennas, ages = timeline.hold(antennas)
        shares = np.where(antennas > 0, 0.5 ** (ages / life), 0.0)
    contexts = affinity.grid.context(antennas)
    shape = antennas.shape
    hidden = affinity.log_hidden(antennas.ravel(), contexts.reshape(-1, contexts.shape[-1]))
    return Readings(list(wide.columns), antennas, contexts, hidden.reshape(shape), shares)


@dataclass(frozen=True)
class Evidence:
    """Log densities of boxes.

    Attributes
    ----------
    animals
        (n, J), log p(box | antenna and context of animal j at the box's frame).
    outlier
        (n,), log p(box | no animal).
    """

    animals: Floats
    outlier: Floats


def reference_boxes(table: pd.DataFrame, matrix: ArrayLike) -> Floats:
    """Return a table's boxes centroid first, in the frame of reference: (n, 4)."""
    return boxes.centroids_and_sizes(boxes.transform(table[schemas.BOX], matrix))


def check_frames(table: pd.DataFrame, trace: Readings, source: object = "tracklets") -> None:
    """Refuse a table with a box after the last reading.

    Raises
    ------
    InputError
        Naming ``source`` and the frame.
    """
    frames = table["frame"].to_numpy()
    if len(frames) and frames.max() >= trace.frames:
        raise InputError(
            source, f"a box at frame {frames.max()}",
            f"frames 0 to {trace.frames - 1}" if trace.frames else "none, as without positions",
            remedy="Detections and positions belong to different recordings, or one is cut short.",
        )  # fmt: skip


def weigh(table: pd.DataFrame, trace: Readings, affinity: Affinity, matrix: ArrayLike) -> Evidence:
    """Weigh every box of a table against every animal.

    Parameters
    ----------
    table
        Any table with ``frame`` and a box.
    trace
        The segment's antennas.
    affinity
        The fitted model.
    matrix
        (2, 3), raw pixels to the frame of reference.

    Raises
    ------
    InputError
        If a box lies at a frame after the last reading.
    """
    check_frames(table, trace)
    frames = table["frame"].to_numpy()
    geometry = reference_boxes(table, matrix)
    weights = np.empty((len(table), len(trace.animals)))
    for column in range(len(trace.animals)):
        weights[:, column] = affinity.log_box(
            geometry, trace.antennas[frames, column], trace.contexts[frames, column]
        )
    return Evidence(weights, affinity.log_outlier(geometry))
