"""Antenna traces of animals that wander about, and what boxes over those antennas say."""

import numpy as np

from murid.identify.fit_check import Sampled

FPS, ANTENNAS, FRAMES = 10.0, 12, 6_000


def wandering(seed, animals=3, stay=60):
    """(F, J) antennas of animals that go to another antenna every few seconds."""
    random = np.random.default_rng(seed)
    trace = np.empty((FRAMES, animals), dtype=np.int64)
    for animal in range(animals):
        frame = 0
        while frame < FRAMES:
            length = int(random.exponential(stay)) + 5
            trace[frame : frame + length, animal] = random.integers(1, ANTENNAS + 1)
            frame += length
    return trace


def boxes_of(trace, seed=0):
    """What boxes over those antennas say: for the antennas that are occupied, with some noise."""
    random = np.random.default_rng(seed)
    frames = np.arange(0, FRAMES, 4)
    weights = random.normal(-4.0, 1.0, (len(frames), ANTENNAS))
    for animal in range(trace.shape[1]):
        seen = random.random(len(frames)) < 0.9
        at = np.flatnonzero(seen), trace[frames[seen], animal] - 1
        weights[at] = random.normal(2.0, 1.0, seen.sum())
    total = np.logaddexp.reduce(weights, axis=1, keepdims=True) - np.log(ANTENNAS)
    count = np.full(len(frames), trace.shape[1])
    return Sampled(frames, weights - total, FPS, 30.0, count)
