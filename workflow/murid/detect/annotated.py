"""Annotations, compared with the detections of the same frames before anything learns from them.

A file of annotations can be sound and hold boxes of other pixels, another corner or another cage.
The detections tell: in a frame that shows every animal without doubt, what was detected is where
something was annotated, whatever the detector missed. Where hardly anything is, another reading of
the boxes that fits says what went wrong; where none does, and detections of other frames fit as
well, the annotations are of something else.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from murid import boxes, picture, schemas, tables
from murid.detect import pairs, shifted
from murid.detect.pairs import NEAR, Array, Frames
from murid.hungarian import linear_sum_assignment
from murid.settings import Image
from murid.tables import Verdict
from murid.truth import leave_out, shown_animals

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
PIXELS, TOP_LEFT = "give pixels of the raw frame", "give the top-left corner"
AS_SHOWN = "give them as the raw frame shows them"


class Reading(NamedTuple):
    """What boxes may have been meant as."""

    meaning: str
    remedy: str
    columns: Callable[[Array, Array, Array, Array], tuple[Array, Array, Array, Array]]
    """Turns the four columns as they are given into x, y, w, h."""

    def read(self, given: Array) -> Array:
        """Return what was meant: (n, 4) -> (n, 4)."""
        return np.column_stack(self.columns(*given.T))


def readings(size: tuple[float, float]) -> list[Reading]:
    """List what boxes may have been meant as, in a picture of a width and height in pixels.

    Those of a picture of another size are told by :func:`_as_large`.
    """
    width, height = size
    return [
        Reading("the centre for x, y", TOP_LEFT,
                lambda x, y, w, h: (x - w / 2, y - h / 2, w, h)),
        Reading("the bottom-right corner for x, y", TOP_LEFT,
                lambda x, y, w, h: (x - w, y - h, w, h)),
        Reading("the other corner for w, h", "give w = x2 - x and h = y2 - y",
                lambda x, y, w, h: (x, y, np.maximum(w - x, 0), np.maximum(h - y, 0))),
        Reading("h before w", "give w, then h", lambda x, y, w, h: (x, y, h, w)),
        Reading("y before x", "give x, then y", lambda x, y, w, h: (y, x, w, h)),
        Reading("y, x, h, w", "give x, y, w, h", lambda x, y, w, h: (y, x, h, w)),
        Reading("mirrored, left for right", AS_SHOWN,
                lambda x, y, w, h: (width - x - w, y, w, h)),
        Reading("upside down", "give y from the upper edge",
                lambda x, y, w, h: (x, height - y - h, w, h)),
        Reading("of the frame turned by 180 degrees", AS_SHOWN,
                lambda x, y, w, h: (width - x - w, height - y - h, w, h)),
    ]  # fmt: skip


class Compared(NamedTuple):
    """The annotated and the detected boxes of the frames that have both."""

    annotated: Frames
    detected: Frames

    @property
    def ious(self) -> Array:
        """IoU of each pair of boxes: (n,)."""
        return pairs.ious(*self)

    @property
    def near(self) -> float:
        """Share of pairs that are near."""
        return float((self.ious >= NEAR).mean())

    @property
    def inside(self) -> float:
        """Share of pairs of which one box lies in the other."""
        shares = []
        for frame, annotated in self.annotated.items():
            detected = self.detected[frame]
            each = np.repeat(annotated, len(detected), 0), np.tile(detected, (len(annotated), 1))
            smaller = boxes.overlap_of_smaller(*each)
            lies = (smaller >= SAME_PLACE) & (boxes.paired_iou(*each) >= SMALLEST)
            shares.append(pairs.best(lies.astype(np.float64).reshape(len(annotated), -1)))
        return float(np.concatenate(shares).mean())

    @property
    def suffice(self) -> bool:
        """Whether they are enough to say anything."""
        count = sum(min(len(self.detected[n]), len(boxed)) for n, boxed in self.annotated.items())
        return count >= FEWEST and len(self.annotated) >= FEWEST_FRAMES

    def read(self, reading: Reading) -> "Compared":
        """Return the same, annotated boxes being read in another way."""
        return self._replace(
            annotated={n: reading.read(boxed) for n, boxed in self.annotated.items()}
        )

    def at(self, frame: int) -> "Compared":
        """Return those of one frame."""
        return self._replace(annotated={frame: self.annotated[frame]})

    def elsewhere(self) -> "list[Compared]":
        """Give the boxes annotated in each frame to another one, far from it: three times."""
        frames = sorted(self.annotated)
        others = [np.roll(frames, max(len(frames) // turn, 1)).tolist() for turn in (2, 3, 5)]
        boxed = [self.annotated[frame] for frame in frames]
        return [self._replace(annotated=dict(zip(each, boxed, strict=True))) for each in others]

    def sides(self) -> tuple[Array, Array]:
        """Return the sides of the annotated and of the detected boxes, (n, 2) and (m, 2)."""
        annotated, detected = (np.concatenate(list(each.values()))[:, 2:] for each in self)
        return annotated, detected

    def __str__(self) -> str:
        """Say how many pairs are near."""
        return (
            f"of {len(self.ious):,} pairs of an annotated and a detected box, {self.near:.0%} are "
            f"near (IoU {NEAR:g})"
        )


def _compare(annotations: pd.DataFrame, detections: pd.DataFrame) -> Compared:
    shown = pairs.by_frame(shown_animals(annotations))
    detected = pairs.mice_by_frame(detections, list(shown))
    return Compared({frame: shown[frame] for frame in shown.keys() & detected.keys()}, detected)


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
    sized = _of_other_size(kept, detections)
    kept, outside = _inside(kept, detections, matrix, image)
    return kept, late | mixed | sized | outside


def _in_time(
    annotations: pd.DataFrame, detections: pd.DataFrame, fps: float
) -> tuple[pd.DataFrame, Verdict]:
    """Leave out stretches of frames that fit what is detected some time before or after."""
    shown = pairs.by_frame(shown_animals(annotations))
    seen = np.array(shifted.looks(sorted(shown), fps), dtype=np.int64)
    detected = pairs.mice_by_frame(detections, np.unique(seen[:, None] + shifted.shifts(fps)))
    verdict = Verdict()
    while (shift := shifted.find(shown, detected, fps)) is not None:
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
        shown = {frame: boxed for frame, boxed in shown.items() if frame in kept}
    return annotations, verdict


def misfit(
    annotations: pd.DataFrame, detections: pd.DataFrame, matrix: ArrayLike, image: Image
) -> str:
    """Say why annotations are not of what was detected; nothing if they are, or cannot be told."""
    both = _compare(annotations, detections)
    if not both.suffice:
        return ""
    if fit := _fitting(both, _raw_size(matrix, image)):
        reading, share = fit
        meant = f"{share:.0%} if the annotated ones are {reading.meaning}"
        return f"{both}, and {meant}: {reading.remedy}, or mend the detections if those are wrong"
    if both.near >= HALF:
        return ""
    chance = max(other.near for other in both.elsewhere())
    if both.near > chance + CHANCE or _at_same_place(both):
        return ""
    return (
        f"{both}, and {chance:.0%} with those of other frames: give the annotations of this "
        "segment, or mend the detections if those are wrong"
    )


def _fitting(both: Compared, size: tuple[float, float]) -> tuple[Reading, float] | None:
    """Return the reading that fits far better than the given one, if any, and its share."""
    reading = max([*readings(size), _as_large(both)], key=lambda each: both.read(each).ious.mean())
    fit = both.read(reading)
    if fit.near >= FITS and fit.ious.mean() >= both.ious.mean() + BETTER:
        return reading, fit.near
    return None


def _as_large(both: Compared) -> Reading:
    """Return the reading of a picture of the size under which boxes lie on detected ones.

    Sizes tell it roughly, since boxes are not drawn alike; then places tell it well.
    """
    annotated, detected = (np.median(sides, axis=0) for sides in both.sides())
    factors = np.maximum(annotated, 1e-9) / np.maximum(detected, 1e-9)
    for _ in range(3):
        ratios = [np.zeros((0, 2))]
        for frame, given in both.annotated.items():
            others = both.detected[frame]
            overlaps = boxes.iou(given / np.tile(factors, 2), others)
            row, column = linear_sum_assignment(overlaps, maximize=True)
            meet = overlaps[row, column] > 0
            annotated, detected = (
                boxes.centroids_and_sizes(each)[:, :2]
                for each in (given[row[meet]], others[column[meet]])
            )
            ratios.append(annotated / np.maximum(detected, 1e-9))
        together = np.concatenate(ratios)
        if len(together) < FEWEST:
            break
        factors = np.maximum(np.median(together, axis=0), 1e-9)
    across, down = factors
    meant = f"about {across:.2f} the width and {down:.2f} the height"
    for name, factor in SCALES.items():
        if (np.abs(factors / factor - 1) <= SAME_SIZE).all():
            meant = f"{name} the size"
    return Reading(
        f"pixels of a picture of {meant}", PIXELS,
        lambda x, y, w, h: (x / across, y / down, w / across, h / down),
    )  # fmt: skip


def _of_one_reading(
    annotations: pd.DataFrame, detections: pd.DataFrame, matrix: ArrayLike, image: Image
) -> tuple[pd.DataFrame, Verdict]:
    """Leave out frames that fit only if their boxes are read in another way than the others'."""
    both = _compare(annotations, detections)
    doubtful = both._replace(
        annotated={n: boxed for n, boxed in both.annotated.items() if both.at(n).ious.mean() < NEAR}
    )
    fit = doubtful.suffice and _fitting(doubtful, _raw_size(matrix, image))
    if not fit:
        return annotations, Verdict()
    reading, share = fit
    other = both.read(reading)
    misread = [n for n in both.annotated if other.at(n).ious.mean() > both.at(n).ious.mean()]
    reason = (
        f"the annotations of {len(misread):,} of {len(both.annotated):,} frames that can be "
        f"compared do not fit the detections, and are left out (the first is frame "
        f"{min(misread)}): {share:.0%} of the boxes that are near none are near one (IoU {NEAR:g}) "
        f"if they are {reading.meaning}; {reading.remedy} in every frame"
    )
    return annotations[~annotations["frame"].isin(misread)], Verdict("repaired", reason)


def _of_other_size(annotations: pd.DataFrame, detections: pd.DataFrame) -> Verdict:
    """Say that annotated boxes are where the detected ones are, but of another size."""
    both = _compare(annotations, detections)
    if not both.suffice or both.near >= HALF or both.inside < FITS:
        return Verdict()
    annotated, detected = (np.median(np.prod(sides, axis=1)) for sides in both.sides())
    reason = (
        f"{both}, but they are at the same places: in the median a detected box has "
        f"{detected / annotated:.0%} of the area of an annotated one. The annotations are kept, "
        "and few of them can be matched. Look at some frames: if the detected boxes fit the "
        "animals, annotate the same part of them; if not, the detector is at fault: train it on "
        "more frames, or for longer"
    )
    return Verdict("repaired", reason)


def _at_same_place(both: Compared) -> bool:
    """Say whether the boxes of a frame lie in each other, whatever their sizes."""
    share = both.inside
    if share >= FITS:
        return True
    return share > max(other.inside for other in both.elsewhere()) + SAME_CHANCE


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
    outside = picture.outside(boxes.transform(boxed[schemas.BOX], matrix), size)
    detected = pairs.by_frame(detections[detections["frame"].isin(boxed["frame"][outside])])
    for row in np.flatnonzero(outside):
        frame, box = boxed["frame"].iloc[row], boxed[schemas.BOX].iloc[[row]]
        outside[row] = not (boxes.iou(box, detected.get(frame, np.zeros((0, 4)))) >= NEAR).any()
    what = f"outside the picture of {size[0]} x {size[1]} (image)"
    return leave_out(annotations, boxed["frame"][outside], what)
