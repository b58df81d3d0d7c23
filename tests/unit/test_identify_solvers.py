"""All solvers of the assignment problem: the same optimum, or an error, whatever the instance."""

from itertools import pairwise, product
from pathlib import Path

import mip
import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from murid import settings, sheet, tables
from murid.archive.stage import Check, ImportTide
from murid.calibrate.stage import Calibrate
from murid.fitting.stage import FitWeights
from murid.identify import dynamic, evidence, problem, reduced, solvers
from murid.identify.problem import Problem
from murid.models import fitted_weights
from murid.settings import Solve
from murid.tracking import link
from murid.tracklets import Tracklets

SOLVERS = ("paper", "cbc", "highs", "dp")
INSTANCES = 1_000
TOGETHER = 25
TINY = 1_500
"""Assignments of a tiny instance, at most."""


def random_instance(random: np.random.Generator, animals: int, most: int) -> Problem:
    """Up to ``most`` tracklets; weights are whole numbers, with many ties, in every second one."""
    count, intervals = random.integers(0, most + 1), random.integers(1, 8)
    starts = random.integers(0, intervals, count)
    ends = np.minimum(starts + random.integers(1, 5, count), intervals)
    weights = random.normal(0, 10, (count, animals + 1))
    hidden = random.normal(-3, 3, (intervals, animals))
    if random.integers(2):
        weights, hidden = (weights / 5).round(), (hidden / 3).round()
    return Problem(starts, ends, weights, hidden)


def after_each_other(tasks: list[Problem]) -> Problem:
    offsets = np.cumsum([0, *(task.intervals for task in tasks)])
    pairs = list(zip(tasks, offsets, strict=False))
    return Problem(
        np.concatenate([task.starts + offset for task, offset in pairs]),
        np.concatenate([task.ends + offset for task, offset in pairs]),
        np.concatenate([task.weights for task in tasks]),
        np.concatenate([task.hidden for task in tasks]),
    )


def brute_force(task: Problem) -> float:
    """The best objective over every assignment, by Eqs. 1-4 and nothing else."""
    choices = np.array(
        list(product(range(task.animals + 1), repeat=task.tracklets)), dtype=np.int64
    )
    total = task.weights[np.arange(task.tracklets), choices].sum(axis=1)
    for interval in range(task.intervals):
        alive = (task.starts <= interval) & (interval < task.ends)
        for animal in range(task.animals):
            held = (choices[:, alive] == animal).sum(axis=1)
            total += np.where(held == 0, task.hidden[interval, animal], 0.0)
            total[held > 1] = -np.inf
    return float(total.max())


def solved(task: Problem, solver: str) -> float:
    """The objective, which raises if the assignment breaks Eqs. 2-4."""
    return task.objective(solvers.solve(task, Solve(solver=solver)))


@pytest.mark.parametrize("animals", range(1, 7))
def test_all_solvers_agree_on_a_thousand_random_instances(animals: int) -> None:
    random = np.random.default_rng(animals)
    tiny = 0
    for _ in range(-(-INSTANCES // (6 * TOGETHER))):
        tasks = [random_instance(random, animals, most=9) for _ in range(TOGETHER)]
        # One after the other in time, so that CBC is started once: they do not bear on each other.
        joint = after_each_other(tasks)
        parts = np.split(np.arange(joint.tracklets), np.cumsum([t.tracklets for t in tasks])[:-1])
        found = {}
        for solver in SOLVERS:
            assignment = solvers.solve(joint, Solve(solver=solver))
            found[solver] = [
                task.objective(assignment[part]) for task, part in zip(tasks, parts, strict=True)
            ]
        for solver in SOLVERS[:-1]:
            assert_allclose(found[solver], found["dp"], rtol=0, atol=1e-6, err_msg=solver)
        for task, value in zip(tasks, found["dp"], strict=True):
            if (animals + 1) ** task.tracklets <= TINY:
                tiny += 1
                assert_allclose(value, brute_force(task), rtol=0, atol=1e-6)
    assert tiny > 20


@pytest.fixture(scope="module")
def window(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Problem:
    """The first minute of a released segment, weights fitted to that segment."""
    folder = tmp_path_factory.mktemp("window")
    ImportTide(archive=shared / "tide", out=folder, sheet_only=True).run()
    Calibrate(rigs=["rig"], output_transforms=folder / "transforms.parquet").run()
    key, segment = next(iter(sheet.read_sheet(folder / "segments.tsv").items()))
    names = ("positions", "annotations", "detections")
    sources = {name: shared / "tide" / getattr(segment, name) for name in names}
    outputs = {name: folder / f"{name}.parquet" for name in names}
    written = {f"output_{name}": path for name, path in outputs.items()}
    Check(cage=key[0], segment=key[1], **sources, **written).run()
    FitWeights(
        segments=[(25.0, outputs["positions"], outputs["annotations"], "rig")],
        transforms=folder / "transforms.parquet", output=folder / "weights.json", animals=3,
        fit_weights=settings.FitWeights(trees=10),
    ).run()  # fmt: skip
    model = fitted_weights.read(folder / "weights.json").paper
    first = ("frame", 0, 1_500)
    trace = evidence.read_trace(tables.read(outputs["positions"], "positions", first), model)
    linked = link.track(tables.read(outputs["detections"], "detections", first), settings.Track())
    seen = evidence.weigh(linked, trace, model, np.eye(2, 3))
    return problem.build(Tracklets(linked["frame"], linked["tracklet"]), seen, trace)


def test_all_solvers_agree_on_a_real_minute(window: Problem) -> None:
    assert window.tracklets > 200
    found = {solver: solved(window, solver) for solver in (*SOLVERS, "auto")}
    assert_allclose(list(found.values()), found["dp"], rtol=0, atol=1e-6)


# The best fractional assignment is worth 7.5, the best whole one 7.
FRACTIONAL = Problem(
    np.array([0, 0, 1, 0, 0]),
    np.array([2, 2, 2, 2, 1]),
    np.array([[-2, 0, 2, 0], [-2, -1, -1, 0], [1, -2, 2, 0], [2, 2, 3, 0], [-1, 3, 3, 0]], float),
    np.zeros((2, 3)),
)
SIMPLE = Problem(
    np.array([0, 0]), np.array([2, 1]), np.array([[3.0, 1, 0], [3, 2, 0]]), np.zeros((2, 2))
)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_fractional_relaxation_is_never_rounded(solver: str) -> None:
    assert solved(FRACTIONAL, solver) == brute_force(FRACTIONAL) == 7
    whole = random_instance(np.random.default_rng(2), 3, most=9)
    joint = after_each_other([whole, FRACTIONAL, whole])
    assert_allclose(solved(joint, solver), 7 + 2 * solved(whole, solver))


def of_scipy(status: int, x: list[float] | None) -> scipy.optimize.OptimizeResult:
    return scipy.optimize.OptimizeResult(
        status=status, success=status == 0, message="words of HiGHS", x=x and np.array(x)
    )


@pytest.mark.parametrize("status", [1, 2, 3, 4])
@pytest.mark.parametrize("step", ["linprog", "milp"])
def test_highs_that_stops_is_an_error_even_with_an_answer(monkeypatch, status, step) -> None:
    answer = of_scipy(status, [0.0] * 8)
    monkeypatch.setattr(scipy.optimize, step, lambda *_, **__: answer)
    with pytest.raises(problem.SolverError, match="HiGHS ended with words of HiGHS"):
        reduced.solve_highs(FRACTIONAL)


def test_a_fractional_answer_of_highs_is_an_error(monkeypatch) -> None:
    monkeypatch.setattr(scipy.optimize, "milp", lambda *_, **__: of_scipy(0, [0.5] * 8))
    with pytest.raises(problem.SolverError, match="a fractional assignment"):
        reduced.solve_highs(FRACTIONAL)


@pytest.mark.parametrize("solver", ["paper", "cbc"])
@pytest.mark.parametrize(
    "status", [status for status in mip.OptimizationStatus if status.name != "OPTIMAL"]
)
def test_cbc_that_stops_is_an_error(monkeypatch, solver, status) -> None:
    monkeypatch.setattr(mip.Model, "optimize", lambda *_, **__: status)
    with pytest.raises(problem.SolverError, match=f"CBC ended with {status.name}"):
        solvers.solve(SIMPLE, Solve(solver=solver))


@pytest.mark.parametrize("solver", ["paper", "cbc"])
def test_a_fractional_answer_of_cbc_is_an_error(monkeypatch, solver) -> None:
    optimal = mip.OptimizationStatus.OPTIMAL
    monkeypatch.setattr(mip.Model, "optimize", lambda *_, **__: optimal)
    monkeypatch.setattr(mip.Var, "x", property(lambda _: 0.5))
    with pytest.raises(problem.SolverError, match="a fractional assignment"):
        solvers.solve(SIMPLE, Solve(solver=solver))


@pytest.mark.parametrize("solver", ["cbc", "highs"])
def test_no_time_at_all_is_an_error(solver: str) -> None:
    with pytest.raises(problem.SolverError, match="ended with"):
        solvers.solve(FRACTIONAL, Solve(solver=solver, time_limit=1e-9))


@pytest.mark.parametrize("solver", SOLVERS)
def test_time_enough_changes_nothing(solver: str) -> None:
    found = solvers.solve(FRACTIONAL, Solve(solver=solver, time_limit=600))
    assert FRACTIONAL.objective(found) == 7


@pytest.mark.parametrize("solver", [*SOLVERS, "auto"])
class TestEdges:
    def test_no_tracklets(self, solver: str) -> None:
        task = Problem(*np.zeros((2, 0), dtype=np.int64), np.zeros((0, 4)), np.full((2, 3), -1.0))
        assert len(solvers.solve(task, Solve(solver=solver))) == 0
        assert solved(task, solver) == -6

    def test_nothing_worth_naming(self, solver: str) -> None:
        task = Problem(
            np.array([0, 1]), np.array([1, 2]), np.array([[-9.0, 0], [-9, 0]]), -np.ones((2, 1))
        )
        assert solvers.solve(task, Solve(solver=solver)).tolist() == [1, 1]

    def test_one_animal_takes_the_best_chain(self, solver: str) -> None:
        # A long tracklet of 5 against three short ones of 2 in its time.
        task = Problem(
            np.array([0, 0, 1, 2]),
            np.array([3, 1, 2, 3]),
            np.array([[5.0, 0], [2, 0], [2, 0], [2, 0]]),
            np.zeros((3, 1)),
        )
        assert solvers.solve(task, Solve(solver=solver)).tolist() == [1, 0, 0, 0]

    def test_an_animal_without_any_reading_gets_what_others_leave(self, solver: str) -> None:
        # It gains a little by any box, wherever that is.
        gains = np.array([[9.0, 0.2], [8.0, 0.2], [7.0, 0.2]])
        task = Problem(
            np.array([0, 0, 0]),
            np.array([2, 2, 2]),
            np.column_stack([gains, np.zeros(3)]),
            np.zeros((2, 2)),
        )
        named = solvers.solve(task, Solve(solver=solver))
        assert named[0] == 0
        assert sorted(named[1:]) == [1, 2]

    def test_tracklets_that_share_their_whole_life_go_to_different_animals(self, solver) -> None:
        task = Problem(
            np.array([1, 1]), np.array([3, 3]), np.array([[5.0, 4, 0], [5, 1, 0]]), np.zeros((4, 2))
        )
        assert solvers.solve(task, Solve(solver=solver)).tolist() == [1, 0]

    def test_ties_end_in_some_optimum(self, solver: str) -> None:
        task = Problem(
            np.zeros(4, dtype=np.int64),
            np.array([1, 2, 3, 4]),
            np.column_stack([np.ones((4, 3)), np.zeros(4)]),
            np.zeros((4, 3)),
        )
        assert solved(task, solver) == 3

    def test_touching_tracklets_may_be_the_same_animal(self, solver: str) -> None:
        task = Problem(
            np.array([0, 1]), np.array([1, 2]), np.array([[1.0, 0], [1, 0]]), np.zeros((2, 1))
        )
        assert solvers.solve(task, Solve(solver=solver)).tolist() == [0, 0]


def test_auto_leaves_large_groups_to_the_programme(monkeypatch) -> None:
    random = np.random.default_rng(5)
    starts = random.integers(0, 30, 90)
    task = Problem(
        starts,
        starts + random.integers(1, 8, 90),
        np.column_stack([random.normal(0, 5, (90, 6)), np.zeros(90)]),
        np.zeros((40, 6)),
    )
    assert dynamic.most_states(task) > solvers.MOST_STATES
    expected = solved(task, "cbc")
    monkeypatch.delattr(dynamic, "solve")
    assert_allclose(solved(task, "auto"), expected, rtol=0, atol=1e-6)


def test_auto_leaves_small_groups_to_the_dynamic_programme(monkeypatch) -> None:
    monkeypatch.delattr(reduced, "solve_highs")
    assert solved(FRACTIONAL, "auto") == 7


spans = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 5), st.booleans()), max_size=20)


@given(spans)
def test_parts_hold_what_is_worth_naming_and_never_meet(rows) -> None:
    starts = np.array([start for start, _, _ in rows], dtype=np.int64)
    ends = starts + np.array([length for _, length, _ in rows], dtype=np.int64)
    worth = np.array([worth for _, _, worth in rows], dtype=bool)
    weights = np.column_stack([np.where(worth, 1.0, -1.0), np.zeros(len(rows))])
    task = Problem(starts, ends, weights, np.zeros((18, 1)))
    parts = task.parts()
    assert sorted(np.concatenate([[], *parts])) == np.flatnonzero(worth).tolist()
    for earlier, later in pairwise(parts):
        assert ends[earlier].max() <= starts[later].min()
    for part in parts:
        # No moment within a part at which nothing is alive or all of it changes.
        for moment in range(starts[part].min() + 1, ends[part].max()):
            assert ((starts[part] < moment) & (moment < ends[part])).any()


@given(spans, st.integers(1, 10))
def test_groups_are_whole_parts_and_leave_nothing_out(rows, size) -> None:
    starts = np.array([start for start, _, _ in rows], dtype=np.int64)
    ends = starts + np.array([length for _, length, _ in rows], dtype=np.int64)
    weights = np.column_stack([np.ones((len(rows), 2)), np.zeros(len(rows))])
    whole = reduced.programme(Problem(starts, ends, weights, np.zeros((18, 2))))
    groups = list(whole.cut(size))
    assert_array_equal(
        np.concatenate([[], *(np.arange(len(whole.part))[group] for group in groups)]),
        np.arange(len(whole.part)),
    )
    rows_seen = 0
    for group in groups:
        own = whole.part[group]
        assert len(own) <= size or len(np.unique(own)) == 1
        rows_seen += whole.select(group).matrix.shape[0]
    # A row that two groups shared would be seen twice.
    assert rows_seen == whole.matrix.shape[0]


@given(spans)
def test_cliques_are_the_largest_sets_alive_together(rows) -> None:
    rows = sorted(rows)
    starts = np.array([start for start, _, _ in rows], dtype=np.int64)
    ends = starts + np.array([length for _, length, _ in rows], dtype=np.int64)
    alive = {
        frozenset(np.flatnonzero((starts <= moment) & (moment < ends)).tolist())
        for moment in range(18)
    }
    largest = {one for one in alive if len(one) > 1 and not any(one < other for other in alive)}
    found = [frozenset(clique) for clique in reduced.maximal_cliques(starts, ends)]
    assert len(set(found)) == len(found)
    assert set(found) == largest
