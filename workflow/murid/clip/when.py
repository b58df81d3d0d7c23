"""Moments of a segment as people write them. Standard library only: options are checked by it."""

import re
from datetime import datetime, timedelta

from murid import start_times

WRITTEN = "a time of day as 20:30 or 20:30:15, seconds from the segment's start as 90s, or a frame"
"""For messages."""
_FRAME = re.compile(r"[0-9]{1,9}")
_SECONDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?) ?s")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]{1,6})?))?")
_DAY = timedelta(days=1)


def check(text: str) -> str:
    """Return a text that tells a moment.

    Raises
    ------
    ValueError
        Saying what is expected.
    """
    if not any(form.fullmatch(text) for form in (_FRAME, _SECONDS, _CLOCK)):
        raise ValueError(WRITTEN)
    return text


def elapsed(text: str) -> float | None:
    """Return the seconds of a time of day that is meant as one from the start; None if it is none.

    Examples
    --------
    >>> elapsed("1:49"), elapsed("0:01:49.5"), elapsed("90s")
    (109.0, 109.5, None)
    """
    shown = _CLOCK.fullmatch(text)
    if not shown:
        return None
    parts = [float(part) for part in shown.groups() if part is not None]
    return sum(part * 60.0**place for place, part in enumerate(reversed(parts)))


def frame_of(text: str, start: str, fps: float) -> int:
    """Return the frame of a moment, from 0; perhaps one that the segment no longer has.

    Parameters
    ----------
    text
        As :func:`check` has it. A time of day is the first such after the segment's start.
    start
        When frame 0 was taken, as the sheet writes it, by whose clock times of day are.
    fps
        Frames per second.

    Raises
    ------
    ValueError
        If it is a time of day, and nothing tells the start.

    Examples
    --------
    >>> frame_of("90s", "", 25.0), frame_of("7", "", 25.0)
    (2250, 7)
    >>> frame_of("0:00:10", "2026-03-29T23:59:50+01:00", 25.0)
    500
    """
    if _FRAME.fullmatch(text):
        return int(text)
    if seconds := _SECONDS.fullmatch(text):
        return round(float(seconds[1]) * fps)
    if not start_times.is_time(start):
        raise ValueError("no time at which the segment started")
    # Its offset aside: a segment goes on by the clock that it began by.
    begun = datetime.fromisoformat(start).replace(tzinfo=None)
    hour, minute, second = _CLOCK.fullmatch(text).groups()  # type: ignore[union-attr]
    shown = timedelta(hours=int(hour), minutes=int(minute), seconds=float(second or 0))
    midnight = datetime.combine(begun, datetime.min.time())
    return round((midnight + shown - begun) % _DAY / timedelta(seconds=1) * fps)
