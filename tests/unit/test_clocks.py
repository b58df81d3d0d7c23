"""How late readings run: by the boxes of a segment, and by a line over its day."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from clocked_cage import FPS, GRID, film, hear, wander
from murid.clocks import lateness, line
from murid.clocks.lateness import Trace
from murid.clocks.line import Line
from murid.grid import Placed
from placed_cage import CORNERS, ODD
from placed_cage import film as cage

TIMES = np.arange(6_400) / FPS
TUNNEL = ((300.0, 420.0), (980.0, 430.0))


@pytest.mark.parametrize(("late", "animals"), [(0.0, 3), (1.3, 3), (-42.7, 2), (95.0, 4), (5.0, 1)])
def test_how_late_readings_run_is_found_by_boxes_alone(late: float, animals: int) -> None:
    random = np.random.default_rng(animals)
    places = wander(900, animals, random)
    sight = lateness.look(film(places, 640, 130, 0.85, random), TIMES)
    found = lateness.find(sight, hear(places, 130, late), GRID)
    assert found is not None
    assert found.certain
    assert found.shift == pytest.approx(late, abs=0.25)
    assert found.spread < 0.3


@pytest.mark.parametrize("places", [ODD, CORNERS, TUNNEL], ids=["odd", "corners", "tunnel"])
@pytest.mark.parametrize("late", [0.0, 3.4, -25.0])
def test_so_it_is_among_antennas_in_no_grid(
    places: tuple[tuple[float, float], ...], late: float
) -> None:
    filmed = cage(places, 640, 3, held=False)
    sight = lateness.look(filmed.detections, TIMES)
    found = lateness.find(sight, Trace(filmed.read, late), Placed(places))
    assert found is not None
    assert found.certain
    assert found.shift == pytest.approx(late, abs=3 * found.spread)


def test_what_is_hours_off_is_found_around_these_hours() -> None:
    random = np.random.default_rng(5)
    places = wander(900, 3, random)
    sight = lateness.look(film(places, 640, 130, 0.85, random), TIMES)
    trace = hear(places, 130, 3600 + 2.0)
    far = lateness.find(sight, trace, GRID)
    assert far is None or not far.certain
    found = lateness.find(sight, trace, GRID, around=3600)
    assert found is not None
    assert found.certain
    assert found.shift == pytest.approx(3602, abs=0.25)


def test_the_readings_of_others_tell_nothing_for_certain() -> None:
    for seed in range(6):
        random = np.random.default_rng(seed)
        sight = lateness.look(film(wander(900, 3, random), 640, 130, 0.85, random), TIMES)
        found = lateness.find(sight, hear(wander(900, 3, random), 130, 0.0), GRID)
        assert found is None or not found.certain


def test_too_little_tells_nothing() -> None:
    random = np.random.default_rng(2)
    places = wander(300, 3, random)
    trace = hear(places, 130, 1.0)
    short = lateness.look(film(places, 15, 130, 1.0, random), TIMES)
    assert lateness.find(short, trace, GRID) is None
    seldom = lateness.look(film(places, 100, 130, 0.2, random), TIMES)
    assert lateness.find(seldom, trace, GRID) is None
    still = Trace(np.full_like(trace.antennas, 5), trace.begins)
    assert (
        lateness.find(lateness.look(film(places, 100, 130, 1.0, random), TIMES), still, GRID)
        is None
    )
    nobody = pd.DataFrame(columns=["frame", "x", "y", "w", "h"], dtype=np.float64)
    assert lateness.find(lateness.look(nobody, TIMES), trace, GRID) is None


HOURS = np.arange(0, 24, 3.0) * 3600


def through(late: NDArray[np.float64], certain: bool = False, spread: float = 0.1) -> Line | None:
    count = len(late)
    return line.through(
        HOURS[:count], late, np.full(count, spread), np.full(count, certain, dtype=bool)
    )


@given(
    st.floats(-100, 100),
    st.floats(-300, 300),
    st.dictionaries(st.integers(0, 7), st.floats(20, 100), max_size=3),
    st.integers(0, 10**6),
)
def test_a_line_is_that_of_most_segments(
    offset: float, drift: float, jumps: dict[int, float], seed: int
) -> None:
    noise = np.random.default_rng(seed).uniform(-0.15, 0.15, len(HOURS))
    late = offset + 1e-6 * drift * HOURS + noise
    for place, by in jumps.items():
        late[place] += by
    found = through(late)
    assert found is not None
    middle = np.array([12 * 3600.0])
    assert found.at(middle)[0] == pytest.approx(offset + 1e-6 * drift * middle[0], abs=0.4)
    assert 1e6 * found.drift == pytest.approx(drift, abs=25)
    jumped = line.off(found, HOURS, late, np.full(len(HOURS), 0.1))
    assert np.flatnonzero(jumped).tolist() == sorted(jumps)


def test_without_three_that_agree_or_one_that_is_certain_there_is_no_line() -> None:
    assert through(np.array([])) is None
    assert through(np.array([1.0])) is None
    assert through(np.array([1.0, 1.1])) is None
    assert through(np.array([1.0, 50.0, -70.0])) is None
    assert through(np.array([1.0]), certain=True) is not None
    few = through(np.array([1.0, 1.1, 1.0]))
    assert few is not None
    assert few.drift == 0


def test_a_drift_that_chance_may_make_is_none() -> None:
    found = through(2.0 + np.array([0.1, -0.1, 0.05, -0.05, 0.1, -0.1, 0.0, 0.05]))
    assert found is not None
    assert found.drift == 0
    assert found.late == pytest.approx(2.0, abs=0.1)
