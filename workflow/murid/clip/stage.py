"""Rendering a stretch of a segment as a clip, or one frame as a picture."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import affinity, boxes, tables, video
from murid.affinity import Affinity
from murid.clip import draw
from murid.errors import InputError
from murid.files import replacing


@dataclass(frozen=True)
class Sources:
    """What a clip is made of.

    Attributes
    ----------
    video
        The segment's video.
    positions
        Its table of positions.
    identities
        ``(method, path)`` of one to four tables of identities, shown side by side.
    weights
        The fitted model (JSON), which projects antennas into the frame of reference.
    transforms, rig
        Table of the rigs' transforms, and the segment's rig set-up.
    fps
        Frames per second of the segment.
    """

    video: Path
    positions: Path
    identities: Sequence[tuple[str, Path]]
    weights: Path
    transforms: Path
    rig: str
    fps: float


def pictures(
    sources: Sources, frames: Sequence[int], scale: float = 1.0, clahe: bool = False
) -> Iterator[NDArray[np.uint8]]:
    """Draw frames of a segment, in order: (height, width, 3), RGB, uint8 each.

    Raises
    ------
    InputError
        If a frame is not in the video or the positions, or there are no or more than four methods.
    """
    if not 1 <= len(sources.identities) <= 4:
        raise InputError("options", f"{len(sources.identities)} methods", "one to four")
    model = affinity.read(sources.weights).paper
    inverse = boxes.invert(tables.read_matrices(sources.transforms, [sources.rig])[sources.rig])
    span = (min(frames), max(frames) + 1)
    trace = tables.read(sources.positions, "positions", span)
    antennas = trace.pivot(index="frame", columns="animal", values="antenna")
    named = [(method, tables.read(path, "identities", span)) for method, path in sources.identities]
    by_frame = [(method, dict(list(table.groupby("frame")))) for method, table in named]
    shown = 0
    for number, grey in video.read_frames(sources.video, frames):
        if number not in antennas.index:
            raise InputError(sources.positions, "no row", "one an animal", where=f"frame {number}")
        crosses = _crosses(antennas.loc[number], model, inverse)
        caption = f"frame {number}  {_clock(number / sources.fps)}"
        bright = draw.brighten(grey) if clahe else grey
        panels = [
            draw.picture(
                bright, _boxes(table.get(number), list(antennas.columns)), crosses, caption, scale
            )
            for _, table in by_frame
        ]
        titles = [method for method, _ in by_frame]
        yield panels[0] if len(panels) == 1 else draw.side_by_side(panels, titles)
        shown += 1
    if shown < len(set(frames)):
        missing = len(set(frames)) - shown
        raise InputError(
            sources.video, f"{missing} of the frames {span[0]} to {span[1] - 1} missing",
            "a video that has them",
        )  # fmt: skip


def _boxes(
    rows: pd.DataFrame | None, animals: Sequence[str]
) -> dict[str, NDArray[np.float64] | None]:
    found: dict[str, NDArray[np.float64] | None] = dict.fromkeys(animals)
    if rows is not None:
        for animal, box in zip(rows["animal"], rows[tables.BOX].to_numpy(float), strict=True):
            found[animal] = box if np.isfinite(box).all() else None
    return found


def _crosses(
    antennas: pd.Series, model: Affinity, inverse: NDArray[np.float64]
) -> dict[str, NDArray[np.float64] | None]:
    return {
        animal: None if pd.isna(antenna) else boxes.apply(model.centroids([antenna])[0], inverse)
        for animal, antenna in antennas.items()
    }


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(seconds, 60)
    return f"{int(minutes):02d}:{seconds:05.2f}"


def _require_suffix(output: Path, suffix: str) -> None:
    if output.suffix.lower() != suffix:
        raise InputError(output, f"the suffix {output.suffix!r}", f"a file {suffix}")


def run_picture(
    sources: Sources, frame: int, output: Path, scale: float = 1.0, clahe: bool = False
) -> None:
    """Write one frame as a PNG.

    Raises
    ------
    InputError
        If ``output`` is no .png, or as :func:`pictures`.
    """
    _require_suffix(output, ".png")
    image = next(iter(pictures(sources, [frame], scale, clahe)), None)
    if image is None:
        raise InputError(sources.video, f"no frame {frame}", "a frame of the video")
    with replacing(output) as temporary:
        cv2.imwrite(str(temporary), cv2.cvtColor(image, cv2.COLOR_RGB2BGR))


def run_clip(
    sources: Sources,
    frames: tuple[int, int],
    output: Path,
    scale: float = 1.0,
    clahe: bool = False,
    speed: float = 1.0,
) -> None:
    """Write the frames from ``frames[0]`` up to ``frames[1]`` as an H.264 mp4.

    Raises
    ------
    InputError
        If the stretch holds no frame, ``output`` is no .mp4, or as :func:`pictures`.
    """
    _require_suffix(output, ".mp4")
    if frames[1] <= frames[0]:
        raise InputError("options", f"frames {frames[0]} to {frames[1]}", "at least one frame")
    stretch = range(*frames)
    video.write(output, pictures(sources, stretch, scale, clahe), sources.fps * speed)
