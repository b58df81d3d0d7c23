"""Which antenna logs a recording needs: those of its time, and one more on either side.

Too many do no harm, since a segment takes the readings of its own minutes; one too few does. The
one before and the one after are there for clocks that are off, and names that tell when a log was
closed.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from murid.listing import clock
from murid.listing.findings import Findings
from murid.listing.patterns import NAMES, Pattern, Told
from murid.listing.recordings import LONGEST, SLACK, Recording

NO_DATE = "antenna logs of a date that there is not"
NO_LOG = "segments left out, since no antenna log covers any of their time"
TO_COME = (
    "segments left out, since their antenna logs end before they do: --update lists them once the "
    "next log is there, a longer --log-length now"
)
FIRST, LAST = (time.replace(tzinfo=UTC) for time in (datetime.min, datetime.max))
_Span = tuple[datetime, datetime | None, str]
"""When a log begins and ends, UTC, and its path."""


class Logs:
    """The antenna logs of one pattern.

    Parameters
    ----------
    pattern
        Of their paths.
    found
        Their paths, and what they tell.
    lasts
        How long each lasts by its clock; None: what the finest part of the time that names tell
        says, and until the next one begins where that is finer than an hour. A log whose name tells
        no time covers all.
    zone
        Of the clock.
    findings
        Gets those that tell no date.
    """

    def __init__(
        self,
        pattern: Pattern,
        found: Iterable[tuple[str, Told]],
        lasts: timedelta | None,
        zone: str,
        findings: Findings,
    ) -> None:
        self.fields = [name for name in NAMES if name in pattern.names]
        self.zone = zone
        lasts = lasts or clock.lasting(pattern.parts)
        spans = defaultdict(list)
        for path, told in found:
            span: _Span = FIRST, LAST, path
            if pattern.parts:
                try:
                    span = (*clock.bounds(told.clock, lasts, zone), path)
                except (ValueError, OverflowError) as error:
                    findings.add(NO_DATE, path, str(error))
                    continue
            spans[tuple(told.names[name] for name in self.fields)].append(span)
        self.lines = {key: _Line(of_key) for key, of_key in spans.items()}

    def of(self, recording: Recording) -> tuple[tuple[str, ...], str]:
        """Return the paths of the logs that a recording needs, and what is wrong with them.

        Returns
        -------
        No paths and :data:`NO_LOG` or :data:`TO_COME`, or some and an empty text.
        """
        line = self.lines.get(tuple(getattr(recording, name) for name in self.fields))
        return line.of(*self._time(recording)) if line else ((), NO_LOG)

    def _time(self, recording: Recording) -> tuple[datetime, datetime, datetime]:
        """Return when a recording starts, ends at the latest, and is likely to end, UTC."""
        if start := recording.start:
            return start, recording.latest_end(start), recording.likely_end(start)
        if recording.shown.keys() >= clock.DATE:
            # Of the day, or the hour, in which it starts.
            lasts = clock.lasting(recording.shown.keys())
            begin, end = clock.bounds(recording.shown, lasts, self.zone)
            return begin, (end or begin) + LONGEST, begin
        return FIRST, LAST, FIRST


class _Line:
    """Logs of one cage, in the order of time."""

    def __init__(self, spans: Sequence[_Span]) -> None:
        of_start = defaultdict(list)
        for begin, end, path in spans:
            of_start[begin].append((end, path))
        self.starts = sorted(of_start)
        self.paths = [sorted(path for _, path in of_start[start]) for start in self.starts]
        following = dict(pairwise(self.starts))
        # Until when some log that has begun by then goes on.
        self.reach: list[datetime] = []
        for start in self.starts:
            ends = [end or following.get(start, LAST) for end, _ in of_start[start]]
            self.reach.append(max(ends + self.reach[-1:]))
        self._chosen: dict[tuple[int, int], tuple[str, ...]] = {}

    def of(self, begin: datetime, end: datetime, likely: datetime) -> tuple[tuple[str, ...], str]:
        first = bisect_right(self.reach, begin)
        last = bisect_left(self.starts, end) - 1
        ended = self.reach[-1]
        if begin >= ended or likely > ended + min(SLACK, LAST - ended):
            return (), TO_COME
        if first > last:
            return (), NO_LOG
        return self._between(first, last), ""

    def _between(self, first: int, last: int) -> tuple[str, ...]:
        """Return the paths of logs, and those of one more on either side; one tuple for all."""
        if (first, last) not in self._chosen:
            within = self.paths[max(first - 1, 0) : last + 2]
            self._chosen[first, last] = tuple(path for paths in within for path in paths)
        return self._chosen[first, last]


def paths_of(logs: Iterable[Logs], recording: Recording) -> tuple[tuple[str, ...], str]:
    """Return the paths of the logs of several patterns, and what is wrong with them.

    Where one pattern has logs that go on, and another ends, that one is waited for.
    """
    found = [of.of(recording) for of in logs]
    faults = {fault for _, fault in found}
    paths = tuple(dict.fromkeys(path for paths, _ in found for path in paths))
    if TO_COME in faults:
        return paths, TO_COME
    return paths, "" if "" in faults else NO_LOG
