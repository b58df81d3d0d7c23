"""Whether an antenna trace belongs to its boxes: shifted, drifting, strange and sound traces."""

from dataclasses import asdict, replace
from typing import Annotated

import numpy as np
import pytest

from murid.identify import fit_check, learn_norm
from murid.models import norm
from murid.models.norm import DEFAULT
from murid.models.stored import BY_KEYS, Part
from wandering_animals import FPS, FRAMES, boxes_of, wandering


@pytest.fixture(scope="module")
def sound():
    truth = wandering(1)
    return boxes_of(truth), truth


def test_a_segments_own_trace_is_left_as_it_is(sound, usual):
    fit = fit_check.judge(*sound, 0.0, usual)
    assert (fit.verdict.status, fit.verdict.reason) == ("usable", "")
    assert (fit.shift, fit.drift) == (0.0, 0.0)
    assert fit.probability > 0.99
    assert fit.realign(sound[1], FPS) is sound[1]


@pytest.mark.parametrize("seconds", [-14, -3, 2, 7, 14, 60])
def test_a_clock_that_is_off_is_put_right_and_told(sound, usual, seconds):
    boxes, truth = sound
    late = np.roll(truth, round(seconds * FPS), axis=0)
    fit = fit_check.judge(boxes, late, 0.0, usual)
    assert fit.verdict.status == "repaired"
    assert fit.shift == pytest.approx(seconds, abs=0.3)
    assert f"{abs(fit.shift):.1f} s {'late' if seconds > 0 else 'early'}" in fit.verdict.reason
    moved = fit.realign(late, FPS)
    known = moved > 0
    assert (moved == truth)[known].mean() > 0.95
    assert known.mean() >= 1 - abs(seconds) / 600 - 0.01


def test_the_rigs_own_lag_is_no_fault(sound, usual):
    boxes, truth = sound
    late = np.roll(truth, round(1.4 * FPS), axis=0)
    assert fit_check.judge(boxes, late, 1.4, usual).verdict.status == "usable"


def test_a_clock_that_drifts_is_put_right(sound, usual):
    boxes, truth = sound
    off = np.rint(np.linspace(-8, 8, FRAMES) * FPS).astype(int)
    drifting = truth[np.clip(np.arange(FRAMES) - off, 0, FRAMES - 1)]
    fit = fit_check.judge(boxes, drifting, 0.0, usual)
    assert fit.drift == pytest.approx(16, abs=4)
    assert "falls behind" in fit.verdict.reason
    moved = fit.realign(drifting, FPS)
    assert (moved == truth).mean() > (drifting == truth).mean() + 0.2


@pytest.mark.parametrize("seed", range(21, 26))
def test_the_trace_of_another_segment_discards(sound, usual, seed):
    fit = fit_check.judge(sound[0], wandering(seed), 0.0, usual)
    assert fit.verdict.status == "discarded"
    assert "does not fit the boxes" in fit.verdict.reason
    assert fit.probability < fit_check.DISCARD


def test_animals_that_rest_throughout_are_no_fault(usual):
    rest = np.tile([2, 5, 9], (FRAMES, 1))
    fit = fit_check.judge(boxes_of(rest), rest, 0.0, usual)
    assert fit.verdict.status == "usable"


def test_a_trace_in_doubt_lowers_every_probability():
    fit = fit_check.Fit(probability=0.5)
    np.testing.assert_allclose(fit.temper(np.array([1.0, 0.0]), 3), [0.625, 0.125])
    sure = np.array([0.9])
    assert fit_check.Fit(probability=0.95).temper(sure, 3) is sure


def test_too_little_to_judge_is_not_judged(usual):
    truth = wandering(3)[:300]
    boxes = boxes_of(wandering(3))
    few = replace(boxes.only(boxes.frames < 300), window=10.0)
    fit = fit_check.judge(few, truth[::-1].copy(), 0.0, usual)
    assert fit.verdict.status == "usable"
    none = boxes.only(np.zeros(len(boxes.frames), dtype=bool))
    assert fit_check.judge(none, truth, 0.0, usual).windows == 0
    assert fit_check.judge(few, np.zeros((0, 3), dtype=np.int64), 0.0, usual).windows == 0


def test_a_few_sound_segments_teach_what_is_usual_and_one_does_not(usual):
    assert usual.segments == 4
    assert usual.level.own > 0 > usual.level.other
    boxes, truth = boxes_of(wandering(5)), wandering(5)
    assert learn_norm.learn([(boxes, truth, 0.0)]) is DEFAULT
    assert kept(usual).norm == usual


def kept(usual):
    """What a file of a model says of the norm."""

    class Content(Part):
        norm: Annotated[norm.Norm, BY_KEYS]

    return Content.model_validate({"norm": asdict(usual)})


@pytest.mark.parametrize("change", [{"within": 0.0}, {"own": float("nan")}, {"other": 1e308}])
def test_a_damaged_norm_is_refused(usual, change):
    with pytest.raises(ValueError, match=rf"level\.{next(iter(change))}"):
        kept(replace(usual, level=replace(usual.level, **change)))
