"""What a method's confidence is worth: sums in bins, and figures worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid import schemas, tables
from murid.evaluate.counts import bin_of, count_reliability
from murid.report import reliability
from murid.report.reliability import coverage_curve, expected_calibration_error, to_tenths

EDGES = schemas.CONFIDENCE_EDGES


def outcomes(rows, method="path", segment="1", split="Test", snippet=0, cage="c"):
    """Rows of (confidence or None, assigned, correct), a frame each."""
    table = pd.DataFrame(rows, columns=["confidence", "assigned", "correct"])
    table = table.assign(
        cage=cage, segment=segment, split=split, snippet=snippet, frame=range(len(rows)),
        animal="R", method=method, visible=True, iou=0.0, uncovered=False, difficult=False,
    )  # fmt: skip
    return tables.conform(table, "animal_outcomes")


def assessed(*parts):
    table = count_reliability(pd.concat(parts, ignore_index=True))
    return {(entry.split, entry.method, entry.kind): entry for entry in reliability.assess(table)}


# --- bins


def test_bins_are_finer_towards_1_and_hold_every_tenth():
    assert len(EDGES) == 47
    assert np.isin(np.arange(11, dtype=np.float32) / np.float32(10), EDGES).all()
    assert EDGES[-2:].tolist() == pytest.approx([0.9999, 1.0])
    assert (np.diff(EDGES) > 0).all()
    assert np.argmin(np.diff(EDGES)) >= 36


@given(st.floats(0, 1, width=32))
def test_a_confidence_lies_within_the_edges_of_its_bin(confidence):
    number = bin_of(pd.Series([confidence], dtype=np.float32))[0]
    assert EDGES[number] <= confidence
    assert confidence < EDGES[number + 1] or confidence == 1.0 == EDGES[number + 1]


def test_rows_are_counted_by_what_they_say_and_those_without_confidence_are_not():
    rows = [(0.96, True, True), (0.965, True, False), (0.96, False, True), (0.2, True, False)]
    table = count_reliability(outcomes([*rows, (None, True, True)]))
    columns = ["kind", "bin", "rows", "right", "confidence"]
    found = {row[:2]: row[2:] for row in table[columns].itertuples(index=False, name=None)}
    assert found == {
        ("box", 24): (2, 1, pytest.approx(1.925)),
        ("hidden", 24): (1, 1, pytest.approx(0.96)),
        ("box", 4): (1, 0, pytest.approx(0.2)),
    }


def test_without_confidence_there_is_nothing_to_count():
    assert count_reliability(outcomes([(None, True, True)])).empty
    assert reliability.assess(tables.empty("reliability")) == []
    assert list(reliability.drawn([])) == [
        "split", "method", "kind", "measure", "at", "value", "low", "high", "rows",
    ]  # fmt: skip


def test_ten_bins_are_sums_of_the_fine_ones():
    fine = np.zeros((len(EDGES) - 1, 3))
    fine[:, 0] = 1
    assert to_tenths(fine)[:, 0].tolist() == [2] * 9 + [28]
    assert to_tenths(np.stack([fine, fine])).shape == (2, 10, 3)


# --- figures by hand


def test_calibration_error_by_hand():
    # (10 |0.5 - 0.7| + 30 |0.9 - 0.8|) / 40
    error = expected_calibration_error(
        np.array([10, 30, 0]), np.array([7, 24, 0]), np.array([5, 27, 0])
    )
    assert error == pytest.approx(5 / 40)


def test_coverage_by_hand():
    rows, right = np.array([50, 30, 20]), np.array([20, 24, 20])
    # 10 and 20 of the surest bin; then 18 of 30 rows of which 80% are right; then all.
    curve = coverage_curve(rows, right, [0.1, 0.2, 0.38, 0.5, 1.0])
    assert curve.tolist() == pytest.approx([1.0, 1.0, 34.4 / 38, 44 / 50, 0.64])


def test_a_split_by_hand():
    boxes = [(0.95, True, True)] * 8 + [(0.95, True, False)] * 2
    hidden = [(0.45, False, True)] * 5 + [(0.45, False, False)] * 5
    found = assessed(outcomes(boxes + hidden))
    whole = found["Test", "path", "all"]
    assert whole.rows == 20
    assert whole.error.value == pytest.approx((10 * 0.15 + 10 * 0.05) / 20)
    assert whole.error.interval is None
    assert whole.bins[["stated", "right", "rows"]].to_numpy() == pytest.approx(
        np.array([[0.45, 0.5, 10], [0.95, 0.8, 10]])
    )
    assert whole.bins[["low", "high"]].isna().all(axis=None)  # of one cage
    assert whole.accuracy[1.0].value == pytest.approx(13 / 20)
    assert whole.accuracy[0.8].value == pytest.approx((8 + 6 * 0.5) / 16)
    assert whole.curve[-1] == pytest.approx(13 / 20)
    alone = found["Test", "path", "box"]
    assert (alone.rows, alone.accuracy[0.8].value) == (10, pytest.approx(0.8))


def test_splits_join_and_methods_come_in_order():
    sure = [(0.95, True, True)]
    found = assessed(
        outcomes(sure, split="Train"), outcomes(sure * 2, split="Validate", segment="2"),
        outcomes(sure, split="Train", method="ilp"), outcomes(sure, split="", segment="3"),
    )  # fmt: skip
    assert [key[:2] for key in found if key[2] == "all"] == [
        ("Train", "ilp"), ("Train", "path"), ("Validate", "path"), ("Tune", "ilp"),
        ("Tune", "path"),
    ]  # fmt: skip
    assert found["Tune", "path", "all"].rows == 3


def test_intervals_come_from_how_cages_differ():
    rows = [[(0.9, True, True)] * right + [(0.9, True, False)] * (20 - right)
            for right in (14, 16, 18, 20)]  # fmt: skip
    whole = assessed(*[outcomes(own, cage=str(n)) for n, own in enumerate(rows)])
    whole = whole["Test", "path", "box"]
    low, high = whole.accuracy[1.0].interval
    assert low < 0.7 < 68 / 80 < 0.93 < high
    assert whole.bins[["low", "high"]].iloc[0].tolist() == pytest.approx([low, high])
    # Stated 0.9, right 0.85: the cages do not tell whether that is chance.
    assert whole.error.value == pytest.approx(0.05)
    assert (whole.error.cages, whole.error.snippets) == (4, 4)
    assert whole.error.interval[0] == 0
    assert whole.error.interval[1] > 0.1
    # The same rows as snippets of one cage tell nothing.
    alone = assessed(*[outcomes(own, snippet=n) for n, own in enumerate(rows)])
    alone = alone["Test", "path", "box"]
    assert (alone.error.interval, alone.accuracy[0.8].interval) == (None, None)
    assert (alone.error.cages, alone.error.snippets) == (1, 4)


@given(
    st.lists(
        st.tuples(st.floats(0, 1, width=32), st.booleans(), st.booleans()), min_size=1, max_size=40
    )
)
def test_figures_are_shares_and_the_whole_is_the_share_right(rows):
    found = assessed(outcomes(rows))
    whole = found["Test", "path", "all"]
    assert whole.bins["rows"].sum() == whole.rows == len(rows)
    assert whole.curve[-1] == pytest.approx(np.mean([right for *_, right in rows]))
    assert ((whole.curve >= 0) & (whole.curve <= 1 + 1e-9)).all()
    assert 0 <= whole.error.value <= 1
    stated = np.array([confidence for confidence, *_ in rows])
    gap = abs(stated.mean() - whole.curve[-1])
    assert whole.error.value >= gap - 1e-6


def test_all_that_is_drawn_is_in_the_table():
    parts = [outcomes([(0.95, True, True), (0.45, False, False)], snippet=n) for n in range(2)]
    found = assessed(*parts)
    table = reliability.drawn(list(found.values()))
    whole = table[table["kind"] == "all"].set_index("measure")
    assert whole.loc["share_right", "at"].tolist() == pytest.approx([0.45, 0.95])
    assert whole.loc["accuracy", "at"].tolist() == reliability.COVERAGES.tolist()
    error = whole.loc["expected_calibration_error"]
    assert (error["value"], error["rows"]) == (pytest.approx(0.25), 4)
    last = whole.loc["accuracy"].iloc[-1]
    assert last[["at", "value", "rows"]].tolist() == [1.0, 0.5, 4]
    assert last[["low", "high"]].isna().all()
    several = [outcomes([(0.95, True, True), (0.45, False, False)], cage=c) for c in "abc"]
    table = reliability.drawn(list(assessed(*several).values()))
    assert table.loc[table["measure"] == "share_right", ["low", "high"]].notna().all(axis=None)
