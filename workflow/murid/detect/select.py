"""Which detections are kept (Sect. 4.1), the detector's own or those of others."""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from murid import boxes, contracts, tables
from murid.settings import Detect


def select(detections: pd.DataFrame, matrix: ArrayLike, settings: Detect) -> pd.DataFrame:
    """Keep the detections that are worth tracking, and rank them.

    In this order: boxes that are not finite or have no area are dropped; so are scores at or below
    ``score``; at most ``max_mice`` boxes of a label stay in a frame, best first; and boxes that lie
    in the hopper by more than ``hopper_overlap`` of their area are dropped.

    Parameters
    ----------
    detections
        Columns ``frame, label, x, y, w, h, score``; pixels of the raw frame.
    matrix
        Shape (2, 3), raw pixels to the frame of reference, in which the hopper is given.
    settings
        What to keep.

    Returns
    -------
    The table ``detections``, by frame and rank; ``detection`` is the rank by score, from 0, over
    all labels of a frame.
    """
    values = detections[[*contracts.BOX, "score"]].to_numpy(np.float64)
    with np.errstate(invalid="ignore"):
        sound = np.isfinite(values).all(axis=1) & (values[:, 2:4] > 0).all(axis=1)
        # At the precision of the table, where 0.4 is a little above 0.4.
        kept = detections[sound & (values[:, 4].astype(np.float32) > np.float32(settings.score))]
    # Box and label decide between equal scores, so that the order in which rows come does not.
    kept = kept.sort_values(
        ["frame", "score", "label", *contracts.BOX],
        ascending=[True, False, True, True, True, True, True],
        kind="stable",
        ignore_index=True,
    )
    kept = kept[kept.groupby(["frame", "label"]).cumcount() < settings.max_mice]
    if settings.hopper is not None:
        reference = boxes.transform(kept[contracts.BOX], matrix)
        inside = boxes.fraction_inside(reference, settings.hopper)
        kept = kept[inside <= settings.hopper_overlap]
    return tables.conform(
        kept.assign(detection=kept.groupby("frame").cumcount()), "detections", "selected detections"
    )


def run(
    detections: Path, positions: Path, transforms: Path, rig: str, output: Path, settings: Detect
) -> None:
    """Adopt detections that were made elsewhere, filtered as the detector's own would be.

    Parameters
    ----------
    detections, positions, transforms
        Tables to read.
    rig
        The segment's rig set-up.
    output
        Table of detections to write, with the verdict of what it was made from.
    settings
        What to keep.

    Raises
    ------
    InputError
        If a table cannot be read or the rig has no transform.
    """
    verdict = tables.read_verdict(detections, positions)
    if verdict.discarded:
        tables.write(tables.empty("detections"), output, "detections", verdict)
        return
    matrix = tables.read_matrices(transforms, [rig])[rig]
    kept = select(tables.read(detections, "detections"), matrix, settings)
    frames = tables.read(positions, "positions")["frame"]
    tables.write(kept[kept["frame"].isin(frames.unique())], output, "detections", verdict)
