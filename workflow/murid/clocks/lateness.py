"""By how much readings run late, told by boxes and readings alone: no model, no annotation.

In a frame that shows as many boxes as there are animals, the sum of the boxes' places is that of
the animals', whoever is who. So the place of the grid in the picture follows from such frames, and
is made sharper by giving each animal a box of its own. Then each animal should have a box near the
antenna that has read it: at what shift of the readings boxes are nearest tells how late they run.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import boxes as box_geometry
from murid import schemas
from murid.grid import Antennas
from murid.hungarian import linear_sum_assignment
from murid.identify.fit_check import certain

STEP = 0.4
"""Seconds between the frames that are looked at: readings come no faster."""
WINDOW = (10.0, 30.0)
"""Seconds that are taken as one observation: a twentieth of a segment, within these bounds."""
FEWEST_FRAMES, FEWEST_WINDOWS = 60, 4
"""Frames with as many boxes as animals, and windows, without which nothing is told."""
ENOUGH = 20
"""Readings in a window, without which it is none."""
FAR = 2.5
"""Antenna pitches beyond which a box is no animal's that the antenna has read."""
NARROW = 0.1
"""As wide as this share of their length, antennas are no longer in one line."""
ROUNDS = 4
"""Times that boxes are given to animals and the grid's place is fitted."""
SHARP = 0.5
"""Standard error, seconds, above which no figure is certain."""
REACH = 120.0
"""Seconds by which readings may run late or early and be found."""
COARSE, FINE = 1.0, 0.1
"""Seconds between shifts that are tried, at first and around the best."""
AWAY = (8.0, 40.0)
"""Seconds from the best shift at which readings say nothing of the boxes any more."""
DRAWS = 100
"""Draws of windows, by which the spread of a shift is told."""
TICK = 0.1
"""Seconds between the moments at which a trace is known."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Trace:
    """Which antenna each animal was over, at moments that follow each other by :data:`TICK`.

    Attributes
    ----------
    antennas
        (moments, animals), 0 = no reading.
    begins
        Seconds from the segment's first frame to the first moment; below 0 where the log began
        earlier.
    """

    antennas: Ints
    begins: float

    def at(self, seconds: Floats) -> Ints:
        """Return the antennas at some moments, (n,) seconds from the first frame: (n, animals)."""
        place = np.rint((seconds - self.begins) / TICK).astype(np.int64)
        inside = (place >= 0) & (place < len(self.antennas))
        found = self.antennas[place.clip(0, len(self.antennas) - 1)]
        return np.where(inside[:, None], found, 0)


@dataclass(frozen=True)
class Sight:
    """Boxes of sampled frames.

    Attributes
    ----------
    seconds
        (n,) of each frame, from the first of the segment.
    centres
        (n, most, 2) of boxes; NaN where there are fewer.
    """

    seconds: Floats
    centres: Floats

    @property
    def counts(self) -> Ints:
        """How many boxes each frame has, (n,)."""
        return (~np.isnan(self.centres[..., 0])).sum(axis=1)


@dataclass(frozen=True)
class Late:
    """By how much the readings of a segment run late.

    Attributes
    ----------
    shift
        Seconds.
    spread
        Its standard error, seconds, by windows of the segment drawn anew.
    certain
        Whether boxes are nearer to antennas at that shift than at others beyond chance, and it is
        sharp.
    windows
        How many windows it rests on.
    """

    shift: float
    spread: float
    certain: bool
    windows: int


def look(mice: pd.DataFrame, times: Floats) -> Sight:
    """Take the boxes of a frame every :data:`STEP` seconds.

    Parameters
    ----------
    mice
        Columns ``frame`` and a box.
    times
        (frames,) when each frame was taken, seconds from the first; boxes of later ones are none.
    """
    mice = mice[mice["frame"] < len(times)]
    frames = mice["frame"].to_numpy(dtype=np.int64)
    seen = np.unique(frames)
    chosen = seen[np.unique((times[seen] / STEP).astype(np.int64), return_index=True)[1]]
    near = mice[np.isin(frames, chosen)]
    row = np.searchsorted(chosen, near["frame"].to_numpy(dtype=np.int64))
    place = near.groupby("frame").cumcount().to_numpy()
    centres = np.full((len(chosen), int(place.max(initial=0)) + 1, 2), np.nan)
    centres[row, place] = box_geometry.centroids_and_sizes(near[schemas.BOX])[:, :2]
    return Sight(times[chosen], centres)


def find(sight: Sight, trace: Trace, grid: Antennas, around: float = 0.0) -> Late | None:
    """Find by how much readings run late, up to :data:`REACH` seconds from ``around``.

    Parameters
    ----------
    sight, trace
        Boxes and readings of a segment.
    grid
        The antennas.
    around
        Seconds.

    Returns
    -------
    None if the segment is too short, or shows all its animals too seldom.
    """
    shifts = around + np.arange(-REACH, REACH + COARSE / 2, COARSE)
    places = _first_places(sight, trace, grid, shifts)
    if places is None:
        return None
    places = _sharpened(sight, trace, grid, *places)
    if places is None:
        return None
    distances = _distances(sight, *places)
    coarse = _costs(sight, distances, trace, shifts)
    best = _best(coarse, shifts)
    if best is None:
        return None
    fine = best + np.arange(-2 * COARSE, 2 * COARSE + FINE / 2, FINE)
    costs = _costs(sight, distances, trace, fine)
    shift = _best(costs, fine)
    if shift is None:
        return None
    away = np.arange(*AWAY, 4.0)
    here = costs[int(np.abs(fine - shift).argmin())]
    there = _costs(sight, distances, trace, shift + np.concatenate([-away, away]))
    with np.errstate(invalid="ignore"):
        gain = _mean(there) - here
    spread = _spread(costs, fine)
    return Late(shift, spread, spread <= SHARP and certain(gain), int((~np.isnan(gain)).sum()))


def _first_places(
    sight: Sight, trace: Trace, grid: Antennas, shifts: Floats
) -> tuple[Floats, float] | None:
    """Return the affine map from grid to picture, (3, 2), and the shift of the best sums."""
    full = sight.counts == trace.antennas.shape[1]
    sums = np.nansum(sight.centres, axis=1)
    best: tuple[float, Floats, float] | None = None
    for shift in shifts:
        antennas = trace.at(sight.seconds + shift)
        known = full & (antennas > 0).all(axis=1)
        if known.sum() < FEWEST_FRAMES:
            continue
        ground = grid.coordinates(antennas[known].ravel()).reshape(*antennas[known].shape, 2)
        terms = np.column_stack([ground.sum(axis=1), np.full(len(ground), ground.shape[1])])
        affine = _map(terms, sums[known], grid.view)
        if affine is None:
            continue
        left = float(((sums[known] - terms @ affine) ** 2).mean())
        if best is None or left < best[0]:
            best = left, affine, float(shift)
    return None if best is None else best[1:]


def _map(terms: Floats, places: Floats, view: Floats | None) -> Floats | None:
    """Fit the affine map, (3, 2), from coordinates of antennas, or sums of them, to the picture.

    Parameters
    ----------
    terms
        (n, 3), coordinates, and of how many antennas they are the sum.
    places
        (n, 2), pixels, or as many sums of them.
    view
        (3, 3), the map as it is known of antennas in no grid: where these are few, or all but in
        one line, no more than a shift is added.

    Returns
    -------
    None where it is not told.
    """
    apart = terms[:, :2] - terms[:, :2].mean(axis=0)
    narrow = view is not None and np.linalg.matrix_rank(
        apart, tol=NARROW * np.linalg.norm(apart, ord=2)
    ) < 2  # fmt: skip
    if not narrow and np.linalg.matrix_rank(terms) == 3:
        found = np.linalg.lstsq(terms, places, rcond=None)[0]
        return found.astype(np.float64)
    if view is None:
        return None
    affine = view[:2].T.copy()
    affine[2] += np.median((places - terms @ affine) / terms[:, 2:], axis=0)
    return affine


def _sharpened(
    sight: Sight, trace: Trace, grid: Antennas, affine: Floats, shift: float
) -> tuple[Floats, float] | None:
    """Return the places of all antennas in the picture, (A, 2), and their pitch, pixels."""
    cells = np.column_stack([grid.coordinates(grid.antennas), np.ones(grid.size)])
    antennas = trace.at(sight.seconds + shift)
    full = np.flatnonzero((sight.counts == antennas.shape[1]) & (antennas > 0).all(axis=1))
    boxes = sight.centres[full]
    order = np.argsort(np.isnan(boxes[..., 0]), axis=1, kind="stable")[:, : antennas.shape[1]]
    boxes = np.take_along_axis(boxes, order[..., None], axis=1)
    read = antennas[full] - 1
    for _ in range(ROUNDS):
        gaps = ((boxes[:, None] - (cells @ affine)[read][:, :, None]) ** 2).sum(axis=-1)
        taken = np.stack([linear_sum_assignment(each)[1] for each in gaps])
        own = np.take_along_axis(boxes, taken[..., None], axis=1)
        found = _map(cells[read.ravel()], own.reshape(-1, 2), grid.view)
        if found is None:
            return None
        affine = found
    pitch = float(np.sqrt(abs(np.linalg.det(affine[:2]))))
    return (cells @ affine, pitch) if pitch > 0 and np.isfinite(pitch) else None


def _distances(sight: Sight, places: Floats, pitch: float) -> Floats:
    """Return how far each antenna is from the nearest box, squared pitches: (n, A)."""
    gaps = ((sight.centres[:, :, None] - places[None, None]) ** 2).sum(axis=-1)
    nearest = np.where(np.isnan(gaps), np.inf, gaps).min(axis=1)
    return np.minimum(nearest / pitch**2, FAR**2)


def _costs(sight: Sight, distances: Floats, trace: Trace, shifts: Floats) -> Floats:
    """Return the mean distance by shift and window, (k, windows); NaN: too few readings."""
    length = float(np.clip(np.ptp(sight.seconds) / 20, *WINDOW)) if len(sight.seconds) else 1.0
    window = (sight.seconds / length).astype(np.int64)
    count = int(window.max(initial=-1)) + 1
    costs = np.full((len(shifts), count), np.nan)
    for place, shift in enumerate(shifts):
        antennas = trace.at(sight.seconds + shift)
        read = antennas > 0
        values = np.take_along_axis(distances, (antennas - 1).clip(0), axis=1)
        which = np.broadcast_to(window[:, None], read.shape)[read]
        number = np.bincount(which, minlength=count)
        total = np.bincount(which, values[read], minlength=count)
        enough = number >= ENOUGH
        costs[place, enough] = total[enough] / number[enough]
    return costs


def _best(costs: Floats, shifts: Floats) -> float | None:
    """Return the shift of the least cost; those of few windows are none."""
    windows = (~np.isnan(costs)).sum(axis=1)
    enough = windows >= max(FEWEST_WINDOWS, 0.5 * windows.max(initial=0))
    if not enough.any():
        return None
    means = np.where(enough, _mean(costs, axis=1), np.inf)
    return float(shifts[int(means.argmin())])


def _spread(costs: Floats, shifts: Floats) -> float:
    """Return the standard error of the best shift, by windows that are drawn anew."""
    random = np.random.default_rng(1)
    windows = costs.shape[1]
    drawn = [
        _best(costs[:, random.integers(0, windows, windows)], shifts) for _ in range(DRAWS)
    ]  # fmt: skip
    found = [shift for shift in drawn if shift is not None]
    # Shifts are tried in steps: what is in between is not known.
    return float(np.hypot(np.std(found), FINE / 2)) if found else np.inf


def _mean(values: Floats, axis: int = 0) -> Floats:
    """Return means without NaN; NaN where there is nothing else."""
    given = ~np.isnan(values)
    number = given.sum(axis=axis)
    total = np.where(given, values, 0.0).sum(axis=axis)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)
