"""From timestamps to places on a segment's time line."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")

REORDERED = 17
"""Packets among which the earliest frame is: codecs reorder at most sixteen."""
MIN_EVEN = 0.95
"""Share of the spacings that must be whole steps for a video to count as evenly timed."""
LOOSE = 0.2
"""Steps by which a timestamp may be off and still tell the pace."""


@dataclass(frozen=True)
class Pace:
    """How timestamps become places; all in ticks, the unit of the timestamps.

    Attributes
    ----------
    start
        Timestamp of place 0; None: that of the first frame.
    step
        Ticks from one place to the next; None if there are no timestamps to go by, then frames
        have the places in which they come.
    even
        Whether the video itself keeps this pace. Then a timestamp is compared with those just
        before it, so that a pace that is known to a few digits only cannot add up to an error.
    """

    start: float | None = None
    step: float | None = None
    even: bool = False


def find_pace(stamps: Sequence[int], tick: float, fps: float | None) -> Pace:
    """Find the pace of a video from the timestamps of its first packets.

    Where nearly all spacings are whole multiples of one step, it is the video's own pace, whatever
    the sheet says: frames then lie where they would without the gaps. Else (variable frame rate)
    the time line has ``fps`` places a second, or, if that is unknown, one a median spacing.

    Parameters
    ----------
    stamps
        Timestamps, ticks, in the order of the packets.
    tick
        Seconds a tick.
    fps
        Frames per second of the segment.
    """
    times = np.unique(np.asarray(stamps, dtype=np.int64))
    if len(times) < 2 or 2 * len(times) <= len(stamps):
        return Pace()
    start = float(min(stamps[:REORDERED]))
    spacings = np.diff(times).astype(np.float64)
    base = float(np.percentile(spacings, 25, method="nearest"))
    steps = np.maximum(np.rint(spacings / base), 1)
    tolerance = max(1.01, LOOSE * base)
    whole = np.abs(spacings - steps * base) <= np.minimum(tolerance * steps, base / 2)
    if whole.mean() >= MIN_EVEN and np.median(steps) <= 3:
        step = float(spacings[whole].sum() / steps[whole].sum())
        if (np.abs(spacings - np.rint(spacings / step) * step) <= tolerance).mean() >= MIN_EVEN:
            return Pace(start, step, even=True)
    return Pace(start, 1 / (fps * tick) if fps else float(np.median(spacings)))


def place(
    items: Iterable[tuple[float | None, Item]], pace: Pace
) -> Iterator[tuple[int | None, Item]]:
    """Give each frame its place on the time line, each place to one frame, in rising order.

    Frames without a timestamp follow the one before. Where a timestamp repeats, goes back or jumps
    far ahead for one frame only, the frame takes the next place if there is room before the next
    frame, or else has none. Where timestamps go back for good (recordings that were joined), the
    time line goes on from there.

    Parameters
    ----------
    items
        Timestamp (ticks, or None) and whatever is to be placed, in the order shown.
    pace
        As :func:`find_pace` gives.

    Yields
    ------
    Place (None: has none) and item, one behind what was taken from ``items``.

    Examples
    --------
    >>> pace = Pace(100, 10, even=True)
    >>> [n for n, _ in place([(100, "a"), (110, "b"), (140, "c")], pace)]
    [0, 1, 4]
    >>> [n for n, _ in place([(100, "a"), (100, "b"), (120, "c"), (120, "d")], pace)]
    [0, 1, 2, None]
    """
    clock = _Clock(pace)
    waiting: tuple[float | None, Item] | None = None
    for now in items:
        if waiting is not None:
            yield clock.place(waiting[0], now[0]), waiting[1]
        waiting = now
    if waiting is not None:
        yield clock.place(waiting[0], None), waiting[1]


class _Clock:
    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self.step = pace.step or 1.0
        self.anchor = (pace.start or 0.0, 0)
        self.started = pace.start is not None
        self.last = -1
        self.last_time = -np.inf

    def place(self, time: float | None, following: float | None) -> int | None:
        """Place a frame, given its timestamp and the one that follows."""
        if self.pace.step is None or time is None:
            self.last += 1
            return self.last
        if not self.started:
            self.anchor, self.started = (time, self.last + 1), True
        natural = self.at(time)
        after = None if following is None else self.at(following)
        number = self._number(natural, after, time)
        if number is None:
            return None
        if self.pace.even and number == natural:
            expected = self.anchor[0] + (number - self.anchor[1]) * self.step
            if abs(time - expected) <= LOOSE * self.step:
                self.anchor = (time, number)
        self.last, self.last_time = number, time
        return number

    def at(self, time: float) -> int:
        """Return the place that a timestamp means by itself."""
        return self.anchor[1] + round((time - self.anchor[0]) / self.step)

    def _number(self, natural: int, after: int | None, time: float) -> int | None:
        free = self.last + 1
        if natural == free:
            return natural
        if natural > free:
            astray = after is not None and self.last < after < natural
            return natural if not astray else free if after > free else None
        if after is not None and after > free:
            return free
        if time < self.last_time and (after is None or after <= self.last):
            self.anchor = (time, free)
            return free
        return None
