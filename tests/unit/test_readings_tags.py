"""Whose tags are: known, of other cages, misread, unknown, silent."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from murid.animals import Worn
from murid.readings import tags

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
WHEN = (NOON, NOON + timedelta(minutes=30))
KNOWN = [Worn("A", "R", "AAAA"), Worn("A", "G", "BBBB"), Worn("B", "R", "CCCC")]


def reads_of(counts: dict[str, int]) -> tuple[pd.Series, NDArray[np.int64]]:
    """Return so many reads of each tag, at noon."""
    read = pd.Series([tag for tag, count in counts.items() for _ in range(count)], dtype="category")
    return read, np.full(len(read), MICROSECONDS)


MICROSECONDS = round(NOON.timestamp() * 1e6)


def sort(
    counts: dict[str, int], worn: Sequence[Worn] = KNOWN
) -> tuple[tags.Sorted, NDArray[np.int64]]:
    return tags.of_reads(*reads_of(counts), worn, "A", WHEN, 0.02)


def test_tags_are_sorted_by_the_table() -> None:
    reads = {"AAAA": 900, "BBBB": 1100, "CCCC": 40, "AAAB": 2, "DDDD": 10, "EEEE": 500}
    found, owners = sort(reads)
    assert found == tags.by_table(reads, KNOWN, "A", WHEN, 0.02)
    assert found.animals == {"R": ("AAAA",), "G": ("BBBB",)}
    assert found.elsewhere == {"CCCC": 40}
    assert found.ghosts == {"AAAB": 2, "DDDD": 10}
    assert found.strangers == {"EEEE": 500}
    assert np.unique(owners, return_counts=True)[1].tolist() == [552, 900, 1100]
    reason = tags.judge(found, owners, last_read).reason
    assert "EEEE (500 reads)" in reason
    assert "CCCC" not in reason, "a log may serve several cages"
    assert "AAAB" not in reason, "there are misread tags in any log"


def test_a_log_of_another_cage_is_told() -> None:
    reason = tags.judge(*sort({"CCCC": 900}), last_read).reason
    assert "R (AAAA) was read last at noon (AAAA), G (BBBB) was" in reason
    assert reason.endswith("; in it, the logs have CCCC (900 reads) of other cages")


@given(st.lists(st.tuples(st.integers(0, 1799), st.sampled_from(["T", "U"])), min_size=1))
def test_a_read_is_of_whoever_wore_the_tag_then(reads: list[tuple[int, str]]) -> None:
    """Two animals exchange their tags within a segment, and one moves to another cage."""
    change, leaves = NOON + timedelta(minutes=10), NOON + timedelta(minutes=20)
    worn = [
        Worn("A", "R", "T", until=change), Worn("A", "G", "T", since=change),
        Worn("A", "G", "U", until=change), Worn("A", "R", "U", since=change, until=leaves),
        Worn("B", "R", "U", since=leaves),
    ]  # fmt: skip
    read = pd.Series([tag for _, tag in reads], dtype="category")
    times = np.array([MICROSECONDS + second * 1_000_000 for second, _ in reads])
    found, owners = tags.of_reads(read, times, worn, "A", WHEN, 0.02)
    names = [*found.animals, "nobody"]
    for (second, tag), owner in zip(reads, owners, strict=True):
        early = second < 600
        expected = {"T": "R" if early else "G", "U": "G" if early else "R"}[tag]
        assert names[owner] == ("nobody" if tag == "U" and second >= 1200 else expected)
    assert sum(found.elsewhere.values()) == sum(tag == "U" and s >= 1200 for s, tag in reads)


def test_a_tag_that_is_changed_in_a_segment_is_of_one_animal() -> None:
    change = NOON + timedelta(minutes=10)
    worn = [Worn("A", "R", "OLD", until=change), Worn("A", "R", "NEW", since=change)]
    read = pd.Series(["NEW", "OLD", "X", "NEW"], dtype="category")
    late = round(change.timestamp() * 1e6)
    times = np.array([late, MICROSECONDS, late, MICROSECONDS])
    found, owners = tags.of_reads(read, times, worn, "A", WHEN, 0.02)
    assert found.animals == {"R": ("OLD", "NEW")}
    assert owners.tolist() == [0, 0, -1, -1], "the last read is from before the tag was put on"


def test_a_tag_that_was_worn_before_is_none_of_the_segment() -> None:
    worn = [*KNOWN, Worn("A", "B", "OLD", until=NOON)]
    found = tags.by_table({"AAAA": 900, "BBBB": 900, "OLD": 300}, worn, "A", WHEN, 0.02)
    assert "B" not in found.animals
    assert found.strangers == {"OLD": 300}


def test_a_known_tag_without_reads_is_told() -> None:
    found, owners = sort({"AAAA": 900})
    assert found.animals["G"] == ("BBBB",)
    verdict = tags.judge(found, owners, last_read)
    assert verdict.status == "repaired"
    assert verdict.reason == "before the segment, G (BBBB) was read last at noon (BBBB)"


def last_read(worn: Sequence[str]) -> str:
    return f"was read last at noon ({', '.join(worn)})"


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
    assert tags.judge(*sort({"AAAA": 900, "BBBB": 1}), last_read).reason == ""
