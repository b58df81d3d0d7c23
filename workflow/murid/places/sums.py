"""The inner loops of :mod:`.hypotheses`, compiled: sums over all times of leaving and of coming.

A gap of a hundred steps has five thousand pairs of these. The first call of an installation
compiles for some seconds; the result is kept beside this file, or in the user's cache where that is
read-only.
"""

import numpy as np
from numba import njit

BEFORE, AFTER, ELSEWHERE, THROUGHOUT = range(4)
"""Still where it was before the gap; already where it is after it; at another place; there
throughout."""
REACH = 5.0
"""Spans that a roaming animal is away at most: cages end."""


@njit(cache=True)
def share_out(
    read_before, read_after, seconds, rested_before, rested_after, away, shares, shape, onset,
    speed, restless, settling, jitter, astray, weight,
):  # fmt: skip
    """Sum over all times of leaving and of coming.

    Parameters
    ----------
    read_before, read_after
        (n + 1,) as :class:`.hypotheses.End` has them.
    seconds
        Length of the gap.
    rested_before, rested_after
        Seconds; the latter below 0: there is no box after the gap.
    away
        Squared distance of the places, spans.
    shares
        (q,) times.
    shape, onset, speed, restless, settling, jitter, astray, weight
        Of :class:`.hypotheses.Habits`.

    Returns
    -------
    (q, 4) probability of each hypothesis.
    """
    count = len(read_before) - 1
    step = seconds / count
    ends = rested_after >= 0
    # Log probabilities of what was read up to each step if it was there, less those if it was
    # elsewhere; both ends are boxes, and what is read there is told by them.
    before, after = np.zeros(count), np.zeros(count)
    for place in range(1, count):
        before[place], after[place] = before[place - 1], after[place - 1]
        if not np.isnan(read_before[place]):
            before[place] += weight * step * (read_before[place] - astray)
            after[place] += weight * step * (read_after[place] - astray)
    leaving, coming, seen = np.zeros(count + 1), np.zeros(count + 1), np.zeros(count + 1)
    for place in range(count + 1):
        begin, end = place * step, (place + 1) * step
        still = ((onset + rested_before) / (onset + rested_before + begin)) ** shape
        later = ((onset + rested_before) / (onset + rested_before + end)) ** shape
        leaving[place] = np.log(max(still - later, 1e-12) if place < count else still)
        if ends:
            still = ((onset + rested_after) / (onset + rested_after + begin)) ** shape
            later = ((onset + rested_after) / (onset + rested_after + end)) ** shape
            coming[place] = np.log(max(still - later, 1e-12) if place < count else still)
            spread = min(speed**2 * max(begin, step), REACH**2) + restless**2
            seen[place] = -away / (2 * spread) - np.log(spread)
    still, there = np.zeros(count + 1), np.zeros(count + 1)
    whole = 0.0
    if ends:
        spread = 2 * (restless**2 * (1 - np.exp(-seconds / settling)) + jitter**2)
        throughout = before[count - 1] + (leaving[count] + coming[count]) / 2
        throughout += -away / (2 * spread) - np.log(spread)
        # The most probable path: beside it, most are far less so, and need no exponential.
        best = throughout
        for left in range(count):
            gone = before[left] + leaving[left] + after[count - 1]
            for came in range(left + 1, count + 1):
                best = max(best, gone - after[came - 1] + coming[count - came] + seen[came - left])
        whole = np.exp(throughout - best)
        for left in range(count):
            for came in range(left + 1, count + 1):
                value = (
                    before[left] + after[count - 1] - after[came - 1]
                    + leaving[left] + coming[count - came] + seen[came - left] - best
                )  # fmt: skip
                if value > -40:
                    value = np.exp(value)
                    still[left] += value
                    there[came] += value
    else:
        best = max((before + leaving[:count]).max(), before[count - 1] + leaving[count])
        for left in range(count):
            still[left] = np.exp(before[left] + leaving[left] - best)
        still[count] = np.exp(before[count - 1] + leaving[count] - best)
    total = still.sum() + whole
    result = np.zeros((len(shares), 4))
    for number in range(len(shares)):
        at = int(np.rint(shares[number] * count))
        result[number, BEFORE] = still[at:].sum() / total
        result[number, AFTER] = there[: at + 1].sum() / total
        result[number, THROUGHOUT] = whole / total
        result[number, ELSEWHERE] = max(0.0, 1 - result[number].sum())
    return result
