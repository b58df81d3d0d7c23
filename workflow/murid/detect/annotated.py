"""Annotations, compared with the detections of the same frames before anything learns from them.

A file of annotations can be sound and hold boxes of other pixels, another corner or another cage.
The detections tell: in a frame that shows every animal without doubt, what was detected is where
something was annotated, whatever the detector missed. Where hardly anything is, another reading of
the boxes that fits says what went wrong; where none does, and detections of other frames fit as
well, the annotations are of something else.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from murid import boxes, contracts, picture, tables
from murid.settings import Image
from murid.tables import Verdict
from murid.truth import leave_out, shown_animals

Array = NDArray[np.float64]
Frames = Mapping[int, Array]
"""Boxes of each frame, (n, 4)."""

NEAR = 0.5
"""IoU from which two boxes are of one animal."""
FEWEST, FEWEST_FRAMES = 12, 3
"""Pairs of boxes, and frames that have some, without which nothing is said."""
HALF = 0.5
"""Share of pairs that are near below which annotations are in doubt. Of right ones it is 0.97 and
above on the released archive, whatever a detector misses, and 0.87 with a small one on the demo."""
CHANCE = 0.1
"""By how much the share must exceed that with other frames' detections. Of annotations of another
cage it does not; of a poor detector it does."""
FITS, BETTER = 0.8, 0.15
"""Share from which another reading fits, and by how much it must be better than the given one."""
SCALES = {
    "a quarter": 1 / 4, "a third": 1 / 3, "half": 1 / 2, "two thirds": 2 / 3, "3/4": 3 / 4,
    "4/3": 4 / 3, "1.5 times": 3 / 2, "twice": 2.0, "three times": 3.0, "four times": 4.0,
}  # fmt: skip
"""Sizes that pictures are given for annotation, as shares of the raw frame's."""
PIXELS = "give pixels of the raw frame"


class Reading(NamedTuple):
    """What boxes, (n, 4), may have been meant as."""

    meaning: str
    remedy: str
    read: Callable[[Array], Array]


def readings(size: tuple[float, float]) -> list[Reading]:
    """List what boxes may have been meant as, in a picture of a width and height in pixels."""
    width, height = size

    def scaled(factor: float) -> Callable[[Array], Array]:
        return lambda given: given / factor

    return [
        *(
            Reading(f"pixels of a picture of {name} the size", PIXELS, scaled(factor))
            for name, factor in SCALES.items()
        ),
        Reading(
            "the centre for x, y", "give the top-left corner",
            lambda b: np.column_stack([b[:, :2] - b[:, 2:] / 2, b[:, 2:]]),
        ),
        Reading(
            "the bottom-right corner for x, y", "give the top-left corner",
            lambda b: np.column_stack([b[:, :2] - b[:, 2:], b[:, 2:]]),
        ),
        Reading(
            "the other corner for w, h", "give w = x2 - x and h = y2 - y",
            lambda b: np.column_stack([b[:, :2], np.clip(b[:, 2:] - b[:, :2], 0, None)]),
        ),
        Reading("h before w", "give w, then h", lambda b: b[:, [0, 1, 3, 2]]),
        Reading("y before x", "give x, then y", lambda b: b[:, [1, 0, 2, 3]]),
        Reading("y, x, h, w", "give x, y, w, h", lambda b: b[:, [1, 0, 3, 2]]),
        Reading(
            "mirrored, left for right", "give them as the raw frame shows them",
            lambda b: np.column_stack([width - b[:, 0] - b[:, 2], b[:, 1:]]),
        ),
        Reading(
            "upside down", "give y from the upper edge",
            lambda b: np.column_stack([b[:, 0], height - b[:, 1] - b[:, 3], b[:, 2:]]),
        ),
        Reading(
            "of the frame turned by 180 degrees", "give them as the raw frame shows them",
            lambda b: np.column_stack([np.array(size) - b[:, :2] - b[:, 2:], b[:, 2:]]),
        ),
    ]  # fmt: skip


def run(
    annotations: Path,
    detections: Path,
    positions: Path,
    transforms: Path,
    rig: str,
    output: Path,
    image: Image,
) -> None:
    """Compare a segment's annotations with its detections, and write what may be learnt from.

    Parameters
    ----------
    annotations, detections, positions, transforms
        Tables to read.
    rig
        The segment's rig set-up.
    output
        The table ``annotations`` to write, with the verdict that the annotations have and that of
        :func:`judge`. Where the segment is discarded otherwise, or its rig has no transform,
        nothing can be compared, and they are kept as they are.
    image
        The frame of reference.

    Raises
    ------
    InputError
        If a table cannot be read.
    """
    verdict = tables.read_verdict(annotations)
    given = tables.read(annotations, "annotations")
    others = annotations, detections, positions
    if not tables.read_segment_verdict(transforms, rig, *others).discarded:
        matrix = tables.read_matrices(transforms, [rig])[rig]
        found = tables.read(detections, "detections")
        given, said = judge(given, found, matrix, image)
        verdict |= said
    tables.write(given, output, "annotations", verdict)


def judge(
    annotations: pd.DataFrame, detections: pd.DataFrame, matrix: ArrayLike, image: Image
) -> tuple[pd.DataFrame, Verdict]:
    """Judge annotations by the detections of the same frames.

    Parameters
    ----------
    annotations, detections
        The tables of one segment.
    matrix
        Shape (2, 3), raw pixels to the frame of reference.
    image
        The frame of reference.

    Returns
    -------
    The annotations that may be learnt from: all, none where they do not fit the detections, or
    those of frames without a box outside the picture; and what is to be said of that, at worst
    ``repaired``, since names do not rest on a segment's own annotations.
    """
    wrong = misfit(annotations, detections, matrix, image)
    if wrong:
        reason = f"the annotations do not fit the detections, and count as none: {wrong}"
        return tables.empty("annotations"), Verdict("repaired", reason)
    return _inside(annotations, detections, matrix, image)


def misfit(
    annotations: pd.DataFrame, detections: pd.DataFrame, matrix: ArrayLike, image: Image
) -> str:
    """Say why annotations are not of what was detected; nothing if they are, or cannot be told."""
    shown = _by_frame(shown_animals(annotations))
    found = _by_frame(detections[detections["label"] == "mouse"])
    pairs = paired(shown, found)
    if len(pairs) < FEWEST or len(shown.keys() & found.keys()) < FEWEST_FRAMES:
        return ""
    share = float((pairs >= NEAR).mean())
    said = (
        f"of {len(pairs):,} pairs of an annotated and a detected box, {share:.0%} are near (IoU "
        f"{NEAR:g})"
    )
    if share <= 1 - BETTER:
        size = _raw_size(matrix, image)
        fits = {reading: _share(shown, found, reading.read) for reading in readings(size)}
        best = max(fits, key=lambda reading: fits[reading])
        if fits[best] >= max(FITS, share + BETTER):
            fit = f"{fits[best]:.0%} if the annotated ones are {best.meaning}"
            return f"{said}, and {fit}: {best.remedy}, or mend the detections if those are wrong"
    if share >= HALF:
        return ""
    chance = max(_share(_elsewhere(shown, turn), found) for turn in (2, 3, 5))
    if share > chance + CHANCE:
        return ""
    return (
        f"{said}, and {chance:.0%} with those of other frames: give the annotations of this "
        "segment, or mend the detections if those are wrong"
    )


def paired(shown: Frames, found: Frames) -> Array:
    """Return the IoU of the boxes of two kinds that are paired so as to overlap most: (n,).

    A frame has as many pairs as it has boxes of the rarer kind, so that neither what a detector
    misses counts, nor what it makes up beyond.

    Examples
    --------
    >>> paired({7: np.array([[0, 0, 4, 4], [9, 9, 4, 4]])}, {7: np.array([[0, 0, 4, 2]])})
    array([0.5])
    """
    overlaps = [np.zeros(0)]
    for frame in shown.keys() & found.keys():
        every = boxes.iou(shown[frame], found[frame])
        overlaps.append(every[linear_sum_assignment(every, maximize=True)])
    return np.concatenate(overlaps)


def _share(
    shown: Frames, found: Frames, read: Callable[[Array], Array] = lambda given: given
) -> float:
    """Return the share of pairs that are near, of boxes that are read in some way; 0 of none."""
    pairs = paired({frame: read(own) for frame, own in shown.items()}, found)
    return float((pairs >= NEAR).mean()) if len(pairs) else 0.0


def _elsewhere(shown: Frames, turn: int) -> Frames:
    """Return the boxes of each frame under the number of another one, far from it."""
    frames = sorted(shown)
    others = np.roll(frames, max(len(frames) // turn, 1)).tolist()
    return {other: shown[frame] for frame, other in zip(frames, others, strict=True)}


def _by_frame(rows: pd.DataFrame) -> dict[int, Array]:
    return {
        int(frame): own.to_numpy(dtype=np.float64)
        for frame, own in rows.groupby("frame")[contracts.BOX]
    }


def _raw_size(matrix: ArrayLike, image: Image) -> tuple[float, float]:
    """Return the size of the raw frame, as far as the frame of reference tells it, pixels."""
    width, height = np.array([image.width, image.height]) / boxes.scales(matrix)[1]
    return float(width), float(height)


def _inside(
    annotations: pd.DataFrame, detections: pd.DataFrame, matrix: ArrayLike, image: Image
) -> tuple[pd.DataFrame, Verdict]:
    """Leave out frames with a box outside the picture, unless a detection is there too."""
    boxed = annotations[annotations["x"].notna()]
    size = image.width, image.height
    outside = picture.outside(boxes.transform(boxed[contracts.BOX], matrix), size)
    found = _by_frame(detections[detections["frame"].isin(boxed["frame"][outside])])
    for place in np.flatnonzero(outside):
        frame, own = boxed["frame"].iloc[place], boxed[contracts.BOX].iloc[[place]]
        outside[place] = not (boxes.iou(own, found.get(frame, np.zeros((0, 4)))) >= NEAR).any()
    what = f"outside the picture of {size[0]} x {size[1]} (image)"
    return leave_out(annotations, boxed["frame"][outside], what)
