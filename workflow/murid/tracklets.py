"""What the tracklets of a segment are: the rows of each, and its first and last frame."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]


class Tracklets:
    """The rows of a segment, by tracklet.

    A tracklet is known by its rank: its place among the numbers that occur, from 0.

    Parameters
    ----------
    frames, numbers
        (n,) each: the frame and the tracklet's number of each row, in any order; a tracklet has at
        most one row a frame.

    Attributes
    ----------
    frames
        (n,) int64, as given.
    numbers
        (I,) int64, the numbers that occur, ascending.
    rank
        (n,) int64, the tracklet of each row.
    sizes
        (I,) int64, how many rows each tracklet has.
    order
        (n,) int64, the rows by tracklet, and by frame in each.
    opening, closing
        (I,) int64, row of the first and of the last frame of each tracklet.
    first, last
        (I,) int64, these frames.

    Examples
    --------
    >>> two = Tracklets(frames=[0, 1, 1, 2], numbers=[7, 7, 3, 3])
    >>> len(two), two.numbers.tolist(), two.rank.tolist()
    (2, [3, 7], [1, 1, 0, 0])
    >>> two.first.tolist(), two.last.tolist(), two.before.tolist()
    ([1, 0], [2, 1], [-1, 0, -1, 2])
    """

    def __init__(self, frames: ArrayLike, numbers: ArrayLike) -> None:
        self.frames: Ints = np.asarray(frames, dtype=np.int64)
        self.numbers, self.rank = np.unique(
            np.asarray(numbers, dtype=np.int64), return_inverse=True
        )
        self.order: Ints = np.lexsort((self.frames, self.rank))
        self.sizes: Ints = np.bincount(self.rank, minlength=len(self.numbers))
        ends = self.sizes.cumsum()
        self.opening, self.closing = self.order[ends - self.sizes], self.order[ends - 1]
        self.first, self.last = self.frames[self.opening], self.frames[self.closing]

    def __len__(self) -> int:
        """Return the number of tracklets, I."""
        return len(self.numbers)

    @property
    def before(self) -> Ints:
        """The row of the same tracklet before each row, -1 = none: (n,)."""
        rows = np.full(len(self.rank), -1)
        rows[self.order[1:]] = self.order[:-1]
        rows[self.opening] = -1
        return rows

    @property
    def after(self) -> Ints:
        """The row of the same tracklet after each row, -1 = none: (n,)."""
        rows = np.full(len(self.rank), -1)
        rows[self.order[:-1]] = self.order[1:]
        rows[self.closing] = -1
        return rows


def together(frames: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield every pair of rows of one frame once, many pairs at a time: (n,) -> (k,), (k,).

    Examples
    --------
    >>> [(one.tolist(), other.tolist()) for one, other in together(np.array([4, 7, 4, 4]))]
    [([0, 2], [2, 3]), ([0], [3])]
    """
    order = np.argsort(frames, kind="stable")
    # Rows of a frame follow each other, so that shifts find all pairs.
    for shift in range(1, len(order)):
        one, other = order[:-shift], order[shift:]
        same = frames[one] == frames[other]
        if not same.any():
            return
        yield one[same], other[same]
