"""Where it is known how animals went: at boxes, and where nothing speaks against straight lines.

While no box shows an animal, its way is taken to be straight from its last box to its next, and
none before the first and after the last. That is so of one that sleeps under another, and not of
one that antennas read all over the cage meanwhile: of that it is not known how far it walked.
"""

import numpy as np
from numpy.typing import NDArray

from murid.summaries.known import HELD, Floats, Known

BRIEF = 5.0
"""Seconds from box to box up to which the way between is straight whatever antennas read, which
tell where an animal is late and roughly."""
VAGUE = 3.0
"""Lengths of an animal from which on, as half an ellipse's length, a place is none."""


def traced(known: Known, boxes: Floats) -> NDArray[np.bool_]:
    """Tell in which frames the way of each animal is known.

    It is at a box, from one to the next of :data:`BRIEF` seconds, and elsewhere where the inferred
    place is no further than an animal's length from the straight line, or has it within its
    ellipse; but not where that is as large as a part of the cage. Of an animal without a box it
    never is.

    Parameters
    ----------
    known
        What is known of F frames and J animals.
    boxes
        (F, J, 4) of the animals; NaN where none is.

    Returns
    -------
    (F, J)
    """
    result = ~np.isnan(boxes[..., 0])
    centres = boxes[..., :2] + boxes[..., 2:] / 2
    for animal in range(boxes.shape[1]):
        shown = np.flatnonzero(result[:, animal])
        if not len(shown):
            continue
        for last, first in zip(*_brief(shown, known.fps), strict=True):
            result[last:first, animal] = True
        hidden = np.flatnonzero(~result[:, animal])
        line = [np.interp(hidden, shown, centres[shown, animal, axis]) for axis in range(2)]
        off = known.places[hidden, animal] - np.stack(line, axis=-1)
        spread = known.spread[hidden, animal]
        # Where no place is inferred of this animal, nothing speaks against the line.
        beyond = np.linalg.norm(off, axis=-1) > known.length
        beyond[beyond] = _deviations(spread[beyond], off[beyond]) > HELD
        vague = HELD * np.linalg.norm(spread, ord=2, axis=(1, 2)) > VAGUE * known.length
        result[hidden, animal] = ~(beyond | vague)
    return result


def _brief(shown: NDArray[np.intp], fps: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the frames of boxes between which there is none for a moment alone, last and first."""
    lasts = np.diff(shown)
    gaps = np.flatnonzero((lasts > 1) & (lasts <= BRIEF * fps))
    return shown[gaps], shown[gaps + 1]


def _deviations(roots: Floats, off: Floats) -> Floats:
    """Return how many standard deviations points are off: (n, 2, 2), (n, 2) -> (n,)."""
    singular = np.linalg.det(roots) == 0
    steps = np.linalg.solve(np.where(singular[:, None, None], np.eye(2), roots), off[..., None])
    deviations: Floats = np.where(singular, np.inf, np.linalg.norm(steps[..., 0], axis=-1))
    return deviations
