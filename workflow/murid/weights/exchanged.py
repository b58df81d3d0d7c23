"""Annotated segments whose names are exchanged: their boxes fit the readings of other animals.

A file in which two animals' names are exchanged is sound by itself, and blurs all that is learnt
from it. What gives it away are the other segments: where boxes lie given an antenna is fitted to
those, and the boxes of each name are held against the readings of every animal. If all segments
are exchanged in one way, what was fitted is blurred too, and mostly nothing can be told.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.stats import wilcoxon

from murid import timeline
from murid.affinity import SHOWN, Affinity, log_gaussian
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import FitWeights, Image
from murid.weights import gaussians, samples
from murid.weights.lag import Part

WINDOW = 10.0
"""Seconds that are taken as one observation."""
FEWEST = 24
"""Windows with boxes without which a segment is not judged: mice that rest may lie at each other's
antennas for three minutes, on the released archive, and by less than four."""
CLEARLY = 0.5
"""Nats a box by which other names must fit better. Right names fit better than any others by 1.0 to
3.3 on the released archive, and by 2.3 to 3.8 on the demo."""
SURE = 1e-3
"""Probability of a one-sided signed-rank test over windows below which that is no chance."""
FOLDS = 10
"""Parts into which segments are divided; each is held against what is fitted to the others."""

_ROUNDS = 5
_OUTLIERS = 0.05
"""Share of boxes that may lie anywhere, whatever the reading: one alone decides nothing."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Boxes(NamedTuple):
    """The clear and truncated boxes of a segment in frames in which every animal has a reading.

    Attributes
    ----------
    rows
        As :func:`murid.weights.samples.collect` gives, n of them.
    readings
        (n, J), the antenna of every animal in the frame of each box.
    own
        (n,), the animal's number.
    window
        (n,), number of the window of time.
    animals
        The J names.
    """

    rows: pd.DataFrame
    readings: Ints
    own: Ints
    window: Ints
    animals: list[str]


class _Model(NamedTuple):
    homography: Floats
    sizes: Floats
    covariances: Floats
    outlier_mean: Floats
    outlier_covariance: Floats


def leave_out(
    parts: Sequence[Part], grid: Grid, image: Image, settings: FitWeights
) -> tuple[list[Part], list[str]]:
    """Leave out the segments whose boxes fit clearly better if names are exchanged.

    Parameters
    ----------
    parts
        Annotated segments.
    grid, image
        The antenna grid and the frame of reference.
    settings
        The lag, if it is given, and the kind of covariance.

    Returns
    -------
    The segments that are kept, and a remark on each of the others.

    Raises
    ------
    InputError
        If most are exchanged, so that nobody knows which are right.
    """
    several = [boxes_of(part, grid, settings.lag or 0.0) for part in parts]
    found = judge(several, grid, image, settings)
    remarks = [
        f"{parts[place].name} is left out: its boxes fit the antenna trace better by {gain:.1f} "
        f"nats a box if those named {told(names)}; exchange the names in its annotations, or the "
        "columns of its antenna trace if those are wrong"
        for place, (names, gain) in found.items()
    ]
    if 2 * len(found) > len(parts):
        raise InputError(
            "annotations",
            f"names that are exchanged in {len(found)} of {len(parts)} segments: {remarks[0]}",
            "names that fit the antenna traces in half of the segments at least",
            remedy="Compare the names in the annotations with the columns of the antenna traces.",
        )
    return [part for place, part in enumerate(parts) if place not in found], remarks


def told(names: Mapping[str, str]) -> str:
    """Say which names the readings are of, by the names of the boxes."""
    return ", ".join(f"{name} are {other}" for name, other in names.items())


def boxes_of(part: Part, grid: Grid, lag: float) -> Boxes:
    """Return what is judged of a segment whose readings run late by so many seconds."""
    trace = timeline.trace(part.positions, grid)
    late = round(lag * part.fps)
    rows = samples.from_trace(trace, part.annotations, part.matrix, grid, late)
    readings = timeline.advance(trace.to_numpy(dtype=np.int64), late)
    if len(rows):
        known = (readings[rows["frame"].to_numpy()] > 0).all(axis=1)
        rows = rows[known & rows["visibility"].isin(SHOWN)].reset_index(drop=True)
    animals = [str(name) for name in trace.columns]
    if rows.empty:
        none = np.zeros(0, np.int64)
        return Boxes(rows, np.zeros((0, len(animals)), np.int64), none, none, animals)
    frames = rows["frame"].to_numpy(dtype=np.int64)
    own = pd.Index(animals).get_indexer(rows["animal"].astype(str))
    window = (frames / (WINDOW * part.fps)).astype(np.int64)
    return Boxes(rows, readings[frames], own, window, animals)


def judge(
    several: Sequence[Boxes], grid: Grid, image: Image, settings: FitWeights
) -> dict[int, tuple[dict[str, str], float]]:
    """Find the segments that fit others better under other names.

    What is fitted to segments that are found themselves misleads, so that they are left out of it,
    and all are judged again, until the same are found.

    Returns
    -------
    By the segment's place: the animal whose readings fit, by the name of the boxes, where the two
    differ; and by how much they fit better, nats a box.
    """
    found: dict[int, tuple[dict[str, str], float]] = {}
    for _ in range(_ROUNDS):
        again: dict[int, tuple[dict[str, str], float]] = {}
        for fold in range(min(FOLDS, len(several))):
            own = [
                place for place, boxes in enumerate(several)
                if place % FOLDS == fold and len(np.unique(boxes.window)) >= FEWEST
            ]  # fmt: skip
            others = [
                boxes.rows for place, boxes in enumerate(several)
                if place % FOLDS != fold and place not in found and len(boxes.rows)
            ]  # fmt: skip
            model = _fit(others, grid, image, settings) if own and others else None
            if model is not None:
                named = {place: exchanged(several[place], model, grid) for place in own}
                again |= {place: said for place, said in named.items() if said is not None}
        if again.keys() == found.keys() or len(again) == len(several):
            return again
        found = again
    return found


def _fit(
    others: Sequence[pd.DataFrame], grid: Grid, image: Image, settings: FitWeights
) -> _Model | None:
    """Fit where boxes lie; None if there are too few."""
    rows = pd.concat(others, ignore_index=True)
    try:
        homography = gaussians.fit_homography(
            rows["antenna"].to_numpy(), rows[["x", "y"]].to_numpy(), grid
        )
    except InputError:
        return None
    sizes = gaussians.mean_sizes(rows, grid)
    difference = gaussians.residuals(rows, homography, sizes, grid)
    spread = gaussians.covariances(difference, rows, grid, settings.covariance)
    outlier = gaussians.fit_outlier(rows, image.width, image.height)
    return _Model(homography, sizes, spread, *outlier)


def exchanged(
    boxes: Boxes, model: _Model | Affinity, grid: Grid
) -> tuple[dict[str, str], float] | None:
    """Tell which names of a segment are exchanged, and by how much it fits better so, if it is."""
    densities = _densities(boxes, model, grid)
    count = len(boxes.animals)
    totals = np.array([densities[boxes.own == name].sum(axis=0) for name in range(count)])
    fits = linear_sum_assignment(totals, maximize=True)[1]
    concerned = fits[boxes.own] != boxes.own
    if not concerned.any():
        return None
    every = np.arange(len(boxes.own))
    gain = (densities[every, fits[boxes.own]] - densities[every, boxes.own])[concerned]
    windows = pd.Series(gain).groupby(boxes.window[concerned]).mean()
    if gain.mean() < CLEARLY or len(windows) < FEWEST:
        return None
    if wilcoxon(windows, alternative="greater").pvalue >= SURE:
        return None
    # A name without boxes says nothing, even if another takes its readings.
    named = {
        boxes.animals[name]: boxes.animals[fits[name]] for name in np.unique(boxes.own[concerned])
    }
    return named, float(gain.mean())


def _densities(boxes: Boxes, model: _Model | Affinity, grid: Grid) -> Floats:
    """Return the log density of each box given the readings of every animal: (n, J)."""
    difference = boxes.rows[samples.GEOMETRY].to_numpy() - model.outlier_mean
    first = np.zeros(len(difference), dtype=np.int64)
    anywhere = log_gaussian(difference, model.outlier_covariance[None], first)
    given = [
        gaussians.log_densities(
            boxes.rows.assign(antenna=antennas),
            model.homography, model.sizes, model.covariances, grid,
        )
        for antennas in boxes.readings.T
    ]  # fmt: skip
    near = np.column_stack(given) + np.log1p(-_OUTLIERS)
    return np.logaddexp(near, anywhere[:, None] + np.log(_OUTLIERS))
