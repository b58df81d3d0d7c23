"""The rows of tracklets, and when each begins and ends."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from murid.tracklets import Tracklets

ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2**31 - 1) | st.integers(0, 4)))


@given(ROWS)
def test_first_last_and_neighbouring_rows_are_those_of_a_sorted_table(rows):
    table = pd.DataFrame(rows, columns=["frame", "tracklet"]).drop_duplicates(ignore_index=True)
    tracklets = Tracklets(table["frame"], table["tracklet"])
    spans = table.groupby("tracklet")["frame"].agg(["min", "max", "size"])
    assert len(tracklets) == len(spans)
    assert tracklets.numbers.tolist() == spans.index.tolist()
    assert tracklets.first.tolist() == spans["min"].tolist()
    assert tracklets.last.tolist() == spans["max"].tolist()
    assert tracklets.sizes.tolist() == spans["size"].tolist()
    assert tracklets.numbers[tracklets.rank].tolist() == table["tracklet"].tolist()
    ordered = table.sort_values(["tracklet", "frame"])
    assert tracklets.order.tolist() == ordered.index.tolist()
    row = pd.Series(ordered.index, index=ordered.index)
    by_tracklet = row.groupby(ordered["tracklet"])
    for places, step in ((tracklets.before, 1), (tracklets.after, -1)):
        assert places.tolist() == by_tracklet.shift(step).fillna(-1).sort_index().tolist()


def test_no_rows_are_no_tracklets():
    tracklets = Tracklets([], [])
    assert len(tracklets) == 0
    for values in (tracklets.rank, tracklets.order, tracklets.first, tracklets.before):
        assert values.dtype == np.int64
        assert not len(values)


def test_the_first_row_of_a_tracklet_is_that_of_its_first_frame_in_whatever_order():
    tracklets = Tracklets(frames=[5, 3, 4, 3], numbers=[1, 1, 1, 9])
    assert tracklets.opening.tolist() == [1, 3]
    assert tracklets.closing.tolist() == [0, 3]
    assert tracklets.after.tolist() == [-1, 2, 0, -1]
