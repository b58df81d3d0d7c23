"""The configuration as pydantic models.

One model a stage: a rule depends on its own stage's settings alone, and the command line of a stage
is made from its model. Whatever is said of a setting is said here: ``config/config.yaml``, the
tables of ``config/README.md`` and ``config/schema.json`` are made from it (``make settings``).
"""

import itertools
import json
from collections.abc import Collection
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from murid.alerts.settings import Alerts as Alerts
from murid.detect.settings import BACKBONES as BACKBONES
from murid.detect.settings import DETECTOR_ONLY as DETECTOR_ONLY
from murid.detect.settings import NARROW as NARROW
from murid.detect.settings import NARROWEST as NARROWEST
from murid.detect.settings import SLACK as SLACK
from murid.detect.settings import WIDEST as WIDEST
from murid.detect.settings import Detect as Detect
from murid.detect.settings import Hopper as Hopper
from murid.detect.settings import Onnx as Onnx
from murid.detect.settings import Proposals as Proposals
from murid.detect.settings import TrainDetector as TrainDetector
from murid.draws.settings import Draws as Draws
from murid.exports.files import Format
from murid.fitting.settings import FitPath as FitPath
from murid.fitting.settings import FitWeights as FitWeights
from murid.identify.settings import Identify as Identify
from murid.identify.settings import Paths as Paths
from murid.identify.settings import Solve as Solve
from murid.layout import Layout
from murid.readings.settings import Logs as Logs
from murid.readings.settings import Readings
from murid.report.settings import Report as Report
from murid.settings_faults import fault_of as fault_of
from murid.settings_faults import parse as parse
from murid.settings_kinds import (
    Block,
    BoardCorners,
    Count,
    EachOnce,
    Fraction,
    NotNegative,
    Point,
    Positive,
    Seed,
    Side,
    Some,
    Speed,
    Split,
    Whole,
    setting,
)
from murid.simulate.settings import Simulate as Simulate
from murid.study.settings import Study as Study
from murid.study.settings import StudyIdentify as StudyIdentify
from murid.study.settings import StudyTracker as StudyTracker
from murid.study.settings import StudyWeights as StudyWeights
from murid.summaries.settings import Summaries as Summaries
from murid.tracking.settings import ADOPTED_ONLY as ADOPTED_ONLY
from murid.tracking.settings import TRACKER_MODELS as TRACKER_MODELS
from murid.tracking.settings import Track as Track
from murid.tracking.settings import Tracker as Tracker
from murid.tracking.settings import TrackVisually as TrackVisually
from murid.tracking.settings import Visual as Visual

SPLITS: tuple[Split, ...] = get_args(Split)
Shown = Annotated[tuple[str, ...], Field(min_length=1, max_length=4)]
Exports = Annotated[tuple[Format, ...], Field(min_length=1)]
Pixel = Annotated[float, Field(ge=0, le=32_768)]
PlacesInPicture = Annotated[tuple[tuple[Pixel, Pixel], ...], Field(min_length=2, max_length=1_000)]


class Grid(Block):
    """The antennas: a grid, or the place of each."""

    rows: Annotated[int, Field(ge=1, le=64)] = setting(
        3, "antenna rows, from the back of the cage to the front"
    )
    columns: Annotated[int, Field(ge=1, le=64)] = setting(
        6, "antenna columns, left to right in the image"
    )
    places: EachOnce[PlacesInPicture] | None = setting(
        None,
        "[x, y] of each antenna, pixels of the frame of reference, where they are in no grid; "
        "null = those of the table of antennas, if it has any, else rows and columns",
        "See [antennas in no grid](#antennas-in-no-grid)",
    )

    @property
    def layout(self) -> Layout:
        """How the antennas are laid out: in no grid, they are one row."""
        if self.places is None:
            return Layout(self.rows, self.columns)
        return Layout(1, len(self.places), self.places)


class Image(Block):
    """The frame of reference."""

    width: Side = setting(
        1280, "width of the frame of reference, pixels", "With one rig, the width of its video"
    )
    height: Side = setting(
        720, "height of the frame of reference, pixels", "With one rig, the height of its video"
    )


class Check(Block):
    """When a segment is usable."""

    frame_tolerance: Whole = setting(
        2, "frames by which video, detections and positions may differ in length"
    )
    max_missing: Fraction = setting(
        0.0,
        "share of antenna readings that may stay missing after filling; above it the segment is "
        "discarded",
    )
    max_missing_frames: Fraction = setting(
        0.75,
        "share of a video's frames that may be missing or not decode, or of a segment that may "
        "go by in one stretch without any box of another tool; above it the segment is "
        "discarded",
    )


class Calibrate(Block):
    """How rigs are brought into one frame of reference (Appendix A.1)."""

    transform: Literal["translation", "similarity", "affine"] = setting(
        "similarity",
        "kind of transform fitted to the points of the odd antennas: translation, similarity or "
        "affine",
    )
    max_residual: Positive = setting(
        20.0, "pixels; a rig set-up whose even antennas' points are further off is refused"
    )
    out_of_line: float = setting(
        5.0,
        "a rig set-up whose even antennas' points are so many times further off than those of "
        "the other set-ups is refused, too",
        gt=1,
    )
    board_corners: tuple[BoardCorners, BoardCorners] | None = setting(
        None,
        "inner corners of the checkerboard, [left to right, back to front]; null = one an antenna",
    )
    board_first: Point = setting(
        (0.0, 0.0),
        "where antenna 1 is on the checkerboard: squares [right, front] of its back left inner "
        "corner",
    )
    board_pitch: tuple[Positive, Positive] = setting(
        (1.0, 1.0), "squares from one antenna to the next, [right, front]"
    )
    board_frames: Count = setting(
        25, "frames of a recording in which the checkerboard is looked for, at most, spread evenly"
    )


class Overlap(Block):
    """When a box is an annotated animal's (Sect. 5.3)."""

    iou: Fraction = setting(0.5, "a box covers an annotation above this IoU")
    iou_difficult: Fraction = setting(0.3, "the same for difficult annotations")


class Evaluate(Overlap):
    """What is counted (Sect. 5.3)."""

    snippets: Annotated[tuple[tuple[float, float], ...], Field(min_length=1)] | None = setting(
        None, "[[from, to], ...] in seconds, both included; null = every annotated frame"
    )
    interval: Positive = setting(4.0, "seconds between annotations within a snippet")
    min_annotated: Fraction = setting(
        0.5,
        "share of a snippet's annotation times that must be annotated unambiguously (no huddle, "
        "no tentative identity) for the snippet to count",
    )

    @model_validator(mode="after")
    def _snippets_in_order(self) -> Self:
        end = 0.0
        for low, high in self.snippets or ():
            if not end <= low <= high:
                raise ValueError(
                    "snippets [from, to] that follow each other and start at 0 s or later"
                )
            end = high
        return self


class Review(Block):
    """Which stretches a human should look at."""

    below: Fraction = setting(0.9, "a tracklet none of whose names is this probable is uncertain")
    gap: NotNegative = setting(
        1.0, "seconds without an uncertain tracklet that do not end a stretch, at most"
    )
    shortest: NotNegative = setting(
        1.0,
        "seconds; shorter stretches, of which there are many, are not listed; 0 = list all",
    )


class Places(Block):
    """Where animals probably are that no box shows (``snakemake places``)."""

    learnt_segments: Count = setting(
        24, "most segments from which it is learnt how animals stay and roam, spread over all"
    )
    seed: Seed = setting(1, "seed of which known places are hidden to learn from them")


class Clips(Block):
    """What the clips of ``snakemake clips`` show."""

    seconds: Positive = setting(10.0, "length of the stretch that a clip shows, seconds")
    speed: Speed = setting(0.5, "speed of playing; 1 = as recorded")
    clahe: bool = setting(False, "even out the contrast for human eyes")
    methods: EachOnce[Shown] | None = setting(
        None,
        "methods to show side by side where they disagree, four at most; null = the default and "
        "three others",
    )


class Proofread(Block):
    """What ``snakemake proofread`` asks."""

    questions: Count = setting(100, "questions on the page, at most: the best of all segments")
    per_segment: Count = setting(20, "questions of a segment, at most", le=1000)
    least: NotNegative = setting(
        3.0, "boxes that an answer must be expected to put right for its question to be asked"
    )
    shortest: NotNegative = setting(
        0.2, "seconds for which the animal asked about must be followed, so that it can be told"
    )
    seconds: Positive = setting(8.0, "length of the clip around a question, seconds", le=120)


class Settings(Block):
    """The whole configuration."""

    archive: Some = setting(
        ...,
        "folder of the archive; paths in the sample sheet start there",
        path="folder",
        examples=["demo/archive"],
    )
    results: Some = setting("results", "folder for everything that is made", path="made")
    archive_format: Literal["sheet", "tide"] = setting(
        "sheet",
        "sheet = described by a table of its segments; tide = the layout of the TIDe release",
        "The table is [the sample sheet](#the-sample-sheet)",
    )
    segments: str | None = setting(
        None,
        "the sample sheet; null = segments.tsv in the archive, or made from it where "
        "archive_format is tide",
        path="file",
    )
    points: str | None = setting(
        None,
        "calibration points of every rig (CSV or VIA), or a CSV of the rigs' checkerboard "
        "recordings; null = one rig, no transform",
        "See [calibrate](#calibrate-rigs-brought-into-one-frame-of-reference)",
        path="file",
    )
    detector: str | None = setting(
        None,
        "trained detector (safetensors), or another's network (ONNX); null = train one on the "
        "segments of split Train that have a video and annotations",
        "Where there are none, segments that have only a video are discarded, and others go on. "
        "A network of others is told in `onnx`",
        path="file",
    )
    weights: str | None = setting(
        None,
        "fitted weights (weights.json of another run); null = fit them on the annotated "
        "segments of fit_weights.splits, or learn them without",
        path="file",
    )
    path_model: str | None = setting(
        None,
        "fitted path model (path_model.json of another run); null = fit it on the annotated "
        "segments of Train and Validate; where weights are learnt without annotations and none of "
        "these has any, on segments of any split",
        path="file",
    )
    animals: str | None = setting(
        None,
        "table of the animals and their tags (CSV, TSV), for antenna logs; null = tags are names",
        "See [antenna logs](#antenna-logs)",
        path="file",
    )
    antennas: str | None = setting(
        None,
        "table of where antennas are (CSV, TSV), of those in no grid, or that logs call otherwise; "
        "null = by readings.numbering",
        "See [antenna logs](#antenna-logs) and [antennas in no grid](#antennas-in-no-grid)",
        path="file",
    )
    corrections: str | None = setting(
        None,
        "what people answered of single boxes (CSV), which path obeys; null = nobody was asked",
        "See [corrections](#corrections-what-people-answered)",
        path="file",
    )
    export: EachOnce[Exports] = setting(
        ("movement", "csv"),
        "formats that snakemake export writes names in: movement, via_tracks, mot, coco, slp, csv",
        "See [exports](#exports-names-as-other-tools-read-them)",
    )
    longest_segment: Positive = setting(
        0.5,
        "length of the longest segment, hours; the memory and time that jobs ask a cluster for "
        "grow with it",
        le=1_000,
    )
    grid: Grid = setting(Grid(), "the antennas")
    image: Image = setting(Image(), "the frame of reference that all rigs are brought into")
    readings: Readings = setting(
        Readings(), "antenna logs, where the sheet names any, and the readings made of them"
    )
    check: Check = setting(Check(), "when a segment is usable")
    calibrate: Calibrate = setting(Calibrate(), "how rigs are brought into one frame of reference")
    train_detector: TrainDetector = setting(
        TrainDetector(), "how the detector is trained, only where detector is null"
    )
    detect: Detect = setting(Detect(), "which boxes are kept")
    onnx: Onnx = setting(
        Onnx(), "what a network of others takes and gives, only where detector is an ONNX file"
    )
    track: Track = setting(Track(), "how detections are linked into tracklets")
    fit_weights: FitWeights = setting(
        FitWeights(), "how the weights are fitted, only where weights is null"
    )
    fit_path: FitPath = setting(
        FitPath(), "how the path model is fitted, only where path_model is null"
    )
    identify: Identify = setting(Identify(), "how tracklets are named")
    visual: Visual = setting(Visual(), "a visual tracker that annotations seed, as one more method")
    evaluate: Evaluate = setting(Evaluate(), "what is counted")
    review: Review = setting(Review(), "which stretches a human should look at")
    draws: Draws = setting(Draws(), "whole assignments that snakemake draws makes")
    places: Places = setting(Places(), "where animals probably are that no box shows")
    summaries: Summaries = setting(
        Summaries(), "what is told of animals by the second, the minute and the hour"
    )
    clips: Clips = setting(Clips(), "what snakemake clips renders")
    proofread: Proofread = setting(Proofread(), "what snakemake proofread asks")
    report: Report = setting(Report(), "how the report looks")
    alerts: Alerts = setting(Alerts(), "from when on something is worth an alert")
    study: Study = setting(Study(), "what the settings rest on, and how it is studied")

    @model_validator(mode="after")
    def _clips_of_methods_that_run(self) -> Self:
        run = {*self.identify.methods, "oracle", *(["visual"] if self.visual.enabled else [])}
        for method in self.clips.methods or ():
            if method not in run:
                raise ValueError(f"clips.methods names {method!r}, which is not run")
        return self

    @model_validator(mode="after")
    def _areas_in_the_picture(self) -> Self:
        size = (self.image.width, self.image.height)
        areas = {f"summaries.zones {name}": of for name, of in self.summaries.zones.items()}
        areas |= {"detect.hopper": self.detect.hopper} if self.detect.hopper else {}
        for (name, corners), axis in itertools.product(areas.items(), range(2)):
            places, side = [corner[axis] for corner in corners], size[axis]
            low, high = min(places), max(places)
            if low < -SLACK * side or high > (1 + SLACK) * side or high - low < NARROW * side:
                raise ValueError(
                    f"{name} in pixels of the picture of {size[0]} x {size[1]} (image), not "
                    f"{low:g} to {high:g} {('across', 'down')[axis]}, as in shares of it or of "
                    "another picture"
                )
        return self

    @model_validator(mode="after")
    def _antennas_in_the_picture(self) -> Self:
        width, height = self.image.width, self.image.height
        for number, (x, y) in enumerate(self.grid.places or (), 1):
            if not (0 <= x <= width and 0 <= y <= height):
                raise ValueError(
                    f"grid.places in pixels of the picture of {width} x {height} (image), not "
                    f"{x:g}, {y:g} of antenna {number}"
                )
        return self

    @model_validator(mode="after")
    def _tracklets_outlive_the_stride(self) -> Self:
        stride, track = self.detect.stride, self.track
        if track.max_age < stride - 1:
            raise ValueError(
                f"detect.stride {stride} needs track.max_age of {stride - 1} at least, since no "
                "tracklet is seen in two frames on end"
            )
        return self


def options(block: Block, names: Collection[str]) -> list[str]:
    """Write settings of a block as options of a command line, in the order of the block.

    Parameters
    ----------
    block
        The values.
    names
        Settings that the command takes.

    Examples
    --------
    >>> options(Track(iou=0.5), ["max_age", "iou"])
    ['--iou=0.5', '--max-age=0']
    """
    values = block.model_dump(mode="json")
    return [
        f"--{name.replace('_', '-')}={json.dumps(value)}"
        for name, value in values.items()
        if name in names
    ]
