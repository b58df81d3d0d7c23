"""Whether the antenna trace is that of a segment's boxes: each animal's, at this rate and size."""

import functools
import logging

import pandas as pd

from murid import timeline
from murid.affinity import Weights
from murid.identify import box_scale, fit_check, norm, rates, strangers
from murid.identify.fit_check import Fit, Floats
from murid.identify.fitted import PathModel

log = logging.getLogger(__name__)


def judge(
    mice: pd.DataFrame,
    positions: pd.DataFrame,
    weights: Weights,
    path_model: PathModel | None,
    rig: str,
    matrix: Floats,
    fps: float,
    filmed: float | None,
) -> tuple[float, Fit]:
    """Judge a segment's trace by its boxes.

    Parameters
    ----------
    mice, positions
        Rows of the table of detections that are mice, and the table.
    weights, path_model
        The models; the latter tells what is usual, if it is there.
    rig, matrix
        The rig set-up, and (2, 3) raw pixels to the frame of reference.
    fps, filmed
        Frames per second by the sheet, and by the video's timestamps if there are any.

    Returns
    -------
    Frames per second that names rest on, and how the trace fits.
    """
    usual = path_model.norm if path_model else norm.DEFAULT
    weigh = functools.partial(fit_check.weigh_fit, mice, positions, weights.lagged, rig, matrix)
    made = path_model.made_for if path_model else None
    fps, fit = rates.judge(weigh, usual, fps, rates.others(fps, filmed, made))
    if fit.windows < fit_check.FEWEST:
        log.info("too little to tell whether the antenna trace is the segment's own")
    fit = box_scale.judge(functools.partial(weigh, fps), fit, usual)
    animals = list(timeline.trace(positions, weights.lagged.grid).columns)
    fit = strangers.judge(weigh(fps), fit, usual, animals)
    if fit.verdict.reason:
        log.warning("%s", fit.verdict.reason)
    return fps, fit
