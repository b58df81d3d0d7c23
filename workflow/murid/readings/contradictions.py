"""Logs of one segment that contradict each other: the same reads in both, hours or seconds apart.

So it is where a log was written twice, by clocks of two zones, of summer and winter, or of two
machines. Joined, each animal would be in two places at once, and nothing in them tells which of the
two is right.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import tables
from murid.errors import InputError
from murid.readings.segment import Wanted, called, span

HOURS = 14
"""Hours that clocks of two zones may be apart."""
QUARTER = 900
"""Seconds of which zones are apart by a whole number: some are at half an hour, or at three
quarters."""
ZONES = sorted(range(-HOURS * 3600, HOURS * 3600 + 1, QUARTER), key=abs)
"""Seconds that clocks of two zones may be apart, 0 first."""
FEWEST = 10
"""Moves that stand in both logs, below which nothing is concluded."""
MOST = 1000
"""Moves that are compared: on a busy grid, those of a minute or two."""
BESIDE = timedelta(hours=3)
"""Time before and after a segment whose moves are compared where those of the segment do not tell:
mice at rest for hours hardly make any."""
MOST_BY_CHANCE = 0.5
"""Share of the moves found that may be found too at shifts that no zone explains."""
BEFORE = timedelta(minutes=1)
"""Time before, in which an animal is read that then moves: most of them are."""
NO_ZONE = [
    *(beside for beside in range(-300, 301) if abs(beside) >= 3),
    *(-3600, -QUARTER, QUARTER, 3600),
]
"""Seconds beside a zone, at which an animal that goes to and fro would be found as well; a log is
the copy of another at one zone only."""


def refuse(logs: Sequence[Path], wanted: Wanted) -> None:
    """Refuse logs of which one has the reads of another at other times.

    What is compared is moves, an antenna of a tag that another follows, to the second: a mouse at
    rest is read alike at any hour.

    Parameters
    ----------
    logs
        Tables ``readings`` of the logs that serve a segment.
    wanted
        The segment; logs are compared by their moves while it was filmed or, where these do not
        tell, by those nearest to it, up to :data:`BESIDE` before and after.

    Raises
    ------
    InputError
        Naming two logs, and by how much they are apart.
    """
    first, last = wanted.logged_moments

    @cache
    def moves_of(log: Path) -> pd.DataFrame:
        return _moves_near(log, first - BESIDE, last + BESIDE)

    for pair in combinations(logs, 2):
        # Logs of other minutes alone may contradict each other as they like.
        of_it = any(begins <= last and first <= ends for log in pair for begins, ends in span(log))
        for beside in (timedelta(0), BESIDE) if of_it else ():
            alike = []
            for one, other in (pair, pair[::-1]):
                own = _nearest(moves_of(one), first - beside, last + beside)
                if (both := _alike(own, moves_of(other), span(other))) is not None:
                    alike.append(both)
                    if both.later:
                        raise _apart(one, other, both)
            if alike:
                break


def _apart(one: Path, other: Path, both: "Same") -> InputError:
    """Say by how much two logs are apart, and what to do."""
    return InputError(
        f"{called([one])}, {called([other])}",
        f"{both.shared:,} of {both.moves:,} moves of tags from "
        f"{both.since:%Y-%m-%d %H:%M:%S} UTC on in both, in the second {both.apart} "
        "from the first",
        "logs by one clock",
        remedy=f"One of them was written by {both.clock}: name only the one that is right in the "
        "column readings.",
    )


class Same(NamedTuple):
    """What two logs have in common.

    Attributes
    ----------
    shared, moves
        Moves that are in both, of so many in the first.
    later
        Seconds by which they are later in the second.
    since
        When the first of the moves was, in the first.
    """

    shared: int
    moves: int
    later: int
    since: datetime

    @property
    def apart(self) -> str:
        """By how much they are later, in words."""
        return f"{self.later:+d} s" if self.later % QUARTER else f"{self.later / 3600:+g} h"

    @property
    def clock(self) -> str:
        """Whose clock it may be by which the one that is wrong was written."""
        return (
            "the clock of another machine, or one that was set anew" if self.later % QUARTER
            else "the clock of another zone, or of summer time"
        )  # fmt: skip


def same(one: Path, other: Path, first: datetime, last: datetime) -> Same | None:
    """Return what a log has of another at other times; None if nothing, or if it is a copy of it.

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
    both = _alike(moves, _moves_near(other, first, last), span(other))
    return both if both is not None and both.later else None


def _moves(log: Path, first: datetime, last: datetime) -> pd.DataFrame:
    """Return the moves of tags: the ``second`` since 1970, and ``what``, from where to where."""
    reads = tables.read(log, "readings", within=("time", first, last))
    before = reads.groupby("tag", observed=True)["antenna"].shift()
    moved = (before.notna() & (before != reads["antenna"])).to_numpy()
    reads, before = reads[moved].astype({"tag": "str", "antenna": "str"}), before[moved]
    seconds = reads["time"].dt.tz_localize(None).to_numpy().astype("datetime64[s]").astype(np.int64)
    what = reads["tag"] + " " + before.astype("str") + " " + reads["antenna"]
    return pd.DataFrame({"second": seconds, "what": what.to_numpy()})


def _moves_near(log: Path, first: datetime, last: datetime) -> pd.DataFrame:
    """Return the moves of a log that may be those of another from one time to another."""
    margin = timedelta(hours=HOURS, seconds=max(NO_ZONE) + 2)
    # What was the last antenna of a tag before that may be read long before.
    return _moves(log, first - margin - BEFORE, last + margin)


def _nearest(moves: pd.DataFrame, first: datetime, last: datetime) -> pd.DataFrame:
    """Return the moves from one time to another: of more than :data:`MOST`, the middlemost."""
    begins, ends = int(first.timestamp()), last.timestamp()
    own = moves[moves["second"].between(begins, ends)]
    far = (own["second"] - (begins + ends) / 2).abs().to_numpy()
    return own.iloc[np.sort(np.argsort(far, kind="stable")[:MOST])]


def _alike(
    moves: pd.DataFrame, theirs: pd.DataFrame, spans: Sequence[tuple[datetime, datetime]]
) -> Same | None:
    """Return what moves of a log are those of another of such spans.

    By the zone that is nearest; of logs that no zones explain, by as many seconds as stand out. Not
    what is fewer than half of those that could be, or would be found by chance. Clocks are rounded,
    and may differ by one second.
    """
    if min(len(moves), len(theirs)) < FEWEST:
        return None
    kinds, _ = pd.factorize(pd.concat([moves["what"], theirs["what"]]))
    most = int(kinds.max()) + 1
    seconds = moves["second"].to_numpy()
    near = seconds[:, None] + np.array([-1, 0, 1])
    own = near * most + kinds[: len(moves), None]
    others = np.sort(theirs["second"].to_numpy() * most + kinds[len(moves) :])
    for zone in (*ZONES, *_standing_out(seconds, kinds, theirs["second"].to_numpy())):
        found = _found(own + zone * most, others)
        if found < FEWEST:
            continue
        there = np.zeros(len(moves), dtype=bool)
        for begins, ends in spans:
            there |= (seconds + zone >= begins.timestamp() - 1) & (
                seconds + zone <= ends.timestamp() + 1
            )
        if found < there.sum() / 2:
            continue
        by_chance = max(_found(own + (zone + beside) * most, others) for beside in NO_ZONE)
        if by_chance <= MOST_BY_CHANCE * found:
            since = datetime.fromtimestamp(int(seconds.min()), UTC)
            return Same(found, len(moves), zone, since)
    return None


def _standing_out(
    seconds: NDArray[np.int64], kinds: NDArray[np.int64], others: NDArray[np.int64]
) -> list[int]:
    """Return the shift, seconds, at which far more moves are alike than at any other, if one is.

    Parameters
    ----------
    seconds, others
        When moves of one log and of another were.
    kinds
        What each is, of the one and then of the other.
    """
    most, own = HOURS * 3600, len(seconds)
    counts = np.zeros(2 * most + 1, dtype=np.int64)
    order = np.lexsort((others, kinds[own:]))
    sought = kinds[own:][order]
    for kind in np.unique(kinds[:own]):
        first, last = np.searchsorted(sought, kind), np.searchsorted(sought, kind, side="right")
        later = others[order[first:last]] - seconds[kinds[:own] == kind][:, None]
        later = later[np.abs(later) <= most]
        counts += np.bincount(later + most, minlength=len(counts))
    near = np.convolve(counts, np.ones(3, dtype=np.int64), "same")
    best = int(np.argmax(near))
    beside = near.copy()
    beside[max(best - 2, 0) : best + 3] = 0
    return [best - most] if beside.max() <= MOST_BY_CHANCE * near[best] else []


def _found(sought: NDArray[np.int64], among: NDArray[np.int64]) -> int:
    """Return of how many rows any number is among others, which are sorted: few among many."""
    places = np.searchsorted(among, sought).clip(max=len(among) - 1)
    return int((among[places] == sought).any(axis=1).sum())
