"""Detections that others made, judged as a whole: what is lost is told, and when all is."""

import numpy as np
import pandas as pd
import pytest

from murid import schemas, tables
from murid.boxes import iou
from murid.detect import by_detector, foreign
from murid.detect.select import select, sift
from murid.settings import Detect, Image
from murid.tables import Verdict

IDENTITY = np.array([[1.0, 0, 0], [0, 1, 0]])
FRAMES = 400
IMAGE = Image(width=640, height=360)


def mice(frames=FRAMES, seed=3):
    """Three mice that walk about in a picture of 640 x 360, far from each other."""
    random = np.random.default_rng(seed)
    steps = random.normal(0, 3, (frames, 3, 2)).cumsum(axis=0)
    starts = np.array([[40, 60], [260, 120], [480, 200]])
    corners = np.clip(starts + steps, 0, [560, 300])
    size = random.uniform(40, 60, (frames, 3, 2))
    table = pd.DataFrame(
        np.concatenate([corners, size], axis=2).reshape(-1, 4), columns=["x", "y", "w", "h"]
    )
    table["frame"] = np.repeat(np.arange(frames), 3)
    table["detection"] = np.tile(np.arange(3), frames)
    return tables.conform(table.assign(label="mouse", score=0.9), "detections")


def adopt(given, detect=Detect(), image=IMAGE, matrix=IDENTITY, frames=FRAMES):  # noqa: B008
    return foreign.adopt(given, frames, matrix, image, detect, 0.75, 3)


def test_sound_boxes_go_without_a_word():
    given = mice()
    kept, verdict = adopt(given)
    assert verdict == Verdict()
    pd.testing.assert_frame_equal(kept[schemas.BOX], given[schemas.BOX])


def coinciding(share=1.0):
    """Mice of whom a share has a second box, a little off and of a lower score."""
    given = mice()
    second = given.sample(frac=share, random_state=1).sort_index()
    second = second.assign(x=second["x"] + 2, detection=second["detection"] + 3, score=0.8)
    return pd.concat([given, second]), given


def test_boxes_that_coincide_are_suppressed_as_the_detectors_own_are():
    both, given = coinciding()
    kept, verdict = adopt(both)
    assert (kept["score"] == np.float32(0.9)).all()
    assert len(kept) == len(given)
    assert verdict.status == "repaired"
    assert "of 2,400 boxes left out: 1,200 coinciding with a better one" in verdict.reason
    assert "IoU above 0.6 (detect.nms)" in verdict.reason


def test_suppression_is_that_of_the_detector():
    import torch
    from torchvision.ops import batched_nms

    random = np.random.default_rng(5)
    table = pd.DataFrame(random.uniform(0, 60, (400, 4)), columns=schemas.BOX)
    table[["w", "h"]] = table[["w", "h"]] / 2 + 20
    table = table.assign(
        frame=random.integers(0, 9, 400), label=random.choice(schemas.LABELS, 400),
        score=random.permutation(np.linspace(0.5, 0.9, 400)),
    )  # fmt: skip
    corners = torch.tensor(
        np.column_stack(
            [table[["x", "y"]], table[["x", "y"]].to_numpy() + table[["w", "h"]].to_numpy()]
        )
    )
    groups = torch.tensor(table.groupby(["frame", "label"]).ngroup().to_numpy())
    expected = batched_nms(corners, torch.tensor(table["score"].to_numpy()), groups, 0.45)
    taken = sift(table, IDENTITY, Detect(nms=0.45, max_mice=60))
    assert set(np.flatnonzero(taken == "")) == set(expected.tolist())
    assert set(taken[taken != ""]) == {"nms"}


def test_what_is_kept_does_not_overlap_and_the_best_of_it_stays():
    random = np.random.default_rng(6)
    table = pd.DataFrame(random.uniform(0, 30, (200, 4)), columns=schemas.BOX)
    table[["w", "h"]] += 9
    table = table.assign(frame=0, label="mouse", score=random.uniform(0.5, 1, 200))
    kept = select(table, IDENTITY, Detect(nms=0.5, max_mice=4))
    overlap = iou(kept[schemas.BOX], kept[schemas.BOX]) - np.eye(len(kept))
    assert len(kept) == 4
    assert overlap.max() <= 0.5
    assert kept["score"].iloc[0] == np.float32(table["score"].max())


def test_a_mouse_in_the_tunnel_does_not_suppress_it():
    given = mice()
    tunnel = given.assign(label="tunnel", detection=given["detection"] + 3)
    kept, verdict = adopt(pd.concat([given, tunnel]))
    assert len(kept) == 2 * len(given)
    assert verdict == Verdict()


def standing(given, share=0.97):
    """Add a box that hardly moves, called a mouse, in a share of the frames."""
    random = np.random.default_rng(5)
    frames = np.flatnonzero(random.random(FRAMES) < share)
    still = given.iloc[np.zeros(len(frames), int)].assign(frame=frames, detection=3)
    still[["x", "y"]] = np.array([300, 20]) + random.normal(0, 1, (len(frames), 2))
    return pd.concat([given, still.assign(w=80, h=50)])


def test_a_mouse_that_never_moves_beside_enough_others_is_told():
    given = standing(mice())
    kept, verdict = adopt(given)
    assert len(kept) == len(given)
    assert verdict.status == "repaired"
    for part in ("a box called mouse stands still at x 30", "(80 x 50 pixels) in 9", "label it"):
        assert part in verdict.reason
    few = Detect(max_mice=3)
    assert "stands still" in adopt(given, few)[1].reason


@pytest.mark.parametrize(
    "given",
    [
        standing(mice()).query("detection > 0"),  # no more boxes than animals: one is asleep
        standing(mice(), share=0.8),
        standing(mice()).query("frame % 5 > 2 or detection > 0"),
        mice().pipe(lambda rows: pd.concat([rows, rows.assign(x=rows["x"] + 50, detection=3)])),
    ],
    ids=["asleep", "comes and goes", "seldom more", "all move"],
)
def test_a_mouse_asleep_and_boxes_that_move_go_without_a_word(given):
    assert "stands still" not in adopt(given)[1].reason


def shares(given):
    return given.assign(
        x=given["x"] / 640, y=given["y"] / 360, w=given["w"] / 640, h=given["h"] / 360
    )


def corners(given):
    return given.assign(w=given["x"] + given["w"], h=given["y"] + given["h"])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda given: given.iloc[:0], ["no boxes at all"]),
        (shares, ["1,200 boxes", "shares of the picture", "expected pixels of the raw frame"]),
        (corners, ["1,200 boxes", "x2, y2 of the other corner", "w = x2 - x and h = y2 - y"]),
        (
            lambda given: given.assign(score=0.0),
            ["1,200 boxes, none kept: 1,200 score of 0.4 or below (detect.score)"],
        ),
        (
            lambda given: given.assign(x=given["x"] + 1280),
            ["1,200 of 1,200 boxes are outside the picture of 640 x 360 (image)"],
        ),
        (
            lambda given: given.assign(x=0, y=0, w=640, h=360),
            ["1,200 of 1,200 boxes are as large as the picture of 640 x 360"],
        ),
        (lambda given: given.iloc[:100], ["no box in frames 34 to 399 of 400 (92% of the"]),
        (lambda given: given.iloc[-100:], ["no box in frames 0 to 365 of 400"]),
    ],
)  # fmt: skip
def test_total_loss_discards_with_figures(change, told):
    kept, verdict = adopt(change(mice()))
    assert kept.empty
    assert verdict.discarded
    for part in told:
        assert part in verdict.reason


def test_total_loss_names_every_filter_that_took_something():
    given = mice()
    given.loc[given["frame"] < 100, "score"] = 0.1
    hopper = ((0, 0), (640, 0), (640, 360), (0, 360))
    _, verdict = adopt(given, Detect(hopper=hopper))
    assert verdict.discarded
    assert "1,200 boxes, none kept: 300 score of 0.4" in verdict.reason
    assert "900 in the hopper (detect.hopper)" in verdict.reason


@pytest.mark.parametrize(
    ("change", "told", "left"),
    [
        (lambda rows: rows.assign(x=rows["x"].mask(rows["frame"] < 40, 3000)),
         "120 of 1,200 boxes are outside the picture of 640 x 360 (image), and left out", 1080),
        (lambda rows: rows.mask(rows["frame"] < 40, rows.assign(x=0, y=0, w=640, h=360)),
         "120 of 1,200 boxes are as large as the picture", 1080),
        (lambda rows: rows.assign(score=rows["score"].mask(rows["frame"] % 10 > 0, 0.1)),
         "1,200 boxes in 400 frames, of which 40 keep any: 1,080 score of 0.4 or below", 120),
        (lambda rows: rows[rows["frame"] < 240], "no box in frames 240 to 399 of 400 (40%", 720),
        (lambda rows: rows[(rows["frame"] < 60) | (rows["frame"] > 260)],
         "no box in frames 60 to 260 of 400 (50%", 597),
    ],
)  # fmt: skip
def test_partial_loss_is_told_and_the_rest_is_used(change, told, left):
    kept, verdict = adopt(change(mice()))
    assert verdict.status == "repaired"
    assert told in verdict.reason
    assert len(kept) == left


def test_boxes_beyond_the_most_mice_are_told():
    _, verdict = adopt(mice(), Detect(max_mice=2))
    assert verdict.status == "repaired"
    assert "400 beyond the best 2 of a frame (detect.max_mice)" in verdict.reason


def test_weak_boxes_beside_good_ones_are_what_filters_are_for():
    given = mice()
    weak = given.assign(score=0.05, detection=given["detection"] + 3, x=given["x"] + 70)
    kept, verdict = adopt(pd.concat([given, weak]))
    assert verdict == Verdict()
    assert len(kept) == len(given)


def test_the_picture_is_that_of_the_frame_of_reference():
    given = mice().assign(x=lambda rows: rows["x"] + 1000)
    back = np.array([[1.0, 0, -1000], [0, 1, 0]])
    assert adopt(given, matrix=back)[1] == Verdict()


def test_one_mouse_asleep_in_the_corner_is_no_pair_of_corners():
    given = mice()
    given = given[given["detection"] == 0].assign(x=lambda rows: rows["frame"] % 3, y=4.0)
    assert adopt(given)[1] == Verdict()


@pytest.mark.parametrize(
    ("frames", "stride", "status", "told"),
    [
        (range(100), 1, "usable", ""),
        (range(0, 100, 4), 4, "usable", ""),
        ([], 1, "discarded", "no boxes at all in 100 frames (detect.score 0.4): nobody"),
        ([], 4, "discarded", "no boxes at all in 25 frames"),
        (range(70), 1, "repaired", "no box in frames 70 to 99 of 100 (30% of the segment)"),
        ([3], 1, "repaired", "no box in frames 4 to 99 of 100"),
        (range(0, 100, 3), 1, "repaired", "finds boxes in 34 of 100 frames only"),
    ],
)
def test_what_the_detector_does_not_find_is_told_as_of_boxes_by_others(
    frames, stride, status, told
):
    kept = pd.DataFrame({"frame": [n for n in frames for _ in range(2)]}, dtype="int64")
    kept["label"] = "mouse"
    verdict = by_detector.judge_found(len(kept), kept, 100, Detect(stride=stride))
    assert verdict.status == status
    assert told in verdict.reason
    assert bool(told) == bool(verdict.reason)


def test_the_tunnel_makes_up_for_no_mouse():
    kept = pd.DataFrame({"frame": range(100), "label": "tunnel"})
    assert (
        "finds no mouse in 100 frames" in by_detector.judge_found(100, kept, 100, Detect()).reason
    )
    some = pd.concat([kept, kept.head(20).assign(label="mouse")])
    told = "no box in frames 20 to 99 of 100"
    assert told in by_detector.judge_found(120, some, 100, Detect()).reason
    given = mice()
    early = given[given["frame"] < FRAMES // 2]
    still = given[given["detection"] == 0].assign(detection=9, label="tunnel", x=500, y=300)
    assert f"no box in frames {FRAMES // 2} to" in adopt(pd.concat([early, still]))[1].reason


def test_filters_that_take_all_of_the_detectors_boxes_are_named():
    kept = pd.DataFrame({"frame": []}, dtype="int64")
    verdict = by_detector.judge_found(1234, kept, 100, Detect())
    assert "after detect.hopper and detect.max_mice took 1,234" in verdict.reason
