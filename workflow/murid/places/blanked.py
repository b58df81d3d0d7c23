"""Known places, hidden on purpose: what inference is learnt from, and judged by."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from murid.places.hypotheses import Asked, Floats, Gap, Ints
from murid.places.track import Track
from murid.places.tracks import Tracks, moments_of

LENGTHS = (0.2, 1.0, 5.0, 15.0, 30.0, 60.0, 120.0)
"""Seconds of the stretches that are hidden, equally many of each."""
_KNOWN = 0.8
"""Share of a stretch in which the animal must be seen, to know where it was."""
_ASKED = 5
"""Places of a stretch that are asked for."""
_TRIES = 20
"""Stretches that are looked at for one that is taken."""


class Blank(NamedTuple):
    """A gap that was made, with what is read and where the animal really was at n times.

    Attributes
    ----------
    length
        Seconds that were hidden.
    gap
        The gap, which may be longer.
    shares
        (n,) times, as shares of it.
    means, covariances
        (n, 2) and (n, 2, 2) of animals that are read so, spans; NaN where it is not read.
    truth
        (n, 2) where it was, spans.
    nearest
        (n,) seconds to the nearest end of the gap.
    """

    length: float
    gap: Gap
    shares: Floats
    means: Floats
    covariances: Floats
    truth: Floats
    nearest: Floats


def hide(tracks: Tracks, count: int, random: np.random.Generator) -> Iterator[Blank]:
    """Hide stretches of a segment's tracks, each by itself.

    Parameters
    ----------
    tracks
        The tracks.
    count
        Stretches of each length.
    random
        Chooses them.
    """
    for length in LENGTHS:
        found = 0
        for _ in range(count * _TRIES):
            track = tracks.each[random.integers(len(tracks.each))]
            frames = max(1, round(length * track.fps))
            if len(track.places) <= frames + 2:
                break
            begin = int(random.integers(1, len(track.places) - frames))
            blank = _hide(tracks, track, length, begin, begin + frames, random)
            if blank is not None:
                yield blank
                found += 1
            if found == count:
                break


def _hide(
    tracks: Tracks, track: Track, length: float, begin: int, end: int, random: np.random.Generator
) -> Blank | None:
    """Hide the frames from ``begin`` to before ``end``, if it is known where the animal was."""
    seen = track.seen
    known = begin + np.flatnonzero(seen[begin:end])
    before, after = np.flatnonzero(seen[:begin]), np.flatnonzero(seen[end:])
    if len(known) < _KNOWN * (end - begin) or not len(before) or not len(after):
        return None
    first, last = int(before[-1]), end + int(after[0])
    if last - first > 2 * (end - begin) + track.fps:
        return None
    hidden = moments_of(track, track.sampled(begin, end), len(tracks.moments.count))
    antennas = tracks.antennas(hidden)
    at: Ints = random.choice(known, min(_ASKED, len(known)), replace=False)
    read = track.read[at]
    means, covariances = antennas.of(read)
    nearest = np.minimum(at - first, last - at) / track.fps
    gap = track.gap(first, last, antennas)
    shares = (at - first) / (last - first)
    return Blank(length, gap, shares, means, covariances, track.places[at], nearest)


def joined(blanks: Sequence[Blank]) -> tuple[Asked, Floats, Floats]:
    """Join stretches: what is asked at n times, (n, 2) true places, (n,) seconds to a box."""
    counts = [len(blank.shares) for blank in blanks]
    asked = Asked(
        [blank.gap for blank in blanks], np.repeat(np.arange(len(blanks)), counts),
        *(np.concatenate([getattr(blank, name) for blank in blanks])
          for name in ("shares", "means", "covariances")),
    )  # fmt: skip
    truth, nearest = (
        np.concatenate([getattr(blank, name) for blank in blanks]) for name in ("truth", "nearest")
    )
    return asked, truth, nearest
