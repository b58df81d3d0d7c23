"""The stage that picks frames worth annotating."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from murid.stage import Stage, reads, takes

Count = Annotated[int, Field(ge=1, le=10_000)]


class PickFrames(Stage):
    """Pick frames worth annotating of an ARCHIVE, a folder or a sample sheet, and write pictures.

    They are spread over cages, days and times, of segments that have a video and no annotations.
    Each segment gets a folder CAGE/SEGMENT with pictures and a project for VIA 2.
    """

    archive: Path = takes("folder with a segments.tsv, or a sheet", argument=True)
    out: Path = takes("folder to write, which must not be there yet")
    count: Count = takes("frames to pick", default=200)
    results: Path | None = takes(
        "results of a run: a third of the frames are rare postures, a third doubts of the detector",
        default=None,
    )
    folder: Path | None = takes(
        "folder that the sheet's paths are relative to, else its own", default=None
    )
    animals: Path | None = reads("table of who wears which tag, for names", default=None)
    update_sheet: bool = takes("name the projects in the sheet's column annotations", default=False)

    def run(self) -> None:
        """Pick; what the user should know is told one by one."""
        import sys

        from murid.picking import pick

        done, notes = pick.pick_frames(self)
        for note in notes:
            print(f"murid: {note}", file=sys.stderr)
        print(done)
