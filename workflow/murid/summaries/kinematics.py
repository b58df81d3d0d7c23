"""How animals move: displacement, velocity and speed by definition, and the way that they walked.

The first are what the package *movement* calls so, of points as they are given. But boxes tremble,
and the steps of a trembling box add up to metres while its animal sleeps. So the way is counted of
smoothed points, and along the straight lines from which none is further than a *reach*, which
smoothed trembling does not come up to. An animal that rests walks no way; one that turns back has
walked to where it turned; of one that walks round in a circle, chords are counted in place of arcs:
with a reach of a twentieth of the radius, 2 % less at most.

References
----------
Tukey, J. W. (1977). Exploratory Data Analysis, chapter 16: twicing.
Douglas, D. H. and Peucker, T. K. (1973). Algorithms for the reduction of the number of points
required to represent a digitized line or its caricature. Cartographica 10: 112-122.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_CUT = 4.0
"""Standard deviations of a Gaussian, beyond which it is nothing."""


def forward_displacement(points: Floats) -> Floats:
    """Return the way from each frame to the next: (F, ..., 2) -> (F, ..., 2), 0 in the last."""
    return np.diff(points, axis=0, append=points[-1:])


def velocity(points: Floats, fps: float) -> Floats:
    """Return velocities by central differences, one-sided at the ends: same shape, a second.

    Parameters
    ----------
    points
        (F, ..., 2), two frames at least; NaN gives NaN around it.
    fps
        Frames per second.

    Examples
    --------
    >>> velocity(np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0]]), 10.0).tolist()
    [[30.0, 40.0], [15.0, 20.0], [0.0, 0.0]]
    """
    return np.gradient(points, 1 / fps, axis=0)


def speed(points: Floats, fps: float) -> Floats:
    """Return how fast points move, whereto ever: (F, ..., 2) -> (F, ...), a second."""
    return np.linalg.norm(velocity(points, fps), axis=-1)


def smooth(points: Floats, fps: float, seconds: float) -> Floats:
    """Smooth points over time by a Gaussian, twice; those not known (NaN) have no weight.

    A mean over time cuts corners. What it leaves is smoothed once more and added (Tukey's
    twicing), so that bends stay where trembling goes.

    Parameters
    ----------
    points
        (F, ...).
    fps
        Frames per second.
    seconds
        Standard deviation of the Gaussian; 0 leaves points as they are.

    Returns
    -------
    Same shape; NaN where points are.
    """
    if not seconds or not len(points):
        return points.copy()
    once = mean(points, seconds * fps)
    return once + mean(points - once, seconds * fps)


def mean(points: Floats, frames: float) -> Floats:
    """Return means over time, weighed by a Gaussian of so many frames (0: as they are).

    Same shape; NaN has no weight and stays.
    """
    from scipy.ndimage import gaussian_filter1d  # slow to import

    known = ~np.isnan(points)
    how = {"sigma": frames, "axis": 0, "mode": "constant", "truncate": _CUT}
    weight = gaussian_filter1d(known.astype(np.float64), **how)
    total = gaussian_filter1d(np.where(known, points, 0.0), **how)
    return np.divide(total, weight, out=np.full(points.shape, np.nan), where=known & (weight > 0))


@njit(cache=True)
def way(points: Floats, reach: float) -> Floats:
    """Return the way that is counted in each frame: (F, 2) -> (F,), in the unit of the points.

    Of each straight line it is counted in the frames that come further along it than any before.

    Parameters
    ----------
    points
        Smoothed; over frames without any (NaN) the way is straight, and counted where they end.
    reach
        How far points may be off the lines.
    """
    counted = np.zeros(len(points))
    known = np.flatnonzero(~np.isnan(points[:, 0]))
    if len(known) < 2:
        return counted
    turns = np.zeros(len(known), dtype=np.bool_)
    turns[0] = turns[-1] = True
    # Stretches whose ends are turns, of which those within are not found yet.
    left = [(0, len(known) - 1)]
    while left:
        first, last = left.pop()
        most, furthest = 0.0, -1
        # Who goes to and fro on one line is never off it, but comes back by so much.
        come, top, back, turn = 0.0, first, 0.0, -1
        ax, ay = points[known[first]]
        bx, by = points[known[last]] - points[known[first]]
        square = bx * bx + by * by
        for place in range(first + 1, last):
            x, y = points[known[place], 0] - ax, points[known[place], 1] - ay
            along = (x * bx + y * by) / square if square > 0 else 0.0
            along = min(max(along, 0.0), 1.0)
            off = (x - along * bx) ** 2 + (y - along * by) ** 2
            if off > most:
                most, furthest = off, place
            if along > come:
                come, top = along, place
            if come - along > back:
                back, turn = come - along, top
        if most <= reach * reach and back * np.sqrt(square) > reach:
            most, furthest = np.inf, turn
        if most > reach * reach:
            turns[furthest] = True
            left.append((first, furthest))
            left.append((furthest, last))
    ends = np.flatnonzero(turns)
    for number in range(len(ends) - 1):
        first, last = ends[number], ends[number + 1]
        line = points[known[last]] - points[known[first]]
        length = np.sqrt(line[0] * line[0] + line[1] * line[1])
        if length <= reach:
            continue
        come = 0.0
        for place in range(first + 1, last + 1):
            step = points[known[place]] - points[known[first]]
            along = min((step[0] * line[0] + step[1] * line[1]) / length, length)
            if along > come:
                counted[known[place]] += along - come
                come = along
    return counted
