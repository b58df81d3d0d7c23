"""The two baselines that look at one frame at a time (Sect. 5.2)."""

from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid.hungarian import linear_sum_assignment
from murid.identify.evidence import Readings, reference_boxes, weigh
from murid.identify.problem import NOBODY
from murid.models.fitted_weights import Affinity

Ints = NDArray[np.int64]


def by_centroid(
    detections: pd.DataFrame, trace: Readings, affinity: Affinity, matrix: ArrayLike
) -> Ints:
    """Static (C): assign by the distance from a box's centroid to the projected antenna.

    Every animal with a reading gets a box while there are boxes.

    Returns
    -------
    (n,) int64, index of the animal of each detection; -1 = nobody.
    """
    centroids = reference_boxes(detections, matrix)[:, :2]
    places = np.full((affinity.grid.size + 1, 2), np.nan)
    places[1:] = affinity.centroids(affinity.grid.antennas)
    frames = detections["frame"].to_numpy()
    offsets = places[trace.antennas[frames]] - centroids[:, None, :]
    # A gain above 0 for any distance: no pair is worth less than none.
    distance = np.linalg.norm(offsets, axis=2)
    gain = np.nanmax(distance, initial=0.0) + 1.0 - distance
    return _assign(frames, np.nan_to_num(gain, nan=-1.0))


def by_probability(
    detections: pd.DataFrame, trace: Readings, affinity: Affinity, matrix: ArrayLike
) -> Ints:
    """Static (P): the paper's weights, with hidden animals and the outlier, one frame at a time.

    Returns
    -------
    (n,) int64, index of the animal of each detection; -1 = the outlier.
    """
    evidence = weigh(detections, trace, affinity, matrix)
    frames = detections["frame"].to_numpy()
    gain = evidence.animals - evidence.outlier[:, None] - trace.hidden[frames]
    return _assign(frames, gain)


def _assign(frames: Ints, gain: NDArray[np.float64]) -> Ints:
    """Maximise the total gain in each frame, each detection and animal used at most once."""
    named = np.full(len(frames), NOBODY, dtype=np.int64)
    gain = np.maximum(gain, 0.0)
    bounds = np.flatnonzero(np.diff(frames, prepend=-1, append=-2))
    for start, end in pairwise(bounds):
        rows, columns = linear_sum_assignment(gain[start:end], maximize=True)
        worth = gain[start + rows, columns] > 0
        named[start + rows[worth]] = columns[worth]
    return named
