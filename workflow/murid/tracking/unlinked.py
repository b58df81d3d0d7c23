"""Which boxes are in no tracklet, so that methods that name tracklets cannot name them."""

import numpy as np
import pandas as pd

from murid import boxes, schemas
from murid.tables import Verdict

NOT_FEW = 0.2
"""Share of a tool's tracklets' boxes from which it is worth a word that they are lost."""
UNLINKED = 1 / 8
"""Share of boxes from which it is worth a word that they are in no tracklet; on the released
archive 2 to 8% are. Animals whose boxes are in none are said to be hidden."""


def judge(mice: int, linked: int, remedy: str = "") -> Verdict:
    """Judge how many boxes are in no tracklet.

    Parameters
    ----------
    mice, linked
        Boxes of mice that are kept, and those of them that are in a tracklet.
    remedy
        What to add to the reason.

    Returns
    -------
    ``repaired`` if more than :data:`UNLINKED` are in none.
    """
    free = mice - linked
    if free <= UNLINKED * mice:
        return Verdict()
    share = f"{free:,} of {mice:,} boxes ({free / mice:.0%})"
    lost = "are in no tracklet: only the static methods name them"
    return Verdict("repaired", f"{share} {lost}{remedy}")


def successive_iou(mice: pd.DataFrame) -> float:
    """Return the median IoU of a box and the next frame's that overlaps it most.

    The next frame is the next that has boxes, so that strides count; NaN with boxes in one only.

    Parameters
    ----------
    mice
        Columns ``frame, detection, x, y, w, h``, pixels.
    """
    rows = mice[["frame", "detection", *schemas.BOX]]
    rows = rows.assign(frame=rows["frame"].rank(method="dense").astype(int))
    pairs = rows.merge(rows.assign(frame=rows["frame"] - 1), on="frame", suffixes=("", "_next"))
    if pairs.empty:
        return np.nan
    following = pairs[[f"{name}_next" for name in schemas.BOX]]
    pairs["overlap"] = boxes.paired_iou(pairs[schemas.BOX], following)
    return float(pairs.groupby(["frame", "detection"])["overlap"].max().median())
