"""Whether a segment's antenna trace belongs to its boxes, and whether their clocks agree.

A trace of another segment, or one whose clock is seconds off, still gives every tracklet a name,
and a confident one. What gives it away is that the readings say nothing true of where boxes are. In
sampled frames the probability of the boxes given an animal's reading is compared with that given
any antenna. The mean of the log ratio, the *information* of the readings, is above 0 for the
readings of these animals at this time, and far below for others. No names enter, so that wrong
names cannot hide what is wrong. Two figures are compared with those of the segments that the path
model was fitted to: the *level* of the information, and its *peak*, by how much it exceeds that of
the same trace some ten seconds earlier or later.

Readings of a clock that is off inform best when they are shifted back, and then are.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import schemas, signed_rank, timeline
from murid.grid import CELLS
from murid.identify.evidence import reference_boxes
from murid.models.fitted_weights import Affinity
from murid.models.norm import Norm
from murid.segment import Segment
from murid.tables import Verdict

STEP = 0.4
"""Seconds between sampled frames: readings come no faster."""
WINDOW = (10.0, 30.0)
"""Seconds that are taken as one observation: a twentieth of a segment, within these bounds."""
FEWEST = 4
"""Windows without which a segment is not judged."""
REACH = 120.0
"""Seconds by which a clock may be off and still be put right; a third of a segment at most."""
COARSE, FINE = 1.0, 0.2
"""Seconds between shifts that are tried, at first and around the best."""
MOST_DRIFT = 40
"""Seconds that a clock may gain or lose within a segment and still be put right."""
LEAST_SHIFT = 1.0
"""Seconds; a clock that is off by less does no harm."""
SURE = 1e-3
"""Probability of a one-sided signed-rank test below which a shift is no chance."""
AROUND = (10.0, 40.0)
"""Seconds from a trace's place at which it is compared with itself, to see a peak."""
DISCARD, DOUBT = 0.05, 0.9
"""A trace that is its segment's with less than the first probability discards the segment; with
less than the second, the segment's confidence is lowered."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sampled:
    """What the boxes of sampled frames say of antennas.

    Attributes
    ----------
    frames
        (n,) the frames.
    information
        (n, A) log p(boxes | antenna) - log p(boxes | any antenna), antennas from 1.
    fps
        Frames per second.
    window
        Seconds that are taken as one observation.
    boxes
        (n,) how many boxes each frame has.
    """

    frames: Ints
    information: Floats
    fps: float
    window: float
    boxes: Ints

    def only(self, chosen: NDArray[np.bool_]) -> "Sampled":
        """Return some of the frames: (n,) which."""
        return replace(
            self, frames=self.frames[chosen], information=self.information[chosen],
            boxes=self.boxes[chosen],
        )  # fmt: skip

    def windows(self, antennas: Ints, shifts: Floats) -> Floats:
        """Return the information of readings: (F, J), (k,) seconds -> (k, windows).

        NaN where a window has no readings.
        """
        window = (self.frames / (self.fps * self.window)).astype(np.int64)
        count = int(window.max()) + 1 if len(window) else 0
        result = np.full((len(shifts), count), np.nan)
        for place, shift in enumerate(shifts):
            at = self.frames + round(shift * self.fps)
            inside = (at >= 0) & (at < len(antennas))
            read = antennas[at[inside]]
            is_read = read > 0
            values = np.take_along_axis(self.information[inside], (read - 1).clip(0), axis=1)
            which = np.broadcast_to(window[inside, None], read.shape)[is_read]
            total = np.bincount(which, values[is_read], minlength=count)
            number = np.bincount(which, minlength=count)
            # A window of a few readings is no observation.
            enough = number >= 0.5 * self.window / STEP
            result[place, enough] = total[enough] / number[enough]
        return result


def looked_at(mice: pd.DataFrame, fps: float) -> tuple[Ints, NDArray[np.bool_], Ints]:
    """Choose a frame every 0.4 seconds, of those with a box.

    Parameters
    ----------
    mice
        (m,) rows with a column ``frame``.
    fps
        Frames per second.

    Returns
    -------
    (n,) the frames; (m,) which boxes are of them; and the place of each of these boxes' frame.
    """
    frames = mice["frame"].to_numpy(dtype=np.int64)
    seen = np.sort(frames, kind="stable")
    # Frames without a box are left out: nobody may have looked.
    chosen = seen[np.unique((seen / (STEP * fps)).astype(np.int64), return_index=True)[1]]
    near = np.isin(frames, chosen)
    return chosen, near, np.searchsorted(chosen, frames[near])


def window_of(total: int, fps: float) -> float:
    """Return how many seconds of a segment of ``total`` frames are one observation."""
    return float(np.clip(total / fps / 20, *WINDOW))


def sample(
    mice: pd.DataFrame,
    affinity: Affinity,
    matrix: ArrayLike,
    fps: float,
    total: int,
    scale: float = 1.0,
) -> Sampled:
    """Weigh the boxes of a frame every 0.4 seconds under every antenna.

    Parameters
    ----------
    mice
        Columns ``frame`` and a box, pixels of the raw frame.
    affinity, matrix
        The model of a box given an antenna; (2, 3), raw pixels to the frame of reference.
    fps
        Frames per second.
    total
        Frames of the segment.
    scale
        What the boxes' numbers are multiplied by.
    """
    chosen, near, which = looked_at(mice, fps)
    boxes = reference_boxes(mice.loc[near, schemas.BOX] * scale, matrix)
    outlier = affinity.log_outlier(boxes)
    antennas = affinity.grid.antennas
    alone = np.zeros((len(antennas), CELLS), dtype=np.int64)
    weights = np.tile(affinity.log_hidden(antennas, alone), (len(chosen), 1))
    ratios = affinity.log_box_alone(boxes) - outlier[:, None]
    for place in range(len(antennas)):
        np.logaddexp.at(weights[:, place], which, ratios[:, place])
    any_antenna = np.logaddexp.reduce(weights, axis=1) - np.log(len(antennas))
    window = window_of(total, fps)
    counts = np.bincount(which, minlength=len(chosen))
    return Sampled(chosen, weights - any_antenna[:, None], fps, window, counts)


@dataclass(frozen=True)
class Fit:
    """How a segment's trace fits its boxes.

    Attributes
    ----------
    level, peak
        See :class:`Norm`.
    windows
        Windows that they rest on.
    shift, drift
        Seconds by which the readings run later than the model has it, at the segment's middle, and
        by how much more at its end than at its beginning; 0 unless that is certain.
    probability
        That the trace, put right, is the segment's own.
    verdict
        The same for the report.
    """

    level: float = np.nan
    peak: float = np.nan
    windows: int = 0
    shift: float = 0.0
    drift: float = 0.0
    probability: float = 1.0
    verdict: Verdict = field(default_factory=Verdict)

    def realign(self, antennas: Ints, fps: float) -> Ints:
        """Shift readings to where they belong, see :func:`realign`."""
        return realign(antennas, self.shift, self.drift, fps)

    @property
    def trust(self) -> float:
        """That probability, where it is in doubt; else 1."""
        return 1.0 if self.probability >= DOUBT else self.probability

    def temper(self, probabilities: Floats, animals: int) -> Floats:
        """Lower the probabilities of names by what the trace's own is: same shape."""
        if self.trust == 1.0:
            return probabilities
        return self.trust * probabilities + (1 - self.trust) / (animals + 1)


def figures(sampled: Sampled, antennas: Ints, lag: float = 0.0) -> tuple[float, float, int]:
    """Return level, peak and the number of windows of a trace as it stands, (F, J).

    ``lag`` is by how many seconds readings run late.
    """
    away = np.arange(AROUND[0], AROUND[1] + 1, 3.0)
    every = sampled.windows(antennas, lag + np.concatenate([[0.0], -away, away]))
    whole = ~np.isnan(every[0]) & ~np.isnan(every[1:]).all(axis=0)
    if not whole.any():
        return np.nan, np.nan, 0
    excess = every[0, whole] - np.nanmean(every[1:, whole], axis=0)
    spread = excess.std(ddof=1) if len(excess) > 1 else 0.0
    peak = excess.mean() / spread if spread > 0 else 0.0
    return float(every[0, whole].mean()), float(peak), int(whole.sum())


def judge(
    sampled: Sampled, antennas: Ints, lag: float, norm: Norm, source: str = "the antenna trace"
) -> Fit:
    """Judge a segment's trace, and find the shift under which it fits.

    Parameters
    ----------
    sampled
        What the segment's boxes say.
    antennas
        (F, J) readings by frame, 0 = none.
    lag
        Seconds by which the rig's readings run late.
    norm
        What is to be expected.
    source
        Named in the reason.
    """
    moved = _assess(sampled, antennas, lag, norm, *best_shift(sampled, antennas, lag))
    if (moved.shift or moved.drift) and moved.probability < DOUBT:
        # A shift that leaves the trace in doubt is a chance find.
        moved = _assess(sampled, antennas, lag, norm, 0.0, 0.0)
    if moved.windows < FEWEST:
        return moved
    usual = f"{moved.level:.2f} nats a frame and animal, where {norm.level.own:.2f} is usual"
    verdict = Verdict()
    if moved.shift or moved.drift:
        verdict = Verdict("repaired", f"{source} {_described(moved.shift, moved.drift)}: put right")
    if moved.probability < DISCARD:
        reason = (
            f"{source} does not fit the boxes ({usual}), nor does it when shifted by up to "
            f"{_reach(antennas, sampled.fps):.0f} s: is it of another segment, are the clocks "
            "further apart, or is the video of another cage?"
        )
        verdict = Verdict("discarded", reason)
    elif moved.probability < DOUBT:
        reason = (
            f"{source} hardly fits the boxes ({usual}): it is the segment's own with a "
            f"probability of {moved.probability:.2f}, and no name is surer than that"
        )
        verdict |= Verdict("repaired", reason)
    return replace(moved, verdict=verdict)


def _assess(
    sampled: Sampled, antennas: Ints, lag: float, norm: Norm, shift: float, drift: float
) -> Fit:
    """Return how a trace fits when it is shifted, without a verdict."""
    moved = realign(antennas, shift, drift, sampled.fps)
    level, peak, windows = figures(sampled, moved, lag)
    if windows < FEWEST:
        return Fit(level, peak, windows)
    probability = norm.probability(level, peak, windows * sampled.window)
    return Fit(level, peak, windows, shift, drift, probability)


def realign(antennas: Ints, shift: float, drift: float, fps: float) -> Ints:
    """Shift readings to where they belong: (F, J) -> (F, J), 0 where there are none then.

    Parameters
    ----------
    antennas
        (F, J) readings by frame.
    shift, drift
        Seconds, as :class:`Fit` has them.
    fps
        Frames per second.
    """
    if not shift and not drift:
        return antennas
    frames = np.arange(len(antennas))
    along = frames / max(len(antennas) - 1, 1) - 0.5
    at = np.rint(frames + (shift + drift * along) * fps).astype(np.int64)
    inside = (at >= 0) & (at < len(antennas))
    return np.where(inside[:, None], antennas[at.clip(0, len(antennas) - 1)], 0)


def _described(shift: float, drift: float) -> str:
    text = f"runs {abs(shift):.1f} s {'late' if shift > 0 else 'early'} beyond the rig's usual lag"
    if drift:
        text += f", and {'falls behind' if drift > 0 else 'gains'} by {abs(drift):.0f} s within it"
    return text


def _reach(antennas: Ints, fps: float) -> float:
    return min(REACH, len(antennas) / fps / 3)


def best_shift(sampled: Sampled, antennas: Ints, lag: float) -> tuple[float, float]:
    """Find by how much a clock is off: seconds at the middle, and its drift over the segment.

    Returns
    -------
    Zeros where no shift informs better beyond chance.
    """
    reach = _reach(antennas, sampled.fps)
    coarse = np.arange(-np.floor(reach), np.floor(reach) + COARSE, COARSE)
    still = int(np.flatnonzero(coarse == 0)[0])
    values = sampled.windows(antennas, lag + coarse)
    gains = values - values[still]
    shift, gain = _best(coarse, gains)
    if shift is None:
        return 0.0, 0.0
    fine = shift + np.arange(-COARSE, COARSE + FINE / 2, FINE)
    refined, better = _best(fine, sampled.windows(antennas, lag + fine) - values[still])
    if refined is not None:
        shift, gain = refined, better
    constant = (shift, 0.0, gain) if certain(gain) and abs(shift) >= LEAST_SHIFT else None
    drifting = _best_drift(coarse, gains, constant[2] if constant else None)
    if drifting is not None:
        return drifting
    return (round(constant[0], 3), 0.0) if constant else (0.0, 0.0)


def _best(shifts: Floats, gains: Floats) -> tuple[float | None, Floats]:
    """Return the shift of the highest mean gain over windows, and its gains there, (windows,)."""
    enough = (~np.isnan(gains)).sum(axis=1) >= max(FEWEST, gains.shape[1] / 2)
    if not enough.any():
        return None, np.zeros(0)
    means = np.full(len(shifts), -np.inf)
    means[enough] = np.nanmean(gains[enough], axis=1)
    best = int(means.argmax())
    return float(shifts[best]), gains[best]


def _best_drift(
    shifts: Floats, gains: Floats, constant: Floats | None
) -> tuple[float, float] | None:
    """Find a drift that gains beyond chance over no shift, and over the best constant one."""
    windows = gains.shape[1]
    along = (np.arange(windows) + 0.5) / windows - 0.5
    most, best = -np.inf, None
    for drift in range(-MOST_DRIFT, MOST_DRIFT + 1, 2):
        if not drift:
            continue
        offset = np.rint(drift * along / COARSE).astype(np.int64)
        middles = np.arange(-offset.min(), len(shifts) - offset.max())
        moved = gains[middles[:, None] + offset, np.arange(windows)]
        middle, gain = _best(shifts[middles], moved)
        if middle is not None and (mean := float(np.nanmean(gain))) > most:
            most, best = mean, (middle, float(drift), gain)
    if best is None or not certain(best[2]):
        return None
    if constant is not None and not certain(best[2] - constant):
        return None
    return best[0], best[1]


def certain(gain: Floats) -> bool:
    """Tell whether the mean of the windows' gains is above 0 beyond chance."""
    valid = gain[~np.isnan(gain)]
    if len(valid) < FEWEST or valid.mean() <= 0:
        return False
    return signed_rank.greater(valid) < SURE


def weigh_fit(
    segment: Segment, affinity: Affinity, fps: float, scale: float = 1.0
) -> tuple[Sampled, Ints, float]:
    """Return what :func:`judge` and :func:`learn` need of a segment.

    Parameters
    ----------
    segment
        Its detections and positions.
    affinity
        The model of readings put right by the lag.
    fps
        Frames per second, perhaps others than the segment's.
    scale
        What the boxes' numbers are multiplied by.

    Returns
    -------
    What boxes say, the readings (F, J), and the rig's lag in seconds.
    """
    antennas = timeline.trace(segment.positions, affinity.grid).to_numpy(dtype=np.int64)
    sampled = sample(segment.mice, affinity, segment.matrix, fps, len(antennas), scale)
    return sampled, antennas, affinity.lag(segment.rig)


def realign_positions(
    positions: pd.DataFrame, affinity: Affinity, fit: Fit, fps: float
) -> pd.DataFrame:
    """Return the table ``positions`` with its readings put right, without the column ``filled``."""
    if not fit.shift and not fit.drift:
        return positions
    wide = timeline.trace(positions, affinity.grid)
    antennas = pd.Series(fit.realign(wide.to_numpy(dtype=np.int64), fps).ravel(), dtype="Int64")
    return pd.DataFrame(
        {
            "frame": np.repeat(np.arange(len(wide)), wide.shape[1]),
            "animal": np.tile(wide.columns.to_numpy(dtype=object), len(wide)),
            "antenna": antennas.mask(antennas == 0),
        }
    )
