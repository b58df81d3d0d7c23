"""What a detector finds: grey frames in, boxes out, by the same code for every detector.

A batch stays together, on the detector's device, until the boxes that are left come back in one
copy.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torchvision.ops import batched_nms

from murid.detect.candidates import Candidates
from murid.detect.model import CLASSES


class Detector(Protocol):
    """What proposes boxes, and how many of them are kept."""

    score_thresh: float
    """It proposes boxes that score above it."""
    nms_thresh: float
    """Of boxes of a label that overlap by more than this IoU, the best stays."""
    detections_per_img: int
    """Boxes of a frame that are kept at most."""

    def propose(self, grey: NDArray[np.uint8]) -> Candidates:
        """Return the boxes of frames of shape (n, h, w), in their pixels."""


class Detections(NamedTuple):
    """What the detector finds in one frame, best first."""

    boxes: NDArray[np.float32]
    """Shape (n, 4): x, y, w, h in pixels of the frame."""
    labels: NDArray[np.int64]
    """Shape (n,): places in :data:`murid.detect.model.CLASSES`."""
    scores: NDArray[np.float32]
    """Shape (n,)."""


@torch.inference_mode()
def predict(detector: Detector, frames: Sequence[NDArray[np.uint8]]) -> list[Detections]:
    """Find animals and tunnels in frames.

    Parameters
    ----------
    detector
        A network is in evaluation mode.
    frames
        Grey frames of shape (h, w), uint8; those of one size are seen at once.

    Returns
    -------
    The detections of each frame, with the boxes above the detector's ``score_thresh``, at most
    ``detections_per_img`` of them.
    """
    detections = [_detections(np.empty((0, 6), np.float32))] * len(frames)
    alike = defaultdict(list)
    for place, frame in enumerate(frames):
        alike[frame.shape].append(place)
    for places in alike.values():
        rows = _see(detector, np.stack([frames[place] for place in places]))
        ends = np.searchsorted(rows[:, 0], np.arange(len(places) + 1))
        for place, first, last in zip(places, ends[:-1], ends[1:], strict=True):
            best = rows[first : min(last, first + detector.detections_per_img), 1:]
            detections[place] = _detections(best)
    return detections


def _detections(rows: NDArray[np.float32]) -> Detections:
    return Detections(rows[:, :4], rows[:, 4].astype(np.int64), rows[:, 5])


def _see(detector: Detector, grey: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return image, x, y, w, h, label and score of all boxes in (n, h, w), best first by image."""
    left = detector.propose(grey)
    group = left.images * len(CLASSES) + left.labels
    kept = batched_nms(left.boxes, left.scores, group, detector.nms_thresh)
    # Suppression gives them best first; what is of one image comes together.
    kept = kept[left.images[kept].argsort(stable=True)]
    boxes = left.boxes[kept]
    columns = [
        left.images[kept, None].float(),
        boxes[:, :2],
        boxes[:, 2:] - boxes[:, :2],
        left.labels[kept, None].float(),
        left.scores[kept, None],
    ]
    return torch.cat(columns, dim=1).cpu().numpy()
