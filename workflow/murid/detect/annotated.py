"""Annotations, compared with the detections of the same frames before anything learns from them.

A file of annotations can be sound and hold boxes of other pixels, another corner or another cage.
The detections tell: in a frame that shows every animal without doubt, what was detected is where
something was annotated, whatever the detector missed. Where hardly anything is, another reading of
the boxes that fits says what went wrong; where none does, and detections of other frames fit as
well, the annotations are of something else.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from murid import boxes, contracts, picture, tables
from murid.detect import shifted
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
FITS, BETTER = 0.8, 0.1
"""Share from which another reading fits, and by how much the mean IoU of its pairs must exceed that
of the given one. Of right ones no reading comes near: 0.2 lower on the released archive."""
SAME_PLACE, SMALLEST = 0.8, 0.15
"""Share of the smaller box that lies in the larger one, and IoU, from which two boxes of different
size are at one place: 0.9 of pairs and more on the released archive where the detections are cut to
half of the width and height, or to a body of 0.4 of the length; 0.4 of those of another cage."""
SAME_CHANCE = 0.2
"""By how much the share at the same place must exceed that with other frames' detections."""
SCALES = {
    "a quarter": 1 / 4, "a third": 1 / 3, "half": 1 / 2, "two thirds": 2 / 3, "3/4": 3 / 4,
    "4/3": 4 / 3, "1.5 times": 3 / 2, "twice": 2.0, "three times": 3.0, "four times": 4.0,
}  # fmt: skip
"""Sizes that pictures are given for annotation, as shares of the raw frame's."""
SAME_SIZE = 0.03
"""By how much a size may differ from one of those and be called so."""
PIXELS = "give pixels of the raw frame"


class Reading(NamedTuple):
    """What boxes, (n, 4), may have been meant as."""

    meaning: str
    remedy: str
    read: Callable[[Array], Array]


def readings(size: tuple[float, float]) -> list[Reading]:
    """List what boxes may have been meant as, in a picture of a width and height in pixels.

    Those of a picture of another size are told by :func:`_as_large`.
    """
    width, height = size
    return [
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


def judge(
    annotations: pd.DataFrame,
    detections: pd.DataFrame,
    matrix: ArrayLike,
    image: Image,
    fps: float = 25.0,
) -> tuple[pd.DataFrame, Verdict]:
    """Judge annotations by the detections of the same frames, and of those around.

    Parameters
    ----------
    annotations, detections
        The tables of one segment.
    matrix
        Shape (2, 3), raw pixels to the frame of reference.
    image
        The frame of reference.
    fps
        Frames per second.

    Returns
    -------
    The annotations that may be learnt from: all, none where they do not fit the detections, or
    those of frames that fit no other time and have no box outside the picture; and what is to be
    said of that, at worst ``repaired``, since names do not rest on a segment's own annotations.
    """
    kept, late = _in_time(annotations, detections, fps)
    wrong = misfit(kept, detections, matrix, image)
    if wrong:
        reason = f"the annotations do not fit the detections, and count as none: {wrong}"
        return tables.empty("annotations"), late | Verdict("repaired", reason)
    kept, mixed = _of_one_reading(kept, detections, matrix, image)
    said = _of_other_size(kept, detections)
    kept, outside = _inside(kept, detections, matrix, image)
    return kept, late | mixed | said | outside


def _in_time(
    annotations: pd.DataFrame, detections: pd.DataFrame, fps: float
) -> tuple[pd.DataFrame, Verdict]:
    """Leave out stretches of frames that fit what is detected some time before or after."""
    shown = _by_frame(shown_animals(annotations))
    seen = np.array(shifted.looks(sorted(shown), fps), dtype=np.int64)
    near = np.unique(seen[:, None] + shifted.shifts(fps))
    mice = detections["label"] == "mouse"
    found = _by_frame(detections[mice & detections["frame"].isin(near)])
    verdict = Verdict()
    while (shift := shifted.find(shown, found, fps)) is not None:
        inside = annotations["frame"].between(shift.first, shift.last)
        when = f"{abs(shift.seconds):.1f} s {'later' if shift.seconds > 0 else 'earlier'}"
        reason = (
            f"the annotations of frames {shift.first} to {shift.last} are of another time, and are "
            f"left out: they overlap what is detected {when} by {shift.there:.2f} (mean IoU), and "
            f"what is detected in these frames by {shift.here:.2f}; give frames as the video "
            "counts them, from 0, or mend the detections if those are shifted"
        )
        annotations, verdict = annotations[~inside], verdict | Verdict("repaired", reason)
        kept = set(annotations["frame"])
        shown = {frame: own for frame, own in shown.items() if frame in kept}
    return annotations, verdict


def misfit(
    annotations: pd.DataFrame, detections: pd.DataFrame, matrix: ArrayLike, image: Image
) -> str:
    """Say why annotations are not of what was detected; nothing if they are, or cannot be told."""
    shown, found = _compared(annotations, detections)
    if not _tell(shown, found):
        return ""
    pairs = paired(shown, found)
    share = float((pairs >= NEAR).mean())
    said = _said(pairs)
    fit = _fitting(shown, found, _raw_size(matrix, image))
    if fit:
        reading, fits = fit
        meant = f"{fits:.0%} if the annotated ones are {reading.meaning}"
        return f"{said}, and {meant}: {reading.remedy}, or mend the detections if those are wrong"
    if share >= HALF:
        return ""
    chance = max(_share(turned, found) for turned in _elsewhere(shown))
    if share > chance + CHANCE or _at_same_place(shown, found):
        return ""
    return (
        f"{said}, and {chance:.0%} with those of other frames: give the annotations of this "
        "segment, or mend the detections if those are wrong"
    )


def _said(pairs: Array) -> str:
    share = (pairs >= NEAR).mean()
    return (
        f"of {len(pairs):,} pairs of an annotated and a detected box, {share:.0%} are near (IoU "
        f"{NEAR:g})"
    )


def _compared(annotations: pd.DataFrame, detections: pd.DataFrame) -> tuple[Frames, Frames]:
    """Return the annotated and the detected boxes of the frames that have both."""
    shown = _by_frame(shown_animals(annotations))
    mice = detections["label"] == "mouse"
    found = _by_frame(detections[mice & detections["frame"].isin(list(shown))])
    return {frame: shown[frame] for frame in shown.keys() & found.keys()}, found


def _tell(shown: Frames, found: Frames) -> bool:
    """Say whether the frames compared are enough to say anything."""
    pairs = sum(min(len(own), len(found[frame])) for frame, own in shown.items())
    return pairs >= FEWEST and len(shown) >= FEWEST_FRAMES


def _fitting(
    shown: Frames, found: Frames, size: tuple[float, float]
) -> tuple[Reading, float] | None:
    """Return the reading that fits far better than the given one, if any, and its share."""

    def overlaps(reading: Reading) -> Array:
        return paired({frame: reading.read(own) for frame, own in shown.items()}, found)

    several = [*readings(size), _as_large(shown, found)]
    best, fits = max(
        ((reading, overlaps(reading)) for reading in several), key=lambda each: each[1].mean()
    )
    share = float((fits >= NEAR).mean())
    if share >= FITS and fits.mean() >= paired(shown, found).mean() + BETTER:
        return best, share
    return None


def _as_large(shown: Frames, found: Frames) -> Reading:
    """Return the reading of a picture of the size under which boxes lie on detected ones.

    Sizes tell it roughly, since boxes are not drawn alike; then places tell it well.
    """
    annotated, detected = (
        np.median(np.concatenate(list(each.values()))[:, 2:], axis=0) for each in (shown, found)
    )
    factors = np.maximum(annotated, 1e-9) / np.maximum(detected, 1e-9)
    for _ in range(3):
        ratios = [np.zeros((0, 2))]
        for frame in shown.keys() & found.keys():
            every = boxes.iou(shown[frame] / np.tile(factors, 2), found[frame])
            own, other = linear_sum_assignment(every, maximize=True)
            own, other = own[every[own, other] > 0], other[every[own, other] > 0]
            centres = [
                boxed[:, :2] + boxed[:, 2:] / 2
                for boxed in (shown[frame][own], found[frame][other])
            ]
            ratios.append(centres[0] / np.maximum(centres[1], 1e-9))
        together = np.concatenate(ratios)
        if len(together) < FEWEST:
            break
        factors = np.maximum(np.median(together, axis=0), 1e-9)
    meant = "about {:.2f} the width and {:.2f} the height".format(*factors)
    for name, factor in SCALES.items():
        if (np.abs(factors / factor - 1) <= SAME_SIZE).all():
            meant = f"{name} the size"
    meaning = f"pixels of a picture of {meant}"
    return Reading(meaning, PIXELS, lambda given: given / np.tile(factors, 2))


def _of_one_reading(
    annotations: pd.DataFrame, detections: pd.DataFrame, matrix: ArrayLike, image: Image
) -> tuple[pd.DataFrame, Verdict]:
    """Leave out frames that fit only if their boxes are read in another way than the others'."""
    shown, found = _compared(annotations, detections)
    doubtful = {
        frame: own for frame, own in shown.items()
        if paired({frame: own}, found).mean() < NEAR
    }  # fmt: skip
    fit = _tell(doubtful, found) and _fitting(doubtful, found, _raw_size(matrix, image))
    if not fit:
        return annotations, Verdict()
    reading, share = fit
    misread = [
        frame
        for frame, own in shown.items()
        if paired({frame: reading.read(own)}, found).mean() > paired({frame: own}, found).mean()
    ]
    reason = (
        f"the annotations of {len(misread):,} of {len(shown):,} frames that can be compared do "
        f"not fit the detections, and are left out (the first is frame {min(misread)}): "
        f"{share:.0%} of the boxes that are near none are near one (IoU {NEAR:g}) if they are "
        f"{reading.meaning}; {reading.remedy} in every frame"
    )
    return annotations[~annotations["frame"].isin(misread)], Verdict("repaired", reason)


def _of_other_size(annotations: pd.DataFrame, detections: pd.DataFrame) -> Verdict:
    """Say that annotated boxes are where the detected ones are, but of another size."""
    shown, found = _compared(annotations, detections)
    if not _tell(shown, found):
        return Verdict()
    pairs = paired(shown, found)
    if (pairs >= NEAR).mean() >= HALF or _inside_share(shown, found) < FITS:
        return Verdict()
    annotated, detected = (
        np.median(np.prod(np.concatenate(list(each.values()))[:, 2:], axis=1))
        for each in (shown, found)
    )
    reason = (
        f"{_said(pairs)}, but they are at the same places: in the median a detected box has "
        f"{detected / annotated:.0%} of the area of an annotated one. The annotations are kept, "
        "and few of them can be matched. Look at some frames: if the detected boxes fit the "
        "animals, annotate the same part of them; if not, the detector is at fault: train it on "
        "more frames, or for longer"
    )
    return Verdict("repaired", reason)


def _at_same_place(shown: Frames, found: Frames) -> bool:
    """Say whether the boxes of a frame lie in each other, whatever their sizes."""
    share = _inside_share(shown, found)
    if share >= FITS:
        return True
    return share > max(_inside_share(turned, found) for turned in _elsewhere(shown)) + SAME_CHANCE


def _inside_share(shown: Frames, found: Frames) -> float:
    """Return the share of pairs of which one box lies in the other."""
    inside = []
    for frame, own in shown.items():
        others = found[frame]
        each = np.repeat(own, len(others), axis=0), np.tile(others, (len(own), 1))
        smaller = boxes.overlap_of_smaller(*each)
        lies = (smaller >= SAME_PLACE) & (boxes.paired_iou(*each) >= SMALLEST)
        every = lies.astype(np.float64).reshape(len(own), len(others))
        inside.append(every[linear_sum_assignment(every, maximize=True)])
    return float(np.concatenate(inside).mean())


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


def _share(shown: Frames, found: Frames) -> float:
    """Return the share of pairs that are near."""
    return float((paired(shown, found) >= NEAR).mean())


def _elsewhere(shown: Frames) -> list[Frames]:
    """Return the boxes of each frame under the number of another one, far from it: three times."""
    frames = sorted(shown)
    return [
        {
            other: shown[frame]
            for frame, other in zip(
                frames, np.roll(frames, max(len(frames) // turn, 1)).tolist(), strict=True
            )
        }
        for turn in (2, 3, 5)
    ]


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
