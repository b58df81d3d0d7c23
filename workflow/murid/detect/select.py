"""Which detections are kept (Sect. 4.1), the detector's own or those of others."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import boxes, schemas, tables
from murid.settings import Detect
from murid.sheet import MOST_ANIMALS
from murid.tables import Verdict

FILTERS = ("area", "score", "nms", "max_mice", "hopper")
"""What may take a detection, in this order."""


def select(detections: pd.DataFrame, matrix: ArrayLike, settings: Detect) -> pd.DataFrame:
    """Keep the detections that are worth tracking, and rank them.

    Parameters
    ----------
    detections
        Columns ``frame, label, x, y, w, h, score``; pixels of the raw frame.
    matrix
        Shape (2, 3), raw pixels to the frame of reference, in which the hopper is given.
    settings
        What to keep, as :func:`sift` has it.

    Returns
    -------
    The table ``detections``, by frame and rank; ``detection`` is the rank by score, from 0, over
    all labels of a frame.
    """
    kept = _ranked(detections[sift(detections, matrix, settings) == ""])
    return tables.conform(
        kept.assign(detection=kept.groupby("frame").cumcount()), "detections", "selected detections"
    )


def for_cage(settings: Detect, positions: pd.DataFrame) -> tuple[Detect, Verdict]:
    """Fill in how many boxes of a label are kept, for the animals that are in the cage.

    Parameters
    ----------
    settings
        What to keep.
    positions
        The table ``positions``, which names the animals.

    Returns
    -------
    The settings; and a verdict, ``discarded`` if not all animals could have a box.
    """
    animals = positions["animal"].nunique()
    settings = settings.for_animals(animals)
    if settings.max_mice is not None and settings.max_mice < animals:
        reason = (
            f"{animals} animals in the antenna trace, but detect.max_mice keeps "
            f"{settings.max_mice} boxes a frame; set it to {animals} at least, or to null"
        )
        return settings, Verdict("discarded", reason)
    return settings, Verdict()


def sift(detections: pd.DataFrame, matrix: ArrayLike, settings: Detect) -> NDArray[np.object_]:
    """Tell which filter takes each detection.

    In this order: ``area``, boxes that are not finite or have no area, or no score; ``score``,
    those that score at ``settings.score`` or below; ``nms``, those that overlap a better one of
    their label by an IoU above ``settings.nms``; ``max_mice``, those of a label beyond the best so
    many of a frame; ``hopper``, those of which more than ``hopper_overlap`` lies in the hopper.

    Parameters
    ----------
    detections, matrix, settings
        As for :func:`select`.

    Returns
    -------
    Shape (rows,): one of :data:`FILTERS`, or empty for what is kept.
    """
    values = detections[[*schemas.BOX, "score"]].to_numpy(np.float64)
    taken = np.full(len(detections), "", dtype=object)
    with np.errstate(invalid="ignore"):
        sound = np.isfinite(values).all(axis=1) & (values[:, 2:4] > 0).all(axis=1)
        # At the precision of the table, where 0.4 is a little above 0.4.
        above = values[:, 4].astype(np.float32) > np.float32(settings.score)
    taken[~sound] = "area"
    taken[sound & ~above] = "score"
    most = settings.max_mice or MOST_ANIMALS
    left = np.flatnonzero(taken == "")
    ranked = _ranked(detections.iloc[left].assign(row=left))
    groups = ranked.groupby(["frame", "label"]).ngroup().to_numpy()
    places, suppressed = _suppress(
        ranked[schemas.BOX].to_numpy(np.float64), groups, settings.nms, most
    )
    rows = ranked["row"].to_numpy(dtype=np.int64)
    taken[rows[suppressed]] = "nms"
    taken[rows[places >= most]] = "max_mice"
    if settings.hopper is not None:
        kept = ranked[(~suppressed & (places < most))]
        reference = boxes.transform(kept[schemas.BOX], matrix)
        inside = boxes.fraction_inside(reference, settings.hopper)
        taken[kept["row"][inside > settings.hopper_overlap]] = "hopper"
    return taken


def _ranked(detections: pd.DataFrame) -> pd.DataFrame:
    """Sort detections by frame, the best first.

    Box and label decide between equal scores, so that the order in which rows come does not.
    """
    return detections.sort_values(
        ["frame", "score", "label", *schemas.BOX],
        ascending=[True, False, True, True, True, True, True],
        kind="stable",
        ignore_index=True,
    )


def _suppress(
    ranked: NDArray[np.float64], groups: NDArray[np.int64], threshold: float, most: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Suppress what is not the best of its place, down to the ``most`` best of each group.

    Parameters
    ----------
    ranked
        Shape (rows, 4), boxes, the best of each group first.
    groups
        Shape (rows,), which boxes compete, numbered from 0.

    Returns
    -------
    The place of each row among those of its group that are left, from 0 (-1: suppressed), which is
    exact below ``most``; and which are suppressed. Both of shape (rows,).
    """
    suppressed = np.zeros(len(groups), dtype=bool)
    places = _places(groups)
    for place in range(most):
        # All groups at once: each has one box in this place, which nothing better overlaps.
        leaders = np.full(groups.max(initial=-1) + 1, -1)
        leads = np.flatnonzero((places == place) & ~suppressed)
        leaders[groups[leads]] = leads
        later = np.flatnonzero((places > place) & ~suppressed)
        if not len(later):
            break
        overlap = boxes.paired_iou(ranked[later], ranked[leaders[groups[later]]])
        suppressed[later[overlap > threshold]] = True
        left = np.flatnonzero(~suppressed)
        places[left] = _places(groups[left])
        places[suppressed] = -1
    return places, suppressed


def _places(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the rows of each group from 0."""
    return pd.Series(groups).groupby(groups).cumcount().to_numpy(dtype=np.int64, copy=True)
