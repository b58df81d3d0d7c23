"""The configuration as pydantic models.

One model a stage: a rule depends on its own stage's settings alone, and the command line of a stage
is made from its model. Whatever is said of a setting is said here: ``config/config.yaml``, the
tables of ``config/README.md`` and ``config/schema.json`` are made from it (``make settings``).
"""

import json
from collections.abc import Collection
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from murid.identify import registry
from murid.layout import Layout
from murid.readings.settings import Logs as Logs
from murid.readings.settings import Readings
from murid.settings_faults import fault_of as fault_of
from murid.settings_faults import parse as parse
from murid.settings_kinds import (
    Animal,
    Block,
    BoardCorners,
    Count,
    EachOnce,
    Factor,
    Fraction,
    Lag,
    Method,
    NotNegative,
    Point,
    Positive,
    PositiveFactor,
    Seed,
    Side,
    Some,
    Split,
    Whole,
    setting,
)
from murid.sheet import MOST_ANIMALS

SPLITS: tuple[Split, ...] = get_args(Split)
Shown = Annotated[tuple[str, ...], Field(min_length=1, max_length=4)]
Pixel = Annotated[float, Field(ge=0, le=32_768)]
Places = Annotated[tuple[tuple[Pixel, Pixel], ...], Field(min_length=2, max_length=1_000)]
Numbers = Annotated[tuple[Whole, ...], Field(min_length=1)]
SLACK, NARROW = 0.1, 0.01
"""Of a side of the picture: how far the hopper may lie outside, and how wide and high it is."""


class Grid(Block):
    """The antennas: a grid, or the place of each."""

    rows: Annotated[int, Field(ge=1, le=64)] = setting(
        3, "antenna rows, from the back of the cage to the front"
    )
    columns: Annotated[int, Field(ge=1, le=64)] = setting(
        6, "antenna columns, left to right in the image"
    )
    places: EachOnce[Places] | None = setting(
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


class Proposals(Block):
    """What the detector proposes, and how it runs."""

    score: Fraction = setting(0.4, "only detections that score above this are kept")
    nms: Fraction = setting(
        0.6, "of boxes of a label that overlap by more than this IoU, the best stays"
    )
    device: Literal["auto", "cpu", "cuda"] = setting(
        "auto",
        "where the model runs: auto, cpu or cuda",
        "On a cluster a GPU is asked for, but for `cpu`",
    )


class Detect(Proposals):
    """Which boxes of the detector are kept (Sect. 4.1)."""

    max_mice: Annotated[int, Field(ge=1, le=MOST_ANIMALS)] | None = setting(
        None,
        "at most so many boxes of a label a frame, best first; null = two more than the cage "
        "has animals, and five at least",
        "Fewer than there are animals are refused",
    )
    hopper: Annotated[tuple[Point, ...], Field(min_length=3)] | None = setting(
        None, "corners [[x, y], ...] of the food hopper, pixels in the frame of reference"
    )
    hopper_overlap: Fraction = setting(
        0.4, "boxes with more than this share of their area in the hopper are dropped"
    )
    stride: Count = setting(
        1,
        "look at every n-th frame only; the others have no detections; above 1, track needs "
        "other settings, too",
        "See below",
    )
    batch_size: Count = setting(8, "frames a batch")
    half: bool = setting(True, "compute in half precision, on CUDA only")
    compile: bool = setting(
        False,
        "compile the network first (torch.compile), which takes a minute; for long segments on "
        "CUDA",
    )

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


class Onnx(Block):
    """What a network of others takes and gives, where ``detector`` is an ONNX file."""

    layout: Literal[
        "auto", "torchvision", "yolo", "yolov5", "yolo_end_to_end", "detr", "detr_sigmoid"
    ] = setting(
        "auto",
        "what the network gives: torchvision, yolo, yolov5, yolo_end_to_end, detr or detr_sigmoid; "
        "auto = told from names and shapes of its outputs, and refused where they leave a doubt",
        "See below",
    )
    mouse_classes: EachOnce[Numbers] | None = setting(
        None,
        "numbers of the network's classes that are mice, as it gives them; null = those that the "
        "file itself calls mouse",
    )
    tunnel_classes: EachOnce[tuple[Whole, ...]] | None = setting(
        None,
        "numbers of the classes that are the tunnel; null = those that the file itself calls "
        "tunnel, if any",
        "Boxes of all other classes are left out",
    )
    resize: Literal["auto", "letterbox", "stretch"] = setting(
        "auto",
        "how a frame is brought to the network's size: letterbox, which keeps its proportions, or "
        "stretch; auto = stretch for detr and detr_sigmoid, letterbox for the others",
    )
    boxes: Literal["auto", "pixels", "shares"] = setting(
        "auto",
        "what boxes are measured in: pixels of the picture that the network takes, or shares of "
        "its width and height, 0 to 1; auto = shares for detr and detr_sigmoid, pixels for the "
        "others",
        "Boxes that cannot be so are refused",
    )
    input_width: Count | None = setting(
        None,
        "pixels to which the longer side of a frame is scaled for a network that takes any size; "
        "null = as it is",
    )
    pixel_values: Literal["auto", "unit", "byte"] = setting(
        "auto",
        "what the network takes for white: unit = 1, byte = 255; auto = byte where it takes whole "
        "numbers, else unit",
    )
    mean: tuple[NotNegative, NotNegative, NotNegative] | None = setting(
        None,
        "what is taken off the values of red, green and blue; null = ImageNet's for detr and "
        "detr_sigmoid, else nothing",
    )
    deviation: tuple[Positive, Positive, Positive] | None = setting(
        None,
        "what they are divided by then; null = ImageNet's for detr and detr_sigmoid, else nothing",
    )

    @model_validator(mode="after")
    def _one_label_a_class(self) -> Self:
        if both := {*(self.mouse_classes or ())} & {*(self.tunnel_classes or ())}:
            raise ValueError(f"classes that are mice or the tunnel, not {min(both)} as both")
        return self


DETECTOR_ONLY = ("stride", "batch_size", "device", "half", "compile")
"""Settings of :class:`Detect` that mean nothing for detections by others."""


BACKBONES = ("resnet50", "resnet18", "slim")
NARROWEST, WIDEST = 32, 4096
"""Pixels to which the longer side of a frame may be scaled for the detector."""


class TrainDetector(Block):
    """How the detector is trained (Appendix C.1)."""

    backbone: Literal["resnet50", "resnet18", "slim"] = setting(
        "resnet50", "feature extractor: resnet50, resnet18, or slim for small frames and CPUs"
    )
    width: Annotated[int, Field(ge=NARROWEST, le=WIDEST)] = setting(
        1280, "pixels to which the longer side of a frame is scaled"
    )
    weights: str | None = setting(
        None,
        "checkpoint to start from (safetensors, or a .pth of torchvision); coco = torchvision's "
        "for resnet50, downloaded; null = from scratch",
        path="file",
    )
    iterations: Count = setting(
        30_000,
        "optimiser steps",
        "Of their checkpoints the best on the Validate split is kept (the paper's was that "
        "after 11,000)",
    )
    batch_size: Count = setting(16, "images a step")
    optimiser: Literal["sgd", "adamw"] = setting(
        "sgd", "sgd with momentum 0.9 to fine-tune, adamw from scratch"
    )
    learning_rate: Positive = setting(1e-4, "learning rate at its highest")
    schedule: Literal["constant", "cosine"] = setting(
        "constant", "learning rate after warming up: constant, or cosine, falling to 0"
    )
    warm_up: Whole = setting(0, "steps in which the learning rate rises to its value")
    weight_decay: NotNegative = setting(1e-4, "pull of the weights towards 0")
    checkpoint_every: Count = setting(1_000, "steps between checkpoints")
    skip_difficult: bool = setting(True, "leave out frames with a difficult annotation")
    device: Literal["auto", "cpu", "cuda"] = setting(
        "auto",
        "where it trains: auto, cpu or cuda",
        "On a cluster a GPU is asked for, but for `cpu`",
    )
    seed: Seed = setting(1, "seed of every random choice")

    @model_validator(mode="after")
    def _fit_each_other(self) -> Self:
        if self.weights == "coco" and self.backbone != "resnet50":
            raise ValueError(f"weights: coco are for resnet50, not for {self.backbone}")
        if self.warm_up >= self.iterations > 1:
            raise ValueError(f"fewer steps of warm_up than {self.iterations}, the iterations")
        return self


class Track(Block):
    """The tracker (Sect. 4.2)."""

    iou: Fraction = setting(
        0.75,
        "a detection joins a tracklet at this IoU or above",
        "The paper has 0.8, at which fast animals fall into boxes of a tracklet each, which are "
        "dropped. At low frame rates boxes of an animal overlap less, and it has to be lower. "
        "Where an eighth of the boxes is in no tracklet, the segment is *repaired*, and the reason "
        "has the measured overlap",
    )
    min_length: Count = setting(2, "contiguous frames that a tracklet needs to be kept")
    max_age: Whole = setting(0, "missed frames that a tracklet survives")
    ambiguity: Fraction = setting(
        0.1,
        "matches are ambiguous, and both tracklets end, if their exchange loses less IoU than "
        "this, in the mean; 0 = never",
        "If tracklets survive misses (`track.max_age`), they end, too, where their animal may "
        "have hidden behind another",
    )
    loosen: bool = setting(
        True,
        "link boxes that jump from frame to frame, as those around body parts do, at a lower IoU "
        "and over misses; false = all as track.iou and track.max_age say",
        "Boxes jump where more than a tenth of those that are each other's nearest in successive "
        "frames overlap by less than 0.75: then a detection joins a tracklet at 0.3, which "
        "survives 5 frames without one, and the segment is *repaired*, with the share as the "
        "reason. Steady boxes, as a detector finds them at 25 frames a second, are linked as ever",
    )
    cut_adopted: bool = setting(
        True,
        "cut tracklets of another tool where they may pass from one animal to another; false = "
        "leave them whole",
        "They are cut where a box does not follow from the last one, where one is missing for more "
        "than ten times the usual step, and where another animal's box fits as well or may hide "
        "the animal. The segment is *repaired*, with how many cuts of which kind as the reason. "
        "`path` joins what belongs together; left whole, they are cut by `path` alone, where the "
        "antennas are for it (`identify.doubt`)",
    )


ADOPTED_ONLY = ("cut_adopted",)
"""Settings of :class:`Track` that are about tracklets of other tools."""


class FitWeights(Block):
    """The model of a box given an antenna (Sect. 3.3, 4.3, Appendix C.3)."""

    annotations: Literal["use", "none"] = setting(
        "use",
        "use = fit to annotated boxes; none = learn from detections and antennas alone",
        "It needs no annotation then, and nothing tells how right the weights are",
    )
    learnt_segments: Count = setting(
        24, "segments that are learnt from without annotations at most, spread over all"
    )
    splits: EachOnce[tuple[Split, ...]] = setting(
        ("Train", "Validate"), "splits whose annotations are fitted to", min_length=1
    )
    covariance: Literal["spherical", "pooled", "per_visibility", "per_row"] = setting(
        "per_row",
        "what the covariance of a box depends on: spherical, pooled, per_visibility or per_row",
    )
    trees: Count = setting(100, "trees of the visibility forest")
    max_depth: Count = setting(12, "depth of a tree at most")
    min_samples_split: int = setting(5, "samples that a node needs to be split", ge=2)
    min_samples_leaf: Count = setting(2, "samples that a leaf keeps")
    seed: Seed = setting(1, "seed of the forest")
    lag: Lag | None = setting(
        None,
        "seconds by which antenna readings run late; null = estimate it",
        "The estimate, for each rig set-up, rests on how well the annotated boxes fit later "
        "readings: it is the smallest lag that cannot be told from the best",
    )
    max_lag: Lag = setting(4.0, "largest lag to try, seconds")
    lag_step: float = setting(0.2, "seconds from one lag that is tried to the next", ge=0.01, le=2)


class Solve(Block):
    """How the assignment is solved (Sect. 4.4)."""

    solver: Literal["auto", "dp", "cbc", "highs", "paper"] = setting(
        "auto",
        "dp = dynamic programme; cbc, highs = reduced integer programme; paper = the programme "
        "as printed; auto = dp for small groups, else highs; all give the same optimum",
    )
    time_limit: Positive | None = setting(
        None, "seconds for the solver; running out of them is an error"
    )


class Paths(Block):
    """What the methods beyond the paper's weigh, and how the path model is solved."""

    correct_lag: bool = setting(True, "put the readings right by the lag that was fitted")
    antenna_weight: PositiveFactor = setting(
        0.04,
        "factor of what the antennas say of who a box is, in a frame of a dwell of one second; a "
        "dwell lasts until the animal's reading changes; 1 = as if frames were independent",
        "It is for the frame rate of most segments that the path model is fitted to; at others "
        "evidence counts by the second: at twice the rate a frame counts half",
    )
    dwell_exponent: Fraction = setting(
        0.5,
        "a frame of a dwell of so many seconds counts as their power of minus this: an animal that "
        "rests says the same thing again and again; 0 = every frame counts alike, 1 = every dwell",
    )
    presence_weight: Factor = setting(
        0.02,
        "factor of what antennas and boxes say of a box being any animal's at all, whosoever; at "
        "other frame rates as antenna_weight",
    )
    reading_life: NotNegative = setting(
        0.0,
        "seconds after which a reading that is not repeated counts half; meanwhile it holds until "
        "the next, for antennas that are polled in turn or read once in a while, so that no "
        "reading says nothing; 0 = no reading is a reading like any other",
    )
    score_weight: Factor = setting(
        0.5,
        "factor of the summed evidence of the detections' scores; 0 = none; at other frame "
        "rates as antenna_weight",
    )
    transitions: bool = setting(True, "weigh how an animal gets from one tracklet to its next")
    doubt: Positive = setting(
        5.0,
        "a tracklet is cut where several animals in turn explain the antennas by so much better "
        "than one, natural logarithm",
    )
    link_weight: NotNegative = setting(
        10.0,
        "how much it speaks for one animal that two pieces are of one tracklet, natural logarithm",
    )
    most_states: Count = setting(400, "states of a path that are kept at once, at most", le=30_000)
    worst: Positive = setting(50.0, "states this far below the best are let go, natural logarithm")


class FitPath(Block):
    """How the path model is fitted."""

    reach: Positive = setting(
        1.2, "seconds without a tracklet for which an animal's place is remembered", le=10
    )
    rounds: Count = setting(2, "times that tracklets are named and motion is fitted")
    max_segments: Count = setting(
        12,
        "segments of a split that are used at most, spread over all; of all splits together where "
        "none is annotated",
    )


class Identify(Solve, Paths):
    """How tracklets are named (Sect. 3.2, 5.2)."""

    methods: EachOnce[tuple[Method, ...]] = setting(
        registry.usual(),
        "methods to run and compare",
        "The oracle always runs. "
        + ". ".join(f"`{name}`: {registry.methods()[name].words}" for name in registry.chosen()),
        min_length=1,
    )
    default: Method = setting("path", "the method whose table is the pipeline's answer")

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

    tracker: Tracker = setting(
        "mil",
        "OpenCV's tracker: mil, which needs no model and keeps the box's size; vit, nano or "
        "dasiamrpn",
    )
    models: tuple[str, ...] = setting(
        (),
        "the tracker's models (ONNX), in this order: vit = net; nano = backbone, neckhead; "
        "dasiamrpn = model, kernel_cls1, kernel_r1",
        path="file",
    )
    width: Count = setting(320, "pixels to which wider frames are reduced before tracking", ge=32)
    seed: Whole = setting(1, "seed of every random choice", lt=2**31)

    @model_validator(mode="after")
    def _models_are_there(self) -> Self:
        needed = TRACKER_MODELS[self.tracker]
        if len(self.models) != len(needed):
            names = ", ".join(needed) or "none"
            raise ValueError(f"as many models as the tracker {self.tracker} needs: {names}")
        return self


class Visual(TrackVisually):
    """Whether it runs at all, beside the methods of ``identify``."""

    enabled: bool = setting(False, "run it where there is a video; slow")


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
    speed: Positive = setting(0.5, "speed of playing; 1 = as recorded")
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


class Report(Block):
    """How the report looks."""

    title: str = setting("Who is who in the cage", "heading of the page")
    note: str | None = setting(None, "a remark on the data, shown under the heading; null = none")
    max_segments: Count = setting(
        200,
        "segments that the page lists at most; report/segments.csv has them all",
        "There `identified` is the share of frames and animals with a box, and "
        "`evaluated_frames` are those of the `annotated_frames` that count",
    )
    max_cages: Count = setting(60, "cages of a split that are drawn at most")
    max_stretches: Count = setting(
        20, "uncertain stretches that the page lists at most; report/review.csv has them all"
    )
    max_findings: Count = setting(
        50,
        "findings about antennas and clocks that the page lists at most; report/health.csv has "
        "them all, day by day",
    )


class StudyWeights(Block):
    """How the choices behind the weights are compared (Appendix C.3)."""

    folds: int = setting(5, "folds of the cross-validation of predictors", ge=2)
    permutations: Count = setting(200, "shuffles that tell what information comes out by chance")
    significance: Fraction = setting(0.01, "p value below which box sizes count as different")


class StudyTracker(Block):
    """Which settings of the tracker are compared, and how (Appendix C.2)."""

    ious: EachOnce[tuple[Fraction, ...]] = setting(
        (0.65, 0.7, 0.75, 0.8, 0.85, 0.9), "values of track.iou to try", min_length=1
    )
    min_lengths: EachOnce[tuple[Count, ...]] = setting(
        (1, 2, 5, 7, 10, 15), "values of track.min_length to try", min_length=1
    )
    margin: NotNegative = setting(
        10.0, "seconds before and after each evaluated frame that are tracked"
    )


class StudyIdentify(Block):
    """How the antennas' evidence is weighed in comparison, by leaving cages out."""

    antenna_weights: EachOnce[tuple[PositiveFactor, ...]] = setting(
        (0.02, 0.04, 0.08), "values of identify.antenna_weight to try", min_length=1
    )
    dwell_exponents: EachOnce[tuple[Fraction, ...]] = setting(
        (0.0, 0.5, 1.0), "values of identify.dwell_exponent to try", min_length=1
    )


class Study(Block):
    """The studies behind the settings."""

    weights: StudyWeights = setting(
        StudyWeights(), "how the choices behind the weights are compared: snakemake weights_study"
    )
    tracker: StudyTracker = setting(
        StudyTracker(), "which settings of the tracker are compared: snakemake tune_tracker"
    )
    identify: StudyIdentify = setting(
        StudyIdentify(), "which factors of the evidence are compared: snakemake identify_study"
    )


class Simulate(Block):
    """The demo archive."""

    seed: Seed = setting(1, "seed of everything in it")
    cages: Count = setting(
        6, "cages, of Train, Test, Train, Validate, Train, Test, and so on", le=99
    )
    seconds: Positive = setting(150.0, "length of each cage's main segment, seconds")
    damaged_seconds: Positive = setting(8.0, "length of the damaged segments, seconds")
    fps: Positive = setting(12.5, "frames per second")
    width: int = setting(320, "pixels; the height is 9/16 of it", ge=64, multiple_of=2)
    crf: Whole = setting(21, "compression of the video; 0 is lossless", le=51)
    annotate_every: Positive = setting(2.0, "seconds between annotated frames")
    animals: EachOnce[tuple[Animal, ...]] = setting(
        ("R", "G", "B"), "names of the animals in every cage", min_length=1, max_length=MOST_ANIMALS
    )
    processes: Count = setting(2, "segments that are drawn at once")

    @property
    def height(self) -> int:
        """Height of the picture, pixels; even, as the encoder wants it."""
        return self.width * 9 // 16 // 2 * 2


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
    places: Places = setting(Places(), "where animals probably are that no box shows")
    clips: Clips = setting(Clips(), "what snakemake clips renders")
    proofread: Proofread = setting(Proofread(), "what snakemake proofread asks")
    report: Report = setting(Report(), "how the report looks")
    study: Study = setting(Study(), "what the settings rest on, and how it is studied")

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
        if stride > 1 and (track.max_age < stride - 1 or track.min_length > 1):
            raise ValueError(
                f"detect.stride {stride} needs track.max_age of {stride - 1} at least and "
                "track.min_length 1, since no tracklet is seen in two frames on end"
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
