"""Databases of Live Mouse Tracker: 16 antennas, of which one is looked at at a time."""

import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from murid import databases
from murid.archive.columns import Judged
from murid.errors import InputError
from murid.readings import times
from murid.readings.how import How
from murid.readings.log_format import LogFormat
from murid.readings.reads import MOST_READS, Reads

EXPECTED = "a database of Live Mouse Tracker, with a table RFIDEVENT of RFID, TIME, X and Y"
SIDE = 4
"""Antennas in a row, and rows."""
_COLUMNS = {"RFIDEVENT": ("ID", "RFID", "TIME", "X", "Y"), "FRAME": ("FRAMENUMBER", "TIMESTAMP")}
_AT_ONCE = 100_000
_FIRST_EPOCH = 1e11
"""What is larger is ms since 1970, what is smaller the number of a frame."""
_APART = 1000.0
"""Milliseconds that a frame's times may differ by, if its number is there more than once."""
_NO_FRAME = "of a frame without a time, or with several"
_UNFINISHED = ("-wal", "-journal")
"""Ends of the names of files with what is not in a database yet."""


def read(path: Path, how: How) -> Judged:
    """Read the antennas' events of a database, which is opened for reading only.

    ``TIME`` is ms since 1970, or the number of a frame, whose time ``FRAME`` tells. Antennas are
    numbered from 1, row by row, if ``X`` and ``Y`` are columns and rows; if they are places in the
    picture, an antenna is called by both, ``X_Y``.

    Live Mouse Tracker as it is published makes the table and never writes into it (its
    ``Experiment.java``; its sample experiment has no row there), so that most databases have no
    reads: that is said, rather than that nobody was read.

    Raises
    ------
    InputError
        If it is no such database or is damaged, has no event, or nothing tells whether columns and
        rows count from 0 or from 1.
    """
    reads = Reads(path, EXPECTED, "row")
    tags: list[str] = []
    parts: list[NDArray[np.float64]] = []
    with databases.opened(path, EXPECTED) as database:
        _require(path, database, "RFIDEVENT")
        events = database.execute("SELECT RFID, TIME, X, Y FROM RFIDEVENT ORDER BY ID")
        while rows := events.fetchmany(_AT_ONCE):
            tag, *others = zip(*rows, strict=True)
            tags += ["" if each is None else str(each) for each in tag]
            parts.append(np.array([_floats(each) for each in others]))
            if len(tags) > MOST_READS:
                raise InputError(path, f"more than {MOST_READS:,} reads", f"{MOST_READS:,} at most")
        if not parts:
            raise InputError(
                path, "a table RFIDEVENT without a row", EXPECTED,
                remedy="Live Mouse Tracker as it is published writes no reads of antennas, only "
                "which animals it matched (EVENT): it takes a build of it that fills RFIDEVENT.",
            )  # fmt: skip
        when, x, y = np.concatenate(parts, axis=1)
        frames = when < _FIRST_EPOCH
        if frames.any():
            when[frames] = _times_of_frames(path, database).reindex(when[frames]).to_numpy()
    lost = frames & np.isnan(when)
    numbers = 1 + np.arange(len(when))
    reads.tally.add(_NO_FRAME, numbers[lost])
    kept = np.flatnonzero(~lost)
    begun = times.since_1970(when[kept])
    reads.add(
        times.Times(begun, np.ones(len(begun), dtype=bool)),
        pa.array(tags, pa.string()).take(kept),
        pa.array(antennas(path, x, y), pa.string()).take(kept),
        numbers[kept],
    )
    for beside in (path.with_name(path.name + end) for end in _UNFINISHED):
        if beside.is_file() and beside.stat().st_size:
            reads.notes.append(f"{beside.name} is beside it: what was being written is not read")
    return reads.judged()


def antennas(path: Path, x: NDArray[np.float64], y: NDArray[np.float64]) -> list[str]:
    """Return the names of antennas: numbers from 1, row by row, or ``X_Y`` of places in a picture.

    Parameters
    ----------
    path
        The file, for messages.
    x, y
        Columns and rows, which count from 0 or 1, or places in pixels; NaN for none.

    Raises
    ------
    InputError
        If nothing tells what they count from, since the edges of the grid have read nothing.
    """
    places = np.concatenate([x, y])
    seen = np.unique(places[~np.isnan(places)])
    if not len(seen):
        return [""] * len(x)
    from_0, from_1 = (set(seen) <= set(range(first, SIDE + first)) for first in (0, 1))
    if from_0 and from_1:
        raise InputError(
            path, f"antennas in columns and rows {', '.join(f'{each:.0f}' for each in seen)} only",
            "some at the edges, in 0 or 4, which tells whether they count from 0 or from 1",
            remedy="Give a log of more reads.",
        )  # fmt: skip
    known = ~(np.isnan(x) | np.isnan(y))
    if not (from_0 or from_1):
        pairs = zip(x, y, known, strict=True)
        return [f"{column:g}_{row:g}" if sure else "" for column, row, sure in pairs]
    numbers = np.where(known, (y - from_1) * SIDE + (x - from_1) + 1, 0).astype(int)
    return [str(number) if number else "" for number in numbers]


def _require(path: Path, database: sqlite3.Connection, table: str) -> None:
    databases.require(path, database, table, _COLUMNS[table], EXPECTED)


def _times_of_frames(path: Path, database: sqlite3.Connection) -> pd.Series:
    """Return ms since 1970 by the number of a frame, of those with events; NaN if not one time.

    Numbers of frames fall back when recording is started again: then it cannot be told which.
    """
    _require(path, database, "FRAME")
    rows = database.execute(
        "SELECT FRAMENUMBER, MIN(TIMESTAMP), MAX(TIMESTAMP) FROM FRAME "
        "WHERE FRAMENUMBER IN (SELECT TIME FROM RFIDEVENT) GROUP BY FRAMENUMBER"
    ).fetchall()
    columns = [_floats(column) for column in zip(*rows, strict=True)] or [np.empty(0)] * 3
    number, first, last = columns
    return pd.Series(np.where(last - first <= _APART, first, np.nan), index=number)


def _floats(values: tuple[object, ...]) -> NDArray[np.float64]:
    """Return values of any type as numbers, NaN for what is none."""
    numbers = pd.to_numeric(pd.Series(values, dtype=object), errors="coerce")
    return numbers.to_numpy(dtype=np.float64, na_value=np.nan).copy()


def _holds(path: Path) -> bool:
    return databases.is_database(path, EXPECTED)


FORMAT = LogFormat(
    name="a database of Live Mouse Tracker (.sqlite)",
    words="table `RFIDEVENT`: `RFID` (the tag), `TIME` (ms since 1970, or the number of a frame, "
    "whose time `FRAME` tells), `X` and `Y` (column and row: antennas from 1, row by row; if they "
    "are places in the picture, `X_Y`). It is not written to. The tracker as it is published "
    "leaves this table empty: it takes a build that fills it",
    suffixes=(".sqlite", ".sqlite3", ".db"),
    read=read,
    holds=_holds,
    example="RFIDEVENT(ID INTEGER, RFID TEXT, TIME INTEGER, X INTEGER, Y INTEGER)\n"
    "FRAME(FRAMENUMBER INTEGER, TIMESTAMP INTEGER, ...)",
    clock="UTC",
    hold=1.0,
    kind="turn",
    numbering="rows",
    unit="row",
)
