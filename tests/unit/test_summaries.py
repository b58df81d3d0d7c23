"""What animals did by the second, the minute and the hour, where everything is known."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from murid import tables
from murid.errors import InputError, PartialError
from murid.models import fitted_weights
from murid.run import failed
from murid.settings import Settings, Summaries
from murid.summaries import (
    archive,
    cage,
    courses,
    figures,
    known,
    measures,
    periods,
    tracklet_names,
    zones,
)  # fmt: skip
from murid.summaries.known import Known
from murid.summaries.stage import Member, Summarise, SummariseAll, SummariseCage
from roaming_animals import named, rig
from small_rig import IDENTITY, positions

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
    course = courses.best(told)
    return measures.measure(course, measures.ways(told.boxes, how), how)


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


def test_an_animal_alone_has_no_pairs(tmp_path):
    stage = segment_of(tmp_path / "1", walking()[:, :1], np.ones((300, 1), dtype=bool))
    stage.run()
    assert tables.read(stage.output_pairs, "pair_figures").empty
    hours = tables.read(stage.output_animals, "animal_figures")
    assert hours[["huddled", "huddled_low", "huddled_high"]].isna().all(axis=None)
    assert hours["time"].isna().all()


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


# The stages


def segment_of(folder, centres, shown, verdict=None, **given):
    """Write the tables of a segment and return its stage."""
    folder.mkdir(parents=True, exist_ok=True)
    frames, animals = shown.shape
    read = np.tile(np.arange(1, animals + 1), (frames, 1))
    identities = named(centres, shown).assign(tracklet=None)
    identities["tracklet"] = np.where(shown.ravel(), np.tile(range(animals), frames), None)
    identities["detection"] = identities["tracklet"]
    places = pd.DataFrame(
        {
            "frame": identities["frame"], "animal": identities["animal"],
            "state": np.where(shown.ravel(), "seen", "unknown"),
            **dict.fromkeys(["x", "y", "major", "minor", "angle"], np.nan),
        }
    )  # fmt: skip
    boxes = identities.dropna(subset=["x"])
    posteriors = pd.DataFrame(
        {"tracklet": range(animals), "animal": list("ABC"[:animals]), "probability": 1.0}
    )
    still = {f"m{row}{column}": [float(row == column)] for row in range(2) for column in range(3)}
    transforms = pd.DataFrame(
        {"rig": ["r"], "prototype": [True], **still, "fit_residual": [None],
         "validation_residual": [None]}
    )  # fmt: skip
    written = {
        "positions": positions(read), "identities": identities, "places": places,
        "tracklets": boxes, "posteriors": posteriors, "transforms": transforms,
    }  # fmt: skip
    for name, table in written.items():
        tables.write(table, folder / f"{name}.parquet", name, verdict if name == "places" else None)
    fitted_weights.write(fitted_weights.Weights(rig(), rig()), folder / "weights.json")
    made = {f"output_{name}": folder / f"{name}.out" for name in
            ("seconds", "animals", "zones", "pairs", "names")}  # fmt: skip
    return Summarise(
        cage="C", segment=folder.name, rig="r", fps=FPS, zone="Europe/Paris", hopper=None,
        **{name: folder / f"{name}.parquet" for name in written},
        weights=folder / "weights.json", **made, **given,
    )  # fmt: skip


def walking(frames=300):
    """A walks to the right by 20 pixels a second; B stays."""
    centres = standing([100, 50], [300, 90], frames=frames)
    centres[:, 0, 0] += np.arange(frames) / FPS * 20
    return centres


def test_a_segment_is_told_by_the_second_the_minute_and_the_hour(tmp_path):
    given = Summaries(pitch=(6.0, 6.0), zones={"start": ((0, 0), (159, 0), (159, 200), (0, 200))})
    shown = np.ones((300, 2), dtype=bool)
    shown[150:, 1] = False
    stage = segment_of(
        tmp_path / "1", walking(), shown, start="2026-03-01 10:59:30+01:00", summaries=given
    )
    stage.run()
    second = tables.read(stage.output_seconds, "seconds")
    assert len(second) == 120
    walker = second[second["animal"] == "A"]
    assert walker["distance"].sum() == pytest.approx(20 * 60, rel=0.03)
    assert walker["distance"].iloc[5:-5].to_numpy() == pytest.approx(np.full(50, 20.0), rel=0.05)
    assert walker["distance_cm"].sum() == pytest.approx(20 * 60 * 0.06, rel=0.03)
    assert walker["zone"].tolist() == ["start"] * 3 + [""] * 57
    assert walker["antenna"].tolist() == [1] * 60
    other = second[second["animal"] == "B"]
    assert other["seen"].tolist() == [1.0] * 30 + [0.0] * 30
    assert other["x"].isna().tolist() == [False] * 30 + [True] * 30
    table = tables.read(stage.output_animals, "animal_figures")
    assert table["period"].value_counts().to_dict() == {"minute": 4, "hour": 4}
    hours = table[table["period"] == "hour"]
    assert hours["local"].tolist() == ["2026-03-01 10:59:30+01:00", "2026-03-01 11:00:00+01:00"] * 2
    assert hours["seconds"].tolist() == [30.0] * 4
    assert hours["resting"].tolist()[2] == 1.0
    within = tables.read(stage.output_zones, "zone_figures").set_index(
        ["period", "animal", "start"]
    )
    assert within.loc[("hour", "A", 0), "inside"] == pytest.approx(0.1, abs=0.01)
    pair = tables.read(stage.output_pairs, "pair_figures")
    assert pair["known"].tolist() == [1.0, 0.0, 1.0, 0.0]
    assert pair["contact"].isna().tolist() == [False, True, False, True]


def test_a_discarded_segment_says_why_in_all_its_tables(tmp_path):
    bad = tables.Verdict("discarded", "the mouse ate the cable")
    stage = segment_of(tmp_path / "1", walking(), np.ones((300, 2), dtype=bool), bad)
    stage.run()
    names = ("seconds", "animal_figures", "zone_figures", "pair_figures", "tracklet_names")
    paths = (stage.output_seconds, stage.output_animals, stage.output_zones, stage.output_pairs,
             stage.output_names)  # fmt: skip
    for name, path in zip(names, paths, strict=True):
        assert tables.read(path, name).empty
        assert "ate the cable" in tables.read_verdict(path).reason


@pytest.mark.parametrize(
    "start",
    ["2026-03-29 02:30", "2026-10-25 02:30", "1970-01-01 00:00", "0001-01-01 00:00", "noon", ""],
)
def test_a_start_that_is_no_one_moment_leaves_the_times_of_day_empty(tmp_path, start):
    stage = segment_of(tmp_path / "1", walking(), np.ones((300, 2), dtype=bool), start=start)
    stage.run()
    table = tables.read(stage.output_animals, "animal_figures")
    assert len(table)
    assert table["time"].isna().all()
    assert set(table["local"]) == {""}
    assert not tables.read_verdict(stage.output_animals).discarded


def test_times_of_frames_are_told_before_the_start_of_the_sheet(tmp_path):
    stage = segment_of(tmp_path / "1", walking(), np.ones((300, 2), dtype=bool), start="")
    table = tables.read(stage.positions, "positions")
    tables.write(table, stage.positions, "positions", about={"begins": "2026-03-01T09:59:30+00:00"})
    stage.run()
    hours = tables.read(stage.output_animals, "animal_figures").query("period == 'hour'")
    assert set(hours["local"]) == {"2026-03-01 10:59:30+01:00", "2026-03-01 11:00:00+01:00"}


@pytest.mark.parametrize(
    "start",
    ["in the evening", "2026-03-01", "01.03.2026 10:00", "10:00", "1970-01-01 00:00:07",
     "0001-01-01 00:00", "9999-12-31 23:59Z"],
)  # fmt: skip
def test_a_start_that_is_no_time_is_not_known(tmp_path, start):
    stage = segment_of(tmp_path / "1", walking(), np.ones((300, 2), dtype=bool), start=start)
    stage.run()
    told = tables.read(stage.output_animals, "animal_figures")
    assert len(told)
    assert told["time"].isna().all()
    assert set(told["local"]) == {""}


def cage_of(folder, stages):
    members = [
        Member("C", stage.segment, stage.output_animals, stage.output_zones, stage.output_pairs,
               stage.output_names)
        for stage in stages
    ]  # fmt: skip
    made = {f"output_{name}": folder / f"{name}.parquet" for name in
            ("animals", "zones", "pairs", "names")}  # fmt: skip
    return SummariseCage(segments=tuple(members), **made)


@pytest.fixture
def two(tmp_path):
    """Two segments of one hour, one after the other."""
    shown = np.ones((300, 2), dtype=bool)
    stages = [
        segment_of(tmp_path / name, walking(), shown, start=start)
        for name, start in (("1", "2026-03-01 11:00+01:00"), ("2", "2026-03-01 11:30+01:00"))
    ]
    for stage in stages:
        stage.run()
    return stages


def test_an_hour_that_segments_share_is_there_once(tmp_path, two):
    joined = cage_of(tmp_path, two)
    joined.run()
    parts = [tables.read(stage.output_animals, "animal_figures") for stage in two]
    table = tables.read(joined.output_animals, "animal_figures")
    hours = table[table["period"] == "hour"].set_index("animal")
    assert hours["seconds"].tolist() == [120.0, 120.0]
    assert hours["local"].tolist() == ["2026-03-01 11:00:00+01:00"] * 2
    single = [part[part["period"] == "hour"].set_index("animal").loc["A"] for part in parts]
    assert hours.loc["A", "distance"] == pytest.approx(sum(one["distance"] for one in single))
    assert hours.loc["A", "speed"] == pytest.approx(np.mean([one["speed"] for one in single]))
    below = [one["distance"] - one["distance_low"] for one in single]
    found = hours.loc["A", "distance"] - hours.loc["A", "distance_low"]
    assert found == pytest.approx(np.hypot(*below))
    assert (table["period"] == "minute").sum() == 4
    assert len(tables.read(joined.output_names, "tracklet_names")) == 4
    assert count_of(joined) == (2, 0)


def test_a_part_that_knows_nothing_takes_nothing_from_the_other():
    rows = pd.DataFrame(
        {
            "cage": "C", "segment": ["1", "2"], "period": "hour", "start": 0,
            "time": pd.to_datetime(["2026-03-01 10:00", "2026-03-01 10:30"], utc=True),
            "local": "", "seconds": [1800.0, 600.0], "animal": "A", "zone": "z",
            "known": [0.5, 0.0], "inside": [0.4, np.nan], "inside_low": [0.3, np.nan],
            "inside_high": [0.6, np.nan],
        }
    )  # fmt: skip
    (row,) = cage.once(rows, ("animal", "zone")).to_dict("records")
    assert [row[name] for name in ("inside", "inside_low", "inside_high")] == pytest.approx(
        [0.4, 0.3, 0.6]
    )
    assert row["known"] == pytest.approx(0.375)
    unclocked = rows.assign(time=pd.Series([pd.NaT] * 2, dtype="datetime64[us, UTC]"))
    assert len(cage.once(unclocked, ("animal", "zone"))) == 2


def test_a_segment_whose_tables_cannot_be_read_does_not_stop_the_others(tmp_path, two):
    two[0].output_pairs.write_bytes(b"PAR1 was here")
    joined = cage_of(tmp_path, two)
    with pytest.raises(PartialError, match="C 1"):
        joined.run()
    table = tables.read(joined.output_animals, "animal_figures")
    assert set(table["segment"]) == {"2"}
    assert count_of(joined) == (1, 1)


def count_of(joined):
    about = tables.read_about(joined.output_animals)
    return int(about[cage.USED]), int(about[cage.UNUSED])


def lines_of(joined):
    return tables.read_verdict(joined.output_animals).reason


def test_a_segment_of_other_animals_than_most_is_in_no_figure(tmp_path, two):
    shown = np.ones((300, 1), dtype=bool)
    other = segment_of(tmp_path / "3", walking()[:, :1], shown, start="2026-03-01 11:40+01:00")
    other.run()
    joined = cage_of(tmp_path, [*two, other])
    joined.run()
    for name in cage.KEYS:
        whole = tables.read(getattr(joined, f"output_{name.split('_')[0]}s"), name)
        assert "3" not in set(whole["segment"])
    assert set(tables.read(joined.output_names, "tracklet_names")["segment"]) == {"1", "2"}
    assert lines_of(joined) == (
        "without segment 3 (animals A; most segments of the cage show A, B)"
    )
    assert count_of(joined) == (2, 1)


def test_a_segment_of_which_nothing_could_be_told_is_named_with_the_reason(tmp_path, two):
    names = ("seconds", "animal_figures", "zone_figures", "pair_figures", "tracklet_names")
    paths = (two[0].output_seconds, two[0].output_animals, two[0].output_zones,
             two[0].output_pairs, two[0].output_names)  # fmt: skip
    failed.write(zip(names, paths, strict=True), (), "summarise failed: the cable was eaten")
    joined = cage_of(tmp_path, two)
    joined.run()
    assert lines_of(joined) == "without segment 1 (summarise failed: the cable was eaten)"


def test_a_segment_that_was_discarded_is_counted_apart(tmp_path, two):
    verdict = tables.Verdict("discarded", "275 of 300 readings are missing")
    for name, path in (
        ("animal_figures", two[1].output_animals), ("zone_figures", two[1].output_zones),
        ("pair_figures", two[1].output_pairs), ("tracklet_names", two[1].output_names),
    ):  # fmt: skip
        tables.write(tables.empty(name), path, name, verdict)
    joined = cage_of(tmp_path, two)
    joined.run()
    assert count_of(joined) == (1, 1)


def test_segments_that_were_filmed_at_the_same_time_are_told(tmp_path, two):
    joined = cage_of(tmp_path, two)
    joined.run()
    assert lines_of(joined) == ""
    late = segment_of(
        tmp_path / "3", walking(), np.ones((300, 2), dtype=bool), start="2026-03-01 11:30:30+01:00"
    )
    late.run()
    joined = cage_of(tmp_path, [*two, late])
    joined.run()
    assert "filmed at the same time (2 and 3)" in lines_of(joined)


def test_all_cages_are_written_as_parquet_and_as_csv(tmp_path, two):
    joined = cage_of(tmp_path, two)
    joined.run()
    given = {name: (getattr(joined, f"output_{name}"),) for name in
             ("animals", "zones", "pairs", "names")}  # fmt: skip
    SummariseAll(**given, output_dir=tmp_path / "animals").run()
    for name in ("minutes", "hours", "zone_minutes", "pair_hours", "tracklet_names"):
        as_text = pd.read_csv(tmp_path / "animals" / f"{name}.csv")
        whole = pd.read_parquet(tmp_path / "animals" / f"{name}.parquet")
        assert list(as_text) == list(whole)
        assert len(as_text) == len(whole)
    hours = pd.read_csv(tmp_path / "animals" / "hours.csv")
    assert hours["seconds"].tolist() == [120.0, 120.0]
    assert archive.NAMES.keys() == cage.KEYS.keys()


@pytest.mark.parametrize(
    "corners", [[[0.1, 0.1], [0.4, 0.1], [0.4, 0.5]], [[0, 0], [3000, 0], [3000, 300]]]
)
def test_zones_of_another_picture_are_refused(corners):
    with pytest.raises(ValidationError, match=r"summaries\.zones nest in pixels"):
        Settings(archive=".", summaries={"zones": {"nest": corners}})
