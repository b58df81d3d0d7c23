"""What scores say of boxes, and how sure names are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from murid.fitting import learn
from murid.identify import continuity, paths
from murid.identify.paths import NOBODY
from murid.models import fitted_path
from murid.settings import Overlap
from murid.tracklets import Tracklets
from path_scenes import MOTION, SURE, made_segment
from small_rig import FPS, annotation, boxes_at

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
    assert learn.learn_score(pairs, Overlap())[0] == fitted_path.Score()


def test_scores_are_learnt_from_certain_frames_alone():
    found, truth = scored(60, (8, 2), (4, 4))
    doubtful = truth.assign(type=truth["type"].where(truth["frame"] >= 30, "tentative"))
    assert learn.learn_score([(found, doubtful)], Overlap())[1] == {
        "animals": 60,
        "false_boxes": 30,
    }


# Confidence


def test_scores_are_learnt_from_names_where_nobody_annotated():
    random = np.random.default_rng(0)
    count = 400
    real = np.arange(count) % 4 != 0
    first = np.arange(count) * 3
    gains = np.where(real[:, None], [[30.0, -30]], -30.0)
    segment = made_segment(first, first + 1, np.zeros((count, 4)), np.zeros((count, 4)), gains)
    scores = np.where(np.tile(real, 2), 0.8, 0.5) + random.normal(0, 0.1, 2 * count)
    given = replace(segment, scores=scores, fps=1.0)
    score, counts = learn.learn_score_by_names([given], MOTION, SURE)
    assert counts["animals"] > 2 * counts["false_boxes"] > 0
    assert score.log_odds(np.array([0.85]))[0] > 1
    assert score.log_odds(np.array([0.45]))[0] < -1
    lying = replace(given, scores=1.3 - scores)
    assert learn.learn_score_by_names([lying], MOTION, SURE)[0] == fitted_path.Score()
    few = replace(given, fps=1_000.0)
    assert learn.learn_score_by_names([few], MOTION, SURE)[0] == fitted_path.Score()


def test_scores_say_by_names_what_they_say_though_antennas_hardly_tell_false_boxes():
    random = np.random.default_rng(0)
    count = 1_000
    real = np.arange(count) % 4 != 0
    first = np.arange(count) * 3
    gains = np.where(real[:, None], [[6.0, -30]], [[2.0, -30]])
    segment = made_segment(first, first + 1, np.zeros((count, 4)), np.zeros((count, 4)), gains)
    scores = np.where(np.tile(real, 2), 0.8, 0.55) + random.normal(0, 0.1, 2 * count)
    given = replace(segment, scores=scores, fps=1.0)
    score, counts = learn.learn_score_by_names([given], MOTION, SURE)
    # Of normal scores of one spread, the log odds rise by difference over variance.
    assert score.slope == pytest.approx(0.25 / 0.1**2, rel=0.2)
    assert counts["false_boxes"] == pytest.approx(2 * (~real).sum(), rel=0.3)


def test_calibration_finds_the_line_that_was_used():
    random = np.random.default_rng(3)
    stated = random.uniform(0.02, 0.98, 20_000)
    line = fitted_path.Calibration(0.6, -0.4)
    again = learn.calibrate(stated, random.random(len(stated)) < line(stated))
    assert_allclose([again.slope, again.intercept], [0.6, -0.4], atol=0.06)


def test_without_rows_nothing_is_put_right():
    assert learn.calibrate(np.zeros(0), np.zeros(0, dtype=bool)) == fitted_path.Calibration()


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=150),
    st.integers(0, 19),
    st.booleans(),
)
def test_of_few_right_or_wrong_rows_confidence_only_gets_less_sure(rows, few, many_right):
    stated = np.array([probability for probability, _ in rows])
    right = np.array([is_right for _, is_right in rows])
    odd = np.flatnonzero(right != many_right)
    right[odd[few:]] = many_right
    calibration = learn.calibrate(stated, right)
    assert 0 <= calibration.slope <= 1
    after, before = calibration(stated), fitted_path.Calibration()(stated)
    # By Laplace's rule, or what was stated where that is less.
    most = (right.sum() + 1) / (len(right) + 2)
    assert after.mean() == pytest.approx(min(most, before.mean()), abs=1e-6)
    likely = (before >= 0.5) & (after >= 0.5)
    assert (after <= before + 1e-9)[likely].all()
    order = np.argsort(stated)
    assert (np.diff(after[order]) >= -1e-12).all()


@pytest.mark.parametrize(("rows", "wrong"), [(1, 0), (30, 0), (600, 0), (600, 1), (600, 19)])
def test_names_stated_as_certain_are_as_sure_as_their_number_allows(rows, wrong):
    stated = np.ones(rows)
    calibrated = learn.calibrate(stated, np.arange(rows) >= wrong)(stated)
    assert_allclose(calibrated, (rows - wrong + 1) / (rows + 2), atol=1e-6)


def test_calibration_of_noise_gives_the_share():
    stated = np.linspace(0.01, 0.99, 100)
    upside_down = learn.calibrate(stated, stated < 0.75)
    assert_allclose(upside_down(np.array([0.1, 0.9])), [0.75, 0.75], atol=0.01)


def test_certain_probabilities_stay_finite():
    sure = fitted_path.Calibration()(np.array([0.0, 1.0]))
    assert_allclose(sure, [0, 1], atol=1e-6)
    assert np.isfinite(fitted_path.log_odds(np.array([0.0, 1.0]))).all()


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
    assert nothing == fitted_path.Missed()
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
    missed = fitted_path.Missed((1 / FPS, 4 / FPS), (0.5, 0.9))
    model = fitted_path.PathModel(MOTION, boxed=fitted_path.Calibration(0.5, 0.0), hidden=missed)
    rows, hidden = continuity.confidence(segment, found, model, 6)
    # Half the log odds are the square root of the odds: 0.9 is 9 to 1, and 0.6 is 3 to 2.
    assert_allclose(rows[[0, 1]], 0.75)
    assert_allclose(rows[4], np.sqrt(1.5) / (1 + np.sqrt(1.5)))
    assert_allclose(hidden[2:4, 0], [0.98 * 0.7, 0.7])
    assert_allclose(hidden[0, 1], 0.95 * 0.9)


def test_the_length_of_an_absence_is_in_seconds():
    segment, found = answer()
    model = fitted_path.PathModel(MOTION, hidden=fitted_path.Missed((1 / FPS, 4 / FPS), (0.5, 0.9)))
    _, hidden = continuity.confidence(segment, found, model, 6)
    _, twice_as_long = continuity.confidence(replace(segment, fps=FPS / 2), found, model, 6)
    assert_allclose(hidden[2, 0], 0.98 * 0.7)
    assert_allclose(twice_as_long[2, 0], 0.98 * 0.9)


def test_posteriors_give_the_answer_its_confidence_and_share_out_the_rest():
    _, found = answer()
    plain = continuity.posteriors(found, fitted_path.PathModel(MOTION))
    assert_allclose(plain, found.probabilities, atol=1e-6)
    model = fitted_path.PathModel(MOTION, boxed=fitted_path.Calibration(0.5, 0.0))
    right = continuity.posteriors(found, model)
    # A gets 0.75 for 0.9; B and nobody, as probable as each other, the other quarter.
    assert_allclose(right[0], [0.75, 0.125], atol=1e-6)
    # Nobody's 0.58 becomes the root of 58 to 42; A and B share what is left 1 to 20.
    nobody = np.sqrt(0.58 / 0.42) / (1 + np.sqrt(0.58 / 0.42))
    assert_allclose(right[1], (1 - nobody) * np.array([1, 20]) / 21, atol=1e-6)


def test_posteriors_of_the_certain_still_sum_to_one():
    found = paths.Paths(np.array([0, NOBODY]), np.array([[1.0, 0.0], [0.0, 0.0]]), 1, 0)
    model = fitted_path.PathModel(MOTION, boxed=fitted_path.Calibration(0.0, 0.0))
    right = continuity.posteriors(found, model)
    assert_allclose(right, [[0.5, 0.25], [0.25, 0.25]], atol=1e-6)
