"""How good the network is by itself, as COCO measures it: all its boxes, before any is left out."""

import logging
from collections import defaultdict
from typing import TYPE_CHECKING

import pandas as pd

from murid import schemas
from murid.detect import data
from murid.detect.assess import Scene
from murid.detect.loaded import load
from murid.detect.protocol import scenes_of_samples, summary
from murid.errors import LeftOut

if TYPE_CHECKING:
    from murid.detect.stage import ValidateDetector

log = logging.getLogger(__name__)


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
    finder = load(stage.detector, settings.device, stage.onnx)
    finder.nms_thresh = settings.nms
    scenes: defaultdict[tuple[str, str], list[Scene]] = defaultdict(list)
    others = LeftOut(log)
    for split, video, annotations in stage.segments:
        # One segment at a time: the annotated frames of a whole archive are many.
        samples = data.load([(video, annotations)], fps=fps, others=others, parts=parts)
        for label in schemas.LABELS:
            scenes[split, label] += scenes_of_samples(finder, samples, label)
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
