"""Small tables of annotations, detections and names, and what evaluation counts of them."""

import numpy as np
import pandas as pd

from murid import schemas, tables
from murid.evaluate.counts import count_metrics
from murid.evaluate.outcomes import animal_outcomes, detection_outcomes
from murid.settings import Evaluate
from murid.truth import evaluated_frames, ground_truth

LABELS = {"cage": "c", "segment": "1", "split": "Test"}
EVERY_FRAME = Evaluate()
BOX = (10.0, 10.0, 100.0, 100.0)
ELSEWHERE = (500.0, 10.0, 100.0, 100.0)
NOWHERE = (np.nan,) * 4


def annotations(rows):
    """Rows of (frame, type, identities, box or None, difficult) as the table."""
    table = pd.DataFrame(
        [
            (frame, kind, names, *(box or NOWHERE), "clear", difficult)
            for frame, kind, names, box, difficult in rows
        ],
        columns=["frame", "type", "identities", *schemas.BOX, "visibility", "difficult"],
    )
    table.insert(1, "object", table.groupby("frame").cumcount())
    return tables.conform(table, "annotations")


def identities(rows):
    """Rows of (frame, animal, detection or None, box or None) as the table."""
    table = pd.DataFrame(
        [
            (frame, animal, None, detection, *(box or NOWHERE), None)
            for frame, animal, detection, box in rows
        ],
        columns=["frame", "animal", "tracklet", "detection", *schemas.BOX, "confidence"],
    )
    return tables.conform(table, "identities")


def detections(rows):
    """Rows of (frame, detection, label, box) as the table."""
    table = pd.DataFrame(
        [(frame, number, label, *box, 0.9) for frame, number, label, box in rows],
        columns=["frame", "detection", "label", *schemas.BOX, "score"],
    )
    return tables.conform(table, "detections")


def totals(by_animal, by_detection):
    """Count and normaliser of every metric over all snippets, by method."""
    labelled = [outcomes.assign(**LABELS) for outcomes in (by_animal, by_detection)]
    counts = count_metrics(
        tables.conform(labelled[0], "animal_outcomes"),
        tables.conform(labelled[1], "detection_outcomes"),
    )
    return counts.groupby(["method", "metric"])[["count", "normaliser"]].sum()


def evaluate(marks, found, named, animals):
    frames = evaluated_frames(marks, 25, EVERY_FRAME)
    truth = ground_truth(marks, frames["frame"], animals)
    return totals(
        animal_outcomes(frames, animals, truth, named, EVERY_FRAME),
        detection_outcomes(frames, found, named),
    )


def marked(frames):
    return annotations([(frame, "single", ["R"], BOX, False) for frame in frames])
