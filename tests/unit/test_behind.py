"""Animals whose upper part the hopper hides, and boxes that are high for where they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from murid.summaries import courses, known, measures
from murid.summaries.behind import Behind
from murid.summaries.known import Known, Usual

FPS = 5.0
HOPPER = ((100.0, 0.0), (200.0, 0.0), (200.0, 100.0), (100.0, 100.0))
RANDOM = np.random.default_rng(0)
USUAL = Usual((200.0,), (40.0,))


def boxes_of(*rows):
    return np.array(rows, dtype=float)


def behind_of(heights, near=2.0):
    """Of boxes away from the hopper, of these heights, whose lower edges are all at 200."""
    free = np.array([(300.0, 200.0 - height, 20.0, height) for height in heights])
    return Behind.of(free, HOPPER, USUAL, near)


def known_of(boxes, read=None):
    shape = boxes.shape[:2]
    return Known(
        [*"ABC"[: shape[1]]], FPS, boxes, np.zeros(shape, dtype=bool), np.full((*shape, 2), np.nan),
        np.zeros((*shape, 2, 2)), np.zeros(shape, dtype=np.int64) if read is None else read,
    )  # fmt: skip


def inside(told, behind, hidden=None):
    zone = {"hopper": HOPPER}
    how = measures.How(FPS, 0.0, 5.0, USUAL, 1.5, 2.0, 0.0, zone, behind)
    course = courses.best(told, behind=behind)
    if hidden is not None:
        course = courses.Course(course.boxes, course.centres, course.cut, hidden)
    nothing = np.zeros(told.boxes.shape[:2])
    way = measures.Way(nothing, nothing, nothing == 0)
    return measures.measure(course, way, how).inside


def test_boxes_that_begin_at_the_lower_edge_of_the_hopper_are_cut_and_others_are_not():
    boxes = boxes_of(
        (140, 100.5, 20, 30), (140, 99, 20, 30), (140, 110, 20, 30), (140, 50, 20, 100),
        (300, 100, 20, 30), (np.nan,) * 4,
    )  # fmt: skip
    assert behind_of([40]).cut(boxes).tolist() == [True, True, False, False, False, False]


def test_how_far_up_animals_reach_is_as_heights_are_elsewhere_that_are_no_less():
    # Centres are above 100, in the hopper, if the animal is higher than 60.
    told = known_of(boxes_of(*[(140, 100, 20, 30)] * 50)[:, None])
    told.boxes[:, 0, 3] = 30.0
    told.boxes[:, 0, 1] = 100.0
    low = 130.0
    usual = Usual((low,), (40.0,))
    free = boxes_of(*[(300, low - height, 20, height) for height in (20, 20, 40, 40, 40, 80)])
    behind = Behind.of(free, HOPPER, usual, 2.0)
    # Of four that are 30 at least, one is higher than 60.
    assert_allclose(inside(told, behind), 0.25)
    assert inside(told, None).max() == 0


def test_without_heights_from_elsewhere_a_box_is_all_that_there_is():
    box = boxes_of((140, 100, 20, 30))
    behind = Behind.of(box, HOPPER, USUAL, 2.0)
    assert_allclose(behind.centres(box, np.array([0.9])), [[150, 115]])


@given(
    st.lists(st.floats(5, 200), max_size=20), st.floats(5, 100), st.floats(0, 1), st.floats(0, 1)
)
def test_an_animal_is_no_less_high_than_its_box_and_higher_the_more_is_hidden(
    heights, high, one, other
):
    behind = behind_of(heights) if heights else Behind.of(np.empty((0, 4)), HOPPER, USUAL, 2.0)
    box = boxes_of((140, 100, 20, high), (140, 100, 20, high))
    less, more = behind.centres(box, np.array(sorted([one, other])))[:, 1]
    assert more <= less + 1e-9
    assert less <= 100 + high / 2 + 1e-9


def test_how_much_of_it_the_hopper_hides_lasts_while_it_is_there():
    boxes = np.tile(boxes_of((140.0, 100.0, 20.0, 30.0)), (60, 1))[:, None]
    boxes[20:30, 0, 1] = 150.0
    behind = behind_of(np.linspace(20, 100, 50))
    (share,) = courses.drawn(known_of(boxes), boxes, RANDOM, behind).hidden
    assert len(np.unique(share[:20])) == len(np.unique(share[30:])) == 1
    assert share[0, 0] != share[30, 0]


# Heights


def test_an_animal_on_something_is_not_high_for_its_antenna():
    # Far ones are 20 high and stand at 100; near ones 40, at 200; one of these climbed to 100.
    boxes = np.tile(
        boxes_of((0, 80, 20, 20), (50, 160, 20, 40), (90, 60, 20, 40)), (200, 1, 1)
    ).astype(float)
    boxes[20:, 2, 1] = 160.0
    boxes[..., 1] += RANDOM.uniform(0, 10, boxes.shape[:2])
    read = np.tile(np.array([1, 2, 2]), (200, 1))
    by_edge, by_both = Usual.of(boxes), Usual.of(boxes, read)
    climbed = boxes[0, 2, 3]
    assert climbed / by_edge(boxes)[0, 2] == pytest.approx(2, rel=0.02)
    assert climbed / by_both(boxes)[0, 2] == pytest.approx(np.sqrt(2), rel=0.02)
    assert_allclose(by_both(boxes)[:, :2], by_edge(boxes)[:, :2], rtol=0.02)


def test_without_readings_heights_are_told_by_lower_edges():
    boxes = np.tile(boxes_of((0, 80, 20, 20), (50, 160, 20, 40)), (300, 1, 1)).astype(float)
    boxes[..., 1] += RANDOM.uniform(0, 10, boxes.shape[:2])
    read = np.zeros((300, 2), dtype=np.int64)
    # An antenna that few boxes were seen at tells nothing either.
    read[:20] = 3
    assert_allclose(Usual.of(boxes, read)(boxes), Usual.of(boxes)(boxes))


# Places


def test_what_is_drawn_of_a_place_lasts_in_part_until_the_animal_is_seen():
    frames = 4_000
    boxes = np.full((frames, 200, 4), np.nan)
    boxes[frames // 2] = (0.0, 0.0, 10.0, 10.0)
    told = known.Known(
        [str(number) for number in range(200)], FPS, boxes, np.zeros(boxes.shape[:2], dtype=bool),
        np.zeros((frames, 200, 2)), np.broadcast_to(np.eye(2), (frames, 200, 2, 2)),
        np.zeros(boxes.shape[:2], dtype=np.int64),
    )  # fmt: skip
    places = courses.drawn(told, boxes, np.random.default_rng(1)).centres[..., 0]
    half = frames // 2
    long = int(20 * courses.WANDER * FPS)
    assert_allclose(places[1:half].var(), 1, atol=0.1)
    within = (places[1 : half - long] * places[1 + long : half]).mean()
    across = (places[1:half] * places[half + 1 : 2 * half]).mean()
    assert_allclose(within, courses.LASTING, atol=0.15)
    assert_allclose(across, 0, atol=0.1)


def test_one_that_nothing_shows_between_boxes_at_the_hopper_is_as_far_up_as_they_are():
    # It is between 60 and 90 high, and its boxes show 30 of that, from 100 to 130.
    boxes = np.full((20, 1, 4), np.nan)
    boxes[[0, 1, 18, 19], 0] = (140, 100, 20, 30)
    told = known_of(boxes)
    told.places[2:18, 0] = (150, 115)
    behind = Behind(HOPPER, 2.0, Usual((130.0,), (40.0,)), np.array([62.0, 70, 80, 90]) / 40)
    assert inside(told, behind)[:, 0, 0].tolist() == [1.0] * 20
    # Where its boxes begin elsewhere it is where it is inferred to be.
    boxes[[0, 1, 18, 19], 0, 1] = 103
    assert not inside(told, behind).any()
    # And between one and the other, the nearer to the first the more often.
    boxes[:2, 0, 1] = 100
    found = inside(told, behind)[:, 0, 0]
    assert (np.diff(found) <= 0).all()
    assert found[2] == 1.0
    assert found[17] == 0.0
