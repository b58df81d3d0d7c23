"""Single frames of a video, or of a part of it, without decoding all that is before them.

Each is the frame that :class:`murid.video.Reel` gives at its place: decoding begins at the key
frame next before it, where the survey of the video is certain of one, and else at the start.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from murid.errors import InputError
from murid.video.cutting import survey_cut
from murid.video.decoding import Decoding
from murid.video.grey import Frame, grey
from murid.video.seek import opened_at
from murid.video.survey import Survey
from murid.video.timing import Pace, place
from murid.video_part import WHOLE, Part

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Index:
    """Where the frames of a video, or of a part of it, are.

    Attributes
    ----------
    path
        The video.
    part
        Which part; places count from its first frame.
    survey, pace
        What its packets tell, and how timestamps become places.
    places
        Places that have a frame as far as it decodes, rising.
    keys
        Those of key frames from which decoding may begin.
    """

    path: Path
    part: Part
    survey: Survey
    pace: Pace
    places: Places
    keys: Places


def index(path: str | Path, fps: float | None = None, part: Part = WHOLE) -> Index:
    """Look where the frames of a video are; next to nothing is decoded.

    Parameters
    ----------
    path, fps, part
        As for :class:`murid.video.Reel`.

    Raises
    ------
    InputError
        If it cannot be opened, no frame decodes, or none is stored of the part.
    """
    path = Path(path)
    survey = survey_cut(path)
    pace = survey.pace.at_rate(fps, survey.tick)
    timed = pace.step is not None and len(survey.times) == survey.stored
    stamps = survey.times.tolist() if timed else [None] * survey.stored
    stored = [number for number, _ in place(((stamp, None) for stamp in stamps), pace)]
    places = _within(part, [number for number in stored if number is not None])
    if not len(places):
        raise InputError(path, f"no frame among its {part.written}", "a part of what is stored")
    keys = _within(part, survey.places(pace)[1].tolist())
    return Index(path, part, survey, pace, places, np.intersect1d(keys, places))


def _within(part: Part, numbers: Iterable[int]) -> Places:
    """Return places of a video as those of a part, as far as it has them."""
    return np.array([n - part.first for n in numbers if n >= 0 and part.holds(n)], dtype=np.int64)


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
        As :func:`murid.video.container.opened`.
    """
    there = sorted({*map(int, wanted)} & {*of.places.tolist()})
    _, keys = of.survey.places(of.pace)

    def key_before(number: int) -> int:
        return int(np.searchsorted(keys, number + of.part.first, side="right"))

    # What follows one key frame is decoded in one go.
    for _, several in groupby(there, key_before):
        yield from _in_one_go(of, list(several))


def _in_one_go(of: Index, wanted: list[int]) -> Iterator[tuple[int, Frame]]:
    """Give frames, decoding from the key frame before the first of them to the last."""
    first, last = (number + of.part.first for number in (wanted[0], wanted[-1]))
    left = {*wanted}
    # These are no first frames of a part, around which others would be looked at, too.
    with opened_at(of.path, of.survey, of.pace, first, passed_over=0) as (stream, coming, begin):
        decoding = Decoding(of.pace, Part(first, last), of.survey.size, begin)
        timed = decoding.frames(coming, stream, of.survey.by_order)
        for number, frame in place(timed, of.pace, begin):
            if number is not None and number > last:
                return
            if number is not None and number - of.part.first in left:
                left.remove(number - of.part.first)
                yield number - of.part.first, grey(frame)
