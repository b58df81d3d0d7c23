"""Which points are in which zone."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from murid.summaries.settings import HOPPER, Polygon

Floats = NDArray[np.float64]


def of_settings(hopper: Polygon | None, zones: Mapping[str, Polygon]) -> dict[str, Polygon]:
    """Return all zones by their names; the hopper is one, if it is not among them, too.

    Parameters
    ----------
    hopper
        The setting ``detect.hopper``.
    zones
        The setting ``summaries.zones``.
    """
    return ({HOPPER: hopper} if hopper else {}) | dict(zones)


def inside(points: Floats, zones: Mapping[str, Polygon]) -> NDArray[np.bool_]:
    """Tell whether points are in zones, their borders included.

    Parameters
    ----------
    points
        (..., 2), pixels of the frame of reference; NaN is nowhere.
    zones
        Corners of Z zones.

    Returns
    -------
    (..., Z), in the order of the zones.
    """
    import shapely  # slow to import

    result = np.zeros((*points.shape[:-1], len(zones)), dtype=bool)
    for number, corners in enumerate(zones.values()):
        shape = shapely.Polygon(corners)
        shapely.prepare(shape)
        result[..., number] = shapely.intersects_xy(shape, points[..., 0], points[..., 1])
    return result
