"""From reads to a trace: which antenna an animal is over at each frame.

A read says that the animal is there at that moment, or, of a visit, for as long as it lasted. It
holds until the next one, and for ``hold`` seconds or the visit at most: not read is not known, it
does not mean that the animal is elsewhere.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from murid.grid import Antennas

FAR = 3
"""Antennas that no animal is away from where it was read within a second, and back."""
SECOND = 1_000_000

Ints = NDArray[np.int64]


class Reads(NamedTuple):
    """Reads of one animal, by time.

    Attributes
    ----------
    times
        (reads,), microseconds, sorted.
    antennas
        (reads,), the rig's numbers, from 1.
    lasting
        (reads,), microseconds that each lasted, 0 where that is not known; None: of none it is.
    """

    times: Ints
    antennas: Ints
    lasting: Ints | None = None

    def only(self, chosen: NDArray[np.bool_]) -> "Reads":
        """Return some of the reads: (reads,) which."""
        lasting = None if self.lasting is None else self.lasting[chosen]
        return Reads(self.times[chosen], self.antennas[chosen], lasting)


def impossible(reads: Reads, grid: Antennas) -> NDArray[np.bool_]:
    """Tell which reads are of places where the animal cannot have been.

    Such a read is more than :data:`FAR` antennas away from both the last read before it and the
    next one after it that are of other antennas, each within a second, while these two are no
    further than that from each other: whoever was there went there and back within two seconds.

    Returns
    -------
    Shape (reads,).
    """
    times, antennas = reads.times, reads.antennas
    wrong = np.zeros(len(times), dtype=bool)
    starts = np.flatnonzero(np.r_[True, antennas[1:] != antennas[:-1]]) if len(times) else times
    if len(starts) < 3:
        return wrong
    ends = np.r_[starts[1:], len(times)] - 1
    place = antennas[starts]

    before, here, after = place[:-2], place[1:-1], place[2:]
    strange = (grid.steps(before, here) > FAR) & (grid.steps(here, after) > FAR)
    strange &= grid.steps(before, after) <= FAR
    strange &= times[starts[1:-1]] - times[ends[:-2]] <= SECOND
    strange &= times[starts[2:]] - times[ends[1:-1]] <= SECOND
    for run in np.flatnonzero(strange) + 1:
        wrong[starts[run] : ends[run] + 1] = True
    return wrong


def at(frames: Ints, reads: Reads, hold: float) -> Ints:
    """Return the antenna at each frame: that of the last read, if it is no older than it holds.

    Parameters
    ----------
    frames
        (frames,), when they were taken, microseconds by the same clock, sorted.
    reads
        Of the animal.
    hold
        Seconds for which a read holds that lasted no longer.

    Returns
    -------
    Shape (frames,); 0 = no reading.

    Examples
    --------
    >>> reads = Reads(np.array([1_000_000, 3_500_000]), np.array([7, 8]))
    >>> at(np.arange(6) * 1_000_000, reads, hold=1.5).tolist()
    [0, 7, 7, 0, 8, 8]
    """
    if not len(reads.times):
        return np.zeros(len(frames), dtype=np.int64)
    last = np.searchsorted(reads.times, frames, side="right") - 1
    age = frames - reads.times[last.clip(0)]
    longest: Ints | float = hold * SECOND
    if reads.lasting is not None:
        longest = np.maximum(longest, reads.lasting[last.clip(0)])
    holds = (last >= 0) & (age <= longest)
    return np.where(holds, reads.antennas[last.clip(0)], 0)
