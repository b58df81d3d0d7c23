"""What the packets of a video tell before it is decoded: its pace, and where decoding may begin."""

import heapq
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from murid.errors import InputError
from murid.video.container import SIZELESS, opened, packets
from murid.video.timing import REORDERED, Pace, as_shown, find_pace
from murid.video_part import Part

EVERY = 1.0
"""Seconds from one key frame that is kept to the next, at least: videos may have nothing else."""

Keys = NDArray[np.int64]
"""(n, 3): timestamps of key frames, and of the frames shown before and after each, ticks."""


def no_keys() -> Keys:
    """Return key frames of a video that must be decoded from its start."""
    return np.empty((0, 3), np.int64)


def no_times() -> NDArray[np.int64]:
    """Return the timestamps of a video of which they are not kept."""
    return np.empty(0, np.int64)


@dataclass(frozen=True)
class Survey:
    """What is known of a video from its packets.

    Attributes
    ----------
    pace
        The video's own.
    tick
        Seconds a tick, the unit of timestamps.
    claimed
        Frames that the header claims, if it does.
    stored
        Packets that are to be shown.
    tail
        The latest timestamps, rising, ticks; as many as frames may be reordered.
    by_order
        Whether frames are known by the order of their packets: the index of an AVI has places, but
        makes up the timestamps of reordered frames.
    size
        Width and height, as stored, of the first frame that decodes, pixels; not known of a video
        that is decoded from its start.
    keys
        Key frames at which decoding may begin, since no timestamp around them leaves a doubt about
        their place; by time.
    times
        Timestamps of the frames that have one, in the order shown, ticks: of a survey that was just
        made and looked for key frames. No table has them.
    """

    pace: Pace
    tick: float
    claimed: int | None
    stored: int
    tail: tuple[int, ...]
    by_order: bool
    size: tuple[int, int] | None = None
    keys: Keys = field(default_factory=no_keys, compare=False)
    times: NDArray[np.int64] = field(default_factory=no_times, compare=False)

    def last(self, pace: Pace) -> int | None:
        """Return the place of the last frame that is stored, as far as timestamps tell."""
        return pace.place_of(self.tail[-1]) if self.tail else None

    def unstored(self, part: Part, pace: Pace) -> int | None:
        """Return how many frames of a part the header claims that are not stored, if it tells.

        They were to follow at the end; the last that are stored may be shown after some of them.
        """
        places = [place for time in self.tail if (place := pace.place_of(time)) is not None]
        if self.claimed is None or self.by_order or not places:
            return None
        claimed = max(self.claimed - self.stored, 0)
        near = range(max(places[0], places[-1] - REORDERED), places[-1])
        among = [place for place in near if place not in places][:claimed]
        first, last = places[-1] + 1, places[-1] + claimed - len(among)
        if part.last is not None:
            last = min(last, part.last)
        behind = max(last - max(first, part.first) + 1, 0)
        return sum(map(part.holds, among)) + behind

    def places(self, pace: Pace) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return time and place of the key frames that have a place of their own at a pace."""
        if pace.start is None or pace.step is None or not len(self.keys):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        places = np.rint((self.keys - pace.start) / pace.step).astype(np.int64)
        alone = (places[:, 1] < places[:, 0]) & (places[:, 0] < places[:, 2]) & (places[:, 0] > 0)
        return self.keys[alone, 0], places[alone, 0]


def stamp_of(packet: av.Packet, by_order: bool) -> int | None:
    """Return the timestamp that a packet's frame is placed by."""
    return packet.dts if by_order or packet.pts is None else packet.pts


def look(path: Path, cut: bool = False) -> Survey:
    """Read all packets of a video.

    Parameters
    ----------
    path
        The video.
    cut
        Whether to look for key frames, too.

    Raises
    ------
    InputError
        As :func:`murid.video.container.opened`.
    """
    with opened(path) as (container, stream):
        tick = float(stream.time_base or 1)
        by_order = container.format.name == "avi"
        stamps, keys = array("q"), array("q")
        hidden = stored = 0
        # Reordered frames of an AVI, and frames without a timestamp, are where those before say.
        certain = not (by_order and stream.codec_context.has_b_frames)
        try:
            for packet in packets(container, stream):
                hidden += packet.is_discard
                if not packet.size or packet.is_discard:
                    continue
                stored += 1
                stamp = stamp_of(packet, by_order)
                certain &= stamp is not None and (by_order or packet.pts is not None)
                if stamp is not None:
                    stamps.append(stamp)
                    if packet.is_keyframe:
                        keys.append(stamp)
        except av.FFmpegError:
            pass  # What cannot be read is found out, and told, while decoding.
        pace = find_pace(stamps, tick, None)
        claimed = max(stream.frames - hidden, 0) or None
        if claimed is None and pace.even:
            claimed = _implied(container, stream)
    if by_order:
        pace = replace(pace, start=None)
    tail = tuple(sorted(set(heapq.nlargest(REORDERED, stamps))))
    survey = Survey(pace, tick, claimed, stored, tail, by_order)
    if not cut:
        return survey
    times = as_shown(stamps)
    certain_keys = _certain(times, keys, tick) if certain else no_keys()
    return replace(survey, times=times, keys=certain_keys)


def _certain(times: NDArray[np.int64], keys: Sequence[int], tick: float) -> Keys:
    """Return the key frames before the first moment that goes back or comes twice.

    What follows one may be moved by it, and more so as it may have been made up.
    """
    back = np.flatnonzero(np.diff(times) <= 0)
    rising = times[: back[0] + 1] if len(back) else times
    later = times[len(rising) :].min() if len(back) else np.iinfo(np.int64).max
    at = np.flatnonzero(np.isin(rising, np.asarray(keys, dtype=np.int64)))
    at = at[(at > 0) & (at < len(rising) - 1)]
    at = at[rising[at] < later]
    if not len(at):
        return no_keys()
    _, first = np.unique(((rising[at] - times[0]) * (tick / EVERY)).astype(np.int64), True)
    at = at[first]
    return np.column_stack([rising[at], rising[at - 1], np.minimum(rising[at + 1], later)])


def undecodable(path: Path, count: int, stream: av.VideoStream) -> InputError:
    """Tell of a video of whose ``count`` packets none decodes."""
    found = f"{count} packets ({stream.codec_context.name}) of which no frame decodes"
    return InputError(path, found + f": {SIZELESS}" * (not stream.codec_context.width), "a video")


def _implied(container: av.container.InputContainer, stream: av.VideoStream) -> int | None:
    """Return how many frames the header's duration and rate amount to, if it has them."""
    known = container.format.name == "matroska,webm"  # others guess their duration
    if not (known and container.duration and stream.average_rate):
        return None
    return round(container.duration / av.time_base * float(stream.average_rate)) or None
