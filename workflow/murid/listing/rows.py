"""Recordings and the files beside them become rows of the sheet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murid.errors import InputError
from murid.listing import clock, logs
from murid.listing.beside import Beside
from murid.listing.findings import Findings
from murid.listing.logs import Logs
from murid.listing.recordings import Recording
from murid.sheet import DEFAULT_FPS, DEFAULT_RIG, MOST_BYTES, MOST_LETTERS, Segment

SEVERAL = "cells left empty, since several files would fit"
LACKING = "cells left empty, since no file fits"
NO_POSITIONS = "segments left out, since there is no antenna trace of them"
UNTIMED = "segments left out, since nothing tells when they start, which antenna logs need"
OF_THE_WHOLE = "cells left empty, since the recording is cut and its files are of the whole"
SELDOM = "annotations"
"""What most segments are without."""
SHOWN = 2
"""Files of several that are told: there may be thousands for each of thousands of segments."""
MOST_TEXT = MOST_LETTERS - 10_000
"""Letters of the antenna logs of a segment, at most."""


@dataclass(frozen=True)
class Parts:
    """What recordings are made rows of.

    Attributes
    ----------
    lead
        Column of the files that they were found by.
    beside
        Other files that belong to one recording each, by column.
    logs
        Antenna logs; none where there are traces.
    zone
        Of the clock that starts are written by.
    fps
        Frames per second, if told.
    """

    lead: str
    beside: Mapping[str, Beside]
    logs: Sequence[Logs]
    zone: str
    fps: float | None


def of_recordings(timed: Iterable[Recording], parts: Parts, findings: Findings) -> list[Segment]:
    """Return the rows of recordings that a sheet can list, in their order.

    Raises
    ------
    InputError
        If antenna logs are more than a sheet can name.
    """
    rows = []
    letters = 0
    for recording in timed:
        row = _row(recording, parts, findings)
        if row is None:
            continue
        rows.append(row)
        text = sum(map(len, row.readings)) + len(row.readings)
        letters += text
        if text > MOST_TEXT or letters > MOST_BYTES:
            raise InputError(
                "options", f"{len(row.readings):,} antenna logs of segment {recording.label}",
                "those of its time", where="--log",
                remedy="Tell by {date:FORMAT} or {start:FORMAT} in their pattern when they begin.",
            )  # fmt: skip
    return rows


def _row(recording: Recording, parts: Parts, findings: Findings) -> Segment | None:
    """Return the row of a recording, None if it cannot be listed."""
    cells: dict[str, Any] = {parts.lead: recording.path}
    if recording.frames:
        cells["first_frame"], cells["last_frame"] = recording.frames
    for column, files in parts.beside.items():
        if recording.frames:
            # What is of a whole recording is of none of its parts.
            findings.add(OF_THE_WHOLE, f"{column} of {recording.label}")
            continue
        paths = files.of(recording)
        if len(paths) == 1:
            cells[column] = paths[0]
        elif paths:
            more = f" and {len(paths) - SHOWN:,} more" if len(paths) > SHOWN else ""
            why = ", ".join(paths[:SHOWN]) + more
            findings.add(SEVERAL, f"{column} of {recording.label}", why)
        elif column not in (SELDOM, "positions"):
            findings.add(LACKING, f"{column} of {recording.label}")
    if parts.logs:
        if not recording.start and "frame_times" not in cells:
            findings.add(UNTIMED, recording.label, recording.path)
            return None
        cells["readings"], fault = logs.paths_of(parts.logs, recording)
        if fault:
            findings.add(fault, recording.label, recording.path)
            return None
    elif "positions" not in cells:
        findings.add(NO_POSITIONS, recording.label, recording.path)
        return None
    return Segment(
        cage=recording.cage,
        segment=recording.segment,
        rig=recording.rig or DEFAULT_RIG,
        start=clock.written(recording.start, parts.zone) if recording.start else "",
        fps=parts.fps or DEFAULT_FPS,
        fps_assumed=parts.fps is None,
        **cells,
    )
