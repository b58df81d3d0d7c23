"""The figures of a cage's page: which suits what was filmed, what it says, and maps."""

import base64
import io
import re
from datetime import time
from html import unescape
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from animal_tables import NAMES, NIGHT, rows, seconds_of, write_page
from dated_cages import segment_of, summaries
from murid import settings, tables
from murid.report.animals import (
    activity,
    colours,
    maps,
    overview,
    shares,
    stretches,
    totals,
    unused,
)
from murid.report.animals.words import duration

START = pd.Timestamp("2026-03-02 10:00", tz="UTC")
HOUR, DAY = 3600, 86_400
PHONE = 360
"""Pixels that a figure has on a screen of 400."""
UNKNOWN = 0.1


def filmed(*segments, timed=True):
    """Table ``animal_figures`` of segments, each seconds after the first begins, and how long.

    Animals go 1, 2 and 3 pixels a second. Of segments of days there are hours alone.
    """
    found = []
    for number, (after, seconds) in enumerate(segments):
        begin = START + pd.Timedelta(seconds=after)
        for period, long in (("minute", 60), ("hour", HOUR))[seconds > 5 * DAY :]:
            passed = (begin.minute * 60 + begin.second) % long
            edges = [0, *range(long - passed, seconds, long), seconds]
            for since, until in pairwise(edges):
                at = begin + pd.Timedelta(seconds=since)
                found += [
                    {"cage": "A", "segment": f"s{number}", "period": period, "start": since,
                     "time": at if timed else None, "local": str(at) if timed else "",
                     "seconds": float(until - since), "animal": name, "seen": 0.8,
                     "inferred": 0.2 - UNKNOWN, "unknown": UNKNOWN}
                    | {f"distance{end}": rate * factor * (until - since)
                       for end, factor in (("", 1.0), ("_low", 0.9), ("_high", 1.2))}
                    for rate, name in enumerate(NAMES, 1)
                ]  # fmt: skip
    table = pd.DataFrame(found)
    table["time"] = pd.to_datetime(table["time"], utc=True).astype("datetime64[us, UTC]")
    return tables.conform(
        table.reindex(columns=tables.empty("animal_figures").columns), "animal_figures"
    )


def said_of(drawn):
    return [unescape(title) for title in re.findall("<g [^>]*><title>(.*?)</title>", drawn)]


def written_in(drawn):
    """Return the words of a figure, which matplotlib tells beside their shapes."""
    return [unescape(text) for text in re.findall("<!-- (.*?) -->", drawn)]


SIX = [(12 * HOUR * number, 150) for number in range(6)]
WHOLE_DAYS = [(0, 3 * DAY)]
CASES = {
    "one": ([(0, 150)], True, "minute by minute, by the clock"),
    "one of unknown time": ([(0, 150)], False, "minute by minute from the start"),
    "several hours of unknown time": ([(0, 8 * HOUR)], False, "hour by hour from the start"),
    "six": (SIX, True, "Each column is one stretch that was filmed"),
    "six of unknown time": (SIX, False, "or its segment, where the time of day is not known"),
    "three days": (WHOLE_DAYS, True, "hour by hour, by the clock"),
    "files one after the other": (
        [(number * HOUR // 2, HOUR // 2 - 2) for number in range(40)], True, "hour by hour, by"
    ),
    "two in an hour": ([(0, 60), (3_000, 60)], True, "Each column"),
    "a hundred days": ([(0, 100 * DAY)], True, "a dark phase (above) or a light one (below)"),
    "some minutes of a hundred days": (
        [(12 * HOUR * number, 300) for number in range(200)], True, "a dark phase (above)"
    ),
    "sixty of unknown time": ([(0, 60)] * 60, False, "in one segment, in order of their names"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_figure_suits_what_was_filmed_and_its_caption_says_what_it_shows(case):
    segments, timed, caption = CASES[case]
    shown = activity.figure(filmed(*segments, timed=timed), NIGHT)
    assert caption in shown.caption
    assert "90% interval" in shown.caption
    assert list(shown.colours) == list(NAMES)


@pytest.mark.parametrize("case", CASES)
def test_letters_can_be_read_on_a_telephone(case):
    segments, timed, _ = CASES[case]
    drawn = str(activity.figure(filmed(*segments, timed=timed), NIGHT).drawn)
    slim = drawn[drawn.index('<div class="slim">') :]
    width = float(re.search(r'viewBox="0 0 ([\d.]+)', slim)[1])
    scales = [float(size) for size in re.findall(r"scale\((0\.\d+) -0", slim)]
    assert scales
    # Glyphs are drawn in hundreds.
    assert min(scales) * 100 * PHONE / width >= 11


def test_columns_say_their_day_their_time_and_how_long_was_filmed():
    drawn = str(activity.figure(filmed(*SIX), NIGHT).drawn)
    for words in ("Mon 2 Mar", "Wed 4 Mar", "10:00", "22:00", "2 min 30 s"):
        assert words in written_in(drawn)
    # Of the time in which its place is known it goes 2 pixels a second.
    value = 2 * HOUR / (1 - UNKNOWN)
    reach = f"({0.9 * value:,.1f} to {1.2 * value:,.1f})"
    name = NAMES[1]
    assert f"{name}, Mon 2 Mar 22:00 2 min 30 s: {value:,.1f} pixels an hour {reach}" in said_of(
        drawn
    )


LOST = {"two": [(3, 150), (3.004, 150)], "days": [(1, 3 * DAY)], "unknown": [(None, 60)]}


@pytest.mark.parametrize(
    ("case", "lost"),
    [("six", "two"), ("six", "unknown"), ("one", "two"), ("some minutes of a hundred days", "days"),
     ("sixty of unknown time", "days"), ("several hours of unknown time", "two")],
)  # fmt: skip
def test_what_could_not_be_used_is_striped_and_says_so_where_there_is_a_place_for_it(case, lost):
    segments, timed, _ = CASES[case]
    rows = summaries(*[
        segment_of(
            name=f"x{number}", status="discarded", fps=1.0, frames=seconds,
            begins=None if at is None else START + pd.Timedelta(hours=12 * at),
        )
        for number, (at, seconds) in enumerate(LOST[lost])
    ])  # fmt: skip
    left_out = unused.segments(rows, "UTC")
    shown = activity.figure(filmed(*segments, timed=timed), NIGHT, left_out)
    said = [words for words in said_of(str(shown.drawn)) if "could not be used" in words]
    assert shown.striped == bool(said)
    if timed and lost != "unknown":
        # Drawn twice, for two widths; what follows without a long pause is one.
        assert len({*said}) == 1
    assert not activity.figure(filmed(*segments, timed=timed), NIGHT).striped


def test_minutes_in_which_no_place_is_known_part_no_stretch():
    told = filmed((0, HOUR), (12 * HOUR, HOUR))
    gone = (told["period"] == "minute") & told["start"].between(10 * 60, 25 * 60)
    told.loc[gone, ["seen", "inferred", "unknown"]] = 0.0, 0.0, 1.0
    titles = written_in(str(activity.figure(told, NIGHT).drawn))
    assert {"10:00", "22:00", "1 h"} <= set(titles)
    assert not any(title.startswith("10:2") for title in titles)


def test_a_column_in_which_no_place_is_known_is_empty_and_the_caption_says_so():
    told = filmed(*SIX)
    told.loc[told["segment"] == "s2", ["seen", "inferred", "unknown"]] = 0.0, 0.0, 1.0
    shown = activity.figure(told, NIGHT)
    assert "An empty column: nobody's place is known in it." in shown.caption
    assert "An empty column" not in activity.figure(filmed(*SIX), NIGHT).caption
    assert len(set(said_of(str(shown.drawn)))) == 5 * len(NAMES)
    assert "Tue 3 Mar" in written_in(str(shown.drawn))


def test_nights_are_grey_behind_what_could_not_be_used():
    rows = summaries(
        segment_of(
            name="x", status="discarded", fps=1.0, frames=150,
            begins=START + pd.Timedelta(hours=36),
        )
    )  # fmt: skip
    told = filmed(*[segment for segment in SIX if segment[0] != 36 * HOUR])
    found = stretches.found(told, NIGHT, unused.segments(rows, "UTC"))
    assert found.about["dark"].tolist() == [0, 1] * 3
    assert found.about["lost"].tolist() == [False] * 3 + [True] + [False] * 2


def test_columns_of_several_years_say_the_year():
    drawn = str(activity.figure(filmed((0, 60), (9_000 * DAY, 60)), NIGHT).drawn)
    assert {"2 Mar 2026", "22 Oct 2050"} <= set(written_in(drawn))


def test_a_column_is_as_dark_as_what_was_filmed():
    hours = {"light": 0, "both": 8 * HOUR + 1800, "dark": 12 * HOUR}
    told = filmed(*[(after, HOUR) for after in hours.values()])
    assert stretches.found(told, NIGHT).about["dark"].tolist() == [0, 0.5, 1]
    assert "in part in the dark" in activity.figure(told, NIGHT).caption
    assert "in part" not in activity.figure(filmed((0, HOUR), (DAY // 2, HOUR)), NIGHT).caption
    assert stretches.found(told, None).about["dark"].isna().all()


@pytest.mark.parametrize(
    ("segments", "shaded"), [(SIX, True), (SIX[::2], False), ([(0, 150)], False)]
)
def test_the_page_speaks_of_grey_where_some_is(segments, shaded):
    assert activity.figure(filmed(*segments), NIGHT).shaded == shaded


def test_of_more_points_than_a_pointer_can_tell_apart_none_says_its_value():
    few = activity.figure(filmed((0, 2 * HOUR)), NIGHT)
    many = activity.figure(filmed((0, 5 * HOUR)), NIGHT)
    assert said_of(str(few.drawn))
    assert not said_of(str(many.drawn))


def test_points_of_days_join_a_night_over_midnight():
    told = filmed((0, 10 * DAY))
    at = pd.to_datetime(told["local"].str[:19])
    night = (at.dt.hour >= 19) | (at.dt.hour < 7)
    ways = ["distance", "distance_low", "distance_high"]
    # The fourth night, from the evening of the fifth of March to the next morning.
    told.loc[night & (at >= "2026-03-05 19:00") & (at < "2026-03-06 07:00"), ways] *= 10
    said = said_of(str(activity.figure(told, NIGHT).drawn))
    lively = {
        words.split(":")[0] for words in said if words.startswith("B") and "40,000.0" in words
    }
    assert lively == {"B 2026-03-05"}


def test_points_of_phases_are_of_the_minutes_of_each_where_light_goes_out_within_an_hour():
    told = filmed(*[(12 * HOUR * number, 300) for number in range(50)])
    night = time(10, 2), time(22, 2)
    at = pd.to_datetime(told["local"].str[11:16], format="%H:%M").dt.time
    ways = ["distance", "distance_low", "distance_high"]
    told.loc[(at >= night[0]) & (at < night[1]) & (told["period"] == "minute"), ways] *= 10
    drawn = str(activity.figure(told, night).drawn)
    of_b = {words.split(": ")[1] for words in said_of(drawn) if words.startswith("B")}
    assert {words.split(" ")[0] for words in of_b} == {"40,000.0", "4,000.0"}


def test_the_archive_tells_the_minutes_of_the_dark_and_of_the_light(tmp_path):
    told = filmed((0, 24 * HOUR))
    path = tmp_path / "A" / "animal_figures.parquet"
    path.parent.mkdir()
    tables.write(told, path, "animal_figures")
    hours = told[told["period"] == "hour"]
    rows = overview.rows(hours, [path], [], tmp_path, "19:30-06:45", 1)
    assert {(row["dark_seconds"], row["light_seconds"]) for row in rows} == {(40_500, 45_900)}


def test_what_is_not_shown_for_want_of_a_time_is_told():
    known = filmed(*[(12 * HOUR * number, 60) for number in range(60)])
    lost = filmed((0, 60), (0, 60), timed=False).assign(segment=lambda t: "lost" + t["segment"])
    shown = activity.figure(pd.concat([known, lost], ignore_index=True), NIGHT)
    assert "Not shown: 2 of 62 stretches, of unknown time." in shown.caption


SEGMENTS = st.lists(
    st.tuples(st.integers(0, 3 * DAY), st.integers(1, 2 * HOUR)), min_size=1, max_size=8
)


@given(SEGMENTS)
def test_stretches_hold_what_was_filmed_and_are_apart_by_more_than_a_pause(drawn):
    segments, until = [], 0
    for pause, seconds in drawn:
        segments.append((until + pause, seconds))
        until += pause + seconds
    found = stretches.found(filmed(*segments), NIGHT)
    assert found.about["seconds"].sum() == sum(seconds for _, seconds in segments)
    gaps = found.about["begin"] - found.about["end"].shift()
    assert (gaps.dropna() > stretches.PAUSE).all()
    long = [pause > 300 for pause, _ in drawn[1:]]
    assert len(found.about) == 1 + sum(long)
    ways = found.rows.groupby("animal")["distance"].sum()
    assert ways[NAMES[0]] == pytest.approx(sum(seconds for _, seconds in segments))
    assert set(found.rows["stretch"]) == set(found.about.index)


# --- Maps


def picture_of(made):
    data = re.search('base64,([^"]+)', made)[1]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")).astype(int)


def orange(picture):
    red, green, blue = np.moveaxis(picture, -1, 0)
    return (red > 170) & (abs(green - 150) < 50) & (blue < 90)


@pytest.mark.parametrize("side", ["left", "right", "top", "bottom"])
def test_outlines_along_the_edge_of_the_picture_are_seen(side):
    left, right = (200, 320) if side == "right" else (0, 100) if side == "left" else (0, 320)
    top, bottom = (100, 180) if side == "bottom" else (0, 60) if side == "top" else (0, 180)
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    stays = maps.stays([seconds_of(R=(150, 90))], (320, 180))
    seen = orange(picture_of(maps.figure(stays, (320, 180), None, {"nest": corners})))
    edge = {"left": seen[:, :6], "right": seen[:, -6:], "top": seen[:6].T, "bottom": seen[-6:].T}
    assert edge[side].any(axis=1).mean() > 0.8


def test_a_zone_may_reach_beyond_the_picture():
    stays = maps.stays([seconds_of(R=(150, 90))], (320, 180))
    wide = ((-50, -50), (400, -50), (400, 90), (-50, 90))
    inside = ((0, 0), (320, 0), (320, 90), (0, 90))
    seen = [
        orange(picture_of(maps.figure(stays, (320, 180), None, {"nest": corners})))
        for corners in (wide, inside)
    ]
    assert seen[1].mean() > 0.01
    assert (seen[0] != seen[1]).mean() < 0.001
    beside = ((-50, 0), (-10, 0), (-10, 90), (-50, 90))
    bare = orange(picture_of(maps.figure(stays, (320, 180), None, {"x": beside})))
    assert not bare[:, : bare.shape[1] // 3].any()


def test_the_hopper_is_on_the_maps_unless_zones_have_another_of_that_name(tmp_path):
    hopper, zone = ((200, 20), (300, 20), (300, 160)), ((10, 10), (60, 10), (60, 160))

    def page(hopper, zones):
        made = write_page(
            tmp_path, filmed((0, 60)), seconds=[seconds_of(R=(150, 90))], hopper=hopper,
            summaries=settings.Summaries(zones=zones),
        )  # fmt: skip
        return re.findall(r"Outlined: (.*?)\.", made), orange(picture_of(made))

    told, seen = page(hopper, {})
    assert told == ["hopper"]
    assert seen[:, seen.shape[1] // 2 :].any()
    assert page(hopper, {"nest": zone})[0] == ["hopper, nest"]
    told, seen = page(hopper, {"hopper": zone})
    assert told == ["hopper"]
    assert not seen[:, seen.shape[1] // 2 :].any()
    assert page(None, {})[0] == []


def test_maps_say_of_how_long_they_are_and_whether_there_is_a_picture(tmp_path):
    made = write_page(tmp_path, filmed((0, 120)), seconds=[seconds_of(R=(1, 1))] * 2)
    assert "place known for 2 min" in made
    assert "there is no video" in made


ROWS = {
    "few": (8, "feeder"), "many": (14, "feeder"), "more than numbers have room": (200, "feeder"),
    "long": (3, "the feeder at the wall that is the farthest of all from the nest"),
}  # fmt: skip


@pytest.mark.parametrize("case", ROWS)
def test_names_of_small_zones_are_clear_of_each_other_and_all_are_told(monkeypatch, case):
    count, name = ROWS[case]
    texts, boxes = [], []
    image = maps._image

    def looked_at(drawn, told):
        renderer = FigureCanvasAgg(drawn).get_renderer()
        texts.extend(text.get_text() for text in drawn.axes[0].texts)
        boxes.extend(text.get_window_extent(renderer) for text in drawn.axes[0].texts)
        return image(drawn, told)

    monkeypatch.setattr(maps, "_image", looked_at)
    zones = {
        f"{name} {n}": ((100 + n % 50, 80), (104 + n % 50, 80), (104 + n % 50, 86))
        for n in range(count)
    }
    made = maps.figure(maps.stays([seconds_of(R=(50, 50))], (320, 180)), (320, 180), None, zones)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert all(box.x0 >= 0 and box.x1 <= 3.2 * 100 for box in boxes)
    key = re.findall("<figcaption.*?>(.*?)</figcaption>", made)
    numbered = (
        dict(part.split(": ", 1) for part in key[0].split("; ") if ": " in part) if key else {}
    )
    unnamed = numbered.pop("outlined without a name", "").split(", ")
    names = [numbered.get(text, text) for text in texts] + [each for each in unnamed if each]
    assert sorted(names) == sorted(zones)
    assert (unnamed != [""]) == (case == "more than numbers have room")
    assert bool(key) == (case != "few")


def test_animals_that_share_a_colour_differ_by_their_marks():
    of_animals = colours.of(f"m{number}" for number in range(20))
    again = colours.rounds(of_animals)
    assert len({(of_animals[name], again[name]) for name in of_animals}) == 20


def test_a_second_that_ends_with_its_segment_is_on_maps_as_long_as_it_is():
    cut = seconds_of(R=(10, 10))
    cut.loc[cut["second"] == 59, "frames"] = 5
    assert maps.stays([cut], (320, 180))["R"].sum() == pytest.approx(59.2)


def test_segments_of_other_animals_are_on_no_map():
    usual, stranger = seconds_of(R=(10, 10), G=(20, 20)), seconds_of(R=(300, 170), Y=(5, 5))
    found = maps.stays([usual, stranger, usual, tables.empty("seconds")], (320, 180))
    assert {name: counts.sum() for name, counts in found.items()} == {"R": 120, "G": 120}
    # Where nobody knows which is right, all are told of, as in the figures.
    assert set(maps.stays([usual, stranger], (320, 180))) == {"R", "G", "Y"}


def test_places_beside_the_picture_count_at_its_edge():
    found = maps.stays([seconds_of(R=(-3, 200))], (320, 180))["R"]
    assert found[-1, 0] == found.sum() == 60


# --- Shares


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 3), min_size=1, max_size=9))
def test_places_on_the_axis_are_in_order_and_on_it(given_):
    rows = [
        {"animal": "R", "zone": f"z{number}", "seconds": 60.0}
        | dict(zip(("low", "value", "high"), sorted(three), strict=True))
        for number, three in enumerate(given_)
    ]
    told = shares.of_zones(pd.DataFrame(rows))
    for row in told.rows:
        places = [float(told.place(end)[:-1]) for end in (row.low, row.value, row.high)]
        assert places == sorted(places)
        assert 0 <= places[0] <= places[-1] <= 100


def test_zones_are_told_one_after_the_other_and_without_an_interval_where_there_is_none():
    rows = [
        {"animal": animal, "zone": zone, "value": 0.5, "low": np.nan, "high": np.nan,
         "seconds": 400.0}
        for animal in "BR" for zone in ("nest", "wheel")
    ]  # fmt: skip
    told = shares.of_zones(pd.DataFrame(rows)).rows
    assert [(row.group, row.name) for row in told] == [
        ("nest", "B"), ("", "R"), ("wheel", "B"), ("", "R"),
    ]  # fmt: skip
    assert told[0].time == "3 min 20 s of 6 min 40 s"
    assert shares.of_pairs(pd.DataFrame(columns=["animal", "other", "value"])) is None


@given(st.floats(0, 1e7))
def test_durations_are_right_to_their_smaller_unit(seconds):
    units = {"s": 1, "min": 60, "h": HOUR}
    parts = re.findall(r"([\d,]+) (\w+)", duration(seconds))
    told = sum(int(count.replace(",", "")) * units[unit] for count, unit in parts)
    finest = 1 if seconds < HOUR - 1 else 60 if seconds < 100 * HOUR - 60 else HOUR
    assert abs(told - seconds) <= finest
    assert 1 <= len(parts) <= 2


def test_contacts_and_zones_are_in_the_order_of_their_names():
    figures = rows("zone_figures", 1, inside=0.5).drop(columns=["animal", "zone"]).iloc[:1]
    names = pd.DataFrame(
        [{"animal": f"B{n}", "zone": f"z{m}"} for n in (10, 2, 1) for m in (11, 3)]
    )
    table = totals.shares(figures.merge(names, how="cross"), ["animal", "zone"], "inside")
    told = [(row.group, row.name) for row in shares.of_zones(table).rows]
    assert told == [("z3", "B1"), ("", "B2"), ("", "B10"), ("z11", "B1"), ("", "B2"), ("", "B10")]
    # Figures tell of a pair as the sheet has its names.
    names = pd.DataFrame([("B10", "B2"), ("B10", "B1"), ("B2", "B1")], columns=["animal", "other"])
    table = totals.shares(figures.merge(names, how="cross"), ["animal", "other"], "inside")
    told = [row.name for row in shares.of_pairs(table).rows]
    assert told == ["B1 and B2", "B1 and B10", "B2 and B10"]
