"""The detector: FCOS (Tian et al., 2019) of torchvision, over a backbone of choice (Sect. 4.1).

A checkpoint is a safetensors file that says in its metadata what is needed to build the network
again, so that a stage that uses it needs no settings of the one that made it.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torchvision.models.detection import FCOS
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.models.detection.fcos import (
    FCOSClassificationHead,
    FCOSHead,
    FCOSRegressionHead,
)
from torchvision.models.detection.transform import GeneralizedRCNNTransform
from torchvision.models.resnet import BasicBlock
from torchvision.ops import Conv2dNormActivation, FeaturePyramidNetwork
from torchvision.ops.feature_pyramid_network import LastLevelP6P7

from murid.detect.candidates import Candidates, propose
from murid.detect.stored import METADATA, about_of, check_about, check_tensors
from murid.errors import InputError
from murid.files import replacing
from murid.models.stored import refuse_unfitted
from murid.schemas import LABELS

CLASSES = ("background", *LABELS)
"""What the classifier tells apart; a label's number is its place here."""
LOW_SCORE = 0.05
"""Boxes that score less than this are not worth comparing with annotations."""
MAX_BOXES = 50
"""Boxes a frame at most, of all classes."""


class Slim(nn.Module):
    """A small residual trunk with a thin feature pyramid, for small frames and CPUs.

    The pyramid is read at stride 8 alone: animals in one cage differ little in size.
    """

    stem_channels = 24
    stages = ((40, 2), (64, 2), (96, 1))
    """Channels and residual blocks at strides 8, 16, 32."""
    out_channels = 32
    strides = (8,)

    def __init__(self) -> None:
        super().__init__()
        # Wide strides early: on a CPU, what is done at full size takes most of the time.
        self.stem = Conv2dNormActivation(1, self.stem_channels, 7, stride=4)
        self.trunk = nn.ModuleList()
        inner = self.stem_channels
        for outer, blocks in self.stages:
            more = (BasicBlock(outer, outer) for _ in range(blocks - 1))
            self.trunk.append(nn.Sequential(_halving(inner, outer), *more))
            inner = outer
        channels = [outer for outer, _ in self.stages]
        self.fpn = FeaturePyramidNetwork(channels, self.out_channels)

    def forward(self, images: Tensor) -> Tensor:
        """Return features: (n, 3, h, w) -> (n, 32, h / 8, w / 8)."""
        # Grey is replicated to three channels, of which one says all.
        x = self.stem(images[:, :1])
        levels = {}
        for number, stage in enumerate(self.trunk):
            levels[str(number)] = x = stage(x)
        return self.fpn(levels)["0"]


def _halving(inner: int, outer: int) -> BasicBlock:
    shortcut = nn.Sequential(nn.Conv2d(inner, outer, 1, 2, bias=False), nn.BatchNorm2d(outer))
    return BasicBlock(inner, outer, 2, shortcut)


def _slim_head() -> FCOSHead:
    """Build FCOS's head for :class:`Slim`: one convolution a branch, batch normalisation."""
    channels = Slim.out_channels
    kind = {"num_anchors": 1, "num_convs": 1, "norm_layer": nn.BatchNorm2d}
    head = FCOSHead(channels, num_anchors=1, num_classes=len(CLASSES), num_convs=1)
    head.classification_head = FCOSClassificationHead(channels, num_classes=len(CLASSES), **kind)
    head.regression_head = FCOSRegressionHead(channels, **kind)
    # Distances to the edges start at a mouse's size, not at 0, where half of the ReLUs are dead.
    nn.init.constant_(head.regression_head.bbox_reg.bias, 3.0)
    return head


class _Transform(GeneralizedRCNNTransform):
    """Torchvision's scaling and normalisation, without scaling what has the size already."""

    def resize(
        self, image: Tensor, target: dict[str, Tensor] | None = None
    ) -> tuple[Tensor, dict[str, Tensor] | None]:
        if max(image.shape[-2:]) == self.max_size:
            return image, target
        return super().resize(image, target)


class Network(FCOS):
    """FCOS that proposes boxes of whole batches."""

    def propose(self, grey: NDArray[np.uint8]) -> Candidates:
        """As :func:`murid.detect.candidates.propose`."""
        return propose(self, grey)


def build(backbone: str, width: int) -> Network:
    """Build a detector with random weights.

    Parameters
    ----------
    backbone
        ``resnet50`` (the paper's), ``resnet18``, or ``slim``.
    width
        Pixels to which the longer side of a frame is scaled before the network sees it.
    """
    if backbone == "slim":
        trunk: nn.Module = Slim()
        strides: tuple[int, ...] = Slim.strides
        head = _slim_head()
        radius = 1.0
    else:
        trunk = resnet_fpn_backbone(
            backbone_name=backbone,
            weights=None,
            norm_layer=nn.BatchNorm2d,
            trainable_layers=5,
            returned_layers=[2, 3, 4],
            extra_blocks=LastLevelP6P7(256, 256),
        )
        strides = (8, 16, 32, 64, 128)
        head = FCOSHead(256, 1, len(CLASSES))
        radius = 1.5
    model = Network(
        trunk,
        num_classes=len(CLASSES),
        anchor_generator=AnchorGenerator(
            tuple((stride,) for stride in strides), ((1.0,),) * len(strides)
        ),
        head=head,
        center_sampling_radius=radius,
        score_thresh=LOW_SCORE,
        detections_per_img=MAX_BOXES,
        topk_candidates=200,
    )
    # The shorter side would have to exceed the longer one to reach min_size first.
    old = model.transform
    model.transform = _Transform(width, width, old.image_mean, old.image_std)
    return model


def device_of(choice: str) -> torch.device:
    """Return the device for the setting ``auto``, ``cpu`` or ``cuda``.

    Raises
    ------
    InputError
        If CUDA is asked for and is not there.
    """
    available = torch.cuda.is_available()
    if choice == "cuda" and not available:
        raise InputError("device", "no CUDA device", "one", remedy="Set device to auto or cpu.")
    return torch.device("cuda" if available and choice != "cpu" else "cpu")


def as_images(frames: Sequence[NDArray[np.uint8]], device: torch.device) -> list[Tensor]:
    """Turn grey frames (h, w) into images (3, h, w), 0 to 1: grey replicated (Appendix C.1)."""
    return [
        torch.from_numpy(frame).to(device).to(torch.float32).div_(255).expand(3, -1, -1)
        for frame in frames
    ]


def save(path: str | Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Write tensors and what is to be known of them (JSON values) as safetensors."""
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with replacing(path) as temporary:
        save_file(ready, temporary, {METADATA: json.dumps(about, sort_keys=True)})


def read_tensors(path: str | Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what :func:`save` wrote; of a safetensors file of others, the second part is empty.

    Raises
    ------
    NotFittedError
        If the detector could not be trained.
    InputError
        If the file is missing or no safetensors file.
    """
    refuse_unfitted(path)
    if not Path(path).is_file():
        raise InputError(path, "no file", "a safetensors file")
    try:
        with safe_open(path, framework="pt") as file:
            about = about_of(file.metadata())
            return {name: file.get_tensor(name) for name in file.keys()}, about  # noqa: SIM118
    except (SafetensorError, ValueError, RecursionError) as error:
        raise InputError(
            path, f"data that make no sense ({error})", "a safetensors file"
        ) from error


def load(
    path: str | Path, device: torch.device, half: bool = False, compiled: bool = False
) -> tuple[Network, dict[str, Any]]:
    """Load a trained detector, ready to predict, and what its file says of it.

    Parameters
    ----------
    path
        What ``murid train-detector`` wrote.
    device
        Where to.
    half
        Whether to compute in half precision where the device is CUDA; CPUs gain nothing by it.
    compiled
        Whether to compile the network with ``torch.compile``, at its first use.

    Raises
    ------
    InputError
        If the file is missing, is no detector that ``murid train-detector`` wrote, or a tensor
        holds what none that was trained does (:func:`murid.detect.stored.check_tensors`).
    """
    tensors, about = read_tensors(path)
    try:
        check_about(about)
        model = build(about["backbone"], about["width"])
        if about["classes"] != list(CLASSES):
            raise ValueError(f"classes {about['classes']}")
        model.load_state_dict(tensors)
    except (LookupError, ValueError, TypeError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            path, f"no detector of this version ({reason})", "what murid train-detector wrote"
        ) from error
    refuse_untrained(path, tensors)
    return ready(model, device, half, compiled), about


def refuse_untrained(path: object, tensors: Mapping[str, Tensor]) -> None:
    """Refuse tensors that no training leaves behind, naming the file and the first of them.

    Raises
    ------
    InputError
        As :func:`murid.detect.stored.check_tensors` finds.
    """
    try:
        check_tensors((name, tensor.float().numpy()) for name, tensor in tensors.items())
    except ValueError as error:
        raise InputError(
            path, f"no whole detector ({error})", "weights that were trained"
        ) from error


def ready(
    model: Network, device: torch.device, half: bool = False, compiled: bool = False
) -> Network:
    """Bring a detector to a device to predict there; arguments as for :func:`load`."""
    # The layout in which convolutions are quickest, on CPU and on CUDA.
    model = model.to(device, memory_format=torch.channels_last).eval()
    if half and device.type == "cuda":
        model = model.half()
    if compiled:
        model.backbone.compile()
        model.head.compile()
    return model
