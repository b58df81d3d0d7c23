"""The assignment problem of a segment: tracklets, the intervals they share, and all weights."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from murid.identify.evidence import Evidence, Readings
from murid.tracklets import Tracklets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NOBODY = -1
"""Stands for the outlier where animals are numbered."""


class SolverError(RuntimeError):
    """A solver did not prove an integral optimum."""

    def __init__(self, solver: str, outcome: str, problem: "Problem") -> None:
        super().__init__(
            f"{solver} ended with {outcome} on {problem.tracklets} tracklets over "
            f"{problem.intervals} intervals; raise identify.time_limit or leave it out"
        )


@dataclass(frozen=True)
class Problem:
    """What Eqs. 1-4 are about.

    Attributes
    ----------
    starts, ends
        (I,) int64, first interval of each tracklet and the one after its last.
    weights
        (I, J + 1) float64, log weight of each tracklet under each animal and, last, the outlier.
    hidden
        (T, J) float64, log weight of each animal being hidden in each interval.
    """

    starts: Ints
    ends: Ints
    weights: Floats
    hidden: Floats

    @property
    def tracklets(self) -> int:
        """Number of generated tracklets, I."""
        return len(self.starts)

    @property
    def animals(self) -> int:
        """Number of animals, J."""
        return self.hidden.shape[1]

    @property
    def intervals(self) -> int:
        """Number of intervals, T."""
        return len(self.hidden)

    @property
    def outlier(self) -> int:
        """The column of ``weights`` that stands for the outlier."""
        return self.animals

    def gains(self) -> Floats:
        """Return what each animal gains by each tracklet over being hidden meanwhile: (I, J).

        The tracklet's weight as an outlier, which it has if no animal takes it, is taken off too.
        """
        total = np.vstack([np.zeros(self.animals), self.hidden.cumsum(axis=0)])
        meanwhile = total[self.ends] - total[self.starts]
        return self.weights[:, :-1] - self.weights[:, -1:] - meanwhile

    def parts(self) -> list[Ints]:
        """Return the tracklets that are worth naming, split in time: parts that never meet.

        At some moment between two parts none of these tracklets is alive, so that what is decided
        in one does not bear on the other. Tracklets that no animal gains by are in no part.

        Returns
        -------
        Tracklets of each part by their beginning; the parts follow each other in time.
        """
        useful = np.flatnonzero((self.gains() > 0).any(axis=1))
        order = useful[np.argsort(self.starts[useful], kind="stable")]
        busy = np.maximum.accumulate(self.ends[order])
        splits = np.flatnonzero(self.starts[order[1:]] >= busy[:-1]) + 1
        return [part for part in np.split(order, splits) if len(part)]

    def with_gains(self, gains: Floats) -> "Problem":
        """Return the same tracklets with other gains, (I, J), relative to nobody and hidden."""
        weights = np.column_stack([gains, np.zeros(len(gains))])
        return replace(self, weights=weights, hidden=np.zeros_like(self.hidden))

    def alive(self) -> list[Ints]:
        """Return for each interval the tracklets that are alive in it."""
        members: list[list[int]] = [[] for _ in range(self.intervals)]
        for tracklet, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            for interval in range(start, end):
                members[interval].append(tracklet)
        return [np.array(member, dtype=np.int64) for member in members]

    def objective(self, assignment: Ints) -> float:
        """Return the value of Eq. 1 for an assignment.

        Parameters
        ----------
        assignment
            (I,), the column of ``weights`` that each tracklet is given.

        Raises
        ------
        ValueError
            If it breaks Eqs. 2-4: an animal has two tracklets in one interval, or a column is out
            of range.
        """
        assignment = np.asarray(assignment)
        if len(assignment) != self.tracklets:
            raise ValueError(f"{len(assignment)} assignments for {self.tracklets} tracklets")
        if ((assignment < 0) | (assignment > self.outlier)).any():
            raise ValueError("a tracklet is assigned to nobody that exists")
        held = np.zeros((self.intervals + 1, self.animals + 1), dtype=np.int64)
        np.add.at(held, (self.starts, assignment), 1)
        np.add.at(held, (self.ends, assignment), -1)
        held = held.cumsum(axis=0)[:-1, : self.animals]
        if held.max(initial=0) > 1:
            interval, animal = np.argwhere(held > 1)[0]
            raise ValueError(f"animal {animal} has {held.max()} tracklets in interval {interval}")
        named = self.weights[np.arange(self.tracklets), assignment].sum()
        return float(named + self.hidden[held == 0].sum())


def build(tracklets: Tracklets, evidence: Evidence, trace: Readings) -> Problem:
    """Group frames into intervals and sum the evidence over each tracklet (Sect. 3.1, 3.3).

    A new interval begins where a tracklet begins or ends. In a frame that a tracklet spans without
    a box of its own (only if it may survive misses), its animal counts as hidden.

    Parameters
    ----------
    tracklets
        The tracklets.
    evidence
        Of their rows.
    trace
        The segment's antennas; its frames are covered from the first to the last.
    """
    count, animals = len(tracklets), len(trace.animals)
    rank, first, last = tracklets.rank, tracklets.first, tracklets.last
    edges = np.unique(np.concatenate([[0, trace.frames], first, last + 1]))
    starts, ends = np.searchsorted(edges, first), np.searchsorted(edges, last + 1)

    weights = np.zeros((count, animals + 1))
    np.add.at(weights[:, :animals], rank, evidence.animals)
    np.add.at(weights[:, animals], rank, evidence.outlier)
    total = np.vstack([np.zeros(animals), trace.hidden.cumsum(axis=0)])
    hidden = np.diff(total[edges], axis=0)
    spanned = total[last + 1] - total[first]
    np.subtract.at(spanned, rank, trace.hidden[tracklets.frames])
    gaps = (last + 1 - first) != tracklets.sizes
    weights[gaps, :animals] += spanned[gaps]
    return Problem(starts, ends, weights, hidden.reshape(len(edges) - 1, animals))
