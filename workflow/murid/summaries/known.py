"""What is known of where the animals of a segment are: boxes, inferred places and readings."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import rigs, tables, timeline
from murid.boxes import apply, transform
from murid.errors import InputError
from murid.models.fitted_weights import Affinity, project
from murid.schemas import BOX
from murid.summaries.overlapped import overlapped

if TYPE_CHECKING:
    from murid.summaries.stage import Summarise

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
HELD = np.sqrt(-2 * np.log(0.1))
"""Standard deviations, of a normal in the plane, to the ellipse that holds nine of ten."""
_DEPTHS = 8
"""Depths at which it is told how high boxes usually are."""
_FEWEST = 100
"""Boxes of an antenna without which it does not tell that."""


@dataclass(frozen=True)
class Known:
    """What tables tell of J animals in F frames, in the frame of reference.

    Attributes
    ----------
    animals
        (J,) names, sorted.
    fps
        Frames per second.
    boxes
        (F, J, 4) of the best answer; NaN where none shows the animal.
    loose
        (F, J) which of these are of no tracklet.
    places
        (F, J, 2) where animals are inferred to be; NaN where they are seen, or unknown.
    spread
        (F, J, 2, 2) roots of the covariances of these.
    read
        (F, J) antennas as they were read, 0 = none.
    """

    animals: list[str]
    fps: float
    boxes: Floats
    loose: NDArray[np.bool_]
    places: Floats
    spread: Floats
    read: Ints

    @cached_property
    def length(self) -> float:
        """How long animals are in the picture, pixels: the side of a square as large as a box.

        It is the median of boxes that no other animal cuts, if there are any.
        """
        sides = np.sqrt(self.boxes[..., 2] * self.boxes[..., 3])
        free = sides[~overlapped(self.boxes).any(axis=-1) & np.isfinite(sides)]
        if not len(free):
            free = sides[np.isfinite(sides)]
        return float(np.median(free)) if len(free) else 1.0


def read(stage: "Summarise", affinity: Affinity) -> Known:
    """Read what is known of a segment.

    Raises
    ------
    InputError
        If a table does not fulfil its contract, or they are of different segments.
    """
    matrix = rigs.read_matrices(stage.transforms, [stage.rig])[stage.rig]
    trace = timeline.trace(tables.read(stage.positions, "positions"), affinity.grid)
    animals = [str(name) for name in trace.columns]
    shape = (len(trace), len(animals))
    named = tables.read(stage.identities, "identities")
    rows, columns = _where(named, animals, shape[0], "identities")
    boxes, loose = np.full((*shape, 4), np.nan), np.zeros(shape, dtype=bool)
    shown = named["x"].notna().to_numpy()
    given = named.loc[shown, BOX].to_numpy(dtype=np.float64)
    boxes[rows[shown], columns[shown]] = transform(given, matrix)
    loose[rows, columns] = shown & named["tracklet"].isna().to_numpy()
    inferred = tables.read(stage.places, "places")
    inferred = inferred[(inferred["state"] == "inferred").to_numpy()]
    rows, columns = _where(inferred, animals, shape[0], "places")
    places, spread = np.full((*shape, 2), np.nan), np.zeros((*shape, 2, 2))
    places[rows, columns] = apply(inferred[["x", "y"]].to_numpy(dtype=np.float64), matrix)
    spread[rows, columns] = _roots(inferred, matrix[:, :2])
    read_at = trace.to_numpy(dtype=np.int64)
    return Known(animals, stage.fps, boxes, loose, places, spread, read_at)


def _where(
    table: pd.DataFrame, animals: list[str], frames: int, name: str
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return row and column of each row of a table: its frame, and the number of its animal."""
    columns = pd.Index(animals).get_indexer(table["animal"])
    rows = table["frame"].to_numpy(dtype=np.intp)
    wrong = np.flatnonzero((columns < 0) | (rows >= frames))
    if len(wrong):
        row = table.iloc[wrong[0]]
        raise InputError(
            name, f"{row['animal']} in frame {row['frame']}",
            f"one of {', '.join(animals) or '(none)'} in {frames:,} frames, as positions have",
            where=f"row {wrong[0]}", remedy="They are of different segments: run again.",
        )  # fmt: skip
    return rows, columns


def _roots(inferred: pd.DataFrame, linear: Floats) -> Floats:
    """Return roots of the covariances that ellipses stand for: (n, 2, 2)."""
    angle = np.radians(inferred["angle"].to_numpy(dtype=np.float64))
    along = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    across = np.stack([-np.sin(angle), np.cos(angle)], axis=-1)
    axes = np.stack(
        [
            along * inferred["major"].to_numpy(dtype=np.float64)[:, None],
            across * inferred["minor"].to_numpy(dtype=np.float64)[:, None],
        ],
        axis=-1,
    )
    return linear @ axes / HELD


def centimetres(
    affinity: Affinity, pitch: tuple[float, float] | None, points: Floats
) -> Floats | None:
    """Return how many centimetres a pixel is at points, by the antennas around: (..., 2) -> (...).

    It is that of what is neither near nor far of the point, but beside it: from one column of
    antennas to the next. None where the pitch is not known, or antennas are in no grid.
    """
    if pitch is None or affinity.grid.view is not None:
        return None
    flat = points.reshape(-1, 2)
    back = np.linalg.inv(affinity.homography)
    column_row = project(back, np.nan_to_num(flat))
    beside = project(affinity.homography, column_row + np.array([1.0, 0.0]))
    size = np.linalg.norm(beside - np.nan_to_num(flat), axis=1)
    return (pitch[0] / np.maximum(size, 1e-6)).reshape(points.shape[:-1])


@dataclass(frozen=True)
class Usual:
    """How high boxes usually are that stand as low in the picture as others, at the same antenna.

    What is nearer is lower in the picture of a camera before the cage, and larger. But of an animal
    that has climbed on something the lower edge is that of one farther away, which its antenna
    knows better; and at an antenna it may be near or far. What is usual is the mean of both, of
    logarithms.

    Attributes
    ----------
    low, high
        Lower edges of boxes, ascending, and the median heights there, pixels.
    read
        Median heights at the antenna that each animal is read by in each frame, shaped as boxes
        are; NaN where none is. None: antennas are not known.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    read: Floats | None = None

    @classmethod
    def of(cls, boxes: Floats, read: Ints | None = None) -> "Usual":
        """Return what is usual of boxes (..., 4), of which NaN are none, by antennas (...)."""
        shown = boxes[~np.isnan(boxes[..., 0])]
        low = shown[:, 1] + shown[:, 3]
        if not len(low):
            return cls((0.0,), (np.inf,))
        edges = np.unique(np.quantile(low, np.linspace(0, 1, _DEPTHS + 1)))
        bins = np.searchsorted(edges[1:-1], low)
        parts = [bins == number for number in np.unique(bins)]
        return cls(
            tuple(float(np.median(low[part])) for part in parts),
            tuple(float(np.median(shown[part, 3])) for part in parts),
            None if read is None else _by_antenna(boxes[..., 3], read),
        )

    def at(self, low: Floats) -> Floats:
        """Return how high boxes usually are by their lower edges alone: same shape."""
        return np.interp(low, self.low, self.high)

    def __call__(self, boxes: Floats) -> Floats:
        """Return how high boxes usually are there: (..., 4) -> (...)."""
        usual = self.at(boxes[..., 1] + boxes[..., 3])
        if self.read is None:
            return usual
        both: Floats = np.sqrt(usual * np.where(np.isnan(self.read), usual, self.read))
        return both


def _by_antenna(heights: Floats, read: Ints) -> Floats:
    """Return the median height at the antenna of each: same shape, NaN where it is not known."""
    shown = ~np.isnan(heights) & (read > 0)
    medians = np.full(int(read.max(initial=0)) + 1, np.nan)
    for antenna, count in enumerate(np.bincount(read[shown])):
        if count >= _FEWEST:
            medians[antenna] = np.median(heights[shown & (read == antenna)])
    return medians[read]
