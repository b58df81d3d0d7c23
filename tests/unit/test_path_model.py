"""What the path model learns, and what it makes of it: motion, scores, confidence."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_identify import IDENTITY, annotation, boxes_at, positions, simple_model

from murid import affinity, tables
from murid.choice import spread_over
from murid.errors import InputError
from murid.identify import continuity, evidence, fit_path, fitted, learn, paths, problem
from murid.identify.paths import NOBODY
from murid.identify.stage import FitPath as FitStage
from murid.made_for import MadeFor
from murid.segment import Segment
from murid.settings import FitPath, Overlap, Paths
from murid.tracklets import Tracklets

FPS = 25.0
MOTION = fitted.Motion(
    seconds=np.array([1, 2]) / FPS,
    near=np.array([0.9, 0.8]),
    spread=np.array([[5.0, 5.0, 0.1, 0.1], [8.0, 8.0, 0.2, 0.2]]),
    anywhere=np.array([150.0, 50.0, 0.5, 0.5]),
    gaps=np.array([1.0, -1.0]),
    fresh=-4.0,
)
MADE_FOR = MadeFor((1, 4), (1280, 720), animals=(1, 2), fps=(FPS, FPS))
SURE = Paths(antenna_weight=1.0)


def made_segment(first, last, opening, closing, gains, fps=FPS):
    """A segment of tracklets of one row each, whose gains are given."""
    count, animals = gains.shape
    edges = np.unique(np.concatenate([first, last + 1]))
    weights = np.column_stack([gains, np.zeros(count)])
    starts, ends = np.searchsorted(edges, first), np.searchsorted(edges, last + 1)
    task = problem.Problem(starts, ends, weights, np.zeros((len(edges), animals)))
    # A row for the first frame of each, and one for the last.
    spans = Tracklets(np.concatenate([first, last]), np.tile(np.arange(count), 2))
    return continuity.Weighed(spans, opening, closing, task, np.full(2 * count, 0.5), fps)


# Motion


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
    return learn.learn_motion([walks()], fitted.Score(), SURE, FitPath())


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
    alone, _ = learn.learn_motion([walks(gaps=gaps)], fitted.Score(), SURE, FitPath())
    slow, frames = walks(gaps=gaps)
    # The same animals at twice the rate: what took a frame takes two.
    rows = slow.tracklets
    fast = replace(slow, tracklets=Tracklets(2 * rows.frames, rows.rank), fps=2 * FPS)
    both, transitions = learn.learn_motion(
        [(slow, frames), (fast, 2 * frames)], fitted.Score(), SURE, FitPath()
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
    motion, transitions = learn.learn_motion([(segment, 20)], fitted.Score(), SURE, FitPath())
    assert transitions == 1
    fitted.write(fitted.PathModel(motion, made_for=MADE_FOR), tmp_path / "model.json")
    assert_array_equal(fitted.read(tmp_path / "model.json").motion.gaps, motion.gaps)


def test_segments_without_tracklets_add_nothing_to_the_motion():
    nothing = made_segment(
        np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)), np.zeros((0, 4)), np.zeros((0, 2))
    )
    segment, frames = walks(tracklets=60)
    one, other = (
        learn.learn_motion(segments, fitted.Score(), SURE, FitPath(rounds=1))[0]
        for segments in ([(segment, frames)], [(segment, frames), (nothing, 0)])
    )
    assert_array_equal(one.spread, other.spread)
    assert one.fresh == other.fresh


# Scores


def scored(frames, real, false):
    """Detections and annotations: two animals and a false box in each frame, and their scores."""
    random = np.random.default_rng(2)
    rows = [(frame, k, (100, 200, 350)[k]) for frame in range(frames) for k in range(3)]
    found = boxes_at(rows)
    score = random.beta(*real, len(found))
    score[2::3] = random.beta(*false, frames)
    truth = annotation(
        [
            (frame, (name,), x, "single", False)
            for frame in range(frames)
            for name, x in (("A", 100), ("B", 200))
        ]
    )
    return found.assign(score=score.astype(np.float32)), truth


def test_a_high_score_speaks_for_an_animal_and_a_low_one_against():
    score, counts = learn.learn_score(
        [scored(60, (8, 2), (4, 4)), scored(40, (8, 2), (4, 4))], Overlap()
    )
    assert counts == {"animals": 200, "false_boxes": 100}
    low, high = score.log_odds(np.array([0.3, 0.95]))
    assert low < -1
    assert high > 1


@pytest.mark.parametrize(
    ("frames", "real", "false"), [(19, (8, 2), (4, 4)), (100, (4, 4), (8, 2)), (0, (1, 1), (1, 1))]
)
def test_scores_say_nothing_if_boxes_are_few_or_false_ones_score_higher(frames, real, false):
    pairs = [scored(frames, real, false)] if frames else []
    assert learn.learn_score(pairs, Overlap())[0] == fitted.Score()


def test_scores_are_learnt_from_certain_frames_alone():
    found, truth = scored(60, (8, 2), (4, 4))
    doubtful = truth.assign(type=truth["type"].where(truth["frame"] >= 30, "tentative"))
    assert learn.learn_score([(found, doubtful)], Overlap())[1] == {
        "animals": 60,
        "false_boxes": 30,
    }


# Confidence


def test_calibration_finds_the_line_that_was_used():
    random = np.random.default_rng(3)
    stated = random.uniform(0.02, 0.98, 20_000)
    line = fitted.Calibration(0.6, -0.4)
    again = learn.calibrate(stated, random.random(len(stated)) < line(stated))
    assert_allclose([again.slope, again.intercept], [0.6, -0.4], atol=0.06)


def test_calibration_of_few_rows_changes_nothing_and_of_noise_gives_the_share():
    stated = np.linspace(0.01, 0.99, 100)
    assert learn.calibrate(stated, stated > 0.15) == fitted.Calibration()
    upside_down = learn.calibrate(stated, stated < 0.75)
    assert_allclose(upside_down(np.array([0.1, 0.9])), [0.75, 0.75], atol=0.01)


def test_certain_probabilities_stay_finite():
    sure = fitted.Calibration()(np.array([0.0, 1.0]))
    assert_allclose(sure, [0, 1], atol=1e-6)
    assert np.isfinite(fitted.log_odds(np.array([0.0, 1.0]))).all()


def test_absences_are_the_surer_the_longer():
    random = np.random.default_rng(4)
    lengths = np.concatenate([random.integers(1, 10, 2_000), random.integers(100, 900, 2_000)])
    hidden = random.random(4_000) < np.where(lengths < 50, 0.25, 0.9)
    missed = learn.learn_missed(lengths.astype(float), hidden, np.arange(4_000), np.ones(4_000))
    grid = missed(np.arange(1.0, 1_000.0))
    assert_allclose([grid[4], grid[499]], [0.25, 0.9], atol=0.05)
    assert (np.diff(grid) >= 0).all()
    assert grid.max() < 1


def test_with_few_absences_of_either_kind_the_length_says_nothing():
    lengths = np.arange(1.0, 101.0)
    for hidden, share in ((lengths > 0, 101 / 102), (lengths > 90, 11 / 102)):
        missed = learn.learn_missed(lengths, hidden, np.arange(100), np.ones(100))
        assert_allclose(missed(np.array([0.0, 1.0, 500.0])), share)
    empty = np.zeros(0)
    nothing = learn.learn_missed(empty, empty.astype(bool), empty.astype(int), empty)
    assert nothing == fitted.Missed()
    assert nothing(np.array([0.0, 1.0, 500.0])).tolist() == [1, 1, 1]


def test_rows_of_one_absence_are_one_observation():
    lengths = np.repeat([5.0, 600.0], 100)
    hidden = lengths > 50
    alone = learn.learn_missed(lengths, hidden, np.arange(200), np.ones(200))
    joint = learn.learn_missed(lengths, hidden, np.arange(200) // 50, np.ones(200))
    ends = np.array([5.0, 600.0])
    assert_allclose(alone(ends), [1 / 102, 101 / 102])
    assert_allclose(joint(ends), [1 / 4, 3 / 4])


@pytest.mark.parametrize("others", [0.5, 0.8, 1.0])
def test_what_is_stated_rightly_stays_as_it_is(others):
    # Of absences stated at 0.8, 0.8 are hidden, whatever the others are and however long they last.
    random = np.random.default_rng(5)
    stated = np.repeat([0.8, others], 4_000)
    lengths = random.uniform(1, 300, 8_000)
    hidden = random.random(8_000) < stated
    missed = learn.learn_missed(lengths, hidden, np.arange(8_000), stated)
    put_right = stated * missed(lengths)
    assert_allclose(put_right[:4_000].mean(), 0.8, atol=0.015)
    assert_allclose(put_right[4_000:].mean(), others, atol=0.02)


def test_the_missed_are_counted_once():
    # Detectors miss half of the animals that are stated to be absent for a second.
    random = np.random.default_rng(6)
    stated = random.uniform(0.6, 1.0, 8_000)
    lengths = np.repeat([1.0, 200.0], 4_000)
    hidden = random.random(8_000) < stated * np.where(lengths < 50, 0.5, 1.0)
    missed = learn.learn_missed(lengths, hidden, np.arange(8_000), stated)
    assert_allclose(missed(np.array([1.0, 200.0])), [0.5, 1.0], atol=0.03)
    put_right = stated * missed(lengths)
    for low in (0.6, 0.7, 0.8, 0.9):
        for own in (lengths == 1.0, lengths == 200.0):
            own = own & (stated >= low) & (stated < low + 0.1)
            assert_allclose(put_right[own].mean(), hidden[own].mean(), atol=0.05)


def answer():
    """Three tracklets in five frames: A, nobody (perhaps B), and A again."""
    first, last = np.array([0, 1, 4]), np.array([1, 2, 4])
    segment = replace(
        made_segment(first, last, np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((3, 2))),
        tracklets=Tracklets([0, 1, 1, 2, 4], [0, 0, 1, 1, 2]),
    )
    found = paths.Paths(
        named=np.array([0, NOBODY, 0]),
        probabilities=np.array([[0.9, 0.05], [0.02, 0.4], [0.6, 0.1]]),
        most_states=3,
        cut=0,
    )
    return segment, found


def test_absences_are_what_no_tracklet_takes():
    segment, found = answer()
    absent, lengths, begins = continuity.absences(segment, found, 6)
    expected = [[0.1, 0.95], [0.08, 0.55], [0.98, 0.6], [1, 1], [0.4, 0.9], [1, 1]]
    assert_allclose(absent, expected)
    assert lengths.tolist() == [[0, 6], [0, 6], [2, 6], [2, 6], [0, 6], [1, 6]]
    assert begins.tolist() == [[-1, 0], [-1, 0], [2, 0], [2, 0], [-1, 0], [5, 0]]


def test_confidence_puts_right_what_the_model_says():
    segment, found = answer()
    missed = fitted.Missed((1 / FPS, 4 / FPS), (0.5, 0.9))
    model = fitted.PathModel(MOTION, boxed=fitted.Calibration(0.5, 0.0), hidden=missed)
    rows, hidden = continuity.confidence(segment, found, model, 6)
    # Half the log odds are the square root of the odds: 0.9 is 9 to 1, and 0.6 is 3 to 2.
    assert_allclose(rows[[0, 1]], 0.75)
    assert_allclose(rows[4], np.sqrt(1.5) / (1 + np.sqrt(1.5)))
    assert_allclose(hidden[2:4, 0], [0.98 * 0.7, 0.7])
    assert_allclose(hidden[0, 1], 0.95 * 0.9)


def test_the_length_of_an_absence_is_in_seconds():
    segment, found = answer()
    model = fitted.PathModel(MOTION, hidden=fitted.Missed((1 / FPS, 4 / FPS), (0.5, 0.9)))
    _, hidden = continuity.confidence(segment, found, model, 6)
    _, twice_as_long = continuity.confidence(replace(segment, fps=FPS / 2), found, model, 6)
    assert_allclose(hidden[2, 0], 0.98 * 0.7)
    assert_allclose(twice_as_long[2, 0], 0.98 * 0.9)


def test_posteriors_give_the_answer_its_confidence_and_share_out_the_rest():
    _, found = answer()
    plain = continuity.posteriors(found, fitted.PathModel(MOTION))
    assert_allclose(plain, found.probabilities, atol=1e-6)
    model = fitted.PathModel(MOTION, boxed=fitted.Calibration(0.5, 0.0))
    right = continuity.posteriors(found, model)
    # A gets 0.75 for 0.9; B and nobody, as probable as each other, the other quarter.
    assert_allclose(right[0], [0.75, 0.125], atol=1e-6)
    # Nobody's 0.58 becomes the root of 58 to 42; A and B share what is left 1 to 20.
    nobody = np.sqrt(0.58 / 0.42) / (1 + np.sqrt(0.58 / 0.42))
    assert_allclose(right[1], (1 - nobody) * np.array([1, 20]) / 21, atol=1e-6)


def test_posteriors_of_the_certain_still_sum_to_one():
    found = paths.Paths(np.array([0, NOBODY]), np.array([[1.0, 0.0], [0.0, 0.0]]), 1, 0)
    model = fitted.PathModel(MOTION, boxed=fitted.Calibration(0.0, 0.0))
    right = continuity.posteriors(found, model)
    assert_allclose(right, [[0.5, 0.25], [0.25, 0.25]], atol=1e-6)


# From tables


def gathered(rows, trace=((1, 3),) * 8, detections=None):
    """The segment of rows of (frame, detection, centre x, tracklet)."""
    linked = boxes_at(rows, "tracklets") if rows else tables.empty("tracklets")
    found = boxes_at(detections or [row[:3] for row in rows])
    model = simple_model()
    return continuity.gather(
        found, linked, evidence.read_trace(positions(trace), model), model, IDENTITY, FPS
    )


def test_gather_takes_the_ends_of_tracklets_whatever_the_order_of_rows():
    rows = [(5, 0, 90, 4), (2, 0, 100, 4), (3, 0, 110, 4), (2, 1, 310, 2)]
    segment = gathered(rows)
    assert segment.tracklets.rank.tolist() == [1, 1, 1, 0]
    assert (segment.tracklets.first.tolist(), segment.tracklets.last.tolist()) == ([2, 2], [2, 5])
    assert segment.opening[:, 0].tolist() == [310, 100]
    assert segment.closing[:, 0].tolist() == [310, 90]
    assert_allclose(segment.opening[0, 1:], [50, np.log(60), np.log(40)], rtol=1e-6)
    assert_allclose(segment.scores, 0.9)


def test_gains_weigh_antennas_and_scores_by_their_factors():
    segment = gathered([(0, 0, 100, 0), (1, 0, 100, 0), (0, 1, 300, 1)])
    score = fitted.Score(2.0, -1.0)
    antennas = segment.task.gains()
    weighed = continuity.gains(segment, score, Paths(antenna_weight=0.1, score_weight=0.5))
    assert_allclose(weighed, 0.1 * antennas + 0.5 * np.array([[1.6], [0.8]]))
    assert antennas[0, 0] > 0 > antennas[0, 1]


def filmed(rate):
    """A scene of eight seconds whose tracklets are seen halfway between the antennas' places."""
    made = made_tables(np.random.default_rng(3), 200)
    made["tracklets"]["x"] += 0.5 * (200 - made["tracklets"]["x"])
    wide = made["positions"].pivot(index="frame", columns="animal", values="antenna").to_numpy()
    at = np.arange(round(200 * rate / FPS)) * FPS / rate
    rows = [
        made["tracklets"][made["tracklets"]["frame"] == int(old)].assign(frame=new)
        for new, old in enumerate(at)
    ]
    linked = tables.conform(pd.concat(rows), "tracklets")
    found = tables.conform(linked.assign(label="mouse", score=0.9), "detections")
    trace = positions(np.asarray(wide[at.astype(int)], dtype=int))
    return found, linked, trace


def stated(rate, reference, settings=Paths(antenna_weight=0.01)):  # noqa: B008
    """Return gains, and how probable the scene's tracklets are what they are named, on average."""
    found, linked, trace = filmed(rate)
    model, score = simple_model(), fitted.Score(1.0, -0.5)
    readings = evidence.read_trace(trace, model)
    segment = continuity.gather(
        found, linked, readings, model, IDENTITY, rate, settings, reference_fps=reference
    )
    motion = replace(continuity.STILL, fresh=0.0)
    weights = continuity.gains(segment, score, settings)
    task = continuity.build(segment, motion, weights)
    answer = paths.solve(task, motion.reach_frames(rate), 400, 50.0)
    return weights, answer.probabilities.max(axis=1).mean()


def test_a_scene_is_as_sure_at_any_frame_rate():
    own, sure = stated(FPS, FPS)
    # At the rate of the fit nothing changes.
    assert_array_equal(own, stated(FPS, None)[0])
    assert 0.4 < sure < 0.9
    # Each frame twice is the same scene, exactly; every other frame is, but for noise.
    twice, as_sure = stated(2 * FPS, FPS)
    assert_allclose(twice, own, rtol=1e-12)
    assert as_sure == pytest.approx(sure, abs=1e-9)
    assert stated(FPS / 2, FPS)[1] == pytest.approx(sure, abs=0.02)
    # Counted by frames it would be much surer at twice the rate.
    assert stated(2 * FPS, None)[1] > sure + 0.05


def test_tracklets_are_cut_alike_at_any_frame_rate():
    # One tracklet of a second, of two animals in turn.
    def pieces_at(rate, reference, weight):
        frames = round(rate)
        rows = [(f, 0, 100 if f < frames / 2 else 300, 0) for f in range(frames)]
        found, linked = boxes_at([row[:3] for row in rows]), boxes_at(rows, "tracklets")
        model = simple_model()
        trace = evidence.read_trace(positions([(1, 3)] * frames), model)
        settings = Paths(antenna_weight=weight)
        return len(
            continuity.gather(found, linked, trace, model, IDENTITY, rate, settings, reference)
        )

    rates = (FPS / 5, FPS, 8 * FPS)
    assert [pieces_at(rate, FPS, 0.05) for rate in rates] == [2, 2, 2]
    assert [pieces_at(rate, FPS, 0.01) for rate in rates] == [1, 1, 1]
    # Counted by frames, it would be a matter of the rate.
    assert [pieces_at(rate, None, 0.05) for rate in rates] == [1, 2, 2]
    assert [pieces_at(rate, None, 0.01) for rate in rates] == [1, 1, 2]


def test_without_transitions_only_antennas_and_scores_count():
    rows = [(0, 0, 300, 0), (2, 0, 305, 1), (4, 0, 300, 2)]
    segment = gathered(rows, ((3, 1),) * 2 + ((1, 3),) * 2 + ((3, 1),) * 4)
    model = fitted.PathModel(replace(MOTION, gaps=np.array([4.0, 4.0])))
    with_memory = continuity.solve(segment, model, SURE)
    without = continuity.solve(segment, model, replace_settings(SURE, transitions=False))
    assert with_memory.named.tolist() == [0, 0, 0]
    assert without.named.tolist() == [0, 1, 0]


def replace_settings(settings, **changes):
    return settings.model_copy(update=changes)


# The stage


@pytest.fixture
def archive(tmp_path):
    """A folder with weights and transforms, and what writes a segment's tables to it."""
    model = simple_model(animals=2)
    affinity.write(affinity.Weights(model, model), tmp_path / "weights.json")
    still = {f"m{row}{column}": [float(row == column)] for row in range(2) for column in range(3)}
    residuals = {"fit_residual": [np.nan], "validation_residual": [np.nan]}
    transform = pd.DataFrame({"rig": ["rig"], "prototype": [True], **still, **residuals})
    tables.write(transform, tmp_path / "transforms.parquet", "transforms")

    def write(name, split, seed=0, frames=240, verdict=None, **changes):
        made = made_tables(np.random.default_rng(seed), frames) | changes
        for kind, table in made.items():
            table = tables.empty(kind) if verdict else table
            tables.write(table, tmp_path / f"{name}_{kind}.parquet", kind, verdict)
        return (split, FPS, *(tmp_path / f"{name}_{kind}.parquet" for kind in made), "rig")

    return tmp_path, write


def made_tables(random, frames):
    """Two animals that change places, each in tracklets of some frames with gaps between them."""
    place = np.where(np.arange(frames) // 60 % 2, 1, -1)
    rows = []
    for animal, side in enumerate((1, -1)):
        x = 250 + 100 * side * place + random.normal(0, 3, frames)
        number = 1_000 * animal + np.arange(frames) // 12
        seen = np.arange(frames) % 12 > 1
        rows += [(f, animal, x[f], number[f]) for f in np.flatnonzero(seen)]
    rows.sort()
    # Where A is at antenna 1, B is at antenna 3 or 4, which are seen at 300 and 400.
    antennas = np.where(place[:, None] == 1, [3, 2], [2, 3])
    truth = annotation(
        [
            (frame, (name,), 250 + 100 * side * place[frame], "single", False)
            for frame in range(5, frames, 6)
            for name, side in (("A", 1), ("B", -1))
        ]
    )
    return {
        "detections": boxes_at([row[:3] for row in rows]),
        "tracklets": boxes_at(rows, "tracklets"),
        "positions": positions(antennas),
        "annotations": truth,
    }


def run(archive, segments, settings=SURE, how=FitPath(reach=0.2), **options):  # noqa: B008
    folder, _ = archive
    output = folder / "model.json"
    FitStage(
        segments=segments,
        weights=folder / "weights.json",
        transforms=folder / "transforms.parquet",
        output=output,
        paths=settings,
        fit_path=how,
        **options,
    ).run()
    return fitted.read(output)


def test_a_path_model_keeps_which_weights_it_belongs_to(archive):
    folder, write = archive
    segments = [write("a", "Validate")]
    own = affinity.read(folder / "weights.json")
    other = replace(own, lagged=replace(own.lagged, hidden_share=0.3))
    affinity.write(other, folder / "all.json")
    assert run(archive, segments).made_for.weights == (own.digest,)
    for path, digests in (("all", (own.digest, other.digest)), ("weights", (own.digest,))):
        model = run(archive, segments, naming_weights=folder / f"{path}.json")
        assert model.made_for.weights == digests


def test_motion_comes_from_train_and_confidence_from_the_others(archive):
    folder, write = archive
    segments = [write("a", "Train"), write("b", "Train", 1), write("c", "Validate", 2)]
    model = run(archive, segments)
    told = model.provenance
    assert (told["segments"], told["validating_segments"]) == (2, 1)
    # Every other frame that is annotated of 240, and both animals in each.
    assert told["named_rows"] + told["absent_rows"] == 2 * 40
    assert told["scores"] == {"animals": 2 * 2 * 40, "false_boxes": 0}
    assert model.score == fitted.Score()
    assert_allclose(model.motion.spread[2, 0], 3 * np.sqrt(2), rtol=0.4)
    before = (folder / "model.json").read_bytes()
    run(archive, segments)
    assert (folder / "model.json").read_bytes() == before


def test_a_model_keeps_the_frame_rate_of_most_segments(archive):
    folder, write = archive
    names = [("a", "Train"), ("b", "Train"), ("c", "Validate")]
    segments = [write(*name, seed) for seed, name in enumerate(names)]
    slower = [(split, FPS / 2, *rest) for split, _, *rest in segments[:1]]
    model = run(archive, [*slower, *segments[1:]])
    assert model.made_for.fps == (FPS / 2, FPS)
    assert model.made_for.evidence_fps == model.made_for.reference_fps == FPS
    assert fitted.read(folder / "model.json").made_for == model.made_for


@pytest.mark.parametrize(
    ("splits", "training", "validating"),
    [(["Train"], 1, 0), (["Validate"], 1, 1), (["Test", "Validate"], 2, 2)],
)
def test_it_makes_do_with_either_split(archive, splits, training, validating):
    segments = [archive[1](f"s{k}", split, k) for k, split in enumerate(splits)]
    model = run(archive, segments)
    told = model.provenance
    assert (told["segments"], told["validating_segments"]) == (training, validating)
    assert model.boxed == fitted.Calibration()


def test_discarded_segments_are_left_out(archive):
    _, write = archive
    discarded = write("a", "Train", verdict=tables.Verdict("discarded", "no trace"))
    model = run(archive, [discarded, write("b", "Train"), write("c", "Validate", 1)])
    assert model.provenance["segments"] == 1
    # Without any training segment left, all comes from the others.
    model = run(archive, [discarded, write("c", "Validate", 1)])
    assert (model.provenance["segments"], model.provenance["validating_segments"]) == (1, 1)


def test_a_segment_without_annotations_still_tells_of_motion(archive):
    _, write = archive
    segment = write("a", "Train", annotations=tables.empty("annotations"))
    model = run(archive, [segment, write("b", "Validate", annotations=annotation([]))])
    assert model.provenance["transitions"] > 30
    assert model.provenance["named_rows"] == model.provenance["absent_rows"] == 0
    assert model.boxed == fitted.Calibration()


def test_annotations_that_count_as_none_are_told(archive, caplog):
    _, write = archive
    segment = write("a", "Train")
    said = tables.Verdict("repaired", "the annotations do not fit")
    tables.write(tables.empty("annotations"), segment[5], "annotations", said)
    run(archive, [segment, write("b", "Validate", 1)])
    (told,) = [text for text in caplog.messages if "do not fit" in text]
    assert told.startswith(f"{segment[5]}: motion alone is learnt from it")


def test_rows_judged_are_of_one_kind_with_and_without_annotations(archive):
    """Else those of several segments are objects together, of which there is no logarithm."""
    folder, write = archive
    segments = [write("a", "Train"), write("b", "Train", annotations=tables.empty("annotations"))]
    model = run(archive, segments)
    weights = affinity.read(folder / "weights.json")
    kinds = []
    for _, fps, *paths_of, rig in segments:
        names = ("detections", "tracklets", "positions", "annotations", "transforms")
        files = dict(zip(names, [*paths_of, folder / "transforms.parquet"], strict=True))
        recording = fit_path.load(Segment(files, rig, fps), weights, Paths())
        kinds.append(fit_path.judge(recording, model, Paths(), Overlap()).dtypes.to_dict())
    assert kinds[0] == kinds[1]


def test_nothing_to_learn_from_says_what_to_do(archive):
    _, write = archive
    discarded = write("a", "Train", verdict=tables.Verdict("discarded", "no trace"))
    nothing = write("b", "Train", tracklets=tables.empty("tracklets"))
    for segments in ([], [discarded], [nothing], [discarded, nothing]):
        with pytest.raises(InputError, match=r"no tracklets.*Set path_model"):
            run(archive, segments)


def test_of_many_segments_some_are_used_spread_over_all(archive):
    _, write = archive
    segments = [write(f"s{k}", "Train", k, frames=60) for k in range(5)]
    model = run(archive, segments, how=FitPath(reach=0.2, max_segments=2, rounds=1))
    assert model.provenance["segments"] == 2
    assert spread_over(range(9), 3) == [0, 4, 8]
    assert spread_over(range(2), 3) == [0, 1]
    assert spread_over(range(5), 1) == [0]


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("positions", lambda t: t.assign(antenna=t["antenna"] + 2), "antenna 5; expected 1 to 4"),
        ("tracklets", lambda t: t.assign(frame=t["frame"] + 9), "a box at frame 248"),
        ("tracklets", lambda t: t.assign(detection=t["detection"] + 1), "found detection 2"),
        ("tracklets", lambda t: t.assign(tracklet=3), "(frame 2): found the tracklet 3 twice"),
    ],
)
def test_a_table_that_does_not_fit_is_named_by_its_path(archive, kind, change, message):
    folder, write = archive
    made = made_tables(np.random.default_rng(0), 240)
    segment = write("odd", "Train", **{kind: change(made[kind])})
    with pytest.raises(InputError) as error:
        run(archive, [segment])
    assert message in str(error.value)
    assert error.value.file == str(folder / f"odd_{kind}.parquet")


def test_segments_that_cannot_be_used_are_left_out_and_told(archive, caplog):
    folder, write = archive
    good = [write("good", "Train"), write("held", "Validate", 1)]
    run(archive, good)
    alone = (folder / "model.json").read_text()
    trace = positions(np.full((240, 4), 2))
    bad = [
        write("discarded", "Train", verdict=tables.Verdict("discarded", "broken")),
        write("crowded", "Validate", positions=trace),
        (*write("turned", "Train")[:-1], "refused"),
        write("unreadable", "Validate"),
    ]
    bad[-1][3].write_bytes(b"PAR1 was here")
    run(archive, [*bad, *good])
    assert (folder / "model.json").read_text() == alone
    told = [text for text in caplog.messages if "is left out: " in text]
    assert len(told) == 3
    for words in ("transforms of rig; expected also one of the rig set-up 'refused'",
                  "unreadable_tracklets.parquet", "more than 2 animals"):  # fmt: skip
        assert sum(words in text for text in told) == 1


def test_more_animals_than_the_weights_know_names_the_weights(archive):
    folder, write = archive
    trace = positions(np.full((240, 4), 2))
    with pytest.raises(InputError, match="more than 2 animals") as error:
        run(archive, [write("many", "Train", positions=trace)])
    assert error.value.file == str(folder / "weights.json")
