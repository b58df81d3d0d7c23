"""Precision, recall and average precision of detections."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from murid import schemas, tables
from murid.detect import assess as assessing
from murid.detect.assess import assess, scenes_of
from murid.detect.stage import AssessDetector
from murid.settings import Track
from murid.tables import Verdict

BOX = [10.0, 10, 20, 20]
FAR = [200.0, 10, 20, 20]


def scene(detected, scores, wanted, difficult=None):
    """A frame, of which all annotations are asked for unless it says otherwise."""
    marks = np.zeros(len(wanted)) if difficult is None else difficult
    return assessing.scene(detected, scores, wanted, marks)


def shifted(x):
    return [10.0 + x, 10, 20, 20]


def test_a_perfect_detector():
    result = assess([scene([BOX, FAR], [0.9, 0.8], [FAR, BOX])], 0.5)
    assert (result.precision, result.recall, result.average_precision) == (1.0, 1.0, 1.0)


def test_an_annotation_is_matched_once():
    result = assess([scene([BOX, shifted(1)], [0.9, 0.8], [BOX])], 0.5)
    assert (result.precision, result.recall) == (0.5, 1.0)


def test_the_better_score_chooses_first():
    result = assess([scene([shifted(1), BOX], [0.9, 0.8], [BOX])], 0.5)
    assert result.matched.tolist() == [True, False]


def test_a_box_takes_what_it_overlaps_most():
    near, nearer = shifted(-5), shifted(2)
    result = assess([scene([BOX, near], [0.9, 0.8], [near, nearer])], 0.5)
    assert result.matched.tolist() == [True, True]


@pytest.mark.parametrize(("threshold", "matches"), [(0.6, 1), (0.61, 0)])
def test_the_threshold_is_included(threshold, matches):
    # Shifted by a quarter of its width, a box overlaps 15 of 25 columns.
    assert assess([scene([shifted(5)], [0.9], [BOX])], threshold).matched.sum() == matches


def test_a_difficult_annotation_is_neither_asked_for_nor_held_against_the_box():
    result = assess([scene([BOX, FAR], [0.9, 0.8], [BOX, FAR], [True, False])], 0.5)
    assert (result.wanted, result.matched.tolist()) == (1, [True])


def test_a_plain_annotation_is_taken_before_a_difficult_one():
    result = assess([scene([BOX], [0.9], [BOX, shifted(4)], [True, False])], 0.5)
    assert (result.wanted, result.matched.tolist()) == (1, [True])


def test_nothing_found_and_nothing_wanted():
    assert assess([scene(np.empty((0, 4)), [], [BOX])], 0.5).recall == 0
    assert assess([scene(np.empty((0, 4)), [], [BOX])], 0.5).average_precision == 0
    assert np.isnan(assess([scene([BOX], [0.9], np.empty((0, 4)))], 0.5).recall)
    assert np.isnan(assess([], 0.5).precision)


def test_average_precision_by_hand():
    # Right, wrong, right of two: precision 1 up to recall 1/2 (51 of COCO's 101 points), then 2/3.
    frame = scene([BOX, shifted(70), FAR], [0.9, 0.8, 0.7], [BOX, FAR])
    assert assess([frame], 0.5).average_precision == pytest.approx((51 + 50 * 2 / 3) / 101)


def test_a_wrong_box_of_low_score_does_not_lower_average_precision():
    frames = [scene([BOX], [0.9], [BOX]), scene([FAR], [0.1], np.empty((0, 4)))]
    assert assess(frames, 0.5).average_precision == 1.0
    assert assess(frames, 0.5).precision == 0.5


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=30), st.integers(0, 10))
def test_average_precision_lies_between_what_bounds_it(boxes, missed):
    # As many annotations as right boxes, and some that nothing finds.
    frames = [
        scene([BOX], [score], [BOX] if right else np.empty((0, 4))) for score, right in boxes
    ] + [scene(np.empty((0, 4)), [], [BOX])] * missed
    result = assess(frames, 0.5)
    if result.wanted:
        assert 0 <= result.average_precision <= 1
        # No ranking reaches a recall above that of all boxes.
        assert result.average_precision <= (np.floor(100 * result.recall) + 1) / 101 + 1e-9
        # At every recall that is reached, the precision of all boxes is reached as well.
        least = np.nan_to_num(result.precision) * (np.floor(100 * result.recall) + 1) / 101
        assert result.average_precision >= least - 0.01


def annotations(*rows):
    return tables.conform(
        pd.DataFrame(
            [
                (frame, number, kind, who, *(box or [np.nan] * 4), "clear", difficult)
                for number, (frame, kind, who, box, difficult) in enumerate(rows)
            ],
            columns=schemas.CONTRACTS["annotations"].schema.names,
        ),
        "annotations",
    )


def detections(*rows):
    return tables.conform(
        pd.DataFrame(
            [(frame, n, label, *box, score) for n, (frame, label, box, score) in enumerate(rows)],
            columns=schemas.CONTRACTS["detections"].schema.names,
        ),
        "detections",
    )


def test_labels_are_judged_apart_on_annotated_frames_only():
    found = detections((0, "mouse", BOX, 0.9), (0, "tunnel", FAR, 0.9), (1, "mouse", BOX, 0.9))
    asked = annotations((0, "single", ["R"], BOX, False), (0, "single", ["tunnel"], FAR, False))
    for label in schemas.LABELS:
        result = assess(scenes_of(found, asked, label), 0.5)
        assert (result.wanted, result.matched.tolist()) == (1, [True])


def test_frames_in_doubt_are_left_out_and_empty_ones_count():
    found = detections(*[(frame, "mouse", BOX, 0.9) for frame in range(4)])
    asked = annotations(
        (0, "huddle", ["R", "G"], BOX, False),
        (1, "single", ["R"], BOX, False),
        (1, "tentative", ["G", "B"], FAR, False),
        (2, "empty", [], None, False),
        (3, "single", ["R"], BOX, False),
    )
    scenes = list(scenes_of(found, asked, "mouse"))
    assert len(scenes) == 2
    assert assess(scenes, 0.5).precision == 0.5


def test_the_table_has_a_row_for_each_split_label_and_threshold(tmp_path):
    found = detections((0, "mouse", shifted(5), 0.9))
    asked = annotations((0, "single", ["R"], BOX, False))
    tables.write(found, tmp_path / "d.parquet", "detections")
    tables.write(asked, tmp_path / "a.parquet", "annotations")
    tables.write(
        tables.empty("detections"), tmp_path / "x.parquet", "detections", Verdict("discarded", "?")
    )
    segments = [
        ("Test", tmp_path / "d.parquet", tmp_path / "a.parquet"),
        ("Train", tmp_path / "d.parquet", tmp_path / "a.parquet"),
        ("Test", tmp_path / "x.parquet", tmp_path / "a.parquet"),
    ]
    AssessDetector(segments=segments, output=tmp_path / "out.parquet").run()
    table = tables.read(tmp_path / "out.parquet", "detector_metrics")
    assert len(table) == 8
    mice = table[(table["split"] == "Test") & (table["label"] == "mouse")].set_index("iou")
    assert mice["recall"].to_dict() == {0.5: 1.0, Track().iou: 0.0}
    assert mice["images"].tolist() == [1, 1]
    AssessDetector(segments=segments, output=tmp_path / "lax.parquet", iou=0.3).run()
    assert set(tables.read(tmp_path / "lax.parquet", "detector_metrics")["iou"]) == {0.3, 0.5}


def test_without_a_usable_segment_the_table_is_empty(tmp_path):
    AssessDetector(segments=[], output=tmp_path / "out.parquet").run()
    assert tables.read(tmp_path / "out.parquet", "detector_metrics").empty


def coco_metrics(scenes):
    """Average precision and recall of (found, scores, wanted, difficult), by pycocotools.

    It knows no difficult annotations, but those outside a range of areas, which it treats alike.
    """
    images = [{"id": n + 1} for n in range(len(scenes))]
    wanted = [
        {"image_id": n + 1, "bbox": box, "area": float(hard), "iscrowd": 0}
        for n, (_, _, boxes, difficult) in enumerate(scenes)
        for box, hard in zip(boxes, difficult, strict=True)
    ]
    found = [
        {"image_id": n + 1, "bbox": box, "area": 0.0, "score": score}
        for n, (boxes, scores, _, _) in enumerate(scenes)
        for box, score in zip(boxes, scores, strict=True)
    ]
    both = COCO(), COCO()
    for coco, rows in zip(both, (wanted, found), strict=True):
        entries = [entry | {"id": n + 1, "category_id": 1} for n, entry in enumerate(rows)]
        coco.dataset = {"images": images, "annotations": entries, "categories": [{"id": 1}]}
        coco.createIndex()
    judge = COCOeval(*both, "bbox")
    judge.params.areaRng, judge.params.areaRngLbl = [[0, 0]], ["asked for"]
    judge.evaluate()
    judge.accumulate()
    # IoU thresholds x recalls x categories x areas x boxes an image
    precision, recall = judge.eval["precision"][:, :, 0, 0, -1], judge.eval["recall"][:, 0, 0, -1]
    return precision.mean(axis=1), recall


@pytest.mark.parametrize("difficult", [0.0, 0.3])
def test_figures_are_those_of_pycocotools(difficult):
    random = np.random.default_rng(4)
    scenes = []
    for _ in range(40):
        boxes = np.column_stack([random.uniform(0, 300, (4, 2)), random.uniform(30, 60, (4, 2))])
        near = boxes[random.random(4) < 0.9] + random.normal(0, 4, 4)
        more = np.concatenate([near, near[:1] + 3, random.uniform(40, 90, (1, 4))])
        scores = random.random(len(more)).round(6)
        scenes.append(
            (more.tolist(), scores.tolist(), boxes.tolist(), random.random(4) < difficult)
        )
    precision, recall = coco_metrics(scenes)
    thresholds = np.arange(0.5, 1.0, 0.05).round(2)
    for n, threshold in enumerate(thresholds):
        own = assess([scene(*one) for one in scenes], threshold)
        assert own.average_precision == pytest.approx(precision[n], abs=1e-12)
        assert own.recall == pytest.approx(recall[n], abs=1e-12)
    assert 0.1 < precision.mean() < 0.9
