"""How antennas are laid out, as settings and models tell it. Imports nothing slow."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Place = tuple[float, float]
Places = tuple[Place, ...]


class Layout(NamedTuple):
    """A grid of antennas, or the place of each.

    Attributes
    ----------
    rows, columns
        Of the grid.
    places
        x and y of each antenna in the frame of reference, pixels, in place of a grid.
    """

    rows: int
    columns: int
    places: Places | None = None

    def __str__(self) -> str:
        """Say what it is."""
        if self.places is None:
            return f"{self.rows} x {self.columns} antennas (rows x columns)"
        return f"{len(self.places)} antennas in no grid ({_listed(enumerate(self.places, 1))})"

    def told_from(self, other: "Layout") -> tuple[str, str]:
        """Say what this and another are; of as many places, only those that differ."""
        if self.places is None or other.places is None or len(self.places) != len(other.places):
            return str(self), str(other)
        both = zip(self.places, other.places, strict=True)
        differ = [number for number, (one, two) in enumerate(both, 1) if one != two]
        return _of_which(self.places, differ), _of_which(other.places, differ)


def _of_which(places: Places, numbers: Sequence[int]) -> str:
    some = _listed((number, places[number - 1]) for number in numbers)
    return f"{len(places)} antennas in no grid, of which {some}"


def _listed(places: Iterable[tuple[int, Place]]) -> str:
    """Write places by the numbers of their antennas, the first five."""
    written = [f"{number} at {x:g}, {y:g}" for number, (x, y) in places]
    more = len(written) - 5
    return "; ".join(written[:5] + [f"and {more} more"] * (more > 0))
