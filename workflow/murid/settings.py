"""The configuration as pydantic models; every error names the key, the value and what is allowed.

One model a stage: a rule depends on its own stage's settings alone, and the command line of a stage
is made from its model, so that a setting is described once.
"""

import json
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from murid.errors import InputError, SeveralErrors, brief
from murid.identify import methods
from murid.made_for import LATEST
from murid.sheet import ANIMAL, MOST_ANIMALS, is_animal

Split = Literal["Train", "Validate", "Test"]
SPLITS: tuple[Split, ...] = ("Train", "Validate", "Test")
Fraction = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]
Side = Annotated[int, Field(ge=1, le=32_768)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
BoardCorners = Annotated[int, Field(ge=3)]
Point = tuple[float, float]
Some = Annotated[str, Field(min_length=1)]
SLACK, NARROW = 0.1, 0.01
"""Of a side of the picture: how far the hopper may lie outside, and how wide and high it is."""
Model = TypeVar("Model", bound=BaseModel)
Item = TypeVar("Item", bound=Hashable)


def _each_once(values: tuple[Item, ...]) -> tuple[Item, ...]:
    if len(set(values)) < len(values):
        raise ValueError("each value once")
    return values


EachOnce = AfterValidator(_each_once)


def _animal(name: str) -> str:
    if not is_animal(name):
        raise ValueError(ANIMAL)
    return name


Animal = Annotated[str, AfterValidator(_animal)]


def _holds_truth(value: Any) -> bool:
    return isinstance(value, bool) or (
        isinstance(value, list | tuple) and any(map(_holds_truth, value))
    )


class Block(BaseModel):
    """A block of settings: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _null(cls, values: Any) -> Any:
        """Take the word ``null`` for null: ``snakemake --config`` hands over nothing but words."""
        if not isinstance(values, Mapping):
            return values
        return {key: None if value == "null" else value for key, value in values.items()}

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth(cls, value: Any, info: ValidationInfo) -> Any:
        """Take no truth value for a number: true is no 1, nor is what YAML reads as true."""
        field = cls.model_fields[str(info.field_name)]
        if field.annotation is not bool and _holds_truth(value):
            raise ValueError(
                "no truth value, as true, yes and on are in YAML, but what the key takes: "
                f"{field.description or 'see config/README.md'}"
            )
        return value


class Grid(Block):
    """The antenna grid."""

    rows: Annotated[int, Field(ge=1, le=64)] = Field(
        3, description="antenna rows, from the back of the cage to the front"
    )
    columns: Annotated[int, Field(ge=1, le=64)] = Field(
        6, description="antenna columns, left to right in the image"
    )


class Image(Block):
    """The frame of reference."""

    width: Side = Field(1280, description="width of the frame of reference, pixels")
    height: Side = Field(720, description="height of the frame of reference, pixels")


class Check(Block):
    """When a segment is usable."""

    frame_tolerance: int = Field(
        2, ge=0, description="frames by which video, detections and positions may differ in length"
    )
    max_missing: Fraction = Field(
        0.0,
        description="share of readings that may stay missing after filling; above it the segment "
        "is discarded",
    )
    max_missing_frames: Fraction = Field(
        0.75,
        description="share of a video's frames that may be missing or not decode, or of a segment "
        "that may go by in one stretch without any box of another tool; above it the segment is "
        "discarded",
    )


class Calibrate(Block):
    """How rigs are brought into one frame of reference (Appendix A.1)."""

    transform: Literal["translation", "similarity", "affine"] = Field(
        "similarity", description="kind of transform fitted to the odd points"
    )
    max_residual: float = Field(
        20.0, gt=0, description="pixels; a set-up whose even points are further off is refused"
    )
    out_of_line: float = Field(
        5.0,
        gt=1,
        description="a set-up whose even points are so many times further off than those of others "
        "is refused",
    )
    board_corners: tuple[BoardCorners, BoardCorners] | None = Field(
        None,
        description="inner corners of the checkerboard, [left to right, back to front]; null = one "
        "an antenna",
    )
    board_first: Point = Field(
        (0.0, 0.0),
        description="where antenna 1 is on the checkerboard: squares [right, front] of its back "
        "left inner corner",
    )
    board_pitch: Point = Field(
        (1.0, 1.0),
        description="squares from one antenna to the next [right, front]",
    )
    board_frames: Count = Field(
        25, description="frames of a recording in which the checkerboard is looked for, at most"
    )


class Proposals(Block):
    """What the detector proposes, and how it runs."""

    score: Fraction = Field(0.4, description="only detections that score above this are kept")
    nms: Fraction = Field(
        0.6, description="of boxes of a label that overlap above this IoU, the best stays"
    )
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="where the model runs")


class Detect(Proposals):
    """Which boxes of the detector are kept (Sect. 4.1)."""

    max_mice: Annotated[int, Field(ge=1, le=MOST_ANIMALS)] | None = Field(
        None,
        description="at most so many boxes of a label a frame, best first; null = two more than "
        "the cage has animals, and five at least",
    )
    hopper: Annotated[tuple[Point, ...], Field(min_length=3)] | None = Field(
        None, description="corners [x, y] of the food hopper in the frame of reference"
    )
    hopper_overlap: Fraction = Field(
        0.4, description="boxes with more than this share of their area in the hopper are dropped"
    )
    stride: Count = Field(
        1, description="look at every n-th frame only; the others have no detections"
    )
    batch_size: Count = Field(8, description="frames a batch")
    half: bool = Field(True, description="compute in half precision, on CUDA only")
    compile: bool = Field(False, description="compile the network first, which takes a minute")

    def for_animals(self, animals: int) -> Self:
        """Return the settings for a cage of so many animals: ``max_mice`` follows if it is null.

        Examples
        --------
        >>> [Detect().for_animals(number).max_mice for number in (3, 8)]
        [5, 10]
        >>> Detect(max_mice=4).for_animals(3).max_mice
        4
        """
        if self.max_mice is not None:
            return self
        return self.model_copy(update={"max_mice": min(max(5, animals + 2), MOST_ANIMALS)})


DETECTOR_ONLY = ("stride", "batch_size", "device", "half", "compile")
"""Settings of :class:`Detect` that mean nothing for detections by others."""


BACKBONES = ("resnet50", "resnet18", "slim")
NARROWEST, WIDEST = 32, 4096
"""Pixels to which the longer side of a frame may be scaled for the detector."""


class TrainDetector(Block):
    """How the detector is trained (Appendix C.1)."""

    backbone: Literal["resnet50", "resnet18", "slim"] = Field(
        "resnet50", description="feature extractor; slim is for small frames and CPUs"
    )
    width: Annotated[int, Field(ge=NARROWEST, le=WIDEST)] = Field(
        1280, description="pixels to which the longer side of a frame is scaled"
    )
    weights: str | None = Field(
        None,
        description="checkpoint to start from (safetensors, or a .pth of torchvision); coco = "
        "torchvision's, downloaded; null = from scratch",
    )
    iterations: Count = Field(30_000, description="optimiser steps")
    batch_size: Count = Field(16, description="images a step")
    optimiser: Literal["sgd", "adamw"] = Field(
        "sgd", description="sgd with momentum 0.9 to fine-tune, adamw from scratch"
    )
    learning_rate: float = Field(1e-4, gt=0, description="learning rate at its highest")
    schedule: Literal["constant", "cosine"] = Field(
        "constant", description="learning rate after warming up: constant, or falling to 0"
    )
    warm_up: int = Field(0, ge=0, description="steps in which the learning rate rises to its value")
    weight_decay: float = Field(1e-4, ge=0, description="pull of the weights towards 0")
    checkpoint_every: Count = Field(1_000, description="steps between checkpoints")
    skip_difficult: bool = Field(True, description="leave out frames with a difficult annotation")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="where it trains")
    seed: Seed = Field(1, description="seed of every random choice")

    @model_validator(mode="after")
    def _fit_each_other(self) -> Self:
        if self.weights == "coco" and self.backbone != "resnet50":
            raise ValueError(f"weights: coco are for resnet50, not for {self.backbone}")
        if self.warm_up >= self.iterations > 1:
            raise ValueError(f"fewer steps of warm_up than {self.iterations}, the iterations")
        return self


class Track(Block):
    """The tracker (Sect. 4.2)."""

    iou: Fraction = Field(0.8, description="a detection joins a tracklet at this IoU or above")
    min_length: Count = Field(2, description="contiguous frames that a tracklet needs to be kept")
    max_age: int = Field(0, ge=0, description="missed frames that a tracklet survives")
    ambiguity: Fraction = Field(
        0.1,
        description="matches are ambiguous, and both tracklets end, if their exchange loses less "
        "IoU than this, in the mean; 0 = never",
    )


class FitWeights(Block):
    """The model of a box given an antenna (Sect. 3.3, 4.3, Appendix C.3)."""

    splits: Annotated[tuple[Split, ...], EachOnce] = Field(
        ("Train", "Validate"), min_length=1, description="splits whose annotations are fitted to"
    )
    covariance: Literal["spherical", "pooled", "per_visibility", "per_row"] = Field(
        "per_row", description="what the covariance of a box depends on"
    )
    trees: Count = Field(100, description="trees of the visibility forest")
    max_depth: Count = Field(12, description="their depth at most")
    min_samples_split: int = Field(5, ge=2, description="samples that a node needs to be split")
    min_samples_leaf: Count = Field(2, description="samples that a leaf keeps")
    seed: Seed = Field(1, description="seed of the forest")
    lag: float | None = Field(
        None,
        ge=0,
        le=LATEST,
        description="seconds by which antenna readings run late; null = estimate it",
    )
    max_lag: float = Field(4.0, ge=0, le=LATEST, description="largest lag to try, seconds")
    lag_step: float = Field(
        0.2, ge=0.01, le=2, description="seconds from one lag that is tried to the next"
    )


def _method(name: str) -> str:
    if name not in methods.chosen():
        *others, last = map(repr, methods.chosen())
        raise ValueError(f"{', '.join(others)} or {last}")
    return name


Method = Annotated[str, AfterValidator(_method)]


class Solve(Block):
    """How the assignment is solved (Sect. 4.4)."""

    solver: Literal["auto", "dp", "cbc", "highs", "paper"] = Field(
        "auto",
        description="dp = dynamic programme; cbc, highs = reduced integer programme; paper = the "
        "programme as printed; auto = dp for small groups, else highs; all give the same optimum",
    )
    time_limit: float | None = Field(
        None, gt=0, description="seconds for the solver; running out of them is an error"
    )


class Paths(Block):
    """What the methods beyond the paper's weigh, and how the path model is solved."""

    correct_lag: bool = Field(True, description="put the readings right by the lag that was fitted")
    antenna_weight: float = Field(
        0.05,
        gt=0,
        description="factor of the summed evidence of the antennas: consecutive frames "
        "say nearly the same; 1 = as if they were independent; it is for the frame rate of most "
        "segments that the path model is fitted to, and counts by the second at others",
    )
    score_weight: float = Field(
        0.3,
        ge=0,
        description="factor of the summed evidence of the detections' scores; 0 = none; at other "
        "frame rates as antenna_weight",
    )
    transitions: bool = Field(
        True, description="weigh how an animal gets from one tracklet to its next"
    )
    doubt: float = Field(
        5.0,
        gt=0,
        description="a tracklet is cut where several animals in turn explain the antennas by so "
        "much better than one, natural logarithm",
    )
    link_weight: float = Field(
        10.0,
        ge=0,
        description="how much it speaks for one animal that two pieces are of one tracklet, "
        "natural logarithm",
    )
    most_states: Count = Field(
        400, le=30_000, description="states of a path that are kept at once, at most"
    )
    worst: float = Field(
        50.0, gt=0, description="states this far below the best are let go, natural logarithm"
    )


class FitPath(Block):
    """How the path model is fitted."""

    reach: float = Field(
        1.2,
        gt=0,
        le=10,
        description="seconds without a tracklet for which an animal's place is remembered",
    )
    rounds: Count = Field(2, description="times that tracklets are named and motion is fitted")
    max_segments: Count = Field(
        12, description="segments of a split that are used at most, spread over all"
    )


class Identify(Solve, Paths):
    """How tracklets are named (Sect. 3.2, 5.2)."""

    methods: Annotated[tuple[Method, ...], EachOnce] = Field(
        methods.chosen(),
        min_length=1,
        description="methods to run and compare",
    )
    default: Method = Field("path", description="the method whose table is the pipeline's answer")

    @model_validator(mode="after")
    def _default_runs(self) -> Self:
        if self.default not in self.methods:
            raise ValueError(f"default is {self.default}, which is not among methods")
        return self


Tracker = Literal["mil", "vit", "nano", "dasiamrpn"]
TRACKER_MODELS: dict[Tracker, tuple[str, ...]] = {
    "mil": (),
    "vit": ("net",),
    "nano": ("backbone", "neckhead"),
    "dasiamrpn": ("model", "kernel_cls1", "kernel_r1"),
}
"""The models that each of OpenCV's trackers needs, by their names there."""


class TrackVisually(Block):
    """The seeded visual tracker (Sect. 5.2)."""

    tracker: Tracker = Field(
        "mil", description="OpenCV's tracker: mil needs no model; vit, nano, dasiamrpn"
    )
    models: tuple[str, ...] = Field(
        (),
        description="the tracker's models (ONNX), in the order vit: net; nano: backbone, neckhead; "
        "dasiamrpn: model, kernel_cls1, kernel_r1",
    )
    width: Count = Field(
        320, ge=32, description="pixels to which wider frames are reduced before tracking"
    )
    seed: int = Field(1, ge=0, lt=2**31, description="seed of every random choice")

    @model_validator(mode="after")
    def _models_are_there(self) -> Self:
        needed = TRACKER_MODELS[self.tracker]
        if len(self.models) != len(needed):
            names = ", ".join(needed) or "none"
            raise ValueError(f"as many models as the tracker {self.tracker} needs: {names}")
        return self


class Visual(TrackVisually):
    """Whether it runs at all, beside the methods of ``identify``."""

    enabled: bool = Field(False, description="run it where there is a video; slow")


class Overlap(Block):
    """When a box is an annotated animal's (Sect. 5.3)."""

    iou: Fraction = Field(0.5, description="a box covers an annotation above this IoU")
    iou_difficult: Fraction = Field(0.3, description="the same for difficult annotations")


class Evaluate(Overlap):
    """What is counted (Sect. 5.3)."""

    snippets: Annotated[tuple[tuple[float, float], ...], Field(min_length=1)] | None = Field(
        None, description="[from, to] in seconds, both included; null = every annotated frame"
    )
    interval: float = Field(4.0, gt=0, description="seconds between annotations within a snippet")
    min_annotated: Fraction = Field(
        0.5,
        description="share of a snippet's annotation times that must be annotated unambiguously "
        "(no huddle, no tentative identity) for the snippet to count",
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

    below: Fraction = Field(
        0.9, description="a tracklet none of whose names is this probable is uncertain"
    )
    gap: float = Field(
        1.0,
        ge=0,
        description="seconds without an uncertain tracklet that do not end a stretch, at most",
    )
    shortest: float = Field(
        1.0, ge=0, description="seconds; shorter stretches are not listed, 0 = list all"
    )


class Clips(Block):
    """What the clips of ``snakemake clips`` show."""

    seconds: float = Field(10.0, gt=0, description="length of the stretch that a clip shows")
    speed: float = Field(0.5, gt=0, description="of playing; 1 = as recorded")
    clahe: bool = Field(False, description="even out the contrast for human eyes")
    methods: Annotated[tuple[str, ...], Field(min_length=1, max_length=4), EachOnce] | None = Field(
        None,
        description="methods to show side by side where they disagree; null = the default "
        "and three others",
    )


class Report(Block):
    """How the report looks."""

    title: str = Field("Who is who in the cage", description="its heading")
    note: str | None = Field(
        None, description="a remark on the data, shown under the heading; null = none"
    )
    max_segments: Count = Field(
        200, description="segments that the page lists at most; report/segments.csv has them all"
    )
    max_cages: Count = Field(60, description="cages of a split that are drawn at most")
    max_stretches: Count = Field(
        20, description="uncertain stretches that the page lists; report/review.csv has them all"
    )


class StudyWeights(Block):
    """How the choices behind the weights are compared (Appendix C.3)."""

    folds: int = Field(5, ge=2, description="folds of the cross-validation of predictors")
    permutations: Count = Field(
        200, description="shuffles that tell what information comes out by chance"
    )
    significance: Fraction = Field(
        0.01, description="p value below which box sizes count as different"
    )


class StudyTracker(Block):
    """Which settings of the tracker are compared, and how (Appendix C.2)."""

    ious: Annotated[tuple[Fraction, ...], EachOnce] = Field(
        (0.65, 0.7, 0.75, 0.8, 0.85, 0.9), min_length=1, description="values of track.iou to try"
    )
    min_lengths: Annotated[tuple[Count, ...], EachOnce] = Field(
        (1, 2, 5, 7, 10, 15), min_length=1, description="values of track.min_length to try"
    )
    margin: float = Field(
        10.0, ge=0, description="seconds before and after each evaluated frame that are tracked"
    )


class StudyIdentify(Block):
    """Which factors of the evidence are compared, by leaving cages out."""

    antenna_weights: Annotated[tuple[Annotated[float, Field(gt=0)], ...], EachOnce] = Field(
        (0.02, 0.05, 0.1),
        min_length=1,
        description="values of identify.antenna_weight to try",
    )
    score_weights: Annotated[tuple[Annotated[float, Field(ge=0)], ...], EachOnce] = Field(
        (0.1, 0.3, 0.5), min_length=1, description="values of identify.score_weight to try"
    )


class Study(Block):
    """The studies behind the settings."""

    weights: StudyWeights = StudyWeights()
    tracker: StudyTracker = StudyTracker()
    identify: StudyIdentify = StudyIdentify()


class Simulate(Block):
    """The demo archive."""

    seed: Seed = Field(1, description="seed of everything in it")
    cages: Count = Field(
        6, le=99, description="cages, of Train, Test, Train, Validate, Train, Test, and so on"
    )
    seconds: float = Field(150.0, gt=0, description="length of each cage's main segment")
    damaged_seconds: float = Field(8.0, gt=0, description="length of the damaged segments")
    fps: float = Field(12.5, gt=0, description="frames per second")
    width: int = Field(320, ge=64, multiple_of=2, description="pixels; the height is 9/16 of it")
    crf: int = Field(21, ge=0, le=51, description="compression of the video; 0 is lossless")
    annotate_every: float = Field(2.0, gt=0, description="seconds between annotated frames")
    animals: Annotated[tuple[Animal, ...], EachOnce] = Field(
        ("R", "G", "B"),
        min_length=1,
        max_length=MOST_ANIMALS,
        description="names of the animals in every cage",
    )
    processes: Count = Field(2, description="segments that are drawn at once")

    @property
    def height(self) -> int:
        """Height of the picture, pixels; even, as the encoder wants it."""
        return self.width * 9 // 16 // 2 * 2


class Settings(Block):
    """The whole of ``config.yaml``."""

    archive: Some = Field(description="folder of the archive; paths in the sheet start there")
    results: Some = Field("results", description="folder for everything that is made")
    archive_format: Literal["sheet", "tide"] = Field(
        "sheet", description="sheet = described by a sample sheet; tide = the TIDe release's layout"
    )
    segments: str | None = Field(
        None, description="the sample sheet; null = segments.tsv in the archive"
    )
    points: str | None = Field(
        None,
        description="calibration points (CSV or VIA), or a CSV of the rigs' checkerboard "
        "recordings; null = one rig, no transform",
    )
    detector: str | None = Field(
        None, description="trained detector (safetensors); null = train one on the Train split"
    )
    weights: str | None = Field(
        None, description="fitted weights (JSON); null = fit them on this archive"
    )
    path_model: str | None = Field(
        None, description="fitted path model (JSON); null = fit it on this archive"
    )
    longest_segment: float = Field(
        0.5, gt=0, le=1_000, description="hours; the memory and time that jobs ask for grow with it"
    )
    grid: Grid = Grid()
    image: Image = Image()
    check: Check = Check()
    calibrate: Calibrate = Calibrate()
    train_detector: TrainDetector = TrainDetector()
    detect: Detect = Detect()
    track: Track = Track()
    fit_weights: FitWeights = FitWeights()
    fit_path: FitPath = FitPath()
    identify: Identify = Identify()
    visual: Visual = Visual()
    evaluate: Evaluate = Evaluate()
    review: Review = Review()
    clips: Clips = Clips()
    report: Report = Report()
    study: Study = Study()

    @model_validator(mode="after")
    def _clips_of_methods_that_run(self) -> Self:
        run = {*self.identify.methods, "oracle", *(["visual"] if self.visual.enabled else [])}
        for method in self.clips.methods or ():
            if method not in run:
                raise ValueError(f"clips.methods names {method!r}, which is not run")
        return self

    @model_validator(mode="after")
    def _hopper_in_the_picture(self) -> Self:
        corners, size = self.detect.hopper or (), (self.image.width, self.image.height)
        for axis, side in enumerate(size if corners else ()):
            places = [corner[axis] for corner in corners]
            low, high = min(places), max(places)
            if low < -SLACK * side or high > (1 + SLACK) * side or high - low < NARROW * side:
                raise ValueError(
                    f"detect.hopper in pixels of the picture of {size[0]} x {size[1]} (image), not "
                    f"{low:g} to {high:g} {('across', 'down')[axis]}, as in shares of it or of "
                    "another picture"
                )
        return self

    @model_validator(mode="after")
    def _tracklets_outlive_the_stride(self) -> Self:
        stride, track = self.detect.stride, self.track
        if stride > 1 and (track.max_age < stride - 1 or track.min_length > 1):
            raise ValueError(
                f"detect.stride {stride} needs track.max_age of {stride - 1} at least and "
                "track.min_length 1, since no tracklet is seen in two frames on end"
            )
        return self


def parse(model: type[Model], values: Mapping[str, Any], source: object = "configuration") -> Model:
    """Validate ``values`` as ``model``.

    Raises
    ------
    SeveralErrors
        Naming every key at fault, its value, and what is allowed.
    """
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        faults = _causes(error.errors())
        raise SeveralErrors([fault_of(model, fault, source) for fault in faults]) from error


def _causes(faults: Sequence[Any]) -> list[Any]:
    """Leave out that a list is too short where that is so since items of it are at fault."""
    places = [fault["loc"] for fault in faults]
    return [
        fault
        for fault, place in zip(faults, places, strict=True)
        if fault["type"] != "too_short"
        or not any(len(p) > len(place) and p[: len(place)] == place for p in places)
    ]


def fault_of(model: type[BaseModel], fault: Mapping[str, Any], source: object) -> InputError:
    """Tell a fault that pydantic found."""
    key = ".".join(map(str, fault["loc"])) or "(top level)"
    where = f"key {key}"
    if fault["type"] == "extra_forbidden":
        names = ", ".join(_siblings(model, fault["loc"]))
        return InputError(source, f"the unknown key {key!r}", f"one of {names}", where=where)
    if fault["type"] == "missing":
        return InputError(source, "nothing", "a value", where=where)
    if fault["type"] == "too_short":
        least = fault["ctx"]["min_length"]
        return InputError(
            source,
            _shown(fault["input"]),
            f"at least {least} item{'s' if least > 1 else ''}",
            where=where,
        )
    if fault["type"] == "invalid_key":
        expected = "a name; a decimal is written with a point: 0.5, not 0,5"
        return InputError(source, f"the key {_shown(fault['input'])}", expected, where=where)
    if fault["type"] in ("model_type", "dict_type"):
        return InputError(source, _shown(fault["input"]), "keys and values", where=where)
    message = fault["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return InputError(source, _shown(fault["input"]), message, where=where)


def options(
    block: Block, model: type[Block] | None = None, leave_out: Collection[str] = ()
) -> list[str]:
    """Write a block of settings as the options of its stage's command line.

    Parameters
    ----------
    block
        The values.
    model
        The part of the block that the command takes; the whole block by default.
    leave_out
        Settings that the command does without.

    Examples
    --------
    >>> options(Track(iou=0.5), leave_out=["max_age"])
    ['--iou=0.5', '--min-length=2', '--ambiguity=0.1']
    """
    values = block.model_dump(mode="json")
    return [
        f"--{name.replace('_', '-')}={json.dumps(values[name])}"
        for name in (model or type(block)).model_fields
        if name not in leave_out
    ]


def _shown(value: Any) -> str:
    try:
        return brief(repr(value), 200)
    except ValueError:  # an integer of thousands of digits
        return "a huge integer"


def _siblings(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    for name in location[:-1]:
        inner = model.model_fields[str(name)].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            break
        model = inner
    return list(model.model_fields)
