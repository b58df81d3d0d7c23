"""Courses of events that are likely: who is in which box, and where animals are that none shows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numba import njit
from numpy.typing import NDArray

from murid.boxes import transform
from murid.errors import InputError
from murid.schemas import BOX
from murid.summaries.behind import EVEN, Behind
from murid.summaries.known import Floats, Ints, Known

WANDER, LASTING = 0.7, 0.4
"""Seconds after which what is drawn of a place that nothing shows has been forgotten, but for a
share of its variance that lasts until the animal is seen again."""
UNSTEADY, STEADY = 0.16, 5.0
"""By how much of its sides a box's centre is off that of the animal, part of which may be hidden,
and the seconds after which that is forgotten: as simulated cages of Train have it."""
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Course:
    """One course of events.

    Attributes
    ----------
    boxes
        (F, J, 4) that show animals; NaN where none does.
    centres
        (F, J, 2) of these, and of animals that are inferred to be somewhere; NaN where unknown.
    cut
        (F, J) which boxes the hopper may cut; None: it cuts none.
    hidden
        How much of what it may hide it does: each a share of animals that are less high, (F, J) or
        one of all; figures are means over them.
    """

    boxes: Floats
    centres: Floats
    cut: Truths | None = None
    hidden: tuple[float | Floats, ...] = EVEN

    @property
    def seen(self) -> Truths:
        """(F, J) whether a box shows the animal."""
        return ~np.isnan(self.boxes[..., 0])

    @property
    def known(self) -> Truths:
        """(F, J) whether it is known where it is."""
        return ~np.isnan(self.centres[..., 0])


class Drawn:
    """Whole assignments of names to the stretches of tracklets.

    Parameters
    ----------
    known
        What is known of the segment.
    tracklets, draws
        The tables.
    matrix
        (2, 3), raw pixels to the frame of reference.

    Raises
    ------
    InputError
        If a draw names an animal or a tracklet that there is not, or puts an animal into two boxes
        of a frame.
    """

    def __init__(
        self, known: Known, tracklets: pd.DataFrame, draws: pd.DataFrame, matrix: Floats
    ) -> None:
        self.known = known
        order = tracklets.sort_values(["tracklet", "frame"])
        self._frames: Ints = order["frame"].to_numpy(dtype=np.int64)
        self._boxes = transform(order[BOX].to_numpy(dtype=np.float64), matrix)
        numbers = order["tracklet"].to_numpy(dtype=np.int64)
        span = len(known.boxes) + 1
        keys = numbers * span + self._frames
        named = draws[draws["animal"].notna().to_numpy()]
        tracklet = named["tracklet"].to_numpy(dtype=np.int64)
        first, last = (named[f"{end}_frame"].to_numpy(dtype=np.int64) for end in ("first", "last"))
        self._begin = np.searchsorted(keys, tracklet * span + first, side="left")
        self._end = np.searchsorted(keys, tracklet * span + last, side="right")
        self._animal = pd.Index(known.animals).get_indexer(named["animal"])
        if (self._animal < 0).any():
            row = named.iloc[int(np.flatnonzero(self._animal < 0)[0])]
            raise InputError(
                "draws", f"the animal {row['animal']!r}", f"one of {', '.join(known.animals)}",
                where=f"draw {row['draw']}, tracklet {row['tracklet']}",
            )  # fmt: skip
        self._draw = named["draw"].to_numpy(dtype=np.int64)
        self.numbers = np.unique(draws["draw"].to_numpy(dtype=np.int64))

    def __iter__(self) -> Iterator[Floats]:
        """Yield boxes (F, J, 4) of each draw; those of no tracklet are in all of them."""
        for number in self.numbers:
            mine = self._draw == number
            begin, end = self._begin[mine], self._end[mine]
            sizes = end - begin
            rows = np.repeat(begin - np.concatenate([[0], sizes.cumsum()[:-1]]), sizes)
            rows = rows + np.arange(sizes.sum())
            columns = np.repeat(self._animal[mine], sizes)
            frames = self._frames[rows]
            cells = frames * len(self.known.animals) + columns
            if len(np.unique(cells)) < len(cells):
                raise InputError(
                    "draws", f"an animal in two boxes of a frame in draw {number}",
                    "one box a frame and animal",
                    remedy="Tracklets are newer than draws: run again.",
                )  # fmt: skip
            boxes = np.where(self.known.loose[..., None], self.known.boxes, np.nan)
            boxes[frames, columns] = self._boxes[rows]
            yield boxes


def best(known: Known, boxes: Floats | None = None, behind: Behind | None = None) -> Course:
    """Return the course in which everything is where it most probably is."""
    boxes = known.boxes if boxes is None else boxes
    cut = behind.cut(boxes) if behind else None
    return Course(boxes, _centres(known, boxes, known.places), cut)


def drawn(
    known: Known, boxes: Floats, random: np.random.Generator, behind: Behind | None = None
) -> Course:
    """Draw a course in which these boxes are animals': where they are otherwise, and by how much
    the centres of their boxes are off.

    What is off is so for a while: it is remembered from frame to frame.
    """
    lasting = _until(~np.isnan(known.boxes[..., 0]), random.standard_normal(known.places.shape))
    wander = np.sqrt(LASTING) * lasting + np.sqrt(1 - LASTING) * _wander(known, WANDER, random)
    places = known.places + np.einsum("fjik,fjk->fji", known.spread, wander)
    off = UNSTEADY * _wander(known, STEADY, random) ** 3 / np.sqrt(15)
    moved = boxes.copy()
    moved[..., :2] += off * boxes[..., 2:]
    centres = _centres(known, moved, places)
    if behind is None:
        return Course(moved, centres)
    cut = behind.cut(boxes)
    return Course(moved, centres, cut, (_until(~cut, random.random(cut.shape)),))


def _until(begins: Truths, values: Floats) -> Floats:
    """Return values of which each lasts until the next begins: (F, J), (F, J, ...) -> the same."""
    frames = np.arange(len(begins))[:, None]
    since = np.maximum.accumulate(np.where(begins, frames, 0), axis=0)
    return values[since, np.arange(begins.shape[1])]


def _wander(known: Known, seconds: float, random: np.random.Generator) -> Floats:
    """Return standard normal values that are forgotten after some seconds: (F, J, 2)."""
    kept = np.exp(-1 / (seconds * known.fps))
    noise = random.standard_normal((*known.boxes.shape[:2], 2))
    noise[1:] *= np.sqrt(1 - kept**2)
    return _added_up(noise, kept)


@njit(cache=True)
def _added_up(noise: Floats, kept: float) -> Floats:
    """Return what is kept of each frame's sum, added to the next frame's noise: (F, J, 2)."""
    sums = noise.copy()
    for frame in range(1, len(noise)):
        sums[frame] += kept * sums[frame - 1]
    return sums


def _centres(known: Known, boxes: Floats, places: Floats) -> Floats:
    """Return centres of boxes, or inferred places, or what lies between: (F, J, 2).

    An animal may be in no box where the best answer has one, whose place is not inferred.
    """
    centres = boxes[..., :2] + boxes[..., 2:] / 2
    centres = np.where(np.isnan(centres), places, centres)
    best_known = ~np.isnan(known.boxes[..., 0]) | ~np.isnan(known.places[..., 0])
    for animal in range(centres.shape[1]):
        there = ~np.isnan(centres[:, animal, 0])
        lacking = np.flatnonzero(~there & best_known[:, animal])
        if len(lacking) and there.any():
            at = np.flatnonzero(there)
            for axis in range(2):
                values = centres[at, animal, axis]
                centres[lacking, animal, axis] = np.interp(lacking, at, values)
    return centres
