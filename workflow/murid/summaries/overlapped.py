"""Boxes that other animals may cut: those of which an edge lies in the box of one before it.

A detector finds what it sees of an animal, and so the box of one that another hides in part ends
where the other begins, and comes and goes with it while its animal rests.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(cache=True)
def overlapped(boxes: Floats) -> NDArray[np.bool_]:
    """Tell of which boxes another animal may cut the left or right edge, the upper or lower one.

    It may if the middle of the edge is in its box, and it stands before: its box reaches lower.

    Parameters
    ----------
    boxes
        (F, J, 4) of J animals in F frames; NaN where none is.

    Returns
    -------
    (F, J, 2)
        Across, and down.
    """
    frames, animals = boxes.shape[:2]
    found = np.zeros((frames, animals, 2), dtype=np.bool_)
    for frame in range(frames):
        for one in range(animals):
            x, y, w, h = boxes[frame, one]
            for other in range(animals):
                left, top, width, height = boxes[frame, other]
                right, bottom = left + width, top + height
                # Nothing is told of NaN, as no comparison with it holds.
                if one == other or not bottom >= y + h:
                    continue
                if top < y + h / 2 < bottom and (left < x < right or left < x + w < right):
                    found[frame, one, 0] = True
                if left < x + w / 2 < right and (top < y < bottom or top < y + h < bottom):
                    found[frame, one, 1] = True
    return found
