"""One cage: what its logs, clocks and segments tell of its antennas, joined."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from murid import animals, schemas, settings, start_times, tables
from murid.errors import InputError, PartialError
from murid.grid import antennas_of
from murid.health import clocks, copies, logs, pauses, rows, sound, visits
from murid.health.rows import Look, Row
from murid.health.visits import HOUR, Day
from murid.readings import places, tags
from murid.readings.segment import NUMBERING
from murid.readings.trace import SECOND
from murid.tables import Verdict
from murid.timeline import FRAMES

if TYPE_CHECKING:
    from murid.health.stage import Member, TellHealth

DROPPED = 0.01
"""Share of the frames of a segment that may miss without a word: a camera's rate is not exact."""


def tell(stage: "TellHealth") -> str:
    """Write the tables ``reads`` and ``health`` of a cage; return what is found, in words.

    Raises
    ------
    PartialError
        If positions of a segment could not be read; all else is written.
    InputError
        If the table of animals or that of antennas cannot be read, or a table is none.
    """
    cage = stage.segments[0].cage if stage.segments else ""
    zone = stage.of_logs.zone
    of_clocks = [tables.read(path, "clocks") for path in stage.clocks]
    timed = _timed(of_clocks, cage)
    members = [_Segment(member, timed, stage.of_logs) for member in stage.segments]
    lost = [member.lost for member in members if member.lost]
    spans = _spans(stage.readings)
    look = Look(cage, zone, visits.days([*spans.values()], zone))
    worn = animals.read(stage.tags, zone).worn if stage.tags else None
    own = None if worn is None else [each for each in worn if each.cage == cage]
    names = sorted({name for member in members for name in member.names})
    _look(stage, look, worn, own, names)
    known = _known(stage, cage)
    found = [
        *logs.rows(look, stage.readings, spans, worn or (), stage.of_logs.ghost_share),
        *copies.rows(look, spans),
        *rows.of_antennas(look, known),
        *rows.of_tags(look, own or ()),
        *pauses.rows(look, _times(members, spans)),
        *(look.row("frames_missing", **member.missing) for member in members if member.missing),
        *clocks.rows(look, of_clocks),
        *rows.of_unread(look, _frames(members)),
        *sound.rows(look, known),
    ]
    table = _sorted(pd.DataFrame(found, columns=schemas.CONTRACTS["health"].schema.names))
    tables.write(_hours(look), stage.output_reads, "reads")
    tables.write(table, stage.output_health, "health")
    if lost:
        raise PartialError("; ".join(lost))
    findings = table[table["finding"].astype(bool)]
    counts = findings.drop_duplicates(["kind", "subject", "log", "since"])["kind"].value_counts()
    listed = ", ".join(f"{count} {kind}" for kind, count in counts.sort_index().items())
    return f"{cage}: {listed or 'nothing out of the ordinary'}"


class _Timed(NamedTuple):
    """When a segment begins, if that is known, its seconds, and those that readings run late."""

    begins: datetime | None
    seconds: float
    late: float


class _Segment:
    """What there is to know of a segment: its day, its frames, and those that are missing.

    ``filmed`` is from when to when, by the clock of its logs; None if not known.
    """

    def __init__(
        self, member: "Member", timed: Mapping[str, "_Timed"], of_logs: settings.Readings
    ) -> None:
        zone = of_logs.zone
        self.frames = pd.DataFrame({"animal": [], "frames": [], "unread": []})
        self.names: list[str] = []
        self.lost = ""
        count = 0
        try:
            verdict = tables.read_verdict(member.positions)
            count = int(tables.read_about(member.positions).get(FRAMES, 0))
            if not verdict.discarded:
                self._read(tables.read(member.positions, "positions"))
        except InputError as error:
            verdict = Verdict("failed", f"tell-health failed: {' '.join(str(error).split())}")
            self.lost = verdict.reason
        clock = timed.get(member.segment, _Timed(None, 0.0, 0.0))
        known = clock.begins is not None
        begins = clock.begins or start_times.known(member.start, zone)
        self.day = visits.day_of(begins, zone) if begins is not None else ""
        self.filmed: pauses.Filmed | None = None
        if begins is not None:
            seconds = clock.seconds if known else count / member.fps
            late = clock.late - of_logs.offset
            first = begins.timestamp() + late
            self.filmed = pauses.Filmed(
                round(first * SECOND), round((first + seconds) * SECOND), round(late * SECOND)
            )
        self.missing: Row = {}
        expected = float(count or np.nan)
        value, remark = (expected, verdict.reason) if verdict.discarded else (0.0, "")
        if known and not verdict.discarded:
            expected = round(clock.seconds * member.fps + 1)
            value, remark = _dropped(expected, count)
        if remark:
            self.missing = {
                "subject": member.segment, "day": self.day, "value": value, "out_of": expected,
                "remark": remark,
            }  # fmt: skip

    def _read(self, positions: pd.DataFrame) -> None:
        unread = positions["antenna"].isna()
        grouped = unread.groupby(positions["animal"])
        self.frames = pd.DataFrame({"frames": grouped.size(), "unread": grouped.sum()})
        self.frames = self.frames.rename_axis("animal").reset_index()
        self.names = [*self.frames["animal"]]


def _dropped(expected: float, count: int) -> tuple[float, str]:
    """Return how many of a segment's frames were not taken, and that in words; "" if few."""
    missing = expected - count
    if missing <= DROPPED * expected:
        return 0.0, ""
    share = missing / expected
    return missing, f"{missing:,} of its frames ({share:.1%}) were not taken, by their times"


def _look(
    stage: "TellHealth",
    look: Look,
    worn: Sequence[animals.Worn] | None,
    own: Sequence[animals.Worn] | None,
    names: Sequence[str],
) -> None:
    """Look through the days of a cage's logs, each by the logs that have reads of it."""
    share = stage.of_logs.ghost_share

    def sort(counts: Mapping[str, int], when: tuple[datetime, datetime]) -> tags.Sorted:
        if worn is None:
            return tags.by_reads(counts, names, share)
        return tags.by_table(counts, worn, look.cage, when, share)

    spans = _spans(stage.readings)
    called: Mapping[str, str] = {}
    if stage.antennas:
        # A log in which one matrix is read alone calls its antennas without it, others do not.
        grid = antennas_of(stage.grid.layout)
        called = places.called(places.read(stage.antennas, grid, look.cage))
    for day in look.days:
        there = [
            path
            for path, (first, last) in spans.items()
            if first.timestamp() * 1e6 < day.ends and last.timestamp() * 1e6 >= day.begins
        ]
        visits.look(day, there, own, sort, called)


def _spans(logs: Sequence[Path]) -> dict[Path, tuple[datetime, datetime]]:
    """Return from when to when logs have reads, of those that have some."""
    spans = {}
    for path in logs:
        about = tables.read_about(path)
        if "first" in about and not tables.read_verdict(path).discarded:
            ends = (datetime.fromisoformat(about[name]) for name in ("first", "last"))
            spans[path] = next(ends), next(ends)
    return spans


def _times(
    members: Sequence["_Segment"], spans: Mapping[Path, tuple[datetime, datetime]]
) -> pauses.Times:
    """Return when a cage was filmed, and from when to when its logs have reads."""
    ends = [round(moment.timestamp() * SECOND) for span in spans.values() for moment in span]
    filmed = [member.filmed for member in members if member.filmed]
    return pauses.Times(filmed, (min(ends), max(ends)) if ends else None)


def _timed(clocks: Sequence[pd.DataFrame], cage: str) -> dict[str, _Timed]:
    """Return what clocks tell of the segments of a cage.

    By how much the readings of one run late of which that is not known, most others of its day
    tell, or it is nothing.
    """
    timed = {}
    for clock in clocks:
        late = clock["used"].fillna(clock["used"].median()).fillna(0.0)
        for row in clock.assign(late=late)[clock["cage"] == cage].itertuples():
            begins = None if pd.isna(row.begins) else row.begins.to_pydatetime()
            timed[str(row.segment)] = _Timed(begins, float(row.seconds), float(row.late))
    return timed


def _known(stage: "TellHealth", cage: str) -> list[str]:
    """Return the antennas that there are, as logs name them; none if that is not known."""
    grid = antennas_of(stage.grid.layout)
    if stage.antennas:
        return [*places.read(stage.antennas, grid, cage)]
    told = [tables.read_about(path).get(NUMBERING, "") for path in stage.readings]
    numberings = {stage.of_logs.numbering or name for name in told} - {""}
    if len(numberings) != 1:
        return []
    return [*places.numbered(numberings.pop(), grid)]


def _frames(members: Sequence[_Segment]) -> dict[str, pd.DataFrame]:
    by_day: dict[str, list[pd.DataFrame]] = {}
    for member in members:
        if len(member.frames):
            by_day.setdefault(member.day, []).append(member.frames)
    return {day: pd.concat(parts, ignore_index=True) for day, parts in by_day.items()}


def _hours(look: Look) -> pd.DataFrame:
    """Return the table ``reads``."""
    several: Sequence[Day] = look.days
    table = visits.joined(several)
    if table.empty:
        return tables.empty("reads")
    hours = pd.to_datetime(table["bin"].astype("int64") // HOUR * HOUR, unit="us", utc=True)
    sums = table.assign(hour=hours).groupby(["hour", "antenna"], as_index=False)["reads"].sum()
    return sums.rename(columns={"reads": "count"}).assign(cage=look.cage)


def _sorted(table: pd.DataFrame) -> pd.DataFrame:
    kinds = table["kind"].map(schemas.HEALTH.index)
    table = table.assign(order=kinds).sort_values(
        ["day", "order", "subject", "log", "since"], kind="stable", ignore_index=True
    )
    for name in ("since", "until"):
        table[name] = pd.to_datetime(table[name], utc=True).astype("datetime64[us, UTC]")
    return tables.conform(table.astype({"value": "float64", "finding": "bool"}), "health")
