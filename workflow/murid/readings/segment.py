"""The reads of a segment's minutes, from the logs that serve it, made into its antenna trace.

A log that cannot be used is a reason of the segments that need its minutes, and of no others. What
was left out of one that can be is told once, with the health of the cage.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import animals, settings, tables
from murid.archive import positions
from murid.archive.columns import Judged
from murid.errors import InputError
from murid.grid import Antennas
from murid.readings import places, read_times, strays, tags, trace, unread
from murid.readings.lasting import LONGEST_VISIT
from murid.readings.trace import SECOND, Reads
from murid.tables import Verdict

log = logging.getLogger(__name__)

SILENCE, UNUSUAL = 60.0, 50
"""Seconds without a read of any tag that are told, if they also are so many times what all but a
twentieth of the pauses take: where all antennas are scanned, no cage is so still."""
SHOWN = 3
"""Logs that a message tells of, at most."""
YEAR = 365.25 * 86_400
HOLD = "hold"
NUMBERING = "numbering"
FILE = "file"
CAGES = "cages"
CLOCK = "clock"
"""What the table of a log is told, beside its reads: the system's usual hold and numbering, which
file it was, which cages it serves by the sheet, with commas, and what is wrong with its clock."""
UNREAD = "unread"
"""In the ``attrs`` of a trace with too few readings: since when its cage is not read, if it is."""


@dataclass(frozen=True)
class Wanted:
    """What is known of a segment whose reads are wanted.

    Attributes
    ----------
    cage
        Its cage.
    names
        Its animals, as far as the sheet names them.
    frames
        (frames,), when they were taken, microseconds since 1970 in UTC.
    worn
        Who wears which tag, of all cages; None: tags are names.
    antennas
        Table of the places of antennas; None: by their numbers.
    grid, settings
        The rig's antennas, and how reads become readings.
    """

    cage: str
    names: Sequence[str]
    frames: NDArray[np.int64]
    worn: Sequence[animals.Worn] | None
    antennas: Path | None
    grid: Antennas
    settings: "settings.Readings"

    @property
    def moments(self) -> tuple[datetime, datetime]:
        """When its first and its last frame were taken."""
        first, last = (read_times.moment(int(self.frames[place])) for place in (0, -1))
        return first, last

    @property
    def logged_moments(self) -> tuple[datetime, datetime]:
        """The same by the clock of the logs, as far as the settings tell how far it is off."""
        offset = round(self.settings.offset * SECOND)
        first, last = (read_times.moment(int(self.frames[place]) - offset) for place in (0, -1))
        return first, last


def read(logs: Sequence[Path], wanted: Wanted) -> Judged:
    """Return the trace of a segment, as :func:`murid.archive.positions.read` gives one.

    Parameters
    ----------
    logs
        Tables ``readings`` of the logs that serve it.
    wanted
        The segment.

    Returns
    -------
    The readings, and what is to be said of them: of logs that cannot be used, reads that were left
    out and why, tags that are not known, stretches without any read.

    Raises
    ------
    InputError
        If no log can be used, or none has a read of these minutes, or it is not known where its
        antennas are.
    """
    holds = _about(logs, HOLD)
    hold = wanted.settings.hold or max(map(float, holds), default=1.0)
    events, verdict = _events(logs, wanted, hold)
    numbers = _numbers(logs, wanted)
    events, misplaced = _placed(events, numbers, wanted)
    verdict |= misplaced
    sorted_, owners = _whose(events, wanted)
    verdict |= tags.judge(sorted_, owners, lambda worn: unread.last_read(logs, worn, wanted))
    verdict |= _strays(events, logs, wanted)
    if not sorted_.animals:
        raise InputError(
            called(logs), f"no tag of an animal of cage {wanted.cage}", "reads of its animals",
            remedy="See to the table of animals, and to its columns from and to.",
        )  # fmt: skip
    verdict |= _silences(events, wanted)
    columns, dropped = [], 0
    for own in _by_animal(events, owners, len(sorted_.animals)):
        wrong = trace.impossible(own, wanted.grid)
        dropped += int(wrong.sum())
        columns.append(trace.at(wanted.frames, own.only(~wrong), hold))
    if dropped:
        verdict |= Verdict(
            "repaired",
            f"{dropped:,} reads left out, of antennas more than {trace.FAR} from where the animal "
            "was within a second before and after",
        )
    antennas = np.stack(columns, axis=1)
    cause = ""
    if (antennas == 0).mean() > wanted.settings.max_unread:
        cause = unread.since(logs, sorted_, wanted)
        verdict |= Verdict() if cause else unread.seldom(antennas, events, owners, sorted_)
    readings = positions.as_rows(
        np.arange(len(wanted.frames)), [*sorted_.animals],
        np.where(antennas == 0, np.nan, antennas), np.zeros(antennas.shape, dtype=bool),
    )  # fmt: skip
    readings.attrs |= {"file": called(logs), UNREAD: cause}
    return Judged(readings, verdict)


def _by_animal(events: pd.DataFrame, owners: NDArray[np.int64], animals: int) -> Iterator[Reads]:
    """Yield the reads of each animal, given whose each is."""
    reads = Reads(
        read_times.microseconds(events), events["number"].to_numpy(), read_times.lasting(events)
    )
    for place in range(animals):
        yield reads.only(owners == place)


def _events(logs: Sequence[Path], wanted: Wanted, hold: float) -> Judged:
    """Return the reads of a segment's minutes by time, on the clock of its video."""
    offset = round(wanted.settings.offset * SECOND)
    first = int(wanted.frames[0]) - round(hold * SECOND) - offset
    end = int(wanted.frames[-1]) + 1 - offset
    verdict, parts, spans = Verdict(), [], []
    for path in logs:
        of_log = tables.read_verdict(path)
        if of_log.discarded:
            verdict |= Verdict("repaired", of_log.reason)
            continue
        earlier = first - round(LONGEST_VISIT * SECOND)
        part = tables.read(
            path, "readings", within=("time", read_times.moment(earlier), read_times.moment(end))
        )
        part = part[read_times.microseconds(part) + read_times.lasting(part) >= first]
        if len(part):
            parts.append(part.assign(log=logs.index(path)))
        spans += [(called([path]), *ends) for ends in span(path)]
    if not parts:
        cut = sum(_cut(path, first, end) for path in logs)
        raise _no_reads(logs, wanted, verdict, spans, cut)
    events = pd.concat(parts, ignore_index=True).sort_values("time", kind="stable")
    twice = events.duplicated(["time", "tag", "antenna"]).to_numpy()
    if twice.any() and len(parts) > 1:
        log.info("%s: %d reads stand in two logs, and count once", wanted.cage, twice.sum())
    events = events[~twice].reset_index(drop=True)
    events["time"] += pd.Timedelta(offset, "us")
    return Judged(events, verdict)


def _cut(path: Path, first: int, end: int) -> int:
    """Count the reads of a log that would hold into a segment if they were not cut."""
    if tables.read_verdict(path).discarded:
        return 0
    before = tables.read(
        path, "readings", within=("time", read_times.moment(0), read_times.moment(end))
    )
    lasted = before["duration"].fillna(0).to_numpy(dtype=np.float64) * SECOND
    return int((read_times.microseconds(before) + lasted >= first).sum())


def _no_reads(
    logs: Sequence[Path],
    wanted: Wanted,
    verdict: Verdict,
    spans: Sequence[tuple[str, datetime, datetime]],
    cut: int,
) -> InputError:
    """Say what was found, what was expected, and what to do, where no log has a read of it."""
    first, last = wanted.moments
    minutes = f"{read_times.written(first)} to {read_times.written(last)} UTC"
    expected = f"some from {minutes}, when the segment was filmed"
    if not spans:
        found = f"no log that can be used ({verdict.reason or 'none has any read'})"
        return InputError(called(logs), found, expected)
    listed = [
        f"{read_times.written(begins)} to {read_times.written(ends)} UTC"
        + f" ({name})" * (len(spans) > 1)
        for name, begins, ends in spans[:SHOWN]
    ]
    more = f" and of {len(spans) - SHOWN} more logs" if len(spans) > SHOWN else ""
    found = f"reads from {', '.join(listed)}{more} only"
    if cut:
        found += (
            f", of which {cut:,} would last into it, but visits are taken to hold "
            f"{LONGEST_VISIT / 60:.0f} minutes at most"
        )
    lost = [f"{called([path])}: {told}" for path in logs for told in _about([path], CLOCK)]
    lost += [verdict.reason] if verdict.reason else []
    if lost:
        remedy = f"What of these minutes there was may be lost: {'; '.join(lost)}."
        return InputError(called(logs), found, expected, remedy=remedy)
    begins, ends = min(each[1] for each in spans), max(each[2] for each in spans)
    return InputError(called(logs), found, expected, remedy=_shift(logs, wanted, begins, ends))


def _hours(
    logs: Sequence[Path], shifts: Sequence[float], first: datetime, last: datetime
) -> list[int]:
    """Return the hours, of those within shifts, at which logs do have reads of some minutes."""
    within = [hour for hour in range(-14, 15) if hour and shifts[0] <= hour * 3600 <= shifts[1]]
    found = []
    for hour in within:
        span = (moment - timedelta(hours=hour) for moment in (first, last))
        limits = ("time", next(span), next(span))
        if any(len(tables.read(path, "readings", within=limits)) for path in logs):
            found.append(hour)
    return found


def _shift(logs: Sequence[Path], wanted: Wanted, begins: datetime, ends: datetime) -> str:
    """Say what to set so that reads from one time to another would be of a segment's minutes."""
    first, last = wanted.logged_moments
    shifts = sorted([(first - begins).total_seconds(), (last - ends).total_seconds()])
    if last - first <= ends - begins and (hours := _hours(logs, shifts, first, last)):
        nearest = min(hours, key=abs)
        return f"{nearest:+d} h would fit: see to readings.zone, or to readings.offset."
    remedy = "Name the log of these minutes in the column readings, or mend the column start."
    far = max(shifts, key=abs)
    if abs(far) > YEAR / 2:
        low, high = (wanted.settings.offset + shift for shift in shifts)
        remedy += (
            f" If it is the log's clock that was wrong, by {far / YEAR:+.1f} years, set "
            f"readings.offset: {low:.0f} to {high:.0f} would fit."
        )
    return remedy


def _numbers(logs: Sequence[Path], wanted: Wanted) -> Mapping[str, int]:
    """Return the rig's number of each antenna, by what the logs call it."""
    if wanted.antennas:
        numbers = places.read(wanted.antennas, wanted.grid, wanted.cage)
        return places.alone(numbers) | numbers
    given = wanted.settings.numbering
    numbering = [given] if given else [*dict.fromkeys(filter(None, _about(logs, NUMBERING)))]
    if len(numbering) != 1:
        found = f"antennas numbered by {' and '.join(numbering)}" if numbering else (
            "a system whose antennas are in no grid that is known"
        )  # fmt: skip
        raise InputError(
            called(logs), found, "places of antennas",
            remedy="Name a table of them in the settings (antennas), or set readings.numbering.",
        )  # fmt: skip
    return places.numbered(numbering[0], wanted.grid)


def _placed(events: pd.DataFrame, numbers: Mapping[str, int], wanted: Wanted) -> Judged:
    """Give each read the rig's number of its antenna; leave out those of antennas without one.

    That animals of other cages are read by antennas of these is not told.
    """
    placed = places.of(events["antenna"], numbers)
    unknown = (placed == 0).to_numpy()
    verdict = Verdict()
    there = [each for each in wanted.worn or () if each.within(*wanted.moments)]
    others = {each.tag for each in there} - {each.tag for each in there if each.cage == wanted.cage}
    told = unknown & ~events["tag"].isin(others).to_numpy()
    if told.any():
        counts = events["antenna"][told].astype(str).value_counts()
        named = ", ".join(f"{name} ({count:,})" for name, count in counts.iloc[:5].items())
        more = f" and {len(counts) - 5} more" if len(counts) > 5 else ""
        verdict = Verdict(
            "repaired",
            f"{told.sum():,} reads left out of antennas that have no place on the rig: "
            f"{named}{more}",
        )
    return Judged(events[~unknown].assign(number=placed[~unknown]), verdict)


def _whose(events: pd.DataFrame, wanted: Wanted) -> tuple[tags.Sorted, NDArray[np.int64]]:
    """Return the animals and other tags of a segment, and whose each read is."""
    share, read = wanted.settings.ghost_share, events["tag"].astype("category")
    if wanted.worn is not None:
        times = read_times.microseconds(events)
        return tags.of_reads(read, times, wanted.worn, wanted.cage, wanted.moments, share)
    counts = {str(tag): int(count) for tag, count in read.value_counts().items() if count}
    found = tags.by_reads(counts, wanted.names, share)
    return found, tags.animal_of(read, found.animals)


def _strays(events: pd.DataFrame, logs: Sequence[Path], wanted: Wanted) -> Verdict:
    """Judge the tags of cages that a log does not serve, log by log."""
    verdict = Verdict()
    for place, of_log in events.groupby("log"):
        path, worn = logs[int(place)], wanted.worn or ()
        cages, counts = served(path), of_log["tag"].astype("str").value_counts().to_dict()
        share = wanted.settings.ghost_share
        found = strays.find(counts, worn, cages, wanted.moments, share)
        verdict |= strays.judge(found, called([path]), cages)
    return verdict


def _silences(events: pd.DataFrame, wanted: Wanted) -> Verdict:
    """Tell of the stretches of a segment in which no tag at all is read."""
    times = read_times.microseconds(events)
    edges = np.unique(np.r_[wanted.frames[0], times.clip(wanted.frames[0]), wanted.frames[-1]])
    pauses = np.diff(edges)
    usual = float(np.percentile(pauses, 95)) if len(pauses) >= 20 else 0.0
    long = np.flatnonzero(pauses > max(SILENCE * SECOND, UNUSUAL * usual))
    if not len(long):
        return Verdict()
    spans = [f"{_clock(edges[place])} to {_clock(edges[place + 1])}" for place in long[:5]]
    more = f" and {len(long) - 5} more times" if len(long) > 5 else ""
    return Verdict("repaired", f"no tag at all was read from {', '.join(spans)} UTC{more}")


def _about(logs: Sequence[Path], key: str) -> list[str]:
    """Return what the tables of logs were told, of those that were."""
    return [about[key] for about in map(tables.read_about, logs) if about.get(key)]


def called(logs: Sequence[Path]) -> str:
    """Return what the logs are called in messages."""
    return ", ".join(_about(logs, FILE)) or "the antenna logs"


def served(path: Path) -> list[str]:
    """Return the cages that a log serves by the sheet; none if that is not known."""
    return [cage for cage in tables.read_about(path).get(CAGES, "").split(",") if cage]


def span(path: Path) -> list[tuple[datetime, datetime]]:
    """Return from when to when a log has reads, if it has any."""
    about = tables.read_about(path)
    if "first" not in about:
        return []
    return [(datetime.fromisoformat(about["first"]), datetime.fromisoformat(about["last"]))]


def _clock(microseconds: int) -> str:
    return read_times.moment(int(microseconds)).strftime("%H:%M:%S")
