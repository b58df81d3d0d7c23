"""Rows of ``health`` of the times in which no animal of a cage is read at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from murid.health import silences
from murid.health.rows import Look, Row
from murid.health.visits import BIN, HOUR
from murid.numbers import counted, lasting
from murid.readings.segment import UNUSUAL
from murid.readings.trace import SECOND

MOST_PAUSES = 50
"""Pauses that are told: where more are long, that is usual."""
NIGHT = 6 * HOUR
"""Microseconds of a pause over midnight from which it may be that nothing is logged at night."""
EDGE, EDGE_SHARE = 5 * SECOND, 0.05
"""Microseconds, and share of a segment, that a pause may cut off it without a word: what a system
tells late, and what is not known of clocks, shift all reads by seconds."""
UNKNOWN = "; when the cage was filmed is not known"

Span = tuple[int, int]
"""Microseconds since 1970 in UTC, from and to."""


class Filmed(NamedTuple):
    """When a segment was filmed, by the clock of its logs.

    Attributes
    ----------
    begins, ends
        Microseconds since 1970 in UTC; they are the same where nobody knows for how long.
    late
        Microseconds by which that clock is ahead of the one that the segment is known by.
    """

    begins: int
    ends: int
    late: int = 0

    @property
    def measured(self) -> bool:
        """Whether it is known for how long."""
        return self.ends > self.begins


@dataclass(frozen=True)
class Times:
    """When a cage was filmed, and from when to when its logs have reads, all by the logs' clocks.

    Attributes
    ----------
    filmed
        Its segments.
    logged
        From the first to the last read of its logs, of whichever cages; None: they have none.
    """

    filmed: Sequence[Filmed]
    logged: Span | None

    def within(self, since: int, until: int) -> list[Span]:
        """Return the parts of a pause that were filmed, in turn; what overlaps is one.

        They are by the clock that segments are known by, so that they can be found again.
        """
        cut = (
            (max(begins, since) - late, min(ends, until) - late)
            for begins, ends, late in self.filmed
        )
        parts: list[Span] = []
        for begins, ends in sorted(cut):
            if ends <= begins:
                continue
            if parts and begins <= parts[-1][1] + EDGE:
                parts[-1] = parts[-1][0], max(parts[-1][1], ends)
            else:
                parts.append((begins, ends))
        return parts

    def hours(self, since: int, until: int) -> float:
        """Return how many hours of a pause were filmed."""
        return sum(ends - begins for begins, ends in self.within(since, until)) / HOUR

    def hit(self, since: int, until: int) -> bool:
        """Tell whether a pause takes more of a segment than may miss without a word.

        It does so of one that begins in it and of which nobody knows for how long.
        """
        return any(
            min(each.ends, until) - max(each.begins, since) >= _much(each.ends - each.begins)
            if each.measured
            else since <= each.begins < until
            for each in self.filmed
        )

    def open(self, since: int, until: int) -> int:
        """Return how many segments, of which nobody knows for how long, may be filmed in a pause.

        They begin in it, or as the last before it.
        """
        before = max((each.begins for each in self.filmed if each.begins < since), default=since)
        return sum(before <= each.begins < until for each in self.filmed if not each.measured)


def _much(length: int) -> float:
    return min(length, max(EDGE, EDGE_SHARE * length))


def rows(look: Look, times: Times) -> Iterator[Row]:
    """Yield rows of pauses between reads, and of the times before the first and after the last.

    A pause is a finding where something was filmed in it. Before the first read of a cage and after
    its last, nothing is told of it unless something was.
    """
    yield from _between(look, times)
    if times.logged is not None:
        yield from _outside(look, times, times.logged)


def _between(look: Look, times: Times) -> Iterator[Row]:
    """Yield rows of pauses between reads.

    Where animals are read when they pass, all may sleep for an hour: a pause is told if it is
    :data:`murid.readings.segment.UNUSUAL` times what all but a twentieth of the pauses of that day
    take, and stands apart from all that are not told.
    """
    read = [day for day in look.days if len(day.visits)]
    within = [(day.usual, *pause) for day in read for pause in day.pauses]
    over = [
        (max(day.usual, after.usual), day.visits["last"].max(), after.visits["first"].min())
        for day, after in pairwise(read)
    ]
    pauses = np.array([*within, *over], dtype=np.float64).reshape(-1, 3)
    lengths = pauses[:, 2] - pauses[:, 1]
    told = (
        silences.apart(lengths, MOST_PAUSES) & (lengths >= BIN) & (lengths > UNUSUAL * pauses[:, 0])
    )
    nights = (np.arange(len(pauses)) >= len(within)) & (lengths >= NIGHT)
    if 2 * (told & nights).sum() > len(over):
        # Nothing is logged at night, as it seems: then that is no fault.
        told &= ~nights
    for since, until in pauses[told, 1:].astype(np.int64).tolist():
        found = times.hit(since, until)
        remark = f"no tag of {look.cage} is read from {look.clock(since)} to {look.clock(until)}"
        if found:
            remark += _filmed(look, times, since, until)
        else:
            known = times.filmed and not times.open(since, until)
            remark += ", when nothing was filmed" if known else UNKNOWN
        yield from _on_days(look, times, (since, until), remark, found)


def _outside(look: Look, times: Times, logged: Span) -> Iterator[Row]:
    """Yield rows of what was filmed before a cage's first read, or after its last."""
    read = [day for day in look.days if len(day.visits)]
    begins = min([logged[0], *(span[0] for span in times.filmed)])
    ends = max([logged[1], *(span[1] for span in times.filmed)])
    whose = "cages" if any(day.tags.elsewhere for day in look.days) else "tags"
    if not read:
        if times.hit(begins, ends):
            remark = (
                f"{look.cage} is never read; its logs have reads of other {whose} from "
                f"{look.clock(logged[0])} to {look.clock(logged[1])}"
                f"{_filmed(look, times, begins, ends)}"
            )
            yield from _on_days(look, times, (begins, ends), remark)
        return
    first = int(read[0].visits["first"].min())
    last = int(read[-1].visits["last"].max())
    for usual, since, until, never, log in (
        (read[0].usual, begins, first, f"before {look.clock(first, 'seconds')}",
         (logged[0], f"the log begins at {look.clock(logged[0])}")),
        (read[-1].usual, last, ends, f"after {look.clock(last, 'seconds')}",
         (logged[1], f"the log goes on until {look.clock(logged[1])}")),
    ):  # fmt: skip
        if until - since < max(BIN, UNUSUAL * usual) or not times.hit(since, until):
            continue
        goes_on = since <= log[0] <= until and log[0] not in (first, last)
        there = f"{log[1]} for other {whose}" if goes_on else "nor is any other tag"
        remark = f"{look.cage} is not read {never}, {there}{_filmed(look, times, since, until)}"
        yield from _on_days(look, times, (since, until), remark)


def _on_days(
    look: Look, times: Times, pause: Span, remark: str, finding: bool = True
) -> Iterator[Row]:
    """Yield a row for each day of a pause: how many hours of it were filmed, out of how many."""
    days = {day.name: day for day in look.days}
    for row in look.on_days("missing_hours", "", *pause, remark=remark, finding=finding):
        day = days[row["day"]]
        part = max(pause[0], day.begins), min(pause[1], day.ends)
        known = times.filmed and not times.open(*part)
        filmed = times.hours(*part) if known else np.nan
        yield row | {"value": filmed, "out_of": row["value"]}


def _filmed(look: Look, times: Times, since: int, until: int) -> str:
    """Say which part of a pause was filmed."""
    parts, unmeasured = times.within(since, until), times.open(since, until)
    more = ""
    if unmeasured:
        more = f"; how long {counted(unmeasured, 'segment')} then filmed is not known"
    if not parts:
        return more
    hours = times.hours(since, until)
    unit = "minutes" if hours >= 1 else "seconds"
    of = "" if len(parts) == 1 else f" in {len(parts):,} stretches"
    first, last = (
        look.clock(round(moment / SECOND) * SECOND, unit) for moment in (parts[0][0], parts[-1][1])
    )
    return f"; filmed then: {lasting(hours)}{of}, from {first} to {last} by the video's clock{more}"
