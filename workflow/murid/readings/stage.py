"""The stage that reads antenna logs, and what the stages are given that read a segment's minutes."""

from pathlib import Path

from murid import settings
from murid.stage import Cage, Rate, Segment, Stage, Start, makes, reads, source, takes


class ReadLog(Stage):
    """Read an antenna log, of any system, into a table of its reads by time in UTC."""

    of = "log"

    file: Path = takes("antenna log")
    output: Path = makes("readings")
    logs: settings.Logs = settings.Logs()

    def run(self) -> None:
        """Read; what cannot be read leaves an empty table that says why."""
        from murid.readings import log_table

        verdict = log_table.write(self.file, self.output, self.logs)
        print(f"{self.file}: {verdict.status}{f' ({verdict.reason})' * bool(verdict.reason)}")


class Logged(Stage):
    """What there is to know of a segment whose readings are in logs; of others it is empty."""

    of = "segment"
    leave_out = ("system", "time_column", "tag_column", "antenna_column", "time_format")

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
