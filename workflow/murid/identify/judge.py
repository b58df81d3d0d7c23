"""Whether the antenna trace is that of a segment's boxes: each animal's, at this rate and size."""

import functools
import logging

from murid import tables, timeline
from murid.identify import box_scale, fit_check, rates, strangers
from murid.identify.fit_check import Fit
from murid.models import norm
from murid.models.fitted_path import PathModel
from murid.models.fitted_weights import Weights
from murid.segment import Segment

log = logging.getLogger(__name__)


def judge(segment: Segment, weights: Weights, path_model: PathModel | None) -> tuple[float, Fit]:
    """Judge a segment's trace by its boxes.

    Parameters
    ----------
    segment
        The segment, at the frame rate of the sheet.
    weights, path_model
        The models; the latter tells what is usual, if it is there.

    Returns
    -------
    Frames per second that names rest on, and how the trace fits.
    """
    usual = path_model.norm if path_model else norm.DEFAULT
    # A rate is asked for several times.
    weigh = functools.cache(functools.partial(fit_check.weigh_fit, segment, weights.lagged))
    made = path_model.made_for if path_model else None
    filmed = timeline.filmed(tables.read_about(segment.files["positions"]))
    others = rates.others(segment.fps, filmed, made)
    fps, fit = rates.judge(weigh, usual, segment.fps, others)
    if fit.windows < fit_check.FEWEST:
        log.info("too little to tell whether the antenna trace is the segment's own")
    fit = box_scale.judge(segment, weights.lagged, fps, fit, usual)
    animals = list(timeline.trace(segment.positions, weights.lagged.grid).columns)
    fit = strangers.judge(weigh(fps), fit, usual, animals)
    if fit.verdict.reason:
        log.warning("%s", fit.verdict.reason)
    return fps, fit
