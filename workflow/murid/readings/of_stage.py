"""What a stage was told of a segment with logs, as :mod:`murid.readings.segment` takes it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from murid import animals
from murid.errors import InputError
from murid.grid import Grid
from murid.readings import frame_times, segment

if TYPE_CHECKING:
    from murid.readings.logged import Logged


def frames(stage: "Logged", count: int) -> NDArray[np.int64]:
    """Return when each frame of a segment was taken, microseconds since 1970 in UTC.

    Parameters
    ----------
    stage
        What the stage was given.
    count
        How many frames there are, where no file of frame times tells.

    Raises
    ------
    InputError
        If there are none, or their times are none.
    """
    zone = stage.of_logs.zone
    if stage.frame_times:
        return frame_times.read(stage.frame_times, zone)
    if not count:
        raise InputError(
            "a segment with antenna logs", "nothing that tells how many frames it has",
            "a video, boxes, or a file of frame times",
        )  # fmt: skip
    place = f"the sheet, {stage.cage} {stage.segment}"
    return frame_times.regular(stage.start, zone, stage.fps, count, place)


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
        If the table of animals cannot be read.
    """
    settings = stage.of_logs
    worn = animals.read(stage.tags, settings.zone) if stage.tags else None
    return segment.Wanted(stage.cage, names, moments, worn, stage.antennas, grid(stage), settings)


def grid(stage: "Logged") -> Grid:
    """Return the antennas that a stage was told of."""
    return Grid(stage.grid.rows, stage.grid.columns)
