"""The stages that draw pictures and clips, and that find what is worth one."""

from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, Field

from murid import settings, sheet
from murid.clip import when
from murid.settings import Speed, Whole
from murid.stage import (
    Cage,
    Filming,
    MethodTable,
    Positive,
    Rate,
    Rig,
    Segment,
    Stage,
    makes,
    reads,
    same_as,
    source,
    takes,
)

Scale = Annotated[float, Field(ge=0.1, le=16)]
"""Beyond it, a picture is too small to see anything in, or too large for any memory."""


Moment = Annotated[str, AfterValidator(when.check)]


class Pictured(Filming):
    """What is drawn of a segment, and how."""

    video: Path = source("video of the segment")
    positions: Path = reads("table of positions")
    identities: tuple[MethodTable, ...] = reads(
        "table of identities of a method; several are shown side by side"
    )
    weights: Path = reads("fitted model (JSON)")
    transforms: Path = reads("table of transforms")
    rig: Rig
    fps: Rate
    scale: Scale | None = takes("enlargement  [default: as names need it]", default=None)
    clahe: bool = takes("even out the contrast for human eyes", default=False)


class Picture(Pictured):
    """Draw one frame with its boxes, antenna crosses, frame number and time."""

    frame: Whole = takes("which frame, from 0")
    output: Path = takes("PNG to write")

    def run(self) -> None:
        """Draw."""
        from murid.clip import render

        render.draw_one(self)


class Stretch(NamedTuple):
    """Frames that follow each other, both ends included, as in the table ``stretches``."""

    first: Whole
    last: Whole


class Clip(Pictured):
    """Render a stretch of a segment as a video with boxes, antenna crosses and time.

    murid show does the same of the results of a run, and finds there all that this one is told.
    """

    frames: Stretch = takes("first and last frame, from 0, as in review.csv")
    speed: Speed = takes("of playing", default=1)
    output: Path = takes("mp4 to write")

    def run(self) -> None:
        """Render."""
        from murid.clip import render

        render.render(self)


class Show(Stage):
    """Render a stretch of SEGMENT of CAGE from the RESULTS of a run, a minute if not told.

    Moments are times of day by the clock of the sheet's start (20:30 or 20:30:15), seconds from the
    segment's start (90s), or frames (2250, as in review.csv); both ends are shown.

    \b
      murid show results C01 20260328T203000 --from 20:41 --to 20:42
    """

    results: Path = takes("folder of the results of a run", argument=True)
    cage: str = takes("name of the cage", argument=True)
    segment: str = takes("name of the segment", argument=True)
    begin: Moment = takes("what is shown first", default="0", option="--from")
    end: Moment | None = takes(
        "what is shown last  [default: a minute later]", default=None, option="--to"
    )
    method: tuple[str, ...] = takes(
        "method whose names are shown, else the run's; repeatable, up to four side by side",
        default=(),
    )
    scale: Scale | None = takes("enlargement  [default: as names need it]", default=None)
    clahe: bool = takes("even out the contrast for human eyes", default=False)
    speed: Speed = takes("of playing", default=1)
    output: Path | None = takes(
        "mp4 to write, else CAGE_SEGMENT_FIRST-LAST.mp4 in this folder", default=None
    )

    def run(self) -> None:
        """Render it, and say where it is."""
        from murid.clip import found

        clip = found.clip_of(self)
        clip.run()
        print(f"wrote {clip.output}: frames {clip.frames.first} to {clip.frames.last}")


class Moments(Stage):
    """Find the stretches of a segment that are worth a clip."""

    of = "segment"

    cage: Cage
    segment: Segment
    fps: Rate
    identities: tuple[MethodTable, ...] = reads(
        "table of identities of a method to compare; repeatable"
    )
    default: str = takes("method whose confidence counts")
    seconds: Positive = same_as(settings.Clips, "seconds")
    output: Path = makes("moments")

    def run(self) -> None:
        """Find them; the verdict is that of the tables of identities."""
        from murid import tables
        from murid.clip import moments
        from murid.identify.registry import require

        require(self.default, dict(self.identities))
        verdict = tables.read_verdict(*(path for _, path in self.identities))
        named = {method: tables.read(path, "identities") for method, path in self.identities}
        best = moments.moments(named, self.default, self.fps, self.seconds)
        best = best.assign(cage=self.cage, segment=self.segment)
        tables.write(best, self.output, "moments", verdict)


class Shown(Stage):
    """What is rendered of several segments into a folder of its own."""

    sample_sheet: Path = takes("sample sheet", option="--sheet")
    archive: Path = takes("folder that its paths start at")
    segments_dir: Path = takes("folder of the segments' tables")
    weights: Path = reads("fitted model (JSON)")
    transforms: Path = reads("table of transforms")
    surveys: tuple[Path, ...] = reads(
        "table of the key frames of a video, of which segments are parts; repeatable",
        default=(), option="--survey",
    )  # fmt: skip
    clahe: bool = same_as(settings.Clips, "clahe")
    output_dir: Path = takes("folder to write to")

    def filmed(self, entry: sheet.Segment) -> dict[str, Any]:
        """Return what tells a stage that draws a segment of its video."""
        surveys = {path.stem: path for path in self.surveys}
        survey = surveys.get(sheet.table_name(entry.video)) if not entry.part.whole else None
        return {
            "video": self.archive / entry.video,
            "first_frame": entry.first_frame,
            "last_frame": entry.last_frame,
            "survey": (survey,) if survey else (),
            "rig": entry.rig,
            "fps": entry.fps,
        }


class Clips(Shown):
    """Render the clips of the report: where it is clear who is who, and where it is not."""

    default: str = takes("method to show alone")
    compare: tuple[str, ...] = takes("method to show beside others")
    speed: Speed = same_as(settings.Clips, "speed")

    def run(self) -> None:
        """Render them, and write ``clips.parquet`` and ``skipped.csv`` beside them."""
        from murid.clip import chosen

        chosen.render_best(self)
