"""Antennas in no grid: who is around whom, where they are seen, and models made for them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from murid import settings
from murid.errors import InputError
from murid.fitting import shifted_places, visibility
from murid.grid import CENTRE, Antennas, Grid, Placed
from murid.layout import Layout
from murid.models import fitted_weights, made_for
from murid.models.fitted_weights import project
from small_rig import simple_model

CORNERS = Placed(((200.0, 150.0), (1080.0, 150.0), (200.0, 600.0), (1080.0, 600.0)))
TUNNEL = Placed(((100.0, 300.0), (180.0, 302.0), (900.0, 298.0)))


def laid(grid: Grid, pitch: tuple[float, float], first: tuple[float, float]) -> Placed:
    """Antennas in no grid that are where those of a grid are."""
    places = np.array(first) + grid.coordinates(grid.antennas) * pitch
    return Placed(tuple((float(x), float(y)) for x, y in places))


def traces(antennas: Antennas, draw: st.DrawFn) -> np.ndarray:
    animals = draw(st.integers(1, 4))
    frame = st.lists(st.integers(0, antennas.size), min_size=animals, max_size=animals)
    return np.array(draw(st.lists(frame, min_size=1, max_size=12)))


# A floor that is seen from the side has rows that are nearer to each other than its columns.
PITCHES = st.tuples(st.floats(20, 300), st.floats(20, 300))


@given(st.data(), st.integers(1, 6), st.integers(1, 6), PITCHES)
def test_laid_on_a_grid_they_have_its_neighbours_and_contexts(data, rows, columns, pitch):
    grid = Grid(rows, columns)
    if grid.size < 2:
        return
    # Of a single row there is but one pitch.
    placed = laid(grid, pitch, (50.0, 30.0))
    trace = traces(grid, data.draw)
    assert_array_equal(placed.context(trace), grid.context(trace))
    for antenna in grid.antennas:
        assert_array_equal(placed.neighbours(antenna), grid.neighbours(antenna))
    assert_array_equal(visibility.contexts(placed, 3), visibility.contexts(grid, 3))


PLACES = st.lists(
    st.tuples(st.integers(0, 1280), st.integers(0, 720)), min_size=2, max_size=9, unique=True
)


@given(st.data(), PLACES)
def test_the_order_of_antennas_does_not_matter(data, places):
    order = data.draw(st.permutations(range(len(places))))
    some, others = Placed(tuple(places)), Placed(tuple(places[place] for place in order))
    number = np.zeros(len(places) + 1, dtype=np.int64)
    number[1 + np.array(order)] = np.arange(1, len(places) + 1)
    trace = traces(some, data.draw)
    assert_array_equal(some.context(trace), others.context(number[trace]))
    read = trace[trace > 0]
    assert_allclose(some.coordinates(read), others.coordinates(number[read]))


# By such numbers nothing is rounded, so that what is on an edge stays there.
@given(PLACES, st.sampled_from([0.25, 0.5, 2.0, 4.0]), st.integers(-100, 100))
def test_contexts_do_not_depend_on_how_large_the_picture_is(places, scale, shift):
    placed = Placed(tuple(places))
    other = Placed(tuple((scale * x + shift, scale * y + shift) for x, y in places))
    every = np.array([(a, b) for a in placed.antennas for b in placed.antennas])
    assert_array_equal(placed.context(every), other.context(every))


@given(PLACES)
def test_whoever_is_around_another_has_that_one_around_on_the_other_side(places):
    placed = Placed(tuple(places))
    one, other = np.meshgrid(placed.antennas, placed.antennas)
    there, back = placed.cells(one, other), placed.cells(other, one)
    assert_array_equal(there == -1, back == -1)
    near = there != -1
    assert_array_equal(there[near] + back[near], 2 * CENTRE)


def test_the_corners_of_a_cage_are_around_each_other():
    assert_array_equal(CORNERS.neighbours(1), [0, 0, 0, 0, 1, 2, 0, 3, 4])
    assert_array_equal(CORNERS.neighbours(4), [1, 2, 0, 3, 4, 0, 0, 0, 0])
    assert CORNERS.context([[1, 4, 0]])[0, :, :].sum() == 2


def test_antennas_that_are_far_are_nobodys_neighbours():
    assert_array_equal(TUNNEL.neighbours(3), [0, 0, 0, 0, 3, 0, 0, 0, 0])
    assert TUNNEL.neighbours(1)[5] == 2


@pytest.mark.parametrize("antennas", [CORNERS, TUNNEL])
def test_they_are_seen_in_their_places_where_nothing_tells_otherwise(antennas):
    assert_allclose(project(antennas.view, antennas.coordinates(antennas.antennas)),
                    antennas.places)  # fmt: skip


def test_no_read_is_of_an_impossible_place_where_ways_are_not_known():
    assert TUNNEL.steps([1, 1, 3], [1, 3, 1]).tolist() == [0, 1, 1]
    assert Grid(3, 6).steps([1, 1, 1], [1, 18, 5]).tolist() == [0, 5, 1]


# Where they are seen


def seen(antennas: Placed, visited, change, boxes=60, seed=0, noise=12.0):
    """Boxes over some antennas, whose places are changed: antennas (n,), centroids (n, 2)."""
    random = np.random.default_rng(seed)
    numbers = np.repeat(np.asarray(visited), boxes)
    places = project(np.asarray(change, dtype=float), np.array(antennas.places)[numbers - 1])
    return numbers, places + random.normal(0, noise, places.shape)


def off(antennas: Placed, found, change) -> float:
    """By how many pixels an antenna is seen elsewhere than it is, at most."""
    true = project(np.asarray(change, dtype=float), antennas.places)
    return np.linalg.norm(
        project(found, antennas.coordinates(antennas.antennas)) - true, axis=1
    ).max()


ODD = Placed(((150.0, 400.0), (420.0, 180.0), (640.0, 560.0), (900.0, 250.0), (1120.0, 610.0)))
HIGHER = [[1, 0, 0], [0, 1, -45], [0, 0, 1]]
NEARER = [[1.1, 0, -64], [0, 1.1, -81], [0, 0, 1]]
LEANING = [[1.05, 0.04, -50], [-0.03, 0.9, 10], [0, 0, 1]]


@pytest.mark.parametrize(
    ("antennas", "visited", "change"),
    [
        (ODD, [1, 2, 3, 4, 5], LEANING),
        (CORNERS, [1, 2, 3, 4], LEANING),
        (ODD, [1, 4], NEARER),
        (ODD, [2, 3, 5], NEARER),
        (TUNNEL, [1, 2, 3], NEARER),
        (ODD, [3], HIGHER),
        (TUNNEL, [1], HIGHER),
        (Placed(((300.0, 300.0), (330.0, 300.0))), [1, 2], HIGHER),
    ],
)
def test_as_much_is_fitted_as_the_antennas_that_were_visited_tell(antennas, visited, change):
    numbers, centroids = seen(antennas, visited, change)
    found = shifted_places.fit(numbers, centroids, antennas, antennas.view)
    assert off(antennas, found, change) < 15


def test_places_stay_as_they_are_where_boxes_tell_nothing_that_can_be():
    numbers, centroids = seen(ODD, [1, 2, 3, 4, 5], [[-1, 0, 1280], [0, -1, 720], [0, 0, 1]])
    found = shifted_places.fit(numbers, centroids, ODD, ODD.view)
    assert off(ODD, found, np.eye(3)) <= 0.5 * np.linalg.norm(np.ptp(ODD.places, axis=0))
    nothing = shifted_places.fit(numbers[:0], centroids[:0], ODD, ODD.view)
    assert_array_equal(nothing, ODD.view)
    far = shifted_places.fit(np.array([1, 1]), np.full((2, 2), 5_000.0), ODD, ODD.view)
    assert_array_equal(far, ODD.view)


def test_a_few_odd_boxes_do_not_lead_it_astray():
    numbers, centroids = seen(ODD, [1, 2, 3, 4, 5], HIGHER)
    centroids[::10] = [1200.0, 20.0]
    found = shifted_places.fit(numbers, centroids, ODD, ODD.view)
    assert off(ODD, found, HIGHER) < 20


# Models


def weights_for(antennas: Placed) -> fitted_weights.Weights:
    simple = simple_model()
    rows = visibility.contexts(antennas, 3)
    model = replace(
        simple,
        grid=antennas,
        homography=antennas.view,
        offsets=np.zeros((antennas.size, 4)),
        contexts=rows,
        visibility=np.broadcast_to(simple.visibility[0], (len(rows), 3)).copy(),
    )
    return fitted_weights.Weights(model, model)


def test_weights_carry_the_places_that_they_were_made_for(tmp_path):
    weights = weights_for(ODD)
    fitted_weights.write(weights, tmp_path / "weights.json")
    read = fitted_weights.read(tmp_path / "weights.json")
    assert read.paper.grid == ODD
    assert read.made_for == weights.made_for
    assert read.made_for.layout == Layout(1, 5, ODD.places)
    assert read.digest == weights.digest
    assert_array_equal(read.paper.centroids(ODD.antennas), weights.paper.centroids(ODD.antennas))


def test_other_places_are_other_weights():
    moved = Placed((*ODD.places[:4], (1000.0, 500.0)))
    assert weights_for(ODD).digest != weights_for(moved).digest


def made(layout: Layout) -> made_for.MadeFor:
    return made_for.MadeFor(
        (layout.rows, layout.columns), (1280, 720), (1, 3), (25.0, 25.0), places=layout.places
    )


@pytest.mark.parametrize(
    ("model", "used", "told"),
    [
        (
            settings.Grid(places=ODD.places),
            settings.Grid(),
            ["5 antennas in no grid (1 at 150, 400; 2 at 420, 180", "one for 3 x 6 antennas"],
        ),
        (
            settings.Grid(rows=1, columns=5),
            settings.Grid(places=ODD.places),
            ["made for 1 x 5 antennas (rows x columns)", "one for 5 antennas in no grid"],
        ),
        (
            settings.Grid(places=ODD.places),
            settings.Grid(places=(*ODD.places[:4], (1120.5, 610.0))),
            ["of which 5 at 1120, 610; expected", "of which 5 at 1120.5, 610, as is set"],
        ),
        (
            settings.Grid(places=CORNERS.places),
            settings.Grid(places=CORNERS.places[::-1]),
            ["of which 1 at 200, 150", "of which 1 at 1080, 600"],
        ),
    ],
)
def test_a_model_is_refused_where_antennas_are_elsewhere_and_both_are_told(model, used, told):
    made_for.refuse("w.json", "weights", made(model.layout), model)
    with pytest.raises(InputError) as refused:
        made_for.refuse("w.json", "weights", made(model.layout), used)
    for text in ["w.json", *told, "Set weights: to null"]:
        assert text in str(refused.value)


def test_a_file_is_refused_whose_places_are_not_one_an_antenna():
    written = made(Layout(1, 5, ODD.places)).written()
    assert made_for.parse(written).places == ODD.places
    with pytest.raises(ValueError, match="not one for each antenna"):
        made_for.parse(written | {"grid": [1, 4]})
    with pytest.raises(ValueError, match="places"):
        made_for.parse(written | {"places": [[1.0, "2"]]})
    assert "places" not in made(Layout(3, 6)).written(), "files of grids are as ever"
