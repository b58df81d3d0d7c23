"""How much doubt there is of whole assignments: as much as of single names.

The path model is much surer of a whole assignment than it may be, since what it weighs is taken for
independent. How sure it is of single names is put right before that is written
(:class:`murid.models.fitted_path.Calibration`); a whole assignment cannot be put right name by
name, for it would fall apart. Instead the probability of each is raised to one power: the one under
which draws are, on average over boxes, as sure of the names in the answer as the table
``posteriors``. Of single tracklets the shares of draws may differ from it.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from murid.identify import continuity, paths

if TYPE_CHECKING:
    from murid.identify.scene import Scene

Floats = NDArray[np.float64]
Names = NDArray[np.int8]

FURTHEST = 16.0
"""Powers are sought up to here, and down to its inverse."""
CLOSE = 0.02
"""How well a power is found, natural logarithm; doubt changes by some times as much."""
_LEAST = 1e-5
"""Doubt that is as good as none."""


@dataclass(frozen=True)
class Doubted:
    """The path model's problem of a segment, as sure of whole assignments as it may be.

    Attributes
    ----------
    answer
        The best one, with probabilities as the model states them.
    problem, limits
        Which whole assignments are how probable, and what limits the search.
    exponent
        The power of what the model states.
    lost
        Share of the weight of all assignments that the search lets go.
    """

    answer: paths.Paths
    problem: paths.PathProblem
    limits: tuple[int, int, float]
    exponent: float
    lost: float

    def draw(self, count: int, random: np.random.Generator) -> Names:
        """Draw whole assignments: (count, I) animal of each piece, -1 = nobody."""
        return paths.draw(self.problem, *self.limits, count, random)


def doubted(scene: "Scene") -> Doubted:
    """Return the problem of a scene under which draws are as sure as posteriors."""
    pieces, model = scene.pieces, scene.needed_path_model
    posed = continuity.posed(pieces, model, scene.stage.paths)
    problem, limits = posed[0], posed[1:]
    solve = functools.cache(lambda power: paths.solve(problem.tempered(power), *limits))
    answer, exponent = solve(1.0), 1.0
    boxes = pieces.tracklets.sizes.copy()
    if scene.answered is not None:
        # Of these there is no doubt, whatever the power.
        boxes[pieces.tracklets.rank[scene.answered.rows]] = 0

    def doubt(probabilities: Floats) -> float:
        sure = continuity.of_names(probabilities, answer.named)
        return 1.0 - float(np.average(sure, weights=boxes))

    if boxes.any():
        wanted = doubt(continuity.posteriors(answer, model))
        exponent = exponent_of(lambda power: doubt(solve(power).probabilities), wanted)
    return Doubted(answer, problem.tempered(exponent), limits, exponent, solve(exponent).lost)


def exponent_of(doubt: Callable[[float], float], wanted: float) -> float:
    """Find the power of a probability under which doubt is as wanted.

    Parameters
    ----------
    doubt
        Doubt, 0 to 1, under a power; it falls as that rises.
    wanted
        What it is to be.

    Returns
    -------
    The power, 1 if that is as good; the furthest that is allowed where none is far enough.
    """
    from scipy.optimize import brentq  # slow to import

    @functools.cache
    def excess(logarithm: float) -> float:
        found, goal = (max(each, _LEAST) for each in (doubt(float(np.exp(logarithm))), wanted))
        return float(np.log(found / goal))

    near = far = 0.0
    if abs(excess(near)) < CLOSE:
        return 1.0
    step = np.copysign(np.log(2.0), excess(near))
    while excess(near) * excess(far) > 0 and abs(far) < np.log(FURTHEST):
        near, far = far, far + step
    if excess(near) * excess(far) > 0:
        return float(np.exp(far))
    return float(np.exp(brentq(excess, near, far, xtol=CLOSE)))
