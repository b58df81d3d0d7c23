"""Opening a video at a place, so that what is before it need not be decoded."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np

from murid.video.container import opened, packets
from murid.video.survey import Survey, stamp_of
from murid.video.timing import Pace

EARLIER = 1
"""Key frames that are passed over, next before the place: a picture that is refreshed bit by bit is
whole only some time after the one that begins it."""


class Opened(NamedTuple):
    """An open video, and what is to be decoded of it."""

    stream: av.VideoStream
    coming: Iterator[av.Packet]
    begin: int
    """Place of the key frame that it begins with; 0: it begins with the first packet."""


@contextmanager
def opened_at(path: Path, survey: Survey, pace: Pace, place: int) -> Iterator[Opened]:
    """Open a video so far before a place that the frame there decodes as in the whole video.

    Where nothing can be sought, or what is found is no key frame of the survey, decoding begins
    with the first packet.

    Raises
    ------
    InputError
        As :func:`murid.video.container.opened`.
    """
    times, places = survey.places(pace)
    last = int(np.searchsorted(places, place, side="right")) - 1
    known = dict(zip(times.tolist(), places.tolist(), strict=True))
    back = EARLIER
    while last - back >= 0:
        with opened(path) as (container, stream):
            wanted = int(times[last - back])
            first = _seek(container, stream, wanted, survey.by_order, known)
            if first is not None:
                begin = known[stamp_of(first, survey.by_order)]
                yield Opened(stream, chain([first], packets(container, stream)), begin)
                return
        back *= 4
    with opened(path) as (container, stream):
        yield Opened(stream, packets(container, stream), 0)


def _seek(
    container: av.container.InputContainer,
    stream: av.VideoStream,
    wanted: int,
    by_order: bool,
    known: dict[int, int],
) -> av.Packet | None:
    """Return the packet of a known key frame, at a time or before it; None if it is not found."""
    try:
        container.seek(wanted, stream=stream, backward=True)
        for packet in packets(container, stream):
            stamp = stamp_of(packet, by_order)
            if not packet.is_keyframe or stamp is None:
                continue
            if stamp > wanted:
                return None
            if stamp in known and packet.size and not packet.is_discard:
                return packet
    except av.FFmpegError:
        pass  # What cannot be sought is decoded from its start.
    return None
