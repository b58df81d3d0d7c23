"""How far from the places of antennas, where these are known, animals over them are seen.

The places are marked on the floor, or where a reader is, and boxes are around bodies, so that their
centres are a little off, nearer to the camera by more. As much of that is fitted as the antennas
that were visited can tell; those that were not are taken along, and so must not be led astray.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from murid.grid import Antennas
from murid.models.fitted_weights import project

FARTHEST = 0.5
"""Of the diagonal around all antennas: no antenna is stretched away further than this."""
NARROW = 0.1
"""As wide as this share of their length, antennas are no longer in one line."""

Floats = NDArray[np.float64]
Maps = Callable[[Floats], Floats]
"""Makes of free parameters, all 0 where places are as given, a map of pixels, (3, 3)."""


def fit(antennas: NDArray[np.int64], centroids: Floats, grid: Antennas, view: Floats) -> Floats:
    """Fit the projection of antennas whose places are known, robustly.

    From four antennas on that are not in one line, it is an affine map of the places; from two on,
    they are shifted, and stretched around their middle; of one, they are shifted. What stretches
    them by more than :data:`FARTHEST`, or sends their middle away from all places and boxes, is
    passed over for what is simpler, and at last the places are taken as they are.

    Parameters
    ----------
    antennas
        (n,), the animal's antenna for each box.
    centroids
        (n, 2), pixels of the frame of reference.
    grid
        The antennas.
    view
        (3, 3), the projection by which they are in their places.

    Returns
    -------
    (3, 3), coordinates of antennas to pixels, with a last entry of 1.
    """
    places = project(view, grid.coordinates(grid.antennas))
    if not len(antennas):
        return view
    given = places[antennas - 1]
    for free, make in _kinds(places, np.unique(antennas)):
        found = _fit(given, centroids, free, make)
        if _can_be(project(found, places), places, centroids):
            return found @ view
    return view


def _can_be(found: Floats, places: Floats, centroids: Floats) -> bool:
    """Tell whether antennas may be seen so: (A, 2) of given places (A, 2), by boxes (n, 2)."""
    away = found - places
    stretched = np.linalg.norm(away - np.median(away, axis=0), axis=1)
    around = np.vstack([places, centroids])
    middle = np.median(found, axis=0)
    inside = (around.min(axis=0) <= middle) & (middle <= around.max(axis=0))
    diagonal = float(np.linalg.norm(np.ptp(places, axis=0)))
    return bool(inside.all() and (stretched <= FARTHEST * diagonal).all())


def _kinds(places: Floats, visited: NDArray[np.int64]) -> Iterator[tuple[int, Maps]]:
    """Yield what maps may be fitted, and how many free parameters each has; the richest first."""
    middle = places[visited - 1].mean(axis=0)
    # A parameter of 1 moves what is at the edge by as many pixels as the antennas extend over.
    extent = float(np.ptp(places, axis=0).max())

    def moved(shift: Floats, linear: Floats) -> Floats:
        made = np.eye(3)
        made[:2, :2] += linear
        made[:2, 2] = extent * shift - linear @ middle
        return made

    apart = places[visited - 1] - middle
    wide, narrow = np.append(np.linalg.svd(apart, compute_uv=False), 0.0)[:2]
    if len(visited) >= 4 and narrow > NARROW * wide:
        yield 6, lambda free: moved(free[:2], free[2:].reshape(2, 2))
    if len(visited) >= 2:
        yield 3, lambda free: moved(free[:2], free[2] * np.eye(2))
    yield 2, lambda free: moved(free, np.zeros((2, 2)))


def _fit(given: Floats, seen: Floats, free: int, make: Maps) -> Floats:
    """Fit a map of places, (n, 2), to where boxes are seen, (n, 2)."""
    left = seen - given
    scale = float(np.median(np.linalg.norm(left - np.median(left, axis=0), axis=1)))

    def residuals(parameters: Floats) -> Floats:
        return (project(make(parameters), given) - seen).ravel()

    found = least_squares(
        residuals, np.zeros(free), loss="soft_l1", f_scale=max(scale, 1e-3), x_scale="jac"
    )
    return make(found.x)
