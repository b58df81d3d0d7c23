"""The path model as an integer linear programme: exact, for short stretches and for checking.

One variable for each animal and each pair of tracklets that it may have one after the other, among
them its first (nothing before) and last. Each animal is a unit of flow through its tracklets. What
cannot be, a gain of minus infinity, is a variable that must be 0; a tracklet that must be named is
an equation.
"""

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from murid.identify.paths import NOBODY, PathProblem


def solve(problem: PathProblem) -> NDArray[np.int64]:
    """Find the assignment of the largest weight: (I,) animal of each tracklet, -1 = nobody.

    Quadratic in the number of tracklets: for tens of them.

    Raises
    ------
    RuntimeError
        If no integral optimum is proved.
    """
    count, animals = problem.tracklets, problem.animals
    named = np.full(count, NOBODY)
    if not count or not animals:
        return named
    known = {
        (int(problem.previous[at]), later): float(problem.moves[at])
        for later in range(count)
        for at in range(problem.pointers[later], problem.pointers[later + 1])
    }
    arcs = [(NOBODY, later) for later in range(count)]
    arcs += [
        (earlier, later)
        for earlier in range(count)
        for later in range(count)
        if problem.last[earlier] < problem.first[later]
    ]
    tails, heads = np.array(arcs).T
    moves = np.array([known.get(arc, problem.fresh) for arc in arcs])
    weights = np.concatenate([moves + problem.gains[heads, animal] for animal in range(animals)])
    allowed = np.isfinite(weights)
    must = np.zeros(count, dtype=bool) if problem.named is None else problem.named
    rows, columns, signs = [], [], []

    def add(row: int, chosen: NDArray[np.int64], sign: int) -> None:
        rows.extend([row] * len(chosen))
        columns.extend(chosen.tolist())
        signs.extend([sign] * len(chosen))

    limits: list[tuple[int, int]] = []
    for animal in range(animals):
        offset = animal * len(arcs)
        add(len(limits), offset + np.flatnonzero(tails == NOBODY), 1)
        limits.append((0, 1))
        for tracklet in range(count):
            # What leaves a tracklet has come to it; what does not leave ends there.
            add(len(limits), offset + np.flatnonzero(tails == tracklet), 1)
            add(len(limits), offset + np.flatnonzero(heads == tracklet), -1)
            limits.append((-1, 0))
    everyone = len(arcs) * np.arange(animals)[:, None]
    for tracklet in range(count):
        add(len(limits), (everyone + np.flatnonzero(heads == tracklet)).ravel(), 1)
        limits.append((int(must[tracklet]), 1))
    matrix = scipy.sparse.csr_array((signs, (rows, columns)), shape=(len(limits), len(weights)))
    low, high = np.array(limits).T
    found = milp(
        -np.where(allowed, weights, 0.0),
        integrality=np.ones(len(weights)),
        bounds=Bounds(0, allowed),
        constraints=LinearConstraint(matrix, low, high),
        options={"mip_rel_gap": 0.0},
    )
    if found.status != 0:
        raise RuntimeError(f"HiGHS ended with {found.message} on {count} tracklets")
    if np.abs(found.x - found.x.round()).max() > 1e-6:
        raise RuntimeError("HiGHS ended with a fractional assignment")
    for variable in np.flatnonzero(found.x > 0.5):
        animal, arc = divmod(int(variable), len(arcs))
        named[heads[arc]] = animal
    return named
