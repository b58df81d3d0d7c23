"""Rendering a stretch of a segment as a clip, or one frame as a picture."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from murid import boxes, rigs, schemas, tables, video
from murid.clip import draw
from murid.clip.arrays import by_frame
from murid.errors import InputError
from murid.files import replacing
from murid.models import fitted_weights

if TYPE_CHECKING:
    from murid.clip.stage import Clip, Picture, Pictured

log = logging.getLogger(__name__)

CHUNK = 5_000
"""Frames whose tables are held at once."""


def pictures(sources: "Pictured", frames: Sequence[int]) -> Iterator[NDArray[np.uint8]]:
    """Draw frames of a segment, in order: (height, width, 3), RGB, uint8 each.

    Memory does not grow with the number of frames. A frame that the video lacks is left out, which
    the number in the next one tells.

    Parameters
    ----------
    sources
        What to draw, and how; one to four methods are shown side by side.
    frames
        Which frames; each is drawn once, in the order of the video.

    Raises
    ------
    InputError
        If no frame is in the video, one is not in the positions, or there are no or more than four
        methods.
    """
    painter = Painter(sources, min(frames), max(frames) + 1)
    shown = 0
    for number, grey in video.read_frames(sources.video, frames, sources.fps, sources.part):
        yield painter.paint(number, grey)
        shown += 1
    missing = len(set(frames)) - shown
    if not shown:
        count = tables.read(sources.positions, "positions")["frame"].nunique()
        raise InputError(
            sources.video, f"none of the frames {min(frames)} to {max(frames)}",
            f"some of the segment's {count:,} frames, from 0, that are in the video, too",
        )  # fmt: skip
    if missing:
        log.warning("%s: %d of the frames are missing, left out", sources.video, missing)


class Painter:
    """What draws frames of a segment.

    Parameters
    ----------
    sources
        What to draw, and how.
    first, end
        Frames from the one up to the other, without it, are drawn, in order.

    Raises
    ------
    InputError
        If there are no or more than four methods.
    """

    def __init__(self, sources: "Pictured", first: int, end: int) -> None:
        if not 1 <= len(sources.identities) <= 4:
            raise InputError("options", f"{len(sources.identities)} methods", "one to four")
        self._sources, self._span = sources, (first, end)
        self._model = fitted_weights.read(sources.weights).paper
        matrices = rigs.read_matrices(sources.transforms, [sources.rig])
        self._inverse = boxes.invert(matrices[sources.rig])
        self._chunk: _Chunk | None = None

    def paint(
        self, number: int, grey: video.Frame, asked: NDArray[np.float64] | None = None
    ) -> NDArray[np.uint8]:
        """Draw a frame: (height, width) -> (height, width, 3), RGB, even sides, uint8 each.

        ``asked`` is the box, (4,) in pixels of the raw frame, that nobody is to be named in.

        Raises
        ------
        InputError
            If the frame is not in the positions, or an animal has no positions.
        """
        sources, chunk = self._sources, self._chunk
        if chunk is None or not chunk.first <= number < chunk.first + CHUNK:
            chunk = _look_up(sources, number // CHUNK * CHUNK, *self._span)
            self._chunk = chunk
        if not chunk.read[number - chunk.first]:
            raise InputError(sources.positions, "no row", "one an animal", where=f"frame {number}")
        crosses = {
            animal: boxes.apply(self._model.centroids([antenna])[0], self._inverse)
            if antenna
            else None
            for animal, antenna in chunk.antennas(number).items()
        }
        caption = f"frame {number}   {_clock(number / sources.fps)}"
        bright = draw.brighten(grey) if sources.clahe else grey
        size = sources.scale or draw.legible_scale(grey.shape[1], len(sources.identities))
        return draw.side_by_side(
            [
                draw.picture(
                    bright, chunk.boxes(place, number), crosses, caption, method, size, asked
                )
                for place, (method, _) in enumerate(sources.identities)
            ]
        )


@dataclass(frozen=True)
class _Chunk:
    """What the tables say of :data:`CHUNK` frames from ``first``."""

    first: int
    animals: Sequence[str]
    read: NDArray[np.bool_]
    """(F,), whether the frame has positions."""
    readings: NDArray[np.float64]
    """(F, J, 1), antennas; NaN = no reading."""
    answers: Sequence[tuple[NDArray[np.bool_], NDArray[np.float64]]]
    """Of each method whether it has an answer, (F,), and its boxes, (F, J, 4), NaN = hidden."""

    def antennas(self, frame: int) -> dict[str, int]:
        """Return each animal's antenna; 0 = no reading."""
        readings = np.nan_to_num(self.readings[frame - self.first, :, 0])
        return dict(zip(self.animals, readings.astype(np.int64), strict=True))

    def boxes(self, method: int, frame: int) -> dict[str, NDArray[np.float64] | None] | None:
        """Return each animal's box or None; None for all if the method has no answer."""
        answered, placed = self.answers[method]
        if not answered[frame - self.first]:
            return None
        return {
            animal: box if np.isfinite(box).all() else None
            for animal, box in zip(self.animals, placed[frame - self.first], strict=True)
        }


def _look_up(sources: "Pictured", first: int, low: int, high: int) -> _Chunk:
    span = ("frame", max(first, low), min(first + CHUNK, high))
    positions = tables.read(sources.positions, "positions", span)
    animals = sorted(positions["animal"].unique())
    answers = []
    for method, path in sources.identities:
        table = tables.read(path, "identities", span)
        strange = table[~table["animal"].isin(animals)]
        if len(strange):
            row = strange.iloc[0]
            raise InputError(
                path, f"the animal {row['animal']!r} of {method}",
                f"one of {', '.join(animals)}, which have positions",
                where=f"frame {row['frame']}",
            )  # fmt: skip
        answers.append(by_frame(table, schemas.BOX, animals, CHUNK, first))
    read, readings = by_frame(positions, ["antenna"], animals, CHUNK, first)
    return _Chunk(first, animals, read, readings, answers)


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(seconds, 60)
    return f"{int(minutes):02d}:{seconds:05.2f}"


def _require_suffix(output: Path, suffix: str) -> None:
    if output.suffix.lower() != suffix:
        raise InputError(output, f"the suffix {output.suffix!r}", f"a file {suffix}")


def draw_one(stage: "Picture") -> None:
    """Write one frame as a PNG.

    Raises
    ------
    InputError
        If ``output`` is no .png, or as :func:`pictures`.
    """
    _require_suffix(stage.output, ".png")
    (image,) = pictures(stage, [stage.frame])
    with replacing(stage.output) as temporary:
        cv2.imwrite(str(temporary), cv2.cvtColor(image, cv2.COLOR_RGB2BGR))


def render(stage: "Clip") -> None:
    """Write a stretch of frames as an H.264 mp4.

    Raises
    ------
    InputError
        If the stretch holds no frame, ``output`` is no .mp4, or as :func:`pictures`.
    """
    _require_suffix(stage.output, ".mp4")
    first, last = stage.frames
    if not 0 <= first <= last:
        raise InputError(
            "options", f"frames {first} to {last}", "first and last frame, both included, from 0"
        )
    stretch = range(first, last + 1)
    video.write(stage.output, pictures(stage, stretch), stage.fps * stage.speed)
