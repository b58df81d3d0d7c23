"""What the detector sees: grey frames in, boxes out, by the same code on CPU and CUDA.

Torchvision's FCOS goes on image by image after the network. Here a batch stays together on the
device until the boxes that are left come back in one copy.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad
from torchvision.models.detection import FCOS
from torchvision.models.detection.image_list import ImageList
from torchvision.ops import batched_nms, clip_boxes_to_image

from murid.detect.model import CLASSES, features_of


class Detections(NamedTuple):
    """What the detector finds in one frame, best first."""

    boxes: NDArray[np.float32]
    """Shape (n, 4): x, y, w, h in pixels of the frame."""
    labels: NDArray[np.int64]
    """Shape (n,): places in :data:`murid.detect.model.CLASSES`."""
    scores: NDArray[np.float32]
    """Shape (n,)."""


class Candidates(NamedTuple):
    """Boxes of a whole batch that score enough, before those that overlap better ones are gone."""

    boxes: Tensor
    """Shape (n, 4): corners x, y, x, y in pixels of what the network saw."""
    scores: Tensor
    """Shape (n,)."""
    labels: Tensor
    """Shape (n,): places in :data:`murid.detect.model.CLASSES`."""
    images: Tensor
    """Shape (n,): which image of the batch."""


@torch.inference_mode()
def predict(model: FCOS, frames: Sequence[NDArray[np.uint8]]) -> list[Detections]:
    """Find animals and tunnels in frames.

    Parameters
    ----------
    model
        In evaluation mode.
    frames
        Grey frames of shape (h, w), uint8; those of one size are seen at once.

    Returns
    -------
    The detections of each frame, with the boxes above the model's ``score_thresh``, at most
    ``detections_per_img`` of them.
    """
    detections = [_detections(np.empty((0, 6), np.float32))] * len(frames)
    alike = defaultdict(list)
    for place, frame in enumerate(frames):
        alike[frame.shape].append(place)
    for places in alike.values():
        rows = _see(model, np.stack([frames[place] for place in places]))
        ends = np.searchsorted(rows[:, 0], np.arange(len(places) + 1))
        for place, first, last in zip(places, ends[:-1], ends[1:], strict=True):
            best = rows[first : min(last, first + model.detections_per_img), 1:]
            detections[place] = _detections(best)
    return detections


def _detections(rows: NDArray[np.float32]) -> Detections:
    return Detections(rows[:, :4], rows[:, 4].astype(np.int64), rows[:, 5])


def _see(model: FCOS, grey: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return image, x, y, w, h, label and score of all boxes in (n, h, w), best first by image."""
    weight = next(model.parameters())
    stored = torch.from_numpy(grey)
    if weight.is_cuda:
        stored = stored.pin_memory()
    images, seen = as_batch(model, stored.to(weight.device, non_blocking=True), weight.dtype)
    left = candidates(model, images, seen)
    group = left.images * len(CLASSES) + left.labels
    kept = batched_nms(left.boxes, left.scores, group, model.nms_thresh)
    # Suppression gives them best first; what is of one image comes together.
    kept = kept[left.images[kept].argsort(stable=True)]
    boxes = left.boxes[kept]
    raw = boxes.new_tensor([grey.shape[2] / seen[1], grey.shape[1] / seen[0]]).repeat(2)
    boxes = boxes * raw
    columns = [
        left.images[kept, None].float(),
        boxes[:, :2],
        boxes[:, 2:] - boxes[:, :2],
        left.labels[kept, None].float(),
        left.scores[kept, None],
    ]
    return torch.cat(columns, dim=1).cpu().numpy()


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


def candidates(model: FCOS, images: Tensor, seen: tuple[int, int]) -> Candidates:
    """Run the network and keep the best ``topk_candidates`` of each level of an image that score.

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
    """
    features = features_of(model, images)
    outputs = model.head(features)
    anchors = model.anchor_generator(ImageList(images[:1], [seen]), features)[0]
    logits, centred, distances = (
        outputs[name].float() for name in ("cls_logits", "bbox_ctrness", "bbox_regression")
    )
    scores = (logits[..., 1:].sigmoid() * centred.sigmoid()).sqrt()
    classes = scores.shape[-1]
    best, anchor, label = [], [], []
    sizes = [feature.shape[-2] * feature.shape[-1] for feature in features]
    start = 0
    for level, size in zip(scores.split(sizes, dim=1), sizes, strict=True):
        flat = level.flatten(1)
        top, place = flat.topk(min(model.topk_candidates, flat.shape[1]), dim=1)
        best.append(top)
        anchor.append(start + place // classes)
        label.append(1 + place % classes)
        start += size
    top = torch.cat(best, dim=1)
    number, column = (top > model.score_thresh).nonzero(as_tuple=True)
    where = torch.cat(anchor, dim=1)[number, column]
    boxes = model.box_coder.decode(distances[number, where], anchors[where].float())
    return Candidates(
        clip_boxes_to_image(boxes, seen),
        top[number, column],
        torch.cat(label, dim=1)[number, column],
        number,
    )
