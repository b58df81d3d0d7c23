"""The same optimum from a smaller programme: no hidden tracklets, one row a clique.

An animal that is given tracklet i instead of being hidden gains ``w_ij - w_i,outlier - (its hidden
weight over the tracklet's life)``. With these gains the hidden tracklets of Eqs. 1-4 disappear:
what remains is "at most one animal a tracklet" and, for every animal and every maximal set of
tracklets alive together, "at most one". A gain that is not positive is never taken.
"""

import mip
import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from murid.identify.problem import Problem, SolverError


def solve_cbc(problem: Problem, time_limit: float | None = None) -> NDArray[np.int64]:
    """Solve the reduced programme with CBC; as :func:`murid.identify.ilp.solve`."""
    pairs, gains, matrix = _programme(problem)
    if not len(pairs):
        return np.full(problem.tracklets, problem.outlier)
    model = mip.Model(sense=mip.MAXIMIZE, solver_name=mip.CBC)
    model.verbose = 0
    model.threads = 1
    model.max_mip_gap = 0.0
    model.max_mip_gap_abs = 1e-9
    variables = [model.add_var(var_type=mip.BINARY, obj=float(gain)) for gain in gains]
    for row in range(matrix.shape[0]):
        members = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        model.add_constr(mip.xsum(variables[column] for column in members) <= 1)
    status = model.optimize(max_seconds=time_limit if time_limit is not None else mip.INF)
    if status != mip.OptimizationStatus.OPTIMAL:
        raise SolverError("CBC", status.name, problem)
    return _assignment(problem, pairs, np.array([variable.x for variable in variables]), "CBC")


def solve_highs(problem: Problem, time_limit: float | None = None) -> NDArray[np.int64]:
    """Solve the reduced programme with HiGHS; as :func:`murid.identify.ilp.solve`."""
    pairs, gains, matrix = _programme(problem)
    if not len(pairs):
        return np.full(problem.tracklets, problem.outlier)
    options: dict[str, float] = {"mip_rel_gap": 0.0}
    if time_limit is not None:
        options["time_limit"] = time_limit
    found = milp(
        -gains,
        integrality=np.ones(len(gains)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, -np.inf, 1),
        options=options,
    )
    if found.status != 0:
        raise SolverError("HiGHS", found.message, problem)
    return _assignment(problem, pairs, found.x, "HiGHS")


def _programme(
    problem: Problem,
) -> tuple[NDArray[np.int64], NDArray[np.float64], scipy.sparse.csr_array]:
    """Return (tracklet, animal) of each variable, its gain, and the 0/1 rows that sum to <= 1."""
    gains = problem.gains()
    pairs = np.argwhere(gains > 0)
    number = np.full(gains.shape, -1)
    number[tuple(pairs.T)] = np.arange(len(pairs))
    rows = [own[own >= 0] for own in number]
    for clique in maximal_cliques(problem, np.flatnonzero((gains > 0).any(axis=1))):
        rows += [own[own >= 0] for own in number[clique].T]
    rows = [row for row in rows if len(row) > 1]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    columns = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    matrix = scipy.sparse.csr_array(
        (np.ones(len(columns)), columns, starts), shape=(len(rows), len(pairs))
    )
    return pairs, gains[tuple(pairs.T)], matrix


def maximal_cliques(problem: Problem, members: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """List the maximal sets of ``members`` that are alive in one interval.

    Spans on a line: a set is maximal just before a span ends, if one has begun since the last end.
    """
    events = sorted(
        [(problem.starts[i], 1, i) for i in members] + [(problem.ends[i], 0, i) for i in members]
    )
    cliques, alive, grown = [], {}, False
    for _, begins, tracklet in events:
        if begins:
            alive[tracklet] = True
            grown = True
        else:
            if grown:
                cliques.append(np.array(list(alive), dtype=np.int64))
            del alive[tracklet]
            grown = False
    return cliques


def _assignment(
    problem: Problem, pairs: NDArray[np.int64], values: NDArray[np.float64], solver: str
) -> NDArray[np.int64]:
    if np.abs(values - values.round()).max() > 1e-6:
        raise SolverError(solver, "a fractional assignment", problem)
    assignment = np.full(problem.tracklets, problem.outlier)
    chosen = pairs[values > 0.5]
    assignment[chosen[:, 0]] = chosen[:, 1]
    return assignment
