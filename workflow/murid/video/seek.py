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

PASSED_OVER = 1
"""Key frames next before a place that decoding does not begin at: the frames around one may be
changes of the one before."""


class Opened(NamedTuple):
    """An open video, and what is to be decoded of it."""

    stream: av.VideoStream
    coming: Iterator[av.Packet]
    begin: int
    """Place of the key frame that it begins with; 0: it begins with the first packet."""


@contextmanager
def opened_at(
    path: Path, survey: Survey, pace: Pace, place: int, passed_over: int = PASSED_OVER
) -> Iterator[Opened]:
    """Open a video so far before a place that the frame there decodes as in the whole video.

    Where nothing can be sought, or what is found is no key frame of the survey, decoding begins
    with the first packet.

    Parameters
    ----------
    path, survey, pace
        The video, and what is known of it.
    place
        Of the first frame that is wanted.
    passed_over
        Key frames next before it that decoding does not begin at; 0 does where single frames are
        wanted, and no others around a key frame.

    Raises
    ------
    InputError
        As :func:`murid.video.container.opened`.
    """
    times, places = survey.places(pace)
    end = max(int(np.searchsorted(places, place, side="right")) - passed_over, 0)
    fit = dict(zip(times[:end].tolist(), places[:end].tolist(), strict=True))
    back = 1
    while back <= end:
        # Some containers are sought by when packets come, which is earlier than they are shown.
        with opened(path) as (container, stream):
            first = _seek(container, stream, int(times[end - back]), survey.by_order, fit)
            if first is not None:
                packet, begin = first
                yield Opened(stream, chain([packet], packets(container, stream)), begin)
                return
        back *= 2
    with opened(path) as (container, stream):
        yield Opened(stream, packets(container, stream), 0)


def _seek(
    container: av.container.InputContainer,
    stream: av.VideoStream,
    time: int,
    by_order: bool,
    fit: dict[int, int],
) -> tuple[av.Packet, int] | None:
    """Go to a time, and return the first packet that is one of key frames, and its place.

    ``fit`` are the places of the key frames that will do, by their times; None if the first that
    is found comes behind them.
    """
    latest = max(fit)
    try:
        container.seek(time, stream=stream, backward=True)
        for packet in packets(container, stream):
            stamp = stamp_of(packet, by_order)
            if not packet.is_keyframe or stamp is None:
                continue
            if stamp > latest:
                return None
            if stamp in fit and packet.size and not packet.is_discard:
                return packet, fit[stamp]
    except av.FFmpegError:
        pass  # What cannot be sought is decoded from its start.
    return None
