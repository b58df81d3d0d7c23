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

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NOBODY = -1


@dataclass(frozen=True)
class PathProblem:
    """Tracklets, what each animal gains by each, and what following one another is worth.

    Attributes
    ----------
    first, last
        (I,) int64, first and last frame of each tracklet.
    gains
        (I, J) float64, log odds of each tracklet being each animal against nobody.
    pointers
        (I + 1,) int64: ``previous[pointers[k]:pointers[k + 1]]`` may come before tracklet k.
    previous
        (P,) int64, tracklets that end within reach before the other begins.
    moves
        (P,) float64, log ratio of the later's first box given the earlier's last box, against any.
    fresh
        Weight of a tracklet that its animal takes up after none within reach.
    """

    first: Ints
    last: Ints
    gains: Floats
    pointers: Ints
    previous: Ints
    moves: Floats
    fresh: float = 0.0

    @property
    def tracklets(self) -> int:
        """Number of tracklets, I."""
        return len(self.first)

    @property
    def animals(self) -> int:
        """Number of animals, J."""
        return self.gains.shape[1]

    def objective(self, named: Ints) -> float:
        """Return the total weight of an assignment: (I,) animal of each tracklet, -1 = nobody.

        Raises
        ------
        ValueError
            If an animal has two tracklets at once, or there is no such animal.
        """
        named = np.asarray(named)
        if named.shape != (self.tracklets,) or ((named < NOBODY) | (named >= self.animals)).any():
            raise ValueError("each tracklet needs one animal, or nobody")
        total = 0.0
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
    """

    named: Ints
    probabilities: Floats
    most_states: int
    cut: int


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
    named = np.full(problem.tracklets, NOBODY)
    probabilities = np.zeros((problem.tracklets, animals))
    if not problem.tracklets or not animals:
        return Paths(named, probabilities, 1, 0)
    steps, order, value, mass, cut = _forward(problem, reach, most_states, worst)
    state = int(value.argmax())
    posterior = np.exp(mass - mass.max())
    posterior /= posterior.sum()
    for step, tracklet in zip(reversed(steps), reversed(order), strict=True):
        edge = step.best[state]
        named[tracklet] = step.choice[edge] - 1
        state = step.parent[edge]
        through = step.share * np.repeat(posterior, step.sizes)
        chances = np.bincount(step.choice, through, minlength=animals + 1)
        probabilities[tracklet] = chances[1:] / chances.sum()
        posterior = np.bincount(step.parent, through, minlength=step.before)
    return Paths(named, probabilities, max(len(step.best) for step in steps), cut)


class _Step:
    """What can be decided of one tracklet: edges from the states before to those after.

    Edges are sorted by the state after. ``parent, choice, share`` are of the edges: the state
    before, 0 for nobody or j + 1 for animal j, and the share of the paths to the state after that
    come this way. Of each state after, ``sizes`` counts the edges and ``best`` is the one on its
    best path; ``before`` is the number of states before.
    """

    __slots__ = ("before", "best", "choice", "parent", "share", "sizes")

    def __init__(
        self, parent: Ints, choice: Ints, share: Floats, sizes: Ints, best: Ints, before: int
    ) -> None:
        # Kept for every tracklet of a segment, so in the smallest types that will do.
        self.parent = parent.astype(np.int16)
        self.choice = choice.astype(np.int16)
        self.share = share.astype(np.float32)
        self.sizes = sizes.astype(np.int32)
        self.best = best.astype(np.int32)
        self.before = before


def _forward(
    problem: PathProblem, reach: int, most_states: int, worst: float
) -> tuple[list[_Step], list[int], Floats, Floats, int]:
    """Go through the tracklets in time.

    Returns
    -------
    The steps, the order of tracklets, of each final state the weight of the best path to it and the
    logarithm of the sum over all paths, and the number of cuts.
    """
    animals = problem.animals
    columns = np.arange(animals)
    order = np.lexsort((problem.last, problem.first)).tolist()
    first, last = problem.first.tolist(), problem.last.tolist()
    pointers = problem.pointers.tolist()
    # A tracklet that is alive or within reach has a slot; a state is the slot of each animal's last
    # tracklet, 0 = none. Sums of random marks tell states apart (collisions: about 1 in 10^13).
    slots = _most_at_once(problem.first, problem.last + reach)
    marks = np.random.default_rng(0).integers(-(2**62), 2**62, (animals, slots + 1))
    credit, until = np.zeros((slots + 1, animals)), np.zeros(slots + 1, dtype=np.int64)
    free = list(range(slots, 0, -1))
    slot_of = np.zeros(problem.tracklets, dtype=np.int64)
    recent: list[tuple[int, int]] = []
    held = np.zeros((1, animals), dtype=np.int64)
    key = marks[:, 0].sum(keepdims=True)
    value, more = np.zeros(1), np.zeros(1)
    gains, maximum, maximum_at = problem.gains, np.maximum.reduce, np.maximum.reduceat
    steps, cut = [], 0
    for tracklet in order:
        while recent and recent[0][0] < first[tracklet] - reach:
            slot = heapq.heappop(recent)[1]
            free.append(slot)
            stale = held == slot
            if stale.any():
                key = key + np.where(stale, marks[:, 0] - marks[:, slot], 0).sum(axis=1)
                held[stale] = 0
        slot = free.pop()
        slot_of[tracklet] = slot
        heapq.heappush(recent, (last[tracklet], slot))
        span = slice(pointers[tracklet], pointers[tracklet + 1])
        entry = np.full(slots + 1, -np.inf)
        entry[0] = problem.fresh
        entry[slot_of[problem.previous[span]]] = problem.moves[span]

        added = np.zeros((len(held), animals + 1))
        added[:, 1:] = entry[held] + gains[tracklet]
        # States are compared by their whole weight, and by what has been seen up to now, without
        # what tracklets that are alive will still bring: by the first alone, those that hold a long
        # one drive out all others, and by the second, all ways to share out new ones look alike.
        credit[slot] = gains[tracklet] / (last[tracklet] + 1 - first[tracklet])
        until[slot] = last[tracklet]
        ahead = credit * np.maximum(until - first[tracklet], 0)[:, None]
        seen = value - ahead[held, columns].sum(axis=1)
        scores = seen[:, None] + added
        scores[:, 1:] -= ahead[slot]
        keys = np.empty((len(held), animals + 1), dtype=np.int64)
        keys[:, 0] = key
        np.add(key[:, None], marks[:, slot] - marks[columns, held], out=keys[:, 1:])
        scores, totals = scores.ravel(), (value[:, None] + added).ravel()
        good = (scores > maximum(scores) - worst) | (totals > maximum(totals) - worst)
        edges = good.nonzero()[0]
        totals, keys = totals[edges], keys.ravel()[edges]
        rank = keys.argsort()
        edges, keys, totals = edges[rank], keys[rank], totals[rank]
        begins = np.empty(len(keys), dtype=bool)
        begins[0] = True
        np.not_equal(keys[1:], keys[:-1], out=begins[1:])
        starts = begins.nonzero()[0]
        value = maximum_at(totals, starts)
        if len(starts) > most_states:
            cut += 1
            kept = np.zeros(len(starts), dtype=bool)
            seen = scores[edges[starts]]
            half = (most_states + 1) // 2
            kept[np.argpartition(-seen, half)[:half]] = True
            others = np.where(kept, -np.inf, value)
            kept[np.argpartition(-others, most_states - half)[: most_states - half]] = True
            of_kept = kept[begins.cumsum() - 1]
            edges, keys, begins = edges[of_kept], keys[of_kept], begins[of_kept]
            starts, value, totals = begins.nonzero()[0], value[kept], totals[of_kept]
        parent, choice = np.divmod(edges, animals + 1)
        sizes = np.empty(len(starts), dtype=np.int64)
        np.subtract(starts[1:], starts[:-1], out=sizes[:-1])
        sizes[-1] = len(edges) - starts[-1]
        behind = totals - np.repeat(value, sizes)
        best = (behind == 0.0).nonzero()[0]
        best = best[best.searchsorted(starts)]
        # All paths that come an edge's way, against the best path to the state after.
        flow = behind + more[parent]
        most = maximum_at(flow, starts)
        flow = np.exp(flow - np.repeat(most, sizes))
        sums = np.add.reduceat(flow, starts)
        share = flow / np.repeat(sums, sizes)
        steps.append(_Step(parent, choice, share, sizes, best, len(held)))
        more, key = most + np.log(sums), keys[starts]
        held, taken = held[parent[best]], choice[best]
        taking = taken.nonzero()[0]
        held[taking, taken[taking] - 1] = slot
    return steps, order, value, value + more, cut


def _most_at_once(starts: Ints, ends: Ints) -> int:
    """Return how many spans, both ends included, overlap at most."""
    times = np.concatenate([starts, ends + 1])
    change = np.repeat([1, -1], len(starts))
    return int(change[np.lexsort((change, times))].cumsum().max(initial=0))
