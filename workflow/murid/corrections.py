"""What people answered of single boxes, as they write it down: a table that is read row by row.

Every cluster job looks up which segments have any, so that nothing slow is imported. A file that
cannot be read is refused; a row that makes no sense is the fault of its segment alone.
"""

import functools
import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from murid import separated, spelling, torn
from murid.errors import InputError, SeveralErrors, brief
from murid.small_tables import EMPTY

Key = tuple[str, str]
"""Names of a cage and a segment."""
CORNERS = ("x1", "y1", "x2", "y2")
"""Of a box: left, top, right and bottom, pixels of the raw frame."""
WORDS = ("who", "when", "remark")
COLUMNS = ("cage", "segment", "frame", *CORNERS, "tracklet", "animal", *WORDS)
NOBODY = "nobody"
"""The name of what is no animal."""
SEPARATORS = {".csv": ",", ".tsv": "\t"}
EXPECTED = "corrections as CSV or TSV, in UTF-8 with a header"
MOST_TOLD = 10
"""Rows that a reason tells one by one, at most."""
_WHOLE = re.compile(r"[0-9]{1,9}")
_SIDES = (("w", "h"), ("width", "height"))
"""Names of columns that tell a box by its sides, in small letters."""
_CORNERS_OF_SIDES = (
    "A box is its left, top, right and bottom, not its width and height: x1 = x, y1 = y, "
    "x2 = x + w, y2 = y + h."
)
_DIGITS = (
    "Write 1000, neither 1,000 nor 1.000 nor 1000.0 (from pandas, columns with gaps as Int64)."
)
_NUMBER = re.compile(r"[+-]?([0-9]{1,9}(\.[0-9]{0,20})?|\.[0-9]{1,20})")


class Row(NamedTuple):
    """A row as it is written: its line in the file, and its cells by the known columns.

    What is wrong with one that is torn ``fault`` says: its cells are as :class:`torn.Read` has
    them.
    """

    line: int
    cells: dict[str, str]
    fault: InputError | None = None


@dataclass(frozen=True)
class File:
    """A file of corrections.

    Attributes
    ----------
    path
        Where it is.
    columns
        The known columns that it has.
    rows
        All its rows.
    written
        The header and all that follows, cell by cell as it is written, other columns and all; names
        of known columns in small letters.
    remark
        Which other columns are nearly known ones; "" if none is.
    """

    path: Path
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    written: tuple[tuple[str, ...], ...]
    remark: str = ""

    @property
    def separator(self) -> str:
        """What its columns are separated by."""
        return SEPARATORS[self.path.suffix.lower()]

    def key(self, row: Row, default: Key = ("", "")) -> Key:
        """Return the segment that a row is of; a name without a column is that of ``default``."""
        cage, segment = (
            row.cells.get(name, other)
            for name, other in zip(("cage", "segment"), default, strict=True)
        )
        return cage, segment

    def segments(self) -> dict[Key, int]:
        """Return the segments that it has rows of, in their order, with the line of the first."""
        return {key: rows[0].line for key, rows in self._by_key.items()}

    def of(self, key: Key) -> list[Row]:
        """Return the rows of a segment."""
        if {"cage", "segment"} <= {*self.columns}:
            return self._by_key.get(key, [])
        return [row for row in self.rows if self.key(row, key) == key]

    @property
    def faults(self) -> list[InputError]:
        """What is wrong with its torn rows."""
        return [row.fault for row in self.rows if row.fault]

    @functools.cached_property
    def _by_key(self) -> dict[Key, list[Row]]:
        rows: dict[Key, list[Row]] = {}
        for row in self.rows:
            rows.setdefault(self.key(row), []).append(row)
        return rows


def read(path: str | Path, required: Sequence[str] = ()) -> File:
    """Read a file of corrections; what its rows say is not looked at, nor whether they are torn.

    Columns may be in any order, and written with capitals.

    Parameters
    ----------
    path
        The file.
    required
        Columns that it must have, beside those that all must.

    Raises
    ------
    InputError
        If it is no CSV or TSV that can be read, all its rows are torn, a column is there twice, or
        one that must be is not: ``frame``, ``animal``, and the corners of a box or ``tracklet``.
    """
    path = Path(path)
    separator = SEPARATORS.get(path.suffix.lower())
    if separator is None:
        raise InputError(
            path, f"the suffix {path.suffix!r}", "a file .csv or .tsv",
            remedy="The format is told by the suffix: rename the file.",
        )  # fmt: skip
    reading = torn.rows(path, EXPECTED, separator)
    header = next(reading).cells
    names = [name.lower() if name.lower() in COLUMNS else name for name in header]
    _check_header(path, names, required)
    rows, written = [], [tuple(names)]
    for line, cells, fault in reading:
        written.append(tuple(cells))
        given = dict(zip(names, (cell.strip() for cell in cells), strict=False))
        known = {name: given.get(name, "") for name in names if name in COLUMNS}
        if fault or any(known.values()):
            rows.append(Row(line, known, fault))
    if rows and all(row.fault for row in rows):
        raise SeveralErrors([row.fault for row in rows if row.fault])
    missing = [name for name in COLUMNS if name not in names]
    near = spelling.misspelt((name for name in names if name not in COLUMNS), missing)
    remark = f"{path.name}: {near} not known, and passed over" if near else ""
    columns = tuple(name for name in COLUMNS if name in names)
    return File(path, columns, tuple(rows), tuple(written), remark)


def _check_header(path: Path, names: Sequence[str], required: Sequence[str]) -> None:
    twice = [name for name in COLUMNS if names.count(name) > 1]
    if twice:
        raise InputError(
            path, f"the column {twice[0]} twice", "each column once", where="the header",
            remedy="Remove or rename one of the two.",
        )  # fmt: skip
    missing = [name for name in (*required, "frame", "animal") if name not in names]
    corners = [name for name in CORNERS if name not in names] if "tracklet" not in names else []
    if not missing and not corners:
        return
    expected = [f"a column {name}" for name in missing]
    if corners:
        expected.append(f"{' '.join(CORNERS)} of a box, or a column tracklet")
    others = [name for name in names if name not in COLUMNS]
    raise InputError(
        path, f"the columns {brief(', '.join(names))}", ", and ".join(expected),
        where="the header", remedy=_rename(others, [*missing, *corners]),
    )  # fmt: skip


def _rename(others: Sequence[str], missing: Sequence[str]) -> str:
    """Say what to do where known columns are missing, and there are others."""
    small = {name.lower() for name in others}
    if {*CORNERS} & {*missing} and any({*sides} <= small for sides in _SIDES):
        return _CORNERS_OF_SIDES
    near = spelling.misspelt(others, missing)
    return f"Rename {near}" if near else "Name the columns so, or add them."


def digest(file: File, key: Key) -> str:
    """Return 16 hexadecimal digits that change with what a file says of a segment, and no more.

    Where in the file it stands does not count: rows of others come and go.
    """
    rows = [[row.cells, row.fault.found if row.fault else ""] for row in file.of(key)]
    said = [file.path.name, file.remark, rows]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def parsed(path: Path, row: Row) -> dict[str, Any]:
    """Return what a row says: ``frame, x, y, w, h, tracklet, animal, who, when, remark``.

    The box, or the tracklet, is None if it is not told.

    Raises
    ------
    InputError
        Naming the line, if it is torn, or the cell that makes no sense.
    """
    if row.fault:
        raise row.fault
    cells = {name: "" if cell.lower() in EMPTY else cell for name, cell in row.cells.items()}
    where = f"line {row.line}"
    frame = _whole(path, where, cells, "frame")
    if frame is None:
        raise InputError(path, "nothing in column frame", "a frame number from 0", where=where)
    tracklet, box = _whole(path, where, cells, "tracklet"), _box(path, where, cells)
    if box is None and tracklet is None:
        raise InputError(path, "neither box nor tracklet", "one of them", where=where)
    animal = _text(cells.get("animal", ""))
    if not animal:
        raise InputError(
            path, "nothing in column animal", f"an animal, or {NOBODY}", where=where,
            remedy="Leave out rows of what nobody can tell.",
        )  # fmt: skip
    return {
        "frame": frame,
        **dict(zip("xywh", box or (None,) * 4, strict=True)),
        "tracklet": tracklet,
        "animal": NOBODY if animal.lower() == NOBODY else animal,
        **{name: _text(row.cells.get(name, "")) for name in WORDS},
    }


def _whole(path: Path, where: str, cells: dict[str, str], column: str) -> int | None:
    text = cells.get(column, "")
    if not text:
        return None
    if not _WHOLE.fullmatch(text):
        expected = f"a {column} number from 0, at most nine digits and nothing else"
        raise InputError(
            path, f"{brief(text)!r} in column {column}", expected, where=where,
            remedy=_DIGITS if text[:1].isdigit() else None,
        )  # fmt: skip
    return int(text)


def _box(path: Path, where: str, cells: dict[str, str]) -> tuple[float, ...] | None:
    """Return ``x, y, w, h`` of a row, None if it has no box."""
    texts = [cells.get(name, "") for name in CORNERS]
    if not any(texts):
        return None
    for name, text in zip(CORNERS, texts, strict=True):
        if not _NUMBER.fullmatch(text):
            raise InputError(
                path, f"{brief(text)!r} in column {name}" if text else f"nothing in column {name}",
                "pixels", where=where, remedy=separated.COMMAS if "," in text else None,
            )  # fmt: skip
    x1, y1, x2, y2 = map(float, texts)
    if x2 <= x1 or y2 <= y1:
        raise InputError(
            path, f"the box {', '.join(texts)}", "x1 < x2 and y1 < y2", where=where,
            remedy=_CORNERS_OF_SIDES,
        )  # fmt: skip
    return x1, y1, x2 - x1, y2 - y1


def _text(cell: str) -> str:
    """Return a text without the apostrophe by which spreadsheets take it for one."""
    from murid.spreadsheets import FORMULAS  # slow to import

    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULAS) else cell


def told(error: InputError) -> str:
    """Return what an error says, without where: for reasons that name a row in another way."""
    return f"found {error.found}; expected {error.expected}" + f" ({error.remedy})" * bool(
        error.remedy
    )


def of_segment(paths: Sequence[str | Path], key: Key) -> tuple[list[dict[str, Any]], list[str]]:
    """Return what files say of a segment, rows of the table ``corrections``, and what is wrong.

    Parameters
    ----------
    paths
        The files; one that cannot be read is wrong as a whole.
    key
        The segment.
    """
    rows: list[dict[str, Any]] = []
    wrong: list[str] = []
    number = 0
    names = Counter(Path(path).name for path in paths)
    for path in paths:
        try:
            file = read(path)
        except InputError as error:
            wrong.append(f"{error}")
            continue
        wrong += [file.remark] * bool(file.remark)
        called = file.path.name if names[file.path.name] == 1 else str(file.path)
        for row in file.of(key):
            number += 1
            try:
                said = parsed(file.path, row)
            except InputError as error:
                wrong.append(f"line {row.line} of {called}: {told(error)}")
                continue
            of = dict(zip(("cage", "segment"), key, strict=True))
            rows.append(of | said | {"number": number, "file": called, "line": row.line})
    return rows, wrong


def reason(wrong: Sequence[str]) -> str:
    """Join what is wrong with corrections, told one by one as far as it is not too much."""
    more = len(wrong) - MOST_TOLD
    return "; ".join([*wrong[:MOST_TOLD], *[f"and {more:,} more corrections"] * (more > 0)])
