"""Whether videos have the frame rate that the sheet says, by the headers of a few."""

from collections.abc import Iterable
from pathlib import Path

from murid.errors import InputError
from murid.listing.findings import Findings
from murid.sheet import Segment
from murid.video import container
from murid.video.footage import OFF_PACE

OTHER = (
    "videos, of the first of each cage, whose header says another rate than the sheet will: give "
    "theirs as --fps, unless the header is wrong"
)
MOST = 20
"""Cages of which a header is read, so that a large archive takes no longer."""


def tell(archive: Path, segments: Iterable[Segment], findings: Findings) -> None:
    """Tell of videos whose header says another rate; what cannot be read is for the run to judge.

    Parameters
    ----------
    archive
        The folder that paths are relative to.
    segments
        New rows.
    findings
        Gets the videos.
    """
    first: dict[str, Segment] = {}
    for segment in segments:
        if segment.video:
            first.setdefault(segment.cage, segment)
    for segment in list(first.values())[:MOST]:
        try:
            rate = container.header(archive / segment.video).rate
        except InputError:
            continue
        if rate and abs(rate / segment.fps - 1) > OFF_PACE:
            without = ", as without --fps" if segment.fps_assumed else ""
            why = f"{rate:.5g} frames/s, the sheet {segment.fps:.5g}{without}"
            findings.add(OTHER, segment.video, why)
