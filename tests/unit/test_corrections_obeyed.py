"""What people answered: found among boxes, and obeyed or told."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murid import tables
from murid.identify import continuity, evidence, registry
from murid.identify import corrections as obeyed
from murid.identify.paths import NOBODY
from murid.models import fitted_path
from murid.settings import Paths
from small_rig import FPS, IDENTITY, MOTION, boxes_at, positions, simple_model

# What is found


def answers(*rows):
    """The table of rows of (frame, centre x or None, tracklet or None, animal)."""
    told = [
        {
            "cage": "A", "segment": "1", "number": number, "frame": frame,
            "x": np.nan if x is None else x - 30.0, "y": np.nan if x is None else 30.0,
            "w": np.nan if x is None else 60.0, "h": np.nan if x is None else 40.0,
            "tracklet": tracklet, "animal": animal,
            "who": "", "when": "", "remark": "", "file": "said.csv", "line": number + 1,
        }
        for number, (frame, x, tracklet, animal) in enumerate(rows, start=1)
    ]  # fmt: skip
    if not told:
        return tables.empty("corrections")
    return tables.conform(pd.DataFrame(told), "corrections")


def scene(frames=20):
    """Two tracklets at 100 and 300, and a detection in none at 500; both mice."""
    rows = [(f, d, x, d) for f in range(frames) for d, x in enumerate((100, 300))]
    found = [(f, d, x) for f in range(frames) for d, x in enumerate((100, 300, 500))]
    return boxes_at(found), boxes_at(rows, "tracklets")


def found_of(*rows, frames=20):
    mice, linked = scene(frames)
    table = answers(*rows)
    return obeyed.find(table, mice, linked, ["A", "B"], frames), table


def test_boxes_and_tracklets_are_found_by_place_and_number():
    known, table = found_of((7, 305, None, "A"), (3, None, 1, "nobody"), (3, 100, None, "b"))
    assert known.verdict(table) == tables.Verdict()
    assert known.rows.tolist() == [7, 6, 15]
    assert known.animals.tolist() == [NOBODY, 1, 0]
    assert known.places.tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ((3, 100, None, "C"), "the animal 'C' is not there, only A, B"),
        ((20, 100, None, "A"), "frame 20 is beyond the end, frame 19"),
        ((3, 140, None, "A"), "not there any longer: the nearest overlaps it by an IoU of 0.20"),
        ((3, 700, None, "A"), "not there any longer: none overlaps it"),
        ((3, None, 8, "A"), "tracklet 8 has no box at frame 3 any longer"),
        ((3, 500, None, "A"), "its box at frame 3 is in no tracklet"),
    ],
)
def test_what_is_not_there_is_told(row, told):
    known, table = found_of(row, (4, 100, None, "A"))
    assert known.rows.tolist() == [8]
    verdict = known.verdict(table)
    assert verdict.status == "repaired"
    assert verdict.reason.startswith("1 of 2 corrections are not obeyed: line 2 of said.csv (")
    assert told in verdict.reason


def test_nobody_needs_no_tracklet():
    known, table = found_of((3, 500, None, "nobody"))
    assert len(known) == 0
    assert known.verdict(table) == tables.Verdict()


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ((3, 102, None, "B"), "line 3 of said.csv (B at frame 3) says that the box is B, not A"),
        ((3, None, 0, "nobody"), "says that the box is nobody, not A"),
        ((3, 300, None, "A"), "says that A is another box of frame 3"),
    ],
)
def test_of_corrections_that_contradict_each_other_none_is_obeyed(other, told):
    known, table = found_of((3, 100, None, "A"), other, (9, 100, None, "A"))
    assert known.rows.tolist() == [18]
    reason = known.verdict(table).reason
    assert reason.startswith("2 of 3 corrections are not obeyed")
    assert told in reason
    assert reason.count("neither is obeyed") == 2


@given(
    st.lists(
        st.tuples(st.sampled_from([3, 9]), st.none(), st.sampled_from([0, 1]),
                  st.sampled_from(["A", "B", "nobody"])), max_size=12,
    )
)  # fmt: skip
def test_what_contradicts_anything_is_told_with_what_it_contradicts_and_nothing_else_is(rows):
    known, _ = found_of(*rows)
    for at, (frame, _, tracklet, animal) in enumerate(rows):
        against = {
            f"line {number} of said.csv"
            for number, (when, _, other, name) in enumerate(rows, start=2)
            if when == frame
            and ((other == tracklet) != (name == animal))
            and (other == tracklet or animal != "nobody")
        }
        told = known.refused.get(at, "")
        assert bool(told) == bool(against)
        assert not told or told.partition(" (")[0] in against


def test_the_box_that_overlaps_an_answer_most_is_meant():
    mice = boxes_at([(f, d, 100 + 20 * d) for f in range(4) for d in range(3)])
    linked = boxes_at([(f, d, 100 + 20 * d, d) for f in range(4) for d in range(3)], "tracklets")
    said = answers(
        *[(f, 100 + x, None, "A") for f in range(4) for x in (0, 9, 11, 29, 31, 45)][::7]
    )
    known = obeyed.find(said, mice, linked, ["A"], 4)
    assert linked["tracklet"].iloc[known.rows].tolist() == [0, 0, 1, 1]


def test_to_say_the_same_twice_is_no_contradiction():
    known, table = found_of((3, 100, None, "A"), (3, None, 0, "A"), (3, 300, None, "B"))
    assert known.verdict(table) == tables.Verdict()
    assert known.animals.tolist() == [0, 0, 1]


# What is obeyed


def solved(mice, linked, trace, table, transitions=True, **weighing):
    """Each row's name, the pieces and the answers of a scene whose antennas say what they do."""
    model = simple_model()
    readings = evidence.read_trace(positions(trace), model)
    known = obeyed.find(table, mice, linked, readings.animals, readings.frames)
    settings = Paths(transitions=transitions, **weighing)
    pieces = continuity.gather(
        mice, linked, readings, model, IDENTITY, FPS, settings, answered=known
    )
    answer = continuity.solve(pieces, fitted_path.PathModel(MOTION), settings)
    return answer.named[pieces.tracklets.rank], pieces, known, answer


@st.composite
def scenes(draw):
    """Tracklets that come and go, antennas that say anything, and answers of any kind."""
    frames, rows = draw(st.integers(2, 24)), []
    for number in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, frames - 1))
        last = draw(st.integers(first, frames - 1))
        x = draw(st.integers(60, 440))
        rows += [(f, number, x, number) for f in range(first, last + 1)]
    trace = [draw(st.lists(st.integers(0, 4), min_size=2, max_size=2))] * frames
    chosen = draw(st.lists(st.sampled_from(rows), max_size=8))
    names = [draw(st.sampled_from(["A", "B", "nobody"])) for _ in chosen]
    said = [(row[0], None, row[3], name) for row, name in zip(chosen, names, strict=True)]
    return sorted(rows), trace, said, draw(st.booleans())


@given(scenes())
@settings(max_examples=200)
def test_every_answer_is_obeyed_or_told(case):
    rows, trace, said, transitions = case
    mice, linked = boxes_at([row[:3] for row in rows]), boxes_at(rows, "tracklets")
    named, pieces, known, answer = solved(mice, linked, trace, answers(*said), transitions)
    assert named[known.rows].tolist() == known.animals.tolist()
    assert {*known.places.tolist(), *known.refused} == {*range(len(said))}
    # A piece is of one tracklet, and nobody is in two places.
    rank = pieces.tracklets.rank
    assert pd.Series(linked["tracklet"]).groupby(rank).nunique().max() == 1
    at = pd.DataFrame({"frame": linked["frame"], "named": named})
    assert not at[at["named"] != NOBODY].duplicated().any()
    sure = answer.probabilities[rank][known.rows]
    expected = known.animals[:, None] == np.arange(sure.shape[1])
    assert (sure == expected).all()


def test_one_answer_puts_the_others_of_a_swap_right():
    # The antennas have each animal at the other's place, but softly; tracklets follow each other.
    rows = [(f, d, x, 10 * d + f // 8) for f in range(40) for d, x in enumerate((180, 320))]
    rows = [row for row in rows if row[0] % 8 != 7]
    mice, linked = boxes_at([row[:3] for row in rows]), boxes_at(rows, "tracklets")
    trace, weak = [[3, 2]] * 40, {"antenna_weight": 0.002}
    before, *_ = solved(mice, linked, trace, answers(), **weak)
    left = (linked["x"] < 200).to_numpy()
    assert (before == np.where(left, 1, 0)).all()
    after, *_ = solved(mice, linked, trace, answers((20, 180, None, "A")), **weak)
    assert (after == np.where(left, 0, 1)).all()


def test_a_tracklet_of_two_answers_is_cut_where_the_antennas_agree_best():
    rows = [(f, d, x, d) for f in range(60) for d, x in enumerate((180, 320))]
    mice, linked = boxes_at([row[:3] for row in rows]), boxes_at(rows, "tracklets")
    # Until frame 40 A is at the left, then B is; too softly to be believed by itself.
    trace = [[2, 3]] * 40 + [[3, 2]] * 20
    _, whole, *_ = solved(mice, linked, trace, answers(), doubt=1000.0)
    assert whole.cuts == 0
    said = answers((2, 180, None, "A"), (57, 180, None, "B"))
    named, cut, *_ = solved(mice, linked, trace, said, doubt=1000.0)
    assert cut.cuts == 2
    left, first = (linked["x"] < 200).to_numpy(), (linked["frame"] < 40).to_numpy()
    assert (named == np.where(left == first, 0, 1)).all()


def test_an_animal_that_is_answered_to_change_tracklets_does_so_between_the_answers():
    rows = [(f, d, x, d) for f in range(60) for d, x in enumerate((100, 300))]
    mice, linked = boxes_at([row[:3] for row in rows]), boxes_at(rows, "tracklets")
    said = answers((10, 100, None, "A"), (40, 300, None, "A"))
    named, cut, *_ = solved(mice, linked, [[1, 3]] * 30 + [[3, 1]] * 30, said)
    moment = int(cut.tracklets.first[1])
    assert moment == 30
    left = (linked["x"] < 200).to_numpy()
    assert (named[left] == np.where(linked["frame"][left] < moment, 0, 1)).all()


def test_without_answers_a_table_of_them_changes_nothing():
    rows, trace = [(f, d, x, d) for f in range(20) for d, x in enumerate((100, 300))], [[1, 3]] * 20
    mice, linked = boxes_at([row[:3] for row in rows]), boxes_at(rows, "tracklets")
    with_table, _, _, answer = solved(mice, linked, trace, answers())
    model = simple_model()
    readings = evidence.read_trace(positions(trace), model)
    other = continuity.gather(mice, linked, readings, model, IDENTITY, FPS, Paths())
    plain = continuity.solve(other, fitted_path.PathModel(MOTION), Paths())
    assert with_table.tolist() == plain.named[other.tracklets.rank].tolist()
    assert answer.probabilities.tobytes() == plain.probabilities.tobytes()


def test_what_a_corrected_method_is_called_is_told_on_pages_and_chosen_nowhere():
    for name, corrected in registry.obeying().items():
        told = registry.methods()[corrected]
        assert told.after == name
        assert corrected not in registry.chosen()
        assert told.label != registry.label(name)
        assert registry.in_order([corrected, "oracle", name]) == [name, corrected, "oracle"]
