"""Evidence by observation: what an antenna repeats while an animal rests counts less."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pydantic import ValidationError

import path_ilp
from murid.identify import continuity, dwells, evidence, paths
from murid.models import fitted_path
from murid.settings import Paths
from path_scenes import MOTION, by_frames
from small_rig import FPS, IDENTITY, boxes_at, positions, simple_model

MODEL = fitted_path.PathModel(MOTION)
BY_DWELL = Paths(antenna_weight=0.1, dwell_exponent=1.0, presence_weight=0.0)


def weighed(trace, rows, weighing, fps=FPS, reference=None):
    """Return the readings, and the segment of rows of (frame, detection, centre x, tracklet)."""
    model = simple_model()
    readings = evidence.read_trace(positions(trace), model)
    linked, found = boxes_at(rows, "tracklets"), boxes_at([row[:3] for row in rows])
    segment = continuity.gather(found, linked, readings, model, IDENTITY, fps, weighing, reference)
    return readings, segment


def gains(trace, rows, weighing, fps=FPS, reference=None):
    """What the tracklets of a scene gain for each animal: (I, J)."""
    _, segment = weighed(trace, rows, weighing, fps, reference)
    return continuity.gains(segment, fitted_path.Score(), weighing)


# Settings


def extremes():
    """Settings with one at the ends of what it may be, and as far as it may go."""
    for name in Paths.model_fields:
        for value in (0, 1e-300, 1000, 30_000, 1e308):
            with contextlib.suppress(ValidationError):
                yield Paths.model_validate({name: value})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("weighing", [*extremes()], ids=str)
def test_whatever_a_setting_may_be_names_are_found(weighing):
    rows = [(f, d, x, 10 * d + f // 8) for f in range(24) for d, x in enumerate((180, 320))]
    _, segment = weighed([[3, 2]] * 24, rows, weighing)
    answer = continuity.solve(segment, MODEL, weighing)
    assert np.isfinite(answer.probabilities).all()


# Dwells


def test_a_dwell_lasts_until_the_reading_changes_and_none_is_a_reading():
    antennas = np.array([[1, 0], [1, 0], [2, 0], [2, 3], [1, 3]])
    seconds = dwells.lengths(antennas, 10.0)
    assert_allclose(seconds.T, [[0.2, 0.2, 0.2, 0.2, 0.1], [0.3, 0.3, 0.3, 0.2, 0.2]])
    assert dwells.lengths(antennas[:0], 10.0).shape == (0, 2)


# What counts


def test_by_dwell_a_long_rest_says_as_much_as_a_short_one_and_by_frame_more():
    def apart(frames, weighing):
        rows = [(frame, 0, 100, 0) for frame in range(frames)]
        trace = [(1, 3)] * frames + [(2, 4)]
        one, other = gains(trace, rows, weighing)[0]
        return one - other

    assert apart(1_000, BY_DWELL) == pytest.approx(apart(10, BY_DWELL))
    half = BY_DWELL.model_copy(update={"dwell_exponent": 0.5})
    assert apart(1_000, half) == pytest.approx(10 * apart(10, half))
    frames = by_frames(0.1)
    assert apart(1_000, frames) == pytest.approx(100 * apart(10, frames))


def test_a_dwell_says_the_same_at_any_frame_rate():
    def at(rate):
        rows = [(frame, 0, 100, 0) for frame in range(int(4 * rate))]
        return gains([(1, 3)] * int(4 * rate), rows, Paths(), rate, FPS)

    assert_allclose(at(2 * FPS), at(FPS), rtol=1e-12)
    assert_allclose(at(FPS / 5), at(FPS), rtol=1e-12)


def test_whose_reading_changes_often_gains_nothing_by_a_box_that_fits_both():
    # Halfway between the antennas of both, of whom only B's reading flickers.
    trace = [(1, 2 if frame // 5 % 2 else 4) for frame in range(100)]
    rows = [(frame, 0, 150, 0) for frame in range(100) if trace[frame][1] == 2]
    one, other = gains(trace, rows, Paths())[0]
    assert other == pytest.approx(one)
    # Against a false box instead, B would take the box for no other reason.
    model = simple_model()
    readings = evidence.read_trace(positions(trace), model)
    odds = evidence.weigh(boxes_at(rows, "tracklets"), readings, model, IDENTITY)
    seconds = dwells.lengths(readings.antennas, FPS)[[row[0] for row in rows]]
    plain = ((odds.animals - odds.outlier[:, None]) * seconds**-0.5).sum(axis=0)
    assert plain[1] > 2 * plain[0] > 0


def test_what_speaks_for_any_animal_has_its_own_factor():
    rows = [(frame, 0, 100, 0) for frame in range(50)]
    trace = [(1, 3)] * 50
    without, once, twice = (
        gains(trace, rows, Paths(presence_weight=weight))[0] for weight in (0.0, 0.1, 0.2)
    )
    assert_allclose(twice - once, once - without)
    assert once[0] - without[0] == pytest.approx(once[1] - without[1])
    assert (once > without).all()


def test_a_reading_that_is_not_repeated_fades_and_no_reading_says_nothing():
    model, life = simple_model(), 2 * FPS
    # A is read once in four seconds, B never.
    trace = np.zeros((100, 2), dtype=int)
    trace[20, 0] = 1
    readings = evidence.read_trace(positions(trace), model, life=life)
    assert_array_equal(readings.antennas[:, 0], [0] * 20 + [1] * 80)
    assert_allclose(readings.shares[[19, 20, 70], 0], [0.0, 1.0, 0.5])
    assert not readings.shares[:, 1].any()
    rows = boxes_at([(frame, 0, 100, 0) for frame in range(100)], "tracklets")
    odds = evidence.weigh(rows, readings, model, IDENTITY)
    only = Paths(presence_weight=0.0, reading_life=2.0)
    said = dwells.weigh_down(odds, readings, np.arange(100), FPS, only)
    assert not said[:, 1].any()
    assert not said[:20].any()
    assert_allclose(said[70, 0], said[20, 0] / 2)
    assert said[20, 0] > 0


def test_without_a_life_no_reading_is_one_like_any_other():
    trace = np.array([[1, 0]] * 50)
    readings = evidence.read_trace(positions(trace), simple_model())
    assert readings.shares is None
    one, other = gains(trace, [(f, 0, 100, 0) for f in range(50)], Paths(presence_weight=0.0))[0]
    assert other < 0 < one


def test_of_one_animal_antennas_do_not_say_who_it_is():
    rows = [(frame, 0, 100, 0) for frame in range(5)]
    only = Paths(presence_weight=0.0)
    assert_array_equal(gains([(1,)] * 5, rows, only), [[0.0]])
    assert gains([(1,)] * 5, rows, Paths())[0, 0] > 0


# What becomes of names


def resting(frames=3_000, wrong=2_250):
    """Two animals side by side; for a minute and a half A is read where B is, and B not at all."""
    rows = [(f, n, x, 2 * (f // 50) + n) for f in range(frames) for n, x in ((0, 240), (1, 260))]
    trace = np.tile([2, 3], (frames, 1))
    start = (frames - wrong) // 2
    trace[start : start + wrong] = [3, 0]
    return trace, rows


def test_an_antenna_that_is_wrong_for_a_long_rest_exchanges_nobody():
    trace, rows = resting()

    def names(weighing):
        _, segment = weighed(trace, rows, weighing)
        answer = continuity.solve(segment, MODEL, weighing)
        return answer.named[segment.tracklets.rank].reshape(-1, 2)

    assert (names(Paths()) == [0, 1]).all()
    assert (names(by_frames(0.05)) != [0, 1]).any()


def test_tracklets_are_cut_by_the_same_evidence():
    # One tracklet, whose antennas speak for A first and then for B.
    rows = [(frame, 0, 100 if frame < 500 else 300, 0) for frame in range(1_000)]
    trace = [(1, 3)] * 1_000
    assert weighed(trace, rows, by_frames(0.01))[1].cuts == 1
    assert weighed(trace, rows, BY_DWELL.model_copy(update={"antenna_weight": 0.01}))[1].cuts == 0


# Every frame alike


@pytest.mark.parametrize("weight", [0.05, 0.3, 1.0])
def test_with_an_exponent_of_0_and_one_factor_every_frame_counts_alike_to_the_last_bit(weight):
    random = np.random.default_rng(1)
    trace = random.integers(0, 5, (300, 2))
    rows = [(f, 0, random.uniform(50, 450), f // 7) for f in range(300)]
    constant = by_frames(weight)
    _, segment = weighed(trace, rows, constant)
    assert segment.antennas is None
    found = continuity.gains(segment, fitted_path.Score(), constant)
    assert_array_equal(found, weight * segment.task.gains())


def test_weights_by_dwell_come_to_the_same_with_an_exponent_of_0():
    random = np.random.default_rng(1)
    trace = random.integers(0, 5, (300, 2))
    rows = [(f, 0, random.uniform(50, 450), f // 7) for f in range(300)]
    constant = by_frames(0.3, doubt=1e6)
    _, segment = weighed(trace, rows, constant)
    found = continuity.gains(segment, fitted_path.Score(), constant)
    close = constant.model_copy(update={"presence_weight": 0.3 * (1 + 1e-13)})
    _, again = weighed(trace, rows, close)
    assert again.antennas is not None
    assert_allclose(continuity.gains(again, fitted_path.Score(), close), found, rtol=1e-9)


def test_frame_by_frame_nothing_but_the_factor_of_the_antennas_counts():
    plain = dwells.frame_by_frame(Paths(antenna_weight=0.07, reading_life=3.0, doubt=2.0))
    assert plain == by_frames(0.07, doubt=2.0)
    assert dwells.is_constant(plain)
    assert not dwells.is_constant(Paths())


# Exactness


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.35, 0.5, 1.0]))
def test_paths_by_dwell_equal_their_integer_programme(seed, exponent):
    random = np.random.default_rng(seed)
    trace = np.repeat(random.integers(0, 5, (6, 3)), random.integers(1, 9), axis=0)
    rows, number = [], 0
    for lane in range(3):
        frame = 0
        while (frame := frame + int(random.integers(0, 3))) < len(trace):
            end = min(frame + int(random.integers(1, 15)), len(trace))
            place = random.uniform(50, 450)
            rows += [(f, lane, place, number) for f in range(frame, end)]
            number, frame = number + 1, end
    weighing = Paths(antenna_weight=1.0, dwell_exponent=exponent, doubt=1.0)
    _, segment = weighed(trace, sorted(rows), weighing)
    kept = replace(MOTION, fresh=-1.0)
    task = continuity.build(
        segment, kept, continuity.gains(segment, fitted_path.Score(), weighing), 2.0
    )
    found = paths.solve(task, kept.reach_frames(FPS), 30_000, 1e9)
    assert found.cut == 0
    best = task.objective(path_ilp.solve(task))
    assert task.objective(found.named) == pytest.approx(best, abs=1e-6)
