"""One pass over a video or a part of it: what decodes soundly, and what is known by then."""

from collections.abc import Iterator

import av

from murid.video.footage import Footage
from murid.video.timing import Pace
from murid.video_part import WHOLE, Part


class Decoding:
    """What comes while a part of a video is decoded.

    A frame counts if it decodes soundly. After one that does not, those up to the next key frame
    are not trusted either, since they are changes of what was lost.

    Parameters
    ----------
    pace
        How timestamps become places.
    part
        What counts; frames before and after it may come, too.
    size
        Width and height, as stored, of the frames that count; None: those of the first that comes.
    begin
        Place of the key frame that packets begin with; 0: they are all of the video's.
    """

    def __init__(
        self,
        pace: Pace,
        part: Part = WHOLE,
        size: tuple[int, int] | None = None,
        begin: int = 0,
    ) -> None:
        self.pace = pace
        self.part = part
        self.size = size
        self.footage = Footage(decoded=0)
        self.missing: list[tuple[int, int]] = []
        self.packets = 0
        """Those of the part."""
        self.latest: float | None = None
        self.last_time: float | None = None
        # What comes before the first key frame are changes of what was passed over.
        self._trusted = begin == 0
        self._expected = begin
        self._passed = False

    def frames(
        self, coming: Iterator[av.Packet], stream: av.VideoStream, by_order: bool
    ) -> Iterator[tuple[float | None, av.VideoFrame]]:
        """Yield timestamp and frame of all that decodes soundly and has the first one's size."""
        for frame in self._decoded(coming, stream, by_order):
            if frame is None or frame.is_corrupt:
                self._trusted = False
            elif frame.key_frame:
                self._trusted = True
            if frame is None or not self._trusted:
                continue
            time = frame.dts if by_order else frame.pts
            within = self._within(time)
            self.footage.decoded += within
            self.size = self.size or (frame.width, frame.height)
            if (frame.width, frame.height) != self.size:
                self.footage.resized += within
                continue
            if self.footage.size is None:
                turned = round(frame.rotation / 90) % 2
                self.footage.size = self.size[::-1] if turned else self.size
            self.last_time = time if time is not None else self.last_time
            self._expected = self._meant(time) + 1
            yield time, frame

    def _decoded(
        self, coming: Iterator[av.Packet], stream: av.VideoStream, by_order: bool
    ) -> Iterator[av.VideoFrame | None]:
        """Yield frames as they are shown, and None for what fails to decode."""
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
                self.packets += self._within(packet.dts if by_order else packet.pts)
                if packet.pts is not None:
                    self.latest = max(packet.pts, self.latest or packet.pts)
            try:
                yield from stream.codec_context.decode(packet)
            except av.FFmpegError:
                yield None
            if flush:
                return

    def _meant(self, time: float | None) -> int:
        """Return the place that a timestamp means, or else the next one."""
        place = None if time is None else self.pace.place_of(time)
        return self._expected if place is None else place

    def _within(self, time: float | None) -> bool:
        return self.part.whole or self.part.holds(self._meant(time))

    def passes(self, number: int | None) -> bool:
        """Tell whether the part has ended before a place, and note it."""
        last = self.part.last
        self._passed = last is not None and number is not None and number > last
        return self._passed

    def take(self, number: int | None, time: float | None) -> int | None:
        """Note a frame's place, of the video; return its place in the part, if it has one."""
        if number is None:
            self.footage.placeless += self._within(time)
            return None
        number -= self.part.first
        if number < 0:
            return None
        self._miss_before(number)
        self.footage.length = number + 1
        return number

    def finish(self, tick: float) -> None:
        """Sum up, where the unit of timestamps is ``tick`` seconds."""
        footage, step, bounds = self.footage, self.pace.step, self.pace.bounds
        footage.reach = footage.length
        if step and self.latest is not None and self.last_time is not None:
            beyond = round((self.latest - self.last_time) / step)
            footage.reach += max(0, min(beyond, self.packets - footage.decoded + footage.resized))
        if self.part.length is not None:
            # A frame behind the part says that all of it was recorded.
            reach = self.part.length if self._passed else footage.reach
            footage.reach = min(reach, self.part.length)
        self._miss_before(footage.reach)
        footage.missing = tuple(self.missing)
        footage.rate = 1 / (step * tick) if step else None
        footage.even = self.pace.even or not step
        footage.bounds = (bounds[0] / tick, bounds[1] / tick) if bounds else None

    def _miss_before(self, number: int) -> None:
        """Note that places from the last frame to before ``number`` have none."""
        if number > self.footage.length:
            self.missing.append((self.footage.length, number - 1))
