"""Which annotated frames are beyond doubt: one answer, whoever asks."""

import numpy as np
import pandas as pd
import pytest

from murid import schemas, tables, truth
from murid.archive import check
from murid.detect import assess, data
from murid.fitting import learn, samples
from murid.grid import Grid
from murid.identify import oracle
from murid.settings import Evaluate, Overlap

BOX, NEAR, FAR = (10.0, 20.0, 30.0, 40.0), (12.0, 20.0, 30.0, 40.0), (200.0, 20.0, 30.0, 40.0)
KINDS = {
    "sure": [("single", ["A"], BOX), ("single", ["B"], FAR)],
    "twice": [("single", ["A"], BOX), ("single", ["A"], NEAR)],
    "several": [("single", ["A", "B"], BOX)],
    "nobody": [("single", [], BOX)],
    "huddle": [("single", ["A"], BOX), ("huddle", ["B", "C"], FAR)],
    "tentative": [("tentative", ["A", "B"], BOX)],
    "tunnels": [("single", ["A"], BOX), ("single", ["tunnel"], NEAR), ("single", ["tunnel"], FAR)],
    "empty": [("empty", [], (np.nan,) * 4)],
}
"""A frame each, in this order; only those of :data:`SURE` are beyond doubt."""
SURE = [list(KINDS).index(name) for name in ("sure", "tunnels", "empty")]
WRONG = [list(KINDS).index(name) for name in ("twice", "several", "nobody")]


@pytest.fixture(scope="module")
def annotations():
    rows = [
        (frame, number, kind, names, *box, "clear", False)
        for frame, objects in enumerate(KINDS.values())
        for number, (kind, names, box) in enumerate(objects)
    ]
    columns = schemas.CONTRACTS["annotations"].schema.names
    return tables.conform(pd.DataFrame(rows, columns=columns), "annotations")


@pytest.fixture(scope="module")
def detections():
    """A mouse where A is annotated, in every frame."""
    rows = [(frame, 0, "mouse", *BOX, 0.9) for frame in range(len(KINDS))]
    columns = schemas.CONTRACTS["detections"].schema.names
    return tables.conform(pd.DataFrame(rows, columns=columns), "detections")


def frames_of(use, annotations, detections):
    """Which frames a stage learns from or judges by."""
    animals = ["A", "B", "C"]
    if use == "evaluate":
        return truth.evaluated_frames(annotations, 25.0, Evaluate())["frame"].tolist()
    if use == "fit-weights":
        trace = pd.DataFrame(1, index=range(len(KINDS)), columns=animals)
        found = samples.from_trace(trace, annotations, np.eye(3)[:2], Grid())
        return sorted(found["frame"].unique())
    if use == "assess-detector":
        scenes = list(assess.scenes_of(detections, annotations, "mouse"))
        asked = [len(scene.difficult) for scene in scenes]
        assert asked == [2, 1, 0]
        return SURE
    if use == "learn scores":
        _, counts = learn.learn_score([(detections, annotations)], Overlap())
        assert counts == {"animals": 2, "false_boxes": 1}
        return SURE
    named = oracle.assign(detections, annotations, Overlap())
    assert named["animal"].eq("A").all()
    return [*named["frame"], SURE[-1]]  # nobody is shown in the last


@pytest.mark.parametrize(
    "use", ["evaluate", "fit-weights", "assess-detector", "learn scores", "oracle"]
)
def test_every_stage_takes_the_same_frames(use, annotations, detections):
    assert frames_of(use, annotations, detections) == SURE


def test_an_animal_is_shown_once_in_a_frame_beyond_doubt(annotations):
    shown = truth.shown_animals(annotations)
    assert list(zip(shown["frame"], shown["animal"], strict=True)) == [(0, "A"), (0, "B"), (6, "A")]
    assert truth.shown_animals(tables.empty("annotations")).empty


def test_a_detector_learns_from_doubt_about_names_but_not_from_contradictions(annotations):
    assert sorted(data.wanted(annotations)) == sorted({*range(len(KINDS))} - {*WRONG})


def test_contradictions_are_told_when_a_segment_is_checked(annotations):
    assert truth.contradictory_frames(annotations).tolist() == WRONG
    verdict = check.tell_contradictions(annotations)
    assert verdict.status == "repaired"
    assert "3 annotated frames left out, in which one animal has two boxes" in verdict.reason
    assert "(1, 2, 3)" in verdict.reason
    sound = annotations[~annotations["frame"].isin(WRONG)]
    assert check.tell_contradictions(sound).status == "usable"
