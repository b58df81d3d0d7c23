"""Annotated segments whose names are exchanged: their boxes fit the readings of other animals.

A file in which two animals' names are exchanged is sound by itself, and blurs all that is learnt
from it. What gives it away are the other segments: where boxes lie given an antenna is fitted to
those, and the boxes of each name are held against the readings of every animal. If all segments
are exchanged in one way, what was fitted is blurred too, and mostly nothing can be told.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import signed_rank, timeline
from murid.errors import InputError
from murid.fitting import gaussians, samples
from murid.grid import Antennas
from murid.hungarian import linear_sum_assignment
from murid.models.fitted_weights import Gaussians, log_outlier
from murid.models.hidden import SHOWN
from murid.segment import Segment
from murid.settings import FitWeights, Image

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
        As :func:`murid.fitting.samples.collect` gives, n of them.
    readings
        (n, J), the antenna of every animal in the frame of each box.
    animal
        (n,), number of the animal that the box is named.
    window
        (n,), number of the window of time.
    names
        The J animals.
    """

    rows: pd.DataFrame
    readings: Ints
    animal: Ints
    window: Ints
    names: list[str]


class Exchange(NamedTuple):
    """Names of a segment that are exchanged.

    Attributes
    ----------
    names
        The animal whose readings fit, by the name of the boxes, where the two differ.
    gain
        By how much the boxes fit better so, nats a box.
    """

    names: dict[str, str]
    gain: float

    def __str__(self) -> str:
        """Say which names the readings are of, by the names of the boxes."""
        return ", ".join(f"{name} are {other}" for name, other in self.names.items())


def leave_out(
    segments: Sequence[Segment], grid: Antennas, image: Image, settings: FitWeights
) -> tuple[list[Segment], list[str]]:
    """Leave out the segments whose boxes fit clearly better if names are exchanged.

    Parameters
    ----------
    segments
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
    several = [boxes_of(segment, grid, settings.lag or 0.0) for segment in segments]
    exchanges = judge(several, grid, image, settings)
    remarks = [
        f"{segments[place].name} is left out: its boxes fit the antenna trace better by "
        f"{exchange.gain:.1f} nats a box if those named {exchange}; exchange the names in its "
        "annotations, or the columns of its antenna trace if those are wrong"
        for place, exchange in exchanges.items()
    ]
    if 2 * len(exchanges) > len(segments):
        raise InputError(
            "annotations",
            f"names that are exchanged in {len(exchanges)} of {len(segments)} segments: "
            f"{remarks[0]}",
            "names that fit the antenna traces in half of the segments at least",
            remedy="Compare the names in the annotations with the columns of the antenna traces.",
        )
    return [segment for place, segment in enumerate(segments) if place not in exchanges], remarks


def boxes_of(segment: Segment, grid: Antennas, lag: float) -> Boxes:
    """Return what is judged of a segment whose readings run late by so many seconds."""
    trace = timeline.trace(segment.positions, grid)
    late = round(lag * segment.fps)
    rows = samples.from_trace(trace, segment.annotations, segment.matrix, grid, late)
    readings = timeline.advance(trace.to_numpy(dtype=np.int64), late)
    complete = (readings[rows["frame"].to_numpy(dtype=np.int64)] > 0).all(axis=1)
    rows = rows[complete & rows["visibility"].isin(SHOWN)].reset_index(drop=True)
    names = [str(name) for name in trace.columns]
    frames = rows["frame"].to_numpy(dtype=np.int64)
    animal = pd.Index(names).get_indexer(rows["animal"].astype(str))
    window = (frames / (WINDOW * segment.fps)).astype(np.int64)
    return Boxes(rows, readings[frames], animal, window, names)


def judge(
    several: Sequence[Boxes], grid: Antennas, image: Image, settings: FitWeights
) -> dict[int, Exchange]:
    """Find the segments that fit others better under other names, by their place.

    What is fitted to segments that are found themselves misleads, so that they are left out of it,
    and all are judged again, until the same are found.
    """
    exchanges: dict[int, Exchange] = {}
    for _ in range(_ROUNDS):
        again: dict[int, Exchange] = {}
        for fold in range(min(FOLDS, len(several))):
            judged = [
                place for place, boxes in enumerate(several)
                if place % FOLDS == fold and len(np.unique(boxes.window)) >= FEWEST
            ]  # fmt: skip
            others = [
                boxes.rows for place, boxes in enumerate(several)
                if place % FOLDS != fold and place not in exchanges and len(boxes.rows)
            ]  # fmt: skip
            if not judged or not others:
                continue
            rows = pd.concat(others, ignore_index=True)
            try:
                model = gaussians.fit(rows, grid, settings.covariance)
            except InputError:
                continue  # too few boxes
            outlier = gaussians.fit_outlier(rows, image)
            for place in judged:
                if (exchange := exchanged(several[place], model, outlier)) is not None:
                    again[place] = exchange
        if again.keys() == exchanges.keys() or len(again) == len(several):
            return again
        exchanges = again
    return exchanges


def exchanged(boxes: Boxes, model: Gaussians, outlier: tuple[Floats, Floats]) -> Exchange | None:
    """Tell which names of a segment are exchanged, if any.

    Parameters
    ----------
    boxes
        Of the segment.
    model
        Where boxes lie.
    outlier
        Mean (4,) and covariance (4, 4) of a box that may lie anywhere.
    """
    densities = _densities(boxes, model, outlier)
    count = len(boxes.names)
    totals = np.array([densities[boxes.animal == name].sum(axis=0) for name in range(count)])
    fits = linear_sum_assignment(totals, maximize=True)[1]
    concerned = fits[boxes.animal] != boxes.animal
    if not concerned.any():
        return None
    every = np.arange(len(densities))
    gain = (densities[every, fits[boxes.animal]] - densities[every, boxes.animal])[concerned]
    windows = pd.Series(gain).groupby(boxes.window[concerned]).mean()
    if gain.mean() < CLEARLY or len(windows) < FEWEST:
        return None
    if signed_rank.greater(windows) >= SURE:
        return None
    # A name without boxes says nothing, even if another takes its readings.
    numbers = np.unique(boxes.animal[concerned])
    names = {boxes.names[number]: boxes.names[fits[number]] for number in numbers}
    return Exchange(names, float(gain.mean()))


def _densities(boxes: Boxes, model: Gaussians, outlier: tuple[Floats, Floats]) -> Floats:
    """Return the log density of each box given the readings of every animal: (n, J)."""
    anywhere = log_outlier(boxes.rows[samples.GEOMETRY].to_numpy(), *outlier)
    given = [
        gaussians.log_densities(boxes.rows.assign(antenna=antennas), model)
        for antennas in boxes.readings.T
    ]
    near = np.column_stack(given) + np.log1p(-_OUTLIERS)
    return np.logaddexp(near, anywhere[:, None] + np.log(_OUTLIERS))
