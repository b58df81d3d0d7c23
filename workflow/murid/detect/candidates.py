"""What FCOS proposes of a batch of images, on the device that it computes on.

Torchvision's FCOS goes on image by image after the network. Here a batch stays together.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad
from torchvision.models.detection import FCOS
from torchvision.models.detection.image_list import ImageList
from torchvision.ops import clip_boxes_to_image


class Candidates(NamedTuple):
    """Boxes of a whole batch that score enough, before those that overlap better ones are gone."""

    boxes: Tensor
    """Shape (n, 4): corners x, y, x, y in pixels of what the network saw, or of the frame."""
    scores: Tensor
    """Shape (n,)."""
    labels: Tensor
    """Shape (n,): places in :data:`murid.detect.model.CLASSES`."""
    images: Tensor
    """Shape (n,): which image of the batch."""


def features_of(model: FCOS, images: Tensor) -> list[Tensor]:
    """Return the feature maps of images (n, 3, h, w), from the finest to the coarsest."""
    features = model.backbone(images)
    return [features] if isinstance(features, Tensor) else list(features.values())


def as_batch(model: FCOS, grey: Tensor, dtype: torch.dtype) -> tuple[Tensor, tuple[int, int]]:
    """Prepare frames as the model's own transform prepares them one by one.

    Parameters
    ----------
    model
        The network, for its size and normalisation.
    grey
        Shape (n, h, w), uint8, on the network's device.
    dtype
        That of the network's weights.

    Returns
    -------
    Images of shape (n, 3, H, W), channels last, padded with zeros to what the network's strides
    divide; and height and width without the padding.
    """
    transform = model.transform
    # The transform scales all channels of an image alike, and does not mind what they are.
    levels, _ = transform.resize(grey.to(torch.float32).div_(255))
    height, width = levels.shape[-2:]
    mean, deviation = (
        torch.tensor(values, device=grey.device)[:, None, None]
        for values in (transform.image_mean, transform.image_std)
    )
    images = ((levels[:, None] - mean) / deviation).to(dtype)
    step = transform.size_divisible
    images = pad(images, (0, -width % step, 0, -height % step))
    return images.contiguous(memory_format=torch.channels_last), (height, width)


def propose(model: FCOS, grey: NDArray[np.uint8]) -> Candidates:
    """Return what the network proposes in frames, in pixels of these.

    Parameters
    ----------
    model
        In evaluation mode.
    grey
        Shape (n, h, w).
    """
    weight = next(model.parameters())
    stored = torch.from_numpy(grey)
    if weight.is_cuda:
        stored = stored.pin_memory()
    images, seen = as_batch(model, stored.to(weight.device, non_blocking=True), weight.dtype)
    found = candidates(model, images, seen)
    raw = found.boxes.new_tensor([grey.shape[2] / seen[1], grey.shape[1] / seen[0]]).repeat(2)
    return found._replace(boxes=found.boxes * raw)


def candidates(model: FCOS, images: Tensor, seen: tuple[int, int]) -> Candidates:
    """Run the network and keep what scores above its ``score_thresh``, as :func:`best` has it."""
    boxes, scores, labels = best(model, images, seen)
    number, column = (scores > model.score_thresh).nonzero(as_tuple=True)
    return Candidates(boxes[number, column], scores[number, column], labels[number, column], number)


def best(model: FCOS, images: Tensor, seen: tuple[int, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Run the network and keep the best ``topk_candidates`` of each level of an image.

    As torchvision's ``postprocess_detections``, but for all images at once, and without the class
    of the background, which nothing trains.

    Parameters
    ----------
    model
        In evaluation mode.
    images
        As :func:`as_batch` gives.
    seen
        Height and width without padding, within which boxes are cut.

    Returns
    -------
    Boxes of shape (images, n, 4), corners x, y, x, y in pixels of the images; scores and labels of
    shape (images, n). Boxes may overlap.
    """
    features = features_of(model, images)
    outputs = model.head(features)
    anchors = model.anchor_generator(ImageList(images[:1], [seen]), features)[0]
    logits, centred, distances = (
        outputs[name].float() for name in ("cls_logits", "bbox_ctrness", "bbox_regression")
    )
    scores = (logits[..., 1:].sigmoid() * centred.sigmoid()).sqrt()
    classes = scores.shape[-1]
    tops, anchor, label = [], [], []
    sizes = [feature.shape[-2] * feature.shape[-1] for feature in features]
    start = 0
    for level, size in zip(scores.split(sizes, dim=1), sizes, strict=True):
        flat = level.flatten(1)
        top, place = flat.topk(min(model.topk_candidates, flat.shape[1]), dim=1)
        tops.append(top)
        anchor.append(start + place // classes)
        label.append(1 + place % classes)
        start += size
    where = torch.cat(anchor, dim=1)
    near = distances.gather(1, where[..., None].expand(-1, -1, 4))
    boxes = model.box_coder.decode(near, anchors[where].float())
    return clip_boxes_to_image(boxes, seen), torch.cat(tops, dim=1), torch.cat(label, dim=1)
