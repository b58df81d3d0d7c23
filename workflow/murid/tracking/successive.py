"""How boxes of an animal overlap from one frame to the next, and how they are linked if little.

What a detector draws around an animal changes little in a 25th of a second. A box around body parts
jumps each time that one of its outer parts comes or goes; and so do all boxes at a low frame rate.
Where many do, tracklets must join boxes that overlap less, or each is of a few boxes; and they must
live on where a box is so odd that it fits none. A tracker that does so for steady boxes, too, would
follow the wrong animal where two meet.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import boxes, schemas
from murid.settings import Track
from murid.tables import Verdict

STEADY = 0.75
"""IoU that a steady box has with the next one of its animal at least..."""
JUMPING = 0.1
"""...unless more than this share of all have less: then they jump. Of a detector's boxes 1 to 6%
have less on the released archive and a harder one, of those around body parts 20% if a tenth of the
parts are not seen."""
FEWEST = 50
"""Pairs of boxes by which that is told, at least."""
LOOKED_AT = 5_000
"""Frames that are looked at, at most, spread evenly."""
LOOSE_IOU, LOOSE_AGE = 0.3, 5
"""What joins jumping boxes to tracklets, and frames with boxes that these survive without one.
Where four animals were simulated and a tenth of their parts left out, at 25 frames a second 0.1% of
the boxes are in no tracklet (12.5% at 0.75 and 0), and 0.16% in one that is mostly of another
animal (0.11%)."""


def median_iou(mice: pd.DataFrame) -> float:
    """Return the median IoU of a box and the next frame's that overlaps it most.

    The next frame is the next that has boxes, so that strides count; NaN with boxes in one only.

    Parameters
    ----------
    mice
        Columns ``frame, detection, x, y, w, h``, pixels.
    """
    pairs = _pairs(mice)
    if pairs.empty:
        return np.nan
    return float(pairs.groupby("row")["overlap"].max().median())


def nearest_iou(mice: pd.DataFrame, most: int = LOOKED_AT) -> NDArray[np.float64]:
    """Return the IoU of boxes that are each other's nearest in successive frames with boxes: (k,).

    Where one has no such neighbour, as where an animal comes or hides, nothing is told.

    Parameters
    ----------
    mice
        Columns ``frame, x, y, w, h``, pixels.
    most
        Frames to look at, at most.
    """
    pairs = _pairs(mice, most)
    pairs = pairs[pairs["overlap"] > 0].sort_values("overlap", kind="stable")
    best = ~pairs.duplicated("row", keep="last") & ~pairs.duplicated("row_next", keep="last")
    return pairs.loc[best, "overlap"].to_numpy()


def jump(overlap: NDArray[np.float64]) -> bool:
    """Tell whether boxes jump, given the IoU of each with the next of its animal: (k,)."""
    return len(overlap) >= FEWEST and float((overlap < STEADY).mean()) > JUMPING


def usual_step(frames: ArrayLike) -> int:
    """Return the usual number of frames from one with boxes to the next: 2 with every second.

    Parameters
    ----------
    frames
        Frame of each box: (n,), in any order.
    """
    steps = np.diff(np.unique(np.asarray(frames)))
    return round(float(np.median(steps))) if len(steps) else 1


def counted(frames: ArrayLike) -> NDArray[np.int64]:
    """Return frames by numbers of which contiguous ones are 1 apart: (n,).

    Where boxes come in every second frame only, or in fewer, no tracklet has two of one number and
    the next: then frames with boxes are counted, of whichever animal, and all others passed over.

    Parameters
    ----------
    frames
        Frame of each box: (n,), in any order.
    """
    frames = np.asarray(frames, dtype=np.int64)
    if usual_step(frames) == 1:
        return frames
    return np.unique(frames, return_inverse=True)[1].astype(np.int64)


def suit(detections: pd.DataFrame, settings: Track) -> tuple[Track, Verdict]:
    """Return the settings that suit the boxes of a segment: looser ones if they jump or are rare.

    Parameters
    ----------
    detections
        The table ``detections``; only mice are looked at.
    settings
        What holds for steady boxes in every frame; and for all, unless ``loosen`` is set.

    Returns
    -------
    The settings, and a verdict: ``repaired`` with what was found and done if they are not the same.
    """
    if not settings.loosen:
        return settings, Verdict()
    mice = detections[detections["label"] == "mouse"]
    step = usual_step(mice["frame"])
    overlap = nearest_iou(mice)
    if not jump(overlap):
        return _outliving(step, settings) if len(overlap) >= FEWEST else (settings, Verdict())
    share = (overlap < STEADY).mean()
    loose = settings.model_copy(
        update={
            "iou": min(settings.iou, LOOSE_IOU),
            "max_age": max(settings.max_age, (LOOSE_AGE + 1) * step - 1),
        }
    )
    if loose == settings:
        return settings, Verdict()
    reason = (
        f"boxes jump ({share:.0%} overlap the next frame's nearest by an IoU below {STEADY:g}), as "
        f"those around body parts do: linked with track.iou {loose.iou:g} and track.max_age "
        f"{loose.max_age} (track.loosen)"
    )
    return loose, Verdict("repaired", reason)


def _outliving(step: int, settings: Track) -> tuple[Track, Verdict]:
    """Let tracklets live through the frames between those with boxes, as :func:`suit` returns it.

    They live as long as they can without passing over one that usually has boxes, since steps of
    videos that were thinned out may be uneven.
    """
    if settings.max_age >= step - 1:
        return settings, Verdict()
    outliving = settings.model_copy(update={"max_age": 2 * step - 2})
    reason = (
        f"boxes are in one of {step} frames only: linked with track.max_age {outliving.max_age} "
        "(track.loosen)"
    )
    return outliving, Verdict("repaired", reason)


def _pairs(mice: pd.DataFrame, most: int | None = None) -> pd.DataFrame:
    """Pair all boxes of each frame with those of the next one: ``row, row_next, overlap``."""
    numbers, rank = np.unique(mice["frame"].to_numpy(), return_inverse=True)
    looked = np.arange(len(numbers) - 1)
    if most is not None and len(looked) > most:
        looked = np.linspace(0, len(numbers) - 2, most).astype(np.int64)
    rows = pd.DataFrame({"rank": rank, "row": np.arange(len(rank))})
    first = rows[np.isin(rank, looked)]
    second = rows[np.isin(rank - 1, looked)].assign(rank=lambda table: table["rank"] - 1)
    pairs = first.merge(second, on="rank", suffixes=("", "_next"))
    sides = mice[schemas.BOX].to_numpy(np.float64)
    return pairs.assign(overlap=boxes.paired_iou(sides[pairs["row"]], sides[pairs["row_next"]]))
