"""Whose tags are: known, of other cages, misread, unknown, silent."""

from datetime import UTC, datetime, timedelta

import pandas as pd

from murid.animals import Worn
from murid.readings import tags

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
WHEN = (NOON, NOON + timedelta(minutes=30))
KNOWN = [Worn("A", "R", "AAAA"), Worn("A", "G", "BBBB"), Worn("B", "R", "CCCC")]


def test_tags_are_sorted_by_the_table() -> None:
    reads = {"AAAA": 900, "BBBB": 1100, "CCCC": 40, "AAAB": 2, "DDDD": 10, "EEEE": 500}
    found = tags.by_table(reads, KNOWN, "A", WHEN, 0.02)
    assert found.animals == {"R": ("AAAA",), "G": ("BBBB",)}
    assert found.elsewhere == {"CCCC": 40}
    assert found.ghosts == {"AAAB": 2, "DDDD": 10}
    assert found.strangers == {"EEEE": 500}
    reason = tags.judge(found, reads).reason
    assert "EEEE (500 reads)" in reason
    assert "CCCC" not in reason, "a log may serve several cages"
    assert "AAAB" not in reason, "there are misread tags in any log"


def test_a_tag_that_is_changed_in_a_segment_is_of_one_animal() -> None:
    change = NOON + timedelta(minutes=10)
    worn = [Worn("A", "R", "OLD", until=change), Worn("A", "R", "NEW", since=change)]
    found = tags.by_table({"OLD": 5, "NEW": 9}, worn, "A", WHEN, 0.02)
    assert found.animals == {"R": ("OLD", "NEW")}
    read = pd.Series(["NEW", "OLD", "X"], dtype="category")
    assert tags.animal_of(read, found.animals).tolist() == [0, 0, -1]


def test_a_tag_that_was_worn_before_is_none_of_the_segment() -> None:
    worn = [*KNOWN, Worn("A", "B", "OLD", until=NOON)]
    found = tags.by_table({"AAAA": 900, "BBBB": 900, "OLD": 300}, worn, "A", WHEN, 0.02)
    assert "B" not in found.animals
    assert found.strangers == {"OLD": 300}


def test_a_log_of_another_cage_is_told() -> None:
    reads = {"CCCC": 900}
    reason = tags.judge(tags.by_table(reads, KNOWN, "A", WHEN, 0.02), reads).reason
    assert "the tag of R (AAAA), G (BBBB) is never read, but CCCC (900 reads) of other" in reason


def test_a_known_tag_without_reads_is_told() -> None:
    reads = {"AAAA": 900}
    found = tags.by_table(reads, KNOWN, "A", WHEN, 0.02)
    assert found.animals["G"] == ("BBBB",)
    verdict = tags.judge(found, reads)
    assert verdict.status == "repaired"
    assert "the tag of G (BBBB) is never read" in verdict.reason


def test_without_a_table_tags_are_names() -> None:
    reads = {"696F": 1834, "6970": 69, "34AD": 1, "all": 900}
    found = tags.by_reads(reads, (), 0.02)
    assert list(found.animals) == ["696F", "6970"]
    assert found.ghosts == {"34AD": 1, "all": 900}, "a reserved word is no animal"
    named = tags.by_reads({**reads, "FFFF": 700}, ("696f", "6970"), 0.02)
    assert named.animals == {"696f": ("696F",), "6970": ("6970",)}
    assert named.ghosts == {"34AD": 1}
    assert set(named.strangers) == {"all", "FFFF"}


def test_all_is_well_where_every_tag_is_known() -> None:
    reads = {"AAAA": 900, "BBBB": 1}
    assert tags.judge(tags.by_table(reads, KNOWN, "A", WHEN, 0.02), reads).reason == ""
