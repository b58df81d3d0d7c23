"""The paper's integer linear programme, Eqs. 1-4, through python-mip and CBC (Sect. 4.4)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from murid.identify.problem import Problem, SolverError


def new_model() -> Any:
    """Return an empty programme to maximise, whose optimum CBC is to prove on one thread."""
    import mip

    model = mip.Model(sense=mip.MAXIMIZE, solver_name=mip.CBC)
    model.verbose = 0
    model.threads = 1
    model.max_mip_gap = 0.0
    model.max_mip_gap_abs = 1e-9
    return model


def optimise(model: Any, time_limit: float | None) -> str | None:
    """Solve a programme; return how it ended, if not with a proven optimum."""
    import mip

    status = model.optimize(max_seconds=time_limit if time_limit is not None else mip.INF)
    return None if status == mip.OptimizationStatus.OPTIMAL else str(status.name)


def solve(problem: Problem, time_limit: float | None = None) -> NDArray[np.int64]:
    """Assign every tracklet to an animal or the outlier so that the total weight is largest.

    One variable for each tracklet and animal or outlier, and one for each interval and animal: the
    interval's hidden tracklet (which the outlier cannot have, Eq. 4, so that variable is not made).
    Each tracklet is assigned once (Eq. 2); each animal has one tracklet, real or hidden, in every
    interval (Eq. 3).

    Parameters
    ----------
    problem
        Weights in any scale.
    time_limit
        Seconds; none if null.

    Returns
    -------
    (I,) int64, a column of ``problem.weights`` for each tracklet.

    Raises
    ------
    SolverError
        If no optimum is proved, or the solution is not integral: the programme's relaxation may
        have fractional optima, which are never rounded.
    """
    import mip  # loads a large library

    if problem.tracklets == 0:
        return np.zeros(0, dtype=np.int64)
    model = new_model()
    given = [
        [model.add_var(var_type=mip.BINARY, obj=float(weight)) for weight in row]
        for row in problem.weights
    ]
    hidden = [
        [model.add_var(var_type=mip.BINARY, obj=float(weight)) for weight in row]
        for row in problem.hidden
    ]
    for row in given:
        model.add_constr(mip.xsum(row) == 1)
    for alive, row in zip(problem.alive(), hidden, strict=True):
        for animal, variable in enumerate(row):
            model.add_constr(mip.xsum(given[i][animal] for i in alive) + variable == 1)
    if (outcome := optimise(model, time_limit)) is not None:
        raise SolverError("CBC", outcome, problem)
    values = np.array([[variable.x for variable in row] for row in given], dtype=np.float64)
    if np.abs(values - values.round()).max() > 1e-6:
        raise SolverError("CBC", "a fractional assignment", problem)
    return values.argmax(axis=1)
