"""Single frames of a video, by their places, without decoding all that is before them.

The place of a frame is what its timestamp says (:mod:`murid.video.timing`), so that it is known
after a jump too, if no two frames claim one place. Of any other video all is decoded.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from murid import video
from murid.errors import InputError
from murid.video import Frame, grey
from murid.video.container import opened, packets
from murid.video.timing import REORDERED, find_pace

Places = NDArray[np.int64]

TRIED = 3
"""Key frames that are tried, from the nearest one back, before the beginning of the video is."""


@dataclass(frozen=True)
class Index:
    """Where the frames of a video are.

    Attributes
    ----------
    path
        The video.
    fps
        Frames per second of its segment.
    places
        Places that have a frame as far as it decodes, rising.
    keys
        Those of key frames, from which decoding may begin; none if places are known by counting
        alone.
    start, step
        Timestamp of place 0, and ticks from a place to the next.
    """

    path: Path
    fps: float | None
    places: Places
    keys: Places
    start: float = 0.0
    step: float = 1.0

    def at(self, stamp: float) -> int:
        """Return the place of a timestamp, as the detector counts it."""
        return round((stamp - self.start) / self.step)

    def stamp(self, place: int) -> int:
        """Return the timestamp of a place, rounded up to a whole tick."""
        return int(np.ceil(self.start + place * self.step))


def index(path: str | Path, fps: float | None = None) -> Index:
    """Look where the frames of a video are; nothing is decoded.

    Raises
    ------
    InputError
        As :class:`murid.video.Reel`, but for what only decoding shows; or if no frame is stored.
    """
    path = Path(path)
    stamps: list[int | None] = []
    is_key: list[bool] = []
    with opened(path) as (container, stream):
        tick, by_order = float(stream.time_base or 1), container.format.name == "avi"
        try:
            for packet in packets(container, stream):
                if packet.size and not packet.is_discard:
                    stamps.append(packet.pts)
                    is_key.append(packet.is_keyframe)
        except av.FFmpegError:
            pass  # What is after damage is not picked.
    if not stamps:
        raise InputError(path, "no frame", "a video")
    told = [stamp for stamp in stamps if stamp is not None]
    counted = Index(path, fps, np.arange(len(stamps)), np.zeros(0, np.int64))
    pace = find_pace(told, tick, fps) if told else None
    if by_order or len(told) < len(stamps) or not pace or pace.step is None or pace.start is None:
        return counted
    timed = np.asarray(told, dtype=np.float64)
    places = np.rint((timed - pace.start) / pace.step).astype(np.int64)
    late = (np.maximum.accumulate(places) - places).max()
    if places.min() < 0 or len(np.unique(places)) < len(places) or late > REORDERED:
        return counted
    keys = np.sort(places[np.asarray(is_key)])
    return Index(path, fps, np.sort(places), keys, pace.start, pace.step)


def read(of: Index, wanted: Iterable[int]) -> Iterator[tuple[int, Frame]]:
    """Give some frames of a video, each with its place, in order.

    Frames that the video does not have, or that do not decode soundly, are left out.

    Parameters
    ----------
    of
        Where the frames are.
    wanted
        Places.

    Yields
    ------
    Place, and grey levels as :func:`murid.video.read_frames` gives them.

    Raises
    ------
    InputError
        As :class:`murid.video.Reel`.
    """
    wanted = sorted({*map(int, wanted)} & {*of.places.tolist()})
    if not len(of.keys):
        yield from video.read_frames(of.path, wanted, of.fps)
        return
    with opened(of.path) as (container, stream):
        position = _Position(of, container, stream)
        while wanted:
            try:
                frame = position.go_to(wanted[0])
            except _LostError:
                break
            place = wanted.pop(0)
            if frame is not None:
                yield place, grey(frame)
    yield from video.read_frames(of.path, wanted, of.fps)


class _LostError(Exception):
    """No jump leads to a key frame at or before a place."""


class _Position:
    """How far a video is decoded."""

    def __init__(
        self, of: Index, container: av.container.InputContainer, stream: av.VideoStream
    ) -> None:
        self.of, self.container, self.stream = of, container, stream
        self.coming: Iterator[tuple[int, av.VideoFrame]] = iter(())
        self.reached: int | None = None

    def go_to(self, place: int) -> av.VideoFrame | None:
        """Return the frame of a place; None if it does not decode."""
        number = int(np.searchsorted(self.of.keys, place, side="right")) - 1
        key = int(self.of.keys[max(number, 0)])
        on_the_way = self.reached is not None and key <= self.reached < place
        if not on_the_way:
            self._jump(number)
        for at, frame in self.coming:
            self.reached = at
            if at == place:
                return frame
            if at > place:
                break
        self.reached = None
        return None

    def _jump(self, number: int) -> None:
        """Begin at a key frame, or before it where the container jumps too far.

        Raises
        ------
        _LostError
            If every jump leads beyond it.
        """
        keys = self.of.keys[: max(number, 0) + 1]
        stamps = [self.of.stamp(int(key)) for key in keys[-1 : -TRIED - 1 : -1]]
        for stamp in (*stamps, min(0, self.of.stamp(0))):
            self.container.seek(stamp, stream=self.stream)
            self.coming = self._sound()
            first = next(self.coming, None)
            if first is not None and first[0] <= keys[-1]:
                self.coming = itertools.chain([first], self.coming)
                return
        raise _LostError

    def _sound(self) -> Iterator[tuple[int, av.VideoFrame]]:
        """Yield places and frames from the next key frame on, as far as they decode soundly."""
        trusted = False
        try:
            for packet in packets(self.container, self.stream):
                for frame in self.stream.codec_context.decode(packet):
                    trusted = not frame.is_corrupt and (trusted or bool(frame.key_frame))
                    if trusted and frame.pts is not None:
                        yield self.of.at(frame.pts), frame
        except av.FFmpegError:
            return
