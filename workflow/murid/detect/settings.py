"""The settings of the detector: how it is trained and runs, and what networks of others give."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from murid.settings_kinds import (
    Block,
    Count,
    EachOnce,
    Fraction,
    NotNegative,
    Point,
    Positive,
    Seed,
    Whole,
    setting,
)
from murid.sheet import MOST_ANIMALS

Numbers = Annotated[tuple[Whole, ...], Field(min_length=1)]

SLACK, NARROW = 0.1, 0.01
"""Of a side of the picture: how far the hopper may lie outside, and how wide and high it is."""


Hopper = Annotated[tuple[Point, ...], Field(min_length=3)] | None


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
    hopper: Hopper = setting(
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
