"""A visual tracker that a human seeds: the paper's comparison with SiamMask (Sect. 5.2).

In every snippet, the animals' annotated boxes in one frame near the middle start a tracker each,
which is run forwards and backwards to either end. Nothing else is known to it: no antennas and no
detections. It is one more method to compare, and covers the snippets alone.
"""

import ctypes
import logging
import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, tables, video
from murid.errors import InputError
from murid.settings import TRACKER_MODELS, Evaluate, TrackVisually
from murid.truth import evaluated_frames, ground_truth
from murid.video import Frame

log = logging.getLogger(__name__)

MIN_SIDE = 4
"""Pixels; smaller boxes show too little to track."""
Make = Callable[[], Any]
"""Makes a tracker with OpenCV's ``init`` and ``update``."""


@dataclass(frozen=True)
class Snippet:
    """A stretch of a segment to track.

    Attributes
    ----------
    first, last
        Its frames, both included.
    seed
        The annotated frame that is started from.
    boxes
        The box in it of each animal that it shows, ``x, y, w, h`` in pixels of the raw frame.
    """

    first: int
    last: int
    seed: int
    boxes: dict[str, NDArray[np.float64]]


def snippets(frames: pd.DataFrame, truth: pd.DataFrame) -> list[Snippet]:
    """Choose where to start: the frame nearest to the middle among those that show most animals.

    Parameters
    ----------
    frames
        Columns ``frame`` and ``snippet``, as :func:`murid.truth.evaluated_frames` gives.
    truth
        Columns ``frame``, ``animal``, ``x, y, w, h``, as :func:`murid.truth.ground_truth` gives.

    Returns
    -------
    In the order of frames; a snippet that shows no animal at all is left out.
    """
    chosen = []
    for _, numbers in frames.groupby("snippet")["frame"]:
        first, last = int(numbers.min()), int(numbers.max())
        shown = truth[truth["frame"].isin(numbers)]
        if shown.empty:
            continue
        count = shown.groupby("frame")["animal"].nunique()
        fullest = count.index[count == count.max()].to_numpy()
        # The earlier of two at the same distance comes first.
        seed = int(fullest[np.argmin(np.abs(2 * fullest - (first + last)))])
        rows = shown[shown["frame"] == seed]
        boxes = rows[schemas.BOX].to_numpy(dtype=np.float64)
        chosen.append(Snippet(first, last, seed, dict(zip(rows["animal"], boxes, strict=True))))
    return sorted(chosen, key=lambda snippet: snippet.first)


def follow(
    frames: Iterable[tuple[int, Frame]], snippet: Snippet, make: Make, width: int, seed: int = 1
) -> dict[int, dict[str, NDArray[np.float64]]]:
    """Track every animal of a snippet both ways in time.

    Frames before the seed wait in a temporary file, so that memory does not grow with the length.

    Parameters
    ----------
    frames
        Number and grey levels of the snippet's frames, in order; some may be missing.
    snippet
        Where to start.
    make
        Makes a tracker.
    width
        Pixels to which wider frames are reduced.
    seed
        Of random choices.

    Returns
    -------
    By frame the boxes of the animals that the tracker finds, pixels of the raw frame. Nothing if
    the frame to start from is missing.
    """
    tracked: dict[int, dict[str, NDArray[np.float64]]] = {}
    before: list[int] = []
    forward = None
    with tempfile.TemporaryFile() as waiting:
        for number, grey in frames:
            scale = min(width / grey.shape[1], 1.0)
            small = _reduced(grey, scale)
            if number < snippet.seed:
                waiting.write(small.tobytes())
                before.append(number)
            elif number == snippet.seed:
                forward = _Trackers(snippet, small, scale, make, seed)
                tracked[number] = dict(snippet.boxes)
                backward = _Trackers(snippet, small, scale, make, seed)
                for place, earlier in reversed(list(enumerate(before))):
                    waiting.seek(place * small.size)
                    frame = np.frombuffer(waiting.read(small.size), dtype=np.uint8)
                    tracked[earlier] = backward.update(frame.reshape(small.shape))
            elif forward is None:
                log.warning("frame %d, to start from, is missing", snippet.seed)
                return {}
            else:
                tracked[number] = forward.update(small)
    return tracked


class _Trackers:
    """A tracker an animal, all started in the same frame."""

    def __init__(self, snippet: Snippet, small: Frame, scale: float, make: Make, seed: int) -> None:
        self.scale = scale
        self.trackers = {}
        picture = cv2.cvtColor(small, cv2.COLOR_GRAY2BGR)
        for animal, box in sorted(snippet.boxes.items()):
            region = _region(box * scale, small.shape)
            if region is None:
                log.warning("%s is too small to track in frame %d", animal, snippet.seed)
                continue
            _seed(seed)
            self.trackers[animal] = make()
            self.trackers[animal].init(picture, region)

    def update(self, small: Frame) -> dict[str, NDArray[np.float64]]:
        """Return the boxes of the animals that are found, pixels of the raw frame."""
        picture = cv2.cvtColor(small, cv2.COLOR_GRAY2BGR)
        boxes = {}
        for animal, tracker in self.trackers.items():
            sure, region = tracker.update(picture)
            if sure and region[2] > 0 and region[3] > 0:
                boxes[animal] = np.asarray(region, dtype=np.float64) / self.scale
        return boxes


def _reduced(grey: Frame, scale: float) -> Frame:
    if scale == 1:
        return np.ascontiguousarray(grey)
    height, width = (max(round(side * scale), 1) for side in grey.shape)
    smaller = cv2.resize(grey, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(smaller, dtype=np.uint8)


def _region(box: NDArray[np.float64], shape: tuple[int, ...]) -> tuple[int, int, int, int] | None:
    """Return a box in whole pixels within the picture; None if hardly anything of it is there."""
    height, width = shape
    corners = np.array([box[0], box[1], box[0] + box[2], box[1] + box[3]])
    left, top, right, bottom = (
        np.rint(np.clip(corners, 0, [width, height] * 2)).astype(int).tolist()
    )
    if right - left < MIN_SIDE or bottom - top < MIN_SIDE:
        return None
    return left, top, right - left, bottom - top


def _seed(seed: int) -> None:
    """Make what OpenCV draws at random always the same; it asks its own generator and C's."""
    cv2.setRNGSeed(seed)
    ctypes.CDLL(None).srand(seed)


def tracker_maker(settings: TrackVisually) -> Make:
    """Return a function that makes the trackers that the settings name.

    Raises
    ------
    InputError
        If this build of OpenCV lacks the tracker, or a model is missing or is none.
    """
    name = {"mil": "MIL", "vit": "Vit", "nano": "Nano", "dasiamrpn": "DaSiamRPN"}[settings.tracker]
    create = getattr(cv2, f"Tracker{name}_create", None)
    if create is None:
        raise InputError(
            "visual.tracker", f"{settings.tracker}, which OpenCV {cv2.__version__} lacks", "mil"
        )
    parameters = getattr(cv2, f"Tracker{name}_Params")()
    for attribute, model in zip(TRACKER_MODELS[settings.tracker], settings.models, strict=True):
        if not Path(model).is_file():
            raise InputError("visual.models", f"{model!r}, which is no file", "a model (ONNX)")
        setattr(parameters, attribute, str(model))
    try:
        create(parameters)
    except cv2.error as error:
        raise InputError(
            ", ".join(settings.models),
            f"what OpenCV cannot load ({' '.join(str(error).split())})",
            f"models of the tracker {settings.tracker}",
        ) from error
    return lambda: create(parameters)


def as_identities(
    tracked: dict[int, dict[str, NDArray[np.float64]]], animals: Sequence[str]
) -> pd.DataFrame:
    """Return the table ``identities``: every animal in every frame that was tracked."""
    rows = [
        (frame, animal, *boxes.get(animal, np.full(4, np.nan)))
        for frame, boxes in sorted(tracked.items())
        for animal in sorted(animals)
    ]
    table = pd.DataFrame(rows, columns=["frame", "animal", *schemas.BOX])
    return tables.conform(
        table.assign(tracklet=pd.NA, detection=pd.NA, confidence=np.nan), "identities"
    )


def track(
    footage: Path,
    annotations: pd.DataFrame,
    animals: Sequence[str],
    fps: float,
    settings: TrackVisually,
    evaluate: Evaluate,
    source: Path,
    part: video.Part = video.WHOLE,
) -> pd.DataFrame:
    """Track the animals of a segment through its evaluated snippets.

    Parameters
    ----------
    footage
        The segment's video. One that cannot be read leaves the table without rows.
    annotations
        The table of these, read from ``source``.
    animals
        Names.
    fps
        Frames per second.
    settings, evaluate
        Which tracker, and which snippets.
    part
        Which part of the video is the segment's.

    Returns
    -------
    Table ``identities``.

    Raises
    ------
    InputError
        If a model cannot be used.
    """
    make = tracker_maker(settings)
    frames = evaluated_frames(annotations, fps, evaluate)
    truth = ground_truth(annotations, frames["frame"].to_numpy(), animals, source)
    chosen = snippets(frames, truth)
    wanted = {number for one in chosen for number in range(one.first, one.last + 1)}
    ends = [snippet.last for snippet in chosen]
    tracked: dict[int, dict[str, NDArray[np.float64]]] = {}
    shown = video.read_frames(footage, wanted, fps, part)
    try:
        for place, stretch in groupby(shown, key=lambda item: bisect_left(ends, item[0])):
            tracked |= follow(stretch, chosen[place], make, settings.width, settings.seed)
    except InputError as error:
        log.warning("no more to track: %s", error)
    return as_identities(tracked, animals)
