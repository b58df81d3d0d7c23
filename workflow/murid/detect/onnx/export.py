"""murid's own detector as an ONNX file, for other programs."""

import json
import warnings
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate, pad

from murid.detect.candidates import best
from murid.detect.model import CLASSES, Network, load
from murid.errors import InputError
from murid.files import replacing
from murid.settings import Image

INPUT, OUTPUTS = "images", ("boxes", "scores", "labels")
METADATA = {
    "names": json.dumps({number: name for number, name in enumerate(CLASSES) if number}),
    "task": "detect",
    "pixels": "grey, the same in all three channels, 0 to 1",
    "suppression": "none: of boxes of a label that overlap, keep the best (IoU above 0.6)",
}
"""What the file says of itself."""


class Whole(nn.Module):
    """The network with all that is done to a picture before and to its boxes after.

    Parameters
    ----------
    network
        In evaluation mode.
    width, height
        Of the pictures, pixels.
    """

    mean: Tensor
    deviation: Tensor
    scale: Tensor

    def __init__(self, network: Network, width: int, height: int) -> None:
        super().__init__()
        self.network = network
        transform = network.transform
        self.frame = (height, width)
        self.seen = tuple(transform.resize(torch.zeros(1, height, width))[0].shape[-2:])
        raw = (width / self.seen[1], height / self.seen[0])
        self.register_buffer("mean", torch.tensor(transform.image_mean)[:, None, None])
        self.register_buffer("deviation", torch.tensor(transform.image_std)[:, None, None])
        self.register_buffer("scale", torch.tensor(raw * 2))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return boxes (n, k, 4), corners in pixels of the pictures; scores and labels (n, k).

        Parameters
        ----------
        images
            Shape (n, 3, height, width), 0 to 1.
        """
        if self.seen != self.frame:
            images = interpolate(images, size=self.seen, mode="bilinear", align_corners=False)
        step = self.network.transform.size_divisible
        margins = (0, -self.seen[1] % step, 0, -self.seen[0] % step)
        prepared = pad((images - self.mean) / self.deviation, margins)
        boxes, scores, labels = best(self.network, prepared, (self.seen[0], self.seen[1]))
        return boxes * self.scale, scores, labels


def export(checkpoint: Path, output: Path, frame: Image) -> None:
    """Write a detector as an ONNX file, in the layout ``torchvision`` with an axis of images.

    Boxes of a picture overlap, the best ones of each level: whoever uses the file suppresses them.

    Parameters
    ----------
    checkpoint
        What ``murid train-detector`` wrote.
    output
        The file to write. Its metadata name the classes, and what is to be done.
    frame
        Size of the pictures that it takes.

    Raises
    ------
    InputError
        If the detector cannot be read, or what exports it is not installed.
    """
    if find_spec("onnxscript") is None:
        raise InputError(
            output, "no onnxscript to write it with", "onnxscript",
            remedy="Install it: pip install onnxscript.",
        )  # fmt: skip
    network, _ = load(checkpoint, torch.device("cpu"))
    whole = Whole(network, frame.width, frame.height).eval()
    example = torch.zeros(2, 3, frame.height, frame.width)
    with torch.inference_mode(), warnings.catch_warnings():
        # The anchors of one size, which are made on the way, are part of the file.
        warnings.filterwarnings("ignore", message="The tensor attribute", category=UserWarning)
        program = torch.onnx.export(
            whole, (example,), input_names=[INPUT], output_names=[*OUTPUTS],
            dynamic_shapes={INPUT: {0: torch.export.Dim("batch", min=1)}},
            dynamo=True, verbose=False,
        )  # fmt: skip
    if program is None:
        raise RuntimeError("torch.onnx.export returned nothing")
    program.model.metadata_props.update(METADATA)
    with replacing(output) as temporary:
        program.save(temporary, external_data=False)
