"""Boxes that jump from frame to frame are linked more loosely than steady ones."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid import boxes, schemas, tables
from murid.archive import body_parts, detections
from murid.detect.select import select
from murid.settings import Detect, Track
from murid.tracking import successive
from murid.tracking.link import track
from murid.tracking.stage import Track as TrackStage

SIDE = 100.0
AS_IT_IS = np.array([[1.0, 0, 0], [0, 1, 0]])


def table(rows):
    """Rows of (frame, x) or (frame, x, y, w, h) as the table ``detections``."""
    rows = [row if len(row) == 5 else (*row, 0.0, SIDE, SIDE) for row in rows]
    found = pd.DataFrame(rows, columns=["frame", *schemas.BOX])
    rank = found.groupby("frame").cumcount()
    return tables.conform(found.assign(detection=rank, label="mouse", score=0.9), "detections")


def posed(lost, frames=400, animals=4, seed=0):
    """Boxes around the parts of animals that walk, of which a share is not found; and whose."""
    random = np.random.default_rng(seed)
    heading = random.uniform(0, 6, animals) + random.normal(0, 0.03, (frames, animals)).cumsum(0)
    ahead = np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    middle = 3 * ahead.cumsum(0) + np.array([500.0, 0]) * np.arange(animals)[:, None]
    along = np.array([-60.0, -30, 0, 30, 60])
    points = middle[:, :, None] + along[:, None] * ahead[:, :, None]
    points += random.normal(0, 1.5, points.shape)
    points[random.random(points.shape[:3]) < lost] = np.nan
    flat = points.reshape(frames * animals, len(along), 2)
    whose = np.tile(np.arange(animals).astype(str), frames)
    found = body_parts.boxes(
        Path("poses"), np.repeat(np.arange(frames), animals), flat, None,
        origin={"source_track": whose, "source_row": np.arange(len(flat))},
    ).frame  # fmt: skip
    found = found.assign(label="mouse", score=1.0, detection=found.groupby("frame").cumcount())
    return tables.conform(found, "detections")


def stage(folder, found, **settings):
    tables.write(found, folder / "d.parquet", "detections")
    output = folder / "t.parquet"
    TrackStage(detections=folder / "d.parquet", output=output, track=Track(**settings)).run()
    return tables.read(output, "tracklets"), tables.read_verdict(output)


def test_boxes_around_parts_that_come_and_go_jump_and_are_linked_loosely(tmp_path):
    found = posed(lost=0.1)
    linked, verdict = stage(tmp_path, found)
    strict, told = stage(tmp_path, found, loosen=False)
    assert verdict.status == "repaired"
    assert "linked with track.iou 0.3 and track.max_age 5 (track.loosen)" in verdict.reason
    assert "are in no tracklet" in told.reason
    assert len(linked) > 0.99 * len(found) > 1.1 * len(strict)
    assert linked["tracklet"].nunique() < strict["tracklet"].nunique() / 2
    whose = linked.merge(found[["frame", "detection", "source_track"]], on=["frame", "detection"])
    assert whose.groupby("tracklet")["source_track"].nunique().max() == 1


def test_steady_boxes_are_linked_as_ever(tmp_path):
    found = posed(lost=0.0)
    linked, verdict = stage(tmp_path, found)
    pd.testing.assert_frame_equal(linked, track(found, Track()))
    assert verdict == tables.Verdict()
    written = (tmp_path / "t.parquet").read_bytes()
    stage(tmp_path, found, loosen=False)
    assert hash((tmp_path / "t.parquet").read_bytes()) == hash(written)


@pytest.mark.parametrize("name", ["tide", "tide_hard"])
def test_detections_of_the_archive_are_steady(shared, name):
    path = shared / name / "Segments" / "J_21" / "Detections.df"
    found = select(detections.read_table(path).table, AS_IT_IS, Detect())
    assert successive.suit(found, Track()) == (Track(), tables.Verdict())


def test_jumps_of_deeplabcut_are_told(root):
    path = root / "tests" / "data" / "recipes" / "videoDLC.csv"
    found = detections.read_table(path).table
    suited, verdict = successive.suit(found, Track())
    assert (suited.iou, suited.max_age) == (0.3, 5)
    assert "boxes jump (30% overlap" in verdict.reason


def test_too_few_boxes_tell_nothing():
    few = table([(frame, 60.0 * frame) for frame in range(successive.FEWEST)])
    many = table([(frame, 60.0 * frame) for frame in range(successive.FEWEST + 1)])
    assert successive.suit(few, Track())[0] == Track()
    assert successive.suit(many, Track())[0].iou == 0.3
    assert successive.suit(tables.empty("detections"), Track()) == (Track(), tables.Verdict())


def test_looser_settings_than_those_for_jumps_stay_as_they_are():
    found = table([(frame, 60.0 * frame) for frame in range(100)])
    suited, verdict = successive.suit(found, Track(iou=0.2, max_age=9))
    assert suited == Track(iou=0.2, max_age=9)
    assert verdict == tables.Verdict()


def test_frames_that_are_passed_over_count_as_steps():
    found = table([(3 * step, 60.0 * step) for step in range(100)])
    suited, _ = successive.suit(found, Track(max_age=2))
    assert suited.max_age == 17  # five of the frames with boxes, and those between


def thinned(found, step, uneven=0):
    """Boxes of which one of so many frames has some, with up to so many frames more between."""
    frames = found["frame"] * step + found["frame"] % (uneven + 1)
    return found.assign(frame=frames)


@pytest.mark.parametrize("lost", [0.0, 0.1])
@pytest.mark.parametrize(("step", "uneven"), [(2, 0), (12, 0), (12, 1)])
def test_boxes_in_every_nth_frame_only_are_linked_and_told(tmp_path, lost, step, uneven):
    linked, verdict = stage(tmp_path, thinned(posed(lost), step, uneven))
    dense, _ = stage(tmp_path, posed(lost))
    assert len(linked) > 0.98 * len(dense)
    assert linked["tracklet"].nunique() < len(linked) / 50
    assert "track.max_age" in verdict.reason
    assert "are in no tracklet" not in verdict.reason
    assert lost or "boxes are in one of" in verdict.reason


def test_boxes_in_few_frames_are_linked_by_hand_as_by_itself(tmp_path):
    found = thinned(posed(0.0), 2)
    by_hand, verdict = stage(tmp_path, found, loosen=False, max_age=2)
    assert verdict == tables.Verdict()
    pd.testing.assert_frame_equal(by_hand, stage(tmp_path, found)[0])
    pd.testing.assert_frame_equal(by_hand, stage(tmp_path, found, min_length=1)[0])


def test_a_box_of_its_own_is_too_short_in_every_second_frame_as_in_all():
    rows = [(frame, 0.0) for frame in range(20)] + [(7, 500.0), (12, 500.0), (13, 500.0)]
    for step in (1, 2):
        linked = track(thinned(table(rows), step), Track(max_age=2 * step - 2))
        assert linked[linked["x"] == 500]["frame"].tolist() == [12 * step, 13 * step]


@given(st.lists(st.integers(0, 99), max_size=20))
def test_frames_are_counted_as_they_are_unless_most_have_no_boxes(frames):
    told = successive.counted(frames)
    numbers = sorted(set(frames))
    if successive.usual_step(frames) == 1:
        assert told.tolist() == frames
    else:
        assert told.tolist() == [numbers.index(frame) for frame in frames]


sides = st.tuples(st.floats(0, 50), st.floats(0, 50), st.floats(5, 60), st.floats(5, 60))


@given(st.lists(st.lists(sides, max_size=4), min_size=2, max_size=5))
def test_the_nearest_of_two_frames_are_those_that_prefer_each_other(frames):
    found = table([(frame, *box) for frame, inner in enumerate(frames) for box in inner])
    named = [each for each in frames if each]
    expected = []
    for one, other in pairwise(named):
        overlap = boxes.iou(np.float32(one), np.float32(other))
        for row, column in np.ndindex(overlap.shape):
            value = overlap[row, column]
            if value > 0 and value == overlap[row].max() == overlap[:, column].max():
                expected.append(value)
    told = successive.nearest_iou(found)
    # Of equals, one is chosen.
    assert set(told.round(6)) == set(np.round(expected, 6))
    assert len(told) <= len(expected)


def test_a_few_frames_of_a_long_recording_tell_as_much():
    found = posed(lost=0.1, frames=1000)
    all_, some = (successive.nearest_iou(found, most) for most in (10_000, 300))
    assert len(some) < len(all_) / 3 + 1
    shares = [(overlap < successive.STEADY).mean() for overlap in (all_, some)]
    assert shares[0] == pytest.approx(shares[1], abs=0.05)
