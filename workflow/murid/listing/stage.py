"""The stage that writes and extends a sample sheet."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from murid.listing import by_cage, clock, patterns
from murid.readings.settings import Zone
from murid.sheet import FASTEST, SLOWEST
from murid.stage import Stage, reads, takes


def _pattern(text: str) -> str:
    """Refuse what is no pattern; what it says is read where it is used."""
    patterns.parse(text)
    return text


def _rig(text: str) -> str:
    """Refuse what is no rule of rigs."""
    by_cage.rig(text)
    return text


def _split(text: str) -> str:
    """Refuse what is no rule of splits."""
    by_cage.split(text)
    return text


def _length(given: Any) -> Any:
    return clock.length(given) if isinstance(given, str) else given


Pattern = Annotated[str, AfterValidator(_pattern)]
RigRule = Annotated[str, AfterValidator(_rig)]
SplitRule = Annotated[str, AfterValidator(_split)]
Length = Annotated[timedelta, BeforeValidator(_length)]


class ListSegments(Stage):
    """Write the sample sheet of an ARCHIVE, by patterns that tell what paths of its files mean.

    A pattern is a path below ARCHIVE with fields in braces: {cage}, {segment}, {rig},
    {date:%Y-%m-%d}, {start:%H%M%S} and {any}, or * for what does not matter. Put it in single
    quotes, so that the shell leaves it alone.

    A folder with 2026-03-28/C01_203000.mp4, the log rfid/2026-03-28.csv of all cages, and
    annotations/C01_20260328_203000.json, by clocks in Britain and at 25 frames a second, is told
    so:

    \b
      murid sheet ARCHIVE --zone Europe/London --fps 25 \\
        --video '{date:%Y-%m-%d}/{cage}_{start:%H%M%S}.mp4' \\
        --log 'rfid/{date:%Y-%m-%d}*.csv' \\
        --annotations 'annotations/{cage}_{date:%Y%m%d}_{start:%H%M%S}.json' \\
        --split Train=50% --split Validate=25% --split Test=25%
    """

    archive: Path = takes("folder of the archive", argument=True)
    video: Pattern | None = takes(
        "pattern of videos; it needs {cage}, and {segment} or a date and a time", default=None
    )
    log: tuple[Pattern, ...] = takes(
        "pattern of antenna logs, by the clock; repeatable", default=()
    )
    positions: Pattern | None = takes("pattern of antenna traces, an antenna a frame", default=None)
    frame_times: Pattern | None = takes("pattern of the clock times of frames", default=None)
    detections: Pattern | None = takes("pattern of detections made elsewhere", default=None)
    tracklets: Pattern | None = takes("pattern of tracklets made elsewhere", default=None)
    annotations: Pattern | None = takes("pattern of annotated frames", default=None)
    zone: Zone | None = takes(
        "time zone of the clock that names of files are by, as Europe/London; needed where names "
        "tell times",
        default=None,
    )
    start: Literal["name", "container"] = takes(
        "what tells when a video starts: its name, or the container's own time", default="name"
    )
    starts: Path | None = reads(
        "CSV with the columns file and start, which wins over --start", default=None
    )
    durations: bool = takes("read from the videos how long they last", default=False)
    segment_length: Length | None = takes(
        "how long recordings last of which nothing tells, as 30min; else until the next one",
        default=None,
    )
    cut: Length | None = takes(
        "how long the segments are that longer videos are cut into, as 30min; it needs --fps, and "
        "--durations or --segment-length",
        default=None,
    )
    log_length: Length | None = takes(
        "how long an antenna log lasts, as 1h or 1d; else as its name tells", default=None
    )
    fps: Annotated[float, Field(ge=SLOWEST, le=FASTEST)] | None = takes(
        "frames per second of all, as the videos were recorded; else 25. Some headers are looked "
        "at, and others than it told",
        default=None,
    )
    rig: tuple[RigRule, ...] = takes(
        "rig set-up of all, or of some cages, as left=C01,C02; repeatable. Or {rig} in --video",
        default=(),
    )
    split: tuple[SplitRule, ...] = takes(
        "what cages are for, as Train=C01,C02, Validate=C03 and Test=C04, or shares of the cages, "
        "as Train=50%; repeatable",
        default=(),
    )
    update: bool = takes("add what is new to the sheet, and leave the rest of it", default=False)
    output: Path | None = takes("sheet to write, else ARCHIVE/segments.tsv", default=None)
    report: Path | None = takes(
        "table to write of all that was passed over or left out", default=None
    )

    def run(self) -> None:
        """Write it; what the user should know is told by kinds."""
        import sys

        from murid.listing import listing
        from murid.listing.findings import Findings

        findings = Findings()
        try:
            print(listing.list_segments(self, findings))
        finally:
            for line in findings.lines():
                print(f"murid: {line}", file=sys.stderr)
