"""Tracklets made elsewhere are not one animal by decree."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from murid import schemas, tables
from murid.tracking import adopt, ends
from murid.tracklets import Tracklets

SIDE = 40.0


def tracklets(rows):
    """Rows of (frame, tracklet, x) or (frame, tracklet, x, y, w, h) as the table ``tracklets``."""
    rows = [row if len(row) == 6 else (*row, 0.0, SIDE, SIDE) for row in rows]
    table = pd.DataFrame(rows, columns=["frame", "tracklet", *schemas.BOX])
    table = table.sort_values(["frame", "tracklet"], ignore_index=True)
    rank = table.groupby("frame").cumcount()
    return tables.conform(table.assign(detection=rank), "tracklets")


def cut(rows):
    table = tracklets(rows)
    whole = Tracklets(table["frame"], table["tracklet"])
    return table, ends.cut(whole, table[schemas.BOX])


def numbers(rows):
    """The numbers that each (frame, x) is given."""
    table, found = cut(rows)
    places = zip(table["frame"], table["x"], strict=True)
    return dict(zip(places, found.tracklet.tolist(), strict=True))


def still(tracklet, x, frames):
    return [(frame, tracklet, x) for frame in frames]


def test_tracklets_that_never_meet_are_left_as_they_are():
    table, found = cut(still(3, 0, range(20)) + still(8, 200, range(5, 30)))
    assert_array_equal(found.tracklet, table["tracklet"])
    assert found.cuts == 0
    assert len(found.exchanges) == 0


def test_two_that_exchange_numbers_are_cut_where_they_do_and_told():
    rows = still(0, 0, range(10)) + still(1, 200, range(10))
    rows += still(0, 200, range(10, 20)) + still(1, 0, range(10, 20))
    named = numbers(rows)
    parts = {place: {named[frame, place] for frame in range(20)} for place in (0, 200)}
    assert named[0, 0] == 0
    assert named[0, 200] == 1
    assert all(len(part) == 2 for part in parts.values())
    assert parts[0].isdisjoint(parts[200])
    assert named[9, 0] != named[10, 0]
    _, found = cut(rows)
    assert found.jumps == 2
    assert found.exchanges.tolist() == [[10, 0, 1]]


def test_three_that_change_places_in_a_ring_are_cut_as_well():
    places = [0, 200, 400]
    rows = [(frame, k, places[(k + (frame >= 10)) % 3]) for frame in range(20) for k in range(3)]
    named = numbers(rows)
    assert len({named[10, place] for place in places} & {0, 1, 2}) == 0


def test_an_exchange_while_boxes_overlap_is_cut_and_told():
    # The boxes overlap by a third: each follows the other's last better than its own.
    rows = [(frame, 0, 0 if frame < 10 else 20) for frame in range(20)]
    rows += [(frame, 1, 20 if frame < 10 else 0) for frame in range(20)]
    table, found = cut(rows)
    assert set(found.tracklet[table["frame"] == 10]).isdisjoint({0, 1})
    assert found.exchanges.tolist() == [[10, 0, 1]]


def test_boxes_that_coincide_are_cut_where_they_begin_to_and_no_longer_do():
    apart = {frame: max(0, abs(frame - 15) - 5) * 10 for frame in range(31)}
    rows = [(frame, 0, 100 - apart[frame] / 2) for frame in range(31)]
    rows += [(frame, 1, 100 + apart[frame] / 2) for frame in range(31)]
    table, found = cut(rows)
    first = table[found.tracklet == 0]["frame"]
    last = table[found.tracklet == found.tracklet[-1]]["frame"]
    assert 5 < first.max() < 15 < last.min() < 25
    assert found.jumps == 0
    assert len(found.exchanges) == 0


@pytest.mark.parametrize("hidden", [range(10, 16), range(10, 40)])
def test_whoever_hides_another_may_be_the_other_afterwards(hidden):
    front = [(frame, 0, 0, 0, SIDE, SIDE) for frame in range(40)]
    behind = [(frame, 1, 10, 10, SIDE, SIDE) for frame in range(40) if frame not in hidden]
    table, found = cut(front + behind)
    own = pd.Series(found.tracklet[table["tracklet"] == 0])
    assert (own.diff()[own.diff() != 0].index.tolist())[:2] == [0, 10]


def test_a_box_that_is_missing_for_long_may_be_another_animals():
    rows = still(0, 0, range(10)) + still(0, 0, range(12, 20)) + still(0, 0, range(60, 70))
    named = numbers(rows)
    assert named[9, 0] == named[12, 0] == named[19, 0] == 0
    assert named[60, 0] == named[69, 0] == 1


def test_a_jump_is_no_longer_the_same_animal():
    named = numbers(still(0, 0, range(10)) + still(0, 90, range(10, 20)))
    assert (named[9, 0], named[10, 90]) == (0, 1)


def test_few_frames_a_second_are_no_jumps():
    # Each box overlaps the last by a seventh only, for all of the segment.
    rows = [(5 * step, 0, 30.0 * step) for step in range(40)]
    _, found = cut(rows)
    assert found.cuts == 0


def test_numbers_without_room_above_take_free_ones():
    highest = 2**31 - 1
    rows = still(highest, 0, range(5)) + still(highest, 100, range(5, 9)) + still(0, 300, range(3))
    table, found = cut(rows)
    assert set(found.tracklet) == {0, 1, highest}
    tables.conform(table.assign(tracklet=found.tracklet), "tracklets")


def test_nothing_in_nothing_out():
    table, verdict = adopt.cut_doubtful(tables.empty("tracklets"))
    assert table.empty
    assert verdict == tables.Verdict()


boxes = st.tuples(st.floats(0, 100), st.floats(0, 60), st.floats(1, 80), st.floats(1, 60))
rows = st.tuples(st.integers(0, 9), st.integers(0, 4), boxes)


@given(st.lists(rows, max_size=40, unique_by=lambda row: row[:2]), st.booleans())
def test_no_box_is_lost_or_doubled_and_each_keeps_where_it_comes_from(given_rows, cut_them):
    table = tracklets([(frame, number, *box) for frame, number, box in given_rows])
    table["source_row"] = range(len(table))
    kept, _ = adopt.adopt_pure(table, table.assign(label="mouse", score=1.0), cut_them)
    assert not kept.duplicated(["frame", "detection"]).any()
    assert sorted(kept["source_row"]) == list(range(len(table)))
    assert not kept.duplicated(["frame", "tracklet"]).any()


@given(st.lists(rows, max_size=40, unique_by=lambda row: row[:2]))
def test_pieces_are_of_one_tracklet_and_contiguous_in_it(given_rows):
    table, found = cut([(frame, number, *box) for frame, number, box in given_rows])
    numbered = table.assign(piece=found.tracklet)
    pairs = numbered[["piece", "tracklet"]].drop_duplicates()
    assert pairs["piece"].is_unique
    for _, own in numbered.groupby("tracklet"):
        changes = int((own["piece"].diff().fillna(0) != 0).sum())
        assert changes + 1 == own["piece"].nunique()
        assert own["piece"].iloc[0] == own["tracklet"].iloc[0]
    assert numbered["piece"].nunique() == numbered["tracklet"].nunique() + found.cuts


def test_the_verdict_tells_of_exchanges_with_tracklets_and_frame():
    exchange = still(0, 0, range(10)) + still(1, 200, range(10))
    exchange += still(0, 200, range(10, 20)) + still(1, 0, range(10, 20))
    kept, verdict = adopt.cut_doubtful(tracklets(exchange))
    assert verdict.status == "repaired"
    assert "first: 0 and 1 at frame 10" in verdict.reason
    assert kept["tracklet"].nunique() == 4
    meeting = [(frame, 0, min(frame, 10) * 10) for frame in range(20)] + still(1, 100, range(20))
    assert "exchange" not in adopt.cut_doubtful(tracklets(meeting))[1].reason


def test_the_verdict_counts_the_cuts_of_each_kind_in_one_phrase():
    jump = still(0, 0, range(10)) + still(0, 90, range(10, 20))
    gap = still(1, 400, range(5)) + still(1, 400, range(50, 60))
    _, verdict = adopt.cut_doubtful(tracklets(jump + gap))
    assert verdict == tables.Verdict(
        "repaired",
        "2 tracklets given were cut in 2 places: 1 where a box does not follow from the last, "
        "1 where boxes are missing for long (track.cut_adopted)",
    )
    apart = tracklets(still(0, 0, range(10)) + still(1, 200, range(10)))
    assert adopt.cut_doubtful(apart)[1] == tables.Verdict()


def test_tracklets_that_are_not_to_be_cut_stay_whole():
    jump = tracklets(still(0, 0, range(10)) + still(0, 90, range(10, 20)))
    found = jump.assign(label="mouse", score=1.0)
    assert adopt.adopt_pure(jump, found)[0]["tracklet"].nunique() == 2
    kept, verdict = adopt.adopt_pure(jump, found, cut=False)
    assert kept["tracklet"].unique().tolist() == [0]
    assert verdict == tables.Verdict()


def parts_that_come_and_go(exchange):
    """Two that walk, of whose boxes every fourth lacks a third and a few lack more."""
    rows = []
    for frame in range(100):
        for animal in range(2):
            number = animal if frame < exchange else 1 - animal
            lacking = 0.6 if frame % 48 == 24 else 0.33 if (frame + animal) % 4 == 0 else 0
            left = 2.0 * frame + 300 * animal
            rows.append((frame, number, left, 0.0, SIDE * (1 - lacking), SIDE))
    return rows


def test_boxes_whose_parts_come_and_go_are_no_jumps():
    _, found = cut(parts_that_come_and_go(exchange=100))
    assert found.cuts == 0


def test_where_parts_come_and_go_an_exchange_is_a_jump_nevertheless():
    table, found = cut(parts_that_come_and_go(exchange=50))
    assert found.jumps == 2
    assert set(found.tracklet[table["frame"] < 50]).isdisjoint(found.tracklet[table["frame"] >= 50])


walk = st.lists(st.floats(-2, 2), min_size=20, max_size=20)


@given(walk, walk, st.floats(0, 2 * SIDE), st.integers(1, 19))
def test_two_that_exchange_numbers_anywhere_are_in_other_tracklets_afterwards(one, other, far, at):
    ways = np.cumsum([one, other], axis=1) + np.array([[0], [far]])
    rows = [
        (frame, int(animal == (frame >= at)), ways[animal, frame])
        for frame in range(20)
        for animal in range(2)
    ]
    table, found = cut(rows)
    before = set(found.tracklet[table["frame"] < at])
    after = set(found.tracklet[table["frame"] >= at])
    assert before.isdisjoint(after)
