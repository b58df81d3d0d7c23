"""Annotated and detected boxes of the same frames, paired so as to overlap most."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import boxes, schemas
from murid.hungarian import linear_sum_assignment

Array = NDArray[np.float64]
Frames = Mapping[int, Array]
"""Boxes of each frame, (n, 4)."""

NEAR = 0.5
"""IoU from which two boxes are of one animal."""


def by_frame(rows: pd.DataFrame) -> dict[int, Array]:
    """Return the boxes of a table by frame."""
    return {
        int(frame): boxed.to_numpy(dtype=np.float64)
        for frame, boxed in rows.groupby("frame")[schemas.BOX]
    }


def mice_by_frame(detections: pd.DataFrame, frames: NDArray[np.integer] | list[int]) -> Frames:
    """Return the boxes of mice in some frames of a table of detections."""
    mice = detections["label"] == "mouse"
    return by_frame(detections[mice & detections["frame"].isin(frames)])


def best(values: Array) -> Array:
    """Return the values of the pairs whose sum is largest: (n, m) -> (min(n, m),).

    Examples
    --------
    >>> best(np.array([[0.9, 0.8], [0.7, 0.1]]))
    array([0.8, 0.7])
    """
    return values[linear_sum_assignment(values, maximize=True)]


def ious(annotated: Frames, detected: Frames) -> Array:
    """Return the IoU of the pairs of all frames that have boxes of both kinds: (n,).

    A frame has as many pairs as it has boxes of the rarer kind, so that neither what a detector
    misses counts, nor what it makes up beyond.

    Examples
    --------
    >>> ious({7: np.array([[0, 0, 4, 4], [9, 9, 4, 4]])}, {7: np.array([[0, 0, 4, 2]])})
    array([0.5])
    """
    frames = annotated.keys() & detected.keys()
    pairs = (best(boxes.iou(annotated[frame], detected[frame])) for frame in frames)
    return np.concatenate([np.zeros(0), *pairs])
