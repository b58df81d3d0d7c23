"""What each box says for each animal, weighed by observations, not by frames.

An animal that sleeps over one antenna is read there thousands of times, which is one observation,
not thousands: whatever makes the antenna read wrongly, it does all the while. So a frame counts the
less the longer the animal's reading stays what it is.

What is weighed so is what the antennas say of *who* a box is: its density given an animal's reading
against its density given anyone's. Were it the density against that of a false box instead, the
animal whose reading changes most would gain most by any box, whoever's, since the others count
less. What is left, that the box is some animal's and that the animal is not hidden, speaks for all
alike and does not hang on whose reading is right: it has a factor of its own.
"""

import numpy as np
from numpy.typing import NDArray

from murid.identify.evidence import Evidence, Readings
from murid.settings import Paths

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def lengths(antennas: Ints, fps: float) -> Floats:
    """Tell how long the dwell is that each frame is in: the run of frames without another reading.

    Parameters
    ----------
    antennas
        (F, J), 0 = no reading, which is a dwell as well.
    fps
        Frames per second.

    Returns
    -------
    (F, J), seconds.

    Examples
    --------
    >>> lengths(np.array([[3], [3], [0], [5]]), fps=2.0).ravel().tolist()
    [1.0, 1.0, 0.5, 0.5]
    """
    seconds = np.empty(antennas.shape)
    for animal, column in enumerate(antennas.T):
        begins = np.flatnonzero(np.diff(column, prepend=-1))
        run = np.diff(begins, append=len(column))
        seconds[:, animal] = np.repeat(run / fps, run)
    return seconds


def frame_by_frame(settings: Paths) -> Paths:
    """Return settings that weigh every frame and whatever it says alike, by ``antenna_weight``.

    For methods that decide tracklets by themselves: what is lost with the frames of a long dwell,
    nothing else tells them.
    """
    same = {"presence_weight": settings.antenna_weight, "dwell_exponent": 0.0, "reading_life": 0.0}
    return settings.model_copy(update=same)


def is_constant(settings: Paths) -> bool:
    """Tell whether settings are such that :func:`frame_by_frame` changes nothing."""
    return settings == frame_by_frame(settings)


def weigh_down(
    evidence: Evidence, trace: Readings, frames: Ints, fps: float, settings: Paths
) -> Floats:
    """Weigh what rows say for each animal, against nobody and being hidden, by its dwells.

    Parameters
    ----------
    evidence
        Of the rows.
    trace
        The segment's antennas, put right by the lag.
    frames
        (n,) frame of each row.
    fps
        Frames per second.
    settings
        The factors.

    Returns
    -------
    (n, J), natural logarithm, for rows at the frame rate that the factors are for.
    """
    if not len(trace.animals):
        return np.zeros((len(frames), 0))
    present = evidence.animals - evidence.outlier[:, None]
    anyone = np.logaddexp.reduce(present, axis=1, keepdims=True) - np.log(present.shape[1])
    weights = settings.antenna_weight * lengths(trace.antennas, fps) ** -settings.dwell_exponent
    if trace.shares is not None:
        weights *= trace.shares
    return weights[frames] * (present - anyone) + settings.presence_weight * (
        anyone - trace.hidden[frames]
    )
