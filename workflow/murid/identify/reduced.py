"""The same optimum from a smaller programme: no hidden tracklets, one row a clique, split in time.

An animal that is given tracklet i instead of being hidden gains ``w_ij - w_i,outlier - (its hidden
weight over the tracklet's life)``. With these gains the hidden tracklets of Eqs. 1-4 disappear:
what remains is "at most one animal a tracklet" and, for every animal and every maximal set of
tracklets alive together that it gains by, "at most one". A gain that is not positive is never
taken, and a moment at which no tracklet with a gain is alive splits the programme in two.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from murid.identify.ilp import new_model, optimise
from murid.identify.problem import Problem, SolverError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_INTEGRAL = 1e-6
"""How far a value may be from 0 or 1 that stands for it."""


@dataclass(frozen=True)
class Programme:
    """Maximise ``gains @ x`` over x in {0, 1} where ``matrix @ x <= 1``.

    Attributes
    ----------
    pairs
        (n, 2) int64, tracklet and animal of each variable.
    gains
        (n,) float64, all positive.
    matrix
        (m, n) of 0 and 1.
    part
        (n,) int64, ascending: which part of the problem each variable belongs to.
    """

    pairs: Ints
    gains: Floats
    matrix: scipy.sparse.csc_array
    part: Ints

    def select(self, columns: slice) -> "Programme":
        """Return the programme of some variables, which must be whole parts."""
        matrix = self.matrix[:, columns]
        rows = np.unique(matrix.indices)
        return Programme(self.pairs[columns], self.gains[columns], matrix[rows], self.part[columns])

    def cut(self, variables: int) -> Iterator[slice]:
        """Yield the variables in groups of whole parts, of so many at most if parts allow."""
        ends = np.append(np.flatnonzero(np.diff(self.part)) + 1, len(self.part)).tolist()
        start = end = 0
        for following in ends:
            if following - start > variables and end > start:
                yield slice(start, end)
                start = end
            end = following
        if end > start:
            yield slice(start, end)


def programme(problem: Problem) -> Programme:
    """Write down the reduced programme of a whole segment."""
    gains = problem.gains()
    parts = problem.parts()
    order = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
    place, animal = np.nonzero(gains[order] > 0)
    tracklet = order[place]
    count = len(tracklet)
    rows = np.split(np.arange(count), np.flatnonzero(np.diff(place)) + 1)
    for number in range(problem.animals):
        own = np.flatnonzero(animal == number)
        starts, ends = problem.starts[tracklet[own]], problem.ends[tracklet[own]]
        rows += [own[clique] for clique in maximal_cliques(starts, ends)]
    rows = [row for row in rows if len(row) > 1]
    pointers = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    columns = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
    matrix = scipy.sparse.csr_array(
        (np.ones(len(columns)), columns, pointers), shape=(len(rows), count)
    )
    return Programme(
        pairs=np.column_stack([tracklet, animal]),
        gains=gains[tracklet, animal],
        matrix=matrix.tocsc(),
        part=np.repeat(np.arange(len(parts)), [len(part) for part in parts])[place],
    )


def maximal_cliques(starts: Ints, ends: Ints) -> list[list[int]]:
    """List the maximal sets of two or more spans [start, end) that share a moment.

    Spans on a line: a set is maximal if no span begins before the first of it ends.

    Parameters
    ----------
    starts, ends
        (n,) int64, by their start.

    Returns
    -------
    Numbers of the spans of each set.
    """
    begin, end = starts.tolist(), ends.tolist()
    cliques: list[list[int]] = []
    alive: list[int] = []
    for span, now in enumerate(begin):
        staying = [other for other in alive if end[other] > now]
        if len(staying) < len(alive):
            cliques.append(alive)
            alive = staying
        alive.append(span)
    cliques.append(alive)
    return [clique for clique in cliques if len(clique) > 1]


def solve_cbc(problem: Problem, time_limit: float | None = None) -> Ints:
    """Solve the reduced programme with CBC; as :func:`murid.identify.ilp.solve`."""
    return _solve(problem, "CBC", _cbc, 600, time_limit)


def solve_highs(problem: Problem, time_limit: float | None = None) -> Ints:
    """Solve the reduced programme with HiGHS; as :func:`murid.identify.ilp.solve`.

    The linear relaxation comes first. Its optimum is taken where it is integral, which then is the
    optimum of the programme too; the parts in which it is not are solved as integer programmes (to
    1e-6 in the objective, the tolerance of HiGHS).
    """
    return _solve(problem, "HiGHS", _highs, 3_000, time_limit)


_Method = Callable[[Programme, float | None], Floats]


class _Stopped(Exception):
    """A solver ended without a proven optimum; its own words."""


def _solve(
    problem: Problem, name: str, method: _Method, variables: int, time_limit: float | None
) -> Ints:
    """Solve the programme in groups of parts; so many variables at once is quickest."""
    deadline = None if time_limit is None else monotonic() + time_limit
    assignment = np.full(problem.tracklets, problem.outlier)
    whole = programme(problem)
    for columns in whole.cut(variables):
        left = None if deadline is None else deadline - monotonic()
        if left is not None and left <= 0:
            raise SolverError(name, "no time left", problem)
        task = whole.select(columns)
        try:
            # With nothing to choose between, all gains are taken.
            values = method(task, left) if task.matrix.shape[0] else np.ones(len(task.gains))
        except _Stopped as stopped:
            raise SolverError(name, str(stopped), problem) from stopped
        if _fractional(values).any():
            raise SolverError(name, "a fractional assignment", problem)
        chosen = task.pairs[values > 0.5]
        assignment[chosen[:, 0]] = chosen[:, 1]
    return assignment


def _fractional(values: Floats) -> NDArray[np.bool_]:
    return ~((np.abs(values) <= _INTEGRAL) | (np.abs(values - 1) <= _INTEGRAL))


def _cbc(task: Programme, time_limit: float | None) -> Floats:
    import mip  # loads a large library

    model = new_model()
    variables = [model.add_var(var_type=mip.BINARY, obj=gain) for gain in task.gains.tolist()]
    matrix = task.matrix.tocsr()
    for row in np.split(matrix.indices, matrix.indptr[1:-1]):
        model.add_constr(mip.xsum(variables[column] for column in row.tolist()) <= 1)
    if (outcome := optimise(model, time_limit)) is not None:
        raise _Stopped(outcome)
    return np.array([variable.x for variable in variables], dtype=np.float64)


def _highs(task: Programme, time_limit: float | None) -> Floats:
    from scipy.optimize import Bounds, LinearConstraint, linprog, milp  # slow to import

    deadline = None if time_limit is None else monotonic() + time_limit
    options = {} if time_limit is None else {"time_limit": time_limit}
    relaxed = linprog(
        -task.gains,
        A_ub=task.matrix,
        b_ub=np.ones(task.matrix.shape[0]),
        bounds=(0, 1),
        method="highs-ds",
        options=options,
    )
    if not relaxed.success:
        raise _Stopped(relaxed.message)
    values = relaxed.x
    for part in np.unique(task.part[_fractional(values)]):
        start, end = np.searchsorted(task.part, [part, part + 1]).tolist()
        piece = task.select(slice(start, end))
        if deadline is not None:
            options = {"time_limit": max(deadline - monotonic(), 0.0)}
        solution = milp(
            -piece.gains,
            integrality=np.ones(len(piece.gains)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(piece.matrix, -np.inf, 1),
            options={"mip_rel_gap": 0.0, **options},
        )
        if not solution.success:
            raise _Stopped(solution.message)
        values[start:end] = solution.x
    return values
