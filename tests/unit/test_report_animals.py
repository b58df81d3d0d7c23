"""The page of a cage: what is known of its animals, how active they are, where, and with whom."""

import re
from datetime import datetime, timedelta
from functools import partial
from html import unescape

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from animal_tables import NAMES, NIGHT, START, lively_at_night, rows, seconds_of, words, write_page
from murid import tables
from murid.errors import InputError
from murid.report.animals import maps, phases, totals
from murid.report.animals.page import parse as parse_dark
from murid.report.metric_words import HUDDLED
from murid.report.stage import Report as ReportStage
from murid.settings import Report, Settings, parse
from murid.summaries import periods


@pytest.fixture
def page(tmp_path):
    """Write the tables, run the stage, and return the page."""
    return partial(write_page, tmp_path)


# --- Totals


def test_hours_are_added_up_and_shares_weighed_by_their_time():
    table = rows("animal_figures", 2, distance=100.0, resting=0.5)
    first = table["start"] == 0
    table.loc[first, ["seconds", "resting", "resting_low", "resting_high"]] = 1800, 0.2, 0.1, 0.3
    told = totals.animals(table).set_index("animal").loc["G"]
    assert told["distance"] == 200
    assert told["seconds"] == 5400
    assert told["resting"] == pytest.approx((0.2 * 1800 + 0.5 * 3600) / 5400)
    assert told["resting_low"] == pytest.approx((0.1 * 1800 + 0.5 * 3600) / 5400)
    assert np.isnan(told["huddled"])


def test_the_page_says_of_how_much_of_the_time_the_way_is_known(page):
    table = rows("animal_figures", 4, distance=100.0)
    ways = [f"{name}{end}" for name in ("distance", "speed", "resting") for end in totals.ENDS]
    table.loc[(table["start"] == 0) & (table["animal"] == "G"), ways] = np.nan
    table.loc[table["animal"] == "R", ways] = np.nan
    told = totals.animals(table).set_index("animal")
    assert told["followed"].to_dict() == pytest.approx({"B": 1.0, "G": 0.75, "R": 0.0})
    assert told["distance"].dropna().to_dict() == {"B": 400.0, "G": 300.0}
    text = words(page(table))
    assert re.findall(r"its way is known in (\d+%) of that time", text) == ["75%", "0%"]


def test_ways_an_hour_are_told_by_phase_of_the_time_in_which_they_are_known():
    table = rows("animal_figures", 24, distance=lively_at_night)
    told = totals.animals(table, phases.parts(table, NIGHT)).set_index("animal")
    assert told["light"].to_dict() == pytest.approx(dict.fromkeys(NAMES, 1000 / 0.9))
    assert told["dark"]["R"] == pytest.approx(10_000 / 0.9)


def test_a_way_an_hour_is_of_the_time_in_which_the_way_is_known():
    """Of an hour in which it is known for 48 minutes, and one in which the animal rests."""
    table = rows("animal_figures", 2, distance=lambda made: np.where(made["start"], 0.0, 960.0))
    table["speed"] = np.where(table["start"], 0.0, 960 / 2880)
    told = totals.rates(table, ["animal"], "distance")
    assert told["value"].to_numpy() == pytest.approx(3600 * 960 / (2880 + 0.9 * 3600))


def test_a_cage_whose_days_are_decades_apart_has_its_page(page):
    late = rows("animal_figures", 8, start=START + pd.Timedelta(days=9_000), distance=1.0)
    table = pd.concat([rows("animal_figures", 8, distance=1.0), late.assign(segment="2")])
    assert len(page(table, report=Report(dark="19:00-07:00"))) < 200_000


def test_hours_of_no_time_of_day_are_neither_dark_nor_light():
    table = rows("animal_figures", 24, distance=lively_at_night)
    lost = rows("animal_figures", 24, timed=False, distance=90_000.0).assign(segment="2")
    both = tables.conform(pd.concat([table, lost], ignore_index=True), "animal_figures")
    told = totals.animals(both, phases.parts(both, NIGHT)).set_index("animal")
    assert told["light"].to_dict() == pytest.approx(dict.fromkeys(NAMES, 1000 / 0.9))
    assert told["dark"]["R"] == pytest.approx(10_000 / 0.9)
    assert told["distance"]["G"] == 24 * (1_000 + 90_000)


@pytest.mark.parametrize("day", ["2026-03-28", "2026-10-24"])
@pytest.mark.parametrize("period", ["hour", "minute"])
def test_activity_is_drawn_over_days_on_which_clocks_are_changed(page, day, period):
    start = pd.Timestamp(f"{day} 12:00", tz="UTC")
    table = rows(
        "animal_figures", 24, start=start, zone="Europe/Berlin", distance=lively_at_night,
    )  # fmt: skip
    minutes = table[table["start"] < 4 * 3600].assign(period="minute", seconds=60.0)
    given_ = table if period == "hour" else pd.concat([table[table["start"] == 0], minutes])
    told = page(given_, report=Report(dark="19:00-07:00"))
    assert "<svg" in told.split("Activity", 1)[-1]
    assert table["local"].str[-6:].nunique() == 2


def test_a_scale_that_is_known_in_part_only_is_no_scale():
    table = rows("animal_figures", 2, distance=100.0, scale=0.1)
    assert totals.unit(table) == "distance_cm"
    table.loc[0, "distance_cm"] = np.nan
    assert totals.unit(table) == "distance"


MINUTES = st.times().map(lambda at: at.replace(second=0, microsecond=0))
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1))


@given(MINUTES, MINUTES, MOMENTS, st.timedeltas(timedelta(seconds=1), timedelta(days=3)))
def test_a_time_is_dark_for_as_long_as_nights_have_of_it(begins, ends, at, lasts):
    assume(begins != ends)
    until = at + lasts
    shares = phases.share(pd.Series([at]), pd.Series([until]), (begins, ends))
    nights = phases.nights(at, until, (begins, ends))
    passed = sum((min(on, until) - max(out, at) for out, on in nights), timedelta())
    assert shares.tolist() == pytest.approx([passed / lasts], abs=1e-6)


@pytest.mark.parametrize(
    ("zone", "dark"),
    [("UTC", "19:00-07:00"), ("Europe/Berlin", "19:30-07:30"), ("Asia/Kolkata", "19:00-07:00"),
     ("Asia/Kathmandu", "06:10-18:25"), ("Europe/Berlin", "23:50-23:55")],
)  # fmt: skip
def test_the_dark_has_the_minutes_of_the_dark_whenever_hours_begin(zone, dark):
    """And hours in place of these where they can be, since their intervals are narrower."""
    begins, ends = parse_dark(dark)
    at = pd.Series(pd.date_range("2026-03-01 12:07", periods=26 * 60, freq="min", tz="UTC"))
    minutes = pd.DataFrame({"period": "minute", "time": at, "seconds": 60.0})
    hours = minutes.groupby(at.dt.floor("h").rename("hour"), as_index=False)
    hours = hours.agg({"time": "first", "seconds": "sum"}).assign(period="hour")
    both = pd.concat([minutes, hours], ignore_index=True)
    both["local"] = periods.local(both["time"], zone)
    wall = at.dt.tz_convert(zone).dt.time
    is_dark = (
        (wall >= begins) & (wall < ends) if begins < ends else (wall >= begins) | (wall < ends)
    )
    told = phases.parts(both, (begins, ends))
    assert told["dark"]["seconds"].sum() == 60 * is_dark.sum()
    assert told["light"]["seconds"].sum() == 60 * (~is_dark).sum()
    cut = sum((part["period"] == "minute").sum() for part in told.values())
    assert cut <= 3 * 60
    assert phases.has_both(
        hours.assign(local=periods.local(hours["time"], zone)), (begins, ends)
    ) == (cut > 0)


@pytest.mark.parametrize("begins", ["2026-03-28 06:00", "2026-10-24 06:00"])
def test_a_night_in_which_the_clocks_are_changed_is_shown_by_the_clock_on_the_wall(page, begins):
    table = rows(
        "animal_figures", 48, zone="Europe/London", start=pd.Timestamp(begins, tz="UTC"),
        distance=lively_at_night,
    )  # fmt: skip
    assert len({text[19:] for text in table["local"]}) == 2
    hours = table["local"].str[11:13].astype(int)
    night = table.index[(hours >= 19) | (hours < 7)]
    assert phases.parts(table, NIGHT)["dark"].index.tolist() == night.tolist()
    made = page(table, report=Report(dark="19:00-07:00"))
    assert "Distance an hour of each mouse over time" in made


def test_stays_are_counted_where_they_are():
    found = maps.stays([seconds_of(R=(10, 170)), seconds_of(R=(10, 170), G=(310, 5))], (320, 180))
    assert {name: counts.sum() for name, counts in found.items()} == {"R": 120, "G": 60}
    assert np.argwhere(found["R"]).tolist() == [[found["R"].shape[0] - 3, 3]]


# --- The page


def test_sums_of_ways_that_lack_hours_of_one_are_not_held_against_those_of_others(page):
    table = rows("animal_figures", 4, distance=100.0)
    whole = words(page(table))
    ways = [f"distance{end}" for end in totals.ENDS]
    table.loc[(table["start"] > 0) & (table["animal"] == "G"), ways] = np.nan
    assert "The furthest goes" in whole
    assert "The furthest goes" not in words(page(table))


def test_the_page_says_who_goes_furthest_and_when(page):
    table = rows("animal_figures", 24, distance=lively_at_night, scale=0.1)
    text = words(page(table, report=Report(dark="19:00-07:00")))
    assert (
        "The furthest goes R in all. In the dark (of 12 h) it is R ; "
        "in the light (of 12 h) B (or G or R: within the intervals)." in text
    )
    assert (
        "3 mice. Recorded, and all used: 24 h in 1 segment between 2026-03-01 12:00 and "
        "2026-03-02 12:00." in text
    )
    assert "the dark phase, 19:00-07:00" in text
    assert text.count("In the dark 1.1 m an hour 1.1 m to 1.1 m of 12 h") == 2
    assert "seen 70%, inferred 20%" in text
    # 12 hours of 10,000 and of 1,000 pixels, a tenth of a centimetre each.
    assert "132.0 m" in text


def test_without_times_of_day_or_scale_the_page_says_so(page):
    table = rows("animal_figures", 2, timed=False, distance=1_000.0)
    table = pd.concat([table, table.assign(period="minute")]).sort_values(
        ["period", "start", "animal"]
    )
    text = words(page(table, report=Report(dark="19:00-07:00")))
    assert "Times of day are not known" in text
    assert "2,000 px" in text
    assert "no scale is set ( summaries.pitch )" in text
    assert "in the dark" not in text.replace("dark phase", "")


def shot(start, seconds, **others):
    """Rows of an hour of the clock of which a few seconds were filmed, a segment of their own."""
    table = rows("animal_figures", 1, start=pd.Timestamp(start, tz="UTC"), distance=1.0, **others)
    return table.assign(segment=start[-5:-3], seconds=float(seconds))


def test_the_page_says_how_long_was_filmed_in_how_many_segments_and_how_many_are_lost(page):
    table = pd.concat([shot("2026-03-01 05:00", 150), shot("2026-03-01 06:00", 8)])
    text = words(page(table, used=2, unused=1))
    assert (
        "3 mice. Used: 2 min 38 s in 2 segments between 2026-03-01 05:00 and 06:01. "
        "Not used, and not in any figure below: 1 segment (1 of unknown length)." in text
    )
    # An hour that segments share is one row; when the last of them ends is known by its minutes.
    minute = shot("2026-03-01 05:59", 8, period="minute")
    text = words(page(pd.concat([shot("2026-03-01 05:00", 158), minute]), used=2))
    assert "all used: 2 min 38 s in 2 segments between 2026-03-01 05:00 and 06:00." in text


def test_what_was_filmed_nobody_knows_when_is_counted_and_told(page):
    unclocked = shot("2026-03-01 05:00", 90, timed=False)
    assert "all used: 1 min 30 s in 1 segment." in words(page(unclocked))
    text = words(page(pd.concat([unclocked, shot("2026-03-01 06:00", 30)]), used=2))
    assert (
        "all used: 2 min in 2 segments between 2026-03-01 06:00 and 06:01, "
        "where times of day are known." in text
    )


def test_what_huddling_is_stands_beside_its_figures(page):
    text = words(page(rows("animal_figures", 2, distance=1_000.0, huddled=0.5)))
    assert text.index("Huddled 50%") < text.index(HUDDLED)


def test_what_huddling_is_stands_on_the_page_of_the_archive(tmp_path):
    given_ = {
        "counts": tables.empty("counts"), "summaries": tables.empty("summaries"),
        "animal_figures": rows("animal_figures", 2, distance=1_000.0, huddled=0.5),
    }  # fmt: skip
    paths = {name: tmp_path / f"{name}.parquet" for name in given_}
    for name, table in given_.items():
        tables.write(table, paths[name], name)
    ReportStage(
        counts=[paths["counts"]], summaries=[paths["summaries"]],
        hours=paths["animal_figures"], output_dir=tmp_path / "report",
    ).run()  # fmt: skip
    text = words((tmp_path / "report" / "index.html").read_text("utf-8"))
    assert text.index(HUDDLED) < text.index("Resting Huddled") < text.index("50%")


def test_contacts_zones_and_maps_are_drawn_where_something_is_known(page):
    made = page(
        rows("animal_figures", 8, distance=1_000.0),
        rows("zone_figures", 8, inside=0.25),
        rows("pair_figures", 8, contact=0.5),
        [seconds_of(R=(10, 10), G=(100, 100))],
    )
    assert re.findall('alt="(Where . stays)"', made) == ["Where G stays", "Where R stays"]
    for heading in ("Activity", "Who is with whom", "Time in zones", "When each is known"):
        assert f"<h2>{heading}</h2>" in made
    assert "nest B 25% (25 to 25%) 1 h 48 min of 7 h 12 min G" in words(made)
    assert "B and R 50% (50 to 50%) 3 h 36 min of 7 h 12 min" in words(made)


def test_a_cage_of_which_nothing_is_known_has_a_page_that_says_so(page):
    text = words(page())
    assert "no segment of it could be used" in text
    assert "Activity" not in text


def test_a_segment_that_cannot_be_read_does_not_stop_the_page(page, tmp_path):
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"nothing")
    made = page(
        rows("animal_figures", 2, distance=1.0), seconds=[seconds_of(R=(1, 1))], more=[broken]
    )
    assert "Where R stays" in made


@pytest.mark.parametrize("odd", ["<b>&$x$", '<b>"&$x$">', "<b>'&$x$'>", """<b>"'&$x$'">"""])
def test_names_of_animals_are_no_markup(page, odd):
    table = rows("animal_figures", 8, distance=1.0)
    table["animal"] = table["animal"].replace("R", odd)
    made = page(table, seconds=[seconds_of(**{odd: (1, 1)})])
    assert odd not in made
    said = [unescape(title) for title in re.findall("<g [^>]*><title>(.*?)</title>", made)]
    own = [title for title in said if title.startswith(odd)]
    assert any(title.endswith("pixels an hour (1.1 to 1.1)") for title in own)
    assert len(own) == len(said) / 3
    assert f"{odd} 70% seen 20% inferred, 10% unknown" in unescape(words(made))


@pytest.mark.parametrize(
    "dark",
    [
        "19-7",
        "19:00",
        "25:00-07:00",
        "19:00-07:00 ",
        "19:00-19:00",
        "7pm-7am",
    ],
)
def test_a_dark_phase_that_is_none_is_refused(dark):
    with pytest.raises(InputError, match=r"report\.dark: found .* two times of day, as 19:00"):
        parse(Settings, {"archive": ".", "report": {"dark": dark}})
