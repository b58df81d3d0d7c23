"""Where tracklets are to end, since they may have passed from one animal to another.

A tracklet ends by itself with its last box (:mod:`murid.tracking.link`). But it is not one animal
by decree. Whoever made it may have followed the wrong animal where two
met, where one hid the other, or where a box was missing for a while. At such places a tracklet is
cut: what belongs together is told by how well the pieces follow each other, and by the antennas.
A cut costs little, since pieces that follow each other closely are joined again; a tracklet of two
animals is never right.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murid.boxes import overlap_of_smaller, paired_iou
from murid.tracking import successive
from murid.tracklets import Tracklets, together

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FOLLOWS = 0.5
"""IoU of a tracklet's box with its last from which it follows..."""
SLOW = 0.05
"""...unless more than this share of a segment's links is below, as with few frames a second."""
HELD = 0.5
"""Share of the smaller of two boxes in the other from which, where boxes jump, they follow each
other all the same: where parts of an animal come and go, the rest stays where it was."""
LONG = 10
"""A box may be missing for so many times the usual step."""
MARGIN = 0.1
"""The same for another animal's box: by so much must a tracklet's own fit better, in the mean."""
COVERED = 0.3
"""Share of the smaller of two boxes in the other, from which one may hide the other."""
_MOST = 2**31
"""Numbers that a tracklet may have."""


@dataclass(frozen=True)
class Cuts:
    """Where the tracklets of a segment were cut.

    Attributes
    ----------
    tracklet
        (n,) number of each row's piece: that of its tracklet for the first piece, a new one for
        each further piece.
    jumps, gaps, meetings
        Number of cuts where a box does not follow from the last one; where boxes are missing for
        long; and where another animal's box fits as well, or may hide an animal.
    exchanges
        (k, 3) first frame and the two tracklets of each pair whose boxes fit each other's last
        boxes, not their own: they have exchanged numbers.
    """

    tracklet: Ints
    jumps: int
    gaps: int
    meetings: int
    exchanges: Ints

    @property
    def cuts(self) -> int:
        """Number of places at which a tracklet was cut."""
        return self.jumps + self.gaps + self.meetings


def cut(whole: Tracklets, boxes: ArrayLike, margin: float = MARGIN, covered: bool = True) -> Cuts:
    """Cut tracklets wherever they may pass from one animal to another.

    Parameters
    ----------
    whole
        The tracklets.
    boxes
        (n, 4), of their rows, pixels.
    margin
        IoU by which a tracklet's own box must fit better than that of another.
    covered
        Whether a tracklet may pass to whoever covers its animal, or comes out from behind it: not
        if its tracker ends it where a box is missing.
    """
    frames, numbers = whole.frames, whole.numbers[whole.rank]
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    before, after = whole.before, whole.after
    linked = before >= 0
    overlap = np.where(linked, paired_iou(boxes[before], boxes), 0.0)
    gap = np.where(linked, frames - frames[before], 0)
    step, least = _usual(overlap[linked], gap[linked])
    jumps = linked & (overlap < least)
    if successive.jump(overlap[linked]):
        jumps[jumps] = overlap_of_smaller(boxes[before[jumps]], boxes[jumps]) < HELD
    gaps = linked & (gap > LONG * step) & ~jumps
    meetings = np.zeros(len(frames), dtype=bool)
    exchanges = [np.zeros((0, 3), dtype=np.int64)]
    appears = ~linked | (gap > step)
    vanishes = (after < 0) | (gap[after] > step)
    for one, other in together(frames):
        both = linked[one] & linked[other]
        a, b = one[both], other[both]
        kept = overlap[a] + overlap[b]
        crossed = paired_iou(boxes[before[a]], boxes[b]) + paired_iou(boxes[before[b]], boxes[a])
        doubtful = (crossed > 0) & (crossed >= kept - 2 * margin)
        meetings[a[doubtful]] = meetings[b[doubtful]] = True
        surely = (crossed > kept + 2 * margin) & (crossed >= 2 * FOLLOWS)
        exchanges.append(np.column_stack([frames[a], numbers[a], numbers[b]])[surely])
        if not covered:
            continue
        hides = overlap_of_smaller(boxes[one], boxes[other]) >= COVERED
        for row, neighbour in ((one, other), (other, one)):
            meetings[row[hides & appears[neighbour]]] = True
            following = after[row[hides & vanishes[neighbour]]]
            meetings[following[following >= 0]] = True
    meetings &= linked & ~jumps & ~gaps
    exchanged = np.concatenate(exchanges)
    return Cuts(
        tracklet=_number(whole, jumps | gaps | meetings),
        jumps=int(jumps.sum()),
        gaps=int(gaps.sum()),
        meetings=int(meetings.sum()),
        exchanges=exchanged[np.lexsort(exchanged.T[::-1])],
    )


def _usual(overlap: Floats, gap: Ints) -> tuple[float, float]:
    """Return the frames from a box to the next, and the IoU from which it follows: (k,), (k,)."""
    step = float(np.median(gap)) if len(gap) else 1.0
    usual = overlap[gap <= step]
    return step, min(FOLLOWS, float(np.quantile(usual, SLOW))) if len(usual) else FOLLOWS


def _number(whole: Tracklets, cuts: Flags) -> Ints:
    """Number tracklets anew, given the rows that they are cut at, none the first of its own: (n,).

    The first piece of each keeps its number; the others follow in time after the highest, or take
    the lowest that are free where no room is left.
    """
    begins = cuts.copy()
    begins[whole.opening] = True
    begins = begins[whole.order]
    first = whole.order[begins]
    numbers = whole.numbers[whole.rank[first]]
    later = np.flatnonzero(cuts[first])
    later = later[np.argsort(whole.frames[first[later]], kind="stable")]
    start = int(whole.numbers.max(initial=-1)) + 1
    if start + len(later) <= _MOST:
        numbers[later] = start + np.arange(len(later))
    else:
        free = np.setdiff1d(np.arange(len(numbers) + len(later)), whole.numbers)
        numbers[later] = free[: len(later)]
    result = np.empty(len(cuts), dtype=np.int64)
    result[whole.order] = numbers[np.cumsum(begins) - 1]
    return result
