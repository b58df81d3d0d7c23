"""How often animals are hidden where nobody annotated any: by antenna row, from names.

In a single frame, an animal without a box is hardly told from one that is not where it was read:
boxes of nobody lie where animals lie. Over time it is, since a hidden animal stays away while the
others keep their tracklets. So tracklets are named as if all animals were hidden equally often, and
it is counted how long those at the antennas of each row go without a name. An animal in the back is
hidden by those in front of it, so that rows differ most.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from statistics import median_high

import numpy as np
from numpy.typing import NDArray

from murid import timeline
from murid.fitting import learn, visibility
from murid.grid import Antennas
from murid.identify import continuity
from murid.models.fitted_path import PathModel, Score
from murid.models.fitted_weights import Affinity, Weights
from murid.segment import Segment
from murid.settings import FitPath, Paths

log = logging.getLogger(__name__)

_ALIKE = 100.0
"""Seconds of an animal that the share of all rows counts for where that of one is told."""

Floats = NDArray[np.float64]


def tell_rows(
    weights: Weights, segments: Sequence[Segment], settings: Paths, fit: FitPath
) -> Weights:
    """Tell by antenna row how often animals are hidden.

    Parameters
    ----------
    weights
        Models in which animals of all rows are hidden equally often.
    segments
        Segments with detections, tracklets and readings.
    settings, fit
        How tracklets are named, and how the path model is fitted for that.

    Returns
    -------
    The same models with other visibilities; without a tracklet, as they are.
    """
    segments = [segment for segment in segments if len(segment.tracklets)]
    if not segments:
        log.warning("no segment has a tracklet: animals are taken to be hidden equally often")
        return weights
    reference = median_high([segment.fps for segment in segments])
    weighed = [
        continuity.weigh_segment(segment, weights, settings, reference) for segment in segments
    ]
    frames = [_readings(segment, weights.lagged) for segment in segments]
    pairs = [(each, len(antennas)) for each, antennas in zip(weighed, frames, strict=True)]
    motion, _ = learn.learn_motion(pairs, Score(), settings, fit)
    score, _ = learn.learn_score_by_names(weighed, motion, settings)
    grid, model = weights.lagged.grid, PathModel(motion, score)
    there, hidden = np.zeros(grid.rows), np.zeros(grid.rows)
    for segment, each, antennas in zip(segments, weighed, frames, strict=True):
        _, lengths, _ = continuity.absences(
            each, continuity.solve(each, model, settings), len(antennas)
        )
        rows, absent = count(antennas, lengths, segment, fit.reach, grid)
        there, hidden = there + rows, hidden + absent
    overall = (hidden.sum() + 1) / (there.sum() + 2)
    shares = (hidden + _ALIKE * overall) / (there + _ALIKE)
    return replace(
        weights,
        paper=_with(weights.paper, shares, overall),
        lagged=_with(weights.lagged, shares, overall),
    )


def _readings(segment: Segment, model: Affinity) -> NDArray[np.int64]:
    """Return the antennas of a segment's animals, put right by the lag: (F, J), 0 = none."""
    trace = timeline.trace(segment.positions, model.grid).to_numpy(dtype=np.int64)
    return timeline.advance(trace, model.lag_frames(segment.rig, segment.fps))


def count(
    antennas: NDArray[np.int64],
    lengths: NDArray[np.float64],
    segment: Segment,
    reach: float,
    grid: Antennas,
) -> tuple[Floats, Floats]:
    """Count for how long animals are read in each row, and for how long of that they are hidden.

    Frames without a box are left out: nobody may have looked. An absence within the path model's
    reach is the detector's miss of an animal that is there, which the model of motion tells.

    Parameters
    ----------
    antennas, lengths
        (F, J), readings, and the frames of the absence that each animal is in, 0: it has a box.
    segment
        Detections and frames per second.
    reach
        Seconds.
    grid
        The antenna grid.

    Returns
    -------
    (rows,) seconds each.
    """
    looked = np.unique(segment.mice["frame"].to_numpy(dtype=np.int64))
    looked = looked[looked < len(antennas)]
    read = antennas[looked] > 0
    rows = grid.row(antennas[looked])[read]
    absent = (lengths[looked] > reach * segment.fps)[read]
    seconds = [np.bincount(rows, weights, grid.rows) for weights in (None, absent)]
    return seconds[0] / segment.fps, seconds[1] / segment.fps


def _with(model: Affinity, shares: Floats, overall: float) -> Affinity:
    told = {"hidden_by_row": shares.round(4).tolist()}
    return replace(
        model,
        visibility=visibility.of_shares(model.contexts, shares, model.grid),
        hidden_share=float(overall),
        provenance={**model.provenance, **told},
    )
