"""The archive as a calendar: cages by days."""

import re

import numpy as np
import pandas as pd

from dated_cages import health, segment_of, summaries
from murid.alerts import days as alert_days
from murid.report.calendar import MOST_DAYS, calendars, frames_missing


def days_of(cages, days, usable=2, coverage=0.8, confidence=0.9):
    return pd.DataFrame([
        {"cage": cage, "day": day, "segments": 2, "usable": usable, "coverage": coverage,
         "confidence": confidence}
        for cage in cages for day in days
    ])  # fmt: skip


def calendars_of(table, most, segments=()):
    dated = alert_days.dated(summaries(*segments), health(), "UTC")
    return calendars(table, frames_missing(dated), most)


def texts(svg):
    """Texts of a figure as it is drawn for wide pages."""
    return re.findall(r"<!-- (.*?) -->", str(svg).partition('<div class="slim">')[0])


def test_each_quantity_that_is_known_has_a_calendar_with_cages_in_their_order():
    table = days_of(["C10", "C2"], ["2026-03-01", "2026-03-03"], confidence=np.nan)
    drawn = calendars_of(table, most=9)
    assert [each.quantity.title for each in drawn] == ["Segments that could be used", "Seen"]
    names = [text for text in texts(drawn[0].svg) if text.startswith("C")]
    assert names == ["C2", "C10"]
    # The day between, on which nothing was filmed, has its place, too.
    assert [text for text in texts(drawn[0].svg) if "Mar" in text] == [
        "Sun 01 Mar 2026", "Mon 02 Mar 2026", "Tue 03 Mar 2026",
    ]  # fmt: skip


def test_what_could_be_used_is_told_by_segments_and_says_so():
    (used, *_) = calendars_of(days_of(["A"], ["2026-03-01"], usable=1), most=9)
    assert "A: 50.0% on 2026-03-01" in str(used.svg)
    assert used.quantity.words.startswith("share of the day's segments")


def test_days_of_which_frames_are_missing_have_a_calendar_that_shows_it():
    """Nobody may have annotated them, and names may be as sure as ever."""
    rows = [segment_of(0, missing_frames=22_500), segment_of(1), segment_of(1, name="x")]
    rows += [segment_of(0, "B", status="discarded", missing_frames=90_000), segment_of(1, "B")]
    dated = alert_days.dated(summaries(*rows), health(), "UTC")
    table = alert_days.cages(dated, health())
    titles = [each.quantity.title for each in calendars_of(table, 9, rows)]
    assert titles == ["Segments that could be used", "Frames that are there", "Seen", "Sure"]
    drawn = str(calendars_of(table, 9, rows)[1].svg)
    assert "A: 87.5% on average of 2 days, least 75.0% on 2026-03-01" in drawn
    assert "B: 100.0% on 2026-03-02" in drawn
    whole = [row | {"missing_frames": 0} for row in rows]
    assert len(calendars_of(table, 9, whole)) == len(calendars_of(table, 9)) == 3


def test_without_days_there_is_no_calendar():
    assert calendars_of(days_of(["A"], [""]), most=9) == []
    assert (
        calendars_of(
            days_of([], []).reindex(columns=["cage", "day", "segments"]).fillna(""), most=9
        )
        == []
    )


def test_the_cages_that_lose_most_are_those_that_are_shown():
    table = pd.concat([
        days_of(["A", "B"], ["2026-03-01"]), days_of(["Z"], ["2026-03-01"], usable=0),
    ])  # fmt: skip
    drawn = calendars_of(table, most=1)
    assert drawn[0].more_cages == 2
    assert "Z" in texts(drawn[0].svg)
    assert "A" not in texts(drawn[0].svg)


def test_of_years_the_last_is_shown():
    days = [f"{day:%Y-%m-%d}" for day in pd.date_range("2020-01-01", periods=1000)]
    drawn = calendars_of(days_of(["A"], days), most=9)
    shown = [text for text in texts(drawn[0].svg) if "20" in text and "%" not in text]
    first = pd.Timestamp("2020-01-01") + pd.Timedelta(days=1000 - MOST_DAYS)
    assert shown[0] == f"{first:%a %d %b %Y}"
    assert len(str(drawn[0].svg)) < 200_000


def test_a_day_that_is_decades_off_leaves_no_other_out():
    drawn = calendars_of(days_of(["A"], ["1970-01-01", "2026-03-01", "2062-03-02"]), most=9)
    shown = [text for text in texts(drawn[0].svg) if re.fullmatch(r"\w+ \d\d \w+ \d{4}", text)]
    assert shown == ["Thu 01 Jan 1970", "Sun 01 Mar 2026", "Thu 02 Mar 2062"]


def test_the_same_table_gives_the_same_bytes():
    table = days_of(["A", "B"], ["2026-03-01"], usable=0)
    assert calendars_of(table, 9) == calendars_of(table, 9)


def test_of_few_days_the_figures_are_written_too():
    table = days_of(["A"], ["2026-03-01"], coverage=0.83)
    assert "83" in texts(calendars_of(table, 9)[1].svg)
    many = [f"{day:%Y-%m-%d}" for day in pd.date_range("2026-03-01", periods=40)]
    assert "83" not in texts(calendars_of(days_of(["A"], many, coverage=0.83), 9)[1].svg)


def test_days_on_which_nothing_was_filmed_do_not_make_the_calendar_longer():
    table = days_of(["A"], ["2026-03-01", "2026-03-02"])
    logged = days_of(["A"], ["2026-03-03"], usable=0).assign(segments=0)
    drawn = calendars_of(pd.concat([table, logged]), 9)
    assert drawn == calendars_of(table, 9)
