"""From a lab's folder to a sample sheet."""

import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from murid import sheet, start_times, via
from murid.errors import InputError
from murid.files import read_bytes
from murid.listing import assigned, cut, extend, following, options, recordings, rows, tables, used
from murid.listing.beside import Beside
from murid.listing.findings import Findings
from murid.listing.logs import Logs
from murid.listing.options import Patterns
from murid.listing.recordings import Clocks, Recording
from murid.listing.sorting import LOG, Found, sort_files, tell_unmatched
from murid.listing.walk import files_below
from murid.numbers import counted
from murid.sheet import Segment

if TYPE_CHECKING:
    from murid.listing.stage import ListSegments

COMMENTED = "recordings left out, since the sheet names them in a comment"
TAKEN = "recordings left out, since the sheet has another one of a segment called so"
UNKNOWN = "files of --starts that no pattern found, or that the sheet lists already"
TO_THE_MINUTE = "recordings taken to start at the full minute, since their names tell no seconds"
NO_ZONE = "UTC"
"""Where no clock is of a zone, or all times tell their offset."""


@dataclass(frozen=True)
class _Listed:
    """The sheet as it is, of which nothing is changed."""

    data: bytes = b""
    segments: Mapping[tuple[str, str], Segment] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    """All that it names, relative to the archive."""
    commented: frozenset[str] = frozenset()
    """All that its comments name."""


def list_segments(stage: "ListSegments", findings: Findings) -> str:
    """Write or extend the sheet of an archive; return in a sentence what was done.

    Parameters
    ----------
    stage
        What is to be done.
    findings
        Gets what was passed over or left out, and what is doubtful.

    Raises
    ------
    InputError
        If options contradict each other, the archive cannot be read, there is a sheet that is not
        to be extended or is none, or no segment is found; or as
        :func:`murid.listing.extend.add_rows` and :func:`murid.listing.starts.of_table`.
    """
    output = stage.output or stage.archive / "segments.tsv"
    patterns = options.check(stage, output)
    listed = _listed(output, stage.archive)
    own = {
        _below(stage.archive, str(path.absolute()))
        for path in (output, stage.report, stage.starts)
        if path
    }
    paths = [path for path in files_below(stage.archive, findings) if path not in own]
    found, unmatched = sort_files(stage.archive, paths, patterns.by_key, findings)
    known = tables.among(stage.archive, unmatched)
    recognised = {path for those in known.values() for path in those}
    tell_unmatched((path for path in unmatched if path not in recognised), found, findings)
    waits, bare = functools.cache(via.waits), functools.cache(tables.is_bare)

    def annotated(row: Segment) -> bool:
        path = stage.archive / row.annotations
        return bool(row.annotations) and not (waits(path) or bare(path))

    new = _segments(stage, patterns, found, listed, findings)
    segments = _of_cages(stage, new, listed, annotated, findings)
    rows = [*listed.segments.values(), *segments]
    named = {_below(stage.archive, path) for row in rows for path in _files_of(row)}
    cages = {row.cage for row in rows}
    used.tell_unneeded(found, patterns.lead, named, cages, findings)
    if any(row.video for row in segments):
        # What reads headers takes a while to import.
        from murid.listing import rates

        rates.tell(stage.archive, segments, findings)
    if stage.report:
        findings.write(stage.report)
    done = _write(stage, output, listed, segments)
    told = "\n  ".join([done, *used.words(found, named), *assigned.words(rows, annotated)])
    there = {
        setting: [stage.archive / path for path in those if path not in named]
        for setting, those in known.items()
    }
    return "\n".join([told, *following.words(stage, output, rows, there)])


def _listed(output: Path, archive: Path) -> _Listed:
    """Return what the sheet lists, if there is one."""
    if not output.exists():
        return _Listed()
    segments = sheet.read_sheet(output)
    data = read_bytes(output, "a sample sheet, UTF-8", sheet.MOST_BYTES)
    named = (path for segment in segments.values() for path in _files_of(segment))
    commented = extend.commented_out(data.decode("utf-8-sig"))
    return _Listed(
        data,
        segments,
        frozenset(_below(archive, path) for path in named),
        frozenset(_below(archive, path) for path in commented),
    )


def _files_of(segment: Segment) -> list[str]:
    """Return the files that a row names."""
    files = [getattr(segment, column) for column in options.BESIDE]
    return [path for path in (*files, *segment.readings) if path]


def _below(archive: Path, path: str) -> str:
    """Return a path of a sheet as the walk over the archive has it."""
    within = os.path.relpath(path, archive) if os.path.isabs(path) else os.path.normpath(path)
    return within.replace(os.sep, "/")


def _segments(
    stage: "ListSegments",
    patterns: Patterns,
    found: Mapping[str, Found],
    listed: _Listed,
    findings: Findings,
) -> list[Segment]:
    """Return the rows that the sheet lacks."""
    new = []
    for path, told in found[patterns.lead]:
        if path in listed.commented:
            findings.add(COMMENTED, path)
        elif path not in listed.files:
            new.append((path, told))
    clocks = _clocks(stage, new, findings)
    fresh = []
    for one in recordings.of_files(new, clocks, findings):
        if (one.cage, one.segment) in listed.segments:
            findings.add(TAKEN, one.path, one.label)
            continue
        fresh.append(one)
        if one.start and patterns.to_the_minute and one.path not in clocks.table:
            findings.add(TO_THE_MINUTE, one.path)
    before = _recordings_of(listed.segments.values(), stage.zone)
    timed = recordings.in_turn(fresh, before, stage.segment_length, findings)
    if stage.cut and stage.fps:
        timed = cut.into_parts(timed, stage.cut, stage.fps, findings)
    beside = {
        column: Beside(patterns.by_key[column], found[column], patterns.parts)
        for column in patterns.beside
    }
    logs = [
        Logs(pattern, found[key], stage.log_length, clocks.zone, findings)
        for key, pattern in patterns.by_key.items()
        if key.startswith(LOG)
    ]
    parts = rows.Parts(patterns.lead, beside, logs, clocks.zone, stage.fps)
    return rows.of_recordings(timed, parts, findings)


def _of_cages(
    stage: "ListSegments",
    new: Sequence[Segment],
    listed: _Listed,
    annotated: assigned.Annotated,
    findings: Findings,
) -> Sequence[Segment]:
    """Return the new rows with what the command says of their cages."""
    before = listed.segments.values()
    rigs, splits = options.rigs_of(stage), options.splits_of(stage)
    assigned.tell_unlisted([*rigs, *splits], [*before, *new], findings)
    new = assigned.with_rigs(new, rigs, findings)
    return assigned.with_splits(new, splits, before, annotated, findings)


def _clocks(stage: "ListSegments", new: Found, findings: Findings) -> Clocks:
    """Return what tells when recordings start; headers are read of those that are new only."""
    by_header, zone = stage.start == "container", stage.zone or NO_ZONE
    if not (stage.starts or by_header or stage.durations):
        return Clocks(zone, {}, {})
    # It takes a while to import, and is seldom needed.
    from murid.listing import starts

    table = starts.of_table(stage.starts, stage.zone) if stage.starts else {}
    paths = [path for path, _ in new]
    for path in sorted(table.keys() - {*paths}):
        findings.add(UNKNOWN, path)
    read = paths if by_header or stage.durations else []
    headers = starts.of_headers(stage.archive, read, findings)
    return Clocks(zone, table, headers, by_header)


def _recordings_of(segments: Iterable[Segment], zone: str | None) -> list[Recording]:
    """Return the recordings that rows are, with their starts as far as they are known."""
    made = []
    for segment in segments:
        start = None
        if start_times.is_time(segment.start):
            try:
                start = start_times.parse(segment.start, zone or NO_ZONE)
            except (ValueError, OverflowError):
                # Nobody knows when it was; whoever reads its logs says so.
                start = None
        path = segment.video or segment.tracklets or segment.detections
        made.append(Recording(path, segment.cage, segment.segment, segment.rig, {}, start))
    return made


def _write(
    stage: "ListSegments", output: Path, listed: _Listed, segments: Sequence[Segment]
) -> str:
    """Write the sheet; return in words what was done."""
    if not segments and listed.segments:
        return f"nothing new: {output} lists {counted(len(listed.segments), 'segment')}, as before"
    if not segments:
        raise InputError(
            stage.archive, "no segment that a sheet can list", "files that fit the patterns",
            remedy="Patterns are paths below the folder; what was found is told above.",
        )  # fmt: skip
    cages = len({segment.cage for segment in segments})
    told = f"{counted(len(segments), 'segment')} of {counted(cages, 'cage')}"
    if listed.segments:
        extend.add_rows(output, listed.data, segments)
        return f"added {told} to {output}, which listed {len(listed.segments):,} before"
    sheet.write_sheet(output, segments)
    return f"wrote {output}: {told}"
