"""Whether points can be antennas in a picture: on the ground, and in its pixels."""

import numpy as np

from murid import boxes
from murid.calibrate.set_up import Array, SetUp
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


def check_line(set_up: SetUp, grid: Grid) -> None:
    """Refuse points on one line, one an antenna of a grid that has several rows and columns.

    Raises
    ------
    InputError
        With the figures.
    """
    if min(grid.rows, grid.columns) < 2 or not np.array_equal(set_up.antennas, grid.antennas):
        return
    middle = set_up.places.mean(axis=0)
    along, across = np.linalg.svd(set_up.places - middle, compute_uv=False)
    if across <= LINE * along:
        expected = f"{grid.rows} rows and {grid.columns} columns (grid) side by side"
        raise set_up.fault(f"{set_up.extent}, all on one line", expected)


def check_pixels(set_up: SetUp) -> None:
    """Refuse points on the left of any picture, or above.

    Raises
    ------
    InputError
        With the figures.
    """
    if (set_up.places < -BEYOND * np.ptp(set_up.places, axis=0).max()).any():
        expected = "pixels, counted from the left upper corner of the picture"
        raise set_up.fault(f"{set_up.extent}, outside of any picture", expected)


def check_picture(set_up: SetUp, image: Image) -> None:
    """Refuse points that are no antennas in the frame of reference, of a set-up that is to be it.

    Raises
    ------
    InputError
        With the figures, and the likely cause.
    """
    places, size = set_up.places, np.array([image.width, image.height], float)
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
    raise set_up.fault(
        set_up.extent,
        f"points in the picture of {image.width} x {image.height} (image), of which the grid takes "
        f"{LEAST_SPAN:.0%} across or down at least",
        cause,
    )


def in_a_corner(set_up: SetUp, image: Image) -> bool:
    """Tell whether all points are in the left upper quarter, as of a picture of half the size."""
    half = np.array([image.width, image.height]) / 2
    return len(set_up.places) >= FEW and bool((set_up.places <= half).all())


def corner_remark(set_up: SetUp, image: Image) -> str:
    """Say that the points of the frame of reference are in its left upper quarter."""
    return (
        f"calibration: {set_up.extent}, all in the left upper quarter of the picture of "
        f"{image.width} x {image.height} (image), as if marked in one of half the size or less"
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
