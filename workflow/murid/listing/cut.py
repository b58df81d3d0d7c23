"""Long recordings become several segments, each a part of the same video."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from murid.listing.findings import Findings
from murid.listing.recordings import Recording
from murid.sheet import NAME

UNCUT = "recordings not cut, since nothing tells how long they last"
UNTIMED = "recordings not cut, since nothing tells when they start"
TOO_LONG_NAMES = "recordings not cut, since the names of their parts would be too long"
REST = 0.1
"""Of a part: so much more or less of a recording makes no part of its own."""


def into_parts(
    timed: Iterable[Recording], length: timedelta, fps: float, findings: Findings
) -> list[Recording]:
    """Return the parts of recordings that last longer than a segment, and the others as they are.

    Parameters
    ----------
    timed
        Recordings that know how long they last.
    length
        Of a segment.
    fps
        Frames per second.
    findings
        Gets those that cannot be cut.
    """
    parts: list[Recording] = []
    for one in timed:
        count = _count(one, length)
        fault = _fault(one, count)
        if fault:
            findings.add(fault, one.label, one.path)
        if fault or count < 2 or one.start is None:
            parts.append(one)
            continue
        edges = [round(number * length.total_seconds() * fps) for number in range(count)]
        digits = max(2, len(str(count)))
        for number, first in enumerate(edges):
            start = one.start + timedelta(seconds=first / fps)
            last = number == count - 1
            part = replace(
                one,
                segment=f"{one.segment}_{number + 1:0{digits}d}",
                start=start,
                frames=(first, None if last else edges[number + 1] - 1),
            )
            if one.lasts and not last:
                part = replace(part, lasts=length, next_start=start + length)
            elif one.lasts:
                part = replace(part, lasts=one.lasts - (start - one.start))
            parts.append(part)
    return parts


def _count(one: Recording, length: timedelta) -> int:
    """Return how many parts a recording has; a rest that is short belongs to the last."""
    if one.lasts is None:
        return 1
    return max(1, int(one.lasts / length + 1 - REST))


def _fault(one: Recording, count: int) -> str:
    """Tell why a recording cannot be cut; "" if it can be, or needs not."""
    if one.lasts is None:
        return UNCUT
    if count < 2:
        return ""
    if one.start is None:
        return UNTIMED
    return "" if NAME.fullmatch(f"{one.segment}_{count:02d}") else TOO_LONG_NAMES
