"""Logs of one segment that contradict each other: the same reads in both, whole hours apart.

So it is where a log was written twice, by clocks of two zones, or of summer and winter. Joined,
each animal would be in two places at once, and nothing in them tells which of the two is right.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from murid import tables
from murid.errors import InputError
from murid.readings.segment import Wanted, called, span

HOURS = 14
"""Whole hours that clocks of two zones may be apart."""
FEWEST = 10
"""Moves that stand in both logs, below which nothing is concluded."""
MOST = 1000
"""Moves that are compared: on a busy grid, those of a minute or two."""
MOST_BY_CHANCE = 0.5
"""Share of the moves found that may be found too at shifts that no zone explains."""
BEFORE = timedelta(minutes=1)
"""Time before, in which an animal is read that then moves: most of them are."""
NO_ZONE = [beside for beside in range(-300, 301) if abs(beside) >= 3]
"""Seconds beside a whole hour, at which an animal that goes to and fro would be found as well."""


def refuse(logs: Sequence[Path], wanted: Wanted) -> None:
    """Refuse logs of which one has the reads of another at other hours.

    What is compared is moves, an antenna of a tag that another follows, to the second: a mouse at
    rest is read alike at any hour.

    Parameters
    ----------
    logs
        Tables ``readings`` of the logs that serve a segment.
    wanted
        The segment; logs are compared as far as one of them has moves while it was filmed.

    Raises
    ------
    InputError
        Naming two logs, and by how many hours they are apart.
    """
    first, last = wanted.logged_moments
    for pair in combinations(logs, 2):
        for one, other in (pair, pair[::-1]):
            if (both := same(one, other, first, last)) is not None:
                raise InputError(
                    f"{called([one])}, {called([other])}",
                    f"{both.shared:,} of {both.moves:,} moves of tags from "
                    f"{first:%Y-%m-%d %H:%M:%S} UTC on in both, in the second {both.hours:+d} h "
                    "from the first",
                    "logs by one clock",
                    remedy="One of them was written by the clock of another zone, or of summer "
                    "time: name only the one that is right in the column readings.",
                )  # fmt: skip


class Same(NamedTuple):
    """What two logs have in common.

    Attributes
    ----------
    shared, moves
        Moves that are in both, of so many in the first.
    hours
        By how much they are later in the second.
    """

    shared: int
    moves: int
    hours: int


def same(one: Path, other: Path, first: datetime, last: datetime) -> Same | None:
    """Return what a log has of another at other hours; None if nothing, or if it is a copy of it.

    Parameters
    ----------
    one, other
        Tables ``readings``.
    first, last
        Of the first log, what is looked for in the second.
    """
    moves = _moves(one, first, last)[:MOST]
    if len(moves) < FEWEST:
        return None
    first, last = (
        datetime.fromtimestamp(int(moves["second"].iloc[place]), UTC) for place in (0, -1)
    )
    for hours in _hours(other, first, last):
        if count := _in_both(moves, other, first, last, hours):
            return Same(count, len(moves), hours) if hours else None
    return None


def _hours(log: Path, first: datetime, last: datetime) -> Iterator[int]:
    """Yield the hours at which a log may have what another has at a time, 0 first."""
    for begins, ends in span(log):
        for hours in sorted(range(-HOURS, HOURS + 1), key=abs):
            shift = timedelta(hours=hours)
            if begins <= last + shift and first + shift <= ends:
                yield hours


def _moves(log: Path, first: datetime, last: datetime) -> pd.DataFrame:
    """Return the moves of tags: the ``second`` since 1970, and ``what``, from where to where."""
    reads = tables.read(log, "readings", within=("time", first, last))
    reads = reads.astype({"tag": "str", "antenna": "str"})
    before = reads.groupby("tag")["antenna"].shift()
    moved = (before.notna() & (before != reads["antenna"])).to_numpy()
    seconds = reads["time"].dt.tz_localize(None).to_numpy().astype("datetime64[s]").astype(np.int64)
    what = reads["tag"] + " " + before + " " + reads["antenna"]
    return pd.DataFrame({"second": seconds[moved], "what": what[moved].to_numpy()})


def _in_both(moves: pd.DataFrame, log: Path, first: datetime, last: datetime, hours: int) -> int:
    """Return how many moves another log has so many hours later; 0 if not most, or by chance."""
    second = moves["second"].to_numpy() + hours * 3600
    there = np.zeros(len(moves), dtype=bool)
    for begins, ends in span(log):
        there |= (second >= begins.timestamp() - 1) & (second <= ends.timestamp() + 1)
    least = max(FEWEST, there.sum() / 2)
    shifted = moves.assign(second=second)
    ends_of = tuple(moment + timedelta(hours=hours) for moment in (first, last))
    (found,) = _found(shifted, log, ends_of, [0])
    if found < least:
        return 0
    by_chance = max(_found(shifted, log, ends_of, NO_ZONE))
    return found if by_chance <= MOST_BY_CHANCE * found else 0


def _found(
    moves: pd.DataFrame, log: Path, ends: tuple[datetime, ...], later: Sequence[int]
) -> list[int]:
    """Return how many moves, from one time to another, a log has each so many seconds later.

    Clocks are rounded, and may differ by one second.
    """
    margin = timedelta(seconds=max(later) + 2)
    # What was the last antenna of a tag before that may be read long before.
    theirs = _moves(log, ends[0] - margin - BEFORE, ends[1] + margin)
    kinds, _ = pd.factorize(pd.concat([moves["what"], theirs["what"]]))
    most = int(kinds.max(initial=0)) + 1
    own = moves["second"].to_numpy() * most + kinds[: len(moves)]
    near = theirs["second"].to_numpy()[:, None] + np.array([-1, 0, 1])
    others = np.unique(near * most + kinds[len(moves) :, None])
    return [int(np.isin(own + seconds * most, others).sum()) for seconds in later]
