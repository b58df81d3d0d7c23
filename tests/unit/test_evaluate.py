"""Evaluation: what counts as right, and sums that must add up."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judged_frames import BOX, ELSEWHERE, annotations, detections, evaluate, identities, marked
from murid import boxes
from murid.errors import InputError

# --- what is right


def scaled(share):
    """A box inside BOX whose IoU with it is ``share``."""
    return (*BOX[:3], BOX[3] * share)


@pytest.mark.parametrize(
    ("truth", "given", "difficult", "metrics"),
    [
        (None, None, False, {"A_O"}),
        (None, BOX, False, {"FPR_O"}),
        (BOX, None, False, {"FNR_O"}),
        (BOX, BOX, False, {"A_O", "IoU_O"}),
        (BOX, ELSEWHERE, False, {"U_O"}),
        (BOX, scaled(0.51), False, {"A_O", "IoU_O"}),
        (BOX, scaled(0.49), False, {"U_O", "IoU_O"}),
        (BOX, scaled(0.5), False, {"IoU_O"}),
        (BOX, scaled(0.31), True, {"A_O", "IoU_O"}),
        (BOX, scaled(0.29), True, {"U_O", "IoU_O"}),
        (BOX, scaled(0.31), False, {"U_O", "IoU_O"}),
    ],
)
def test_each_case_of_section_5_3_overall(truth, given, difficult, metrics):
    row = (0, "single", ["R"], truth, difficult) if truth else (0, "empty", [], None, False)
    named = {"oracle": identities([]), "m": identities([(0, "R", None, given)])}
    counts = evaluate(annotations([row]), detections([]), named, ["R"]).loc["m"]
    assert set(counts.index[counts["count"] > 0]) == metrics


def test_golden():
    """Two frames, three mice, worked out by hand.

    Frame 0: R is where R is, G and B are swapped, detection 3 is spurious and rightly left.
    Frame 100: R is hidden yet gets detection 1 (spurious), G is found, B (difficult) is missed.
    """
    marks = annotations(
        [
            (0, "single", ["R"], (0, 0, 10, 10), False),
            (0, "single", ["G"], (100, 0, 10, 10), False),
            (0, "single", ["B"], (200, 0, 10, 10), False),
            (0, "single", ["tunnel"], (300, 0, 50, 50), False),
            (100, "single", ["G"], (0, 0, 10, 10), False),
            (100, "single", ["B"], (100, 0, 10, 10), True),
        ]
    )
    found = detections(
        [
            (0, 0, "mouse", (0, 0, 10, 8)),
            (0, 1, "mouse", (100, 0, 10, 10)),
            (0, 2, "mouse", (200, 0, 10, 10)),
            (0, 3, "mouse", (600, 0, 10, 10)),
            (0, 4, "tunnel", (300, 0, 50, 50)),
            (50, 0, "mouse", (0, 0, 10, 10)),
            (100, 0, "mouse", (0, 0, 10, 6)),
            (100, 1, "mouse", (600, 0, 10, 10)),
            (100, 2, "mouse", (100, 0, 10, 4)),
        ]
    )
    place = {(row.frame, row.detection): (row.x, row.y, row.w, row.h) for row in found.itertuples()}

    def name(*rows):
        return identities(
            [
                (frame, animal, number, None if number is None else place[frame, number])
                for frame, animal, number in rows
            ]
        )

    named = {
        "ilp": name((0, "R", 0), (0, "G", 2), (0, "B", 1), (100, "R", 1), (100, "G", 0)),
        "oracle": name(
            (0, "R", 0), (0, "G", 1), (0, "B", 2), (100, "R", None), (100, "G", 0), (100, "B", 2)
        ),
    }
    counts = evaluate(marks, found, named, ["R", "G", "B"])
    expected = {
        "A_O": (2, 6),
        "IoU_O": (0.8 + 0.6, 5),
        "U_O": (2, 5),
        "FNR_O": (1, 5),
        "FPR_O": (1, 1),
        "A_GD": (3, 7),
        "MisID_GD": (2, 5),
        "FNR_GD": (1, 5),
        "FPR_GD": (1, 2),
    }
    for metric, (count, normaliser) in expected.items():
        assert counts.loc[("ilp", metric), "count"] == pytest.approx(count), metric
        assert counts.loc[("ilp", metric), "normaliser"] == normaliser, metric
    assert counts.loc["oracle"].index.tolist() == ["A_O", "FNR_O", "FPR_O", "IoU_O", "U_O"]
    assert counts.loc[("oracle", "A_O"), "count"] == 6
    assert counts.loc[("oracle", "IoU_O"), "count"] == pytest.approx(0.8 + 1 + 1 + 0.6 + 0.4)


def test_a_method_whose_boxes_are_no_detections_is_judged_overall_only():
    named = {
        "oracle": identities([(0, "R", 0, BOX)]),
        "tracker": identities([(0, "R", None, BOX)]),
    }
    found = detections([(0, 0, "mouse", BOX)])
    counts = evaluate(marked([0]), found, named, ["R"])
    assert counts.loc[("tracker", "A_O"), "count"] == 1
    assert "A_GD" not in counts.loc["tracker"].index


def test_a_method_that_names_nothing_has_missed_every_detection():
    named = {"oracle": identities([(0, "R", 0, BOX)]), "m": identities([(0, "R", None, None)])}
    counts = evaluate(marked([0]), detections([(0, 0, "mouse", BOX)]), named, ["R"])
    assert counts.loc[("m", "FNR_GD"), "count"] == 1
    assert counts.loc[("m", "A_GD")].tolist() == [0, 1]


@pytest.mark.parametrize(
    "rows",
    [
        [(0, "R", 0, BOX), (0, "G", 0, BOX)],
        [(0, "R", 1, BOX)],
        [(0, "R", 9, BOX)],
    ],
    ids=["one detection twice", "a tunnel", "no detection"],
)
def test_a_method_that_names_what_is_no_free_mouse_detection_is_an_error(rows):
    found = detections([(0, 0, "mouse", BOX), (0, 1, "tunnel", BOX)])
    named = {"oracle": identities([]), "m": identities(rows)}
    with pytest.raises(InputError, match="identities of m, frame 0"):
        evaluate(marked([0]), found, named, ["R", "G"])


# --- sums that must add up


@st.composite
def scenes(draw):
    """Annotations, detections, and what a method and the oracle name, all at random."""
    animals = draw(st.sampled_from([["R"], ["R", "G"], ["R", "G", "B"], ["a", "b", "c", "d"]]))
    marks, found, named = [], [], {"m": [], "oracle": []}
    corner = st.integers(0, 6)
    for frame in range(draw(st.integers(1, 8))):
        box = st.builds(lambda x, h: (x * 10.0, 0.0, 40.0, h * 10.0), corner, st.integers(1, 4))
        visible = [animal for animal in animals if draw(st.booleans())]
        for animal in visible:
            marks.append((frame, "single", [animal], draw(box), draw(st.booleans())))
        if not visible:
            marks.append((frame, "empty", [], None, False))
        places = draw(st.lists(box, max_size=5))
        found += [(frame, number, "mouse", place) for number, place in enumerate(places)]
        for rows in named.values():
            numbers = draw(st.permutations([*range(len(places)), *[None] * len(animals)]))
            for animal, number in zip(animals, numbers, strict=False):
                rows.append((frame, animal, number, None if number is None else places[number]))
    return animals, marks, found, named


@settings(max_examples=10, deadline=None)
@given(scenes())
def test_every_error_is_counted_once(scene):
    animals, marks, found, named = scene
    counts = evaluate(
        annotations(marks),
        detections(found),
        {method: identities(rows) for method, rows in named.items()},
        animals,
    )
    overall = counts.loc["m"]["count"]
    threshold = {True: 0.3, False: 0.5}
    truth = {(frame, names[0]): (box, hard) for frame, _, names, box, hard in marks if names}
    on_the_threshold = sum(
        float(boxes.iou([box], [truth[frame, animal][0]])[0, 0])
        == threshold[truth[frame, animal][1]]
        for frame, animal, _, box in named["m"]
        if box and (frame, animal) in truth
    )
    total = overall[["A_O", "U_O", "FNR_O", "FPR_O"]].sum()
    frame_animals = counts.loc[("m", "A_O"), "normaliser"]
    assert total + on_the_threshold == frame_animals
    assert frame_animals == len({row[0] for row in marks}) * len(animals)
    for part, rest in (("FNR_O", "FPR_O"), ("FNR_GD", "FPR_GD")):
        both = counts.loc["m"].reindex([part, rest])["normaliser"].sum()
        assert both == counts.loc["m"].reindex(["A_" + part.split("_")[1]])["normaliser"].sum()
    if found:
        assert overall[["A_GD", "MisID_GD", "FNR_GD", "FPR_GD"]].sum() == len(found)


@settings(max_examples=6, deadline=None)
@given(scenes(), st.randoms(use_true_random=False))
def test_other_names_for_the_animals_change_nothing(scene, random):
    animals, marks, found, named = scene
    shuffled = random.sample(animals, len(animals))
    alias = dict(zip(animals, shuffled, strict=True))
    renamed = {
        method: identities([(f, alias[a], d, b) for f, a, d, b in rows])
        for method, rows in named.items()
    }
    remarked = annotations([(f, k, [alias[n] for n in names], b, h) for f, k, names, b, h in marks])
    before = evaluate(
        annotations(marks), detections(found), {m: identities(r) for m, r in named.items()}, animals
    )
    after = evaluate(remarked, detections(found), renamed, shuffled)
    pd.testing.assert_frame_equal(before, after)


@settings(max_examples=6, deadline=None)
@given(scenes())
def test_perfect_identities_score_one(scene):
    animals, marks, _, _ = scene
    visible = [row for row in marks if row[2]]
    order = pd.Series([row[0] for row in visible], dtype=int).groupby(lambda i: visible[i][0])
    numbers = order.cumcount().tolist() if visible else []
    found = [(row[0], n, "mouse", row[3]) for row, n in zip(visible, numbers, strict=True)]
    perfect = identities(
        [(row[0], row[2][0], n, row[3]) for row, n in zip(visible, numbers, strict=True)]
    )
    counts = evaluate(
        annotations(marks), detections(found), {"m": perfect, "oracle": perfect}, animals
    ).loc["m"]
    for metric in ("A_O", "IoU_O", "A_GD"):
        if metric in counts.index:
            assert counts.loc[metric, "count"] == counts.loc[metric, "normaliser"]
    wrong = counts[counts.index.str.contains("FNR|FPR|MisID|U_O") & (counts.index != "IoU_O")]
    assert wrong["count"].sum() == 0
