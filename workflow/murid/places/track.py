"""Where an animal is seen throughout a segment, and the gaps between."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from murid.models.fitted_weights import Affinity
from murid.places.hypotheses import TICK, End, Floats, Gap, Ints, steps

APART = 0.6
"""Spans from a place beyond which an animal has left it."""
_LATELY = 3.0
"""Seconds of boxes whose middle says where an animal is while it stays."""
_LONGEST_REST = 150.0
"""Seconds for which it is looked whether an animal had been, or will be, in a place."""
_CHANCE = 0.03
"""Share of readings that are of any antenna."""
_PRIOR = 100
"""Places, one a tick, that what is known of antennas from other segments is worth."""


class Scale(NamedTuple):
    """Spans and pixels.

    Attributes
    ----------
    to_spans, to_pixels
        (2, 2), of differences in the frame of reference.
    """

    to_spans: Floats
    to_pixels: Floats

    @classmethod
    def of(cls, affinity: Affinity) -> "Scale":
        """Return the scale at which boxes are one span from their antenna."""
        root = np.linalg.cholesky(affinity.covariances[:, :, :2, :2].mean(axis=(0, 1)))
        return cls(np.linalg.inv(root), root)


@dataclass(frozen=True)
class Moments:
    """What is seen of animals while each antenna reads them: (A,), (A, 2) and (A, 2, 2) sums."""

    count: Floats
    sums: Floats
    squares: Floats

    @classmethod
    def of(cls, places: Floats, read: Ints, antennas: int) -> "Moments":
        """Sum places (n, 2), spans, by antenna (n,); NaN and those not read do not count."""
        there = ~np.isnan(places[:, 0]) & (read > 0)
        where, which = places[there], read[there] - 1
        squares = where[:, :, None] * where[:, None, :]
        return cls(
            np.bincount(which, minlength=antennas).astype(np.float64),
            _sums(which, where, antennas),
            _sums(which, squares, antennas),
        )

    def __sub__(self, other: "Moments") -> "Moments":
        """Return those of what is not among others."""
        return Moments(
            self.count - other.count, self.sums - other.sums, self.squares - other.squares
        )

    def __add__(self, other: "Moments") -> "Moments":
        """Return those of both."""
        return Moments(
            self.count + other.count, self.sums + other.sums, self.squares + other.squares
        )

    def places(self) -> tuple[Floats, Floats]:
        """Return means (A, 2) and covariances (A, 2, 2)."""
        means = self.sums / self.count[:, None]
        squares = self.squares / self.count[:, None, None]
        return means, squares - means[:, :, None] * means[:, None, :]


def _sums(which: Ints, values: Floats, count: int) -> Floats:
    result = np.zeros((count, *values.shape[1:]))
    np.add.at(result, which, values)
    return result


def usual(affinity: Affinity, scale: Scale) -> Moments:
    """Return what is known of antennas before a segment is looked at."""
    antennas = affinity.grid.antennas
    means = affinity.means(antennas).mean(axis=1)[:, :2] @ scale.to_spans.T
    spreads = affinity.covariances[affinity.grid.row(antennas)].mean(axis=1)[:, :2, :2]
    squares = scale.to_spans @ spreads @ scale.to_spans.T + means[:, :, None] * means[:, None, :]
    return Moments(np.full(len(antennas), float(_PRIOR)), _PRIOR * means, _PRIOR * squares)


@dataclass(frozen=True)
class Antennas:
    """Where animals are that each antenna reads: (A, 2) means, (A, 2, 2) covariances, and tail."""

    means: Floats
    covariances: Floats
    tail: float

    def of(self, read: Ints) -> tuple[Floats, Floats]:
        """Return mean (n, 2) and covariance (n, 2, 2) of each reading (n,); NaN where 0."""
        means, covariances = self.means[read - 1].copy(), self.covariances[read - 1].copy()
        means[read == 0], covariances[read == 0] = np.nan, np.nan
        return means, covariances

    def log_read(self, place: Floats) -> Floats:
        """Return log p(antenna | place), one of Student densities: (2,) -> (A,)."""
        off = place - self.means
        odd = np.einsum("ai,aij,aj->a", off, np.linalg.inv(self.covariances), off)
        if self.tail:
            freedom = 1 / self.tail
            density = -(freedom + 2) / 2 * np.log1p(odd / freedom)
        else:
            density = -odd / 2
        density -= np.linalg.slogdet(self.covariances)[1] / 2
        density -= np.logaddexp.reduce(density)
        return np.log((1 - _CHANCE) * np.exp(density) + _CHANCE / len(self.means))


@dataclass(frozen=True)
class Track:
    """An animal in a segment.

    Attributes
    ----------
    places
        (F, 2) centroids of its boxes, spans; NaN where it has none, or none that is sure.
    read
        (F,) the antenna that reads it, put right by the lag; 0 = none.
    fps
        Frames per second.
    """

    places: Floats
    read: Ints
    fps: float

    @property
    def seen(self) -> NDArray[np.bool_]:
        """(F,) whether a box shows it."""
        return ~np.isnan(self.places[:, 0])

    @property
    def tick(self) -> int:
        """Frames from one place that is inferred to the next."""
        return max(1, round(TICK * self.fps))

    def sampled(self, begin: int, end: int) -> Ints:
        """Return the frames from ``begin`` to before ``end`` that are counted, one a tick."""
        return np.arange(-(-begin // self.tick) * self.tick, end, self.tick)

    def gaps(self) -> Iterator[tuple[int, int]]:
        """Yield the frames around each gap, which may be -1 and the segment's length."""
        seen = np.flatnonzero(self.seen)
        around = np.concatenate([[-1], seen, [len(self.places)]])
        for place in np.flatnonzero(np.diff(around) > 1):
            yield int(around[place]), int(around[place + 1])

    def gap(self, before: int, after: int, antennas: Antennas) -> Gap:
        """Return the gap between two frames, see :meth:`gaps`."""
        first, last = max(before, 0), min(after, len(self.places) - 1)
        seconds = max(last - first, 1) / self.fps
        at = np.rint(np.linspace(first, last, steps(seconds) + 1)).astype(np.int64)
        read = self.read[at]

        def end(frame: int, way: int) -> End | None:
            if not 0 <= frame < len(self.places):
                return None
            there = np.where(read > 0, antennas.log_read(self.places[frame])[read - 1], np.nan)
            middle = self._middle(frame, way)
            return End(self.places[frame], middle, self._rested(frame, way), there)

        begin, finish = end(before, -1), end(after, 1)
        return Gap(seconds, begin, finish)

    def _middle(self, frame: int, way: int) -> Floats:
        """Return the middle of its boxes in its place lately before a frame, or soon after it."""
        around = self.places[self._stretch(frame, way, _LATELY)]
        near = ((around - self.places[frame]) ** 2).sum(axis=1) <= APART**2
        middle: Floats = around[near].mean(axis=0)
        return middle

    def _stretch(self, frame: int, way: int, seconds: float) -> slice:
        """Return the frames from so long before a frame until it, or from it until after it."""
        most = int(seconds * self.fps)
        return slice(max(frame - most, 0), frame + 1) if way < 0 else slice(frame, frame + most + 1)

    def _rested(self, frame: int, way: int) -> float:
        """Return the seconds for which it was in a place before a frame, or is after it."""
        around = self.places[self._stretch(frame, way, _LONGEST_REST)][:: way * self.tick]
        far = ((around - self.places[frame]) ** 2).sum(axis=1) > APART**2
        return float(far.argmax() if far.any() else len(far)) * self.tick / self.fps
