"""Databases of Live Mouse Tracker (SQLite): boxes of its table ``DETECTION``.

A box is that of the mask in ``DATA``, else one around the points ``FRONT``, ``MASS`` and ``BACK``
(:mod:`murid.archive.body_parts`), of which -1 are not seen. Frames count from the first one of the
table ``FRAME``. Animals are those that the readings of its antennas made of them, for the whole
recording: were they tracklets, an exchange could not be put right. So boxes are in none, but keep
``ID`` and ``ANIMALID``.
"""

import numpy as np
import pandas as pd

from murid import databases, schemas
from murid.archive import body_parts
from murid.archive.columns import Columns
from murid.archive.formats import Format, Source
from murid.errors import InputError

_EXPECTED = "a database of Live Mouse Tracker (SQLite) with the table DETECTION"
_POINTS = ("MASS", "FRONT", "BACK")
_COLUMNS = ("FRAMENUMBER", *(f"{point}_{side}" for point in _POINTS for side in "XY"))
_MASK = ("boundsX", "boundsY", "boundsW", "boundsH")
MOST = 2**22
"""Detections of a recording, at most: four animals for ten hours."""
_PIECE = 2**16


def read(source: Source) -> Columns:
    """Return a box for each detection, without a score.

    Raises
    ------
    InputError
        If the file is missing, damaged or no such database, or a cell is no number; naming the row
        by its ``ID``.
    """
    path = source.path
    with databases.opened(path, _EXPECTED) as base:
        columns = databases.require(path, base, "DETECTION", ("ID", *_COLUMNS), _EXPECTED)
        count = base.execute("SELECT count(*) FROM DETECTION").fetchone()[0]
        if count > MOST:
            raise InputError(
                path, f"{count:,} detections", f"{MOST:,} at most",
                remedy="Give a database for each segment.",
            )  # fmt: skip
        sides = [_side(name) if "DATA" in columns else "NULL" for name in _MASK]
        animal = "CAST(ANIMALID AS TEXT)" if "ANIMALID" in columns else "NULL"
        wanted = ", ".join(["ID", *_COLUMNS, *sides, animal])
        rows = base.execute(f"SELECT {wanted} FROM DETECTION ORDER BY ID")  # noqa: S608  # our names
        names = ["ID", *_COLUMNS, *_MASK, "ANIMALID"]
        # Piece by piece: as objects, rows take the room of all several times.
        pieces = iter(lambda: rows.fetchmany(_PIECE), [])
        table = pd.concat(
            [pd.DataFrame(columns=names), *(pd.DataFrame(piece, columns=names) for piece in pieces)]
        )
        first = 0
        if "FRAMENUMBER" in databases.columns(base, "FRAME"):
            first = base.execute("SELECT min(FRAMENUMBER) FROM FRAME").fetchone()[0] or 0
    ids = Columns(path, table, unit="row").integers("ID", required=True)
    given = Columns(path, table.set_axis(ids.to_numpy(np.int64)), unit="ID")
    return _boxes(given, first)


def _boxes(given: Columns, first: object) -> Columns:
    frames = given.integers("FRAMENUMBER", required=True).to_numpy(dtype=np.int64)
    start = int(first) if isinstance(first, int) and first < 2**31 else 0
    given.refuse(frames < start, "FRAMENUMBER", f"a frame from {start}, the first of FRAME")
    values = np.column_stack([given.numbers(name) for name in _COLUMNS[1:]])
    points = values.reshape(-1, len(_POINTS), 2)
    points = np.where((points == -1).any(axis=2, keepdims=True), np.nan, points)
    masks = np.column_stack([given.numbers(name) for name in _MASK])
    masked = np.isfinite(masks).all(axis=1) & (masks[:, 2:] > 0).all(axis=1)
    table = pd.DataFrame({"frame": frames - start})
    table[schemas.BOX] = masks
    bare = np.flatnonzero(~masked)
    around = body_parts.boxes(given.path, (frames - start)[bare], points[bare], None)
    others = around.frame.set_axis(bare[around.frame.index])
    both = pd.concat([table[masked], others]).sort_index().assign(score=np.nan)
    both["source_track"] = given.frame["ANIMALID"].to_numpy()[both.index]
    both.index = given.frame.index[both.index]
    return Columns(given.path, both, unit="ID", verdict=around.verdict)


def _side(name: str) -> str:
    """Return SQL for a side of the mask's box, which stands in ``DATA`` as ``<boundsX>113<``."""
    place = f"instr(DATA, '<{name}>')"
    digits = f"substr(DATA, {place} + {len(name) + 2}, 12)"
    return f"CASE WHEN {place} > 0 THEN CAST({digits} AS INTEGER) END"


FORMAT = Format(
    name="a database of Live Mouse Tracker",
    words="Live Mouse Tracker's database: boxes of its masks, else around head, centre and tail. "
    "Frames count from its first one. Its animals are no tracklets",
    suffixes=(".sqlite", ".db"),
    read=read,
)
