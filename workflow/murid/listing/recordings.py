"""The recordings of an archive: which cage each is of, what it is called, and when it was."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median_low
from zoneinfo import ZoneInfo

from murid.listing import clock
from murid.listing.findings import Findings
from murid.listing.patterns import Told
from murid.sheet import ALL, NAME, NAMED

UNNAMED = "recordings left out, since a cage, segment or rig cannot be called so"
NO_START = "recordings left out, since nobody can know when they start; tell it by --starts"
TWICE = "segments left out, since there are several recordings of each"
OVERLAPPING = "segments that overlap another one of the cage, listed all the same"
LONGEST = timedelta(days=1)
"""How long a recording lasts at most of which nothing tells."""
SLACK = timedelta(seconds=1)
"""By how much recordings may overlap by what headers and names tell, which is not exact."""


@dataclass(frozen=True)
class Recording:
    """What becomes a row of the sheet.

    Attributes
    ----------
    path
        Of the file that it was found by, relative to the archive.
    cage, segment
        Names.
    rig
        Name of the rig, empty if untold.
    shown
        Parts of the time at which it started, by the clock of the archive, and others that its name
        tells; as :class:`murid.listing.patterns.Told` has them.
    start
        The same in UTC; None if nothing tells it.
    lasts
        How long it lasts, if that is told.
    next_start
        When the next recording of the cage starts, if there is one, UTC.
    usual
        Time from one recording of the cage to the next, of most of them; None if it has one only.
    frames
        First and last frame of the part that it is of a video; the latter None: to its end. None:
        it is a whole one.
    """

    path: str
    cage: str
    segment: str
    rig: str
    shown: clock.Clock
    start: datetime | None
    lasts: timedelta | None = None
    next_start: datetime | None = None
    usual: timedelta | None = None
    frames: tuple[int, int | None] | None = None

    def latest_end(self, start: datetime) -> datetime:
        """Return when it ends at the latest, UTC, if it starts then."""
        latest = start + (self.lasts or LONGEST)
        return latest if self.lasts or self.next_start is None else min(latest, self.next_start)

    def likely_end(self, start: datetime) -> datetime:
        """Return when it ends as far as can be told, UTC: at once, if nothing tells."""
        likely = start + (self.lasts or self.usual or timedelta())
        return likely if self.lasts or self.next_start is None else min(likely, self.next_start)

    @property
    def label(self) -> str:
        """What it is called in messages."""
        return f"{self.cage} {self.segment}"


@dataclass(frozen=True)
class Clocks:
    """What tells when recordings start.

    Attributes
    ----------
    zone
        Of the clock that names of files are by.
    table
        Starts in UTC by path, which win.
    headers
        Start in UTC and length by path; starts are of use where ``by_header``.
    by_header
        Whether headers tell starts, in place of names.
    """

    zone: str
    table: Mapping[str, datetime]
    headers: Mapping[str, tuple[datetime | None, timedelta | None]]
    by_header: bool = False

    def start(self, path: str, told: clock.Clock) -> datetime | None:
        """Return when a recording starts, None if nothing tells.

        Raises
        ------
        ValueError
            If nobody can know, saying why.
        """
        if path in self.table:
            return self.table[path]
        if self.by_header:
            start, _ = self.headers.get(path, (None, None))
            if start is None:
                raise ValueError("no time in the header")
            return start
        if not told.keys() >= clock.STARTED:
            return None
        return clock.started(told, self.zone)

    def shown(self, start: datetime | None, told: clock.Clock) -> clock.Clock:
        """Return what a clock shows at a start, with what else is told."""
        if start is None or told.keys() >= clock.STARTED:
            return told
        by_clock = start.astimezone(ZoneInfo(self.zone))
        return {part: getattr(by_clock, part) for part in clock.PARTS} | dict(told)


def of_files(
    found: Iterable[tuple[str, Told]], clocks: Clocks, findings: Findings
) -> list[Recording]:
    """Return the recordings that files are, sorted by cage and start.

    Those whose names a sheet cannot hold are left out, as are those of whose start nobody can know,
    and several files of one segment; all of that is told.
    """
    recordings = []
    for path, told in found:
        try:
            recordings.append(_of_file(path, told, clocks))
        except _UnnamedError as error:
            findings.add(UNNAMED, path, str(error))
        except (ValueError, OverflowError) as error:
            findings.add(NO_START, path, str(error))
    of_name = defaultdict(list)
    for recording in recordings:
        of_name[recording.cage, recording.segment].append(recording)
    for several in of_name.values():
        if len(several) > 1:
            findings.add(TWICE, several[0].label, ", ".join(one.path for one in several))
    return sorted((one for one, *more in of_name.values() if not more), key=order)


class _UnnamedError(Exception):
    """A name that a sheet cannot hold."""


def _of_file(path: str, told: Told, clocks: Clocks) -> Recording:
    start = clocks.start(path, told.clock)
    names = dict(told.names)
    if "segment" not in names:
        if start is None:
            raise ValueError("no time of day in its name")
        names["segment"] = clock.name_of(start, clocks.zone)
    for field, name in names.items():
        if not NAME.fullmatch(name):
            raise _UnnamedError(f"the {field} {name!r}, expected {NAMED}")
    if names["cage"] == ALL:
        raise _UnnamedError(f"the cage {ALL}, as the report calls all cages together")
    _, lasts = clocks.headers.get(path, (None, None))
    shown = clocks.shown(start, told.clock)
    return Recording(
        path, names["cage"], names["segment"], names.get("rig", ""), shown, start, lasts
    )


def order(recording: Recording) -> tuple[str, float, str]:
    """Return what recordings are sorted by: cage, then start, then name."""
    start = recording.start.timestamp() if recording.start else 0.0
    return recording.cage, start, recording.segment


def in_turn(
    recordings: Iterable[Recording],
    listed: Iterable[Recording],
    lasts: timedelta | None,
    findings: Findings,
) -> list[Recording]:
    """Return recordings that know how long they last, and when the next one of the cage starts.

    Parameters
    ----------
    recordings
        Those to list.
    listed
        Those that the sheet lists already.
    lasts
        How long all last of which no header tells; None: until the next one.
    findings
        Gets those that start before another one of the cage has ended.
    """
    new = [replace(one, lasts=one.lasts or lasts) for one in recordings]
    old = [replace(one, lasts=lasts) for one in listed if one.start]
    of_cage = defaultdict(list)
    for one in (*new, *old):
        if one.start:
            of_cage[one.cage].append((one.start, one))
    paths = {one.path for one in new}
    following: dict[tuple[str, datetime | None], datetime] = {}
    usual: dict[str, timedelta] = {}
    for cage, timed in of_cage.items():
        timed.sort(key=lambda pair: pair[0])
        _tell_overlaps(timed, paths, findings)
        after = dict(pairwise(sorted({start for start, _ in timed})))
        following |= {(cage, start): next_start for start, next_start in after.items()}
        if after:
            usual[cage] = median_low(next_start - start for start, next_start in after.items())
    return [
        replace(
            one,
            next_start=following.get((one.cage, one.start)),
            usual=usual.get(one.cage),
        )
        for one in new
    ]


def _tell_overlaps(
    timed: Iterable[tuple[datetime, Recording]], new: Container[str], findings: Findings
) -> None:
    """Tell which of the recordings of a cage, in the order of their starts, overlap a new one."""
    longest: tuple[datetime, datetime, Recording] | None = None
    for start, one in timed:
        end = start + (one.lasts or timedelta())
        if longest:
            began, ends, other = longest
            if (start == began or start < ends - SLACK) and (one.path in new or other.path in new):
                why = f"starts before {other.segment} has ended"
                findings.add(OVERLAPPING, one.label, why)
        if longest is None or end > longest[1]:
            longest = (start, end, one)
