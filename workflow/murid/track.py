"""Linking detections into tracklets: SORT, as the paper changes it (Sect. 4.2).

SORT (Bewley et al., 2016) predicts each tracklet's box with a Kalman filter and matches detections
to predictions by IoU. Its state couples only (centre x, its velocity), (centre y, its velocity) and
(area, its velocity); the aspect ratio is a random walk. So the 7 x 7 filter is three filters of two
states and a scalar, which plain Python runs an order of magnitude faster than small matrices.

The paper's changes: tracklets emit from their first frame; they die at the first miss
(``max_age`` 0); they are kept if they have ``min_length`` contiguous frames; and they emit the
original detection, not the filter's estimate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from murid import tables
from murid.settings import Track

Box = tuple[float, float, float, float]

# Variances of SORT's filter: what a frame adds to position and velocity, to the area's velocity and
# to the aspect ratio; of a measured centre, area and ratio; and of a new tracklet's state.
_DRIFT, _DRIFT_VELOCITY, _DRIFT_GROWTH = 1.0, 0.01, 0.0001
_NOISE_CENTRE, _NOISE_SHAPE = 1.0, 10.0
_NEW, _NEW_VELOCITY = 10.0, 10_000.0


class _Motion:
    """A Kalman filter of a value and its velocity, both scalar."""

    __slots__ = ("covariance", "drift", "noise", "value", "variance", "velocity", "velocity_var")

    def __init__(self, value: float, noise: float, drift: float) -> None:
        self.value, self.velocity = value, 0.0
        self.variance, self.covariance, self.velocity_var = _NEW, 0.0, _NEW_VELOCITY
        self.noise, self.drift = noise, drift

    def predict(self) -> None:
        self.value += self.velocity
        self.variance += 2 * self.covariance + self.velocity_var + _DRIFT
        self.covariance += self.velocity_var
        self.velocity_var += self.drift

    def update(self, measured: float) -> None:
        total = self.variance + self.noise
        gain, velocity_gain = self.variance / total, self.covariance / total
        surprise = measured - self.value
        self.value += gain * surprise
        self.velocity += velocity_gain * surprise
        self.velocity_var -= velocity_gain * self.covariance
        self.covariance -= gain * self.covariance
        self.variance -= gain * self.variance


class _Tracklet:
    """One tracklet's filter: centre, area and aspect ratio of its box."""

    __slots__ = ("area", "missed", "number", "ratio", "ratio_variance", "streak", "x", "y")

    def __init__(self, number: int, box: Box) -> None:
        x, y, w, h = box
        self.number = number
        self.x = _Motion(x + w / 2, _NOISE_CENTRE, _DRIFT_VELOCITY)
        self.y = _Motion(y + h / 2, _NOISE_CENTRE, _DRIFT_VELOCITY)
        self.area = _Motion(w * h, _NOISE_SHAPE, _DRIFT_GROWTH)
        self.ratio, self.ratio_variance = w / h, _NEW
        self.missed = 0
        self.streak = 0

    def predict(self) -> Box:
        if self.area.value + self.area.velocity <= 0:
            self.area.velocity = 0.0
        self.x.predict()
        self.y.predict()
        self.area.predict()
        self.ratio_variance += _DRIFT
        if self.missed:
            self.streak = 0
        self.missed += 1
        return self.box()

    def update(self, box: Box) -> None:
        x, y, w, h = box
        self.missed = 0
        self.streak += 1
        self.x.update(x + w / 2)
        self.y.update(y + h / 2)
        self.area.update(w * h)
        gain = self.ratio_variance / (self.ratio_variance + _NOISE_SHAPE)
        self.ratio += gain * (w / h - self.ratio)
        self.ratio_variance -= gain * self.ratio_variance

    def box(self) -> Box:
        # A ratio or area driven below zero by odd measurements has no box: it overlaps nothing.
        square = max(self.area.value * self.ratio, 0.0)
        w = sqrt(square)
        h = self.area.value / w if w > 0 else 0.0
        return self.x.value - w / 2, self.y.value - h / 2, w, h


@dataclass(frozen=True)
class Links:
    """What :func:`link` found of each detection, all of length n.

    Attributes
    ----------
    tracklet
        int32, numbered from 0 in the order of birth.
    streak
        int32, updates in a row that the tracklet has had, 0 at its birth (SORT's ``hit_streak``).
    estimate
        (n, 4) float64, the filter's box after the detection was seen.
    """

    tracklet: NDArray[np.int32]
    streak: NDArray[np.int32]
    estimate: NDArray[np.float64]


def link(frames: ArrayLike, boxes: ArrayLike, iou: float, max_age: int = 0) -> Links:
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
    """
    frames = np.asarray(frames, dtype=np.int64)
    measured: list[Box] = [tuple(box) for box in np.asarray(boxes, dtype=np.float64).tolist()]
    tracklet = np.zeros(len(frames), dtype=np.int32)
    streak = np.zeros(len(frames), dtype=np.int32)
    estimate = np.zeros((len(frames), 4))
    starts = np.flatnonzero(np.diff(frames, prepend=-1)).tolist()
    alive: list[_Tracklet] = []
    born, previous = 0, -1
    for start, end in pairwise([*starts, len(frames)]):
        frame = int(frames[start])
        for _ in range(min(frame - previous - 1, max_age + 1)):
            for item in alive:
                item.predict()
            alive = [item for item in alive if item.missed <= max_age]
        previous = frame
        found = measured[start:end]
        matches = _match([item.predict() for item in alive], found, iou)
        for index, box in enumerate(found):
            if index in matches:
                item = alive[matches[index]]
                item.update(box)
            else:
                item = _Tracklet(born, box)
                alive.append(item)
                born += 1
            row = start + index
            tracklet[row], streak[row], estimate[row] = item.number, item.streak, item.box()
        alive = [item for item in alive if item.missed <= max_age]
    return Links(tracklet, streak, estimate)


def _match(predicted: Sequence[Box], found: Sequence[Box], threshold: float) -> dict[int, int]:
    """Return for each matched detection the prediction it belongs to (maximum total IoU)."""
    good = [
        (overlap, row, column)
        for column, p in enumerate(predicted)
        for row, f in enumerate(found)
        if (overlap := _iou(p, f)) >= threshold and overlap > 0
    ]
    rows = {row for _, row, _ in good}
    columns = {column for _, _, column in good}
    if len(rows) == len(columns) == len(good):
        return {row: column for _, row, column in good}
    matrix = np.zeros((len(found), len(predicted)))
    for overlap, row, column in good:
        matrix[row, column] = overlap
    pairs = zip(*linear_sum_assignment(matrix, maximize=True), strict=True)
    return {int(row): int(column) for row, column in pairs if matrix[row, column] > 0}


def _iou(a: Box, b: Box) -> float:
    across = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    down = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if across <= 0 or down <= 0:
        return 0.0
    shared = across * down
    return shared / (a[2] * a[3] + b[2] * b[3] - shared)


def longest_runs(frames: ArrayLike, tracklets: ArrayLike) -> NDArray[np.int64]:
    """Return for each row the longest run of contiguous frames that its tracklet has: (n,)."""
    frames, tracklets = np.asarray(frames), np.asarray(tracklets)
    if not len(frames):
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort((frames, tracklets))
    breaks = np.diff(tracklets[order], prepend=-1).astype(bool) | (
        np.diff(frames[order], prepend=-2) != 1
    )
    run = np.cumsum(breaks) - 1
    lengths = np.bincount(run)[run]
    longest = np.zeros(int(tracklets.max()) + 1, dtype=np.int64)
    np.maximum.at(longest, tracklets[order], lengths)
    return longest[tracklets]


def track(detections: pd.DataFrame, settings: Track) -> pd.DataFrame:
    """Link a segment's mouse detections into tracklets (Sect. 4.2).

    Parameters
    ----------
    detections
        Table ``detections``; other labels than ``mouse`` are left out.
    settings
        IoU threshold, shortest length and age.

    Returns
    -------
    Table ``tracklets``, by frame and detection; tracklets that are too short are left out, and the
    rest numbered from 0 in the order of their birth.
    """
    mice = detections[detections["label"] == "mouse"].sort_values(["frame", "detection"])
    links = link(mice["frame"], mice[tables.BOX], settings.iou, settings.max_age)
    kept = longest_runs(mice["frame"], links.tracklet) >= settings.min_length
    linked = mice.loc[kept, ["frame", "detection", *tables.BOX]]
    numbers = np.unique(links.tracklet[kept], return_inverse=True)[1].astype(np.int32)
    return tables.conform(linked.assign(tracklet=numbers), "tracklets")


def run(detections: Path, output: Path, settings: Track) -> None:
    """Track one segment: table ``detections`` in, table ``tracklets`` out."""
    verdict = tables.read_verdict(detections)
    table = track(tables.read(detections, "detections"), settings)
    tables.write(table, output, "tracklets", verdict)
