"""Alerts that go on for days are told once, and what got worse with what probably made it so."""

import pandas as pd
import pytest

from dated_cages import day, health, segment_of, summaries, told_of
from murid.alerts import days, found
from murid.alerts.faults import Fault, continued
from murid.clocks.words import rate
from murid.settings import Alerts


def alerts(segments, told=(), **limits):
    """The rows of alerts of rows of segments and of health."""
    of_health = health(*told)
    dated = days.dated(summaries(*segments), of_health, "UTC")
    cages = days.cages(dated, of_health)
    return found.alerts(dated, cages, of_health, "UTC", Alerts(**limits)).to_dict("records")


def span(row):
    return row["day"], row["last_day"]


DOUBTFUL = "the readings of R do not fit the boxes"


def test_names_that_are_unsure_for_days_are_one_alert_with_the_worst_of_them():
    (row,) = alerts([segment_of(n, confidence=c) for n, c in enumerate([0.7, 0.5, 0.6])])
    assert span(row) == (day(0), day(2))
    assert row["value"] == 0.5
    assert f"from {day(0)} to {day(2)} (worst on {day(1)})" in row["words"]


def test_a_sound_day_ends_an_alert_and_a_day_without_video_does_not():
    low, sound = {"confidence": 0.5}, {}
    after = [segment_of(0, **low), segment_of(1, **sound), segment_of(2, **low)]
    assert [span(row) for row in alerts(after)] == [(day(0), day(0)), (day(2), day(2))]
    weekend = [segment_of(0, **low), segment_of(3, **low)]
    reads = [told_of("reads", n, value=10, out_of=1, finding=False) for n in range(4)]
    assert [span(row) for row in alerts(weekend, reads)] == [(day(0), day(3))]


def test_what_is_of_another_cage_animal_or_log_is_no_continuation():
    rows = [segment_of(0, confidence=0.5), segment_of(1, cage="B", confidence=0.5)]
    assert len(alerts(rows)) == 2
    for kind, more in (
        ("unread", {"value": 0.95, "out_of": 9}),
        ("clock_offset", {"value": 50.0}),
        ("ghost_reads", {"value": 50, "out_of": 100}),
    ):
        logged = kind != "unread"
        told = [
            told_of(kind, n, subject=name, log=name * logged, **more)
            for n, name in enumerate(["R", "G"])
        ]
        assert len(alerts([segment_of(n) for n in range(2)], told)) == 2


def test_segments_that_cannot_be_used_for_days_are_counted_and_named_together():
    rows = [segment_of(n, status="discarded", reason="no reads" if n else "torn") for n in range(3)]
    (row,) = alerts([*rows, segment_of(0, name="good")])
    assert row["subject"] == "A0, A1, A2"
    assert row["value"] == 1.0
    assert row["words"].startswith(f"3 of 4 segments of cage A from {day(0)} to {day(2)}")
    assert "2 of them: no reads" in row["words"]


def test_frames_missing_for_days_are_summed_up_and_the_worst_segment_is_named():
    rows = [segment_of(n, missing_frames=frames) for n, frames in enumerate([9_000, 18_000])]
    (row,) = alerts(rows)
    assert (row["subject"], row["value"]) == ("A1", 0.2)
    assert row["words"].startswith("27,000 frames are missing in 2 of 2 segments of cage A")
    assert "up to 20.0% of the frames of one (in A1: 18,000)" in row["words"]


def test_a_fault_without_a_day_goes_on_from_none():
    rows = [segment_of(n, confidence=0.5, begins=None) for n in range(2)]
    assert [span(row) for row in alerts([*rows, segment_of(2, confidence=0.5)])] == [
        ("", ""), (day(2), day(2))
    ]  # fmt: skip


def test_days_of_a_log_of_several_cages_are_those_of_any_of_them():
    faults = [Fault("ghost_reads", "A, B", day(n), same="x.csv") for n in (0, 2)]
    measured = pd.DataFrame({"cage": ["A", "B", "B"], "day": [day(0), day(1), day(2)]})
    assert len([*continued(faults, measured)]) == 2
    assert len([*continued(faults, measured[::2])]) == 1


# --- likely causes


def test_the_reason_of_repaired_segments_stands_in_the_alert_of_their_days():
    bad = {"confidence": 0.5, "status": "repaired", "reason": DOUBTFUL}
    (row,) = alerts([segment_of(n, **bad) for n in range(3)])
    assert row["words"].endswith(f"Likely cause: in 3 segments, {DOUBTFUL}")
    assert "see to its antennas" not in row["words"]


CAUSES = [
    ("silent_tag", {"subject": "R", "value": 20.0, "since": 0}, "the tag of R is silent"),
    ("dead_antenna", {"subject": "8", "value": 20.0, "since": 0}, "antenna 8 is silent"),
    ("missing_hours", {"value": 5.0, "since": 0, "until": 5}, "no tag is read for 5.0 h"),
    ("unread", {"subject": "R", "value": 0.95, "out_of": 9}, "R is without a reading in 95.0%"),
]


@pytest.mark.parametrize(("kind", "more", "words"), CAUSES)
@pytest.mark.parametrize("low", [{"confidence": 0.5}, {"identified": 0.1}])
def test_what_is_silent_on_a_day_is_named_in_the_alert_of_its_names(kind, more, words, low):
    told = [told_of(kind, 0, **more)]
    (row,) = [row for row in alerts([segment_of(0, **low)], told) if row["what"].startswith("low")]
    assert f"Likely cause: {words}" in row["words"]


@pytest.mark.parametrize(("number", "cage"), [(1, "A"), (0, "B")])
def test_what_is_found_of_another_day_or_cage_is_no_cause(number, cage):
    told = [told_of("silent_tag", number, cage=cage, subject="R", value=5.0, since=0, until=5)]
    segments = [segment_of(0, confidence=0.5), segment_of(number, cage=cage)]
    (row,) = [row for row in alerts(segments, told) if row["what"] == "low_confidence"]
    assert "Likely cause" not in row["words"]
    assert row["words"].endswith("see to its antennas, and review its names")


def test_frames_that_are_missing_explain_low_coverage_and_not_low_confidence():
    rows = alerts([segment_of(0, identified=0.1, confidence=0.5, missing_frames=45_000)])
    told = {row["what"]: row["words"] for row in rows}
    assert told["low_coverage"].endswith("Likely cause: 45,000 frames are missing")
    assert "Likely cause" not in told["low_confidence"]


# --- clocks


def clock(number, value, gains=0.0):
    row = {"subject": "x.csv", "log": "x.csv", "since": 0}
    yield told_of("clock_offset", number, value=value, **row)
    yield told_of("clock_drift", number, value=gains * 1e6 / 86_400, finding=False, **row)


def test_a_clock_that_is_off_for_days_is_late_or_early_on_the_first_last_and_worst():
    told = [row for n, value in enumerate([12.0, 40.0, -15.0]) for row in clock(n, value)]
    (row,) = alerts([segment_of(n) for n in range(3)], told)
    assert (row["what"], row["value"]) == ("clock_offset", 40)
    assert row["words"].startswith(
        "the antennas' clock (log x.csv) of cage A: against the camera's it is "
        f"12.0 s ahead on {day(0)}, 40.0 s ahead on {day(1)}, 15.0 s behind on {day(2)}; "
        "readings are put right; set the clock"
    )


def test_a_clock_that_is_off_on_one_day_is_told_as_health_tells_it():
    remark = "the antennas' clock (log x.csv): it is 12.0 s behind, at 10:00"
    row = {"subject": "x.csv", "log": "x.csv", "since": 0, "remark": remark}
    (row,) = alerts([segment_of(0)], [told_of("clock_offset", value=-12.0, **row)])
    assert row["words"] == (
        "the antennas' clock (log x.csv) of cage A: it is 12.0 s behind, at 10:00; set the clock"
    )


@pytest.mark.parametrize(
    ("gains", "words"), [(5.0, "goes fast by 5.0 s a day"), (-5.0, "goes slow by 5.0 s")]
)
def test_how_fast_a_clock_gains_is_told_where_it_is_known(gains, words):
    (row,) = alerts([segment_of(0)], [*clock(0, 20.0, gains)], clock_drift=1000)
    assert words in row["words"]
    (row,) = alerts([segment_of(0)], [*clock(0, 20.0)])
    assert "a day" not in row["words"]


def test_a_clock_that_drifts_for_days_does_so_until_the_last_and_on_days_on_which_it_is_not_off():
    told = [row for n in range(3) for row in clock(n, 0.0, 20.0 + n)]
    (row,) = alerts([segment_of(n) for n in range(3)], told)
    assert (row["what"], *span(row)) == ("clock_drift", day(0), day(2))
    told += clock(3, 50.0, 20.0)
    rows = alerts([segment_of(n) for n in range(4)], told)
    assert [(row["what"], *span(row)) for row in rows] == [
        ("clock_drift", day(0), day(2)), ("clock_offset", day(3), day(3))
    ]  # fmt: skip


def test_days_that_tell_nearly_the_same_drift_of_a_clock_say_the_same_in_words():
    assert len({rate(seconds) for seconds in (11.0, 11.1, 11.2)}) == 1
    assert len({rate(seconds) for seconds in (9.0, 9.5)}) == 2


@pytest.mark.parametrize("drifts_on", [0, 1])
def test_of_a_clock_that_is_off_for_days_the_drift_of_any_of_them_is_told(drifts_on):
    told = [
        row
        for n, value in enumerate([20.0, 30.0])
        for row in clock(n, value, 26.0 * (n == drifts_on))
    ]
    (row,) = alerts([segment_of(n) for n in range(2)], told)
    assert (row["what"], row["value"]) == ("clock_offset", 30)
    assert "it goes fast by 26 s a day" in row["words"]


def test_a_segment_whose_log_is_off_by_itself_is_named_with_its_cage():
    told = [told_of("clock_offset", subject="A0", value=-20.0)]
    (row,) = alerts([segment_of(0)], told)
    assert row["words"].startswith(
        "the antennas' clock of cage A, in segment A0: against the camera's it is 20.0 s behind "
        f"on {day(0)}"
    )


@pytest.mark.parametrize("later", [0, 1])
def test_segments_whose_logs_are_off_by_themselves_are_told_each_by_its_own_figure(later):
    told = [
        told_of("clock_offset", number, subject=name, value=value)
        for number, name, value in ((0, "A0", -20.0), (later, "A1", 60.0))
    ]
    rows = alerts([segment_of(0), segment_of(later, name="A1")], told)
    assert {row["subject"]: row["value"] for row in rows} == {"A0": 20.0, "A1": 60.0}
    for row, off in zip(rows, ("20.0 s behind", "60.0 s ahead"), strict=True):
        assert f"in segment {row['subject']}: against the camera's it is {off} on" in row["words"]
