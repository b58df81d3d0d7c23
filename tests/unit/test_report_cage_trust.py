"""Whether a cage can be trusted: by day, with all that was found of it, and nothing said twice."""

import re
from html import unescape

import numpy as np
import pytest

from dated_cages import day, health, segment_of, summaries, told_of
from murid import schemas
from murid.report import cage_trust
from murid.report.templates import environment
from murid.settings import Alerts, Report


def trust(segments, told=(), **limits):
    return cage_trust.trust(summaries(*segments), health(*told), "UTC", Alerts(**limits))


def page(trusted, **settings):
    """The section as its reader sees it."""
    made = environment("report").get_template("cage_trust.html.j2")
    text = made.render(trusted=trusted, settings=Report(**settings))
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


BAD = {"status": "discarded", "reason": "the tag of G is never read"}


def test_of_a_sound_cage_one_line_says_so():
    trusted = trust([segment_of(n) for n in range(3)])
    assert trusted.sound
    text = page(trusted)
    assert "Yes: all segments of the 3 days that were filmed can be used" in text
    assert day(0) not in text


def test_a_day_of_which_annotations_contradict_the_names_is_to_be_used_with_care():
    trusted = trust([segment_of(0, compared=100, alike=36, expected_alike=93.0), segment_of(1)])
    assert [row.answer for row in trusted.days] == ["with care", "yes"]
    assert trusted.days[0].notes == "annotations contradict names"
    assert len(trusted.found) == 1
    assert "of 100 boxes that people named, 36 have the same name" in trusted.found[0]


def test_each_day_is_trusted_by_what_could_be_used_of_it():
    rows = [
        segment_of(0), segment_of(1, status="repaired", reason="cut short"),
        segment_of(2), segment_of(2, name="bad", **BAD), segment_of(3, **BAD),
    ]  # fmt: skip
    trusted = trust(rows)
    assert [row.answer for row in trusted.days] == ["yes", "with care", "in part", "no"]
    assert [row.segments for row in trusted.days] == [
        "1 usable", "1 repaired", "1 usable, 1 discarded", "1 discarded"
    ]  # fmt: skip
    assert [(row.recorded, row.unused) for row in trusted.days] == [
        ("1 h", ""), ("1 h", ""), ("2 h", "1 h"), ("1 h", "1 h")
    ]  # fmt: skip
    assert trusted.answer == (
        f"Not all days alike: no on {day(3)}; in part on {day(2)}; with care on {day(1)}; "
        "yes on the other day."
    )


def test_a_day_on_which_something_is_silent_is_trusted_with_care_and_the_others_are():
    told = [told_of("dead_antenna", 1, subject="8", value=10.0, since=2)]
    trusted = trust([segment_of(n) for n in range(2)], told)
    assert [(row.answer, row.notes) for row in trusted.days] == [
        ("yes", ""), ("with care", "antenna 8 silent")
    ]  # fmt: skip
    (sentence,) = trusted.found
    assert sentence.startswith(f"Antenna 8 of cage A has been silent since {day(1)} 12:00")


KINDS = {
    "dead_antenna": ({"subject": "8", "value": 10.0, "since": 0}, "antenna 8 silent"),
    "silent_antenna": ({"subject": "8", "value": 5.0, "since": 0, "until": 5}, "antenna 8 silent"),
    "silent_tag": ({"subject": "R", "value": 10.0, "since": 0}, "tag of R silent"),
    "missing_hours": ({"value": 3.0, "since": 0, "until": 3}, "no reads for 3.0 h"),
    "log": ({"subject": "x", "log": "x", "remark": "torn"}, "log x cannot be used"),
    "failed_clock": ({"subject": "x", "log": "x", "remark": "stood"}, "clock of x jumps or stands"),
    "unknown_tag": ({"subject": "T", "log": "x", "value": 50, "out_of": 99}, "unknown tag T"),
    "foreign_tag": ({"subject": "T", "value": 5, "remark": "is of B"}, "tag T of another cage"),
    "clock_offset": (
        {"subject": "x", "log": "x", "value": -40.0},
        "antennas' clock 40.0 s behind (put right)",
    ),
    "clock_drift": (
        {"subject": "x", "log": "x", "value": 400.0},
        "antennas' clock goes fast or slow",
    ),
    "unread": ({"subject": "R", "value": 0.95, "out_of": 90}, "R hardly read"),
    "ghost_reads": ({"subject": "x", "log": "x", "value": 50, "out_of": 99}, "misread tags"),
    "frames_missing": ({"subject": "A0", "value": 9000, "out_of": 99_000}, "frames missing"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_finding_is_told_once_in_a_sentence_and_in_short_beside_its_day(kind):
    more, note = KINDS[kind]
    trusted = trust([segment_of(0)], [told_of(kind, 0, **more)])
    assert [row.notes for row in trusted.days] == [note]
    assert len(trusted.found) == 1
    assert not trusted.sound


def test_every_kind_of_finding_has_a_test_that_shows_it():
    assert {*KINDS} == {*schemas.HEALTH[: schemas.HEALTH.index("antennas_read")]}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_within_its_limit_is_told_all_the_same_where_it_is_a_finding(kind):
    more, note = KINDS[kind]
    small = dict.fromkeys(
        ("silent_antenna", "silent_tag", "missing_hours", "clock_offset", "clock_drift"), 1000.0
    ) | dict.fromkeys(("unread", "unknown_tag", "ghost_reads", "missing_frames"), 1.0)
    trusted = trust([segment_of(0)], [told_of(kind, 0, **more)], **small)
    assert [row.notes for row in trusted.days] == [note]
    assert len(trusted.found) == 1


def test_frames_that_are_missing_stand_with_their_number_beside_their_day():
    trusted = trust([segment_of(0, missing_frames=9_000), segment_of(1)])
    assert [(row.missing, row.missing_share) for row in trusted.days] == [(9_000, 0.1), (0, 0)]
    text = page(trusted)
    assert "9,000 (10.0%)" in text
    assert "9,000 frames are missing in 1 of 1 segments" in text


def test_why_segments_were_repaired_or_not_used_is_told_once_with_their_names():
    told = [told_of("frames_missing", n, subject=f"A{n}", value=9, out_of=9) for n in range(2)]
    trusted = trust([segment_of(n, **BAD) for n in range(2)] + [segment_of(2)], told)
    text = page(trusted)
    assert text.count(f": {BAD['reason']}") == 1 + 2  # beside each day, too
    assert "2 segments discarded: not to be used. A0, A1: the tag of G is never read" in text
    assert trusted.found == []


@pytest.mark.parametrize("status", schemas.STATUSES)
def test_a_day_has_nothing_amiss_if_and_only_if_it_is_trusted(status):
    def told(*rows):
        rows = [(number, "" if status == "usable" else reason) for number, reason in rows]
        made = [
            segment_of(number, name=f"s{place}", status=status, reason=reason)
            for place, (number, reason) in enumerate(rows)
        ]
        return [row.notes for row in trust(made).days]

    long = "frames of R are missing (" + "7, " * 99 + "9) in its log; and more"
    notes = told((0, long), (0, "it is"), (0, "it is"), (1, "it is"), (2, long))
    assert notes == {"usable": [""] * 3}.get(
        status,
        [f"{status}: it is and others", f"{status}: it is",
         f"{status}: frames of R are missing in its log…"],
    )  # fmt: skip


WITHIN = {
    "silent_antenna": [{"value": 0.5, "since": 8, "until": 9}],
    "silent_tag": [{"value": 0.5, "since": 8, "until": 9}, {"subject": "G", "value": 0.5}],
    "missing_hours": [{"value": 0.5, "since": 8, "until": 9}],
    "unknown_tag": [{"log": "y", "out_of": 99_000}],
    "clock_offset": [{"subject": "A1", "log": "", "value": 5.0}],
    "unread": [{"subject": "G", "value": 0.8}],
    "ghost_reads": [{"subject": "y", "log": "y", "out_of": 99_000}],
    "frames_missing": [{"subject": "A1", "value": 90}],
}
"""By kind of finding, something else of the same kind and day that is within its limit."""


def told_beside(kind, *others):
    """What is said beside the alert of a finding that is beyond its limit."""
    beyond = KINDS[kind][0]
    told = [told_of(kind, 0, **beyond, remark="beyond")]
    told += [told_of(kind, number, **beyond | within, remark="within") for number, within in others]
    names = ("A0", "A1", "A2")
    alert, *found = trust([segment_of(int(name == "A2"), name=name) for name in names], told).found
    assert "within." not in alert
    return found


@pytest.mark.parametrize("kind", WITHIN)
def test_an_alert_leaves_out_no_finding_of_something_else(kind):
    for within in WITHIN[kind]:
        (sentence,) = told_beside(kind, (0, within))
        assert sentence.endswith(": within.")


@pytest.mark.parametrize("kind", WITHIN)
def test_an_alert_leaves_out_no_finding_of_another_day(kind):
    small = {"subject": "A2", "value": 90} if kind == "frames_missing" else {"value": 0.001}
    (sentence,) = told_beside(kind, (1, small))
    assert sentence.endswith(": within.")


def test_tags_of_one_log_that_an_alert_tells_of_together_are_told_once():
    row = {"log": "x", "value": 50, "out_of": 999}
    told = [told_of("unknown_tag", n, subject=tag, **row) for n in (0, 1) for tag in "ABCDE"]
    assert len(trust([segment_of(0), segment_of(1)], told).found) == 1


def test_of_a_clock_the_most_that_it_is_off_stands_beside_a_day():
    told = [
        told_of("clock_offset", subject="A0", value=12.0),
        told_of("clock_offset", subject="x", log="x", value=-14.0, since=0),
    ]
    (row,) = trust([segment_of(0)], told).days
    assert row.notes == "antennas' clock 14.0 s behind (put right)"


def test_a_clock_that_was_off_by_little_and_put_right_is_told_and_its_day_can_be_trusted():
    off = (2.0, 0.4, -3.0, np.nan)
    told = [
        told_of("clock_offset", n, subject="x", log="x", value=value, since=0, finding=False)
        for n, value in enumerate(off)
    ]
    segments = [segment_of(n) for n in range(4)]
    trusted = trust(segments, told)
    assert trusted.sound
    assert [row.answer for row in trusted.days] == ["yes"] * 4
    notes = [
        "antennas' clock 2.0 s ahead (put right)",
        "",
        "antennas' clock 3.0 s behind (put right)",
        "",
    ]
    assert [row.notes for row in trusted.days] == notes
    assert "The antennas' clock was at most 3.0 s behind, and was put right." in page(trusted)
    # Where not all is well, each day says it.
    text = page(trust([*segments, segment_of(0, name="bad", **BAD)], told))
    assert all(note in text for note in notes)


def test_days_without_video_have_no_row_and_a_segment_of_no_day_has_one():
    reads = [told_of("reads", n, value=10, out_of=1, finding=False) for n in range(3)]
    trusted = trust([segment_of(0), segment_of(1, begins=None, **BAD)], reads)
    assert [row.day for row in trusted.days] == [cage_trust.UNKNOWN_DAY, day(0)]


def test_a_cage_of_which_nothing_was_filmed_is_not_said_to_be_sound():
    trusted = trust([])
    assert trusted.answer == "Nothing of it was filmed."
    assert not trusted.sound


def test_of_many_days_those_are_shown_on_which_something_is_amiss():
    rows = [segment_of(n, **(BAD if n == 7 else {})) for n in range(10)]
    text = page(trust(rows), max_findings=5)
    assert re.findall(r"2026-03-\d\d (?:yes|no|in)", text) == [f"{day(7)} no"]
    assert "Of 10 days, those are here on which something is amiss" in text


def test_reasons_are_text_in_the_page():
    trusted = trust([segment_of(0, status="failed", reason="<b>5 < 3</b>")])
    assert "<b>5 < 3</b>" in page(trusted)
