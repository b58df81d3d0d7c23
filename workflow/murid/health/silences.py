"""Silences that are no chance: of an antenna, or of a tag, while the others go on.

Reads are no independent events: an animal that sleeps is read a hundred thousand times by one
antenna, and leaves all others silent for hours. So nothing is counted in reads or by the clock, but
in *trials*: stretches of some minutes in which an animal roams, of which each is a chance to be
read. A silence is told that would all but never be chance, and that also stands apart from all
other silences of the same antenna: habits, which make chances unequal, show in these.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CHANCE = 1e-9
"""Probability of a silence by chance, were trials independent. They are not, since an animal that
keeps to one end of the cage does so for some of them: of twice as many trials as are independent,
this is 3e-5, and a cage has a hundred antennas."""
APART = 3.0
"""Times that a silence is as long as any of the others that are not told."""
MOST = 5
"""Silences of one antenna or tag that are told; one that has more reads badly, but is not dead."""
FEWEST_HITS = 20
"""Trials with a read without which nothing is known of what is usual."""
FEWEST_BINS = 18
"""Different stretches of time among the trials of a silence: three hours in which animals roam."""
SUREST = 0.95
"""Nothing is read in more than this share of trials, as far as conclusions go."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Silence:
    """A silence: after which of the times at which it was alive, and before which.

    Attributes
    ----------
    after, before
        Places in ``alive``; -1: from the beginning, None: until the end.
    trials
        How many it lasted.
    """

    after: int
    before: int | None
    trials: int


def apart(lengths: NDArray[np.float64] | Ints, most: int) -> NDArray[np.bool_]:
    """Tell which of several lengths stand apart: :data:`APART` times all the others, (n,).

    Examples
    --------
    >>> apart(np.array([2, 90, 5, 70, 6]), most=5).tolist()
    [False, True, False, True, False]
    """
    order = np.argsort(-lengths, kind="stable")
    ordered = np.r_[lengths[order], 0].astype(np.float64)
    count = min(most, len(lengths))
    far = np.flatnonzero((ordered[:count] > 0) & (ordered[:count] >= APART * ordered[1:][:count]))
    # All lengths stand apart from none: that is no comparison.
    far = far[far + 1 < len(lengths)]
    found = np.zeros(len(lengths), dtype=bool)
    if len(far):
        found[order[: far[-1] + 1]] = True
    return found


def find(alive: Ints, trials: Ints, hits: int) -> list[Silence]:
    """Find the silences of an antenna or a tag.

    Parameters
    ----------
    alive
        (n,) stretches of time in which it was read, sorted, each once.
    trials
        (t,) stretches of time of the trials, sorted; there may be several in one.
    hits
        Trials with a read.
    """
    if hits < FEWEST_HITS:
        return []
    starts = np.r_[0, np.searchsorted(trials, alive, side="right")]
    ends = np.r_[np.searchsorted(trials, alive, side="left"), len(trials)]
    lengths = np.maximum(ends - starts, 0)
    told = apart(lengths, MOST)
    others = len(trials) - int(lengths[told].sum())
    rate = min(SUREST, hits / max(others, hits))
    told &= lengths * np.log1p(-rate) < np.log(CHANCE)
    return [
        Silence(int(place) - 1, int(place) if place < len(alive) else None, int(lengths[place]))
        for place in np.flatnonzero(told)
        if len(np.unique(trials[starts[place] : ends[place]])) >= FEWEST_BINS
    ]


def never(trials: Ints, rates: NDArray[np.float64]) -> bool:
    """Tell whether an antenna that is never read is silent beyond chance.

    Parameters
    ----------
    trials
        Stretches of time of the trials, sorted.
    rates
        Share of the trials in which each other antenna is read: it is held to be no rarer than the
        rarest.
    """
    if not len(rates) or len(np.unique(trials)) < FEWEST_BINS:
        return False
    return bool(len(trials) * np.log1p(-min(SUREST, rates.min())) < np.log(CHANCE))
