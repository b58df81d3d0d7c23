"""What COCO's protocol counts of a detector's boxes in annotated frames."""

import math
from collections.abc import Sequence

import numpy as np

from murid.detect import model as detector
from murid.detect.assess import Scene, assess, scene
from murid.detect.predict import Detector, predict
from murid.detect.sample import Sample

COCO_THRESHOLDS = tuple(np.arange(0.5, 1.0, 0.05).round(2).tolist())
"""IoU thresholds over which COCO's mean average precision is taken."""
BATCH = 8


def scenes_of_samples(finder: Detector, samples: Sequence[Sample], label: str) -> list[Scene]:
    """Compare what a detector finds in annotated frames with the annotations of one label.

    Parameters
    ----------
    finder
        A network is in evaluation mode.
    samples
        Annotated frames.
    label
        One of :data:`murid.detect.model.CLASSES`.
    """
    number = detector.CLASSES.index(label)
    scenes = []
    for start in range(0, len(samples), BATCH):
        batch = samples[start : start + BATCH]
        seen = predict(finder, [sample.grey for sample in batch])
        for (_, wanted), detected in zip(batch, seen, strict=True):
            these, asked = detected.labels == number, wanted.labels == number
            boxes = detected.boxes[these], detected.scores[these]
            scenes.append(scene(*boxes, wanted.boxes[asked], wanted.difficult[asked]))
    return scenes


def summary(scenes: Sequence[Scene], score: float) -> dict[str, float]:
    """Sum up the scenes of one label; boxes count for the precision above ``score``.

    Returns
    -------
    ``AP`` (COCO's mean over :data:`COCO_THRESHOLDS`), ``AP50``, ``AP75``, ``recall`` at an IoU of
    0.5, and ``precision80``: of the boxes that score enough to be kept, the share that is as near
    as the tracker needs them, at an IoU of 0.8. 0 without annotations or boxes.
    """
    at = {threshold: assess(scenes, threshold) for threshold in COCO_THRESHOLDS}
    near = at[0.8].matched[at[0.8].scores > score]
    figures = {
        "AP": float(np.mean([result.average_precision for result in at.values()])),
        "AP50": at[0.5].average_precision,
        "AP75": at[0.75].average_precision,
        "recall": at[0.5].recall,
        "precision80": float(near.mean()) if len(near) else 0.0,
    }
    return {name: 0.0 if math.isnan(value) else value for name, value in figures.items()}
