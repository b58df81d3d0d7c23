"""Logs of a cage that were written twice, by two clocks: told wherever they are from.

A segment may name the log that is wrong alone, so that nothing contradicts it there. But where a
log is wrong, it and the one that is right are of the same time.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from murid.health.rows import Look, Row
from murid.health.visits import day_of
from murid.readings import contradictions
from murid.readings.segment import called

LEAST = timedelta(minutes=10)
"""Time that two logs must both be of to be suspected: files of an hour may overlap a little."""
LONGEST = timedelta(hours=6)
"""Time of a suspected log that is looked for in others."""
MOST = 20
"""Suspected logs that are looked at: where all logs of a cage are of the same time, as those of
several readers may be, some tell as much as all."""

Spans = Mapping[Path, tuple[datetime, datetime]]


def rows(look: Look, spans: Spans) -> Iterator[Row]:
    """Yield the logs of a cage that have, at other times, what another has; of two, the first.

    Parameters
    ----------
    look
        The cage.
    spans
        From when to when each of its logs has reads.
    """
    told = set[frozenset[Path]]()
    for one in _suspected(spans)[:MOST]:
        first = spans[one][0]
        last = min(spans[one][1], first + LONGEST)
        for other in _near(spans, one, last):
            if frozenset((one, other)) in told:
                continue
            if (both := contradictions.same(one, other, first, last)) is None:
                continue
            told.add(frozenset((one, other)))
            name = called([one])
            yield look.row(
                "log", name, log=name, day=day_of(first, look.zone),
                since=round(first.timestamp() * 1e6), until=round(last.timestamp() * 1e6),
                remark=f"{both.shared:,} of {both.moves:,} moves of tags are in {called([other])}, "
                f"too, {both.apart} from there: one of the two was written by {both.clock}. Name "
                "only the one that is right in the sheet",
            )  # fmt: skip


def _suspected(spans: Spans) -> list[Path]:
    """Return the logs that are of a time of which another is, too, the first first.

    Each is held against the one, of those that begin before, that ends last.
    """
    found = set[Path]()
    longest: Path | None = None
    for path in sorted(spans, key=lambda path: (spans[path], path)):
        begins, ends = spans[path]
        if longest is not None and min(ends, spans[longest][1]) - begins >= LEAST:
            found |= {longest, path}
        if longest is None or ends > spans[longest][1]:
            longest = path
    return sorted(found, key=lambda path: (spans[path], path))


def _near(spans: Spans, one: Path, last: datetime) -> Iterator[Path]:
    """Yield the other logs that may have, at other times, what one has until ``last``."""
    reach = timedelta(hours=contradictions.HOURS)
    for other, (begins, ends) in spans.items():
        if other != one and begins - reach <= last and spans[one][0] <= ends + reach:
            yield other
