"""Whether boxes are in the pixels of the rig's points, or of a picture of another size.

Boxes that another tool drew on smaller copies of the frames lie, as they are read, too near to the
picture's corner. Their size alone does not give that away, since mice differ in size by a quarter
from cage to cage. Size and place together do: their likelihood, given what the antennas read, is
far higher when they are enlarged to what they were.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from murid.identify.fit_check import (
    DOUBT,
    FEWEST,
    Fit,
    Floats,
    Ints,
    Sampled,
    certain,
    figures,
)
from murid.models.norm import Norm
from murid.tables import Verdict

SCALES = (0.5, 2 / 3, 0.75, 0.8, 1.25, 4 / 3, 1.5, 2.0)
"""What is tried. Nearer to 1, boxes are moved by less than is between neighbouring antennas."""


def judge(weighed_at: Callable[[float], tuple[Sampled, Ints, float]], fit: Fit, norm: Norm) -> Fit:
    """Discard a segment whose boxes are those of a picture of another size.

    Parameters
    ----------
    weighed_at
        Gives what :func:`murid.identify.fit_check.judge` needs when the numbers of all boxes are
        multiplied by a factor.
    fit
        How the trace fits the boxes as they are.
    norm
        What is to be expected.

    Returns
    -------
    The same, unless boxes of another size fit, and better so in every window or beyond chance.
    """
    if fit.windows < FEWEST:
        return fit
    own = _likelihood(*weighed_at(1.0), fit)
    gains = {scale: _likelihood(*weighed_at(scale), fit) - own for scale in SCALES}
    best = max(SCALES, key=lambda scale: float(np.nanmean(gains[scale])))
    gain = gains[best][~np.isnan(gains[best])]
    if not (certain(gain) or (gain > 0).all()):
        return fit
    sampled, antennas, lag = weighed_at(best)
    level, peak, windows = figures(sampled, fit.realign(antennas, sampled.fps), lag)
    if norm.probability(level, peak, windows * sampled.window) < DOUBT:
        # Of another segment's trace, less bad is no hint.
        return fit
    reason = (
        f"the boxes fit the antennas when all their numbers are multiplied by {best:.3g}, by "
        f"{gain.mean():.1f} nats a frame and animal better than as they are: were they drawn on "
        f"frames of {1 / best:.3g} times the size of the picture that the calibration points were "
        "marked in? Give them in pixels of that picture"
    )
    return replace(fit, verdict=Verdict("discarded", reason))


def _likelihood(sampled: Sampled, antennas: Ints, lag: float, fit: Fit) -> Floats:
    """Return the mean log likelihood of boxes in each window, NaN without readings: (windows,)."""
    absolute = replace(sampled, information=sampled.likelihood)
    return absolute.windows(fit.realign(antennas, sampled.fps), np.array([lag]))[0]
