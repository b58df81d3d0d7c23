"""Tags of other cages in a log: an animal that nobody knows to be there, or a log of both."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid.animals import Worn
from murid.readings import strays

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
WHEN = (NOON, NOON + timedelta(minutes=30))
OWN = [Worn("A", "R", "A1", line=2), Worn("A", "G", "A2", line=3)]
OTHERS = [Worn("B", "R", "B1", line=4), Worn("B", "G", "B2", line=5), Worn("C", "R", "C1", line=6)]
READ = {"A1": 900, "A2": 1100}


def judged(
    reads: dict[str, int], cages: Sequence[str] = ("A",), worn: Sequence[Worn] = (*OWN, *OTHERS)
) -> tuple[str, str]:
    found = strays.find(reads, worn, cages, WHEN, 0.02)
    verdict = strays.judge(found, "log.csv", cages)
    return verdict.status, verdict.reason


def test_an_animal_of_another_cage_that_lives_here_by_its_reads_discards_the_segment() -> None:
    status, reason = judged({**READ, "B1": 800})
    assert status == "discarded"
    for told in ("log.csv (by the sheet a log of A)", "800 reads of B1 (of B R)", "1,000 each",
                 "line 4"):  # fmt: skip
        assert told in reason


@pytest.mark.parametrize(
    ("reads", "cages", "told"),
    [
        ({"B1": 100}, ("A",), ["100 reads of B1 (of B R)", "line 4"]),
        ({"B1": 800, "B2": 700}, ("A",), ["B1", "B2", "as all of B: if it serves B, too"]),
        ({"C1": 800, "B1": 900}, ("A", "B"), ["800 reads of C1 (of C R)"]),
    ],
    ids=["seldom", "all of its cage", "a log of several cages"],
)
def test_others_are_told_and_discard_nothing(
    reads: dict[str, int], cages: tuple[str, ...], told: list[str]
) -> None:
    status, reason = judged(READ | reads, cages)
    assert status == "repaired"
    assert all(text in reason for text in told)


@pytest.mark.parametrize(
    ("reads", "cages"),
    [
        ({"B1": 800}, ("A", "B")),
        ({"B1": 800}, ()),
        ({"B1": 20}, ("A",)),
        ({"X": 800}, ("A",)),
    ],
    ids=["served", "not known what is served", "misread", "of nobody"],
)
def test_what_is_no_stray_is_not_told(reads: dict[str, int], cages: tuple[str, ...]) -> None:
    assert judged(READ | reads, cages) == ("usable", "")


@pytest.mark.parametrize("late", [-5, 5, 29])
def test_an_animal_that_moves_in_while_a_segment_is_filmed_is_no_stray(late: int) -> None:
    moves = NOON + timedelta(minutes=late)
    worn = [*OWN, *OTHERS[1:], Worn("B", "R", "B1", until=moves), Worn("A", "B", "B1", since=moves)]
    assert judged({**READ, "B1": 800}, worn=worn)[0] == "usable"


@given(
    counts=st.dictionaries(st.sampled_from(["A1", "A2", "B1", "B2", "C1"]), st.integers(0, 2000)),
    cages=st.sets(st.sampled_from("ABC"), min_size=1),
)
def test_strays_are_tags_of_cages_that_are_not_served_with_all_of_their_reads(
    counts: dict[str, int], cages: set[str]
) -> None:
    found = strays.find(counts, [*OWN, *OTHERS], sorted(cages), WHEN, 0.02)
    for stray in found:
        assert stray.tag[0] == stray.worn.cage not in cages
        assert stray.reads == counts[stray.tag]
    frequent = {tag for tag, count in counts.items() if count > 2 and tag[0] not in cages}
    assert {stray.tag for stray in found if stray.often} >= {
        tag for tag in frequent if counts[tag] >= max(counts.values()) > 40
    }
