"""Where and when the animals of a cage are read, in stretches of minutes, from all of its logs.

A day at a time: the logs of a year do not fit into memory, and what is kept of each is small.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import union_categoricals

from murid import tables
from murid.animals import Worn
from murid.readings.tags import Sorted
from murid.readings.trace import SECOND

BIN = 600 * SECOND
"""Microseconds of a stretch: an animal that is awake goes about in it, and six are an hour."""
HOUR = 3600 * SECOND
PAUSES = 100
"""Pauses of a day that are kept: the longest, so that there are others to compare them with."""
VISITS = ["bin", "animal", "antenna", "first", "last", "reads"]

Ints = NDArray[np.int64]
Sort = Callable[[Mapping[str, int], tuple[datetime, datetime]], Sorted]
"""Sorts the tags that are read in a time by whose they are."""


@dataclass(frozen=True)
class OfLog:
    """What a log has of a day, of whichever cages it serves.

    Attributes
    ----------
    reads
        How many.
    tags
        Whose the tags are that are read.
    counts
        How often each tag is read.
    """

    reads: int
    tags: Sorted
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass
class Day:
    """A day of the logs of a cage.

    Attributes
    ----------
    name
        Its date, by the zone of the logs.
    begins, ends
        Microseconds since 1970 in UTC; the end is not included.
    tags
        Whose the tags are that are read.
    logs
        The same of each log by itself, so that whatever cage is looked at, it is the same.
    visits
        Columns ``bin`` (microseconds at which it begins), ``animal``, ``antenna``, ``first`` and
        ``last`` (microseconds), ``reads``: where each animal was read in each stretch.
    pauses
        (n, 2) microseconds, from and to when no animal was read: the longest, in no order.
    usual
        Microseconds within which all but a twentieth of its reads follow each other.
    """

    name: str
    begins: int
    ends: int
    tags: Sorted = field(default_factory=lambda: Sorted({}))
    logs: dict[Path, OfLog] = field(default_factory=dict)
    visits: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=VISITS))
    pauses: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    usual: float = 0.0


def days(spans: Sequence[tuple[datetime, datetime]], zone: str) -> list[Day]:
    """Return the days on which logs have reads, by a zone.

    Parameters
    ----------
    spans
        The first and the last read of each log, in UTC.
    zone
        IANA name.
    """
    clock = ZoneInfo(zone)
    dates = {
        day
        for first, last in spans
        for day in _dates(first.astimezone(clock).date(), last.astimezone(clock).date())
    }
    return [
        Day(str(day), _midnight(day, clock), _midnight(_after(day), clock)) for day in sorted(dates)
    ]


def day_of(moment: datetime, zone: str) -> str:
    """Return the date of a moment, by a zone."""
    return str(moment.astimezone(ZoneInfo(zone)).date())


def look(
    day: Day,
    logs: Sequence[Path],
    worn: Sequence[Worn] | None,
    sort: Sort,
    called: Mapping[str, str] | None = None,
) -> None:
    """Look through the reads of a day, and fill in what is found.

    Parameters
    ----------
    day
        The day.
    logs
        Tables ``readings`` that have reads of it.
    worn
        Who wears which tag in the cage; None: as tags are sorted.
    sort
        By whose they are.
    called
        How antennas are called of which some logs leave out a part of the name.
    """
    within = ("time", moment(day.begins), moment(day.ends))
    parts = {path: tables.read(path, "readings", within=within) for path in logs}
    when = moment(day.begins), moment(day.ends - 1)
    for path, part in parts.items():
        if len(part):
            counts = _counted(part)
            day.logs[path] = OfLog(len(part), sort(counts, when), counts)
    events = _joined([_renamed(part, called or {}) for part in parts.values() if len(part)])
    if events.empty:
        return
    day.tags = sort(_counted(events), when)
    times = events["time"].dt.tz_localize(None).to_numpy().astype("datetime64[us]").view(np.int64)
    names = [*day.tags.animals]
    owners = _owners(events["tag"], times, day.tags, worn)
    own = owners >= 0
    if not own.any():
        return
    gather(
        day,
        times[own],
        pd.Categorical.from_codes(owners[own], categories=names),
        pd.Categorical(events["antenna"][own]),
    )


def gather(day: Day, times: Ints, animals: pd.Categorical, antennas: pd.Categorical) -> None:
    """Fill in what reads of a day show.

    Parameters
    ----------
    day
        The day.
    times
        (n,) microseconds, sorted.
    animals, antennas
        (n,) which animal each is of, and which antenna it is by.
    """
    visits = pd.DataFrame(
        {"bin": times // BIN * BIN, "animal": animals, "antenna": antennas, "time": times}
    )
    grouped = visits.groupby(["bin", "animal", "antenna"], observed=True)["time"]
    found = grouped.agg(first="min", last="max", reads="size").reset_index()
    day.visits = found.astype({"animal": object, "antenna": object})
    moments = np.unique(times)
    gaps = np.diff(moments)
    day.usual = float(np.percentile(gaps, 95)) if len(gaps) else 0.0
    long = np.argsort(-gaps, kind="stable")[:PAUSES]
    day.pauses = np.stack([moments[long], moments[long + 1]], axis=1)


def joined(several: Sequence[Day]) -> pd.DataFrame:
    """Return the visits of several days, by time."""
    parts = [day.visits for day in several if len(day.visits)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=VISITS)


def _renamed(events: pd.DataFrame, called: Mapping[str, str]) -> pd.DataFrame:
    """Return reads whose antennas are called as in all logs."""
    names = events["antenna"].astype("category")
    return events.assign(antenna=names.map(lambda name: called.get(name, name)))


def _counted(events: pd.DataFrame) -> dict[str, int]:
    """Return how often each tag is read that is."""
    tags = events["tag"].astype("category").cat
    numbers = np.bincount(tags.codes, minlength=len(tags.categories))
    counts = zip(tags.categories, numbers, strict=True)
    return {str(tag): int(count) for tag, count in counts if count}


def _joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the reads of several logs by time; what stands in two counts once."""
    if not parts:
        return tables.empty("readings")
    joined = {
        name: union_categoricals([part[name].astype("category") for part in parts])
        for name in ("tag", "antenna")
    }
    times = pd.concat([part["time"] for part in parts], ignore_index=True)
    events = pd.DataFrame({"time": times, **joined})
    if len(parts) > 1:
        events = events.drop_duplicates(["time", "tag", "antenna"])
    return events.sort_values("time", kind="stable", ignore_index=True)


def _owners(tags: pd.Series, times: Ints, whose: Sorted, worn: Sequence[Worn] | None) -> Ints:
    """Return the place of the animal that each read is of, among those of the day; -1 = none."""
    names = [*whose.animals]
    owners = np.full(len(tags), -1, dtype=np.int64)
    codes = tags.cat.codes.to_numpy()
    rows = [Worn("", name, tag) for name, own in whose.animals.items() for tag in own]
    for each in rows if worn is None else worn:
        code = int(tags.cat.categories.get_indexer([each.tag])[0])
        if code < 0 or each.animal not in whose.animals:
            continue
        since, until = (moment.timestamp() * SECOND for moment in (each.since, each.until))
        owners[(codes == code) & (times >= since) & (times < until)] = names.index(each.animal)
    return owners


def _dates(first: date, last: date) -> Iterator[date]:
    while first <= last:
        yield first
        first = _after(first)


def _after(day: date) -> date:
    return day + timedelta(days=1)


def _midnight(day: date, clock: ZoneInfo) -> int:
    return round(datetime(day.year, day.month, day.day, tzinfo=clock).timestamp()) * SECOND


def moment(microseconds: int) -> datetime:
    """Return a moment in UTC, given in microseconds since 1970."""
    return datetime.fromtimestamp(microseconds // SECOND, UTC).replace(
        microsecond=microseconds % SECOND
    )
