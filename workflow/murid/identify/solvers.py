"""Which solver solves the assignment problem: all give the same optimum."""

import numpy as np
from numpy.typing import NDArray

from murid.errors import InputError
from murid.identify import dynamic
from murid.identify.problem import NOBODY, Problem, SolverError
from murid.settings import Solve

MOST_STATES = 600
"""States up to which the dynamic programme is quicker than the reduced integer programme.

Three animals with eight boxes, or four with five, have about 500; over half an hour both take less
than a second there, and with six animals the dynamic programme takes ten times as long.
"""


def solve(problem: Problem, settings: Solve) -> NDArray[np.int64]:
    """Solve Eqs. 1-4 with the solver of the settings: (I,) int64, a column of weights each.

    ``paper`` is the programme as printed, by CBC; ``cbc`` and ``highs`` the reduced one; ``dp`` the
    dynamic programme; ``auto`` the dynamic programme while its states are few, else ``highs``.

    Raises
    ------
    SolverError
        If no integral optimum is proved (in time).
    """
    name = settings.solver
    if name == "auto":
        name = "dp" if dynamic.most_states(problem) <= MOST_STATES else "highs"
    if name == "dp":
        assignment = dynamic.solve(problem)
    else:
        from murid.identify import ilp, reduced  # they load SciPy

        method = {"paper": ilp.solve, "cbc": reduced.solve_cbc, "highs": reduced.solve_highs}[name]
        assignment = method(problem, settings.time_limit)
    problem.objective(assignment)  # raises if a constraint is broken
    return assignment


def name_rows(problem: Problem, which: NDArray[np.int64], settings: Solve) -> NDArray[np.int64]:
    """Solve Eqs. 1-4, and name boxes as their tracklets.

    Parameters
    ----------
    problem
        What is to be solved.
    which
        (n,) tracklet of each box.
    settings
        The solver, and the time that it has.

    Returns
    -------
    (n,) animal of each box, -1 = the outlier.

    Raises
    ------
    InputError
        If the time allowed does not suffice.
    """
    try:
        assignment = solve(problem, settings)
    except SolverError as error:
        if settings.time_limit is None:
            raise
        limit = f"a proven optimum within {settings.time_limit:g} s"
        raise InputError("identify.time_limit", f"that {error}", limit) from error
    named = assignment[which] if len(which) else np.zeros(0, dtype=np.int64)
    return np.where(named == problem.outlier, NOBODY, named)
