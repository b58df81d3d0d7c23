"""Of animals that nothing shows: what is told of how they went, and what is not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid.summaries import courses, figures, measures, periods
from murid.summaries.known import HELD, Known, Usual
from murid.summaries.traced import VAGUE, traced

FPS, FRAMES = 5.0, 300
SIZE = (60.0, 40.0)


def known_of(centres, shown, spread=5.0):
    """Centres (F, J, 2) of boxes, or of places that are inferred where none is shown (F, J)."""
    boxes = np.concatenate([centres - np.array(SIZE) / 2, np.broadcast_to(SIZE, centres.shape)], -1)
    return Known(
        [*"ABC"[: centres.shape[1]]], FPS, np.where(shown[..., None], boxes, np.nan),
        np.zeros(shown.shape, dtype=bool), np.where(shown[..., None], np.nan, centres),
        np.broadcast_to(np.eye(2) * spread, (*shown.shape, 2, 2)).copy(),
        np.zeros(shown.shape, dtype=np.int64),
    )  # fmt: skip


def told_of(known, assignments=None):
    how = measures.How(FPS, 0.0, 5.0, Usual.of(known.boxes), 1.5, 2.0, 0.0, {})
    return figures.of_courses(
        known, assignments or [known.boxes], np.ones(known.boxes.shape[:2]), how,
        {"minute": periods.of("minute", FRAMES, FPS, None)}, 10, np.random.default_rng(1),
    )["minute"]  # fmt: skip


def walking(to=1000.0):
    centres = np.full((FRAMES, 2, 2), 200.0)
    centres[:, 0, 0] = np.linspace(200, to, FRAMES)
    return centres


OF_WAYS = ("distance", "distance_cm", "speed", "resting", "huddled")


@pytest.mark.parametrize(
    "hidden", [slice(None), slice(0, 200), slice(100, None), slice(100, 101)], ids=str
)
def test_ways_and_rest_are_told_of_animals_that_are_followed_alone(hidden):
    shown = np.ones((FRAMES, 2), dtype=bool)
    shown[hidden, 0] = False
    found = told_of(known_of(walking(), shown))
    for name in OF_WAYS:
        told = [~np.isnan(ends[name][0]) for ends in (found.value, found.low, found.high)]
        assert [both.tolist() for both in told] == [[hidden == slice(100, 101), True]] * 3


@pytest.mark.parametrize(("seconds", "told"), [(4, True), (20, False)])
def test_the_way_from_box_to_box_of_a_moment_later_is_straight(seconds, told):
    centres, shown = walking(to=200.0), np.ones((FRAMES, 2), dtype=bool)
    for begin in (10, 150):
        hidden = slice(begin, begin + round(seconds * FPS))
        centres[hidden, 0], shown[hidden, 0] = 700.0, False
    found = told_of(known_of(centres, shown)).value
    assert (found["distance"][0, 0] == 0) == told
    assert np.isnan(found["distance"][0, 0]) != told


@pytest.mark.parametrize("hidden", [slice(0, 200), slice(100, None), slice(20, 280)], ids=str)
def test_one_that_is_hidden_and_goes_nowhere_rests(hidden):
    shown = np.ones((FRAMES, 2), dtype=bool)
    shown[hidden, 0] = False
    found = told_of(known_of(walking(to=200.0), shown)).value
    assert found["distance"][0].tolist() == [0, 0]
    assert found["resting"][0].tolist() == [1, 1]
    assert found["huddled"][0].tolist() == [1, 1]


def test_one_that_went_elsewhere_and_came_back_is_not_told_to_have_stayed():
    centres, shown = walking(to=200.0), np.ones((FRAMES, 2), dtype=bool)
    centres[20:280, 0], shown[20:280, 0] = 700.0, False
    assert np.isnan(told_of(known_of(centres, shown)).value["distance"][0]).tolist() == [
        True,
        False,
    ]


def test_one_box_tells_nothing_of_the_way_of_an_animal_that_is_read_elsewhere():
    shown = np.ones((FRAMES, 2), dtype=bool)
    shown[1:, 0] = False
    assert np.isnan(told_of(known_of(walking(), shown)).value["resting"][0, 0])


def test_an_animal_huddles_perhaps_with_one_of_which_it_is_not_known_whether_it_rests():
    shown = np.ones((FRAMES, 2), dtype=bool)
    shown[:, 0] = False
    known = known_of(walking(to=200.0), shown)
    assert np.isnan(told_of(known).value["huddled"][0]).all()
    assert told_of(known).value["resting"][0, 1] == 1
    third = np.concatenate([walking(to=200.0), np.full((FRAMES, 1, 2), 220.0)], axis=1)
    shown = np.concatenate([shown, np.ones((FRAMES, 1), dtype=bool)], axis=1)
    assert told_of(known_of(third, shown)).value["huddled"][0, 1:].tolist() == [1, 1]


def test_a_hidden_animal_is_as_large_as_others_and_of_unknown_size_touches_none_for_sure():
    shown = np.ones((FRAMES, 2), dtype=bool)
    shown[:, 0] = False
    near = walking(to=200.0)
    near[:, 0, 0] += 50
    assert told_of(known_of(near, shown)).value["contact"][0, 0] == 1
    nothing = known_of(near, np.zeros((FRAMES, 2), dtype=bool))
    assert np.isnan(told_of(nothing).value["contact"]).all()
    assert told_of(nothing).value["apart"][0, 0] == pytest.approx(50)


@pytest.mark.parametrize("without", range(5))
def test_a_way_that_half_of_the_courses_do_not_tell_is_not_told(without):
    known = known_of(walking(), np.ones((FRAMES, 2), dtype=bool))
    lacking = known.boxes.copy()
    lacking[:, 0] = np.nan
    boxes = [lacking] * without + [known.boxes] * (4 - without)
    found = told_of(known, boxes)
    ends = [each["distance"][0, 0] for each in (found.low, found.value, found.high)]
    assert np.isnan(ends).tolist() == [without >= 2] * 3
    if without < 2:
        assert ends[1] == pytest.approx(800, rel=0.02)
        assert ends == sorted(ends)


def test_a_place_that_may_be_anywhere_does_not_tell_that_one_rests():
    shown = np.ones((FRAMES, 2), dtype=bool)
    shown[5:, 0] = False
    still = walking(to=200.0)
    for spread, told in ((30.0, True), (300.0, False)):
        resting = told_of(known_of(still, shown, spread)).value["resting"][0, 0]
        assert (resting == 1) == told
        assert np.isnan(resting) != told


@given(
    st.lists(st.booleans(), min_size=2, max_size=30),
    st.lists(st.floats(-500, 500), min_size=30, max_size=30), st.floats(0.0, 400.0),
)  # fmt: skip
def test_ways_are_known_at_boxes_and_the_wider_places_that_are_none_may_be_the_more(
    shown, off, spread
):
    shown = np.array(shown)[:, None]
    centres = np.stack([np.array(off[: len(shown)]), np.zeros(len(shown))], axis=-1)[:, None]
    known = known_of(centres, shown, spread)
    found = traced(known, known.boxes)
    assert found[shown].all()
    assert shown.any() or not found.any()
    wider = traced(replace(known, spread=2 * known.spread), known.boxes)
    if 2 * HELD * spread <= VAGUE * known.length:
        assert not (found & ~wider).any()
    unknown = np.full(known.places.shape, np.nan)
    nowhere = replace(known, places=unknown, spread=np.zeros(known.spread.shape))
    assert traced(nowhere, known.boxes).all() == shown.any()
    assert courses.best(known).known.all()
