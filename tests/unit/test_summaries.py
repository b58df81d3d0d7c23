"""What animals did by the second, the minute and the hour, where everything is known."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from murid import tables
from murid.errors import InputError
from murid.settings import Summaries
from murid.summaries import (
    courses,
    figures,
    known,
    measures,
    periods,
    tracklet_names,
    zones,
)  # fmt: skip
from murid.summaries.known import Known
from murid.summaries.traced import traced
from roaming_animals import rig
from small_rig import IDENTITY

FPS = 5.0
SQUARE = ((0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0))
BEGIN = datetime(2026, 3, 1, 9, 59, 30, tzinfo=UTC)


def known_of(centres, shown=None, size=(60.0, 40.0)):
    """(F, J, 2) centres of boxes of one size; those not shown are unknown."""
    centres = np.asarray(centres, dtype=float)
    boxes = np.concatenate([centres - np.array(size) / 2, np.broadcast_to(size, centres.shape)], -1)
    shape = centres.shape[:2]
    if shown is not None:
        boxes[~shown] = np.nan
    return Known(
        list("ABCDEF"[: shape[1]]), FPS, boxes, np.zeros(shape, dtype=bool),
        np.full((*shape, 2), np.nan), np.zeros((*shape, 2, 2)), np.zeros(shape, dtype=np.int64),
    )  # fmt: skip


def how_of(told, zones=None, **changes):
    usual = known.Usual.of(told.boxes)
    how = measures.How(FPS, 0.0, 5.0, usual, 1.5, 2.0, 0.0, zones or {})
    return replace(how, **changes)


def measured_of(told, zones=None, **changes):
    how = how_of(told, zones, **changes)
    return measures.measure(courses.best(told), way_of(told, how), how)


def way_of(told, how):
    unscaled = np.full(told.boxes.shape[:2], np.nan)
    return measures.Way(measures.ways(told.boxes, how), unscaled, traced(told, told.boxes))


def standing(*places, frames=50):
    return np.broadcast_to(np.array(places, dtype=float), (frames, len(places), 2)).copy()


# Zones


@given(st.floats(-50, 150), st.floats(-50, 150))
def test_a_point_is_in_a_square_if_it_is_between_its_sides(x, y):
    within = 0 <= x <= 100 and 0 <= y <= 100
    assert zones.inside(np.array([[x, y]]), {"square": SQUARE}).tolist() == [[within]]


def test_zones_may_overlap_and_what_is_unknown_is_in_none():
    both = {"one": SQUARE, "other": tuple((x + 50, y) for x, y in SQUARE)}
    points = np.array([[75.0, 50.0], [20.0, 50.0], [120.0, 50.0], [np.nan, np.nan]])
    expected = [[True, True], [True, False], [False, True], [False, False]]
    assert zones.inside(points, both).tolist() == expected


@pytest.mark.parametrize(
    "corners", [[[0, 0], [1, 1], [1, 0], [0, 1]], [[0, 0], [1, 1], [2, 2]], [[0, 0], [1, 1]]]
)
def test_corners_that_enclose_nothing_or_cross_are_refused(corners):
    with pytest.raises(ValidationError, match="zones"):
        Summaries(zones={"nest": corners})


# Measures


def test_boxes_touch_that_overlap_or_are_apart_by_no_more_than_a_margin():
    one = np.array([[0.0, 0.0, 10.0, 10.0]] * 4)
    other = np.array([[10.0, 0, 5, 5], [12, 0, 5, 5], [12, 12, 5, 5], [np.nan] * 4])
    assert measures.touch(one, other).tolist() == [True, False, False, False]
    assert measures.touch(one, other, 2.0).tolist() == [True, True, True, False]


def test_animals_that_rest_side_by_side_huddle_and_passers_by_do_not():
    places = standing([100, 50], [140, 50], [400, 50])
    places[:, 2, 0] = np.linspace(400, 130, len(places))
    found = measured_of(known_of(places))
    assert found.huddled[:, :2].all()
    assert not found.huddled[:, 2].any()
    assert not found.resting[:, 2].any()
    assert found.contact[-1].tolist() == [True, True, True]
    assert found.apart[0] == pytest.approx([40, 300, 260])


def test_a_box_that_is_higher_than_boxes_are_there_rears():
    told = known_of(standing([100, 50], [300, 50], frames=80))
    told.boxes[10:15, 0, 1] -= 40
    told.boxes[10:15, 0, 3] += 40
    rearing = measured_of(told).rearing
    assert rearing[10:15, 0].all()
    assert rearing.sum() == 5


def test_of_an_animal_that_nothing_shows_nothing_is_told():
    shown = np.ones((50, 2), dtype=bool)
    shown[:, 1] = False
    told = known_of(standing([10, 10], [50, 50]), shown)
    found = figures.of_courses(
        told, [told.boxes], np.full((50, 2), np.nan), how_of(told, {"z": SQUARE}),
        {"minute": periods.of("minute", 50, FPS, None)}, 20, np.random.default_rng(1),
    )["minute"]  # fmt: skip
    assert found.value["inside"][0, 0, 0] == 1
    assert np.isnan(found.value["inside"][0, 1, 0])
    for name in ("distance", "resting", "huddled"):
        assert np.isnan(found.value[name][0, 1])
        assert not np.isnan(found.value[name][0, 0])
    assert np.isnan(found.value["contact"]).all()


# Courses


def draws_of(*rows):
    columns = ["draw", "tracklet", "first_frame", "last_frame", "animal"]
    return tables.conform(pd.DataFrame(rows, columns=columns), "draws")


def linked(*tracks):
    """Tracklets of (first frame, last frame, x), the left edge of their boxes."""
    rows = [
        (frame, number, number, x, 0.0, 10.0, 10.0)
        for number, (first, last, x) in enumerate(tracks)
        for frame in range(first, last + 1)
    ]
    columns = ["frame", "detection", "tracklet", "x", "y", "w", "h"]
    table = pd.DataFrame(rows, columns=columns).sort_values(["frame", "detection"])
    return tables.conform(table.reset_index(drop=True), "tracklets")


def test_each_draw_is_who_it_says_in_each_stretch():
    told = known_of(standing([0, 0], [50, 0], frames=10))
    draws = draws_of(
        (0, 0, 0, 9, "A"), (0, 1, 0, 9, "B"), (1, 0, 0, 4, "A"), (1, 0, 5, 9, "B"),
        (1, 1, 0, 4, "B"), (1, 1, 5, 9, None),
    )  # fmt: skip
    first, second = courses.Drawn(told, linked((0, 9, 0), (0, 9, 50)), draws, IDENTITY)
    assert first[:, :, 0].tolist() == [[0, 50]] * 10
    assert second[:5, :, 0].tolist() == [[0, 50]] * 5
    assert second[5:, 1, 0].tolist() == [0] * 5
    assert np.isnan(second[5:, 0]).all()


def test_draws_of_others_or_of_two_boxes_at_once_are_refused():
    told = known_of(standing([0, 0], [50, 0], frames=10))
    both = linked((0, 9, 0), (0, 9, 50))
    with pytest.raises(InputError, match="'X'"):
        courses.Drawn(told, both, draws_of((0, 0, 0, 9, "X")), IDENTITY)
    twice = courses.Drawn(told, both, draws_of((0, 0, 0, 9, "A"), (0, 1, 5, 9, "A")), IDENTITY)
    with pytest.raises(InputError, match="two boxes of a frame in draw 0"):
        list(twice)


def test_a_box_of_no_tracklet_is_in_every_draw():
    told = known_of(standing([0, 0], [50, 0], frames=3))
    told.loose[1, 1] = True
    (boxes,) = courses.Drawn(told, linked((0, 2, 0)), draws_of((0, 0, 0, 2, "A")), IDENTITY)
    assert boxes[1, 1].tolist() == told.boxes[1, 1].tolist()
    assert np.isnan(boxes[[0, 2], 1]).all()


def test_nine_of_ten_drawn_places_are_in_the_ellipse():
    # Many animals, since what is off in one gap lasts.
    frames, animals = 50, 2_000
    centres = np.zeros((frames, animals, 2))
    told = known_of(centres, np.zeros((frames, animals), dtype=bool))
    told.places[:] = [200.0, 100.0]
    told.spread[:] = np.diag([30.0, 10.0]) / known.HELD
    drawn = courses.drawn(told, told.boxes, np.random.default_rng(1))
    off = (drawn.centres - [200, 100]) / [30, 10]
    assert ((off**2).sum(axis=-1) <= 1).mean() == pytest.approx(0.9, abs=0.02)
    # They do not leap about: a mouse that is not seen is no flea.
    assert np.abs(np.diff(off, axis=0)).mean() < 0.3 * np.abs(off).mean() * 2


# Periods


@given(st.sampled_from(["minute", "hour"]), st.integers(0, 7_200_000))
def test_periods_of_a_segment_that_begins_within_a_second_begin_in_their_own_minute_and_hour(
    kind, milliseconds
):
    begin = BEGIN + timedelta(milliseconds=milliseconds)
    found = periods.of(kind, 3 * 3600, 1.0, begin)
    own = pd.Timestamp(begin) + pd.to_timedelta(found.first, unit="s")
    floor = {"minute": "min", "hour": "h"}[kind]
    assert found.times.dt.floor(floor).tolist() == own.floor(floor).tolist()
    assert found.times[0] == begin
    assert found.times[1:].tolist() == own[1:].floor(floor).tolist()
    assert (np.diff(found.start) > 0).all()


@given(st.integers(1, 4_000), st.floats(1, 60), st.sampled_from(["second", "minute", "hour"]),
       st.booleans())  # fmt: skip
def test_every_frame_is_in_one_period_that_is_no_longer_than_it_is(count, fps, kind, clocked):
    found = periods.of(kind, count, fps, BEGIN if clocked else None)
    assert found.frames.sum() == count
    assert (found.frames > 0).all()
    assert found.first.tolist() == [0, *found.frames.cumsum()[:-1]]
    assert (found.frames <= np.ceil(periods.SECONDS[kind] * fps) + 1).all()


def test_minutes_and_hours_are_those_of_the_clock():
    found = periods.of("minute", 500, 5.0, BEGIN)
    assert found.frames.tolist() == [150, 300, 50]
    written = periods.local(found.times, "Europe/Paris")
    assert written[:2] == ["2026-03-01 10:59:30+01:00", "2026-03-01 11:00:00+01:00"]
    assert periods.local(periods.of("hour", 500, 5.0, None).times, "UTC") == [""]


# Intervals


def test_intervals_hold_what_draws_differ_by():
    told = known_of(standing([50, 50], [300, 50], frames=300))
    swapped = told.boxes[:, ::-1].copy()
    minute = {"minute": periods.of("minute", 300, FPS, None)}
    how = how_of(told, {"z": SQUARE})
    scale = np.full((300, 2), np.nan)

    def inside(*assignments):
        random = np.random.default_rng(1)
        found = figures.of_courses(told, assignments, scale, how, minute, 20, random)["minute"]
        return [of["inside"][0, 0, 0] for of in (found.value, found.low, found.high)]

    value, low, high = inside(told.boxes, told.boxes)
    assert value == 1
    assert low > 0.8
    value, low, high = inside(told.boxes, told.boxes, swapped)
    assert value == pytest.approx(2 / 3)
    assert low == pytest.approx(0, abs=0.1)
    assert high == 1


@given(st.integers(0, 99))
def test_values_are_within_their_intervals_and_shares_are_shares(seed):
    random = np.random.default_rng(seed)
    centres = random.normal(0, 12, (200, 3, 2)).cumsum(axis=0) + 100
    told = known_of(centres, random.random((200, 3)) < 0.8)
    kinds = {"minute": periods.of("minute", 200, FPS, None)}
    found = figures.of_courses(
        told, [told.boxes], np.full((200, 3), 0.1), how_of(told, {"z": SQUARE}), kinds, 20, random
    )["minute"]  # fmt: skip
    for name, value in found.value.items():
        there = ~np.isnan(value)
        assert (found.low[name][there] <= value[there] + 1e-9).all()
        assert (value[there] <= found.high[name][there] + 1e-9).all()
        if name in figures.OFF:
            assert (found.low[name][there] >= 0).all()
            assert (found.high[name][there] <= 1).all()
    assert found.value["distance_cm"] == pytest.approx(found.value["distance"] / 10)


def test_centimetres_are_those_between_antennas_beside():
    model = rig()
    scale = known.centimetres(model, (6.0, 6.0), np.array([[[150.0, 60.0]], [[310.0, 90.0]]]))
    assert scale == pytest.approx(np.full((2, 1), 0.06))
    assert known.centimetres(model, None, np.zeros((1, 1, 2))) is None


# Names of tracklets


def test_names_of_tracklets_lead_back_to_the_file_that_they_come_from():
    table = linked((0, 4, 0), (2, 3, 50)).assign(
        source_track=["left"] * 2 + ["left", None] * 2 + ["left"], source_row=range(7)
    )
    table["source_track"] = np.where(table["tracklet"] == 0, "left", "right")
    posteriors = pd.DataFrame(
        {"tracklet": [0, 0, 1, 1], "animal": list("ABAB"), "probability": [0.7, 0.2, 0.1, 0.2]}
    )
    found = tracklet_names.table(table, posteriors).set_index("tracklet")
    assert found["animal"].tolist() == ["A", "nobody"]
    assert found["probability"].tolist() == pytest.approx([0.7, 0.7])
    assert found["source_track"].tolist() == ["left", "right"]
    first = table.groupby("tracklet")["source_row"].first()
    assert found["source_row"].tolist() == first.tolist()
    assert found[["first_frame", "last_frame", "boxes"]].to_numpy().tolist() == [
        [0, 4, 5], [2, 3, 2]
    ]  # fmt: skip


def test_tracklets_without_probabilities_are_nobodys():
    found = tracklet_names.table(linked((0, 4, 0)), tables.empty("posteriors"))
    assert found["animal"].tolist() == ["nobody"]
    assert found["probability"].isna().all()
