"""What a stage was told of a segment with logs, as :mod:`murid.readings.segment` takes it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from murid import animals
from murid.errors import InputError
from murid.grid import Antennas, antennas_of
from murid.readings import frame_times, segment
from murid.timeline import FRAMES
from murid.timeline import filmed as filmed_at

if TYPE_CHECKING:
    from murid.readings.logged import Logged


OFF_PACE = 0.01
"""Share by which a video's own frame rate may differ from the sheet's, and is the better one."""


def frames(stage: "Logged", count: int, filmed: float | None = None) -> NDArray[np.int64]:
    """Return when each frame of a segment was taken, microseconds since 1970 in UTC.

    Parameters
    ----------
    stage
        What the stage was given.
    count
        How many frames there are, where no file of frame times tells.
    filmed
        Frames per second by the timestamps of its video, if it has one that tells.

    Raises
    ------
    InputError
        If there are none, their times are none, or the video's rate is another than the sheet's: a
        trace has a reading for each frame, but a log does not tell which is whose.
    """
    zone = stage.of_logs.zone
    if stage.frame_times:
        return frame_times.read(stage.frame_times, zone)
    if not count:
        raise InputError(
            "a segment with antenna logs", "nothing that tells how many frames it has",
            "a video, boxes, or a file of frame times",
        )  # fmt: skip
    place, fps = f"the sheet, {stage.cage} {stage.segment}", stage.fps
    if filmed is not None and abs(filmed / fps - 1) > OFF_PACE:
        raise InputError(
            place, f"{fps:.5g} frames a second, where the video's timestamps say {filmed:.5g}",
            "the rate at which it was filmed, since readings come from a log", where="column fps",
            remedy=f"Write {filmed:.5g} there, or name a file of the times of frames in the column "
            "frame_times.",
        )  # fmt: skip
    return frame_times.regular(stage.start, zone, filmed or fps, count, place)


def recorded(stage: "Logged", about: Mapping[str, str]) -> NDArray[np.int64]:
    """Return the same of a segment that was checked: ``about`` is what its table was told."""
    return frames(stage, int(about[FRAMES]), filmed_at(about))


def wanted(stage: "Logged", names: Sequence[str], moments: NDArray[np.int64]) -> segment.Wanted:
    """Return what is wanted of the logs of a segment.

    Parameters
    ----------
    stage
        What the stage was given.
    names
        Animals that the sheet names, if it does.
    moments
        Of which a reading is wanted, microseconds since 1970 in UTC by the clock of the video.

    Raises
    ------
    InputError
        If the table of animals cannot be read, as a whole or in a row of the cage, or contradicts
        itself about the segment.
    """
    settings = stage.of_logs
    table = animals.read(stage.tags, settings.zone) if stage.tags else None
    worn = table.worn if table else None
    made = segment.Wanted(stage.cage, names, moments, worn, stage.antennas, grid(stage), settings)
    if stage.tags and table:
        animals.check(stage.tags, table, made.cage, made.moments)
    return made


def grid(stage: "Logged") -> Antennas:
    """Return the antennas that a stage was told of."""
    return antennas_of(stage.grid.layout)
