"""The settings of the tracker, and of the visual one that it is compared with."""

from typing import Literal, Self

from pydantic import model_validator

from murid.settings_kinds import Block, Count, Fraction, Whole, setting


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
    min_length: Count = setting(
        2,
        "contiguous frames that a tracklet needs to be kept",
        "Where boxes come in every second frame only, or in fewer, frames with boxes are counted",
    )
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
        "reason. Where boxes come in every *n*th frame only, tracklets survive those between, "
        "which is told, too. Steady boxes, as a detector finds them at 25 frames a second, are "
        "linked as ever",
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
