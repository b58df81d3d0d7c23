"""The stages that train the detector, run it, adopt what others detected, and measure it."""

from pathlib import Path
from typing import NamedTuple

from murid import settings
from murid.settings import Fraction, Whole
from murid.stage import (
    MODEL,
    Filming,
    Last,
    Positive,
    Rate,
    Rig,
    Stage,
    makes,
    reads,
    same_as,
    source,
    takes,
)
from murid.video_part import END


class Annotated(NamedTuple):
    """A video and its table of annotations; or what else :func:`murid.detect.data.load` takes."""

    video: Path
    annotations: Path


class Filmed(NamedTuple):
    """A video and its frames per second."""

    video: Path
    fps: Positive


class OfPart(NamedTuple):
    """A table of annotations, the first and last frame of their video, and the survey of it."""

    annotations: Path
    first: Whole
    last: Last
    survey: Path


class Compared(NamedTuple):
    """A segment's split, and the tables that are compared."""

    split: settings.Split
    detections: Path
    annotations: Path


class Validated(NamedTuple):
    """A segment's split, its video and its table of annotations."""

    split: settings.Split
    video: Path
    annotations: Path


PARTS = (
    "a table of annotations that are of a part of their video: its first and last frame there (or "
    f"{END}), and the table of the video's key frames; repeatable"
)
DETECTOR = "trained detector (safetensors), or another's network (ONNX)"
RATES = "frames per second of a video, needed where its own rate varies; repeatable"


class TrainDetector(Stage):
    """Train the detector on annotated frames; a killed training goes on where it was."""

    of = "all"

    train: tuple[Annotated, ...] = takes(
        "a video and its table of annotations, or a video or folder of images and COCO JSON; "
        "repeatable"
    )
    validating: tuple[Annotated, ...] = takes(
        "the same, for choosing the best checkpoint; repeatable", default=(), option="--validate"
    )
    fps: tuple[Filmed, ...] = takes(RATES, default=())
    parts: tuple[OfPart, ...] = takes(PARTS, default=(), option="--part")
    output: Path = makes(MODEL, "trained detector (safetensors) to write")
    train_detector: settings.TrainDetector = settings.TrainDetector()

    def run(self) -> None:
        """Train; a segment of which video or table cannot be read is left out, as the log says."""
        from murid.detect import train

        train.train(self)


class ExportDetector(Stage):
    """Write a trained detector as an ONNX file, for other programs."""

    checkpoint: Path = reads("trained detector (safetensors)", argument=True)
    output: Path = makes(MODEL, "network (ONNX) to write", argument=True)
    image: settings.Image = settings.Image()

    def run(self) -> None:
        """Export, for pictures of the size of the frame of reference."""
        from murid.detect.onnx import export

        export.export(self.checkpoint, self.output, self.image)


class Detect(Filming):
    """Find mice and tunnel in every frame of a video."""

    of = "segment"

    video: Path = source("video of the segment")
    detector: Path = reads(DETECTOR)
    positions: Path = reads("table of positions")
    transforms: Path = reads("table of transforms")
    rig: Rig
    fps: Rate
    frame_tolerance: Whole = same_as(settings.Check, "frame_tolerance")
    output: Path = makes("detections")
    image: settings.Image = settings.Image()
    detect: settings.Detect = settings.Detect()
    onnx: settings.Onnx = settings.Onnx()

    def run(self) -> None:
        """Detect; of a segment that cannot be used the table has no rows."""
        from murid import tables
        from murid.detect import by_detector

        detections, verdict = by_detector.find(self)
        tables.write(detections, self.output, "detections", verdict)


class AdoptDetections(Stage):
    """Filter detections made elsewhere as the detector's own would be, and judge them."""

    of = "segment"
    leave_out = settings.DETECTOR_ONLY

    detections: Path = reads("table of detections by another tool")
    positions: Path = reads("table of positions")
    transforms: Path = reads("table of transforms")
    rig: Rig
    output: Path = makes("detections")
    max_missing_frames: Fraction = same_as(settings.Check, "max_missing_frames")
    no_detector: bool = takes(
        "there are none for want of a detector: discard the segment", default=False
    )
    image: settings.Image = settings.Image()
    detect: settings.Detect = settings.Detect()

    def run(self) -> None:
        """Adopt; of a segment that cannot be used the table has no rows."""
        from murid import tables
        from murid.detect import foreign

        detections, verdict = foreign.adopt_segment(self)
        tables.write(detections, self.output, "detections", verdict)


class CompareAnnotations(Stage):
    """Judge annotations by the detections of the same frames, and keep those that fit."""

    of = "segment"

    annotations: Path = reads("table of annotations")
    detections: Path = reads("table of detections")
    positions: Path = reads("table of positions")
    transforms: Path = reads("table of transforms")
    rig: Rig
    output: Path = makes("annotations")
    fps: Rate
    image: settings.Image = settings.Image()

    def run(self) -> None:
        """Compare; where nothing can be compared, annotations are kept as they are."""
        from murid import rigs, tables
        from murid.detect import annotated

        verdict = tables.read_verdict(self.annotations)
        given = tables.read(self.annotations, "annotations")
        others = self.annotations, self.detections, self.positions
        if not rigs.read_segment_verdict(self.transforms, self.rig, *others).discarded:
            matrix = rigs.read_matrices(self.transforms, [self.rig])[self.rig]
            detections = tables.read(self.detections, "detections")
            given, fit = annotated.judge(given, detections, matrix, self.image, self.fps)
            verdict |= fit
        tables.write(given, self.output, "annotations", verdict)


class AssessDetector(Stage):
    """Measure precision and recall of detections against annotations."""

    of = "all"

    segments: tuple[Compared, ...] = takes(
        "split of a segment and its two tables; repeatable", option="--segment"
    )
    iou: Fraction = same_as(
        settings.Track, "iou", "IoU at which the tracker links boxes, measured beside the usual one"
    )
    output: Path = makes("detector_metrics")

    def run(self) -> None:
        """Measure; discarded segments are left out."""
        from murid import tables
        from murid.detect import assess

        metrics = assess.assess_segments(self.segments, self.iou)
        tables.write(metrics, self.output, "detector_metrics")


class ValidateDetector(Stage):
    """Measure all boxes of a detector against annotations, by the COCO protocol."""

    of = "all"

    segments: tuple[Validated, ...] = takes(
        "split of a segment, its video and its table of annotations; repeatable",
        option="--segment",
    )
    fps: tuple[Filmed, ...] = takes(RATES, default=())
    parts: tuple[OfPart, ...] = takes(PARTS, default=(), option="--part")
    detector: Path = reads(DETECTOR)
    output: Path = makes("detector_validation")
    proposals: settings.Proposals = settings.Proposals()
    onnx: settings.Onnx = settings.Onnx()

    def run(self) -> None:
        """Measure; a segment of which video or table cannot be read is left out."""
        from murid import tables
        from murid.detect import validate

        tables.write(validate.validate(self), self.output, "detector_validation")
