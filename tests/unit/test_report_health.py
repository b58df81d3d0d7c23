"""What the report says of antennas, tags and clocks: the outcome of what was looked for."""

import numpy as np
import pytest

from dated_cages import day, health, told_of
from murid.report import soundness
from murid.report.health import UNUSED, findings


def checked(cage="A", antennas=18, stretches=30, offset=0.0, days=1):
    """Rows of what was checked of a cage."""
    return [
        *(
            told_of(kind, cage=cage, day="", value=value, out_of=of, finding=False)
            for kind, value, of in (
                ("antennas_read", antennas, 18), ("tags_read", 3, 3), ("stretches", stretches, 18)
            )
        ),
        *(
            told_of("reads", n, cage=cage, value=2400, out_of=24, finding=False)
            for n in range(days)
        ),
        told_of("unread", cage=cage, subject="R", value=0.01, out_of=100, finding=False),
        told_of(
            "clock_offset", cage=cage, subject="x", log="x", since=0, value=offset, finding=False
        ),
    ]  # fmt: skip


def row_of(*told):
    made = soundness.checked(health(*told))
    (row,) = made.rows
    return made, row


def test_a_dead_antenna_counts_as_read_nowhere_and_is_named_with_its_time():
    dead = [told_of("dead_antenna", n, subject="8", value=20, since=2 - 24 * n) for n in range(2)]
    told = soundness.checked(health(*checked("A"), *checked("B"), *dead))
    assert told.antennas == "35 of 36"
    assert [row["antennas"] for row in told.rows] == ["17 of 18", "18 of 18"]
    assert [row["silences"] for row in told.rows] == [f"antenna 8 since {day(0)} 12:00", "none"]
    assert told.silent == f"in cage A antenna 8 since {day(0)} 12:00"


def test_a_tag_that_falls_silent_is_no_longer_read():
    told, row = row_of(*checked(), told_of("silent_tag", subject="G", value=20, since=2))
    assert (row["tags"], told.tags) == ("2 of 3", "2 of 3")
    assert told.silent.startswith("in cage A tag of G since")


def test_what_was_silent_for_a_while_is_read_and_its_silence_is_told():
    silence = told_of("silent_antenna", subject="8", value=4, since=2, until=6)
    told, row = row_of(*checked(), silence)
    assert row["antennas"] == "18 of 18"
    assert row["silences"] == f"antenna 8 from {day(0)} 12:00 to {day(0)} 16:00"
    assert told.silent == ""


def test_of_few_stretches_it_is_told_that_silences_were_not_looked_for():
    told, row = row_of(*checked(stretches=3))
    assert row["silences"].startswith("not checked")
    assert len(told.unchecked) == 1


@pytest.mark.parametrize(
    ("offset", "words"),
    [(0.0, "right"), (32.04, "at most 32.0 s ahead, put right"), (-2.0, "at most 2.0 s behind"),
     (np.nan, "not checked")],
)  # fmt: skip
def test_by_how_much_a_clock_is_off_is_told(offset, words):
    assert row_of(*checked(offset=offset))[1]["clock"].startswith(words)


def test_a_clock_that_is_known_on_some_days_says_so():
    unknown = told_of("clock_offset", 1, subject="x", log="x", since=0, finding=False)
    told, row = row_of(*checked(offset=5.0), unknown)
    assert row["clock"] == "at most 5.0 s ahead, put right; known on 1 of 2 days"
    assert told.unchecked == ["clocks, on all or some days (1 of 1 cage)"]


@pytest.mark.parametrize(
    ("value", "of", "what"),
    [(473, 1875, "frames missing"), (1875, 1875, UNUSED), (np.nan, np.nan, UNUSED)],
)
def test_frames_that_are_missing_are_told_apart_from_segments_of_no_use(value, of, what):
    row = told_of("frames_missing", subject="1", value=value, out_of=of, remark="so")
    assert [row["what"] for row in findings(health(row))] == [what]
