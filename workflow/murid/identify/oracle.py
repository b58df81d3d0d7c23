"""The best that can be done with the detections at hand: names from the annotations (Sect. 5.3)."""

import numpy as np
import pandas as pd

from murid import contracts
from murid.boxes import iou
from murid.settings import Overlap
from murid.truth import shown_animals


def assign(detections: pd.DataFrame, annotations: pd.DataFrame, overlap: Overlap) -> pd.DataFrame:
    """Give each annotated animal the detection that covers it, by the Hungarian algorithm on IoU.

    Parameters
    ----------
    detections
        Table ``detections``, mice only.
    annotations
        Table ``annotations``; only frames beyond doubt are used.
    overlap
        IoU above which a detection is an annotated animal.

    Returns
    -------
    Columns ``frame, animal, detection``, only where there is one.
    """
    from scipy.optimize import linear_sum_assignment  # slow to import

    shown = shown_animals(annotations)
    near = detections[detections["frame"].isin(shown["frame"])]
    by_frame = dict(list(near.groupby("frame")))
    rows = []
    for frame, truth in shown.groupby("frame"):
        if frame not in by_frame:
            continue
        found = by_frame[frame]
        shared = iou(truth[contracts.BOX], found[contracts.BOX])
        limit = np.where(truth["difficult"], overlap.iou_difficult, overlap.iou)[:, None]
        shared = np.where(shared > limit, shared, 0.0)
        for row, column in zip(*linear_sum_assignment(shared, maximize=True), strict=True):
            if shared[row, column] > 0:
                animal, rank = truth["animal"].iloc[row], found["detection"].iloc[column]
                rows.append((frame, animal, rank))
    return pd.DataFrame(rows, columns=["frame", "animal", "detection"])
