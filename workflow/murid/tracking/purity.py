"""Where tracklets may have passed from one animal to another.

A tracklet is not one animal by decree. Whoever made it may have followed the wrong animal where two
met, where one hid the other, or where a box was missing for a while. At such places a tracklet is
cut: what belongs together is told by how well the pieces follow each other, and by the antennas.
A cut costs little, since pieces that follow each other closely are joined again; a tracklet of two
animals is never right.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murid.boxes import overlap_of_smaller, paired_iou

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FOLLOWS = 0.5
"""IoU of a tracklet's box with its last from which it follows..."""
SLOW = 0.05
"""...unless more than this share of a segment's links is below, as with few frames a second."""
LONG = 10
"""A box may be missing for so many times the usual step."""
MARGIN = 0.1
"""The same for another animal's box: by so much must a tracklet's own fit better, in the mean."""
COVERED = 0.3
"""Share of the smaller of two boxes in the other, from which one may hide the other."""
_MOST = 2**31
"""Numbers that a tracklet may have."""
_PAIRS = 500_000
"""Pairs of boxes that are looked at in one go."""


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


def cut(
    frames: ArrayLike,
    tracklets: ArrayLike,
    boxes: ArrayLike,
    margin: float = MARGIN,
    covered: bool = True,
) -> Cuts:
    """Cut tracklets wherever they may pass from one animal to another.

    Parameters
    ----------
    frames, tracklets
        (n,) each; a tracklet has at most one box a frame.
    boxes
        (n, 4), pixels.
    margin
        IoU by which a tracklet's own box must fit better than that of another.
    covered
        Whether a tracklet may pass to whoever covers its animal, or comes out from behind it: not
        if its tracker ends it where a box is missing.
    """
    frames = np.asarray(frames, dtype=np.int64)
    tracklets = np.asarray(tracklets, dtype=np.int64)
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    before = _previous(frames, tracklets)
    linked = before >= 0
    overlap, gap = np.zeros(len(frames)), np.zeros(len(frames), dtype=np.int64)
    overlap[linked] = paired_iou(boxes[before[linked]], boxes[linked])
    gap[linked] = frames[linked] - frames[before[linked]]
    step = float(np.median(gap[linked])) if linked.any() else 1.0
    usual = overlap[linked & (gap <= step)]
    least = min(FOLLOWS, float(np.quantile(usual, SLOW))) if len(usual) else FOLLOWS

    jumps = linked & (overlap < least)
    gaps = linked & (gap > LONG * step) & ~jumps
    meetings = np.zeros(len(frames), dtype=bool)
    exchanges = []
    appears = ~linked | (gap > step)
    vanishes = _vanishes(before, gap, step)
    after = _following(before)
    for one, other in _together(frames):
        both = linked[one] & linked[other]
        a, b = one[both], other[both]
        own = overlap[a] + overlap[b]
        crossed = paired_iou(boxes[before[a]], boxes[b]) + paired_iou(boxes[before[b]], boxes[a])
        doubtful = (crossed > 0) & (crossed >= own - 2 * margin)
        meetings[a[doubtful]] = meetings[b[doubtful]] = True
        surely = (crossed > own + 2 * margin) & (crossed >= 2 * FOLLOWS)
        exchanges.append(np.column_stack([frames[a], tracklets[a], tracklets[b]])[surely])
        if not covered:
            continue
        hides = overlap_of_smaller(boxes[one], boxes[other]) >= COVERED
        for own_row, neighbour in ((one, other), (other, one)):
            meetings[own_row[hides & appears[neighbour]]] = True
            next_row = after[own_row[hides & vanishes[neighbour]]]
            meetings[next_row[next_row >= 0]] = True
    meetings &= linked & ~jumps & ~gaps
    found = np.concatenate([np.zeros((0, 3), dtype=np.int64), *exchanges])
    return Cuts(
        tracklet=_number(frames, tracklets, ~linked, jumps | gaps | meetings),
        jumps=int(jumps.sum()),
        gaps=int(gaps.sum()),
        meetings=int(meetings.sum()),
        exchanges=found[found[:, 0].argsort(kind="stable")],
    )


def _previous(frames: Ints, tracklets: Ints) -> Ints:
    """Return the row of each tracklet's box before this one, -1 = none: (n,)."""
    order = np.lexsort((frames, tracklets))
    before = np.full(len(frames), -1)
    same = tracklets[order[1:]] == tracklets[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    return before


def _following(before: Ints) -> Ints:
    """Return the row of each tracklet's next box, -1 = none: (n,)."""
    after = np.full(len(before), -1)
    rows = np.flatnonzero(before >= 0)
    after[before[rows]] = rows
    return after


def _vanishes(before: Ints, gap: Ints, step: float) -> Flags:
    """Tell which boxes are the last for a while: (n,)."""
    vanishes = np.ones(len(before), dtype=bool)
    vanishes[before[(before >= 0) & (gap <= step)]] = False
    return vanishes


def _together(frames: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs of rows of the same frame, some at a time."""
    order = np.argsort(frames, kind="stable")
    _, starts, counts = np.unique(frames[order], return_index=True, return_counts=True)
    blocks = np.cumsum(counts * (counts - 1) // 2) // _PAIRS
    for block in np.unique(blocks):
        start, count = starts[blocks == block], counts[blocks == block]
        parts = [
            (start[count == size][:, None] + first, start[count == size][:, None] + second)
            for size in np.unique(count)
            for first, second in [np.triu_indices(size, 1)]
        ]
        yield tuple(
            order[np.concatenate([part[side].ravel() for part in parts])] for side in (0, 1)
        )


def _number(frames: Ints, tracklets: Ints, births: Flags, cuts: Flags) -> Ints:
    """Number tracklets anew, given the rows that they begin with and those that they are cut at.

    The first piece of each keeps its number; the others follow in time after the highest, or take
    the lowest that are free where no room is left.
    """
    order = np.lexsort((frames, tracklets))
    begins = (births | cuts)[order]
    first = order[begins]
    numbers = tracklets[first]
    later = np.flatnonzero(cuts[first])
    later = later[np.argsort(frames[first[later]], kind="stable")]
    start = int(tracklets.max(initial=-1)) + 1
    if start + len(later) <= _MOST:
        numbers[later] = start + np.arange(len(later))
    else:
        free = np.setdiff1d(np.arange(len(numbers) + len(later)), tracklets)
        numbers[later] = free[: len(later)]
    result = np.empty(len(frames), dtype=np.int64)
    result[order] = numbers[np.cumsum(begins) - 1]
    return result
