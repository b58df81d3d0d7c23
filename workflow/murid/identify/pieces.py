"""Cutting tracklets where the antennas speak for one animal first and for another afterwards.

A tracklet is the unit that is named, and so nothing would ever tell that it is of two animals. Here
each is tested: if its stretches are explained so much better by several animals in turn than by one
that the difference cannot be the antennas' error alone, it falls into pieces. The path model then
names the pieces, and weighs what speaks for an exchange against what speaks for one animal.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.boxes import centroids_and_sizes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

SLACK = 3.0
"""Natural logarithm: frames at which a cut is worth at most this much less are as good a guess."""


def cut(table: pd.DataFrame, gains: Floats, penalty: float) -> Ints:
    """Cut tracklets by what the antennas say.

    Where one is cut, those that are alive at the time are, too: what it exchanges, it exchanges
    with one of them.

    Parameters
    ----------
    table
        Rows with ``frame, tracklet`` and a box, a tracklet at most once a frame.
    gains
        (n, J), what each row says for each animal, natural logarithm, consecutive frames weighed
        down as in the path model.
    penalty
        What a further animal must explain better to be believed, natural logarithm.

    Returns
    -------
    (n,) piece of each row, numbered from 0 by tracklet and frame.
    """
    frames = table["frame"].to_numpy(dtype=np.int64)
    tracklets = table["tracklet"].to_numpy(dtype=np.int64)
    order = np.lexsort((frames, tracklets))
    begins = np.diff(tracklets[order], prepend=-1) != 0
    if not len(order):
        return np.zeros(0, dtype=np.int64)
    names = switches(gains[order], begins, penalty)
    changes = np.flatnonzero((np.diff(names, prepend=names[0]) != 0) & ~begins)
    if len(changes):
        distances = nearest(table)[order]
        edges = np.append(np.flatnonzero(begins), len(order))
        moments = {
            int(frames[order[_moment(int(at), names, gains[order], distances, edges)]])
            for at in changes
        }
        begins |= first_from(frames[order], begins, np.array(sorted(moments)))
    pieces = np.empty(len(order), dtype=np.int64)
    pieces[order] = np.cumsum(begins) - 1
    return pieces


def switches(gains: Floats, begins: Flags, penalty: float) -> Ints:
    """Name each row by the animals that explain its tracklet best, each change at a price.

    Parameters
    ----------
    gains
        (n, J), rows by tracklet and frame.
    begins
        (n,), rows that a tracklet begins with.
    penalty
        Price of a change.

    Returns
    -------
    (n,) animal of each row; of equals, the one that does not change, else the first.
    """
    if gains.shape[1] < 2:
        return np.zeros(len(gains), dtype=np.int64)
    # Not above: the compiler's library takes longer to load than the other methods to solve.
    from murid.identify import changes

    return changes.decode(np.ascontiguousarray(gains, dtype=np.float64), begins, float(penalty))


def _moment(at: int, names: Ints, gains: Floats, distances: Floats, edges: Ints) -> int:
    """Return the row, near the change at row ``at``, at which another box is nearest.

    The antennas tell only roughly when; animals can only be taken for each other where they meet.
    """
    start = edges[np.searchsorted(edges, at, side="right") - 1]
    end = edges[np.searchsorted(edges, at, side="right")]
    loss = gains[:, names[at - 1]] - gains[:, names[at]]
    earlier = loss[start + 1 : at][::-1].cumsum()
    later = -loss[at : end - 1].cumsum()
    low = at - _run(earlier <= SLACK)
    high = at + _run(later <= SLACK)
    window = np.arange(low, high + 1)
    near = distances[window]
    best = window[near <= near.min()]
    return int(best[np.abs(best - at).argmin()])


def _run(good: Flags) -> int:
    """Return how many are true before the first that is not."""
    return len(good) if good.all() else int(good.argmin())


def nearest(table: pd.DataFrame) -> Floats:
    """Return how near the next box of the same frame is, in sides of the box: (n,)."""
    values = centroids_and_sizes(table[["x", "y", "w", "h"]])
    frames = table["frame"].to_numpy(dtype=np.int64)
    order = np.argsort(frames, kind="stable")
    nearest = np.full(len(order), np.inf)
    sides = np.sqrt(values[:, 2] * values[:, 3])
    # Rows of a frame follow each other, so that all pairs are found by shifts.
    most = int(np.unique(frames, return_counts=True)[1].max())
    for shift in range(1, most):
        one, other = order[:-shift], order[shift:]
        same = frames[one] == frames[other]
        one, other = one[same], other[same]
        apart = np.hypot(*(values[one, :2] - values[other, :2]).T)
        np.minimum.at(nearest, one, apart / sides[one])
        np.minimum.at(nearest, other, apart / sides[other])
    return nearest


def first_from(frames: Ints, begins: Flags, moments: Ints) -> Flags:
    """Tell the first row of each tracklet at or after each moment, if it began before: (n,)."""
    cuts = np.zeros(len(frames), dtype=bool)
    passed = np.searchsorted(moments, frames, side="right")
    cuts[1:] = np.diff(passed) != 0
    return cuts & ~begins
