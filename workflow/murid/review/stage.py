"""The stage that lists where names are uncertain."""

from pathlib import Path
from typing import NamedTuple

from murid import settings
from murid.stage import Positive, Stage, makes, takes


class Named(NamedTuple):
    """A segment whose tracklets are named."""

    cage: str
    segment: str
    tracklets: Path
    posteriors: Path
    fps: Positive


class Review(Stage):
    """List the stretches in which it is uncertain who is who, the longest first."""

    of = "cage"

    segments: tuple[Named, ...] = takes(
        "a segment, its two tables and its frames per second; once for each segment",
        option="--segment",
        default=(),
    )
    output: Path = makes("stretches", "stretches to write; FILE.csv: as CSV")
    review: settings.Review = settings.Review()

    def run(self) -> None:
        """List; a segment whose tables cannot be read has failed, and does not stop the others."""
        from murid.review import stretches

        stretches.list_stretches(self)
