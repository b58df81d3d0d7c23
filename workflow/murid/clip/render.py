"""Rendering a stretch of a segment as a clip, or one frame as a picture."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import affinity, boxes, contracts, tables, video
from murid.affinity import Affinity
from murid.clip import draw
from murid.errors import InputError
from murid.files import replacing

if TYPE_CHECKING:
    from murid.clip.stage import Pictured, Stretch

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
    if not 1 <= len(sources.identities) <= 4:
        raise InputError("options", f"{len(sources.identities)} methods", "one to four")
    model = affinity.read(sources.weights).paper
    inverse = boxes.invert(tables.read_matrices(sources.transforms, [sources.rig])[sources.rig])
    known = None
    shown = 0
    for number, grey in video.read_frames(sources.video, frames, sources.fps):
        if known is None or number >= known.first + CHUNK:
            known = _look_up(sources, number // CHUNK * CHUNK, min(frames), max(frames) + 1)
        if not known.read[number - known.first]:
            raise InputError(sources.positions, "no row", "one an animal", where=f"frame {number}")
        antennas = dict(zip(known.animals, known.antennas[number - known.first], strict=True))
        crosses = _crosses(antennas, model, inverse)
        caption = f"frame {number}   {_clock(number / sources.fps)}"
        bright = draw.brighten(grey) if sources.clahe else grey
        size = sources.scale or draw.legible_scale(grey.shape[1], len(sources.identities))
        yield draw.side_by_side(
            [
                draw.picture(bright, known.boxes(place, number), crosses, caption, method, size)
                for place, (method, _) in enumerate(sources.identities)
            ]
        )
        shown += 1
    missing = len(set(frames)) - shown
    if not shown:
        raise InputError(
            sources.video, f"none of the frames {min(frames)} to {max(frames)}",
            "a video that has them",
        )  # fmt: skip
    if missing:
        log.warning("%s: %d of the frames are missing, left out", sources.video, missing)


@dataclass(frozen=True)
class _Known:
    """What the tables say of :data:`CHUNK` frames from ``first``."""

    first: int
    animals: Sequence[str]
    read: NDArray[np.bool_]
    """(F,), whether the frame has positions."""
    antennas: NDArray[np.int64]
    """(F, J), 0 = no reading."""
    answers: Sequence[tuple[NDArray[np.bool_], NDArray[np.float64]]]
    """Of each method whether it has an answer, (F,), and its boxes, (F, J, 4), NaN = hidden."""

    def boxes(self, method: int, frame: int) -> dict[str, NDArray[np.float64] | None] | None:
        """Return each animal's box or None; None for all if the method has no answer."""
        answered, found = self.answers[method]
        if not answered[frame - self.first]:
            return None
        return {
            animal: box if np.isfinite(box).all() else None
            for animal, box in zip(self.animals, found[frame - self.first], strict=True)
        }


def _look_up(sources: "Pictured", first: int, low: int, high: int) -> _Known:
    span = (max(first, low), min(first + CHUNK, high))
    positions = tables.read(sources.positions, "positions", span)
    animals = sorted(positions["animal"].unique())
    antennas = np.zeros((CHUNK, len(animals)), dtype=np.int64)
    read = np.zeros(CHUNK, dtype=bool)
    places = positions["frame"].to_numpy() - first
    read[places] = True
    columns = pd.Index(animals).get_indexer(positions["animal"])
    antennas[places, columns] = positions["antenna"].fillna(0).to_numpy(dtype=np.int64)
    answers = []
    for method, path in sources.identities:
        table = tables.read(path, "identities", span)
        columns = pd.Index(animals).get_indexer(table["animal"])
        if (columns < 0).any():
            row = table[columns < 0].iloc[0]
            raise InputError(
                path, f"the animal {row['animal']!r} of {method}",
                f"one of {', '.join(animals)}, which have positions",
                where=f"frame {row['frame']}",
            )  # fmt: skip
        answered = np.zeros(CHUNK, dtype=bool)
        found = np.full((CHUNK, len(animals), 4), np.nan)
        places = table["frame"].to_numpy() - first
        answered[places] = True
        found[places, columns] = table[contracts.BOX].to_numpy(dtype=np.float64)
        answers.append((answered, found))
    return _Known(first, animals, read, antennas, answers)


def _crosses(
    antennas: Mapping[str, int], model: Affinity, inverse: NDArray[np.float64]
) -> dict[str, NDArray[np.float64] | None]:
    return {
        animal: boxes.apply(model.centroids([antenna])[0], inverse) if antenna else None
        for animal, antenna in antennas.items()
    }


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(seconds, 60)
    return f"{int(minutes):02d}:{seconds:05.2f}"


def _require_suffix(output: Path, suffix: str) -> None:
    if output.suffix.lower() != suffix:
        raise InputError(output, f"the suffix {output.suffix!r}", f"a file {suffix}")


def run_picture(sources: "Pictured", frame: int, output: Path) -> None:
    """Write one frame as a PNG.

    Raises
    ------
    InputError
        If ``output`` is no .png, or as :func:`pictures`.
    """
    _require_suffix(output, ".png")
    (image,) = pictures(sources, [frame])
    with replacing(output) as temporary:
        cv2.imwrite(str(temporary), cv2.cvtColor(image, cv2.COLOR_RGB2BGR))


def run_clip(sources: "Pictured", frames: "Stretch", output: Path, speed: float = 1.0) -> None:
    """Write a stretch of frames as an H.264 mp4.

    Raises
    ------
    InputError
        If the stretch holds no frame, ``output`` is no .mp4, or as :func:`pictures`.
    """
    _require_suffix(output, ".mp4")
    if frames.end <= frames.first:
        raise InputError("options", f"frames {frames.first} to {frames.end}", "at least one frame")
    stretch = range(*frames)
    video.write(output, pictures(sources, stretch), sources.fps * speed)
