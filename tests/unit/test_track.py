"""The tracker: SORT's semantics, the paper's changes, and odd input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid import schemas, tables
from murid.boxes import paired_iou
from murid.settings import Track
from murid.tracking.link import follow, judge, link, longest_runs, track
from murid.tracking.stage import Track as TrackStage
from murid.tracklets import Tracklets


def detections(rows):
    """Rows of (frame, x) or (frame, x, y, w, h) as a table of mouse detections."""
    rows = [row if len(row) == 5 else (*row, 0, 100, 50) for row in rows]
    table = pd.DataFrame(rows, columns=["frame", *schemas.BOX]).sort_values("frame", kind="stable")
    rank = table.groupby("frame").cumcount()
    return tables.conform(table.assign(detection=rank, label="mouse", score=0.9), "detections")


def estimate(follower):
    """The box that a follower believes in."""
    x, y, area, ratio = follower.x, follower.y, follower.area, follower.ratio
    w = np.sqrt(max(area * ratio, 0.0))
    h = area / w if w > 0 else 0.0
    return x - w / 2, y - h / 2, w, h


def streaks(frames, numbers):
    """Detections in a row that a tracklet has had, 0 at its birth (SORT's ``hit_streak``)."""
    streak = []
    for frame, before in zip(frames, Tracklets(frames, numbers).before, strict=True):
        if before < 0:
            streak.append(0)
        else:
            streak.append(streak[before] + 1 if frame - frames[before] == 1 else 1)
    return np.array(streak)


@pytest.mark.parametrize("sequence", ["KITTI-17", "TUD-Campus", "TUD-Stadtmitte"])
def test_reproduces_the_original_sort(shared, sequence):
    folder = shared / "mot" / sequence
    found = np.loadtxt(folder / "det.txt", delimiter=",")
    found = found[np.argsort(found[:, 0], kind="stable")]
    expected = np.loadtxt(folder / "sort_reference.txt", delimiter=",")
    min_hits = 3

    followers = follow(found[:, 0], found[:, 2:6], iou=0.3, max_age=1)
    numbers, *estimates = np.array([(each.number, *estimate(each)) for each in followers]).T

    emitted = (streaks(found[:, 0], numbers) >= min_hits) | (found[:, 0] <= min_hits)
    ours = np.column_stack([found[:, 0], numbers, *estimates])[emitted]
    assert len(ours) == len(expected)
    names: dict[int, int] = {}
    for frame in np.unique(expected[:, 0]):
        theirs = expected[expected[:, 0] == frame]
        mine = ours[ours[:, 0] == frame]
        distance = np.abs(theirs[:, None, 2:6] - mine[None, :, 2:6]).max(axis=2)
        nearest = distance.argmin(axis=1)
        assert sorted(nearest) == list(range(len(theirs)))
        assert distance.min(axis=1).max() <= 0.02
        for row, column in enumerate(nearest):
            assert names.setdefault(int(theirs[row, 1]), int(mine[column, 1])) == mine[column, 1]
    assert len(set(names.values())) == len(names)


def test_emits_from_the_first_frame_and_the_detection_itself():
    table = detections([(0, 10.0), (1, 13.0), (2, 15.0)])
    tracked = track(table, Track())
    assert tracked["frame"].tolist() == [0, 1, 2]
    assert tracked["tracklet"].tolist() == [0, 0, 0]
    pd.testing.assert_frame_equal(tracked[schemas.BOX], table[schemas.BOX])


def test_dies_at_the_first_miss():
    tracked = track(detections([(0, 0), (1, 0), (3, 0), (4, 0)]), Track())
    assert tracked["tracklet"].tolist() == [0, 0, 1, 1]


def test_survives_a_miss_when_told_to():
    tracked = track(detections([(0, 0), (1, 0), (3, 0), (4, 0)]), Track(max_age=1))
    assert tracked["tracklet"].tolist() == [0, 0, 0, 0]


def test_a_long_gap_ends_every_tracklet():
    tracked = track(detections([(0, 0), (1, 0), (1000, 0), (1001, 0)]), Track(max_age=5))
    assert tracked["tracklet"].tolist() == [0, 0, 1, 1]


def test_length_counts_contiguous_frames():
    table = detections([(0, 0), (1, 0), (3, 0), (4, 0), (100, 0), (101, 0), (102, 0)])
    tracked = track(table, Track(max_age=1, min_length=3))
    assert tracked["frame"].tolist() == [100, 101, 102]
    assert tracked["tracklet"].tolist() == [0, 0, 0]


def test_gate_comes_before_the_assignment():
    # Two tracklets at 0 and 40; one detection fits the second well, the other fits neither. The
    # largest *sum* of IoU would cross the pairs and lose the good match at a gate of 0.8.
    still = [(frame, x, 0, 100, 50) for frame in range(3) for x in (0, 40)]
    table = detections([*still, (3, 38, 0, 100, 50), (3, 75, 0, 100, 50)])
    tracked = track(table, Track(min_length=1))
    last = tracked[tracked["frame"] == 3]["tracklet"].tolist()
    assert last[0] == tracked[tracked["frame"] == 2]["tracklet"].tolist()[1]
    assert last[1] not in tracked[tracked["frame"] < 3]["tracklet"].tolist()


def meeting(frames=30):
    """Two animals that walk into each other, stay in one place for some frames, and part again."""
    rows = []
    for frame in range(frames):
        apart = max(0, abs(frame - frames // 2) - 3) * 4.0
        rows += [(frame, 200 - apart), (frame, 204 + apart)]
    return detections(rows)


def test_ends_tracklets_where_two_boxes_fit_both():
    tracked = track(meeting(), Track())
    spans = tracked.groupby("tracklet")["frame"].agg(["min", "max"])
    # Whoever came from the left may go on to the right: no tracklet lasts from before until after.
    assert not ((spans["min"] < 10) & (spans["max"] > 20)).any()
    assert len(tracked) == len(meeting())
    assert (spans["min"].diff().dropna() >= 0).all()  # numbered by birth


def test_if_nothing_is_ambiguous_tracklets_end_only_where_they_lose_their_animal():
    assert track(meeting(), Track(ambiguity=0))["tracklet"].nunique() == 2


def test_animals_that_pass_without_touching_are_not_doubted():
    rows = [(frame, x) for frame in range(30) for x in (3.0 * frame, 200 + 3.0 * frame)]
    assert track(detections(rows), Track())["tracklet"].nunique() == 2


def test_a_tracklet_that_survives_misses_ends_where_its_animal_may_hide_another():
    rows = [(frame, 0.0, 0, 100, 50) for frame in range(30)]
    rows += [(frame, 40.0, 20, 100, 50) for frame in range(30) if not 10 <= frame < 15]
    found = detections(rows)
    front = found[found["y"] == 0].index
    for settings, pieces in ((Track(iou=0.3), 1), (Track(iou=0.3, max_age=9), 3)):
        tracked = track(found, settings)
        keyed = found.loc[front, ["frame", "detection"]].merge(tracked, on=["frame", "detection"])
        assert keyed["tracklet"].nunique() == pieces


def test_leaves_the_tunnel_out():
    table = detections([(0, 0), (1, 0)]).assign(label="tunnel")
    assert track(table, Track()).empty


def test_nothing_in_nothing_out():
    tracked = track(tables.empty("detections"), Track())
    assert tracked.empty
    assert tracked.dtypes.equals(tables.empty("tracklets").dtypes)


boxes = st.tuples(st.floats(0, 1000), st.floats(0, 600), st.floats(0.5, 400), st.floats(0.5, 300))


@given(st.lists(st.tuples(st.integers(0, 12), boxes), max_size=40), st.integers(0, 2))
def test_any_boxes_are_linked_once_a_frame(rows, max_age):
    rows = sorted(rows, key=lambda row: row[0])
    table = detections([(frame, *box) for frame, box in rows])
    tracked = track(table, Track(iou=0.3, min_length=1, max_age=max_age))
    assert len(tracked) == len(table)
    assert not tracked.duplicated(["frame", "tracklet"]).any()
    gaps = tracked.groupby("tracklet")["frame"].diff().dropna()
    assert (gaps <= max_age + 1).all()


@given(st.lists(st.tuples(st.integers(0, 5), boxes), min_size=1, max_size=20))
def test_a_still_scene_is_one_tracklet_a_box(rows):
    first = detections([(0, *box) for _, box in rows])
    repeated = pd.concat([first.assign(frame=frame) for frame in range(4)])
    numbers = link(repeated["frame"], repeated[schemas.BOX], iou=0.8)
    by_frame = numbers.reshape(4, -1)
    # Identical or near boxes may swap, but every frame continues all tracklets of the first.
    assert all(set(row) == set(by_frame[0]) for row in by_frame)
    followers = follow(repeated["frame"], repeated[schemas.BOX], iou=0.8)
    assert (
        paired_iou([estimate(follower) for follower in followers], repeated[schemas.BOX]) > 0
    ).all()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 15)), unique=True))
def test_longest_runs_by_hand(rows):
    rows = sorted(rows)
    tracklets, frames = [r[0] for r in rows], [r[1] for r in rows]
    expected = []
    for tracklet, _ in rows:
        own = {f for t, f in rows if t == tracklet}
        best = 0
        for f in own:
            length = 1
            while f + length in own:
                length += 1
            best = max(best, length)
        expected.append(best)
    whole = Tracklets(frames, tracklets)
    assert longest_runs(whole)[whole.rank].tolist() == expected


def moving(step, frames=50):
    """A mouse 100 pixels wide that moves by ``step`` pixels a frame."""
    return detections([(frame, step * frame) for frame in range(frames)])


@pytest.mark.parametrize(("hasty", "status"), [(5, "usable"), (7, "repaired")])
def test_boxes_in_no_tracklet_are_told_from_an_eighth_on(hasty, status):
    far = [(frame, 1000 * frame) for frame in range(1, hasty + 1)]
    table = detections([(frame, 0) for frame in range(20, 60)] + far)

    verdict = judge(table, track(table, Track()), Track())

    assert verdict.status == status


def test_boxes_that_overlap_less_than_the_tracker_asks_for_are_told_with_the_remedy(tmp_path):
    tables.write(moving(40), tmp_path / "detections.parquet", "detections")

    TrackStage(
        detections=tmp_path / "detections.parquet", output=tmp_path / "tracklets.parquet"
    ).run()

    verdict = tables.read_verdict(tmp_path / "tracklets.parquet")
    assert verdict.status == "repaired"
    assert "50 of 50 boxes (100%) are in no tracklet: only the static methods" in verdict.reason
    assert f"track.iou is {Track().iou:g}" in verdict.reason
    assert "the median IoU of a box and the next frame's is 0.43" in verdict.reason
    assert judge(moving(40), track(moving(40), Track(iou=0.3)), Track(iou=0.3)) == tables.Verdict()


@pytest.mark.parametrize(
    ("frames", "words"),
    [(range(0, 90, 3), "next frame's is 0.43:"), ([0], "only the static methods")],
)
def test_the_overlap_that_is_told_is_of_the_next_frame_that_has_boxes(frames, words):
    table = detections([(frame, 40 * rank) for rank, frame in enumerate(frames)])
    asked = Track(max_age=2)

    reason = judge(table, track(table, asked), asked).reason

    assert words in reason
    assert "nan" not in reason


@pytest.mark.parametrize("step", [2, 12])
def test_boxes_that_are_in_few_frames_are_told_with_the_remedy(step):
    table = detections([(step * rank, rank) for rank in range(30)])
    strict = Track(loosen=False)
    remedied = Track(loosen=False, max_age=2 * step - 2)

    reason = judge(table, track(table, strict), strict).reason

    assert f"boxes are in one of {step} frames only: set track.max_age {2 * step - 2}," in reason
    assert "lower track.iou" not in reason
    assert judge(table, track(table, remedied), remedied) == tables.Verdict()
