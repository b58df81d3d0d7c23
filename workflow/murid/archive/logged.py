"""The antenna trace of a segment whose readings are in logs with clock times."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from murid.archive.columns import Judged, refused
from murid.errors import InputError
from murid.readings import contradictions, of_stage, segment
from murid.readings.trace import SECOND
from murid.timeline import BEGINS

if TYPE_CHECKING:
    from murid.archive.stage import Check


def read(stage: "Check", names: Sequence[str], parts: Mapping[str, Any]) -> Judged:
    """Make the trace of a segment from the logs that serve it.

    Parameters
    ----------
    stage
        What the stage was given.
    names
        Animals that the sheet names, if it does.
    parts
        Other parts of the segment, as their readers give them: they tell how long it is where no
        file of frame times does.

    Returns
    -------
    As :func:`murid.archive.positions.read`, and in the ``attrs`` of the table, as
    :data:`murid.timeline.BEGINS`, when the first frame was taken; no table, and ``discarded``,
    where there can be none.
    """
    try:
        footage = parts.get("video")
        filmed = footage.rate if footage is not None and footage.even else None
        frames = of_stage.frames(stage, _length(parts), filmed)
        wanted = of_stage.wanted(stage, names, frames)
        contradictions.refuse(stage.readings, wanted)
        judged = segment.read(stage.readings, wanted)
    except InputError as error:
        return Judged(None, refused(error))
    judged.table.attrs[BEGINS] = datetime.fromtimestamp(frames[0] / SECOND, UTC)
    return judged


def _length(parts: Mapping[str, Any]) -> int:
    """Return how many frames a segment has by its video, or else by its last box."""
    footage = parts.get("video")
    if footage is not None:
        return int(footage.reach)
    boxes = [parts[name] for name in ("tracklets", "detections") if parts.get(name) is not None]
    return max((int(table["frame"].max()) + 1 for table in boxes if len(table)), default=0)
