"""A cage whose animals wander, as its video and its antennas tell of it, each by its own clock."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.clocks.lateness import TICK, Trace
from murid.grid import Grid

GRID = Grid(3, 6)
FPS = 10.0
AFFINE = np.array([[120.0, 8.0], [-20.0, 110.0], [150.0, 140.0]])
"""From column and row of an antenna, and 1, to the picture."""


def wander(seconds: float, animals: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Return where animals are, in antennas from the first, at every :data:`TICK`: (k, J, 2)."""
    count = round(seconds / TICK)
    places = np.empty((count, animals, 2))
    limits = np.array([GRID.columns - 1, GRID.rows - 1], dtype=np.float64)
    for animal in range(animals):
        at, goal = random.uniform(0, 1, 2) * limits, random.uniform(0, 1, 2) * limits
        rest = 0
        for moment in range(count):
            step = goal - at
            far = float(np.hypot(*step))
            if rest > 0:
                rest -= 1
            elif far < 0.1:
                goal, rest = random.uniform(0, 1, 2) * limits, int(random.integers(5, 150))
            else:
                at = at + step / far * min(far, 1.2 * TICK)
            places[moment, animal] = at
    return places


def film(
    places: NDArray[np.float64], seconds: float, margin: float, seen: float,
    random: np.random.Generator,
) -> pd.DataFrame:  # fmt: skip
    """Return the boxes of mice of a segment that begins ``margin`` seconds after the places do."""
    frames = np.arange(round(seconds * FPS))
    at = places[np.round((margin + frames / FPS) / TICK).astype(int)]
    centres = at @ AFFINE[:2] + AFFINE[2] + random.normal(0, 6, at.shape)
    frame, animal = np.nonzero(random.random(at.shape[:2]) < seen)
    x, y = centres[frame, animal].T
    return pd.DataFrame({"frame": frame, "x": x - 30, "y": y - 20, "w": 60.0, "h": 40.0})


def hear(places: NDArray[np.float64], margin: float, late: float) -> Trace:
    """Return the readings of animals, which run late."""
    column, row = np.rint(places).astype(np.int64).transpose(2, 0, 1)
    return Trace(column * GRID.rows + row + 1, late - margin)
