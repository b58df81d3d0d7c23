"""Annotations that are late or early: they fit what is detected some time before or after.

Mice that rest look alike at any time, so that annotations two seconds late may still lie on half of
what is detected. But no other time fits better than the right one: where one does, over many
frames, the annotations are of that time.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from murid import boxes
from murid.detect.pairs import NEAR, Array, Frames, best

REACH, STEP = 3.0, 0.2
"""Seconds by which annotations may be late or early and be told, and from one shift to the next."""
LOOK = 1.0
"""Seconds of which one annotated frame is looked at: the next shows the same."""
FEWEST = 12
"""Looks without which nothing is said."""
BETTER, SUM = 0.1, 2.0
"""By how much the mean IoU of a look must be higher in the mean, and how much of that, less half of
:data:`BETTER`, all looks must have together. Right annotations gain 0.9 at most by any shift, in
whatever stretch of a segment, on the released archive, 0.4 on the demo; those of a second late gain
0.14 to 0.37 a look, those of a quarter of a second, which does little harm, up to 0.09."""
FITS = 0.8
"""Mean share of boxes that are near one of the other time."""


class Shift(NamedTuple):
    """A stretch of annotated frames that fit another time.

    Attributes
    ----------
    first, last
        Its frames.
    seconds
        By how much later the detections are that it fits; negative if they are earlier.
    there, here
        Mean IoU with those, and with the detections of its own frames.
    """

    first: int
    last: int
    seconds: float
    there: float
    here: float


def looks(frames: list[int], fps: float) -> list[int]:
    """Return the annotated frames that are looked at: the first of every second."""
    seconds = (np.array(frames, dtype=np.int64) / (LOOK * fps)).astype(np.int64)
    first = np.unique(seconds, return_index=True)[1]
    return [frames[place] for place in first]


def shifts(fps: float) -> NDArray[np.int64]:
    """Return the shifts that are tried, in frames: 0 is one of them."""
    steps = np.arange(round(REACH / STEP) + 1) * STEP
    later = np.rint(steps * fps).astype(np.int64)
    return np.unique(np.concatenate([-later, later]))


def find(shown: Frames, detected: Frames, fps: float) -> Shift | None:
    """Find the stretch of frames that fits another time best, if one clearly does.

    Parameters
    ----------
    shown
        Annotated boxes, (n, 4), by frame.
    detected
        Detected boxes of those frames and of the frames around.
    fps
        Frames per second.

    Returns
    -------
    The stretch. Frames before or after it that do not fit their own time better belong to it.
    """
    frames = sorted(shown)
    seen = [frame for frame in looks(frames, fps) if frame in detected]
    if len(seen) < FEWEST:
        return None
    tried = shifts(fps)
    overlap, near = _overlaps(shown, detected, seen, tried)
    here = overlap[tried == 0][0]
    gains = np.nan_to_num(overlap - here)
    runs = [_best_run(gain - BETTER / 2) for gain in gains]
    chosen = int(np.argmax([total for total, *_ in runs]))
    total, start, end = runs[chosen]
    gain = gains[chosen]
    if end - start < FEWEST or total < SUM or gain[start:end].mean() < BETTER:
        return None
    if np.nanmean(near[chosen, start:end]) < FITS:
        return None
    if start and gain[:start].mean() > -BETTER / 2:
        start = 0
    if end < len(seen) and gain[end:].mean() > -BETTER / 2:
        end = len(seen)
    first = seen[start] if start else frames[0]
    last = max(frame for frame in frames if end == len(seen) or frame < seen[end])
    there = float(np.nanmean(overlap[chosen, start:end]))
    return Shift(first, last, float(tried[chosen] / fps), there, float(here[start:end].mean()))


def _overlaps(
    shown: Frames, detected: Frames, seen: list[int], tried: NDArray[np.int64]
) -> tuple[Array, Array]:
    """Return mean IoU and near share of pairs: (shifts, looks) each, NaN without detections."""
    overlap = np.full((len(tried), len(seen)), np.nan)
    near = overlap.copy()
    for row, shift in enumerate(tried.tolist()):
        for column, frame in enumerate(seen):
            others = detected.get(frame + shift)
            if others is not None:
                pairs = best(boxes.iou(shown[frame], others))
                overlap[row, column], near[row, column] = pairs.mean(), (pairs >= NEAR).mean()
    return overlap, near


def _best_run(values: Array) -> tuple[float, int, int]:
    """Return the largest sum of values that follow each other, and where they begin and end.

    Examples
    --------
    >>> _best_run(np.array([1.0, -2.0, 2.0, -1.0, 3.0, -1.0]))
    (4.0, 2, 5)
    """
    sums = np.concatenate([[0.0], np.cumsum(values)])
    above = sums - np.minimum.accumulate(sums)
    end = int(above.argmax())
    start = int(sums[: end + 1].argmin())
    return float(above[end]), start, end
