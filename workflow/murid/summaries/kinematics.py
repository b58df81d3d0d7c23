"""How animals move: displacement, velocity and speed by definition, and the way that they walked.

The first are what the package *movement* calls so, of points as they are given. But boxes tremble,
and the steps of a trembling box add up to metres while its animal sleeps. So the way is counted of
smoothed points, and only where an animal has left the place where it was counted last by more than
a *reach*, which smoothed trembling does not come up to. An animal that rests walks no way; of one
that walks, only what it has gone since the last count is missing, less than a reach; of one that
walks round in a circle, chords are counted in place of arcs: with a reach of a fifth of the radius,
0.2 % less.
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
    """Return how fast points move, :func:`velocity` without its direction: (F, ..., 2) -> (F, ...)."""
    return np.linalg.norm(velocity(points, fps), axis=-1)


def smooth(points: Floats, fps: float, seconds: float) -> Floats:
    """Smooth points over time by a Gaussian; those not known (NaN) have no weight.

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
    from scipy.ndimage import gaussian_filter1d  # slow to import

    if not seconds or not len(points):
        return points.copy()
    known = ~np.isnan(points)
    how = {"sigma": seconds * fps, "axis": 0, "mode": "constant", "truncate": _CUT}
    weight = gaussian_filter1d(known.astype(np.float64), **how)
    total = gaussian_filter1d(np.where(known, points, 0.0), **how)
    return np.divide(total, weight, out=np.full(points.shape, np.nan), where=known & (weight > 0))


@njit(cache=True)
def way(points: Floats, reach: float) -> Floats:
    """Return the way that is counted in each frame: (F, 2) -> (F,), in the unit of the points.

    Parameters
    ----------
    points
        Smoothed; over frames without any (NaN) the way is straight, and counted where they end.
    reach
        How far an animal must have come since it was counted last.
    """
    counted = np.zeros(len(points))
    last = -1
    for frame in range(len(points)):
        if np.isnan(points[frame, 0]) or np.isnan(points[frame, 1]):
            continue
        if last < 0:
            last = frame
            continue
        across = points[frame, 0] - points[last, 0]
        down = points[frame, 1] - points[last, 1]
        far = np.sqrt(across * across + down * down)
        if far > reach:
            counted[frame] = far
            last = frame
    return counted
