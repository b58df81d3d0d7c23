"""The stage that tells how sound the antennas, tags, logs and clocks of a cage are."""

from pathlib import Path
from typing import NamedTuple

from murid import settings
from murid.stage import Positive, Stage, Start, makes, reads, takes


class Member(NamedTuple):
    """A segment whose readings are in logs."""

    cage: str
    segment: str
    start: Start
    fps: Positive
    positions: Path


class TellHealth(Stage):
    """Count a cage's reads an hour, and tell what falls silent, is missing or runs late."""

    of = "cage"
    leave_out = (
        "system", "time_column", "tag_column", "antenna_column", "time_format", "one_clock",
        "lag", "hold", "max_unread",
    )  # fmt: skip

    segments: tuple[Member, ...] = takes(
        "a segment, its start, its frames per second and its table of positions; repeatable",
        option="--segment",
        default=(),
    )
    readings: tuple[Path, ...] = reads("reads of an antenna log of the cage; repeatable")
    clocks: tuple[Path, ...] = reads("table of clocks of a day of the cage; repeatable")
    tags: Path | None = takes("table of the animals and their tags", default=None)
    antennas: Path | None = takes("table of where the antennas of logs are", default=None)
    output_reads: Path = makes("reads", "reads an hour and antenna to write")
    output_health: Path = makes("health", "health to write")
    grid: settings.Grid = settings.Grid()
    of_logs: settings.Readings = settings.Readings()

    def run(self) -> None:
        """Tell; a segment whose positions cannot be read has failed, and does not stop others."""
        from murid.health import cage

        print(cage.tell(self))
