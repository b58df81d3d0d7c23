"""Linking detections into tracklets: SORT, as the paper changes it (Sect. 4.2).

SORT (Bewley et al., 2016) predicts each tracklet's box with a Kalman filter and matches detections
to predictions by IoU. Its state couples only (centre x, its velocity), (centre y, its velocity) and
(area, its velocity); the aspect ratio is a random walk. So the 7 x 7 filter is three filters of two
states and a scalar, which plain Python runs an order of magnitude faster than small matrices.

The paper's changes: tracklets emit from their first frame; they die at the first miss
(``max_age`` 0); they are kept if they have ``min_length`` contiguous frames (of those with boxes,
where these are few: :func:`murid.tracking.successive.counted`); and they emit the original
detection, not the filter's estimate.

Beyond the paper, a tracklet ends where it may pass to another animal: where two boxes both fit two
tracklets, and, if tracklets survive misses, where its animal may have hidden behind another
(:mod:`murid.tracking.ends`). With the paper's settings that hardly ever happens.
"""

import logging
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import schemas, tables
from murid.hungarian import linear_sum_assignment
from murid.settings import Track
from murid.tables import Verdict
from murid.tracking import ends, successive, unlinked
from murid.tracklets import Tracklets

log = logging.getLogger(__name__)

Corners = tuple[float, float, float, float, float]
"""Left, top, right, bottom and area of a box."""
State = tuple[float, float, float, float]
"""Centre, area and aspect ratio of a box: what the filter measures."""

# Variances of SORT's filter: what a frame adds to position and velocity, to the area's velocity and
# to the aspect ratio; of a measured centre, area and ratio; and of a new tracklet's state.
_DRIFT, _DRIFT_VELOCITY, _DRIFT_GROWTH = 1.0, 0.01, 0.0001
_NOISE_CENTRE, _NOISE_SHAPE = 1.0, 10.0
_NEW, _NEW_VELOCITY = 10.0, 10_000.0

Spread = tuple[float, float, float]
"""Variance of a value, its covariance with the value's velocity, and the velocity's variance."""


class _Trust:
    """The covariances of a tracklet's filter, and how far it follows the next measurement.

    They depend on when a tracklet was seen, not on what: tracklets of the same past share them, and
    each state is worked out once.
    """

    __slots__ = ("_after", "_ahead", "area", "area_gain", "centre", "centre_gain", "growth_gain",
                 "ratio", "ratio_gain", "velocity_gain")  # fmt: skip

    def __init__(self, centre: Spread, area: Spread, ratio: float) -> None:
        self.centre, self.area, self.ratio = centre, area, ratio
        self.centre_gain, self.velocity_gain = _gains(centre, _NOISE_CENTRE)
        self.area_gain, self.growth_gain = _gains(area, _NOISE_SHAPE)
        self.ratio_gain = ratio / (ratio + _NOISE_SHAPE)
        self._ahead: _Trust | None = None
        self._after: _Trust | None = None

    def ahead(self) -> "_Trust":
        """Return the state a frame later."""
        if self._ahead is None:
            self._ahead = _Trust(
                _predicted(self.centre, _DRIFT_VELOCITY),
                _predicted(self.area, _DRIFT_GROWTH),
                self.ratio + _DRIFT,
            )
        return self._ahead

    def after(self) -> "_Trust":
        """Return the state after a measurement."""
        if self._after is None:
            self._after = _Trust(
                _measured(self.centre, _NOISE_CENTRE),
                _measured(self.area, _NOISE_SHAPE),
                self.ratio - self.ratio_gain * self.ratio,
            )
        return self._after


def _gains(spread: Spread, noise: float) -> tuple[float, float]:
    variance, covariance, _ = spread
    return variance / (variance + noise), covariance / (variance + noise)


def _predicted(spread: Spread, drift: float) -> Spread:
    variance, covariance, velocity = spread
    variance += 2 * covariance + velocity + _DRIFT
    return variance, covariance + velocity, velocity + drift


def _measured(spread: Spread, noise: float) -> Spread:
    variance, covariance, velocity = spread
    gain, velocity_gain = _gains(spread, noise)
    return (
        variance - gain * variance,
        covariance - gain * covariance,
        velocity - velocity_gain * covariance,
    )


class Follower:
    """One tracklet's filter: centre, area and aspect ratio of its box, and their velocities."""

    __slots__ = ("area", "growth", "missed", "number", "ratio", "trust", "x", "x_velocity", "y",
                 "y_velocity")  # fmt: skip

    def __init__(self, number: int, seen: State, trust: _Trust) -> None:
        self.number = number
        self.x, self.y, self.area, self.ratio = seen
        self.x_velocity = self.y_velocity = self.growth = 0.0
        self.trust = trust
        self.missed = 0

    def predict(self) -> Corners:
        """Go on by a frame, and return the box that is expected."""
        if self.area + self.growth <= 0:
            self.growth = 0.0
        self.x += self.x_velocity
        self.y += self.y_velocity
        self.area += self.growth
        self.trust = self.trust.ahead()
        self.missed += 1
        # A ratio or area driven below zero by odd measurements has no box: it overlaps nothing.
        square = self.area * self.ratio
        if square <= 0:
            return self.x, self.y, self.x, self.y, 0.0
        w = sqrt(square)
        h = self.area / w
        left, top = self.x - w / 2, self.y - h / 2
        return left, top, left + w, top + h, w * h

    def update(self, seen: State) -> None:
        """Take in what was detected."""
        x, y, area, ratio = seen
        trust = self.trust
        across, down, more = x - self.x, y - self.y, area - self.area
        self.x += trust.centre_gain * across
        self.y += trust.centre_gain * down
        self.x_velocity += trust.velocity_gain * across
        self.y_velocity += trust.velocity_gain * down
        self.area += trust.area_gain * more
        self.growth += trust.growth_gain * more
        self.ratio += trust.ratio_gain * (ratio - self.ratio)
        self.trust = trust.after()
        self.missed = 0


def link(frames: ArrayLike, boxes: ArrayLike, iou: float, max_age: int = 0) -> NDArray[np.int32]:
    """Return the tracklet of each detection, as :func:`follow` has it, from 0 by birth: (n,)."""
    followers = follow(frames, boxes, iou, max_age)
    return np.fromiter((follower.number for follower in followers), dtype=np.int32)


def follow(frames: ArrayLike, boxes: ArrayLike, iou: float, max_age: int = 0) -> Iterator[Follower]:
    """Link detections of one segment frame by frame, as SORT does.

    Matches below the threshold are ruled out *before* the assignment, so that a hopeless pair never
    costs a good one its match; the original decides first and rules out afterwards.

    Parameters
    ----------
    frames
        Shape (n,), ascending.
    boxes
        Shape (n, 4), pixels, finite, with positive sides.
    iou
        A detection joins a tracklet if it overlaps the tracklet's predicted box by at least this.
    max_age
        Frames without a detection that a tracklet survives; the paper's tracker survives none.

    Yields
    ------
    The follower of each detection's tracklet, as it is when it has taken that in.
    """
    frames = np.asarray(frames, dtype=np.int64)
    x, y, w, h = np.asarray(boxes, dtype=np.float64).reshape(-1, 4).T
    corners = _rows(x, y, x + w, y + h, w * h)
    measured = _rows(x + w / 2, y + h / 2, w * h, w / h)
    starts = np.flatnonzero(np.diff(frames, prepend=-1)).tolist()
    alive: list[Follower] = []
    unseen = (_NEW, 0.0, _NEW_VELOCITY)
    trust = _Trust(unseen, unseen, _NEW)
    born, previous = 0, -1
    for start, end in pairwise([*starts, len(frames)]):
        frame = int(frames[start])
        for _ in range(min(frame - previous - 1, max_age + 1)):
            for item in alive:
                item.predict()
            alive = [item for item in alive if item.missed <= max_age]
        previous = frame
        matches = _match([item.predict() for item in alive], corners[start:end], iou)
        for index, seen in enumerate(measured[start:end]):
            if index in matches:
                item = alive[matches[index]]
                item.update(seen)
            else:
                item = Follower(born, seen, trust)
                alive.append(item)
                born += 1
            yield item
        alive = [item for item in alive if item.missed <= max_age]


def _rows(*columns: NDArray[np.float64]) -> list[tuple[Any, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _match(
    predicted: Sequence[Corners], detected: Sequence[Corners], threshold: float
) -> dict[int, int]:
    """Return for each matched detection the prediction it belongs to (maximum total IoU)."""
    good = _overlaps(predicted, detected, threshold)
    rows = {row for _, row, _ in good}
    columns = {column for _, _, column in good}
    if len(rows) == len(columns) == len(good):
        return {row: column for _, row, column in good}
    matrix = np.zeros((len(detected), len(predicted)))
    for overlap, row, column in good:
        matrix[row, column] = overlap
    pairs = zip(*linear_sum_assignment(matrix, maximize=True), strict=True)
    return {int(row): int(column) for row, column in pairs if matrix[row, column] > 0}


def _overlaps(
    predicted: Sequence[Corners], detected: Sequence[Corners], threshold: float
) -> list[tuple[float, int, int]]:
    """List (IoU, detection, prediction) of all pairs that overlap by the threshold or more."""
    good = []
    # Written out, since it runs for every pair of boxes.
    for column, (left, top, right, bottom, area) in enumerate(predicted):
        for row, (x, y, x2, y2, other) in enumerate(detected):
            if x < right and left < x2 and y < bottom and top < y2:
                across = (right if right < x2 else x2) - (left if left > x else x)
                shared = across * ((bottom if bottom < y2 else y2) - (top if top > y else y))
                overlap = shared / (area + other - shared)
                if overlap >= threshold:
                    good.append((overlap, row, column))
    return good


def longest_runs(tracklets: Tracklets) -> NDArray[np.int64]:
    """Return the longest run of contiguous frames of each tracklet: (I,)."""
    before, order = tracklets.before, tracklets.order
    begins = (before < 0) | (tracklets.frames - tracklets.frames[before] != 1)
    run = np.cumsum(begins[order]) - 1
    longest = np.zeros(len(tracklets), dtype=np.int64)
    np.maximum.at(longest, tracklets.rank[order], np.bincount(run)[run])
    return longest


def track(detections: pd.DataFrame, settings: Track) -> pd.DataFrame:
    """Link a segment's mouse detections into tracklets (Sect. 4.2).

    Parameters
    ----------
    detections
        Table ``detections``; other labels than ``mouse`` are left out.
    settings
        IoU threshold, shortest length, age, and when a match is doubtful.

    Returns
    -------
    Table ``tracklets``, by frame and detection; tracklets that are too short are left out, and the
    rest numbered from 0 in the order of their birth.
    """
    mice = detections[detections["label"] == "mouse"].sort_values(["frame", "detection"])
    numbers = link(mice["frame"], mice[schemas.BOX], settings.iou, settings.max_age)
    whole = Tracklets(successive.counted(mice["frame"]), numbers)
    kept = (longest_runs(whole) >= settings.min_length)[whole.rank]
    rows = mice.loc[kept, ["frame", "detection", *schemas.BOX]]
    tracklets = Tracklets(rows["frame"], numbers[kept])
    if settings.ambiguity:
        covered = settings.max_age > 0
        pieces = ends.cut(tracklets, rows[schemas.BOX], settings.ambiguity, covered)
        log.info("%d places where a tracklet may pass to another animal: it ends", pieces.cuts)
        tracklets = Tracklets(rows["frame"], pieces.tracklet)
    by_birth = np.argsort(np.argsort(tracklets.first, kind="stable"))
    return tables.conform(rows.assign(tracklet=by_birth[tracklets.rank]), "tracklets")


def judge(detections: pd.DataFrame, tracklets: pd.DataFrame, settings: Track) -> Verdict:
    """Judge how many boxes :func:`track` linked: ``repaired`` if many are in no tracklet.

    Parameters
    ----------
    detections, tracklets
        The tables of these names.
    settings
        What the tracklets were made with; the reason names its keys.
    """
    mice = detections[detections["label"] == "mouse"]
    verdict = unlinked.judge(len(mice), len(tracklets))
    step = successive.usual_step(mice["frame"])
    if settings.max_age < step - 1:
        remedy = (
            f" (boxes are in one of {step} frames only: set track.max_age {2 * step - 2}, so that "
            "tracklets survive those between)"
        )
        return unlinked.judge(len(mice), len(tracklets), remedy)
    overlap = np.nan if verdict.status == "usable" else successive.median_iou(mice)
    if np.isnan(overlap):
        return verdict
    remedy = (
        f" (track.iou is {settings.iou:g}, and the median IoU of a box and the next frame's is "
        f"{overlap:.2f}: boxes of an animal overlap less at low frame rates; lower track.iou)"
    )
    return unlinked.judge(len(mice), len(tracklets), remedy)
