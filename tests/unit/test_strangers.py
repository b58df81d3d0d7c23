"""An animal with the readings of another cage's animal, among others with their own."""

from dataclasses import replace

import numpy as np
import pytest

from murid.identify import fit_check, strangers
from murid.models.norm import DEFAULT
from murid.tables import Verdict
from wandering_animals import boxes_of, wandering

NAMES = ["R", "G", "B"]


def judge(boxes, read):
    fit = fit_check.judge(boxes, read, 0.0, DEFAULT)
    return fit, strangers.judge((boxes, read, 0.0), fit, DEFAULT, NAMES[: read.shape[1]])


@pytest.mark.parametrize("seed", range(41, 45))
@pytest.mark.parametrize("place", [0, 2])
def test_one_animals_strange_readings_are_told_and_lower_every_confidence(seed, place):
    truth = wandering(1)
    read = truth.copy()
    read[:, place] = wandering(seed)[:, place]
    fit, judged = judge(boxes_of(truth), read)
    assert not fit.verdict.discarded
    assert judged.verdict.status == "repaired"
    assert f"the readings of {NAMES[place]} do not fit the boxes" in judged.verdict.reason
    assert judged.probability == pytest.approx(2 / 3, abs=0.05)
    assert judged.temper(np.array([1.0]), 3)[0] < 0.8


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("animals", [1, 2, 3])
def test_own_readings_go_without_a_word(seed, animals):
    truth = wandering(seed, animals)
    fit, judged = judge(boxes_of(truth, seed), truth)
    assert judged is fit


def test_an_animal_without_readings_or_at_rest_is_no_stranger():
    truth = wandering(1)
    truth[:, 0] = 5
    assert judge(boxes_of(truth), truth)[1].verdict == Verdict()
    silent = truth.copy()
    silent[:, 1] = 0
    assert judge(boxes_of(truth), silent)[1].verdict == Verdict()


def test_an_animal_that_is_out_of_sight_throughout_is_no_stranger():
    truth = wandering(1)
    others = boxes_of(truth[:, :2])
    seen = replace(others, boxes=np.full(len(others.frames), 2))
    assert judge(seen, truth)[1].verdict.reason == judge(seen, truth)[0].verdict.reason


def test_a_trace_that_is_discarded_stays_so():
    fit, judged = judge(boxes_of(wandering(1)), wandering(7))
    assert fit.verdict.discarded
    assert judged is fit
