"""The seconds, minutes and hours of a segment: which frames are in each, and when it begins."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from numpy.typing import NDArray

SECONDS = {"second": 1, "minute": 60, "hour": 3600}
"""How long a period of each kind is."""


@dataclass(frozen=True)
class Periods:
    """The periods of one kind that a segment has, each with one frame at least.

    Attributes
    ----------
    first
        (B,) the first frame of each.
    frames
        (B,) how many there are in each.
    start
        (B,) seconds from the segment's start at which it begins, whole ones; 0 of one that began
        before.
    since
        (B,) the same to the microsecond, by which times of day are told.
    begin
        Frame 0 as UTC, if it is known.
    """

    first: NDArray[np.int64]
    frames: NDArray[np.int64]
    start: NDArray[np.int64]
    since: NDArray[np.float64]
    begin: datetime | None

    def sums(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Add up what there is of each frame: (F, ...) -> (B, ...)."""
        summed: NDArray[np.float64] = np.add.reduceat(values.astype(np.float64), self.first, axis=0)
        return summed

    @property
    def times(self) -> pd.Series:
        """(B,) when each begins, UTC; NaT where not known."""
        return moments(self.begin, self.since)


def moments(begin: datetime | None, since: NDArray[np.float64]) -> pd.Series:
    """Return seconds from the segment's start as UTC; NaT where that is not known."""
    if begin is None:
        return pd.Series(pd.NaT, index=range(len(since)), dtype="datetime64[us, UTC]")
    passed = pd.to_timedelta(np.round(since * 1e6).astype(np.int64), unit="us")
    return pd.Series(pd.Timestamp(begin.astimezone(UTC)) + passed).astype("datetime64[us, UTC]")


def means(total: NDArray[np.float64], count: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide sums by how many there are, NaN where there are none: same shapes."""
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def of(kind: str, frames: int, fps: float, begin: datetime | None) -> Periods:
    """Divide a segment: by the clock, or from its start where the time of day is not known.

    Seconds count from the segment's start always.

    Parameters
    ----------
    kind
        ``second``, ``minute`` or ``hour``, of UTC.
    frames
        Of the segment.
    fps
        Frames per second.
    begin
        When frame 0 was taken, if it is known.

    Examples
    --------
    >>> begin = datetime(2026, 3, 1, 9, 59, 30, tzinfo=UTC)
    >>> of("hour", 450, 5.0, begin).first.tolist(), of("hour", 450, 5.0, None).first.tolist()
    ([0, 150], [0])
    """
    long = SECONDS[kind]
    passed = 0.0
    if begin is not None and kind != "second":
        midnight = begin.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        passed = (begin - midnight).total_seconds() % long
    # Rounding must not put the first frame of a second into the one before.
    at = np.floor((np.arange(frames) / fps + passed) / long + 1e-9).astype(np.int64)
    numbers, first, count = np.unique(at, return_index=True, return_counts=True)
    # A second that it began before is of the period before, by the clock too.
    since = np.maximum(numbers * long - passed, 0.0)
    start = np.ceil(since - 1e-6).astype(np.int64)
    return Periods(first, count, start, since, begin)


def local(times: pd.Series, zone: str) -> list[str]:
    """Write times by the clock of a zone, with its offset; those not known are empty."""
    clock = ZoneInfo(zone)
    return [
        "" if pd.isna(time) else time.tz_convert(clock).isoformat(sep=" ", timespec="seconds")
        for time in times
    ]
