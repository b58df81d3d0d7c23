"""Detections that others made: filtered as the detector's own, and judged as a whole.

A file that holds boxes need not hold boxes of this video: what looks like another unit, another
picture or a part of the segment, and what no filter should have to take, is told with its figures.
"""

import logging
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import boxes, picture, rigs, schemas, tables
from murid.detect import unlabelled
from murid.detect.select import FILTERS, for_cage, select, sift
from murid.settings import Detect, Image
from murid.tables import Verdict

if TYPE_CHECKING:
    from murid.detect.stage import AdoptDetections

log = logging.getLogger(__name__)

UNDETECTED = (
    "a video but no boxes, and no detector to find them: set detector:, annotate a segment of "
    "split Train that has a video, or give detections"
)
NO_BOXES = Verdict("discarded", "no boxes at all: nobody could be named")
LONG, SHORTEST = 0.25, 25
"""Share of a segment, and frames, from which a stretch without a box is worth a word."""
WORTH = 0.001
"""Share of boxes from which it is worth a word that they coincide, or are too many."""
FEW_FRAMES = 0.5
"""Share of the frames with boxes below which too few keep any to go without a word."""


def adopt_segment(stage: "AdoptDetections") -> tuple[pd.DataFrame, Verdict]:
    """Adopt the detections of a segment that were made elsewhere.

    Returns
    -------
    The table ``detections`` of what is kept, with the verdict of what it was made from, and of what
    :func:`adopt` says; ``discarded`` if there are more animals than boxes that may be kept, the rig
    could not be calibrated, or there is no detector to find any: then the reason says what to do.

    Raises
    ------
    InputError
        If a table cannot be read or nothing is known of the rig.
    """
    verdict = rigs.read_segment_verdict(
        stage.transforms, stage.rig, stage.detections, stage.positions
    )
    if stage.no_detector and not verdict.discarded:
        verdict = Verdict("discarded", UNDETECTED)
    trace = tables.read(stage.positions, "positions")
    detect, enough = for_cage(stage.detect, trace)
    verdict |= enough
    if verdict.discarded:
        return tables.empty("detections"), verdict
    matrix = rigs.read_matrices(stage.transforms, [stage.rig])[stage.rig]
    frames = trace["frame"].unique()
    given = tables.read(stage.detections, "detections")
    given = given[given["frame"].isin(frames)]
    kept, judged = adopt(
        given, len(frames), matrix, stage.image, detect, stage.max_missing_frames,
        trace["animal"].nunique(),
    )  # fmt: skip
    return kept, verdict | judged


def adopt(
    given: pd.DataFrame,
    frames: int,
    matrix: ArrayLike,
    image: Image,
    detect: Detect,
    max_missing_frames: float,
    animals: int,
) -> tuple[pd.DataFrame, Verdict]:
    """Filter detections, and judge them.

    Parameters
    ----------
    given
        The table ``detections``.
    frames
        Number of frames of the segment.
    matrix
        Shape (2, 3), raw pixels to the frame of reference.
    animals
        Number of animals in the cage.

    Returns
    -------
    The table ``detections`` of what is kept, empty where the verdict is ``discarded``: where there
    are no boxes, their unit is another, most lie outside the picture, the filters take all, or a
    stretch without any is too long. Boxes outside the picture or as large as it, those that
    coincide with a better one, and those beyond ``max_mice`` are left out as ``repaired``.
    """
    nothing = tables.empty("detections")
    if given.empty:
        return nothing, NO_BOXES
    unit = picture.other_unit(given[schemas.BOX])
    if unit:
        return nothing, Verdict("discarded", unit)
    strange, verdict = _strange(boxes.transform(given[schemas.BOX], matrix), image)
    if verdict.discarded:
        return nothing, verdict
    inside = given[~strange]
    taken = sift(inside, matrix, detect)
    verdict |= _sifted(inside, taken, detect)
    mice = (inside["label"] == schemas.LABELS[0]).to_numpy()
    if not verdict.discarded:
        # The tunnel, which is always there, makes up for no mouse.
        seen = inside[mice] if mice.any() else inside
        verdict |= judge_stretches(seen["frame"].to_numpy(), frames, max_missing_frames)
    if verdict.discarded:
        return nothing, verdict
    verdict |= unlabelled.judge(inside[mice & np.isin(taken, ["", "max_mice"])], animals)
    return select(inside[taken == ""], matrix, detect), verdict


def _strange(reference: NDArray[np.float64], image: Image) -> tuple[NDArray[np.bool_], Verdict]:
    """Tell which boxes, in the frame of reference, are of no animal in the picture."""
    size = image.width, image.height
    outside, whole = picture.outside(reference, size), picture.as_large(reference, size)
    named = f"the picture of {image.width} x {image.height} (image)"
    verdict = Verdict()
    for wrong, what in ((outside, f"outside {named}"), (whole, f"as large as {named}")):
        if not wrong.any():
            continue
        count = f"{wrong.sum():,} of {len(wrong):,} boxes are {what}"
        if wrong.mean() >= picture.MOST_OUTSIDE:
            verdict |= Verdict("discarded", f"{count}: they seem to be of another one")
        else:
            verdict |= Verdict("repaired", f"{count}, and left out")
    return outside | whole, verdict


def _sifted(given: pd.DataFrame, taken: NDArray[np.object_], detect: Detect) -> Verdict:
    """Judge what the filters take: all, too much in too many frames, or what should not be."""
    counts = {name: int((taken == name).sum()) for name in FILTERS}
    words = {
        "area": "no finite box with an area",
        "score": f"score of {detect.score:g} or below (detect.score)",
        "nms": f"coinciding with a better one, IoU above {detect.nms:g} (detect.nms)",
        "max_mice": f"beyond the best {detect.max_mice} of a frame (detect.max_mice)",
        "hopper": "in the hopper (detect.hopper)",
    }
    losses = "; ".join(f"{counts[name]:,} {words[name]}" for name in FILTERS if counts[name])
    kept = int((taken == "").sum())
    log.info("%d boxes, %d kept%s", len(given), kept, f": {losses}" if losses else "")
    if not kept:
        return Verdict("discarded", f"{len(given):,} boxes, none kept: {losses}")
    mentioned = [name for name in ("nms", "max_mice") if counts[name] >= WORTH * len(given)]
    frames, left = (rows["frame"].nunique() for rows in (given, given[taken == ""]))
    if left < FEW_FRAMES * frames:
        reason = f"{len(given):,} boxes in {frames:,} frames, of which {left:,} keep any: {losses}"
        return Verdict("repaired", reason)
    if mentioned:
        left_out = ", ".join(f"{counts[name]:,} {words[name]}" for name in mentioned)
        return Verdict("repaired", f"of {len(given):,} boxes left out: {left_out}")
    return Verdict()


def judge_stretches(boxed: NDArray[np.int64], frames: int, most: float) -> Verdict:
    """Judge the longest stretch without any box, as of a file that holds a part of the segment.

    Parameters
    ----------
    boxed
        Shape (n,), frames of boxes, in any order.
    frames
        Number of frames of the segment.
    most
        Share of the segment that such a stretch may take; above it the segment is ``discarded``.
    """
    borders = np.concatenate([[-1], np.unique(boxed), [frames]])
    gaps = np.diff(borders) - 1
    longest = int(gaps.argmax())
    share = gaps[longest] / frames
    if share <= LONG or gaps[longest] < SHORTEST:
        return Verdict()
    first, last = borders[longest] + 1, borders[longest + 1] - 1
    reason = f"no box in frames {first} to {last} of {frames} ({share:.0%} of the segment)"
    return Verdict("discarded" if share > most else "repaired", reason)
