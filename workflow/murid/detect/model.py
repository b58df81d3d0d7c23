"""The detector: FCOS (Tian et al., 2019) of torchvision, over a backbone of choice (Sect. 4.1).

A checkpoint is a safetensors file that says in its metadata what is needed to build the network
again, so that a stage that uses it needs no settings of the one that made it.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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
from torchvision.models.resnet import BasicBlock
from torchvision.ops import Conv2dNormActivation, FeaturePyramidNetwork
from torchvision.ops.feature_pyramid_network import LastLevelP6P7

from murid.errors import InputError
from murid.files import replacing
from murid.tables import LABELS

CLASSES = ("background", *LABELS)
"""What the classifier tells apart; a label's number is its place here."""
LOW_SCORE = 0.05
"""Boxes that score less than this are not worth comparing with annotations."""
MAX_BOXES = 50
"""Boxes a frame at most, of all classes."""
METADATA = "murid"
"""The one key of a checkpoint's metadata: with several, their order would change by chance."""


class Found(NamedTuple):
    """What the detector finds in one frame, best first."""

    boxes: NDArray[np.float32]
    """Shape (n, 4): x, y, w, h in pixels of the frame."""
    labels: NDArray[np.int64]
    """Shape (n,): places in :data:`CLASSES`."""
    scores: NDArray[np.float32]
    """Shape (n,)."""


class Slim(nn.Module):
    """A small residual trunk with a thin feature pyramid, for small frames and CPUs.

    It gives two levels, of strides 8 and 16: animals in one cage differ little in size.
    """

    channels = (16, 24, 48, 64, 96)
    out_channels = 32
    strides = (8, 16)

    def __init__(self) -> None:
        super().__init__()
        stem, *stages = self.channels
        self.stem = Conv2dNormActivation(3, stem, 3, stride=2)
        self.stages = nn.ModuleList(
            _halving(inner, outer) for inner, outer in zip(self.channels[:-1], stages, strict=True)
        )
        self.fpn = FeaturePyramidNetwork(stages[1:], self.out_channels)

    def forward(self, images: Tensor) -> dict[str, Tensor]:
        """Return the feature maps by their stride: (n, 3, h, w) -> (n, 32, h / s, w / s) each."""
        x = self.stages[0](self.stem(images))
        levels = {}
        for stride, stage in zip(("8", "16", "32"), self.stages[1:], strict=True):
            levels[stride] = x = stage(x)
        features = self.fpn(levels)
        return {str(stride): features[str(stride)] for stride in self.strides}


def _halving(inner: int, outer: int) -> BasicBlock:
    shortcut = nn.Sequential(nn.Conv2d(inner, outer, 1, 2, bias=False), nn.BatchNorm2d(outer))
    return BasicBlock(inner, outer, 2, shortcut)


def build(backbone: str, width: int) -> FCOS:
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
        strides = Slim.strides
        head = FCOSHead(Slim.out_channels, 1, len(CLASSES), num_convs=1)
        own = {"num_anchors": 1, "num_convs": 1, "norm_layer": nn.BatchNorm2d}
        head.classification_head = FCOSClassificationHead(
            Slim.out_channels, num_classes=len(CLASSES), **own
        )
        head.regression_head = FCOSRegressionHead(Slim.out_channels, **own)
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
    return FCOS(
        trunk,
        num_classes=len(CLASSES),
        # The shorter side would have to exceed the longer to reach min_size first.
        min_size=width,
        max_size=width,
        anchor_generator=AnchorGenerator(
            tuple((stride,) for stride in strides), ((1.0,),) * len(strides)
        ),
        head=head,
        score_thresh=LOW_SCORE,
        detections_per_img=MAX_BOXES,
        topk_candidates=200,
    )


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


@torch.inference_mode()
def predict(model: FCOS, frames: Sequence[NDArray[np.uint8]]) -> list[Found]:
    """Find animals and tunnels in frames.

    Parameters
    ----------
    model
        In evaluation mode.
    frames
        Grey frames of shape (h, w), uint8; they need not be equally large.

    Returns
    -------
    One :class:`Found` a frame, with the boxes above the model's ``score_thresh``.
    """
    device = next(model.parameters()).device
    found = []
    for result in model(as_images(frames, device)):
        corners = result["boxes"].to("cpu", torch.float32).numpy()
        boxes = np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1)
        scores = result["scores"].to("cpu", torch.float32).numpy()
        found.append(Found(boxes, result["labels"].cpu().numpy(), scores))
    return found


def save(path: str | Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Write tensors and what is to be known of them (JSON values) as safetensors."""
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with replacing(path) as temporary:
        save_file(ready, temporary, {METADATA: json.dumps(about, sort_keys=True)})


def read_tensors(path: str | Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what :func:`save` wrote; of a safetensors file of others, the second part is empty.

    Raises
    ------
    InputError
        If the file is missing or no safetensors file.
    """
    if not Path(path).is_file():
        raise InputError(path, "no file", "a safetensors file")
    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {}).get(METADATA, "{}"))
            return {name: file.get_tensor(name) for name in file.keys()}, about  # noqa: SIM118
    except (SafetensorError, json.JSONDecodeError) as error:
        raise InputError(
            path, f"data that make no sense ({error})", "a safetensors file"
        ) from error


def load(path: str | Path, device: torch.device) -> tuple[FCOS, dict[str, Any]]:
    """Load a trained detector, ready to predict, and what its file says of it.

    Raises
    ------
    InputError
        If the file is missing, or is no detector that ``murid train-detector`` wrote.
    """
    tensors, about = read_tensors(path)
    try:
        model = build(str(about["backbone"]), int(about["width"]))
        if about["classes"] != list(CLASSES):
            raise ValueError(f"classes {about['classes']}")
        model.load_state_dict(tensors)
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            path, f"no detector of this version ({reason})", "what murid train-detector wrote"
        ) from error
    # The layout in which convolutions are quickest, on CPU and on CUDA.
    return model.to(device, memory_format=torch.channels_last).eval(), about
