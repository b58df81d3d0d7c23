"""The antenna grid under the cage: numbering, neighbourhoods, and what surrounds an animal.

Antenna ``a`` (from 1) of a grid of R rows lies in column ``(a - 1) // R``, left to right in the
image, and row ``(a - 1) % R``, row 0 at the back of the cage.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

CELLS = 9
"""Cells of the neighbourhood, row by row; the antenna itself is cell 4 (Fig. 4c)."""
CENTRE = 4


@dataclass(frozen=True)
class Grid:
    """A grid of ``rows`` x ``columns`` antennas; the rig of the paper has 3 x 6."""

    rows: int = 3
    columns: int = 6

    @property
    def size(self) -> int:
        """Number of antennas; they are numbered 1 to this."""
        return self.rows * self.columns

    @property
    def antennas(self) -> NDArray[np.int64]:
        """All antenna numbers, shape (size,)."""
        return np.arange(1, self.size + 1)

    def row(self, antenna: ArrayLike) -> NDArray[np.int64]:
        """Return the row of each antenna, 0 = back of the cage; same shape."""
        return (np.asarray(antenna, dtype=np.int64) - 1) % self.rows

    def column(self, antenna: ArrayLike) -> NDArray[np.int64]:
        """Return the column of each antenna, 0 = left in the image; same shape."""
        return (np.asarray(antenna, dtype=np.int64) - 1) // self.rows

    def coordinates(self, antenna: ArrayLike) -> NDArray[np.float64]:
        """Return ground-plane coordinates ``(column, row)`` in antenna spacings: (n,) -> (n, 2).

        The unit does not matter: a homography absorbs it.
        """
        return np.stack([self.column(antenna), self.row(antenna)], axis=-1).astype(np.float64)

    def contains(self, antenna: ArrayLike) -> NDArray[np.bool_]:
        """Tell which numbers are antennas of this grid; same shape."""
        antenna = np.asarray(antenna)
        return (antenna >= 1) & (antenna <= self.size)

    def neighbours(self, antenna: int) -> NDArray[np.int64]:
        """Return the antenna in each cell of the neighbourhood, 0 outside the grid: shape (9,)."""
        offsets = np.arange(CELLS)
        rows = self.row(antenna) + offsets // 3 - 1
        columns = self.column(antenna) + offsets % 3 - 1
        inside = (rows >= 0) & (rows < self.rows) & (columns >= 0) & (columns < self.columns)
        return np.where(inside, columns * self.rows + rows + 1, 0)

    def context(self, antennas: ArrayLike) -> NDArray[np.int8]:
        """Count the other animals in each cell around each animal (Sect. 4.3, ``c_j``).

        Parameters
        ----------
        antennas
            Shape (n, J), antenna of each of J animals at n frames; 0 = no reading (such an animal
            is counted nowhere, and has no neighbours).

        Returns
        -------
        Shape (n, J, 9), int8.
        """
        antennas = np.asarray(antennas, dtype=np.int64)
        rows, columns = self.row(antennas), self.column(antennas)
        read = antennas > 0
        counts = np.zeros((*antennas.shape, CELLS), dtype=np.int8)
        for other in range(antennas.shape[1]):
            down = rows[:, [other]] - rows
            right = columns[:, [other]] - columns
            near = read & read[:, [other]] & (np.abs(down) <= 1) & (np.abs(right) <= 1)
            near[:, other] = False
            cell = (down + 1) * 3 + right + 1
            counts[*np.nonzero(near), cell[near]] += 1
        return counts
