"""Evaluation: which frames count, what counts as right, and sums that must add up."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from murid import boxes, contracts, tables
from murid.archive.annotations import from_release, read_release
from murid.archive.tide import read_splits
from murid.cli import cli
from murid.errors import InputError, PartialError
from murid.evaluate import cage
from murid.evaluate.counts import count_metrics
from murid.evaluate.outcomes import animal_outcomes, detection_outcomes
from murid.evaluate.stage import Aggregate, Join
from murid.evaluate.stage import Evaluate as EvaluateStage
from murid.settings import Evaluate, parse
from murid.truth import evaluated_frames, ground_truth, unambiguous_frames

LABELS = {"cage": "c", "segment": "1", "split": "Test"}
EVERY_FRAME = Evaluate()
BOX = (10.0, 10.0, 100.0, 100.0)
ELSEWHERE = (500.0, 10.0, 100.0, 100.0)
NOWHERE = (np.nan,) * 4


def annotations(rows):
    """Rows of (frame, type, identities, box or None, difficult) as the table."""
    table = pd.DataFrame(
        [
            (frame, kind, names, *(box or NOWHERE), "clear", difficult)
            for frame, kind, names, box, difficult in rows
        ],
        columns=["frame", "type", "identities", *contracts.BOX, "visibility", "difficult"],
    )
    table.insert(1, "object", table.groupby("frame").cumcount())
    return tables.conform(table, "annotations")


def identities(rows):
    """Rows of (frame, animal, detection or None, box or None) as the table."""
    table = pd.DataFrame(
        [
            (frame, animal, None, detection, *(box or NOWHERE), None)
            for frame, animal, detection, box in rows
        ],
        columns=["frame", "animal", "tracklet", "detection", *contracts.BOX, "confidence"],
    )
    return tables.conform(table, "identities")


def detections(rows):
    """Rows of (frame, detection, label, box) as the table."""
    table = pd.DataFrame(
        [(frame, number, label, *box, 0.9) for frame, number, label, box in rows],
        columns=["frame", "detection", "label", *contracts.BOX, "score"],
    )
    return tables.conform(table, "detections")


def totals(by_animal, by_detection):
    """Count and normaliser of every metric over all snippets, by method."""
    labelled = [outcomes.assign(**LABELS) for outcomes in (by_animal, by_detection)]
    counts = count_metrics(
        tables.conform(labelled[0], "animal_outcomes"),
        tables.conform(labelled[1], "detection_outcomes"),
    )
    return counts.groupby(["method", "metric"])[["count", "normaliser"]].sum()


def evaluate(marks, found, named, animals):
    frames = evaluated_frames(marks, 25, EVERY_FRAME)
    truth = ground_truth(marks, frames["frame"], animals)
    return totals(
        animal_outcomes(frames, animals, truth, named, EVERY_FRAME),
        detection_outcomes(frames, found, named),
    )


# --- which frames count


def marked(frames):
    return annotations([(frame, "single", ["R"], BOX, False) for frame in frames])


def test_without_snippets_every_unambiguous_frame_is_in_snippet_0():
    chosen = evaluated_frames(marked([300, 7]), 25, EVERY_FRAME)
    assert chosen["frame"].tolist() == [7, 300]
    assert chosen["snippet"].tolist() == [0, 0]


def test_both_ends_of_a_snippet_belong_to_it_and_the_frames_around_do_not():
    chosen = evaluated_frames(marked([99, 100, 200, 201]), 25, Evaluate(snippets=[(4, 8)]))
    assert chosen["frame"].tolist() == [100, 200]


def test_ends_of_a_snippet_survive_rounding():
    fps = 29.97
    frames = [round(fps * second) for second in (0, 10)]
    exact = Evaluate(snippets=[(frames[0] / fps, frames[1] / fps)], interval=10)
    assert evaluated_frames(marked(frames), fps, exact)["frame"].tolist() == frames


@pytest.mark.parametrize(("annotated", "counts"), [(22, False), (23, True)])
def test_a_snippet_counts_from_half_of_its_46_times_on(annotated, counts):
    marks = marked(range(0, annotated * 100, 100))
    chosen = evaluated_frames(marks, 25, Evaluate(snippets=[(0, 180)]))
    assert (len(chosen) > 0) == counts


def test_frames_annotated_densely_in_one_place_do_not_make_up_for_the_rest():
    chosen = evaluated_frames(marked(range(100)), 25, Evaluate(snippets=[(0, 180)]))
    assert chosen.empty


def test_a_frame_at_the_border_of_two_snippets_counts_once():
    chosen = evaluated_frames(
        marked([0, 100, 200]), 25, Evaluate(snippets=[(0, 4), (4, 8)], min_annotated=0)
    )
    assert chosen.to_numpy().tolist() == [[0, 0], [100, 0], [200, 1]]


def test_frames_with_an_uncertain_identity_are_left_out_entirely():
    marks = annotations(
        [
            (0, "single", ["R"], BOX, False),
            (0, "huddle", ["G", "B"], ELSEWHERE, False),
            (1, "tentative", ["R", "G"], BOX, False),
            (2, "single", ["R", "G"], BOX, False),
            (3, "single", [], BOX, False),
            (4, "single", ["tunnel"], BOX, False),
            (5, "empty", [], None, False),
            (6, "single", ["R"], BOX, True),
        ]
    )
    assert unambiguous_frames(marks).tolist() == [4, 5, 6]


@pytest.mark.parametrize("snippets", [[(0, 10), (5, 20)], [(10, 5)], [(-1, 5)]])
def test_snippets_that_overlap_or_run_backwards_are_refused(snippets):
    with pytest.raises(InputError, match="snippets"):
        parse(Evaluate, {"snippets": snippets})


def test_an_animal_that_the_positions_do_not_know_is_an_error():
    with pytest.raises(InputError, match=r"frame 7.*'R'.*one of B, G"):
        ground_truth(marked([7]), [7], ["B", "G"])


def test_a_frame_that_shows_an_animal_twice_is_left_out_but_two_tunnels_do_no_harm():
    marks = annotations(
        [
            (7, "single", ["R"], BOX, False),
            (7, "single", ["R"], ELSEWHERE, False),
            (8, "single", ["tunnel"], BOX, False),
            (8, "single", ["tunnel"], ELSEWHERE, False),
        ]
    )
    assert unambiguous_frames(marks).tolist() == [8]


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


# --- files in, files out


def positions(animals, frames):
    grid = pd.MultiIndex.from_product([range(frames), animals], names=["frame", "animal"])
    table = grid.to_frame(index=False).assign(antenna=1, filled=False)
    return tables.conform(table, "positions") if len(table) else tables.empty("positions")


@pytest.fixture
def inputs(tmp_path):
    """The paths of a small segment's tables, and where the outcomes go."""
    found = detections([(frame, 0, "mouse", BOX) for frame in range(4)])
    kept = found.assign(tracklet=5)
    named = identities([(frame, "R", 0, BOX) for frame in range(4)])
    parts = {
        "detections": found,
        "tracklets": kept,
        "positions": positions(["R", "G"], 4),
        "annotations": marked([1, 2]),
    }

    def write(**changes):
        verdict = changes.pop("verdict", None)
        for name, table in (parts | changes).items():
            tables.write(table, tmp_path / f"{name}.parquet", name, verdict)
        for method in ("ilp", "oracle"):
            tables.write(named, tmp_path / f"{method}.parquet", "identities", verdict)
        names = {name: tmp_path / f"{name}.parquet" for name in parts}
        return names | {
            "identities": {m: tmp_path / f"{m}.parquet" for m in ("ilp", "oracle")},
            "output_animals": tmp_path / "out" / "animals.parquet",
            "output_detections": tmp_path / "out" / "detections.parquet",
            "output_summary": tmp_path / "out" / "summary.parquet",
        }

    return write


def run(paths):
    named = tuple(paths["identities"].items())
    given = LABELS | paths | {"identities": named}
    EvaluateStage(**given, fps=25.0, default="ilp", evaluate=EVERY_FRAME).run()


def outputs(paths):
    return (
        tables.read(paths["output_animals"], "animal_outcomes"),
        tables.read(paths["output_detections"], "detection_outcomes"),
        tables.read(paths["output_summary"], "summaries").iloc[0],
    )


def test_run_writes_outcomes_and_a_summary(inputs):
    paths = inputs()
    run(paths)
    by_animal, by_detection, summary = outputs(paths)
    assert len(by_animal) == 2 * 2 * 2
    assert len(by_detection) == 2
    assert summary["animals"] == ("G", "R")
    assert summary["identified"] == 0.5
    assert summary[["frames", "detections", "tracklets"]].tolist() == [4, 4, 1]
    assert summary[["annotated_frames", "evaluated_frames"]].tolist() == [2, 2]
    assert summary[["status", "split", "method"]].tolist() == ["usable", "Test", "ilp"]


def test_an_unannotated_segment_has_no_outcomes_but_a_summary(inputs):
    paths = inputs(annotations=tables.empty("annotations"))
    run(paths)
    by_animal, by_detection, summary = outputs(paths)
    assert by_animal.empty
    assert by_detection.empty
    assert summary[["evaluated_frames", "identified"]].tolist() == [0, 0.5]


def test_a_discarded_segment_flows_through_with_its_reason(inputs):
    paths = inputs(verdict=tables.Verdict("discarded", "the video is 3 minutes short"))
    run(paths)
    by_animal, by_detection, summary = outputs(paths)
    assert by_animal.empty
    assert by_detection.empty
    assert summary[["status", "reason"]].tolist() == ["discarded", "the video is 3 minutes short"]
    assert tables.read_verdict(paths["output_summary"]).discarded


def test_a_wholly_empty_segment_flows_through(inputs):
    nothing = {
        name: tables.empty(name) for name in ("detections", "tracklets", "positions", "annotations")
    }
    paths = inputs(**nothing, verdict=tables.Verdict("discarded", "no readings"))
    run(paths)
    summary = outputs(paths)[2]
    assert summary[["frames", "animals"]].tolist() == [0, ()]


def test_a_discarded_segment_is_as_long_as_the_check_found(inputs):
    nothing = {
        name: tables.empty(name) for name in ("detections", "tracklets", "positions", "annotations")
    }
    verdict = tables.Verdict("discarded", "antennas that no grid has")
    paths = inputs(**nothing, verdict=verdict)
    empty = tables.empty("positions")
    tables.write(empty, paths["positions"], "positions", verdict, {"frames": "45000"})
    run(paths)
    assert outputs(paths)[2]["frames"] == 45000


def test_the_oracle_must_be_among_the_methods(inputs):
    paths = inputs()
    del paths["identities"]["oracle"]
    with pytest.raises(InputError, match="also oracle"):
        run(paths)


def test_the_same_input_gives_the_same_bytes(inputs):
    paths = inputs()
    written = []
    for _ in range(2):
        run(paths)
        written.append(paths["output_animals"].read_bytes())
    assert written[0] == written[1]


def test_the_command_lines_evaluate_and_join_a_segment(inputs, tmp_path):
    paths = inputs()
    options = ["--cage", "c", "--segment", "1", "--fps", "25", "--default", "ilp"]
    for name, path in paths.items():
        if name == "identities":
            for method, table in path.items():
                options += ["--identities", method, str(table)]
        else:
            options += ["--" + name.replace("_", "-"), str(path)]
    result = CliRunner().invoke(cli, ["evaluate", *options, "--snippets", "[[0, 0.04]]"])
    assert result.exit_code == 0, result.output
    joined = tmp_path / "counts.parquet"
    options = ["--output-counts", str(joined)]
    options += ["--output-reliability", str(tmp_path / "reliability.parquet")]
    options += ["--output-summaries", str(tmp_path / "summaries.parquet")]
    written = [str(paths[f"output_{name}"]) for name in ("animals", "detections", "summary")]
    options += ["--segment", "c", "1", "Test", "25", *written]
    result = CliRunner().invoke(cli, ["aggregate", *options])
    assert result.exit_code == 0, result.output
    counts = tables.read(joined, "counts").set_index(["method", "metric"])
    assert counts.loc[("ilp", "A_O"), ["count", "normaliser"]].tolist() == [2, 2]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (
            ("c", "1", "Tset", "25"),
            "options, --segment number 1, split: found 'Tset'; expected 'Train'",
        ),
        (
            ("c", "1", "Test", "0"),
            "options, --segment number 1, fps: found '0'; expected greater than 0",
        ),
        (
            ("c", "1", "Test", "inf"),
            "options, --segment number 1, fps: found 'inf'; expected a finite",
        ),
    ],
)
def test_what_the_sheet_cannot_say_of_a_segment_is_refused(row, told, tmp_path):
    options = [f"--output-{name}={tmp_path / name}" for name in ("counts", "reliability")]
    options += [f"--output-summaries={tmp_path / 'summaries'}", "--segment", *row, "a", "b", "c"]
    error = CliRunner().invoke(cli, ["aggregate", *options]).exception
    assert isinstance(error, InputError)
    assert str(error).startswith(told)


def test_a_segment_of_no_split_has_an_empty_one(members, tmp_path):
    words = ["c", "1", "none", "12.5", *map(str, members[0][4:])]
    members[0][4].unlink()  # so that the split is taken from the options
    options = [f"--output-{name}={tmp_path / name}" for name in ("counts", "reliability")]
    options += [f"--output-summaries={tmp_path / 'summaries'}", "--segment", *words]
    error = CliRunner().invoke(cli, ["aggregate", *options]).exception
    assert isinstance(error, PartialError)
    assert tables.read(tmp_path / "summaries", "summaries")["split"].tolist() == [""]


# --- the segments of a cage


def summary_of(name, animals, status="usable", reason="", **others):
    return {
        "cage": "c", "segment": name, "split": "Test", "status": status, "reason": reason,
        "animals": animals, "frames": 4, "fps": 25.0, "detections": 4, "tracklets": 1,
        "method": "ilp", "identified": 0.5, "annotated_frames": 2, "evaluated_frames": 2,
    } | others  # fmt: skip


def judged(*rows):
    table = tables.conform(pd.DataFrame([summary_of(*row) for row in rows]), "summaries")
    return cage.discard_strangers(table).set_index("segment")


def test_segments_that_show_the_same_animals_stay():
    assert judged(("1", ["R", "G"]), ("2", ["G", "R"]))["status"].tolist() == ["usable"] * 2


def test_a_segment_with_other_animals_than_most_is_discarded():
    result = judged(("1", ["R", "G"]), ("2", ["R", "B"]), ("3", ["R", "G"]))
    assert result["status"].tolist() == ["usable", "discarded", "usable"]
    assert result.loc["2", "reason"] == "animals B, R; most segments of the cage show G, R"
    assert result.loc["2", "evaluated_frames"] == 0


def test_without_a_majority_all_stay_and_say_that_they_disagree():
    result = judged(("1", ["R"]), ("2", ["G"]))
    assert result["status"].tolist() == ["repaired"] * 2
    assert result.loc["1", "reason"].startswith("animals R; other segments of the cage show others")
    assert result["evaluated_frames"].tolist() == [2, 2]


def test_what_was_known_of_a_segment_is_not_lost_where_a_cage_disagrees():
    result = judged(("1", ["R"], "repaired", "3 readings filled"), ("2", ["G"]))
    assert result.loc["1", "reason"].startswith("3 readings filled; animals R; other segments")


@pytest.mark.parametrize("status", contracts.UNUSABLE)
def test_segments_that_cannot_be_used_have_no_vote(status):
    result = judged(("1", [], status), ("2", [], status), ("3", ["R"]))
    assert result["status"].tolist() == [status, status, "usable"]


@pytest.fixture
def members(tmp_path):
    """Return tables of a cage whose third segment shows another animal, and where results go."""
    made = []
    for name, animals in {"1": ["R"], "2": ["R"], "3": ["G"]}.items():
        frames = pd.DataFrame({"frame": [0], "snippet": [0]})
        outcome = animal_outcomes(
            frames,
            animals,
            ground_truth(marked([]), [], animals),
            {"ilp": identities([])},
            EVERY_FRAME,
        ).assign(cage="c", segment=name, split="Test", confidence=0.5)
        paths = [
            tmp_path / f"{part}{name}.parquet" for part in ("animals", "detections", "summary")
        ]
        tables.write(outcome, paths[0], "animal_outcomes")
        tables.write(tables.empty("detection_outcomes"), paths[1], "detection_outcomes")
        tables.write(pd.DataFrame([summary_of(name, animals)]), paths[2], "summaries")
        made.append(("c", name, "Test", 12.5, *paths))
    return made


def aggregated(members, folder):
    names = ("counts", "reliability", "summaries")
    paths = [folder / f"{name}.parquet" for name in names]
    outputs = {f"output_{name}": path for name, path in zip(names, paths, strict=True)}
    Aggregate(members=tuple(members), **outputs).run()
    return [tables.read(path, name) for path, name in zip(paths, names, strict=True)]


def test_counts_of_a_segment_with_strangers_are_dropped(members, tmp_path):
    counts, reliability, summaries = aggregated(members, tmp_path)
    for table in (counts, reliability):
        assert set(table["segment"]) == {"1", "2"}
    assert summaries["status"].tolist()[2] == "discarded"


@pytest.mark.parametrize("part", [4, 5, 6])
def test_a_segment_whose_tables_are_damaged_does_not_stop_its_cage(members, tmp_path, part):
    members[1][part].write_bytes(b"PAR1 was here")
    with pytest.raises(PartialError, match="aggregate failed"):
        aggregated(members, tmp_path)
    counts = tables.read(tmp_path / "counts.parquet", "counts")
    summaries = tables.read(tmp_path / "summaries.parquet", "summaries")
    assert set(counts["segment"]) == {"1", "3"}  # one each: no majority
    lost = summaries.set_index("segment").loc["2"]
    assert lost[["status", "split", "fps"]].tolist() == ["failed", "Test", 12.5]
    assert str(members[1][part]) in lost["reason"]


def test_a_cage_without_segments_is_an_empty_table(tmp_path):
    assert all(table.empty for table in aggregated([], tmp_path))


def test_what_a_joined_table_could_not_have_is_known_of_the_whole(tmp_path):
    verdict = tables.Verdict("failed", "review of A 1 failed")
    paths = [tmp_path / f"{name}.parquet" for name in "ab"]
    for path, own in zip(paths, (None, verdict), strict=True):
        tables.write(tables.empty("stretches"), path, "stretches", own)
    output = tmp_path / "joined.parquet"
    Join(parts=[("stretches", path) for path in paths], outputs=[("stretches", output)]).run()
    assert tables.read_verdict(output) == verdict


def test_tables_of_cages_are_stacked_in_order(tmp_path):
    paths = {}
    for name in ("b", "a"):
        paths[name] = tmp_path / f"{name}.parquet"
        table = pd.DataFrame([{**summary_of("1", ["R"]), "cage": name}])
        tables.write(table, paths[name], "summaries")
    output = tmp_path / "joined.parquet"
    parts = [("summaries", path) for path in paths.values()]
    Join(
        parts=parts, outputs=[("summaries", output), ("counts", tmp_path / "counts.parquet")]
    ).run()
    assert tables.read(output, "summaries")["cage"].tolist() == ["b", "a"]
    assert tables.read(tmp_path / "counts.parquet", "counts").empty


@pytest.mark.parametrize("where", ["parts", "outputs"])
def test_a_table_that_is_not_of_a_cage_is_not_joined(tmp_path, where):
    given = {"parts": [], "outputs": [], where: [("positions", tmp_path / "positions.parquet")]}
    with pytest.raises(InputError, match=r"'positions'.*one of counts, reliability"):
        Join(**given).run()


# --- the released data


def test_the_normalisers_of_train_and_validate_are_the_papers(shared):
    path = shared / "tide" / "Annotations.df"
    release = read_release(path)
    splits, _ = read_splits(shared / "tide" / "Datasplits.df")
    snippets = Evaluate(snippets=[(0, 180), (812, 988), (1620, 1796)])
    sizes = {"Train": np.zeros(2, dtype=int), "Validate": np.zeros(2, dtype=int)}
    for key, rows in release.items():
        marks = from_release(rows, path)
        frames = evaluated_frames(marks, 25.0, snippets)
        visible = ground_truth(marks, frames["frame"], ["R", "G", "B"])
        sizes[splits[key]] += (len(frames), len(visible))
    train, validate = sizes["Train"], sizes["Validate"]
    assert (train[0], validate[0]) == (498, 398)
    frames, visible = train + validate
    assert (frames, 3 * frames, visible, 3 * frames - visible) == (896, 2688, 2541, 147)
