"""Decoding a video frame by frame, whatever it is that a file of that name holds."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import av

from murid.errors import InputError
from murid.video import survey_table
from murid.video.cutting import survey_cut
from murid.video.decoding import Decoding
from murid.video.footage import Footage
from murid.video.grey import Frame, grey
from murid.video.seek import opened_at
from murid.video.survey import Survey, look, undecodable
from murid.video.timing import Pace, place
from murid.video_part import WHOLE, Part


class Reel:
    """A video, or a part of it: iterate over it for frames with their places, then see what was
    found.

    A frame counts if it decodes soundly, as :class:`murid.video.decoding.Decoding` has it. Those of
    a part are the same, at the same places, as if the whole video had been decoded.

    Parameters
    ----------
    path
        Any container and codec that FFmpeg decodes.
    fps
        Frames per second of the segment, needed only where the video's own rate varies.
    part
        Which part; places count from its first frame.
    """

    def __init__(self, path: str | Path, fps: float | None = None, part: Part = WHOLE) -> None:
        self.path = Path(path)
        self.fps = fps
        self.part = part
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
            camera gives, or not a single frame decodes, of the part or at all.
        """
        return ((number, grey(frame)) for number, frame in self.decode())

    def decode(self) -> Iterator[tuple[int, av.VideoFrame]]:
        """Yield place and frame, as :meth:`__iter__`, without converting it."""
        survey, part = self._survey(), self.part
        pace = survey.pace.at_rate(self.fps, survey.tick)
        with opened_at(self.path, survey, pace, part.first) as (stream, coming, begin):
            decoding = Decoding(pace, part, survey.size, begin)
            timed = decoding.frames(coming, stream, survey.by_order)
            for number, (time, frame) in place(((t, (t, f)) for t, f in timed), pace, begin):
                if decoding.passes(number):
                    break
                within = decoding.take(number, time)
                if within is not None:
                    decoding.footage.sight.see(within, frame)
                    yield within, frame
            if not decoding.footage.length:
                raise self._nothing(survey, pace, decoding, stream)
        decoding.finish(survey.tick)
        start = 0.0 if part.first else (pace.start or 0.0) * survey.tick
        claimed = survey.claimed
        if not part.whole:
            unstored = survey.unstored(part, pace)
            claimed = None if unstored is None else decoding.packets + unstored
        self._footage = replace(decoding.footage, claimed=claimed, start=start)

    def _survey(self) -> Survey:
        if self.part.survey is not None:
            return survey_table.read(self.part.survey, self.path)
        return look(self.path) if self.part.whole else survey_cut(self.path)

    def _nothing(
        self, survey: Survey, pace: Pace, decoding: Decoding, stream: av.VideoStream
    ) -> InputError:
        """Tell of a video, or a part of it, of which no frame decodes."""
        if self.part.whole:
            return undecodable(self.path, decoding.packets, stream)
        last = survey.last(pace)
        there = f"{survey.stored} frames" if last is None else f"frames 0 to {last}"
        return InputError(
            self.path, f"no frame that decodes among its {self.part.written}",
            f"a part of what is stored, {there}",
            remedy="Look at first_frame and last_frame in the sheet.",
        )  # fmt: skip


def read_frames(
    path: str | Path, frames: Iterable[int], fps: float | None = None, part: Part = WHOLE
) -> Iterator[tuple[int, Frame]]:
    """Give some frames of a video, each with its place, in order.

    Everything before the last of them, from the key frame before the part, is decoded, since only
    so a frame's place is certain, but nothing else is converted. Frames that the video does not
    have are left out.

    Parameters
    ----------
    path
        The video.
    frames
        Places on the time line, of the part.
    fps, part
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
    for number, frame in Reel(path, fps, part).decode():
        if number in wanted:
            yield number, grey(frame)
        if number >= last:
            break


def inspect(path: str | Path, fps: float | None = None, part: Part = WHOLE) -> Footage:
    """Decode a whole video, or a part of it, only to see what becomes of it.

    Raises
    ------
    InputError
        As :class:`Reel`.
    """
    reel = Reel(path, fps, part)
    for _ in reel.decode():
        pass
    return reel.footage
