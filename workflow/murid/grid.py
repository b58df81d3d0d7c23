"""The antennas under or around the cage: where they are, and what surrounds an animal.

They are a grid, or each has a place of its own in the picture. Antenna ``a`` (from 1) of a grid of
R rows lies in column ``(a - 1) // R``, left to right in the image, and row ``(a - 1) % R``, row 0
at the back of the cage. Antennas with places of their own are in one row, by their numbers: none is
known to be as far from the camera as another.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murid.layout import Layout, Places

CELLS = 9
"""Cells of the neighbourhood, row by row; the antenna itself is cell 4 (Fig. 4c)."""
CENTRE = 4
NOWHERE = -1
"""In place of a cell, of what is in none."""
REACH = 1.5
"""Spacings up to which antennas with places of their own are neighbours: a grid's corners are."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Antennas(ABC):
    """Antennas, numbered from 1.

    Attributes
    ----------
    places
        x and y of each in the frame of reference, pixels; None: boxes tell where they are.
    """

    places: Places | None = None

    @property
    @abstractmethod
    def rows(self) -> int:
        """Number of rows; boxes of animals that are in one row are alike in size."""

    @property
    @abstractmethod
    def columns(self) -> int:
        """Number of antennas in a row."""

    @property
    def view(self) -> Floats | None:
        """What is known of the projection, (3, 3) coordinates to pixels; None: nothing."""
        return None

    @abstractmethod
    def coordinates(self, antenna: ArrayLike) -> Floats:
        """Return ground-plane coordinates, to the right and down, in spacings: (n,) -> (n, 2)."""

    @abstractmethod
    def cells(self, antenna: ArrayLike, other: ArrayLike) -> Ints:
        """Return the cell around one antenna that another is in, or -1; shapes that broadcast."""

    @abstractmethod
    def steps(self, antenna: ArrayLike, other: ArrayLike) -> Ints:
        """Return how many antennas further another is, at least, on any way; same shape."""

    @property
    def size(self) -> int:
        """Number of antennas; they are numbered 1 to this."""
        return self.rows * self.columns

    @property
    def antennas(self) -> Ints:
        """All antenna numbers, shape (size,)."""
        return np.arange(1, self.size + 1)

    def row(self, antenna: ArrayLike) -> Ints:
        """Return the row of each antenna, 0 = back of the cage; same shape."""
        return (np.asarray(antenna, dtype=np.int64) - 1) % self.rows

    def column(self, antenna: ArrayLike) -> Ints:
        """Return the column of each antenna, 0 = left in the image; same shape."""
        return (np.asarray(antenna, dtype=np.int64) - 1) // self.rows

    def contains(self, antenna: ArrayLike) -> NDArray[np.bool_]:
        """Tell which numbers are antennas; same shape."""
        antenna = np.asarray(antenna)
        return (antenna >= 1) & (antenna <= self.size)

    def neighbours(self, antenna: int) -> Ints:
        """Return an antenna of each cell of the neighbourhood, 0 where there is none: (9,)."""
        cells = self.cells(antenna, self.antennas)
        around = np.zeros(CELLS, dtype=np.int64)
        around[cells[cells != NOWHERE]] = self.antennas[cells != NOWHERE]
        return around

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
        read = antennas > 0
        counts = np.zeros((*antennas.shape, CELLS), dtype=np.int8)
        for other in range(antennas.shape[1]):
            cell = self.cells(antennas, antennas[:, [other]])
            near = read & read[:, [other]] & (cell != NOWHERE)
            near[:, other] = False
            counts[*np.nonzero(near), cell[near]] += 1
        return counts


@dataclass(frozen=True)
class Grid(Antennas):
    """A grid of ``rows`` x ``columns`` antennas; the rig of the paper has 3 x 6.

    The unit of its coordinates ``(column, row)`` does not matter: a homography absorbs it.
    """

    rows: int = 3
    columns: int = 6

    def coordinates(self, antenna: ArrayLike) -> Floats:
        """Return column and row."""
        return np.stack([self.column(antenna), self.row(antenna)], axis=-1).astype(np.float64)

    def cells(self, antenna: ArrayLike, other: ArrayLike) -> Ints:
        """Return the cell: next to each other, or across a corner."""
        down = self.row(other) - self.row(antenna)
        right = self.column(other) - self.column(antenna)
        near = (np.abs(down) <= 1) & (np.abs(right) <= 1)
        return np.where(near, (down + 1) * 3 + right + 1, NOWHERE)

    def steps(self, antenna: ArrayLike, other: ArrayLike) -> Ints:
        """Return the steps from one to the other, those across corners too."""
        down = abs(self.row(antenna) - self.row(other))
        return np.maximum(down, abs(self.column(antenna) - self.column(other)))


@dataclass(frozen=True)
class Placed(Antennas):
    """Antennas of which each has a place: corners, tunnels, single readers at nest and drinker.

    Attributes
    ----------
    places
        x and y of each, pixels of the frame of reference; two or more, no two in one place.
    """

    places: Places = ()

    @property
    def rows(self) -> int:
        """One."""
        return 1

    @property
    def columns(self) -> int:
        """All of them."""
        return len(self.places)

    @cached_property
    def spacing(self) -> Floats:
        """How far apart antennas are across and down, (2,) pixels.

        The median distance from an antenna to the nearest one that lies more to its side than above
        or below it, and the same of those above or below: seen from the side, a floor is lower than
        deep. If all are side by side, or one above the other, both are the same.
        """
        apart = np.abs(self._apart)
        distance = np.where(np.eye(self.size, dtype=bool), np.inf, np.linalg.norm(apart, axis=-1))
        across = apart[..., 0] >= apart[..., 1]
        found = []
        for those in (across, ~across):
            nearest = np.where(those, distance, np.inf).min(axis=1)
            nearest = nearest[np.isfinite(nearest)]
            found.append(float(np.median(nearest)) if len(nearest) else np.nan)
        right, down = found
        return np.array([down if np.isnan(right) else right, right if np.isnan(down) else down])

    @property
    def view(self) -> Floats:
        """The projection by which they are in their places, (3, 3)."""
        return np.diag([*self.spacing, 1.0])

    def coordinates(self, antenna: ArrayLike) -> Floats:
        """Return places, across and down, in spacings."""
        numbers = np.asarray(antenna, dtype=np.int64)
        return np.asarray(self.places, dtype=np.float64)[numbers - 1] / self.spacing

    def cells(self, antenna: ArrayLike, other: ArrayLike) -> Ints:
        """Return the cell of the direction that the other is in, if it is within reach."""
        first, second = (np.asarray(each, dtype=np.int64) - 1 for each in (antenna, other))
        return self._cells[first, second]

    def steps(self, antenna: ArrayLike, other: ArrayLike) -> Ints:
        """Return one: what ways there are between them, and how long, is not known."""
        return (np.asarray(antenna) != np.asarray(other)).astype(np.int64)

    @property
    def _apart(self) -> Floats:
        """From each antenna to each, (size, size, 2) pixels."""
        places = np.asarray(self.places, dtype=np.float64)
        return places[None] - places[:, None]

    @cached_property
    def _cells(self) -> Ints:
        apart = self._apart / self.spacing
        right, down = apart[..., 0], apart[..., 1]
        eighth = np.rint(np.arctan2(down, right) / (np.pi / 4)) * (np.pi / 4)
        cell = (np.rint(np.sin(eighth)) + 1) * 3 + np.rint(np.cos(eighth)) + 1
        cells = np.where(np.hypot(right, down) <= REACH, cell, NOWHERE).astype(np.int64)
        np.fill_diagonal(cells, CENTRE)
        return cells


def antennas_of(layout: Layout) -> Antennas:
    """Return the antennas that settings or a model tell of."""
    if layout.places is not None:
        return Placed(layout.places)
    return Grid(layout.rows, layout.columns)
