"""Boxes that other animals cut, and ways that are told of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from murid.summaries import kinematics, measures
from murid.summaries.known import Known, Usual
from murid.summaries.overlapped import overlapped

FPS = 10.0
NONE = (np.nan,) * 4


def how(smoothing=0.8, reach=3.0):
    return measures.How(FPS, smoothing, reach, Usual((0.0,), (1.0,)), 1.5, 2.0, 0.0, {})


def frame(*boxes):
    return np.array([boxes], dtype=float)


def test_of_a_box_behind_another_the_edges_that_lie_in_it_may_be_cut():
    # The second is before the first, whose right edge is in it.
    assert overlapped(frame((0, 0, 20, 10), (15, 2, 20, 12))).tolist() == [
        [[True, False], [False, False]]
    ]
    # Its lower edge.
    assert overlapped(frame((0, 0, 20, 10), (-5, 8, 30, 12)))[0, 0].tolist() == [False, True]
    # They only meet; nobody is there; and one that is behind cuts nothing.
    assert not overlapped(frame((0, 0, 20, 10), (20, 0, 20, 12))).any()
    assert not overlapped(frame((0, 0, 20, 10), NONE, NONE)).any()
    assert not overlapped(frame((0, 0, 20, 10), (15, 2, 20, 7)))[0, 0].any()


SIDE = st.integers(0, 12)
BOX = st.tuples(SIDE, SIDE, st.integers(1, 8), st.integers(1, 8))


@given(st.lists(BOX, min_size=1, max_size=4), st.permutations(range(4)))
def test_whom_others_cut_is_the_same_in_whatever_order_they_are_told(boxes, order):
    order = [place for place in order if place < len(boxes)]
    found = overlapped(frame(*boxes))
    assert (overlapped(frame(*[boxes[place] for place in order])) == found[:, order]).all()
    # The one that reaches lowest of all, by itself, is cut by none.
    low = [y + h for _, y, _, h in boxes]
    if low.count(max(low)) == 1:
        assert not found[0, int(np.argmax(low))].any()


def resting(frames=400, seed=0):
    """One that rests, and whose box ends where the one before it begins, which comes and goes."""
    random = np.random.default_rng(seed)
    at = np.arange(frames)
    cut = 8 * (1 + np.sin(at / 4 + random.random())) * (np.abs(at - frames / 2) < frames / 4)
    cut[:: frames // 4] = 0
    still = np.stack([np.zeros(frames), np.zeros(frames), 40 - cut, np.full(frames, 20.0)], axis=1)
    before = np.stack(
        [39.5 - cut, np.full(frames, 5.0), np.full(frames, 40.0), np.full(frames, 30.0)], axis=1
    )
    return np.stack([still, before], axis=1)


def test_boxes_that_are_cut_make_less_of_a_way_than_they_tremble():
    boxes = resting()
    centres = boxes[:, 0, :2] + boxes[:, 0, 2:] / 2
    as_it_is = kinematics.way(kinematics.smooth(centres, FPS, 0.5), 1.0).sum()
    told = measures.ways(boxes, how(0.5, 1.0))[:, 0].sum()
    assert told < as_it_is / 2


def test_ways_of_boxes_that_nothing_cuts_are_those_of_their_smoothed_centres():
    random = np.random.default_rng(1)
    boxes = np.concatenate(
        [np.cumsum(random.normal(0, 3, (300, 2, 2)), 0), np.ones((300, 2, 2))], 2
    )
    boxes[:, 1, 0] += 1e4
    boxes[100:120, 0] = np.nan
    centres = kinematics.smooth(boxes[..., :2] + boxes[..., 2:] / 2, FPS, 0.8)
    told = measures.ways(boxes, how())
    for animal in range(2):
        assert_allclose(told[:, animal], kinematics.way(centres[:, animal].copy(), 3.0))


def test_without_smoothing_points_are_as_they_are_whatever_cuts_them():
    boxes = resting()
    centres = boxes[..., :2] + boxes[..., 2:] / 2
    told = measures.ways(boxes, how(0.0, 1.0))
    assert_allclose(told[:, 0], kinematics.way(centres[:, 0].copy(), 1.0))


def known(boxes):
    shape = boxes.shape[:2]
    return Known(
        [*"ABC"[: shape[1]]], FPS, boxes, np.zeros(shape, dtype=bool), np.full((*shape, 2), np.nan),
        np.zeros((*shape, 2, 2)), np.zeros(shape, dtype=np.int64),
    )  # fmt: skip


def test_animals_are_as_long_as_boxes_that_nothing_cuts_are():
    cut = frame((0, 0, 10, 20), (9, 1, 40, 40))
    free = frame((0, 0, 30, 30), (100, 0, 30, 30))
    assert known(np.concatenate([cut, cut, cut, cut, free, free, free])).length == 30
    # But if all are cut these are all that is known; and of none nothing is.
    every = frame((0, 0, 10, 10), (5, 0, 10, 10))
    assert overlapped(every).any(axis=-1).all()
    assert known(every).length == 10
    assert known(frame(NONE, NONE)).length == 1
