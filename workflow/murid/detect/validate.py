"""How good the network is by itself, as COCO measures it: all its boxes, before any is left out."""

import logging
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from torchvision.models.detection import FCOS

from murid import schemas
from murid.detect import data
from murid.detect import model as detector
from murid.detect.assess import Scene, assess, scene
from murid.detect.predict import predict
from murid.detect.sample import Sample
from murid.errors import LeftOut

if TYPE_CHECKING:
    from murid.detect.stage import ValidateDetector

log = logging.getLogger(__name__)

COCO_THRESHOLDS = tuple(np.arange(0.5, 1.0, 0.05).round(2).tolist())
"""IoU thresholds over which COCO's mean average precision is taken."""
BATCH = 8


def scenes_of_samples(model: FCOS, samples: Sequence[Sample], label: str) -> list[Scene]:
    """Compare what the network finds in annotated frames with the annotations of one label.

    Parameters
    ----------
    model
        In evaluation mode.
    samples
        Annotated frames.
    label
        One of :data:`murid.detect.model.CLASSES`.
    """
    number = detector.CLASSES.index(label)
    scenes = []
    for start in range(0, len(samples), BATCH):
        batch = samples[start : start + BATCH]
        seen = predict(model, [sample.grey for sample in batch])
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


def validate(stage: "ValidateDetector") -> pd.DataFrame:
    """Measure a detector.

    Returns
    -------
    The table ``detector_validation``: one row a split and label that is annotated there. Discarded
    segments have no annotations.

    Raises
    ------
    InputError
        If the detector cannot be read. A segment of which the video or table cannot be read is left
        out, and the log says so.
    """
    settings, fps, parts = stage.proposals, dict(stage.fps), data.parts_of(stage.parts)
    model, _ = detector.load(stage.detector, detector.device_of(settings.device))
    model.nms_thresh = settings.nms
    scenes: defaultdict[tuple[str, str], list[Scene]] = defaultdict(list)
    others = LeftOut(log)
    for split, video, annotations in stage.segments:
        # One segment at a time: the annotated frames of a whole archive are many.
        samples = data.load([(video, annotations)], fps=fps, others=others, parts=parts)
        for label in schemas.LABELS:
            scenes[split, label] += scenes_of_samples(model, samples, label)
    if not any(scenes.values()):
        others.raise_if_all()
    rows = []
    for (subset, label), several in sorted(scenes.items()):
        wanted = sum(int((~one.difficult).sum()) for one in several)
        if wanted:
            counts = {"images": len(several), "annotations": wanted}
            rows.append(
                {"split": subset, "label": label, **counts, **summary(several, settings.score)}
            )
    columns = schemas.CONTRACTS["detector_validation"].schema.names
    return pd.DataFrame(rows, columns=columns)
