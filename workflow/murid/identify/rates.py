"""How many frames a second a segment has, where the sheet stands against what else tells it.

Readings run late by seconds, and are given by frame. At a wrong rate a rig's usual lag is another
number of frames, so that a sound trace looks like one whose clock is off: what is wrong then is the
rate, and with it everything that counts by the second.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from murid.identify import fit_check
from murid.identify.fit_check import Fit, Ints, Sampled
from murid.models.made_for import MadeFor, alike
from murid.models.norm import Norm
from murid.tables import Verdict


def others(fps: float, filmed: float | None, made: MadeFor | None) -> list[tuple[float, str]]:
    """Return the rates that a segment may have instead of the sheet's, and who says so.

    Parameters
    ----------
    fps
        Frames per second by the sheet.
    filmed
        The same by the timestamps of the segment's video, if it has one that tells.
    made
        What the path model was made for, whose segments are probably of the same cameras: it is
        asked where there is no video.
    """
    if filmed is not None:
        return [] if alike(fps, filmed) else [(filmed, "the video's timestamps say")]
    if made is None or made.fps[0] < fps < made.fps[1] or any(alike(fps, r) for r in made.fps):
        return []
    source = "the segments have that the path model was fitted to"
    return [(rate, source) for rate in dict.fromkeys(made.fps)]


def judge(
    weighed_at: Callable[[float], tuple[Sampled, Ints, float]],
    norm: Norm,
    fps: float,
    instead: Sequence[tuple[float, str]],
) -> tuple[float, Fit]:
    """Judge a segment's trace, and the rate at which it fits as it stands.

    Parameters
    ----------
    weighed_at
        Gives what :func:`murid.identify.fit_check.judge` needs, at a rate.
    norm
        What is to be expected.
    fps, instead
        Frames per second by the sheet, and as :func:`others` gives.

    Returns
    -------
    Frames per second, and how the trace fits at that rate: the sheet's, unless the trace fits at
    another as it stands, and at the sheet's either not, or beyond chance less well.
    """
    own = fit_check.judge(*weighed_at(fps), norm)
    for rate, source in instead:
        sampled, antennas, lag = weighed_at(rate)
        fit = fit_check.judge(sampled, antennas, lag, norm)
        if fit.verdict.reason or fit.windows < fit_check.FEWEST:
            continue
        here, there = sampled.windows(antennas, np.array([lag, lag * fps / rate]))
        if own.verdict.reason or fit_check.certain(here - there):
            reason = (
                f"the antenna trace fits the boxes at {rate:.4g} frames/s, as {source}, better "
                f"than at the sheet's {fps:.4g}: names rest on the former. Mend fps in the sheet"
            )
            return rate, replace(fit, verdict=Verdict("repaired", reason))
    return fps, own
