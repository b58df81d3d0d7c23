"""When the frames of a segment were taken: from its start and rate, or from a file of times."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from murid import files, separated
from murid.errors import InputError
from murid.readings import local_time, times
from murid.start_times import parse

NAMES = ("timestamp", "time", "datetime", "client_recieve_time")
"""Names that the column of times may have, in small letters, of a file of several."""
COUNTED = ("frame", "frame_id", "frame_number")
"""Names of a column that counts frames, if there is one."""
MICROSECONDS = 1_000_000
_STARTED = re.compile(r"StartTime: *([0-9]+(?:\.[0-9]*)?) *")
"""The first line of PyMouseTracks' ``timestamps.csv``: seconds since 1970."""
EXPECTED = "times of frames: CSV in UTF-8 with a header and a column of times"


def regular(start: str, zone: str, fps: float, frames: int, path: object) -> NDArray[np.int64]:
    """Return when each of ``frames`` frames was taken, microseconds since 1970 in UTC.

    Parameters
    ----------
    start
        When frame 0 was taken, as the sheet says.
    zone
        Of the clock, where ``start`` does not say.
    fps
        Frames per second.
    frames
        How many there are.
    path
        What to name in an error.

    Raises
    ------
    InputError
        If the clock did not show that time, or showed it twice.
    """
    try:
        first = parse(start, zone)
    except ValueError as error:
        raise InputError(path, str(error), "one moment", where="column start") from error
    begins = round(first.timestamp() * MICROSECONDS)
    return begins + np.round(np.arange(frames) * (MICROSECONDS / fps)).astype(np.int64)


def read(path: str | Path, zone: str) -> NDArray[np.int64]:
    """Read when each frame was taken, from frame 0, microseconds since 1970 in UTC.

    Parameters
    ----------
    path
        CSV with a line a frame. Times are written year first, or are seconds, milliseconds,
        microseconds or nanoseconds since 1970; or, below a line ``StartTime: `` with seconds since
        1970, microseconds of the camera's own clock, whose first frame was taken then: so
        PyMouseTracks writes them (``pts_picamera.py``), and its analysis reads them.
    zone
        Of the clock, where times do not say.

    Raises
    ------
    InputError
        If it is no such file, or a time is none or earlier than the one before; naming the line.
    """
    path = Path(path)
    text = files.read_text(path, EXPECTED)
    rows = text.splitlines()
    started = _STARTED.fullmatch(rows[0]) if len(rows) > 1 else None
    if started:
        rows[:2] = rows[1], ""  # blank lines are passed over, and others keep their numbers
    reading = separated.rows(path, rows, EXPECTED)
    last, header = next(reading)
    last += bool(started)
    lower = [name.lower() for name in header]
    place = next((lower.index(name) for name in NAMES if name in lower), None)
    if place is None and len(header) == 1:
        place = 0
    if place is None:
        raise InputError(
            path, f"the columns {', '.join(header)}", f"a column {' or '.join(NAMES[:2])}",
            where="line 1",
        )  # fmt: skip
    lines: list[int] = []
    cells: list[str] = []
    counted = next((lower.index(name) for name in COUNTED if name in lower), None)
    for line, row in reading:
        if line > last + 1:
            # All frames behind a blank line would have the times of those before them.
            raise InputError(path, "a blank line", "a time a frame", where=f"line {last + 1}")
        last = line
        separated.check_count(path, line, row, header)
        if counted is not None and row[counted].strip() != str(len(lines)):
            raise InputError(
                path, f"frame {row[counted].strip()!r}",
                f"frame {len(lines)}: a line for each, from 0", where=f"line {line}",
            )  # fmt: skip
        lines.append(line)
        cells.append(row[place].strip())
    if not cells:
        raise InputError(path, "no frames", "a line a frame")
    taken = _since(float(started[1]), cells) if started else _times(cells, zone)
    late = np.zeros(len(taken), dtype=bool)
    late[1:] = np.diff(taken.view(np.int64)) < 0
    for wrong, expected in ((np.isnat(taken), _A_TIME), (late, "no earlier than the line before")):
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            raise InputError(path, repr(cells[first]), expected, where=f"line {lines[first]}")
    return taken.view(np.int64)


_COUNT = re.compile(r"[0-9]{1,18}")
_A_TIME = "a time that there was and that came once, or one with its offset from UTC"


def _since(started: float, cells: list[str]) -> NDArray[np.datetime64]:
    """Return times in UTC, given when the first frame was taken and the camera's microseconds."""
    counts = np.array([int(cell) if _COUNT.fullmatch(cell) else -1 for cell in cells])
    taken = round(started * MICROSECONDS) + counts - counts[0]
    return np.where((counts < 0) | (counts[0] < 0), np.datetime64("NaT"), taken.astype("M8[us]"))


def _times(cells: list[str], zone: str) -> NDArray[np.datetime64]:
    """Return times in UTC, (frames,) in microseconds; NaT where there is none."""
    when, zoned = times.parse(pa.chunked_array([cells]))
    when = np.where((when < times.EARLIEST) | (when >= times.LATEST), np.datetime64("NaT"), when)
    local = ~zoned & ~np.isnat(when)
    if local.any():
        # Frames follow each other: an hour that comes twice is told apart by their order.
        found = local_time.to_utc(when[local], zone)
        when = when.copy()
        when[local] = np.where(found.unsure, np.datetime64("NaT"), found.utc)
    return when
