"""The stage that writes names as other tools read them."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from murid import settings
from murid.exports.files import Format
from murid.readings.settings import Zone
from murid.stage import (
    EXPORT,
    Cage,
    FirstFrame,
    Rate,
    Segment,
    Stage,
    Start,
    makes,
    reads,
    same_as,
    takes,
)


class File(NamedTuple):
    """A file to write, and in which format."""

    format: Format
    path: Path


class Export(Stage):
    """Write the boxes of a segment that have names as other tools read them."""

    of = "segment"

    identities: Path = reads("table of identities")
    positions: Path = reads("table of positions")
    cage: Cage
    segment: Segment
    fps: Rate
    start: Start = ""
    first_frame: FirstFrame = None
    zone: Zone = same_as(settings.Logs, "zone")
    video: Path | None = takes("video that the frames are of, to be named", default=None)
    outputs: tuple[File, ...] = makes(
        EXPORT, "format and file to write; once for each file", option="--output"
    )

    def run(self) -> None:
        """Export; of a segment that cannot be used, files are empty, and say why where they can."""
        from murid import tables
        from murid.errors import naming
        from murid.exports import content, writers

        verdict = tables.read_verdict(self.identities, self.positions)
        exported = content.Content(
            self.cage, self.segment, self.fps, verdict, video=self.video and self.video.absolute(),
            first_frame=self.first_frame or 0,
        )  # fmt: skip
        if not verdict.discarded:
            about = tables.read_about(self.positions)
            start, zone = content.begun(self.start, self.zone, about)
            exported = replace(exported, start=start, zone=zone)
            with naming(identities=self.identities):
                exported = content.of_tables(
                    tables.read(self.identities, "identities"),
                    tables.read(self.positions, "positions"),
                    exported,
                )
        for name, path in self.outputs:
            writers.write(name, exported, path)
