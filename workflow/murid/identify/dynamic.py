"""The same optimum by dynamic programming over time: exact, and quick for small groups.

The weights are additive over tracklets, so all that the future needs to know of the past is which
animal is busy with which of the tracklets now alive. The states change only where a tracklet
begins; those of tracklets that have ended fall together. Five boxes and three animals give at most
136 states.
"""

from math import comb, perm

import numpy as np
from numpy.typing import NDArray

from murid.identify.problem import Problem

_Choice = tuple["_Choice | None", int, int]
"""A chain of (what was chosen before, tracklet, animal)."""


def most_states(problem: Problem) -> int:
    """Return how many states there can be at once: ways to pair tracklets alive with animals."""
    alive = np.zeros(problem.intervals + 1, dtype=np.int64)
    np.add.at(alive, problem.starts, 1)
    np.subtract.at(alive, problem.ends, 1)
    most = int(alive.cumsum().max(initial=0))
    animals = problem.animals
    return sum(comb(most, k) * perm(animals, k) for k in range(min(most, animals) + 1))


def solve(problem: Problem) -> NDArray[np.int64]:
    """Assign every tracklet to an animal or the outlier so that the total weight is largest.

    Returns
    -------
    (I,) int64, a column of ``problem.weights`` for each tracklet; Eqs. 2-4 hold.
    """
    gains = problem.gains()
    order = np.lexsort((problem.ends, problem.starts)).tolist()
    starts, ends = problem.starts.tolist(), problem.ends.tolist()
    options = [
        [(animal, gain) for animal, gain in enumerate(row) if gain > 0] for row in gains.tolist()
    ]
    # The interval in which each animal becomes free, and whose tracklet keeps it busy till then:
    # the interval alone is the state, since it is all that decides what may follow.
    states: dict[tuple[int, ...], tuple[float, _Choice | None]]
    states = {(0,) * problem.animals: (0.0, None)}
    now = 0
    for tracklet in order:
        if not options[tracklet]:
            continue
        if starts[tracklet] > now:
            now = starts[tracklet]
            states = _free(states, now)
        end = ends[tracklet]
        grown = dict(states)
        for state, (value, chain) in states.items():
            for animal, gain in options[tracklet]:
                if state[animal]:
                    continue
                following = (*state[:animal], end, *state[animal + 1 :])
                total = value + gain
                best = grown.get(following)
                if best is None or total > best[0]:
                    grown[following] = (total, (chain, tracklet, animal))
        states = grown
    _, chain = max(states.values(), key=lambda entry: entry[0])
    assignment = np.full(problem.tracklets, problem.outlier)
    while chain is not None:
        chain, tracklet, animal = chain
        assignment[tracklet] = animal
    return assignment


def _free(
    states: dict[tuple[int, ...], tuple[float, _Choice | None]], now: int
) -> dict[tuple[int, ...], tuple[float, _Choice | None]]:
    """Let animals go whose tracklets have ended; of states that fall together keep the best."""
    freed: dict[tuple[int, ...], tuple[float, _Choice | None]] = {}
    for state, entry in states.items():
        state = tuple([end if end > now else 0 for end in state])
        best = freed.get(state)
        if best is None or entry[0] > best[0]:
            freed[state] = entry
    return freed
