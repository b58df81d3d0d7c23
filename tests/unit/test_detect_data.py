"""What the detector learns from: annotated frames, varied, in batches."""

import cv2
import numpy as np

from murid import tables, video
from murid.detect import data, model
from murid.detect.data import Sample, Wanted
from murid.tables import Verdict
from one_mouse import SIZE, annotate, row, scene


def test_every_kind_of_box_is_wanted_and_labelled():
    wanted = data.wanted(
        annotate(
            [
                row(0, 0, (0, 0, 9, 9)),
                row(0, 1, (9, 0, 9, 9), who="tunnel"),
                row(1, 0, (0, 0, 9, 9), kind="huddle"),
                row(1, 1, (0, 0, 9, 9), kind="tentative"),
                (2, 0, "empty", [], *[np.nan] * 4, "clear", False),
            ]
        )
    )
    names = {frame: [model.CLASSES[n] for n in w.labels] for frame, w in wanted.items()}
    assert names == {0: ["mouse", "tunnel"], 1: ["mouse", "mouse"], 2: []}
    assert wanted[2].boxes.shape == (0, 4)


def test_frames_with_a_difficult_annotation_can_be_left_out():
    rows = [row(0, 0, (0, 0, 9, 9)), row(0, 1, (9, 0, 9, 9), who="G", difficult=True)]
    rows.append(row(1, 0, (0, 0, 9, 9)))
    assert list(data.wanted(annotate(rows), skip_difficult=True)) == [1]
    assert list(data.wanted(annotate(rows))) == [0, 1]


def test_samples_are_the_annotated_frames(segment):
    samples = data.load([(segment / "video.mp4", segment / "annotations.parquet")])
    assert len(samples) == 10
    frames = [frame for _, frame in video.Reel(segment / "video.mp4")]
    for n, sample in enumerate(samples):
        np.testing.assert_array_equal(sample.grey, frames[4 * n])
        np.testing.assert_allclose(sample.wanted.boxes, [scene(4 * n)[1]])


def test_a_segment_without_annotations_needs_no_video(tmp_path):
    path = tmp_path / "a.parquet"
    tables.write(tables.empty("annotations"), path, "annotations", Verdict("discarded", "?"))
    assert data.load([(tmp_path / "absent.mp4", path)]) == []


def test_frames_of_a_video_of_varying_rate_are_found_by_the_segments_rate(shared, tmp_path):
    path = shared / "video_odd" / "made_vfr.mp4"
    at = dict(video.read_frames(path, range(200, 300), 30.0))
    annotate([row(n, 0, (0, 0, 9, 9)) for n in at], tmp_path / "a.parquet")
    samples = data.load([(path, tmp_path / "a.parquet")], fps={path: 30.0})
    assert len(samples) == len(at) > 3
    for sample, frame in zip(samples, at.values(), strict=True):
        np.testing.assert_array_equal(sample.grey, frame)


def test_annotations_beyond_the_end_are_told(segment, tmp_path, caplog):
    annotate([row(n, 0, scene(n)[1]) for n in (0, 99)], tmp_path / "a.parquet")
    assert len(data.load([(segment / "video.mp4", tmp_path / "a.parquet")])) == 1
    assert "1 annotated frames lie beyond its end" in caplog.text


def test_a_varied_box_stays_on_its_animal():
    # The animal is the only thing that is dark, so its box can be read off the picture.
    frame, box = scene(10)
    sample = Sample(
        frame, Wanted(np.array([box], np.float32), np.ones(1, np.int64), np.zeros(1, bool))
    )
    random = np.random.default_rng(0)
    mirrored = 0
    for _ in range(30):
        grey, wanted = data.vary(sample, random)
        assert grey.shape == frame.shape
        assert grey.dtype == np.uint8
        y, x = np.nonzero(cv2.medianBlur(grey, 3) < (int(grey.max()) + int(grey.min())) / 2)
        seen = [x.min(), y.min(), np.ptp(x) + 1, np.ptp(y) + 1]
        np.testing.assert_allclose(wanted.boxes[0], seen, atol=2.5)
        mirrored += wanted.boxes[0, 0] > 25
    assert 5 < mirrored < 25


def test_boxes_that_leave_the_picture_are_cut_or_forgotten():
    boxes = np.array([[-5, 0, 15, 10], [100, 0, 9, 9]], np.float32)
    wanted = Wanted(boxes, np.array([1, 2]), np.zeros(2, bool))
    moved = data._moved(wanted, np.array([[1.0, 0, 0], [0, 1, 0]]), *SIZE)
    assert moved.boxes.tolist() == [[0, 0, 10, 10]]
    assert moved.labels.tolist() == [1]


def test_every_sample_comes_once_in_an_epoch():
    samples = [
        Sample(np.full((4, 4), n, np.uint8), Wanted(np.empty((0, 4)), np.empty(0), np.empty(0)))
        for n in range(10)
    ]
    batches = list(data.batches(samples, 4, seed=3, steps=range(5), varied=False))
    seen = [int(sample.grey[0, 0]) for batch in batches for sample in batch]
    assert sorted(seen[:10]) == sorted(seen[10:]) == list(range(10))
    assert seen[:10] != seen[10:]


def test_a_batch_depends_on_its_step_alone(segment):
    samples = data.load([(segment / "video.mp4", segment / "annotations.parquet")])
    whole = list(data.batches(samples, 4, 1, range(5)))
    later = list(data.batches(samples, 4, 1, range(3, 5)))
    for one, other in zip(whole[3:], later, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a.grey, b.grey)
            np.testing.assert_array_equal(a.wanted.boxes, b.wanted.boxes)
