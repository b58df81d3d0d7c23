"""From timestamps to places on a segment's time line."""

import heapq
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")

REORDERED = 17
"""Packets among which the earliest frame is: codecs reorder at most sixteen."""
MIN_EVEN = 0.95
"""Share of the spacings that must be whole steps for a video to count as evenly timed."""
LOOSE = 0.2
"""Steps by which a spacing may be off a whole number of them."""
APART = 0.5
"""Steps by which counting and the clock may disagree on a frame of an evenly timed video."""
LOCAL = 25
"""Frames over which the rate is averaged to say within which bounds it varies."""


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
        Whether the video itself keeps this pace, from its first frame to its last.
    bounds
        Where it does not: frames a tick at its slowest and its fastest, but for a twentieth of the
        frames at either end.
    """

    start: float | None = None
    step: float | None = None
    even: bool = False
    bounds: tuple[float, float] | None = None

    def at_rate(self, fps: float | None, tick: float) -> "Pace":
        """Return the pace of a segment of ``fps``, which a video that keeps its own does not heed.

        ``tick`` is how many seconds a tick is.
        """
        if self.even or self.step is None or not fps:
            return self
        return replace(self, step=1 / (fps * tick))

    def place_of(self, time: float) -> int | None:
        """Return the place that a timestamp means by itself, as far as that is known."""
        if self.start is None or self.step is None:
            return None
        return round((time - self.start) / self.step)


def find_pace(stamps: Sequence[int], tick: float, fps: float | None) -> Pace:
    """Find the pace of a video from the timestamps of all its packets.

    Where counting steps from frame to frame leads to the same places as a clock of one constant
    rate, from the first frame to the last, that is the video's own pace, whatever the sheet says:
    frames then lie where they would without the gaps. Else (variable frame rate, or one that
    wanders) the time line has ``fps`` places a second, or, if that is unknown, one a median
    spacing.

    Parameters
    ----------
    stamps
        Timestamps, ticks, in the order of the packets.
    tick
        Seconds a tick.
    fps
        Frames per second of the segment.
    """
    times = as_shown(stamps)
    distinct = len(np.unique(times))
    if distinct < 2 or 2 * distinct <= len(times):
        return Pace()
    spacings = np.diff(times).astype(np.float64)
    ahead = spacings[spacings > 0]
    step = float(np.percentile(ahead, 25, method="nearest"))
    for _ in range(3):  # What is known of a step from short gaps tells how many are in a long one.
        steps = np.where(spacings > 0, np.maximum(np.rint(spacings / step), 1), 0)
        off = np.abs(spacings - steps * step)
        tolerance = max(1.01, LOOSE * step)
        whole = (off <= np.minimum(tolerance * np.maximum(steps, 1), step / 2)) & (spacings > 0)
        if whole.sum() < MIN_EVEN * len(spacings) or np.median(steps) > 3:
            break
        near = whole & (steps <= np.percentile(steps[whole], 95))
        step = float(spacings[near].sum() / steps[near].sum())
    else:
        start = _keeps(times, steps, step)
        if start is not None:
            return Pace(start, step, even=True)
    own = Pace(float(times[0]), float(np.median(ahead)), bounds=_bounds(times))
    return own.at_rate(fps, tick)


def as_shown(stamps: Sequence[int]) -> NDArray[np.int64]:
    """Put timestamps into the order in which a decoder shows them.

    It holds back a few; where timestamps start anew, it goes on with the new ones.
    """
    held: list[int] = []
    shown = array("q")
    for stamp in stamps:
        if len(held) < REORDERED:
            heapq.heappush(held, stamp)
        else:
            shown.append(heapq.heappushpop(held, stamp))
    shown.extend(sorted(held))
    return np.asarray(shown, dtype=np.int64)


def _keeps(times: NDArray[np.int64], steps: NDArray[np.float64], step: float) -> float | None:
    """Return where a clock of this step starts, None if the frames do not keep it."""
    spacings = np.diff(times)
    # Where timestamps go back, the clock starts anew; all in between must keep to one.
    counted = np.concatenate([[0.0], np.cumsum(steps)])
    # Differences first: large timestamps have no digits left for a fraction of a step.
    starts = np.split((times - times[0]) - counted * step, np.flatnonzero(spacings < 0) + 1)
    middles = [float(np.median(run)) for run in starts]
    runs = zip(starts, middles, strict=True)
    apart = sum(int((np.abs(run - middle) > APART * step).sum()) for run, middle in runs)
    if apart > (1 - MIN_EVEN) * len(times):
        return None
    return float(times[0]) + min(max(middles[0], -APART * step), APART * step)


def _bounds(times: NDArray[np.int64]) -> tuple[float, float] | None:
    frames = min(LOCAL, len(times) - 1)
    taken = (times[frames:] - times[:-frames]).astype(np.float64)
    rates = frames / taken[taken > 0]
    if not len(rates):
        return None
    slowest, fastest = np.percentile(rates, [5, 95])
    return float(slowest), float(fastest)


def place(
    items: Iterable[tuple[float | None, Item]], pace: Pace, first: int = 0
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
    first
        Place before which no frame is put, where the first frames are not among the items.

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
    clock = _Clock(pace, first)
    waiting: tuple[float | None, Item] | None = None
    for now in items:
        if waiting is not None:
            yield clock.place(waiting[0], now[0]), waiting[1]
        waiting = now
    if waiting is not None:
        yield clock.place(waiting[0], None), waiting[1]


class _Clock:
    def __init__(self, pace: Pace, first: int) -> None:
        self.pace = pace
        self.step = pace.step or 1.0
        self.anchor = (pace.start or 0.0, 0)
        self.started = pace.start is not None
        self.last = first - 1
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
            if after is None or not self.last < after < natural:
                return natural
            return free if after > free else None
        if after is not None and after > free:
            return free
        if time < self.last_time and (after is None or after <= self.last):
            self.anchor = (time, free)
            return free
        return None
