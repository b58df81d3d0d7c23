"""The best that can be done with the detections at hand: names from the annotations (Sect. 5.3)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas
from murid.boxes import iou
from murid.errors import InputError
from murid.hungarian import linear_sum_assignment
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
    shown = shown_animals(annotations)
    near = detections[detections["frame"].isin(shown["frame"])]
    by_frame = dict(list(near.groupby("frame")))
    rows = []
    for frame, truth in shown.groupby("frame"):
        if frame not in by_frame:
            continue
        mice = by_frame[frame]
        shared = iou(truth[schemas.BOX], mice[schemas.BOX])
        limit = np.where(truth["difficult"], overlap.iou_difficult, overlap.iou)[:, None]
        shared = np.where(shared > limit, shared, 0.0)
        for row, column in zip(*linear_sum_assignment(shared, maximize=True), strict=True):
            if shared[row, column] > 0:
                animal, rank = truth["animal"].iloc[row], mice["detection"].iloc[column]
                rows.append((frame, animal, rank))
    return pd.DataFrame(rows, columns=["frame", "animal", "detection"])


def named(
    mice: pd.DataFrame, annotations: pd.DataFrame, overlap: Overlap, animals: Sequence[str]
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Name the detections of annotated animals.

    Parameters
    ----------
    mice, annotations, overlap
        As for :func:`assign`.
    animals
        Names of those that have positions.

    Returns
    -------
    Rows of ``mice``, and (n,) animal of each.

    Raises
    ------
    InputError
        If the annotations name an animal that has no positions.
    """
    rows = assign(mice, annotations, overlap).merge(mice, on=["frame", "detection"])
    index = {name: number for number, name in enumerate(animals)}
    strange = ~rows["animal"].isin(index)
    if strange.any():
        frame, animal = rows.loc[strange, ["frame", "animal"]].iloc[0]
        raise InputError(
            "annotations", f"the animal {animal!r}",
            f"one of {', '.join(animals) or '(none)'}, which have positions",
            where=f"frame {frame}",
        )  # fmt: skip
    return rows.drop(columns="animal"), rows["animal"].map(index).to_numpy(dtype=np.int64)
