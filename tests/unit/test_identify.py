"""Naming tracklets: the programme's optimum and constraints, the baselines, the oracle."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from murid import tables
from murid.errors import InputError
from murid.identify import answer, evidence, ilp, oracle, problem, solvers, static
from murid.identify.stage import Identify
from murid.settings import Overlap, Solve
from murid.tracklets import Tracklets
from small_rig import IDENTITY, annotation, boxes_at, positions, simple_model


def rows_of(table):
    return Tracklets(table["frame"], table["tracklet"])


@st.composite
def problems(draw, most_animals=4, most_tracklets=7):
    animals = draw(st.integers(1, most_animals))
    intervals = draw(st.integers(1, 6))
    count = draw(st.integers(0, most_tracklets))
    weight = st.floats(-30, 30).map(lambda value: round(value, 3))
    starts, ends = [], []
    for _ in range(count):
        start = draw(st.integers(0, intervals - 1))
        starts.append(start)
        ends.append(draw(st.integers(start + 1, intervals)))
    weights = draw(
        st.lists(
            st.lists(weight, min_size=animals + 1, max_size=animals + 1),
            min_size=count,
            max_size=count,
        )
    )
    hidden = draw(
        st.lists(
            st.lists(weight, min_size=animals, max_size=animals),
            min_size=intervals,
            max_size=intervals,
        )
    )
    return problem.Problem(
        np.array(starts, dtype=np.int64),
        np.array(ends, dtype=np.int64),
        np.array(weights, dtype=float).reshape(count, animals + 1),
        np.array(hidden, dtype=float).reshape(intervals, animals),
    )


def brute_force(task):
    """The best objective over every assignment, by the definition and nothing else."""
    best = -np.inf
    alive = task.alive()
    for choice in product(range(task.animals + 1), repeat=task.tracklets):
        total = sum(task.weights[i, j] for i, j in enumerate(choice))
        for members, hidden in zip(alive, task.hidden, strict=True):
            held = [choice[i] for i in members if choice[i] < task.animals]
            if len(set(held)) < len(held):
                break
            total += sum(hidden[j] for j in range(task.animals) if j not in held)
        else:
            best = max(best, total)
    return best


SOLVERS = ("paper", "cbc", "highs", "dp")


@settings(max_examples=40)
@given(problems(most_tracklets=6))
def test_every_solver_finds_the_brute_force_optimum(task):
    best = brute_force(task)
    for solver in SOLVERS:
        # ``objective`` raises if any of Eqs. 2-4 is broken.
        found = task.objective(solvers.solve(task, Solve(solver=solver)))
        assert_allclose(found, best, atol=1e-6, err_msg=solver)


@given(problems(most_tracklets=30, most_animals=6))
def test_quick_solvers_agree_on_larger_instances(task):
    found = [task.objective(solvers.solve(task, Solve(solver=name))) for name in ("highs", "dp")]
    assert_allclose(found[0], found[1], atol=1e-6)


def test_solvers_agree_where_the_relaxation_is_fractional():
    # Tracklets that overlap in a ring of animals and want the same ones: ties and odd cycles.
    random = np.random.default_rng(11)
    for _ in range(200):
        starts = random.integers(0, 4, 6)
        task = problem.Problem(
            starts,
            starts + random.integers(1, 4, 6),
            np.column_stack([random.integers(0, 3, (6, 3)), np.zeros(6)]).astype(float),
            np.zeros((7, 3)),
        )
        found = {
            name: task.objective(solvers.solve(task, Solve(solver=name)))
            for name in ("highs", "dp")
        }
        assert_allclose(found["dp"], found["highs"], atol=1e-6)


def test_programme_finds_the_optimum_of_the_largest_small_instance():
    random = np.random.default_rng(3)
    starts = random.integers(0, 5, 7)
    task = problem.Problem(
        starts,
        starts + random.integers(1, 3, 7),
        random.normal(0, 10, (7, 5)),
        random.normal(-5, 2, (7, 4)),
    )
    assert_allclose(task.objective(ilp.solve(task)), brute_force(task), atol=1e-6)


def test_objective_refuses_an_animal_in_two_places():
    task = problem.Problem(
        np.array([0, 0]), np.array([1, 1]), np.zeros((2, 2)), np.full((1, 1), -1.0)
    )
    with pytest.raises(ValueError, match="2 tracklets in interval 0"):
        task.objective(np.array([0, 0]))
    assert task.objective(np.array([0, 1])) == 0.0
    assert task.objective(np.array([1, 1])) == -1.0


def test_solver_that_runs_out_of_time_says_so():
    random = np.random.default_rng(0)
    starts = np.sort(random.integers(0, 900, 900))
    task = problem.Problem(
        starts,
        starts + random.integers(1, 30, 900),
        random.normal(0, 10, (900, 4)),
        random.normal(-5, 2, (930, 3)),
    )
    with pytest.raises(problem.SolverError, match="CBC ended with"):
        ilp.solve(task, time_limit=1e-3)


def test_intervals_and_sums_follow_the_frames():
    trace = evidence.Readings(
        ["A"],
        np.ones((5, 1), dtype=int),
        np.zeros((5, 1, 9), dtype=np.int8),
        np.arange(1.0, 6.0)[:, None],
    )
    linked = boxes_at([(1, 0, 100, 7), (2, 0, 100, 7), (2, 1, 200, 9)], "tracklets")
    seen = evidence.Evidence(np.array([[10.0], [20.0], [40.0]]), np.array([1.0, 2.0, 4.0]))
    task = problem.build(rows_of(linked), seen, trace)
    # Frames 0 | 1 | 2 | 3 4: tracklet 7 spans the second and third, tracklet 9 the third.
    assert task.starts.tolist() == [1, 2]
    assert task.ends.tolist() == [3, 3]
    assert task.weights.tolist() == [[30.0, 3.0], [40.0, 4.0]]
    assert task.hidden.ravel().tolist() == [1.0, 2.0, 3.0, 9.0]


def test_a_frame_spanned_without_a_box_counts_as_hidden():
    trace = evidence.Readings(
        ["A"],
        np.ones((3, 1), dtype=int),
        np.zeros((3, 1, 9), dtype=np.int8),
        np.array([[1.0], [2.0], [4.0]]),
    )
    linked = boxes_at([(0, 0, 100, 0), (2, 0, 100, 0)], "tracklets")
    task = problem.build(
        rows_of(linked), evidence.Evidence(np.full((2, 1), 10.0), np.ones(2)), trace
    )
    assert task.weights.tolist() == [[22.0, 2.0]]


def test_ilp_uses_the_whole_tracklet_where_static_p_looks_at_one_frame():
    # A single tracklet stays at antenna 1, where A is read all the time but for two frames, in
    # which A and B are read the wrong way round.
    antennas = np.tile([1, 2], (10, 1))
    antennas[4:6] = [2, 1]
    model, trace_table = simple_model(), positions(antennas)
    trace = evidence.read_trace(trace_table, model)
    linked = boxes_at([(frame, 0, 100, 0) for frame in range(10)], "tracklets")
    named = by_ilp(linked, trace, model, IDENTITY, Solve())
    assert named.tolist() == [0] * 10
    mice = linked.assign(label="mouse", score=0.9)
    assert (
        static.by_probability(mice, trace, model, IDENTITY).tolist() == [0] * 4 + [1] * 2 + [0] * 4
    )


def test_static_c_gives_every_animal_a_box_while_there_are_boxes():
    model = simple_model()
    trace = evidence.read_trace(positions([[1, 2], [1, 2], [1, 2]]), model)
    mice = boxes_at([(0, 0, 150), (0, 1, 390), (1, 0, 210), (2, 0, 190), (2, 1, 110), (2, 2, 300)])
    assert static.by_centroid(mice, trace, model, IDENTITY).tolist() == [0, 1, 1, 1, 0, -1]


def test_static_p_rejects_a_box_far_from_every_antenna():
    model = simple_model()
    trace = evidence.read_trace(positions([[1, 1]]), model)
    assert static.by_probability(boxes_at([(0, 0, 400)]), trace, model, IDENTITY).tolist() == [-1]


def by_ilp(tracklets, trace, model, matrix, settings):
    seen = evidence.weigh(tracklets, trace, model, matrix)
    task = problem.build(rows_of(tracklets), seen, trace)
    return solvers.name_rows(task, rows_of(tracklets).rank, settings)


def test_an_animal_without_reading_takes_what_is_left():
    model = simple_model()
    trace = evidence.read_trace(positions([[1, 0]] * 5), model)
    rows = [(frame, k, (100, 260)[k], k) for frame in range(5) for k in (0, 1)]
    named = by_ilp(boxes_at(rows, "tracklets"), trace, model, IDENTITY, Solve())
    assert (named[::2] == 0).all()
    assert set(named[1::2]) <= {1, -1}


def test_no_tracklets_means_all_hidden():
    model = simple_model()
    trace = evidence.read_trace(positions([[1, 2]] * 3), model)
    empty = tables.empty("tracklets")
    named = by_ilp(empty, trace, model, IDENTITY, Solve())
    table = answer.to_identities(empty, named, trace.animals, trace.frames)
    assert len(table) == 6
    assert table["x"].isna().all()
    assert table["detection"].isna().all()


def test_a_reading_outside_the_grid_is_named():
    with pytest.raises(InputError, match=r"frame 1, animal B.*antenna 5.*1 to 4"):
        evidence.read_trace(positions([[1, 2], [1, 5]]), simple_model())


def test_a_box_after_the_last_reading_is_named():
    model = simple_model()
    trace = evidence.read_trace(positions([[1, 2]]), model)
    with pytest.raises(InputError, match=r"a box at frame 3.*frames 0 to 0"):
        by_ilp(boxes_at([(3, 0, 100, 0)], "tracklets"), trace, model, IDENTITY, Solve())


def test_more_animals_than_the_model_knows_is_an_error():
    model = simple_model(animals=2)
    with pytest.raises(InputError, match="more than 2 animals"):
        evidence.read_trace(positions([[1, 1, 1]]), model)


def test_oracle_matches_by_overlap_with_a_laxer_limit_for_difficult_ones():
    truth = annotation(
        [
            (0, ("A",), 100, "single", False),
            (0, ("B",), 200, "single", True),
            (0, ("C",), 300, "single", False),
            (0, ("tunnel",), 390, "single", False),
        ]
    )
    # Shifts of 25 of 60 pixels overlap by 35 / 85 = 0.41: enough for the difficult one only.
    mice = boxes_at([(0, 0, 105), (0, 1, 225), (0, 2, 325), (0, 3, 390)])
    found = oracle.assign(mice, truth, Overlap())
    assert found.to_numpy().tolist() == [[0, "A", 0], [0, "B", 1]]
    # 5 of 60 pixels overlap by 55 / 65 = 0.85: what counts is set, not written down a second time.
    assert oracle.assign(mice, truth, Overlap(iou=0.9, iou_difficult=0.9)).empty
    lax = oracle.assign(mice, truth, Overlap(iou=0.4, iou_difficult=0.4))
    assert lax["animal"].tolist() == ["A", "B", "C"]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 400)), max_size=12))
def test_identities_cover_every_frame_and_animal_once(rows):
    rows = sorted(rows)
    ranks = pd.DataFrame(rows, columns=["frame", "x"]).groupby("frame").cumcount().tolist()
    mice = (
        boxes_at([(f, r, x) for (f, x), r in zip(rows, ranks, strict=True)])
        if rows
        else tables.empty("detections")
    )
    model = simple_model()
    trace = evidence.read_trace(positions([[1, 2, 3]] * 3), model)
    named = static.by_probability(mice, trace, model, IDENTITY)
    table = answer.to_identities(mice, named, trace.animals, trace.frames)
    assert len(table) == 9
    assert not table.duplicated(["frame", "animal"]).any()
    kept = table.dropna(subset=["detection"])
    assert not kept.duplicated(["frame", "detection"]).any()
    assert len(kept) == (named >= 0).sum()


def test_run_passes_a_discarded_segment_on(tmp_path):
    verdict = tables.Verdict("discarded", "no trace")
    for name in ("detections", "tracklets", "positions", "annotations"):
        tables.write(tables.empty(name), tmp_path / f"{name}.parquet", name, verdict)
    names = ("detections", "tracklets", "positions", "annotations")
    Identify(
        **{name: tmp_path / f"{name}.parquet" for name in names},
        weights=tmp_path / "no.json", transforms=tmp_path / "no.parquet", rig="rig", fps=25.0,
        outputs=[("ilp", tmp_path / "ilp.parquet")],
        output_posteriors=tmp_path / "posteriors.parquet",
    ).run()  # fmt: skip
    assert tables.read(tmp_path / "posteriors.parquet", "posteriors").empty
    assert tables.read(tmp_path / "ilp.parquet", "identities").empty
    assert tables.read_verdict(tmp_path / "ilp.parquet") == verdict


def test_no_positions_give_an_empty_trace():
    trace = evidence.read_trace(tables.empty("positions"), simple_model())
    assert (trace.animals, trace.frames) == ([], 0)


def test_ilp_tells_that_time_ran_out_as_an_input_error(monkeypatch):
    def late(task, settings):
        raise problem.SolverError("HiGHS", "time limit", task)

    monkeypatch.setattr(solvers, "solve", late)
    model = simple_model()
    trace = evidence.read_trace(positions([[1, 2]]), model)
    arguments = (tables.empty("tracklets"), trace, model, np.eye(2, 3))
    with pytest.raises(InputError, match=r"identify\.time_limit.*within 2 s"):
        by_ilp(*arguments, Solve(time_limit=2))
    with pytest.raises(problem.SolverError):
        by_ilp(*arguments, Solve())


def test_an_annotated_animal_without_positions_is_named():
    mice = boxes_at([(0, 0, 100)])
    truth = annotation([(0, ("Z",), 100, "single", False)])
    trace = evidence.read_trace(positions([[1, 2]]), simple_model())
    with pytest.raises(InputError, match="frame 0: found the animal 'Z'"):
        oracle.named(mice, truth, Overlap(), trace.animals)
