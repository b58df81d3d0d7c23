"""The points of a rig set-up, and how a fault of theirs is told."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.errors import InputError
from murid.stretches import listed, stretches_of

Array = NDArray[np.float64]
AGAIN = "Mark its points again."


@dataclass(frozen=True)
class SetUp:
    """The points of a rig set-up.

    Attributes
    ----------
    name
        Of the set-up.
    antennas
        (n,) int64, sorted: the numbers of the points.
    places
        (n, 2) float64: where they are in its pictures, pixels.
    source
        The file, for messages.
    """

    name: str
    antennas: NDArray[np.int64]
    places: Array
    source: object

    @property
    def odd(self) -> NDArray[np.bool_]:
        """Which points are odd, shape (n,): transforms are fitted to those (Appendix A.1)."""
        return self.antennas % 2 == 1

    @property
    def points(self) -> str:
        """Its points, briefly."""
        return named(self.antennas)

    @property
    def extent(self) -> str:
        """Its points, and where they lie."""
        (left, top), (right, bottom) = self.places.min(axis=0), self.places.max(axis=0)
        return (
            f"{self.points} from {left:.4g} to {right:.4g} across and from {top:.4g} to "
            f"{bottom:.4g} down"
        )

    def fault(
        self, found: str, expected: str, remedy: str | None = AGAIN, target: str | None = None
    ) -> InputError:
        """Return the error that tells a fault of the set-up, perhaps as mapped to another one."""
        where = f"rig {self.name}" + (f", mapped to rig {target}" if target is not None else "")
        return InputError(self.source, found, expected, where=where, remedy=remedy)


def set_ups(points: pd.DataFrame, source: object) -> dict[str, SetUp]:
    """Return every set-up of a table with the columns ``rig, antenna, x, y``, by name."""
    return {
        str(rig): SetUp(
            str(rig),
            group["antenna"].to_numpy(dtype=np.int64),
            group[["x", "y"]].to_numpy(dtype=np.float64),
            source,
        )
        for rig, group in points.sort_values("antenna", kind="stable").groupby("rig")
    }


def named(antennas: Sequence[int] | NDArray[np.int64]) -> str:
    """Name points briefly: ``point 3`` or ``points 1-4, 7``."""
    return f"point{'s' if len(antennas) > 1 else ''} {listed(stretches_of(antennas))}"
