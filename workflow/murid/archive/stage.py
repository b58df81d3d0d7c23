"""The stages that turn other formats into tables, and that judge a segment by its files."""

from pathlib import Path

from murid import settings
from murid.readings.logged import Logged
from murid.settings_kinds import Positive
from murid.stage import Animals, Cage, Filming, Segment, Stage, makes, reads, source, takes

IMAGES = "COCO file that tells the images of COCO results"
VIDEO = "recording, for boxes in shares of its picture"


def _size(video: Path | None) -> tuple[int, int] | None:
    """Return width and height of a recording's frames as shown; None if there is no recording."""
    from murid.video import Reel, grey

    if video is None:
        return None
    # The header does not tell whether frames are turned.
    _, frame = next(Reel(video).decode())
    height, width = grey(frame).shape
    return width, height


class ImportTide(Stage):
    """Write segments.tsv and tables of an ARCHIVE in the layout of a TIDe release to OUT."""

    archive: Path = takes("folder of the release", argument=True)
    out: Path = takes("folder to write to", argument=True)
    sheet_only: bool = takes("write no tables; the sheet refers to ARCHIVE", default=False)

    def run(self) -> None:
        """Import; what the user should know is told one by one."""
        import sys

        from murid.archive import tide

        for note in tide.import_release(self):
            print(f"murid: {note}", file=sys.stderr)


class ImportPositions(Stage):
    """Turn antenna readings (CSV, Parquet, pickled frame) into a table of positions."""

    file: Path = reads("antenna readings", argument=True)
    output: Path = makes("positions", argument=True)

    def run(self) -> None:
        """Convert; a table keeps the verdict that it has."""
        from murid import tables
        from murid.archive import positions

        table, verdict = positions.read_table(self.file)
        tables.write(table, self.output, "positions", verdict)


class ImportDetections(Stage):
    """Turn boxes with scores (CSV, MOT text, COCO results, others) into a table of detections."""

    file: Path = reads("boxes with scores", argument=True)
    output: Path = makes("detections", argument=True)
    images: Path | None = reads(IMAGES, default=None)
    video: Path | None = reads(VIDEO, default=None)

    def run(self) -> None:
        """Convert; a table keeps the verdict that it has."""
        from murid import tables
        from murid.archive import detections

        table, verdict = detections.read_table(self.file, self.images, _size(self.video))
        tables.write(table, self.output, "detections", verdict)


class ImportTracklets(Stage):
    """Turn a tracker's boxes (CSV, MOT text, SLEAP, COCO results, others) into tracklets."""

    file: Path = reads("boxes of a tracker", argument=True)
    output_tracklets: Path = makes("tracklets", argument=True)
    images: Path | None = reads(IMAGES, default=None)
    video: Path | None = reads(VIDEO, default=None)
    output_detections: Path | None = makes(
        "detections", "table of the tracklets' detections to write", default=None
    )

    def run(self) -> None:
        """Convert; a table keeps the verdict that it has."""
        from murid import tables
        from murid.archive import detections

        linked, verdict = detections.read(self.file, self.images, _size(self.video))
        boxes = detections.as_table(linked, self.file)
        tracklets = detections.as_tracklets(linked, self.file)
        if self.output_detections:
            tables.write(boxes, self.output_detections, "detections", verdict)
        tables.write(tracklets, self.output_tracklets, "tracklets", verdict)


class ImportAnnotations(Stage):
    """Turn annotated frames (VIA, CVAT, COCO JSON or others) into a table of annotations."""

    file: Path = reads("annotated frames", argument=True)
    output: Path = makes("annotations", argument=True)
    cage: str | None = takes("which cage, where the file holds several segments", default=None)
    segment: str | None = takes("which segment of it", default=None)
    fps: Positive | None = takes("frames a second, for times in seconds (VIA 3)", default=None)
    video: Path | None = reads(VIDEO, default=None)

    def run(self) -> None:
        """Convert; a table keeps the verdict that it has."""
        from murid import tables
        from murid.archive import annotations

        size = _size(self.video)
        table, verdict = annotations.read(self.file, self.cage, self.segment, self.fps, size)
        tables.write(table, self.output, "annotations", verdict)


class AdoptCorrections(Stage):
    """Take what people answered of a segment's boxes."""

    of = "segment"

    cage: Cage
    segment: Segment
    files: tuple[Path, ...] = takes(
        "corrections (CSV, TSV), of any segments; repeatable", option="--file", default=()
    )
    output: Path = makes("corrections", "corrections of the segment to write")

    def run(self) -> None:
        """Read; rows that make no sense are left out, and told."""
        import pandas as pd

        from murid import corrections, tables

        rows, wrong = corrections.of_segment(self.files, (self.cage, self.segment))
        table = tables.empty("corrections")
        if rows:
            table = tables.conform(pd.DataFrame(rows), "corrections")
        verdict = tables.Verdict()
        if wrong:
            verdict = tables.Verdict("repaired", corrections.reason(wrong))
            print(f"{self.cage} {self.segment}: {verdict.reason}")
        tables.write(table, self.output, "corrections", verdict)


class SurveyVideo(Stage):
    """Read a video once of which segments are parts, so that none need decode it from its start."""

    of = "video"

    file: Path = takes("video")
    output: Path = makes("key_frames")

    def run(self) -> None:
        """Survey; a video that cannot be read leaves an empty table that says why."""
        from murid.video import survey_table

        verdict = survey_table.write(self.file, self.output)
        print(f"{self.file}: {verdict.status}{f' ({verdict.reason})' * bool(verdict.reason)}")


class Check(Logged, Filming):
    """Judge a segment by its files, and write them as tables that carry the verdict."""

    positions: Path | None = source("antenna readings, any format", default=None)
    annotations: Path | None = source("annotated frames, any format", default=None)
    detections: Path | None = source("boxes made elsewhere, any format", default=None)
    tracklets: Path | None = source("tracklets made elsewhere, any format", default=None)
    video: Path | None = source("recording, to compare its length", default=None)
    animals: Animals = ""
    shared: tuple[str, ...] = takes("what the sheet names for another segment, too", default=())
    output_positions: Path = makes("positions", "table of positions to write")
    output_annotations: Path = makes("annotations", "annotations to write")
    output_detections: Path | None = makes(
        "detections", "table of the given detections to write", default=None
    )
    output_tracklets: Path | None = makes(
        "tracklets", "table of the given tracklets to write", default=None
    )
    check: settings.Check = settings.Check()

    def run(self) -> None:
        """Judge; the tables of a discarded segment are empty."""
        from murid.archive import check

        verdict = check.check_segment(self)
        reason = f" ({verdict.reason})" * bool(verdict.reason)
        print(f"{self.cage} {self.segment}: {verdict.status}{reason}")
