"""What may have happened while nothing showed an animal, weighed: four ways of being somewhere.

Between its last box before a gap and its first after it, an animal may have stayed where it was
throughout; or it stayed for some time, was elsewhere, and came to where it is seen again some time
before it is. How long animals stay put has no scale of its own: who has rested for minutes will
rest on, who has just come will soon be gone (a power law). Readings tell these apart. The sum over
all times of leaving and of coming is exact.

Places are in *spans*: one is the standard deviation of boxes about their antenna, in whatever
direction, so that what is learnt of one rig serves others.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from murid.places.sums import AFTER, BEFORE, ELSEWHERE, REACH, THROUGHOUT, share_out

TICK = 0.2
"""Seconds from one place that is inferred to the next."""
_MOST_STEPS = 100
"""Times of leaving and coming that are told apart within a gap, however long."""
SWAY = 0.3
"""Seconds in which a box that stands off where it has been for some time goes back there."""
NOWHERE = np.full(2, np.nan)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Habits:
    """How animals stay and roam.

    Attributes
    ----------
    shape, onset
        An animal that has stayed for d seconds stays for t more with the probability
        ``((onset + d) / (onset + d + t)) ** shape``; the latter in seconds.
    speed
        Of roaming: spans that it is away after a second, more with the square root of time.
    restless, settling, jitter
        Of staying: spans by which it wanders in the end, seconds in which it comes to, and spans by
        which its box is unsteady at once.
    astray
        Log probability of the reading of an animal that is elsewhere.
    weight
        Readings a second that are worth as much as independent ones.
    """

    shape: float = 0.5
    onset: float = 2.1
    speed: float = 0.69
    restless: float = 0.24
    settling: float = 2.9
    jitter: float = 0.18
    astray: float = -1.4
    weight: float = 1.0

    def spread(self, seconds: Floats) -> Floats:
        """Return the variance of the place of a staying animal after so long: same shape."""
        return self.restless**2 * -np.expm1(-seconds / self.settling) + self.jitter**2

    def roamed(self, seconds: Floats) -> Floats:
        """Return the same of a roaming one."""
        return np.minimum(self.speed**2 * seconds, REACH**2) + self.restless**2


class End(NamedTuple):
    """Where a gap begins or ends: a box.

    Attributes
    ----------
    place
        (2,) spans.
    middle
        (2,) middle of its boxes there for some seconds before the gap, or after it.
    rested
        Seconds for which the animal was there before the gap, or is after it.
    read
        (n + 1,) log probability of what is read at each of n + 1 even times of the gap, if the
        animal is there; NaN where nothing is read.
    """

    place: Floats
    middle: Floats
    rested: float
    read: Floats


class Gap(NamedTuple):
    """A stretch in which nothing shows where an animal is; one of its ends may be the segment's."""

    seconds: float
    before: End | None
    after: End | None


class Asked(NamedTuple):
    """Times at which it is asked where animals are.

    Attributes
    ----------
    gaps
        G gaps.
    gap
        (n,) the gap that each time is in, ascending.
    shares
        (n,) the share of it that has passed.
    means, covariances
        (n, 2) and (n, 2, 2), of animals that are read where it is then, spans; NaN where it is not
        read.
    """

    gaps: Sequence[Gap]
    gap: Ints
    shares: Floats
    means: Floats
    covariances: Floats


class Mixture(NamedTuple):
    """Where an animal may be at n times.

    Attributes
    ----------
    weights
        (n, 4) probability of each hypothesis.
    means, covariances
        (n, 4, 2) and (n, 4, 2, 2), spans.
    """

    weights: Floats
    means: Floats
    covariances: Floats


def steps(seconds: float) -> int:
    """Return the number of steps of a gap: (n + 1) times are read."""
    return int(np.clip(np.ceil(seconds / TICK), 1, _MOST_STEPS))


def infer(asked: Asked, habits: Habits) -> Mixture:
    """Weigh where animals are."""
    seconds = np.array([gap.seconds for gap in asked.gaps], dtype=np.float64)[asked.gap]
    since, until = seconds * asked.shares, seconds * (1 - asked.shares)
    before, after, between = _courses(asked, since, until)
    from_one = np.where(np.isnan(before), after, before)
    far = np.where(np.isnan(before[:, 0]), until, since)
    one_ended = np.isnan(between[:, 0])
    roamed = habits.roamed(np.where(one_ended, far, since * (1 - asked.shares)))
    places = np.stack([before, after, np.where(one_ended[:, None], from_one, between), between], 1)
    spreads = np.column_stack([
        habits.spread(since), habits.spread(until),
        np.where(np.isnan(from_one[:, 0]), np.inf, roamed),
        habits.spread(2 * since * (1 - asked.shares)),
    ])  # fmt: skip
    # What has no end has no weight there.
    places = np.nan_to_num(places)
    covariances = np.where(np.eye(2, dtype=bool), spreads[..., None, None], 0.0)
    read = ~np.isnan(asked.means[:, 0])
    # What is read and how far it can have got are two witnesses.
    tight, near = np.linalg.inv(asked.covariances[read]), 1 / spreads[read, ELSEWHERE]
    both = np.linalg.inv(tight + near[:, None, None] * np.eye(2))
    sums = np.einsum("nij,nj->ni", tight, asked.means[read])
    sums += near[:, None] * places[read, ELSEWHERE]
    places[read, ELSEWHERE] = np.einsum("nij,nj->ni", both, sums)
    covariances[read, ELSEWHERE] = both
    return Mixture(_weights(asked, habits), places, covariances)


def _courses(asked: Asked, since: Floats, until: Floats) -> tuple[Floats, Floats, Floats]:
    """Return where an animal is that stays as before, as after, and from one to the other: (n, 2).

    How its box stands off the middle of its place is forgotten within :data:`SWAY`, from either
    end: an Ornstein-Uhlenbeck process, and its bridge. NaN without an end.
    """
    ends = [[gap.before for gap in asked.gaps], [gap.after for gap in asked.gaps]]
    (first, first_off), (last, last_off) = (
        (middle[asked.gap], (place - middle)[asked.gap])
        for middle, place in (
            (_of(side, "middle"), _of(side, "place")) for side in ends
        )
    )  # fmt: skip
    way = asked.shares[:, None]
    to_first, to_last = (np.exp(-times / SWAY)[:, None] for times in (since, until))
    whole = 1 - (to_first * to_last) ** 2
    bridge = (
        to_first * (1 - to_last**2) * first_off + to_last * (1 - to_first**2) * last_off
    ) / whole
    between = first * (1 - way) + last * way + bridge
    return first + to_first * first_off, last + to_last * last_off, between


def _of(ends: Sequence[End | None], name: str) -> Floats:
    """Return what the ends of gaps have by a name, NaN of those that are none: (G, 2)."""
    each = [NOWHERE if end is None else getattr(end, name) for end in ends]
    return np.array(each, dtype=np.float64).reshape(-1, 2)


def _weights(asked: Asked, habits: Habits) -> Floats:
    """Return the probability of each hypothesis: (n, 4)."""
    weights = np.zeros((len(asked.gap), 4))
    bounds = np.searchsorted(asked.gap, np.arange(len(asked.gaps) + 1))
    numbers = dataclasses.astuple(habits)
    for gap, begin, end in zip(asked.gaps, bounds[:-1], bounds[1:], strict=True):
        shares, columns = asked.shares[begin:end], [BEFORE, AFTER, ELSEWHERE, THROUGHOUT]
        first, last = gap.before, gap.after
        if first is None:
            # Backwards in time, it is a gap without an end.
            first, last, shares = last, None, 1 - shares
            columns = [AFTER, BEFORE, ELSEWHERE, THROUGHOUT]
        if first is None:
            weights[begin:end, ELSEWHERE] = 1
            continue
        read = first.read if gap.before is not None else first.read[::-1]
        # Without a box after it there is none to come to.
        rested, away, read_after = -1.0, 0.0, read
        if last is not None:
            rested, read_after = last.rested, last.read
            away = float(((last.place - first.place) ** 2).sum())
        found = share_out(
            read, read_after, gap.seconds, first.rested, rested, away, shares, *numbers
        )
        weights[begin:end, columns] = found
    return weights
