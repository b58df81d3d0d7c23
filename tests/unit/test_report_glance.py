"""The first screen of the page: what there was, what is known, and what needs a human."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid import schemas
from murid.report import views
from murid.report.glance import covered, tiles, to_do

HOUR = 90_000
"""Frames of an hour at 25 frames a second."""


def segment(cage, name, status="usable", frames=HOUR, identified=0.9, animals=("R", "G", "B")):
    row = dict.fromkeys(schemas.CONTRACTS["summaries"].schema.names)
    row |= {
        "cage": cage, "segment": name, "split": "", "status": status, "reason": "",
        "animals": list(animals), "frames": frames, "fps": 25.0, "method": "path",
        "identified": identified,
    }  # fmt: skip
    return row


def uncertain(*seconds):
    """Stretches of a segment one after the other."""
    ends = 25 * np.cumsum(seconds, dtype=int)
    return pd.DataFrame({
        "cage": "A", "segment": "1", "first_frame": ends - 25 * np.array(seconds, dtype=int),
        "last_frame": ends - 1, "seconds": [float(each) for each in seconds],
    })  # fmt: skip


def told(rows, stretches=(), findings=0):
    return tiles(pd.DataFrame(rows), uncertain(*stretches), findings)


def test_a_sound_archive_is_told_in_four_figures_and_asks_for_nothing():
    rows = [segment("A", "1"), segment("A", "2", identified=0.7), segment("B", "1", animals="RG")]
    archive, used, known, to_do = told(rows)
    assert (archive.figure, archive.more) == ("3.0 hours", "2 cages, 3 segments, 5 mice")
    assert (used.figure, used.see) == ("all", False)
    # Weighed by animals: (3 * .9 + 3 * .7 + 2 * .9) / 8.
    assert known.figure == "82.5%"
    assert (to_do.figure, to_do.more, to_do.see) == ("nothing", "as far as is known", False)


def test_what_could_not_be_used_is_told_by_time_and_does_not_count_as_known():
    rows = [
        segment("A", "1", identified=0.5),
        segment("A", "2", "discarded", frames=HOUR // 2, identified=None),
        segment("B", "1", "failed", frames=HOUR // 2, identified=None),
    ]
    _, used, known, to_do = told(rows)
    assert (used.figure, used.see) == ("50.0%", True)
    assert used.more == "of the time; 1 segment discarded, 1 segment failed"
    assert known.figure == "50.0%"
    assert (to_do.figure, to_do.more) == ("1 failed segment", "")


def test_where_nothing_could_be_used_nothing_is_known():
    _, used, known, _ = told([segment("A", "1", "discarded", identified=None)])
    assert (used.figure, known.figure, known.see) == ("0.0%", "–", True)


def test_segments_without_frames_are_no_time():
    archive, used, known, _ = told([segment("A", "1", "failed", frames=0, identified=None)])
    assert (archive.figure, used.figure, known.figure) == ("0.0 minutes", "0.0%", "–")


@pytest.mark.parametrize(
    ("stretches", "findings", "figure", "more"),
    [
        ((30, 60), 0, "2 uncertain stretches", "of 1.5 minutes"),
        ((), 1, "1 finding", "about antennas and clocks"),
        ((60,), 2, "2 findings", "about antennas and clocks, 1 uncertain stretch of 1.0 minutes"),
    ],
)  # fmt: skip
def test_what_needs_a_human_is_counted(stretches, findings, figure, more):
    to_do = told([segment("A", "1")], stretches, findings)[-1]
    assert (to_do.figure, to_do.more, to_do.place, to_do.see) == (figure, more, "todo", True)


def test_pages_of_cages_that_could_not_be_made_need_a_human():
    to_do = tiles(pd.DataFrame([segment("A", "1")]), uncertain(), 0, pages=2)[-1]
    assert (to_do.figure, to_do.more, to_do.place) == ("2 pages of cages", "not made", "todo")


def test_the_animal_that_is_least_seen_is_named():
    row = {"inferred": 0.3, "seconds": 3600.0}
    hours = pd.DataFrame([
        row | {"cage": "A", "animal": "R", "seen": 0.6},
        row | {"cage": "B", "animal": "R", "seen": 0.1, "seconds": 600.0},
        row | {"cage": "B", "animal": "R", "seen": 0.7},
        row | {"cage": "B", "animal": "G", "seen": 0.8},
    ])  # fmt: skip
    known = tiles(pd.DataFrame([segment("A", "1")]), uncertain(), 0, hours=hours)[2]
    least = "least of all R in cage A: seen 60% of the time, its place inferred for another 30%"
    assert known.more.endswith(least)
    none = tiles(pd.DataFrame([segment("A", "1")]), uncertain(), 0, hours=hours[:0])[2]
    assert "least" not in none.more


@given(
    st.lists(
        st.tuples(st.sampled_from(["1", "2"]), st.integers(0, 50), st.integers(0, 30)), max_size=8
    )
)
def test_what_several_stretches_hold_is_uncertain_once(drawn):
    rows = [
        {"cage": "A", "segment": segment, "first_frame": first, "last_frame": first + more,
         "seconds": (more + 1) / 25}
        for segment, first, more in drawn
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["cage", "segment", "first_frame", "last_frame", "seconds"])
    frames = {(segment, first + n) for segment, first, more in drawn for n in range(more + 1)}
    assert covered(table) == pytest.approx(len(frames) / 25)


# --- the list of what needs a human

ALERT = {"what": "silent_antenna", "words": "antenna 8 of cage A is silent"}
FINDING = {"cage": "A", "what": "dead antenna", "which": "8", "remark": "no read since noon"}


def listed(rows=(), pages=(), alerts=(), findings=(), stretches=(), proofread=""):
    rows = pd.DataFrame([segment("A", "1"), *rows])
    table = uncertain(*stretches).assign(candidate="R", other="B")
    longest = views.longest(table, 20)
    return to_do(rows, dict(pages), alerts, findings, longest, len(table), proofread)


def test_what_needs_a_human_is_named_the_most_urgent_first():
    failed = segment("B", "7", "failed") | {"reason": "a stage ran out of memory"}
    told = listed([failed], {"C": "a disk is full"}, [ALERT, ALERT], [FINDING], (30, 60))
    assert [(item.count, item.link, item.first) for item in told] == [
        ("1 segment that failed", "#segments", "B 7: a stage ran out of memory"),
        ("1 page of a cage not made", "#animals", "cage C: a disk is full"),
        ("2 alerts", "#alerts", "antenna 8 of cage A is silent"),
        ("1 finding about antennas and clocks", "#health", ""),
        ("2 stretches in which names are uncertain", "#look",
         "cage A, segment 1, after 0:00 (min:s), for 30.0 s: R or B?"),
    ]  # fmt: skip


def test_of_each_kind_of_alert_the_first_is_told():
    kinds = ["failed", "silent_tag", "silent_tag", "unread"]
    alerts = [{"what": what, "words": f"{what} {n}"} for n, what in enumerate(kinds)]
    (item,) = listed(alerts=alerts)
    assert (item.first, item.others, item.all) == ("failed 0", ("silent_tag 1", "unread 3"), False)
    (item,) = listed(alerts=alerts[1::2])
    assert (item.first, item.others, item.all) == ("silent_tag 1", ("unread 3",), True)


def test_a_finding_that_is_no_alert_is_named():
    (item,) = listed(findings=[FINDING])
    assert item.first == "cage A, dead antenna 8: no read since noon"


def test_uncertain_names_lead_to_the_page_that_asks_where_there_is_one():
    (item,) = listed(stretches=(9,), proofread="proofread/index.html")
    assert item.link == "proofread/index.html"


def test_a_sound_archive_asks_for_nothing():
    assert listed() == []
