"""Rows of ``health`` of the times in which no animal of a cage is read at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from murid.health import silences
from murid.health.rows import Look, Row
from murid.health.visits import BIN, HOUR
from murid.readings.segment import UNUSUAL
from murid.readings.trace import SECOND

MOST_PAUSES = 50
"""Pauses that are told: where more are long, that is usual."""
NIGHT = 6 * HOUR
"""Microseconds of a pause over midnight from which it may be that nothing is logged at night."""
EDGE, EDGE_SHARE = 5 * SECOND, 0.05
"""Microseconds, and share of a segment, that a pause may cut off it without a word: what a system
tells late, and what is not known of clocks, shift all reads by seconds."""

Span = tuple[int, int]
"""Microseconds since 1970 in UTC, from and to."""


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

    filmed: Sequence[Span]
    logged: Span | None

    def within(self, since: int, until: int) -> list[Span]:
        """Return the parts of a pause that were filmed, in turn; what overlaps is one."""
        parts: list[Span] = []
        for begins, ends in sorted(self.filmed):
            begins, ends = max(begins, since), min(ends, until)
            if ends <= begins:
                continue
            if parts and begins <= parts[-1][1] + EDGE:
                parts[-1] = parts[-1][0], max(parts[-1][1], ends)
            else:
                parts.append((begins, ends))
        return parts

    def hit(self, since: int, until: int) -> bool:
        """Tell whether a pause takes more of a segment than may miss without a word."""
        return any(
            begins < ends and min(ends, until) - max(begins, since) >= _much(ends - begins)
            for begins, ends in self.filmed
        )


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
        remark += _filmed(look, times, since, until) if found else ", when nothing was filmed"
        yield from look.on_days("missing_hours", "", since, until, remark=remark, finding=found)


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
            yield from look.on_days("missing_hours", "", *logged, remark=remark)
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
        yield from look.on_days("missing_hours", "", since, until, remark=remark)


def _filmed(look: Look, times: Times, since: int, until: int) -> str:
    """Say which part of a pause was filmed."""
    parts = times.within(since, until)
    if not parts:
        return ""
    hours = sum(ends - begins for begins, ends in parts) / HOUR
    unit = "minutes" if hours >= 1 else "seconds"
    lasting = f"{hours:.1f} h" if hours >= 1 else f"{60 * hours:.1f} min"
    of = "" if len(parts) == 1 else f" in {len(parts):,} stretches"
    first, last = look.clock(parts[0][0], unit), look.clock(parts[-1][1], unit)
    return f"; filmed then: {lasting}{of}, from {first} to {last}"
