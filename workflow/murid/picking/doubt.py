"""Frames that a detector's own boxes say are worth annotating: rare postures, and doubts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import boxes, schemas, tables

Floats = NDArray[np.float64]

LEAST_OVERLAP = 0.2
"""IoU of two boxes from which animals lie together."""
LEAST_SIZE = 1.5
"""Times the usual area, or that part of it, from which a box is of a rare size."""
LEAST_DOUBT = 0.2
"""Doubt from which a score says that the detector is unsure: .1 to .9."""


@dataclass(frozen=True)
class Measure:
    """Why a frame may be worth annotating.

    Attributes
    ----------
    amounts
        How much, by frame from 0; 0: not at all.
    words
        Says it of a frame.
    """

    amounts: Floats
    words: Callable[[int], str]


def postures(detections: pd.DataFrame, animals: int | None) -> list[Measure]:
    """Return how rare what is shown is: animals that lie together, boxes too many, odd sizes.

    Parameters
    ----------
    detections
        The table ``detections``.
    animals
        Animals in the cage, if it is known.
    """
    mice = tables.mice(detections)
    frames, counts = _counts(mice)
    given = mice[schemas.BOX].to_numpy(np.float64)
    overlap = np.zeros(len(counts))
    for step in range(1, int(counts.max(initial=0))):
        same = np.flatnonzero(frames[step:] == frames[:-step])
        meeting = boxes.paired_iou(given[same], given[same + step])
        np.maximum.at(overlap, frames[same], meeting)
    areas = np.maximum(np.prod(given[:, 2:], axis=1), 1e-9)
    ratios = areas / np.median(areas) if len(areas) else areas
    odd, sizes = np.zeros(len(counts)), np.ones(len(counts))
    strange = np.abs(np.log(ratios))
    np.maximum.at(odd, frames, strange)
    is_oddest = strange == odd[frames]
    sizes[frames[is_oddest]] = ratios[is_oddest]
    measures = [
        Measure(
            np.where(overlap >= LEAST_OVERLAP, overlap, 0),
            lambda frame: f"together: boxes overlap by {overlap[frame]:.2f} (IoU)",
        ),
        Measure(
            np.where(odd >= np.log(LEAST_SIZE), odd, 0),
            lambda frame: f"posture: a box of {sizes[frame]:.2g} times the usual area",
        ),
    ]
    if animals is not None:
        measures.append(
            Measure(
                np.abs(counts - float(animals)),
                lambda frame: f"number: {animals} animals, and boxes: {counts[frame]}",
            )
        )
    return measures


def doubts(detections: pd.DataFrame) -> list[Measure]:
    """Return how unsure the detector is: scores in the middle, boxes that come and go.

    Parameters
    ----------
    detections
        The table ``detections``.
    """
    mice = tables.mice(detections)
    frames, counts = _counts(mice)
    scores = mice["score"].to_numpy(np.float64)
    doubt, score = np.zeros(len(counts)), np.ones(len(counts))
    each = 1 - np.abs(2 * scores - 1)
    np.maximum.at(doubt, frames, each)
    most = each == doubt[frames]
    score[frames[most]] = scores[most]
    flickers = np.zeros(len(counts))
    before, now, after = counts[:-2], counts[1:-1], counts[2:]
    flickers[1:-1] = np.where(before == after, np.abs(now - before), 0)
    return [
        Measure(
            np.where(doubt >= LEAST_DOUBT, doubt, 0),
            lambda frame: f"unsure: a score of {score[frame]:.2f}",
        ),
        Measure(flickers, lambda frame: "unsure: a box comes or goes for one frame"),
    ]


def _counts(mice: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the frame of each box, and how many boxes each frame has up to the last."""
    frames = mice["frame"].to_numpy(np.int64)
    return frames, np.bincount(frames, minlength=0)


def pick(
    measures: Sequence[Measure], count: int, may: NDArray[np.bool_], apart: int
) -> dict[int, str]:
    """Pick frames that measure most, a stretch of time each, by each measure in turn.

    Parameters
    ----------
    measures
        By which to pick.
    count
        How many frames to pick at most.
    may
        Whether a frame may be picked, by frame from 0; those that are picked, and those near them,
        no longer may afterwards.
    apart
        Frames that must lie between two that are picked.

    Returns
    -------
    Why each was picked, by frame.
    """
    picked: dict[int, str] = {}
    length = min([len(may), *(len(measure.amounts) for measure in measures)])
    for number, stretch in enumerate(np.array_split(np.arange(length), max(count, 1))[:count]):
        for turn in range(len(measures)):
            measure = measures[(number + turn) % len(measures)]
            values = np.where(may[stretch], measure.amounts[stretch], 0)
            if len(stretch) and values.max() > 0:
                frame = int(stretch[values.argmax()])
                picked[frame] = measure.words(frame)
                may[max(frame - apart, 0) : frame + apart + 1] = False
                break
    return picked
