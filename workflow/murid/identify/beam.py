"""The inner loops of :mod:`.paths`, compiled: one step a tracklet, hundreds of states a step.

As array operations a step costs some forty calls on a few hundred numbers, which is most of what a
segment takes; compiled, only the arithmetic is left. The first call of an installation compiles for
some seconds (plain loops compile faster than array expressions); the result is kept beside this
file, or in the user's cache where that is read-only.
"""

import numpy as np
from numba import njit

PARENT, CHOICE, AFTER, BEST = range(4)
"""Columns of an edge: the state before, 0 for nobody or j + 1 for animal j, the state after, and
whether it is on the best path to that state."""
_NOWHERE = -1


@njit(cache=True)
def forward(
    order, first, last, pointers, previous, moves, fresh, gains, named, reach, marks, most_states,
    worst,
):  # fmt: skip
    """Go through the tracklets in time, keeping the best states.

    A tracklet that is alive or within reach has a slot; a state is the slot of each animal's last
    tracklet, 0 = none. Sums of random ``marks``, (J, slots + 1) int64 with zeros first, tell states
    apart (collisions: about 1 in 10^13). The other arguments are those of
    :class:`.paths.PathProblem` and :func:`.paths.solve`, with the ``order``, (I,), of the
    tracklets. What cannot be, a gain of minus infinity, is in no state.

    Returns
    -------
    edges
        (E, 4) uint16, by step, with the columns above.
    shares
        (E,) float32, the share of the paths to the edge's state after that come this way.
    ends
        (I,) int64: where each step's edges end.
    widths
        (I + 1,) int64: number of states before each step, and at the end.
    value, mass
        Of each final state, weight of the best path, and log of the sum over all paths.
    cut
        Steps at which more than ``most_states`` were worth keeping.
    lost
        (I,) share of the weight of all states, by step, that was let go then.
    """
    count, animals = gains.shape
    slots = marks.shape[1]
    edges, shares = np.empty((65_536, 4), np.uint16), np.empty(65_536, np.float32)
    ends, widths = np.empty(count, np.int64), np.empty(count + 1, np.int64)
    used, stale = np.zeros(slots, np.bool_), np.zeros(slots, np.bool_)
    until, slot_of = np.zeros(slots, np.int64), np.zeros(count, np.int64)
    credit, ahead = np.zeros((slots, animals)), np.zeros((slots, animals))
    entry = np.empty(slots)
    held, key = np.zeros((1, animals), np.int64), np.zeros(1, np.int64)
    value, more = np.zeros(1), np.zeros(1)
    lost = np.zeros(count)
    cut = end = 0
    for step in range(count):
        tracklet = order[step]
        begin, length = first[tracklet], last[tracklet] + 1 - first[tracklet]
        widths[step] = len(value)
        slot = _free(used, stale, until, begin - reach, held, key, marks)
        used[slot], until[slot], slot_of[tracklet] = True, last[tracklet], slot
        for other in range(slots):
            entry[other] = -np.inf
        entry[0] = fresh
        for at in range(pointers[tracklet], pointers[tracklet + 1]):
            entry[slot_of[previous[at]]] = moves[at]

        for animal in range(animals):
            # What cannot be is in no state, and brings none anything.
            gain = gains[tracklet, animal]
            credit[slot, animal] = gain / length if gain > -np.inf else 0.0
            for other in range(1, slots):
                ahead[other, animal] = credit[other, animal] * max(until[other] - begin, 0)
        every, every_seen, most_total, most_seen = _weigh(
            value, held, gains[tracklet], named[tracklet], entry, ahead, slot
        )
        parents, choices, totals, seen = _worthwhile(
            every, every_seen, most_total - worst, most_seen - worst
        )

        target, width, top, top_seen, via, keys = _merge(
            parents, choices, totals, seen, held, key, marks, slot
        )
        if width > most_states:
            cut += 1
            lost[step] = _keep_best(width, top, top_seen, via, keys, target, most_states)
            width = most_states
        if end + len(totals) > len(edges):
            # As many a step as so far, and half as many more: what is not written takes no memory.
            share = (step + 1) / count
            edges, shares = _grown(edges, shares, int(1.5 * (end + len(totals)) / share))
        value, earlier, more = _first(top, width), more, np.empty(width)
        end = _record(
            edges, shares, end, parents, choices, target, totals, via, value, earlier, more
        )
        ends[step] = end
        held, key = _taken(held, parents, choices, via, width, slot), _first(keys, width)
    widths[count] = len(value)
    return edges[:end], shares[:end], ends, widths, value, value + more, cut, lost


@njit(cache=True)
def backward(edges, shares, ends, widths, value, mass, order, animals):
    """Follow the best path back, and share out the probability of the final states.

    The arguments are what :func:`forward` returned, the ``order`` of the tracklets and their
    number of ``animals``.

    Returns
    -------
    (I,) int64, animal of each tracklet on the best path, -1 = nobody, and (I, J) float64, posterior
    probability of each tracklet being each animal.
    """
    count, on_path = len(order), np.argmax(value)
    named, probabilities = np.empty(count, np.int64), np.zeros((count, animals))
    posterior, total = np.empty(len(mass)), 0.0
    for state in range(len(mass)):
        posterior[state] = np.exp(mass[state] - np.max(mass))
        total += posterior[state]
    for state in range(len(mass)):
        posterior[state] /= total
    chances = np.empty(animals + 1)
    for step in range(count - 1, -1, -1):
        tracklet, came_from = order[step], 0
        earlier, total = np.zeros(widths[step]), 0.0
        for option in range(animals + 1):
            chances[option] = 0.0
        for edge in range(ends[step - 1] if step else 0, ends[step]):
            parent, choice, after, best = edges[edge]
            through = shares[edge] * posterior[after]
            earlier[parent] += through
            chances[choice] += through
            total += through
            if best and after == on_path:
                came_from, named[tracklet] = parent, np.int64(choice) - 1
        for animal in range(animals):
            probabilities[tracklet, animal] = chances[animal + 1] / total
        posterior, on_path = earlier, came_from
    return named, probabilities


@njit(cache=True)
def _free(used, stale, until, oldest, held, key, marks):
    """Let tracklets go that ended before frame ``oldest``, and those that hold them.

    Returns
    -------
    The first slot that is free.
    """
    slot, slots, animals = 0, len(used), held.shape[1]
    for other in range(1, slots):
        stale[other] = used[other] and until[other] < oldest
        used[other] = used[other] and not stale[other]
        if slot == 0 and not used[other]:
            slot = other
    for state in range(len(held)):
        for animal in range(animals):
            if stale[held[state, animal]]:
                key[state] -= marks[animal, held[state, animal]]
                held[state, animal] = 0
    return slot


@njit(cache=True)
def _weigh(value, held, gains, named, entry, ahead, slot):
    """Weigh what a tracklet may become, each animal's or, unless it is ``named``, nobody's.

    States are compared by their whole weight, and by what has been seen up to now, without what
    tracklets that are alive will still bring: by the first alone, those that hold a long one drive
    out all others, and by the second, all ways to share out new ones look alike.

    Returns
    -------
    Both weights of each edge, (states, J + 1), and the most of either.
    """
    before, animals = held.shape
    totals, seen = np.empty((before, animals + 1)), np.empty((before, animals + 1))
    most_total = most_seen = -np.inf
    for state in range(before):
        so_far = value[state]
        for animal in range(animals):
            so_far -= ahead[held[state, animal], animal]
        totals[state, 0], seen[state, 0] = value[state], so_far
        if named:
            totals[state, 0] = seen[state, 0] = -np.inf
        for animal in range(animals):
            added = entry[held[state, animal]] + gains[animal]
            totals[state, animal + 1] = value[state] + added
            seen[state, animal + 1] = so_far + added - ahead[slot, animal]
        for choice in range(animals + 1):
            most_total = max(most_total, totals[state, choice])
            most_seen = max(most_seen, seen[state, choice])
    return totals, seen, most_total, most_seen


@njit(cache=True)
def _worthwhile(totals, seen, least_total, least_seen):
    """Choose the edges that are above the least by either weight.

    Here and below, what a processor cannot foresee is counted, not branched upon: a wrong guess
    costs it more than the arithmetic.

    Returns
    -------
    The state before, choice and both weights of each edge.
    """
    before, options = totals.shape
    parents, choices = np.empty(totals.size, np.int32), np.empty(totals.size, np.int32)
    kept_totals, kept_seen = np.empty(totals.size), np.empty(totals.size)
    count = 0
    for state in range(before):
        for choice in range(options):
            total, so_far = totals[state, choice], seen[state, choice]
            parents[count], choices[count] = state, choice
            kept_totals[count], kept_seen[count] = total, so_far
            # Not "unless less than": what cannot be, minus infinity, is let go whatever the limits.
            count += (total > least_total) | (so_far > least_seen)
    return parents[:count], choices[:count], kept_totals[:count], kept_seen[:count]


@njit(cache=True)
def _merge(parents, choices, totals, seen, held, key, marks, slot):
    """Join the edges that lead to the same state.

    Returns
    -------
    The state after of each edge and the number of states; of each state the best total, the best
    of ``seen``, the edge that brings the best total, and the key.
    """
    count = len(totals)
    size = 1
    while size < 2 * count:
        size *= 2
    table = np.full(size, _NOWHERE, np.int32)
    target = np.empty(count, np.int32)
    top, top_seen = np.empty(count), np.empty(count)
    via, keys = np.empty(count, np.int64), np.empty(count, np.int64)
    width = 0
    for edge in range(count):
        state, animal = parents[edge], choices[edge] - 1
        own = key[state]
        if animal >= 0:
            own += marks[animal, slot] - marks[animal, held[state, animal]]
        at = own & (size - 1)
        while table[at] != _NOWHERE and keys[table[at]] != own:
            at = (at + 1) & (size - 1)
        found = table[at]
        if found == _NOWHERE:
            found = table[at] = width
            top[found], top_seen[found], via[found], keys[found] = -np.inf, -np.inf, edge, own
            width += 1
        target[edge] = found
        top_seen[found] = max(top_seen[found], seen[edge])
        if totals[edge] > top[found]:
            top[found], via[found] = totals[edge], edge
    return target, width, top, top_seen, via, keys


@njit(cache=True)
def _keep_best(width, top, top_seen, via, keys, target, most_states):
    """Leave the best states, half of them by what was seen so far and half by the whole weight.

    Returns
    -------
    Share of the weight of the states that is let go.
    """
    kept = np.zeros(width, np.bool_)
    half = (most_states + 1) // 2
    _mark(top_seen, half, kept)
    _mark(top, most_states - half, kept)
    most, every, gone = -np.inf, 0.0, 0.0
    for state in range(width):
        most = max(most, top[state])
    for state in range(width):
        weight = np.exp(top[state] - most)
        every += weight
        gone += 0.0 if kept[state] else weight
    number = np.empty(width, np.int32)
    chosen = 0
    for state in range(width):
        top[chosen], via[chosen], keys[chosen] = top[state], via[state], keys[state]
        number[state] = chosen if kept[state] else _NOWHERE
        chosen += kept[state]
    for edge in range(len(target)):
        target[edge] = number[target[edge]]
    return gone / every


@njit(cache=True)
def _mark(scores, count, kept):
    """Mark the ``count`` best of those not yet kept; of equals the first."""
    if not count:
        return
    left = np.empty(len(kept))
    others = 0
    for state in range(len(kept)):
        left[others] = scores[state]
        others += not kept[state]
    least, ties = _largest(left[:others], count), count
    for state in range(len(kept)):
        better = (not kept[state]) & (scores[state] > least)
        kept[state] |= better
        ties -= better
    for state in range(len(kept)):
        if scores[state] == least and not kept[state] and ties:
            kept[state] = True
            ties -= 1


@njit(cache=True)
def _largest(values, count):
    """Return the ``count``-th largest of the values, which are overwritten."""
    others = np.empty(len(values))
    length = len(values)
    while True:
        pivot = values[length // 2]
        above = below = 0
        for at in range(length):
            value = values[at]
            values[above] = value
            above += value > pivot
            others[below] = value
            below += value < pivot
        if count <= above:
            length = above
        elif count > length - below:
            count -= length - below
            length = below
            values, others = others, values
        else:
            return pivot


@njit(cache=True)
def _record(edges, shares, end, parents, choices, target, totals, via, value, earlier, more):
    """Write a step's edges from ``end`` on, and fill in ``more``.

    Of each state after, ``more`` is the log of the sum over all paths to it, over its best path's;
    ``earlier`` is that of the states before.

    Returns
    -------
    Where the step's edges end.
    """
    start, width, count = end, len(value), 0
    chosen, flows = np.empty(len(target), np.int64), np.empty(len(target))
    for edge in range(len(target)):
        chosen[count] = edge
        count += target[edge] != _NOWHERE
    most, sums = np.full(width, -np.inf), np.zeros(width)
    for edge in chosen[:count]:
        state = target[edge]
        flows[edge] = totals[edge] - value[state] + earlier[parents[edge]]
        most[state] = max(most[state], flows[edge])
    for edge in chosen[:count]:
        state = target[edge]
        part = np.exp(flows[edge] - most[state])
        sums[state] += part
        edges[end, PARENT], edges[end, CHOICE] = parents[edge], choices[edge]
        edges[end, AFTER], edges[end, BEST] = state, via[state] == edge
        shares[end] = part
        end += 1
    for edge in range(start, end):
        shares[edge] /= sums[edges[edge, AFTER]]
    for state in range(width):
        more[state] = most[state] + np.log(sums[state])
    return end


@njit(cache=True)
def _taken(held, parents, choices, via, width, slot):
    """Return what each state after holds: (width, J)."""
    animals = held.shape[1]
    taken = np.empty((width, animals), np.int64)
    for state in range(width):
        parent, choice = parents[via[state]], choices[via[state]]
        for animal in range(animals):
            taken[state, animal] = slot if choice == animal + 1 else held[parent, animal]
    return taken


@njit(cache=True)
def _first(values, width):
    kept = np.empty(width, values.dtype)
    for at in range(width):
        kept[at] = values[at]
    return kept


@njit(cache=True)
def _grown(edges, shares, size):
    more_edges, more_shares = np.empty((size, 4), np.uint16), np.empty(size, np.float32)
    for edge in range(len(edges)):
        more_shares[edge] = shares[edge]
        for column in range(4):
            more_edges[edge, column] = edges[edge, column]
    return more_edges, more_shares


@njit(cache=True)
def draw(edges, shares, ends, widths, value, mass, order, count, random):
    """Draw whole assignments, each as often as it is probable.

    The arguments are what :func:`forward` returned, the ``order`` of the tracklets, how many to
    draw, and a generator of random numbers.

    Returns
    -------
    (count, I) int8, animal of each tracklet in each draw, -1 = nobody.
    """
    named = np.empty((count, len(order)), np.int8)
    state, posterior = np.zeros(count, np.int64), np.exp(mass - np.max(mass))
    for number in range(count):
        left = random.random() * posterior.sum()
        while left >= posterior[state[number]] and state[number] < len(mass) - 1:
            left -= posterior[state[number]]
            state[number] += 1
    for step in range(len(order) - 1, -1, -1):
        begin = ends[step - 1] if step else 0
        newest, older = _by_state(edges, begin, ends[step], widths[step + 1])
        for number in range(count):
            edge, left = newest[state[number]], random.random()
            while left >= shares[edge] and older[edge - begin] != _NOWHERE:
                left -= shares[edge]
                edge = older[edge - begin]
            named[number, order[step]] = np.int64(edges[edge, CHOICE]) - 1
            state[number] = edges[edge, PARENT]
    return named


@njit(cache=True)
def _by_state(edges, begin, end, width):
    """Chain a step's edges by the state after: its last edge, and of each edge the one before."""
    newest = np.full(width, _NOWHERE, np.int64)
    older = np.full(end - begin, _NOWHERE, np.int64)
    for edge in range(begin, end):
        state = edges[edge, AFTER]
        older[edge - begin] = newest[state]
        newest[state] = edge
    return newest, older
