"""The survey of a video that is cut: what jobs must know that decode a part of it by itself."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

from murid.video.container import opened, packets
from murid.video.decoding import Decoding
from murid.video.seek import opened_at
from murid.video.survey import Survey, look, no_keys, undecodable

ENOUGH = 100
"""Packets after which a decoder has shown the first frame: it holds back some twenty."""


def survey_cut(path: Path) -> Survey:
    """Survey a video of which parts are to be decoded by themselves.

    Beside its packets being read, frames are decoded up to the first that does so soundly, and from
    a key frame on, since containers also mark packets so with which a picture only begins to be
    refreshed.

    Raises
    ------
    InputError
        If it cannot be opened, or no frame decodes.
    """
    survey = _with_first_frame(path, look(path, cut=True))
    return survey if _can_begin(path, survey) else replace(survey, keys=no_keys())


def _with_first_frame(path: Path, survey: Survey) -> Survey:
    """Add the size of the first frame, and when it is shown where only that tells the start."""
    with opened(path) as (container, stream):
        decoding = Decoding(survey.pace)
        coming = packets(container, stream)
        time, _ = next(decoding.frames(coming, stream, survey.by_order), (None, None))
        if decoding.size is None:
            raise undecodable(path, decoding.packets, stream)
    if survey.by_order:
        start = None if time is None else float(time)
        survey = replace(survey, pace=replace(survey.pace, start=start))
    return replace(survey, size=decoding.size)


def _can_begin(path: Path, survey: Survey) -> bool:
    """Tell whether decoding can begin at key frames, by trying it in up to three places."""
    _, places = survey.places(survey.pace)
    tried = {int(places[n]) for n in (1, len(places) // 2, -1)} if len(places) > 1 else {}
    return any(_begins(path, survey, place) for place in tried)


def _begins(path: Path, survey: Survey, place: int) -> bool:
    with opened_at(path, survey, survey.pace, place) as (stream, coming, begin):
        decoding = Decoding(survey.pace, size=survey.size, begin=begin)
        some = decoding.frames(islice(coming, ENOUGH), stream, survey.by_order)
        time, _ = next(some, (None, None))
    return begin > 0 and time is not None and survey.pace.place_of(time) == begin
