"""What the path model learns of how animals get about."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from murid.fitting import learn
from murid.models import fitted_path
from murid.settings import FitPath
from murid.tracklets import Tracklets
from path_scenes import SURE, made_segment
from small_rig import FPS, MODEL


def walk(random, tracklets, near, gaps):
    """An animal's tracklets: first, last, opening, closing; the spread grows with the gap."""
    gap = random.choice(gaps, tracklets)
    length = random.integers(3, 20, tracklets)
    first = np.cumsum(gap) + np.concatenate([[0], np.cumsum(length - 1)[:-1]])
    inside = [[-400, -150, -0.6, -0.5], [400, 150, 0.6, 0.5]]
    opening = random.uniform(*inside, (tracklets, 4))
    closing = np.empty((tracklets, 4))
    for at in range(tracklets):
        if at and random.random() < near:
            spread = np.array([4.0 + gap[at], 3.0, 0.05, 0.04])
            opening[at] = closing[at - 1] + random.normal(0, spread)
        closing[at] = np.clip(opening[at] + random.normal(0, [20, 8, 0.05, 0.05]), *inside)
    return first, first + length - 1, opening, closing


def walks(near=0.9, gaps=(1, 1, 2, 4, 8, 8, 50), tracklets=1200):
    """Two animals that get about, told apart by what the antennas say, and some of nobody."""
    random = np.random.default_rng(7)
    parts = [walk(random, tracklets, near, gaps) for _ in range(2)]
    frames = int(max(part[1].max() for part in parts)) + 1
    false = random.integers(0, frames, 200)
    boxes = random.uniform([-400, -150, -0.6, -0.5], [400, 150, 0.6, 0.5], (200, 4))
    parts.append((false, false, boxes, boxes))
    first, last, opening, closing = (np.concatenate(part) for part in zip(*parts, strict=True))
    whose = np.repeat([0, 1, 2], [tracklets, tracklets, 200])
    gains = np.full((len(first), 2), -6.0)
    gains[np.arange(2 * tracklets), whose[: 2 * tracklets]] = 12.0
    return made_segment(first, np.minimum(last, frames - 1), opening, closing, gains), frames


@pytest.fixture(scope="module")
def learnt():
    """What is learnt of two animals that walk."""
    return learn.learn_motion([walks()], fitted_path.Score(), SURE, FitPath())


def test_spread_is_that_of_the_walk_at_every_gap(learnt):
    motion, transitions = learnt
    assert motion.reach == 1.2
    assert_allclose(motion.seconds, np.arange(1, 31) / FPS)
    assert transitions == 2 * 1199
    for gap in (1, 2, 4, 8):
        assert_allclose(motion.spread[gap - 1], [4.0 + gap, 3.0, 0.05, 0.04], rtol=0.15)
        assert motion.near[gap - 1] == pytest.approx(0.9, abs=0.05)
    segment, _ = walks()
    random = np.random.default_rng(0)
    one, other = random.permutation(len(segment)), random.permutation(len(segment))
    apart = segment.opening[one] - segment.closing[other]
    assert_allclose(motion.anywhere, apart.std(axis=0), rtol=0.1)


def test_gaps_that_are_common_weigh_more(learnt):
    motion, _ = learnt
    # Two sevenths of the gaps are of one frame, as many of eight, and none of fifteen.
    assert motion.gaps[0] == pytest.approx(motion.gaps[7], abs=1.2)
    assert motion.gaps[0] > motion.gaps[14] + 3
    # One in seven is longer than the reach, but begins anywhere within some 20 frames.
    assert motion.gaps[14] - 5 < motion.fresh < motion.gaps[0]


def test_a_box_that_follows_weighs_more_than_one_elsewhere(learnt):
    motion, _ = learnt
    change = np.array([[2.0, 1, 0, 0], [15, 9, 0.1, 0.1], [200, 50, 0.3, 0.3]])
    near, off, far = motion.moves(change, np.array([1, 1, 1]), FPS)
    assert near > off > far
    # However far off, an animal may have jumped.
    assert far == pytest.approx(motion.gaps[0] + np.log1p(-motion.near[0]), abs=1e-6)


def test_a_gap_weighs_the_same_at_every_frame_rate(learnt):
    motion, _ = learnt
    change = np.array([[9.0, 4, 0.05, 0.05]])
    at_25, at_50, at_12 = (
        motion.moves(change, np.array([gap]), fps)[0]
        for gap, fps in ((2, 25.0), (4, 50.0), (1, 12.5))
    )
    assert at_50 == pytest.approx(at_25)
    assert at_12 == pytest.approx(at_25)
    assert [motion.reach_frames(fps) for fps in (25.0, 50.0, 12.5, 30.0, 0.5)] == [
        30, 60, 15, 36, 0,
    ]  # fmt: skip


def test_segments_of_other_frame_rates_teach_the_same_motion():
    gaps = (1, 2, 4, 10, 50)
    alone, _ = learn.learn_motion([walks(gaps=gaps)], fitted_path.Score(), SURE, FitPath())
    slow, frames = walks(gaps=gaps)
    # The same animals at twice the rate: what took a frame takes two.
    rows = slow.tracklets
    fast = replace(slow, tracklets=Tracklets(2 * rows.frames, rows.rank), fps=2 * FPS)
    both, transitions = learn.learn_motion(
        [(slow, frames), (fast, 2 * frames)], fitted_path.Score(), SURE, FitPath()
    )
    assert transitions == 4 * 1199
    assert both.reach == alone.reach
    change = np.array([[3.0, 2, 0.02, 0.02], [60.0, 20, 0.2, 0.2]])
    for gap in gaps[:-1]:
        told = [motion.moves(change, np.full(2, gap), FPS) for motion in (alone, both)]
        assert_allclose(told[0], told[1], atol=1.0)
    assert both.fresh == pytest.approx(alone.fresh, abs=0.5)


def test_too_few_transitions_still_give_a_motion_that_can_be_read(tmp_path):
    segment = made_segment(
        np.array([0, 9]), np.array([5, 12]), np.zeros((2, 4)), np.ones((2, 4)), np.full((2, 1), 5.0)
    )
    motion, transitions = learn.learn_motion([(segment, 20)], fitted_path.Score(), SURE, FitPath())
    assert transitions == 1
    fitted_path.write(
        fitted_path.PathModel(motion, made_for=MODEL.made_for), tmp_path / "model.json"
    )
    assert_array_equal(fitted_path.read(tmp_path / "model.json").motion.gaps, motion.gaps)


def test_segments_without_tracklets_add_nothing_to_the_motion():
    nothing = made_segment(
        np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)), np.zeros((0, 4)), np.zeros((0, 2))
    )
    segment, frames = walks(tracklets=60)
    one, other = (
        learn.learn_motion(segments, fitted_path.Score(), SURE, FitPath(rounds=1))[0]
        for segments in ([(segment, frames)], [(segment, frames), (nothing, 0)])
    )
    assert_array_equal(one.spread, other.spread)
    assert one.fresh == other.fresh
