"""The stages that turn other formats into tables, and that judge a segment by its files."""

from pathlib import Path

from murid import settings
from murid.stage import (
    Animals,
    Cage,
    Filming,
    Rate,
    Segment,
    Stage,
    Start,
    makes,
    reads,
    source,
    takes,
)

IMAGES = "COCO file that tells the images of COCO results"


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
    """Turn boxes with scores (CSV, Parquet, MOT text, COCO results) into a table of detections."""

    file: Path = reads("boxes with scores", argument=True)
    output: Path = makes("detections", argument=True)
    images: Path | None = reads(IMAGES, default=None)

    def run(self) -> None:
        """Convert; a table keeps the verdict that it has."""
        from murid import tables
        from murid.archive import detections

        table, verdict = detections.read_table(self.file, self.images)
        tables.write(table, self.output, "detections", verdict)


class ImportTracklets(Stage):
    """Turn a tracker's boxes (CSV, Parquet, MOT text, COCO results) into a table of tracklets."""

    file: Path = reads("boxes of a tracker", argument=True)
    output_tracklets: Path = makes("tracklets", argument=True)
    images: Path | None = reads(IMAGES, default=None)
    output_detections: Path | None = makes(
        "detections", "table of the tracklets' detections to write", default=None
    )

    def run(self) -> None:
        """Convert; a table keeps the verdict that it has."""
        from murid import tables
        from murid.archive import detections

        linked, verdict = detections.read(self.file, self.images)
        boxes = detections.as_table(linked, self.file)
        tracklets = detections.as_tracklets(linked, self.file)
        if self.output_detections:
            tables.write(boxes, self.output_detections, "detections", verdict)
        tables.write(tracklets, self.output_tracklets, "tracklets", verdict)


class ImportAnnotations(Stage):
    """Turn annotated frames (VIA, COCO JSON or another format) into a table of annotations."""

    file: Path = reads("annotated frames", argument=True)
    output: Path = makes("annotations", argument=True)
    cage: str | None = takes("which cage, where the file holds several segments", default=None)
    segment: str | None = takes("which segment of it", default=None)

    def run(self) -> None:
        """Convert; a table keeps the verdict that it has."""
        from murid import tables
        from murid.archive import annotations

        table, verdict = annotations.read(self.file, self.cage, self.segment)
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


class Check(Filming):
    """Judge a segment by its files, and write them as tables that carry the verdict."""

    of = "segment"
    leave_out = ("system", "time_column", "tag_column", "antenna_column", "time_format")

    cage: Cage
    segment: Segment
    positions: Path | None = source("antenna readings, any format", default=None)
    readings: tuple[Path, ...] = reads(
        "reads of an antenna log, in place of positions; repeatable", default=()
    )
    frame_times: Path | None = source("when each frame was taken", default=None)
    annotations: Path | None = source("annotated frames, any format", default=None)
    detections: Path | None = source("boxes made elsewhere, any format", default=None)
    tracklets: Path | None = source("tracklets made elsewhere, any format", default=None)
    video: Path | None = source("recording, to compare its length", default=None)
    animals: Animals = ""
    fps: Rate = 25.0
    start: Start = ""
    tags: Path | None = takes("table of the animals and their tags", default=None)
    antennas: Path | None = takes("table of where the antennas of logs are", default=None)
    shared: tuple[str, ...] = takes("what the sheet names for another segment, too", default=())
    output_positions: Path = makes("positions", "table of positions to write")
    output_annotations: Path = makes("annotations", "annotations to write")
    output_detections: Path | None = makes(
        "detections", "table of the given detections to write", default=None
    )
    output_tracklets: Path | None = makes(
        "tracklets", "table of the given tracklets to write", default=None
    )
    grid: settings.Grid = settings.Grid()
    check: settings.Check = settings.Check()
    of_logs: settings.Readings = settings.Readings()

    def run(self) -> None:
        """Judge; the tables of a discarded segment are empty."""
        from murid.archive import check

        verdict = check.check_segment(self)
        reason = f" ({verdict.reason})" * bool(verdict.reason)
        print(f"{self.cage} {self.segment}: {verdict.status}{reason}")
