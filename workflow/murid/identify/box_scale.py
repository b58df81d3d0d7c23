"""Whether boxes are in the pixels of the rig's points, or of a picture of another size.

Boxes that another tool drew on smaller copies of the frames lie, as they are read, too near to the
picture's corner. Their size does not give that away, since mice differ in size by a quarter from
cage to cage. Their place does: given what the antennas read, boxes are far more probable where they
lie once they are enlarged to what they were, than as they lie, whatever their size.
"""

from dataclasses import dataclass, replace

import numpy as np

from murid import schemas, timeline
from murid.boxes import centroids_and_sizes, transform
from murid.identify import fit_check
from murid.identify.fit_check import DOUBT, FEWEST, STEP, Fit, Floats, Ints, certain, figures
from murid.models.fitted_weights import Affinity
from murid.models.norm import Norm
from murid.segment import Segment
from murid.tables import Verdict

SCALES = (0.5, 2 / 3, 0.75, 0.8, 1.25, 4 / 3, 1.5, 2.0)
"""What is tried. Nearer to 1, boxes are moved by less than is between neighbouring antennas."""
NOBODY = 0.1
"""Share of boxes that may belong to no animal, or to one that is elsewhere than it was read."""


@dataclass(frozen=True)
class Boxes:
    """The boxes of sampled frames, and where animals were read then.

    Attributes
    ----------
    given
        (m, 4) ``[x, y, w, h]`` with the left upper corner first, pixels of the raw frame.
    antennas
        (m, J) the reading of every animal in each box's frame, 0 = none.
    window
        (m,) the number of the window that each is in.
    least
        Boxes without which a window is no observation.
    """

    given: Floats
    antennas: Ints
    window: Ints
    least: float

    def log_likelihood(
        self, affinity: Affinity, matrix: Floats, place: float, size: float
    ) -> Floats:
        """Return the mean log density of a box in each window, NaN where there are too few.

        Parameters
        ----------
        affinity, matrix
            The model of a box given an antenna; (2, 3), raw pixels to the frame of reference.
        place, size
            What their centroids, and their widths and heights, are multiplied by.

        Returns
        -------
        (windows,), of boxes each of which belongs to any of the animals, or to none: every box
        counts once, as a density of the box as it is given.
        """
        boxes = centroids_and_sizes(transform(self.given * place, matrix))
        boxes[:, 2:] *= size / place
        of_antenna = affinity.log_box_alone(boxes)
        read = self.antennas > 0
        each = np.take_along_axis(of_antenna, (self.antennas - 1).clip(0), axis=1)
        animals = np.logaddexp.reduce(np.where(read, each, -np.inf), axis=1) - np.log(read.sum(1))
        either = np.logaddexp(
            np.log1p(-NOBODY) + animals, np.log(NOBODY) + affinity.log_outlier(boxes)
        )
        densities = either + 2 * np.log(place) + 2 * np.log(size)
        total = np.bincount(self.window, densities)
        count = np.bincount(self.window)
        return np.divide(total, count, out=np.full(len(total), np.nan), where=count >= self.least)


def judge(segment: Segment, affinity: Affinity, fps: float, fit: Fit, norm: Norm) -> Fit:
    """Discard a segment whose boxes are those of a picture of another size.

    Parameters
    ----------
    segment
        Its detections and positions.
    affinity
        The model of readings put right by the lag.
    fps
        Frames per second.
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
    boxes = _read(segment, affinity, fps, fit)

    def likelihood(place: float, size: float) -> Floats:
        return boxes.log_likelihood(affinity, segment.matrix, place, size)

    own = likelihood(1.0, 1.0)

    def gain_at(scale: float) -> Floats:
        gain = likelihood(scale, scale) - own
        if _mean(gain) <= 0:
            return gain
        # Mice of another size are to be beaten as well: sizes vary, places do not.
        return gain + own - np.maximum(own, likelihood(1.0, scale))

    gains = {scale: gain_at(scale) for scale in SCALES}
    best = max(SCALES, key=lambda scale: _mean(gains[scale]))
    gain = gains[best][~np.isnan(gains[best])]
    if len(gain) < FEWEST or not (certain(gain) or (gain > 0).all()):
        return fit
    sampled, antennas, lag = fit_check.weigh_fit(segment, affinity, fps, best)
    level, peak, windows = figures(sampled, fit.realign(antennas, sampled.fps), lag)
    if norm.probability(level, peak, windows * sampled.window) < DOUBT:
        # Of another segment's trace, less bad is no hint.
        return fit
    reason = (
        f"the boxes fit the antennas when all their numbers are multiplied by {best:.3g}, by "
        f"{gain.mean():.1f} nats a box better than where they lie: were they drawn on "
        f"frames of {1 / best:.3g} times the size of the picture that the calibration points were "
        "marked in? Give them in pixels of that picture"
    )
    return replace(fit, verdict=Verdict("discarded", reason))


def _read(segment: Segment, affinity: Affinity, fps: float, fit: Fit) -> Boxes:
    """Return the boxes of sampled frames in which an animal is read, and where."""
    trace = timeline.trace(segment.positions, affinity.grid).to_numpy(dtype=np.int64)
    antennas = fit.realign(trace, fps)
    mice = segment.mice
    chosen, near, which = fit_check.looked_at(mice, fps)
    at = chosen[which] + round(affinity.lag(segment.rig) * fps)
    inside = (at >= 0) & (at < len(antennas))
    read = np.where(inside[:, None], antennas[at.clip(0, len(antennas) - 1)], 0)
    kept = (read > 0).any(axis=1)
    seconds = fit_check.window_of(len(antennas), fps)
    window = (chosen[which[kept]] / (fps * seconds)).astype(np.int64)
    given = mice.loc[near, schemas.BOX].to_numpy(dtype=np.float64)[kept]
    return Boxes(given, read[kept], window, 0.5 * seconds / STEP)


def _mean(gain: Floats) -> float:
    """Return the mean over windows, the least where there is none."""
    valid = gain[~np.isnan(gain)]
    return float(valid.mean()) if len(valid) else -np.inf
