"""Whether points can be antennas in a picture: on the ground, and in its pixels."""

import numpy as np
import pandas as pd

from murid import boxes
from murid.calibrate.checks import AGAIN, named
from murid.calibrate.fit import Array
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import Image

LEAST_SPAN = 0.1
"""Of the width or height of the picture: antennas of a cage span more. In the simulator, 0.8."""
FEW = 9
"""Points from which what they span is that of the antennas."""
BEYOND = 0.1
"""Of what they span, or of the picture: so far outside of it a point may be."""
LINE = 0.02
"""Spread across a line, of that along it, up to which points are on it. In the simulator, 0.17."""
ALIKE, NOTABLE = 1.05, 1.25
"""Factors by which scales may differ without a word, and without a reason of the segments."""


def check_line(points: pd.DataFrame, grid: Grid, name: str, source: object) -> None:
    """Refuse points on one line, one an antenna of a grid that has several rows and columns.

    Parameters
    ----------
    points
        Columns ``antenna, x, y`` of a set-up.
    grid
        The antennas.
    name, source
        The set-up and the file, for the message.

    Raises
    ------
    InputError
        With the figures.
    """
    if min(grid.rows, grid.columns) < 2 or not np.array_equal(points["antenna"], grid.antennas):
        return
    places = points[["x", "y"]].to_numpy(dtype=np.float64)
    along, across = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)
    if across <= LINE * along:
        raise InputError(
            source,
            f"{_said(points)}, all on one line",
            f"{grid.rows} rows and {grid.columns} columns (grid) side by side",
            where=f"rig {name}",
            remedy=AGAIN,
        )


def check_pixels(points: pd.DataFrame, name: str, source: object) -> None:
    """Refuse points on the left of any picture, or above.

    Raises
    ------
    InputError
        With the figures.
    """
    places = points[["x", "y"]].to_numpy(dtype=np.float64)
    if (places < -BEYOND * np.ptp(places, axis=0).max()).any():
        raise InputError(
            source,
            f"{_said(points)}, outside of any picture",
            "pixels, counted from the left upper corner of the picture",
            where=f"rig {name}",
            remedy=AGAIN,
        )


def check_picture(points: pd.DataFrame, image: Image, name: str, source: object) -> None:
    """Refuse points that are no antennas in the frame of reference, of a set-up that is to be it.

    Raises
    ------
    InputError
        With the figures, and the likely cause.
    """
    places, size = _places_and_size(points, image)
    small = len(places) >= FEW and (np.ptp(places, axis=0) / size).max() < LEAST_SPAN
    if not small and not (places > size * (1 + BEYOND)).any():
        return
    if places.max() <= 1 + BEYOND:
        cause = "They seem to be shares of the picture: give pixels."
    elif small:
        cause = (
            "They seem to be in millimetres, or of a smaller picture: give pixels of the rig's "
            "videos, and image as large as those."
        )
    else:
        cause = "They seem to be of a larger picture: set image to its size, or mark them again."
    raise InputError(
        source,
        _said(points),
        f"points in the picture of {image.width} x {image.height} (image), of which the grid takes "
        f"{LEAST_SPAN:.0%} across or down at least",
        where=f"rig {name}",
        remedy=cause,
    )


def in_a_corner(points: pd.DataFrame, image: Image) -> bool:
    """Tell whether all points are in the left upper quarter, as of a picture of half the size."""
    places, size = _places_and_size(points, image)
    return len(places) >= FEW and bool((places <= size / 2).all())


def corner_remark(points: pd.DataFrame, image: Image) -> str:
    """Say that the points of the frame of reference are in its left upper quarter."""
    return (
        f"calibration: {_said(points)}, all in the left upper quarter of the picture of "
        f"{image.width} x {image.height} (image), as if marked in one of half the size"
    )


def scale(matrix: Array) -> float:
    """Return the factor by which a (2, 3) transform enlarges a picture, in the mean."""
    return float(np.sqrt(np.prod(boxes.scales(matrix))))


def scale_remark(factor: float, name: str, prototype: str) -> str:
    """Say that a set-up is on another scale than the prototype; "" where it is alike."""
    if 1 / ALIKE <= factor <= ALIKE:
        return ""
    return (
        f"calibration: the points of rig {name} are on {1 / factor:.2g} times the scale of those "
        f"of rig {prototype}: right if its pictures are, too"
    )


def _places_and_size(points: pd.DataFrame, image: Image) -> tuple[Array, Array]:
    return points[["x", "y"]].to_numpy(dtype=np.float64), np.array(
        [image.width, image.height], float
    )


def _said(points: pd.DataFrame) -> str:
    low, high = points[["x", "y"]].min(), points[["x", "y"]].max()
    return (
        f"{named(points['antenna'].to_numpy())} from {low['x']:.4g} to {high['x']:.4g} across and "
        f"from {low['y']:.4g} to {high['y']:.4g} down"
    )
