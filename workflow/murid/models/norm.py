"""What the readings of a sound segment tell of its boxes: figures that others are compared with."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from murid.models.densities import log_student
from murid.models.stored import BY_KEYS

CHUNK = 300.0
"""Seconds whose means hardly depend on each other."""
STRAY = 0.01
"""Share of segments whose trace is not theirs, before anything is known of one."""
Nats = Annotated[float, Field(ge=-1e6, le=1e6)]
Spread = Annotated[float, Field(ge=1e-6, le=1e6)]


@dataclass(frozen=True)
class Expected:
    """What a figure is like in segments with their own trace, and with the trace of another.

    Attributes
    ----------
    own, between, within
        Mean of segments with their own trace; standard deviation of segments, and of five minutes
        within a segment.
    other, other_spread
        Mean and standard deviation of segments with the trace of another.
    """

    own: Nats
    between: Annotated[float, Field(ge=0, le=1e6)]
    within: Spread
    other: Nats
    other_spread: Spread

    def log_odds(self, value: float, seconds: float, freedom: int) -> float:
        """Return the log likelihood ratio of a value over so many seconds: own against other's."""
        chunks = max(seconds / CHUNK, 0.2)
        spread = float(np.hypot(self.between, self.within / np.sqrt(chunks)))
        # More than is usual speaks of an active cage, not of another's trace.
        value = min(value, self.own)
        likelihood = _log_density(value - self.own, spread, 1 / freedom)
        return likelihood - _log_density(value - self.other, self.other_spread, 0.0)


def _log_density(difference: float, spread: float, tail: float) -> float:
    """Return :func:`.densities.log_student` of one number."""
    one = np.zeros(1, dtype=np.int64)
    return float(log_student(np.array([[difference]]), np.array([[[spread**2]]]), one, tail)[0])


@dataclass(frozen=True)
class Norm:
    """What is to be expected of a segment.

    Attributes
    ----------
    level
        Information, nats per frame and animal.
    peak
        By how much it exceeds that of the trace shifted, in standard deviations of a window.
    segments
        How many segments the figures rest on.
    """

    level: Annotated[Expected, BY_KEYS]
    peak: Annotated[Expected, BY_KEYS]
    segments: Annotated[int, Field(ge=1, le=1_000_000)]

    def probability(self, level: float, peak: float, seconds: float) -> float:
        """Return how probable it is that a trace with these figures is the segment's own."""
        freedom = max(self.segments - 1, 3)
        odds = np.log1p(-STRAY) - np.log(STRAY)
        odds += self.level.log_odds(level, seconds, freedom)
        odds += self.peak.log_odds(peak, seconds, freedom)
        return float((1 + np.tanh(odds / 2)) / 2)


DEFAULT = Norm(Expected(0.4, 0.2, 0.35, -2.5, 2.0), Expected(0.9, 0.3, 0.6, 0.0, 0.3), 8)
"""Where nothing could be learnt: rounded from real cages of three mice."""
