"""The antenna trace of a segment whose readings are in logs with clock times."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from murid import animals
from murid.archive.columns import Judged, refused
from murid.errors import InputError
from murid.grid import Grid
from murid.readings import frame_times, segment

if TYPE_CHECKING:
    from murid.archive.stage import Check


def read(stage: "Check", names: Sequence[str], grid: Grid, parts: Mapping[str, Any]) -> Judged:
    """Make the trace of a segment from the logs that serve it.

    Parameters
    ----------
    stage
        What the stage was given.
    names
        Animals that the sheet names, if it does.
    grid
        The antennas.
    parts
        Other parts of the segment, as their readers give them: they tell how long it is where no
        file of frame times does.

    Returns
    -------
    As :func:`murid.archive.positions.read`; no table, and ``discarded``, where there can be none.
    """
    settings = stage.of_logs
    try:
        worn = animals.read(stage.tags, settings.zone) if stage.tags else None
        frames = _frames(stage, parts)
        wanted = segment.Wanted(
            stage.cage, names, frames, worn, stage.antennas, grid, settings
        )  # fmt: skip
        return segment.read(stage.readings, wanted)
    except InputError as error:
        return Judged(None, refused(error))  # type: ignore[arg-type]


def _frames(stage: "Check", parts: Mapping[str, Any]) -> NDArray[np.int64]:
    """Return when each frame of a segment was taken, microseconds since 1970 in UTC."""
    zone = stage.of_logs.zone
    if stage.frame_times:
        return frame_times.read(stage.frame_times, zone)
    count = _length(parts)
    if not count:
        raise InputError(
            "a segment with antenna logs", "nothing that tells how many frames it has",
            "a video, boxes, or a file of frame times",
        )  # fmt: skip
    place = f"the sheet, {stage.cage} {stage.segment}"
    return frame_times.regular(stage.start, zone, stage.fps, count, place)


def _length(parts: Mapping[str, Any]) -> int:
    """Return how many frames a segment has by its video, or else by its last box."""
    footage = parts.get("video")
    if footage is not None:
        return int(footage.reach)
    boxes = [parts[name] for name in ("tracklets", "detections") if parts.get(name) is not None]
    return max((int(table["frame"].max()) + 1 for table in boxes if len(table)), default=0)
