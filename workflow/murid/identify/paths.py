"""Naming a segment's tracklets jointly with how each animal gets from one to its next.

The paper decides every tracklet by its antennas alone. Here the total weight of Eq. 1, in gains
over being hidden, is joined by a term for each pair of consecutive tracklets of an animal: how well
the later one's first box follows from the earlier one's last (:class:`.fitted.Motion`).
A tracklet that begins after a longer absence gets the term ``fresh`` instead.

All that the future needs to know of the past is the last tracklet of each animal, while that
tracklet is alive or ended within reach. The dynamic programme goes through the tracklets in the
order of their beginning and keeps the best of these states; backwards, it sums over the same states
to tell how probable each name is.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from murid.identify.problem import NOBODY

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class PathProblem:
    """Tracklets, what each animal gains by each, and what following one another is worth.

    Attributes
    ----------
    first, last
        (I,) int64, first and last frame of each tracklet.
    gains
        (I, J) float64, log odds of each tracklet being each animal against nobody; minus infinity:
        it cannot be.
    pointers
        (I + 1,) int64: ``previous[pointers[k]:pointers[k + 1]]`` may come before tracklet k.
    previous
        (P,) int64, tracklets that end within reach before the other begins.
    moves
        (P,) float64, log ratio of the later's first box given the earlier's last box, against any.
    fresh
        Weight of a tracklet that its animal takes up after none within reach.
    named
        (I,) bool, tracklets that some animal must have; None: none must. Of an animal that must
        have one, those at the same time cannot be: their gains say so.
    """

    first: Ints
    last: Ints
    gains: Floats
    pointers: Ints
    previous: Ints
    moves: Floats
    fresh: float = 0.0
    named: Flags | None = None

    @property
    def tracklets(self) -> int:
        """Number of tracklets, I."""
        return len(self.first)

    @property
    def animals(self) -> int:
        """Number of animals, J."""
        return self.gains.shape[1]

    def tempered(self, exponent: float) -> "PathProblem":
        """Return the problem in which each assignment is as probable as that power of it was.

        Below 1, above 0, all are less sure; the best assignment stays the best.
        """
        return replace(
            self,
            gains=exponent * self.gains,
            moves=exponent * self.moves,
            fresh=exponent * self.fresh,
        )

    def objective(self, named: Ints) -> float:
        """Return the total weight of an assignment: (I,) animal of each tracklet, -1 = nobody.

        It is minus infinity if a tracklet is what it cannot be.

        Raises
        ------
        ValueError
            If an animal has two tracklets at once, or there is no such animal.
        """
        named = np.asarray(named)
        if named.shape != (self.tracklets,) or ((named < NOBODY) | (named >= self.animals)).any():
            raise ValueError("each tracklet needs one animal, or nobody")
        lacking = self.named is not None and (named[self.named] == NOBODY).any()
        total = -np.inf if lacking else 0.0
        for animal in range(self.animals):
            own = np.flatnonzero(named == animal)
            own = own[np.argsort(self.first[own], kind="stable")]
            if (self.first[own[1:]] <= self.last[own[:-1]]).any():
                raise ValueError(f"animal {animal} has two tracklets at once")
            total += float(self.gains[own, animal].sum())
            for earlier, later in zip([NOBODY, *own], own, strict=False):
                span = slice(self.pointers[later], self.pointers[later + 1])
                at = np.flatnonzero(self.previous[span] == earlier)
                total += float(self.moves[span][at[0]]) if len(at) else self.fresh
        return total


@dataclass(frozen=True)
class Paths:
    """What the dynamic programme found.

    Attributes
    ----------
    named
        (I,) int64, animal of each tracklet in the best assignment; -1 = nobody.
    probabilities
        (I, J) float64, posterior probability of each tracklet being each animal.
    most_states
        Most states that were kept at once.
    cut
        Steps at which more states than allowed were worth keeping, so that the best were kept only.
    lost
        Share of the weight of all paths that was let go at these steps, 1 at most: about what the
        probabilities may be off by.
    """

    named: Ints
    probabilities: Floats
    most_states: int
    cut: int
    lost: float = 0.0


def predecessors(first: Ints, last: Ints, reach: int) -> tuple[Ints, Ints, Ints]:
    """List for each tracklet those that end at most ``reach`` frames before it begins.

    Returns
    -------
    ``pointers`` and ``previous`` as in :class:`PathProblem`, and the (P,) tracklet that follows.
    """
    order = np.argsort(last, kind="stable")
    ends = last[order]
    low = np.searchsorted(ends, first - reach, side="left")
    counts = np.searchsorted(ends, first, side="left") - low
    pointers = np.concatenate([[0], np.cumsum(counts)])
    later = np.repeat(np.arange(len(first)), counts)
    previous = order[np.arange(pointers[-1]) - np.repeat(pointers[:-1] - low, counts)]
    return pointers, previous, later


def solve(problem: PathProblem, reach: int, most_states: int, worst: float) -> Paths:
    """Find the best assignment, and the posterior probability of every name.

    Parameters
    ----------
    problem
        The segment.
    reach
        Frames after its last tracklet's end for which an animal's whereabouts are remembered; that
        of the problem's predecessors.
    most_states
        States that are kept at most: the best.
    worst
        States whose weight is this much below the best are let go (natural logarithm).

    Notes
    -----
    Exact as long as no state of the optimum is let go; sums leave out what was let go.
    """
    animals = problem.animals
    if not problem.tracklets or not animals:
        named = np.full(problem.tracklets, NOBODY)
        return Paths(named, np.zeros((problem.tracklets, animals)), 1, 0)
    # Not above: the compiler's library takes longer to load than the other methods to solve.
    from murid.identify import beam

    order, steps, cut, lost = _forward(problem, reach, most_states, worst)
    named, probabilities = beam.backward(*steps, order, animals)
    widths = steps[3]
    return Paths(named, probabilities, int(widths.max()), cut, min(float(lost.sum()), 1.0))


def draw(
    problem: PathProblem,
    reach: int,
    most_states: int,
    worst: float,
    count: int,
    seed: int | np.random.Generator = 0,
) -> NDArray[np.int8]:
    """Draw whole assignments, each as often as it is probable.

    Parameters
    ----------
    problem, reach, most_states, worst
        As for :func:`solve`.
    count
        How many, D.
    seed
        Of the random numbers, or what makes them.

    Returns
    -------
    (D, I) int8, animal of each tracklet; -1 = nobody.
    """
    if not problem.tracklets or not problem.animals:
        return np.full((count, problem.tracklets), NOBODY, dtype=np.int8)
    from murid.identify import beam

    order, steps, _, _ = _forward(problem, reach, most_states, worst)
    drawn: NDArray[np.int8] = beam.draw(*steps, order, count, np.random.default_rng(seed))
    return drawn


def _forward(
    problem: PathProblem, reach: int, most_states: int, worst: float
) -> tuple[Ints, list[NDArray[Any]], int, Floats]:
    """Return the order of the tracklets, and what :func:`.beam.forward` found."""
    from murid.identify import beam

    order = np.lexsort((problem.last, problem.first))
    slots = _most_at_once(problem.first, problem.last + reach)
    marks = np.random.default_rng(0).integers(-(2**62), 2**62, (problem.animals, slots + 1))
    marks[:, 0] = 0
    *steps, cut, lost = beam.forward(
        order, problem.first, problem.last, problem.pointers, problem.previous, problem.moves,
        problem.fresh, problem.gains, _named(problem), reach, marks, most_states, worst,
    )  # fmt: skip
    return order, steps, cut, lost


def _named(problem: PathProblem) -> Flags:
    if problem.named is None:
        return np.zeros(problem.tracklets, dtype=np.bool_)
    return problem.named


def _most_at_once(starts: Ints, ends: Ints) -> int:
    """Return how many spans, both ends included, overlap at most."""
    times = np.concatenate([starts, ends + 1])
    change = np.repeat([1, -1], len(starts))
    return int(change[np.lexsort((change, times))].cumsum().max(initial=0))
