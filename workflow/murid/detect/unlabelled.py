"""Boxes that are called a mouse and never move: the tunnel or the hopper, without its label."""

import numpy as np
import pandas as pd

from murid import boxes, schemas
from murid.tables import Verdict

SAME = 0.7
"""IoU from which two boxes are of what stands at one place."""
ALWAYS, CROWDED = 0.9, 0.5
"""Shares of the frames with boxes in which one stands at the same place, and in which there are
more boxes than animals, from which the one is none. Mice asleep stand as still for a minute, but at
most 45% of the frames of any minute of TIDe had a box too many, and a tenth of the simulator's."""
FEWEST = 25
"""Frames with boxes that tell."""
LOOKED_AT = 5
"""Frames whose boxes are looked for in all others; what is always there is in most of them."""


def judge(mice: pd.DataFrame, animals: int) -> Verdict:
    """Tell of a box that hardly moves, where there are more boxes than animals.

    Parameters
    ----------
    mice
        Columns ``frame, x, y, w, h`` of boxes called a mouse, none coinciding with a better one.
    animals
        In the cage.
    """
    counts = mice["frame"].value_counts().sort_index()
    crowded = float((counts > animals).mean()) if len(counts) else 0.0
    if len(counts) < FEWEST or crowded < CROWDED:
        return Verdict()
    given, frames = mice[schemas.BOX].to_numpy(dtype=np.float64), mice["frame"].to_numpy()
    places = np.linspace(0, len(counts) - 1, LOOKED_AT).astype(np.int64)
    best, most = np.zeros(4), 0.0
    for frame in counts.index[places]:
        for box in given[frames == frame]:
            there = np.asarray(boxes.paired_iou(given, np.tile(box, (len(given), 1)))) >= SAME
            share = len(np.unique(frames[there])) / len(counts)
            if share > most:
                best, most = box, share
    if most < ALWAYS:
        return Verdict()
    x, y, w, h = best
    return Verdict(
        "repaired",
        f"a box called mouse stands still at x {x:.0f}, y {y:.0f} ({w:.0f} x {h:.0f} pixels) in "
        f"{most:.0%} of the frames, of which {crowded:.0%} have more boxes than the {animals} "
        "animals: if it is the tunnel, label it tunnel; if it is the hopper or anything else, "
        "leave it out (detect.hopper). Otherwise names are hardly right",
    )
