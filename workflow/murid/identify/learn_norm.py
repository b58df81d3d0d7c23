"""Learning what the readings of a sound segment tell of its boxes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from murid.identify.fit_check import FEWEST, WINDOW, Floats, Ints, Sampled, figures
from murid.models.norm import CHUNK, DEFAULT, Expected, Norm

_BEFORE = 3
"""Segments that what is known before counts as, when spreads are estimated."""


def learn(segments: Sequence[tuple[Sampled, Ints, float]]) -> Norm:
    """Learn what is to be expected from segments that are sound.

    Parameters
    ----------
    segments
        Of each what its boxes say, its readings (F, J), and its rig's lag in seconds.

    Returns
    -------
    The norm; where fewer than two segments can be judged, :data:`DEFAULT`.
    """
    judged = [(place, figures(*segment)) for place, segment in enumerate(segments)]
    judged = [(place, one) for place, one in judged if one[2] >= FEWEST]
    if len(judged) < 2:
        return DEFAULT
    others = [
        figures(segments[place][0], segments[stranger][1], segments[stranger][2])
        for place, _ in judged
        for stranger, _ in judged
        if place != stranger
    ]
    others = [one for one in others if one[2] >= FEWEST]
    chunks = [_chunks(*segments[place]) for place, _ in judged]
    level = _expected([one[0] for _, one in judged], [part[0] for part in chunks], DEFAULT.level)
    peak = _expected([one[1] for _, one in judged], [part[1] for part in chunks], DEFAULT.peak)
    if others:
        strange = np.array([one[0] for one in others])
        spread = max(float(strange.std()), DEFAULT.level.other_spread / 2)
        level = Expected(level.own, level.between, level.within, float(strange.mean()), spread)
    return Norm(level, peak, len(judged))


def _chunks(sampled: Sampled, antennas: Ints, lag: float) -> tuple[Floats, Floats]:
    """Return level and peak of every five minutes of a segment, (chunks,) each."""
    length = round(CHUNK * sampled.fps)
    levels, peaks = [], []
    for start in range(0, len(antennas) - length + 1, length):
        within = (sampled.frames >= start) & (sampled.frames < start + length)
        part = sampled.only(within)
        part = replace(part, frames=part.frames - start, window=WINDOW[1])
        level, peak, windows = figures(part, antennas[start : start + length], lag)
        if windows >= FEWEST:
            levels.append(level)
            peaks.append(peak)
    return np.array(levels), np.array(peaks)


def _expected(values: Sequence[float], chunks: Sequence[Floats], before: Expected) -> Expected:
    """Estimate mean and spreads, the latter drawn towards those known ``before``."""
    freedom = sum(max(len(part) - 1, 0) for part in chunks)
    squares = sum(float(((part - part.mean()) ** 2).sum()) for part in chunks if len(part) > 1)
    weight = 6 * _BEFORE  # half hours
    within = (weight * before.within**2 + squares) / (weight + freedom)
    count = np.mean([max(len(part), 1) for part in chunks])
    varied = float(np.var(values, ddof=1) - within / count)
    between = (_BEFORE * before.between**2 + (len(values) - 1) * max(varied, 0.0)) / (
        _BEFORE + len(values) - 1
    )
    return Expected(
        float(np.mean(values)), float(np.sqrt(between)), float(np.sqrt(within)),
        before.other, before.other_spread,
    )  # fmt: skip
