"""Decoding a video frame by frame, whatever it is that a file of that name holds."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

import av

from murid.errors import InputError
from murid.video.container import SIZELESS, opened, packets
from murid.video.footage import Footage
from murid.video.grey import Frame, grey
from murid.video.timing import Pace, find_pace, place


class Reel:
    """A video: iterate over it for frames with their places, then see what was found.

    A frame counts if it decodes soundly. After one that does not, those up to the next key frame
    are not trusted either, since they are changes of what was lost.

    Parameters
    ----------
    path
        Any container and codec that FFmpeg decodes.
    fps
        Frames per second of the segment, needed only where the video's own rate varies.
    """

    def __init__(self, path: str | Path, fps: float | None = None) -> None:
        self.path = Path(path)
        self.fps = fps
        self._footage: Footage | None = None

    @property
    def footage(self) -> Footage:
        """What was found; only after the end was reached."""
        if self._footage is None:
            raise RuntimeError("the video has not been decoded to its end")
        return self._footage

    def __iter__(self) -> Iterator[tuple[int, Frame]]:
        """Yield place and grey levels, (height, width) uint8, upright, of each frame in order.

        Raises
        ------
        InputError
            If the file is missing or empty, is no plain file or no video, is of a size that no
            camera gives, or not a single frame decodes.
        """
        return ((number, grey(frame)) for number, frame in self.decode())

    def decode(self) -> Iterator[tuple[int, av.VideoFrame]]:
        """Yield place and frame, as :meth:`__iter__`, without converting it."""
        pace, claimed, start = self._survey()
        run = _Run(pace)
        with opened(self.path) as (container, stream):
            order_only = container.format.name == "avi"
            for number, frame in place(run.frames(container, stream, order_only), pace):
                if run.takes(number):
                    run.footage.sight.see(number, frame)
                    yield number, frame
            codec = stream.codec_context.name
            sized = bool(stream.codec_context.width)
            tick = float(stream.time_base or 1)
        if not run.footage.length:
            found = f"{run.packets} packets ({codec}) of which no frame decodes"
            found += "" if sized else f": {SIZELESS}"
            raise InputError(self.path, found, "a video")
        run.finish(tick)
        self._footage = replace(run.footage, claimed=claimed, start=start)

    def _survey(self) -> tuple[Pace, int | None, float]:
        """Find the pace, what the header claims, and the first timestamp in seconds."""
        with opened(self.path) as (container, stream):
            tick = float(stream.time_base or 1)
            # The index of an AVI has places, but makes up the timestamps of reordered frames.
            order_only = container.format.name == "avi"
            stamps = array("q")
            hidden = 0
            try:
                for packet in packets(container, stream):
                    hidden += packet.is_discard
                    stamp = packet.dts if order_only or packet.pts is None else packet.pts
                    if packet.size and stamp is not None and not packet.is_discard:
                        stamps.append(stamp)
            except av.FFmpegError:
                pass  # What cannot be read is found out, and told, while decoding.
            pace = find_pace(stamps, tick, self.fps)
            claimed = max(stream.frames - hidden, 0) or None
            if claimed is None and pace.even:
                claimed = _implied(container, stream)
        if order_only:
            pace = replace(pace, start=None)
        return pace, claimed, (pace.start or 0.0) * tick


class _Run:
    """One pass over a video: what comes, and what is known by then."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self.footage = Footage(decoded=0)
        self.missing: list[tuple[int, int]] = []
        self.packets = 0
        self.latest: float | None = None
        self.last_time: float | None = None

    def frames(
        self, container: av.container.InputContainer, stream: av.VideoStream, order_only: bool
    ) -> Iterator[tuple[float | None, av.VideoFrame]]:
        """Yield timestamp and frame of all that decodes soundly and has the first one's size."""
        trusted = True
        size = None
        for frame in self._decoded(container, stream):
            if frame is None or frame.is_corrupt:
                trusted = False
            elif frame.key_frame:
                trusted = True
            if frame is None or not trusted:
                continue
            self.footage.decoded += 1
            size = size or (frame.width, frame.height)
            if (frame.width, frame.height) != size:
                self.footage.resized += 1
                continue
            if self.footage.size is None:
                turned = round(frame.rotation / 90) % 2
                self.footage.size = size[::-1] if turned else size
            time = frame.dts if order_only else frame.pts
            self.last_time = time if time is not None else self.last_time
            yield time, frame

    def _decoded(
        self, container: av.container.InputContainer, stream: av.VideoStream
    ) -> Iterator[av.VideoFrame | None]:
        """Yield frames as they are shown, and None for what fails to decode."""
        coming = packets(container, stream)
        while True:
            try:
                packet = next(coming, None)
                if packet is None:
                    return
                flush = packet.size == 0 and packet.dts is None and packet.pts is None
                if packet.size == 0 and not flush:
                    continue  # an AVI's word for "as before"; a decoder would take it for the end
            except av.FFmpegError:
                yield None
                flush, packet = True, None
            if packet is not None and not flush and not packet.is_discard:
                self.packets += 1
                if packet.pts is not None:
                    self.latest = max(packet.pts, self.latest or packet.pts)
            try:
                yield from stream.codec_context.decode(packet)
            except av.FFmpegError:
                yield None
            if flush:
                return

    def takes(self, number: int | None) -> TypeGuard[int]:
        """Note a frame's place; tell whether it has one."""
        if number is None:
            self.footage.placeless += 1
            return False
        self._miss_before(number)
        self.footage.length = number + 1
        return True

    def finish(self, tick: float) -> None:
        """Sum up, where the unit of timestamps is ``tick`` seconds."""
        footage, step, bounds = self.footage, self.pace.step, self.pace.bounds
        footage.reach = footage.length
        if step and self.latest is not None and self.last_time is not None:
            beyond = round((self.latest - self.last_time) / step)
            footage.reach += max(0, min(beyond, self.packets - footage.decoded + footage.resized))
        self._miss_before(footage.reach)
        footage.missing = tuple(self.missing)
        footage.rate = 1 / (step * tick) if step else None
        footage.even = self.pace.even or not step
        footage.bounds = (bounds[0] / tick, bounds[1] / tick) if bounds else None

    def _miss_before(self, number: int) -> None:
        """Note that places from the last frame to before ``number`` have none."""
        if number > self.footage.length:
            self.missing.append((self.footage.length, number - 1))


def read_frames(
    path: str | Path, frames: Iterable[int], fps: float | None = None
) -> Iterator[tuple[int, Frame]]:
    """Give some frames of a video, each with its place, in order.

    Everything before the last of them is decoded, since only so a frame's place is certain, but
    nothing else is converted. Frames that the video does not have are left out.

    Parameters
    ----------
    path
        The video.
    frames
        Places on the time line.
    fps
        As for :class:`Reel`.

    Raises
    ------
    InputError
        As :class:`Reel`.
    """
    wanted = set(frames)
    if not wanted:
        return
    last = max(wanted)
    for number, frame in Reel(path, fps).decode():
        if number in wanted:
            yield number, grey(frame)
        if number >= last:
            break


def inspect(path: str | Path, fps: float | None = None) -> Footage:
    """Decode a whole video, only to see what becomes of it.

    Raises
    ------
    InputError
        As :class:`Reel`.
    """
    reel = Reel(path, fps)
    for _ in reel.decode():
        pass
    return reel.footage


def _implied(container: av.container.InputContainer, stream: av.VideoStream) -> int | None:
    """Return how many frames the header's duration and rate amount to, if it has them."""
    known = container.format.name == "matroska,webm"  # others guess their duration
    if not (known and container.duration and stream.average_rate):
        return None
    return round(container.duration / av.time_base * float(stream.average_rate)) or None
