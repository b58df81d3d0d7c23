"""What got worse than its limits: each kind of alert, just beyond its limit and just inside."""

import math
import random

import pandas as pd
import pytest

from dated_cages import day, health, segment_of, summaries, told_of
from murid import schemas, tables
from murid.alerts import days, found
from murid.alerts.tell import tell
from murid.errors import InputError
from murid.settings import Alerts, Settings
from murid.settings_faults import parse


def alerts(segments, told=(), zone="UTC", **limits):
    """The table of alerts of rows of segments and of health."""
    of_health = health(*told)
    dated = days.dated(summaries(*segments), of_health, zone)
    cages = days.cages(dated, of_health)
    return found.alerts(dated, cages, of_health, zone, Alerts(**limits))


def only(table):
    """The one alert that there is."""
    (row,) = table.to_dict("records")
    return row


def past(count=6, **others):
    """Days of a cage with one segment each."""
    return [segment_of(number, **others) for number in range(count)]


def test_of_sound_cages_there_are_no_alerts():
    told = [
        told_of("unread", number, subject="R", value=0.2, out_of=90_000, finding=False)
        for number in range(20)
    ]
    assert alerts([*past(20), *past(20, cage="B")], told).empty


PEOPLE = {"compared": 100, "expected_alike": 93.0}


@pytest.mark.parametrize(
    ("others", "beyond"),
    [
        ({"alike": 72}, True), ({"alike": 74}, False), ({"alike": 100}, False),
        ({"alike": 36, "expected_alike": None}, False),
        ({"alike": 36, "expected_alike": 50.0}, False),
        ({"compared": 19, "alike": 0, "expected_alike": 19.0}, False),
    ],
)  # fmt: skip
def test_names_that_people_contradict_are_told_where_confidence_does_not_say_so(others, beyond):
    table = alerts([segment_of(**PEOPLE | others), segment_of(1)])
    assert table["what"].tolist() == ["contradicted"] * beyond


def test_segments_of_a_day_are_held_against_people_together_and_days_told_as_one():
    segments = [
        segment_of(0, name="bad", **PEOPLE, alike=30),
        segment_of(0, name="good", **PEOPLE, alike=90),
        segment_of(1, name="worse", **PEOPLE, alike=10),
        segment_of(2, name="sound", **PEOPLE, alike=92),
    ]
    row = only(alerts(segments))
    assert (row["day"], row["last_day"], row["value"]) == (day(0), day(1), pytest.approx(0.83))
    assert "of 300 boxes that people named, 130 have the same name" in row["words"]
    assert "279 were expected (bad, worse)" in row["words"]


SILENT = {"subject": "8", "since": 4}
CLOCK = {"subject": "x.csv", "log": "x.csv", "since": 0}
OF_LOG = {"log": "x.csv", "out_of": 1000}
HEALTH = {
    "silent_antenna": ("silent_antenna", {**SILENT, "until": 6}, 1.01, 0.99, 1.01),
    "silent_tag": ("silent_tag", {**SILENT, "subject": "R"}, 1.01, 0.99, 1.01),
    "missing_hours": ("missing_hours", {"since": 4, "until": 6}, 1.01, 0.99, 1.01),
    "unread": ("unread", {"subject": "R", "out_of": 90_000}, 0.91, 0.89, 0.91),
    "clock_offset": ("clock_offset", CLOCK, -10.1, -9.9, 10.1),
    "clock_drift": ("clock_drift", CLOCK, -101, -99, 101),
    "unknown_tag": ("unknown_tag", {"subject": "T1", **OF_LOG}, 11, 9, 0.011),
    "ghost_reads": ("ghost_reads", {"subject": "x.csv", **OF_LOG}, 11, 9, 0.011),
}
"""Of each alert: its kind in health, more of the row, its value beyond and inside, as is told."""


@pytest.mark.parametrize("what", HEALTH)
def test_what_health_measures_is_told_beyond_its_limit_and_not_inside(what):
    kind, more, beyond, inside, value = HEALTH[what]
    assert alerts(past(1), [told_of(kind, value=inside, **more)]).empty
    row = only(alerts(past(1), [told_of(kind, value=beyond, **more)]))
    assert (row["what"], row["cage"], row["day"]) == (what, "A", day(0))
    assert row["value"] == pytest.approx(value)
    assert row["limit"] == getattr(Alerts(), what)


def test_a_log_whose_clock_stood_still_is_told():
    told = "log x.csv: its clock stood still: 450 reads are left out"
    row = {"subject": "x.csv", "log": "x.csv", "remark": told}
    alert = only(alerts(past(1), [told_of("failed_clock", **row)]))
    assert (alert["what"], alert["subject"]) == ("log", "x.csv")
    assert told in alert["words"]


def test_a_log_that_cannot_be_used_is_told_and_one_that_was_mended_not():
    row = {"subject": "x.csv", "log": "x.csv", "remark": "torn"}
    assert alerts(past(1), [told_of("log", **row, finding=False)]).empty
    alert = only(alerts(past(1), [told_of("log", **row)]))
    assert (alert["what"], alert["subject"]) == ("log", "x.csv")
    assert alert["words"] == "a log of cage A, x.csv, cannot be used as it is: torn"
    assert pd.isna(alert["limit"])


MEASURED = {
    "low_coverage": ({"identified": 0.29}, {"identified": 0.31}),
    "low_confidence": ({"confidence": 0.79}, {"confidence": 0.81}),
    "missing_frames": ({"missing_frames": 4501}, {"missing_frames": 4499}),
    "failed": ({"status": "failed", "reason": "a bug"}, {"status": "usable"}),
    "discarded": ({"status": "discarded", "reason": "no reads"}, {"status": "repaired"}),
}


@pytest.mark.parametrize("what", MEASURED)
def test_what_segments_tell_is_told_beyond_its_limit_and_not_inside(what):
    beyond, inside = MEASURED[what]
    assert alerts([segment_of(**inside)]).empty
    row = only(alerts([segment_of(**beyond)]))
    assert (row["what"], row["cage"], row["day"]) == (what, "A", day(0))
    assert row["subject"] == ("" if what.startswith("low") else "A0")


FALLEN = {
    "falling_coverage": ("identified", 0.67, 0.69),
    "falling_confidence": ("confidence", 0.902, 0.903),
    "fewer_boxes": ("detections", 121_000, 122_000),
}
"""Of each: what falls below what :func:`segment_of` has, and what not."""


@pytest.mark.parametrize("what", FALLEN)
def test_what_falls_below_the_usual_is_told_and_what_does_not_is_not(what):
    column, beyond, inside = FALLEN[what]
    assert alerts([*past(), segment_of(6, **{column: inside})]).empty
    row = only(alerts([*past(), segment_of(6, **{column: beyond})]))
    assert (row["what"], row["day"]) == (what, day(6))
    assert row["value"] < row["limit"]


def test_fewer_reads_than_usual_are_told_by_the_hour():
    def told(last):
        return [
            told_of("reads", number, value=value, out_of=10, finding=False)
            for number, value in enumerate([4000] * 6 + [last])
        ]

    assert alerts(past(7), told(2010)).empty
    row = only(alerts(past(7), told(1990)))
    assert (row["what"], row["value"], row["limit"]) == ("fewer_reads", 199, 200)
    assert "199 times an hour" in row["words"]
    assert "400 times are usual" in row["words"]


def test_every_alert_has_a_test_that_raises_it():
    others = {"log", "failed_page", "fewer_reads", "contradicted"}
    assert {*HEALTH, *MEASURED, *FALLEN, *others} == {*schemas.ALERTS}


def test_every_alert_but_of_logs_and_pages_has_a_limit_of_its_name():
    assert {*schemas.ALERTS} - {"log", "failed_page"} == {*Alerts.model_fields} - {
        "past_days",
        "least_days",
    }


@pytest.mark.parametrize("before", [4, 5])
def test_what_is_usual_needs_enough_days(before):
    table = alerts([*past(before), segment_of(before, identified=0.5)])
    assert list(table["what"]) == ["falling_coverage"] * (before == 5)


def test_what_is_usual_is_of_the_cage_itself():
    rows = [*past(8, identified=0.9), *past(8, cage="B", identified=0.5)]
    assert alerts(rows).empty


def test_what_is_usual_follows_a_cage_that_has_changed():
    rows = [*past(20), *(segment_of(number, identified=0.5) for number in range(20, 40))]
    table = alerts(rows, past_days=7)
    assert set(table["what"]) == {"falling_coverage"}
    # Until the median is of the new ones.
    assert list(table["day"]) == [day(20)]
    assert list(table["last_day"]) == [day(23)]


def test_a_day_that_has_hardly_begun_is_compared_with_none():
    short = segment_of(6, identified=0.5, frames=44_000, detections=80_000)
    assert alerts([*past(), short]).empty
    longer = segment_of(6, identified=0.5, frames=46_000, detections=83_000)
    assert only(alerts([*past(), longer]))["what"] == "falling_coverage"


def test_segments_of_no_known_day_are_compared_with_none_but_judged():
    rows = [*past(), segment_of(6, identified=0.1, begins=None)]
    row = only(alerts(rows))
    assert (row["what"], row["day"], row["last_day"]) == ("low_coverage", "", "")
    assert "on a day that is not known" in row["words"]


def test_what_was_not_measured_is_worse_than_no_limit():
    unknown = dict.fromkeys(
        ("identified", "confidence", "median_confidence", "unread", "missing_frames")
    )
    assert alerts(past(8, **unknown)).empty


def test_a_silence_of_days_is_one_alert_with_all_of_its_hours():
    told = [
        told_of("dead_antenna", number, subject="8", value=hours, since=12 - 24 * number)
        for number, hours in enumerate([2.0, 24.0, 24.0])
    ]
    row = only(alerts(past(3), told))
    assert (row["what"], row["value"]) == ("silent_antenna", 50)
    assert (row["day"], row["last_day"]) == (day(0), day(2))
    assert row["time"] == "2026-03-01 22:00"
    assert "has been silent since 2026-03-01 22:00, 50.0 h" in row["words"]


def test_times_and_days_are_by_the_zone_of_the_archive():
    told = [told_of("silent_tag", subject="R", value=5.0, since=0, until=5)]
    begins = pd.Timestamp("2026-03-01 23:30", tz="UTC")
    rows = [segment_of(0, confidence=0.5, begins=begins)]
    table = alerts(rows, told, zone="Europe/Paris").set_index("what")
    assert table.loc["low_confidence", "day"] == "2026-03-02"
    assert "from 2026-03-01 11:00 to 2026-03-01 16:00" in table.loc["silent_tag", "words"]


def test_what_is_of_a_log_is_told_once_with_its_cages():
    row = {"subject": "x.csv", "log": "x.csv", "value": 600.0, "since": 0}
    told = [told_of("clock_offset", cage=cage, **row) for cage in ("A10", "A2")]
    segments = [segment_of(cage=cage) for cage in ("A2", "A10")]
    assert only(alerts(segments, told))["cage"] == "A2, A10"


def test_of_a_clock_it_is_said_whose_it_is_early_or_late_and_how_it_drifts():
    remark = (
        "the antennas' clock (log x.csv): it is 12.0 s behind, at 10:00; it goes slow by 9.0 s a "
        "day"
    )
    row = {"subject": "x.csv", "log": "x.csv", "since": 0, "remark": remark}
    told = [told_of("clock_offset", value=-12.0, **row), told_of("clock_drift", value=-104, **row)]
    whose = (
        "the antennas' clock (log x.csv) of cage A: it is 12.0 s behind, at 10:00; it goes slow by "
    )
    # One that is off says how it drifts: it is told once.
    only_one = only(alerts(past(1), told))
    assert only_one["what"] == "clock_offset"
    assert only_one["words"] == whose + "9.0 s a day; set the clock"
    drifts = only(alerts(past(1), told[1:]))
    assert drifts["what"] == "clock_drift"
    assert drifts["words"].startswith(whose)


def test_unknown_tags_of_a_log_are_one_alert_that_names_some():
    told = [
        told_of("unknown_tag", subject=f"T{n}", log="x.csv", value=10 - n, out_of=1000)
        for n in range(5)
    ]
    row = only(alerts(past(1), told))
    assert row["value"] == pytest.approx(0.04)
    assert "(T0, T1, T2 and 2 more)" in row["words"]


def test_segments_that_fail_on_a_day_are_one_alert_with_the_reason_of_most():
    reasons = ["full disk", "a bug", "a bug", "a bug", "a bug"]
    rows = [
        segment_of(name=f"s{n}", status="failed", reason=reason) for n, reason in enumerate(reasons)
    ]
    row = only(alerts([*rows, segment_of(name="good")]))
    assert row["value"] == pytest.approx(5 / 6)
    assert row["words"] == (
        "5 of 6 segments of cage A on 2026-03-01 failed (s0, s1, s2 and 2 more): 4 of them: a bug "
        "(in full: report/segments.csv)"
    )


def test_hours_without_a_read_tell_which_part_was_filmed():
    remark = "no tag of A is read from x to y; filmed then: 1.5 h, from 10:30 to 12:00"
    told = [told_of("missing_hours", value=1.5, out_of=3.0, since=1, until=4, remark=remark)]
    row = only(alerts(past(1), told))
    assert row["words"] == (
        f"cage A was filmed for 1.5 h without a read: {remark}; see to the reader and its log"
    )


def test_hours_without_a_read_of_which_little_was_filmed_are_within_the_limit():
    told = [
        told_of("missing_hours", value=0.002, out_of=19.0, since=1, until=20),
        told_of("reads", value=1200, out_of=4, finding=False),
    ]
    assert alerts(past(1), told).empty
    assert cages(past(1), told)["missing_hours"].tolist() == [0.002]
    words = only(alerts(past(1), told, missing_hours=0.0))["words"]
    assert words.startswith("cage A was filmed for 0.1 min without a read")


def test_a_page_that_could_not_be_made_is_told():
    table = tell(summaries(*past(1)), health(), "UTC", Alerts(), {"A": "report_cage failed: x"})
    row = only(table["alerts"])
    assert (row["what"], row["cage"], row["day"]) == ("failed_page", "A", "")
    assert row["words"].endswith("tries again: report_cage failed: x")


def test_a_discarded_segment_among_many_is_no_alert():
    rows = [segment_of(name=str(n)) for n in range(9)]
    gone = segment_of(name="gone", status="discarded", reason="no reads")
    assert alerts([*rows, gone]).empty
    assert only(alerts([*rows[1:], gone]))["what"] == "discarded"


def test_frames_that_lack_by_clock_and_in_the_video_are_summed_up_for_a_segment():
    told = [told_of("frames_missing", subject="A0", value=10_000, out_of=100_000)]
    rows = [segment_of(missing_frames=2_000), segment_of(name="whole")]
    row = only(alerts(rows, told))
    assert (row["what"], row["subject"], row["value"]) == ("missing_frames", "A0", 0.12)
    assert row["words"].startswith("12,000 frames are missing in 1 of 2 segments of cage A")


def test_frames_of_a_segment_that_cannot_be_used_are_not_missing():
    told = [told_of("frames_missing", subject="A0", value=90_000, out_of=90_000)]
    rows = [segment_of(status="discarded", reason="no reads", missing_frames=80_000)]
    assert list(alerts(rows, told)["what"]) == ["discarded"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_order_does_not_depend_on_that_of_the_tables(seed):
    rows = [
        segment_of(number, cage=cage, confidence=0.5, identified=0.1)
        for cage in ("A10", "A2")
        for number in range(7)
    ]
    told = [
        told_of("unread", number, cage="A2", subject=animal, value=0.95, out_of=100)
        for number in range(3)
        for animal in ("G", "R")
    ]
    expected = alerts(rows, told)
    random.Random(seed).shuffle(rows)
    random.Random(seed).shuffle(told)
    pd.testing.assert_frame_equal(alerts(rows, told), expected)
    assert list(expected["day"]) == sorted(expected["day"])
    assert list(expected["cage"][:2]) == ["A2", "A10"]


def test_an_archive_of_nothing_has_no_alerts():
    assert alerts([]).empty


def test_more_days_cannot_be_needed_than_are_looked_at():
    with pytest.raises(InputError, match="least_days of 3 at most"):
        parse(Settings, {"archive": ".", "alerts": {"past_days": 3, "least_days": 4}})


# --- a line for each cage and day


def cages(segments, told=()):
    of_health = health(*told)
    table = days.cages(days.dated(summaries(*segments), of_health, "UTC"), of_health)
    return table.set_index(["cage", "day"])


def test_how_sure_names_are_is_told_to_four_digits_and_held_against_limits_as_it_is():
    given_ = summaries(segment_of(confidence=0.948527574539, median_confidence=0.948527574539))
    for limit, alerts in ((0.94852, []), (0.94853, ["low_confidence"])):
        told = tell(given_, health(), "UTC", Alerts(low_confidence=limit))
        (row,) = told["cages"].to_dict("records")
        assert (row["confidence"], row["median_confidence"]) == (0.9485, 0.9485)
        assert told["alerts"]["what"].tolist() == alerts


def test_a_cage_and_day_is_summed_up_by_the_length_of_segments():
    rows = [
        segment_of(name="long", identified=0.9, confidence=0.9, unread=0.0, median_confidence=0.9),
        segment_of(
            name="short", frames=30_000, identified=0.5, confidence=0.8, unread=0.4,
            detections=30_000, median_confidence=0.7, missing_frames=3,
        ),
        segment_of(name="gone", status="discarded", reason="no reads", frames=45_000),
        segment_of(name="bad", status="failed", reason="a bug", frames=0, animals=()),
    ]  # fmt: skip
    row = cages(rows).loc["A", day(0)]
    assert row[["segments", "usable", "discarded", "failed"]].tolist() == [4, 2, 1, 1]
    assert row["hours"] == pytest.approx(165_000 / 25 / 3600)
    assert row["coverage"] == pytest.approx(0.8)
    assert row["confidence"] == pytest.approx((0.9 * 0.9 * 3 + 0.8 * 0.5) / (0.9 * 3 + 0.5))
    assert row["median_confidence"] == 0.9
    assert row["unread"] == pytest.approx(0.1)
    assert row["boxes_per_frame"] == pytest.approx(192_000 / 120_000)
    assert row["missing_frames"] == 3
    assert row["worst_reason"] == "failed: a bug"


def test_what_logs_tell_of_a_cage_and_day_stands_in_its_line():
    told = [
        told_of("reads", value=1200, out_of=4, finding=False),
        told_of("dead_antenna", subject="10", value=3.0, since=1),
        told_of("dead_antenna", subject="9", value=3.0, since=1),
        told_of("silent_antenna", subject="4", value=3.0, since=1, until=4),
        told_of("silent_tag", subject="R", value=3.0, since=1),
        told_of("missing_hours", value=1.5, since=1, until=3),
        told_of("missing_hours", value=4.0, since=5, until=9, finding=False),
        told_of("ghost_reads", subject="x", log="x", value=7, out_of=99),
        told_of("ghost_reads", subject="y", log="y", value=2, out_of=99),
        told_of("clock_offset", subject="x", log="x", value=1.5, since=0),
        told_of("clock_offset", subject="y", log="y", value=-4.5, since=0),
        told_of("clock_drift", subject="x", log="x", value=12.0, since=0),
    ]
    row = cages([segment_of()], told).loc["A", day(0)]
    assert row["reads_per_hour"] == 300
    lists = row[["dead_antennas", "silent_antennas", "silent_tags"]]
    assert lists.tolist() == ["9, 10", "4", "R"]
    measured = row[["missing_hours", "ghost_reads", "clock_offset", "clock_drift"]]
    assert measured.tolist() == [1.5, 9, -4.5, 12]


def test_where_it_is_not_known_what_was_filmed_of_hours_without_a_read_they_are_not_known():
    told = [
        told_of("reads", value=1200, out_of=4, finding=False),
        told_of("missing_hours", value=math.nan, out_of=2.0, since=1, until=3, finding=False),
    ]
    assert math.isnan(cages([segment_of()], told).loc[("A", day(0)), "missing_hours"])


def test_of_a_cage_without_logs_nothing_is_told_of_logs():
    row = cages([segment_of()]).loc["A", day(0)]
    unknown = ["reads_per_hour", "ghost_reads", "clock_offset", "clock_drift", "missing_hours"]
    assert row[unknown].isna().all()
    assert row["dead_antennas"] == ""


def test_a_day_with_a_log_and_no_segment_has_a_line_of_its_own():
    table = cages([segment_of()], [told_of("reads", 1, value=10, out_of=1, finding=False)])
    assert table.loc[("A", day(1)), ["segments", "hours"]].tolist() == [0, 0]
    assert table.loc[("A", day(1)), "reads_per_hour"] == 10
    assert pd.isna(table.loc[("A", day(1)), "coverage"])


def test_lines_are_by_cage_as_people_count_and_day():
    rows = [segment_of(number, cage) for cage in ("A10", "A2") for number in (1, 0)]
    assert list(cages(rows).index) == [
        ("A2", day(0)), ("A2", day(1)), ("A10", day(0)), ("A10", day(1))
    ]  # fmt: skip


def test_the_day_of_a_segment_that_spans_midnight_is_that_on_which_it_begins():
    begins = pd.Timestamp("2026-03-01 23:59", tz="UTC")
    assert list(cages([segment_of(begins=begins)]).index) == [("A", "2026-03-01")]


def test_an_archive_of_nothing_has_no_lines():
    assert cages([]).empty
    assert tables.empty("cages").columns.tolist()[:2] == ["cage", "day"]
