"""How frames are brought to a network's size, and its boxes back to theirs."""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray


class Fit(NamedTuple):
    """Where a frame lies in what a network sees."""

    frame: tuple[int, int]
    """Its width and height, pixels."""
    inner: tuple[int, int]
    """Width and height that it is scaled to."""
    offset: tuple[int, int]
    """Columns to its left and rows above it."""
    size: tuple[int, int]
    """Width and height that the network sees."""
    border: int
    """Grey of what lies beside it."""

    def apply(self, grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Bring frames of shape (n, h, w) to the network's size."""
        if self.inner == self.size == self.frame:
            return grey
        width, height = self.size
        seen = np.full((len(grey), height, width), self.border, np.uint8)
        (left, top), (wide, high) = self.offset, self.inner
        for place, frame in zip(seen, grey, strict=True):
            scaled = frame if self.inner == self.frame else cv2.resize(frame, self.inner)
            place[top : top + high, left : left + wide] = scaled
        return seen

    def undo(self, corners: NDArray[np.float32]) -> NDArray[np.float32]:
        """Bring corners (n, 4), pixels of what the network sees, to the frame, and cut them there.

        Examples
        --------
        >>> fit = fit_of((1280, 720), (640, 640), 0, stretch=False)
        >>> fit.undo(np.float32([[0, 140, 320, 500], [-9, 0, 640, 640]])).tolist()
        [[0.0, 0.0, 640.0, 720.0], [0.0, 0.0, 1280.0, 720.0]]
        """
        offset = np.array(self.offset * 2, np.float32)
        scale = np.array(self.frame * 2, np.float64) / np.array(self.inner * 2)
        there = (corners - offset) * scale
        return np.clip(there, 0, np.array(self.frame * 2)).astype(np.float32)


def fit_of(frame: tuple[int, int], size: tuple[int, int], border: int, *, stretch: bool) -> Fit:
    """Fit a frame into a network's picture: stretched, or in its middle at its own proportions.

    Parameters
    ----------
    frame, size
        Width and height of the frame and of what the network sees.
    border
        Grey of what lies beside it.

    Examples
    --------
    >>> fit_of((320, 180), (640, 640), 114, stretch=False)[1:4]
    ((640, 360), (0, 140), (640, 640))
    """
    if stretch:
        return Fit(frame, size, (0, 0), size, border)
    scale = min(size[0] / frame[0], size[1] / frame[1])
    wide, high = (max(1, round(side * scale)) for side in frame)
    offset = ((size[0] - wide) // 2, (size[1] - high) // 2)
    return Fit(frame, (wide, high), offset, size, border)


def free_size(frame: tuple[int, int], longest: int | None, step: int) -> tuple[int, int]:
    """Return the width and height at which a network that takes any size sees a frame.

    Parameters
    ----------
    frame
        Width and height of the frame.
    longest
        Of the longer side; None: as it is.
    step
        Both are a multiple of it.

    Examples
    --------
    >>> free_size((1280, 720), 640, 32), free_size((320, 180), None, 1)
    ((640, 384), (320, 180))
    """
    scale = longest / max(frame) if longest else 1.0
    wide, high = (max(1, round(side * scale)) for side in frame)
    return -(-wide // step) * step, -(-high // step) * step
