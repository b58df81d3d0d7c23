"""How animals move: by definition, and the way that they walked, however boxes tremble."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid.summaries import kinematics

FPS = 25.0
POINTS = np.array([[0, 0], [3, 4], [3, 4], [5, 2.5], [9, -1]], dtype=float)
FORWARD = [[3, 4], [0, 0], [2, -1.5], [4, -3.5], [0, 0]]
VELOCITY = [[75, 100], [37.5, 50], [25, -18.75], [75, -62.5], [100, -87.5]]
"""What the package movement 0.15.0 gives for these points at 25 frames a second."""
SPEED = [125.0, 62.5, 31.25, 97.62812094883317, 132.8768226591831]

SMOOTHING, REACH = 0.8, 7.0
"""Seconds and pixels, as the defaults have it of an animal of 47 pixels."""


def walked(points, seconds=SMOOTHING, reach=REACH):
    return kinematics.way(kinematics.smooth(points, FPS, seconds), reach).sum()


def trembling(shape, spread, seed, kept=0.85):
    """Jitter of boxes that stays for some frames, as that of detectors does."""
    random = np.random.default_rng(seed)
    noise = random.normal(0, spread, shape)
    for frame in range(1, len(noise)):
        noise[frame] = kept * noise[frame - 1] + np.sqrt(1 - kept**2) * noise[frame]
    return noise


def test_displacement_velocity_and_speed_are_those_of_movement():
    assert kinematics.forward_displacement(POINTS) == pytest.approx(np.array(FORWARD))
    assert kinematics.velocity(POINTS, FPS) == pytest.approx(np.array(VELOCITY))
    assert kinematics.speed(POINTS, FPS) == pytest.approx(np.array(SPEED))


def test_they_are_so_where_movement_is_there():
    movement = pytest.importorskip("movement.kinematics")
    xarray = pytest.importorskip("xarray")
    points = np.random.default_rng(1).normal(0, 30, (200, 2, 3)).cumsum(axis=0)
    array = xarray.DataArray(
        points, dims=("time", "space", "individuals"),
        coords={"time": np.arange(200) / FPS, "space": ["x", "y"], "individuals": list("abc")},
    )  # fmt: skip
    ours = np.moveaxis(points, 1, 2)
    theirs = movement.compute_velocity(array).transpose("time", "individuals", "space")
    assert kinematics.velocity(ours, FPS) == pytest.approx(theirs.to_numpy())
    theirs = movement.compute_forward_displacement(array).transpose("time", "individuals", "space")
    assert kinematics.forward_displacement(ours) == pytest.approx(theirs.to_numpy())
    assert kinematics.speed(ours, FPS) == pytest.approx(
        movement.compute_speed(array).transpose("time", "individuals").to_numpy()
    )


@pytest.mark.parametrize("spread", [0.0, 1.0, 2.0])
def test_an_animal_that_rests_walks_no_way_though_its_box_trembles(spread):
    points = np.full((round(600 * FPS), 2), 100.0) + trembling((round(600 * FPS), 2), spread, 1)
    assert walked(points) == 0
    if spread:
        assert np.linalg.norm(np.diff(points, axis=0), axis=1).sum() > 1_000


@pytest.mark.parametrize("spread", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("speed", [20.0, 60.0, 200.0])
def test_a_straight_way_is_as_long_as_it_is(spread, speed):
    seconds = 60
    along = np.arange(round(seconds * FPS)) / FPS * speed
    points = np.column_stack([along * 0.8, along * 0.6])
    found = walked(points + trembling(points.shape, spread, 2))
    assert found == pytest.approx(seconds * speed, rel=0.03)


@pytest.mark.parametrize("spread", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("turn", [10.0, 20.0])
def test_of_a_circle_next_to_nothing_is_lost(spread, turn):
    radius = 80.0
    angle = 2 * np.pi * np.arange(round(20 * turn * FPS)) / FPS / turn
    points = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    found = walked(points + trembling(points.shape, spread, 3))
    assert found == pytest.approx(20 * 2 * np.pi * radius, rel=0.04)


def test_walks_and_rests_in_turn_are_as_long_as_the_walks():
    legs = [np.zeros((500, 2))]
    for number in range(20):
        end = legs[-1][-1]
        way = np.array([90.0, 0.0]) * (-1 if number % 2 else 1)
        legs += [end + way * np.linspace(0, 1, 38)[:, None], np.tile(end + way, (500, 1))]
    points = np.concatenate(legs)
    found = walked(points + trembling(points.shape, 1.5, 4))
    # They stop at once, as no animal does, and what is smoothed goes on by a few pixels.
    assert found == pytest.approx(20 * 90, rel=0.07)


def test_over_a_gap_the_way_is_straight_and_counted_where_it_ends():
    points = np.column_stack([np.arange(400.0), np.zeros(400)])
    points[100:300] = np.nan
    counted = kinematics.way(points, 5.0)
    assert counted[100:300].sum() == 0
    assert counted.sum() == pytest.approx(399, abs=5)
    assert kinematics.smooth(points, FPS, 0.2)[100:300] == pytest.approx(np.nan, nan_ok=True)


@given(
    st.lists(st.tuples(st.floats(-500, 500), st.floats(-500, 500)), min_size=1, max_size=60),
    st.floats(0, 50),
)
def test_no_way_is_longer_than_that_of_all_steps_nor_shorter_than_straight(points, reach):
    points = np.array(points)
    found = kinematics.way(points, reach).sum()
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    assert found <= steps + 1e-6
    assert found >= np.linalg.norm(points[-1] - points[0]) - reach - 1e-6


def test_who_turns_back_has_walked_to_where_it_turned():
    points = np.array([[0.0, 0.0], [30.0, 0.0], [90.0, 0.0], [50.0, 0.0], [0.0, 0.0]])
    assert kinematics.way(points, 20.0).tolist() == pytest.approx([0, 30, 60, 40, 50])
    assert kinematics.way(points, 95.0).sum() == 0


@given(st.floats(-180, 180), st.floats(-300, 300))
def test_a_way_is_the_same_from_wherever_it_is_looked_at(degrees, away):
    points = np.random.default_rng(5).normal(0, 4, (120, 2)).cumsum(axis=0)
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turned = points @ np.array([[c, s], [-s, c]]) + away
    # A reach that no step is near, so that rounding decides nothing.
    assert kinematics.way(turned, 7.0).sum() == pytest.approx(
        kinematics.way(points, 7.0).sum(), rel=1e-6
    )


def test_nothing_known_is_no_way():
    nothing = np.full((9, 2), np.nan)
    assert kinematics.way(kinematics.smooth(nothing, FPS, 0.5), 1.0).tolist() == [0.0] * 9
    assert len(kinematics.smooth(np.zeros((0, 2)), FPS, 0.5)) == 0
