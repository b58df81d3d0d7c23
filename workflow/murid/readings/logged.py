"""What the stages are given that read the minutes of a segment from antenna logs."""

from pathlib import Path

from murid import settings
from murid.stage import Cage, Rate, Segment, Stage, Start, reads, source, takes


class Logged(Stage):
    """What there is to know of a segment whose readings are in logs; of others it is empty."""

    of = "segment"
    leave_out = (
        "system", "time_column", "tag_column", "antenna_column", "time_format", "one_clock",
    )  # fmt: skip

    cage: Cage
    segment: Segment
    readings: tuple[Path, ...] = reads(
        "reads of an antenna log, in place of positions; repeatable", default=()
    )
    fps: Rate = 25.0
    start: Start = ""
    frame_times: Path | None = source("when each frame was taken", default=None)
    tags: Path | None = takes("table of the animals and their tags", default=None)
    antennas: Path | None = takes("table of where the antennas of logs are", default=None)
    grid: settings.Grid = settings.Grid()
    of_logs: settings.Readings = settings.Readings()
