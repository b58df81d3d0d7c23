"""Small tables that people write by hand: named columns, a row at a time, each with its line.

Standard library only: planning and every cluster job read some.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from murid import spelling, torn
from murid.errors import InputError

SEPARATORS = {".csv": ",", ".tsv": "\t"}
EMPTY = ("", "na", "nan", "null", "none")
"""What an empty cell may hold, in small letters."""
MOST_BYTES = 2**26
"""Size of such a table, at most."""


class Row(NamedTuple):
    """A row: its line in the file, and its cells by the names of the columns in small letters.

    What is wrong with one that is torn ``fault`` says: its cells are as :class:`torn.Read` has
    them.
    """

    line: int
    cells: dict[str, str]
    fault: InputError | None = None

    @property
    def where(self) -> str:
        """What it is called in messages."""
        return f"line {self.line}"


def read(
    path: str | Path, required: Sequence[str], optional: Sequence[str], what: str
) -> list[Row]:
    """Read a table (CSV or TSV, UTF-8, with a header) row by row.

    Columns may be in any order, and written with capitals; others are passed over. A column that is
    not there is empty.

    Parameters
    ----------
    path
        The file.
    required, optional
        Names of columns.
    what
        What the table is of, for messages: ``animals and their tags``.

    Raises
    ------
    InputError
        If it is no such table, a column is missing or there twice, one that is not known is nearly
        one that is, or a row has more or fewer cells than the header.
    """
    rows = [*each_row(path, required, optional, what)]
    for row in rows:
        if row.fault:
            raise row.fault
    return rows


def each_row(
    path: str | Path, required: Sequence[str], optional: Sequence[str], what: str
) -> Iterator[Row]:
    """Yield the rows of a table, torn ones among them; all else as :func:`read`."""
    path = Path(path)
    expected = f"{what}: CSV or TSV in UTF-8, with the columns {', '.join(required)}"
    reading = _rows(path, expected)
    names = [name.lower() for name in next(reading).cells]
    _check_header(path, names, required, optional, expected)
    for line, cells, fault in reading:
        given = dict(zip(names, (cell.strip() for cell in cells), strict=False))
        yield Row(line, {name: given.get(name, "") for name in (*required, *optional)}, fault)


def columns(path: str | Path, what: str) -> list[str]:
    """Return the columns of a table, in small letters; ``what`` as :func:`read` has it.

    Raises
    ------
    InputError
        If it is no such table.
    """
    header = next(_rows(Path(path), f"{what}: CSV or TSV in UTF-8, with a header"))
    return [name.lower() for name in header.cells]


def has_rows(path: str | Path, what: str) -> bool:
    """Tell whether a table has rows below its header, sound or not; ``what`` as :func:`read`.

    Raises
    ------
    InputError
        If it is no such table.
    """
    reading = _rows(Path(path), f"{what}: CSV or TSV in UTF-8, with a header")
    next(reading)
    return next(reading, None) is not None


def _rows(path: Path, expected: str) -> Iterator[torn.Read]:
    separator = SEPARATORS.get(path.suffix.lower())
    if separator is None:
        raise InputError(
            path, f"the suffix {path.suffix!r}", "a file .csv or .tsv",
            remedy="The format is told by the suffix: rename the file.",
        )  # fmt: skip
    return torn.rows(path, expected, separator, MOST_BYTES)


def _check_header(
    path: Path, names: list[str], required: Sequence[str], optional: Sequence[str], expected: str
) -> None:
    found = f"the columns {', '.join(names)}"
    for name in (*required, *optional):
        if names.count(name) > 1:
            raise InputError(path, f"the column {name} twice", "each column once", where="line 1")
    for name in required:
        if name not in names:
            raise InputError(path, found, expected, where=f"line 1, column {name}")
    free = [name for name in optional if name not in names]
    strange = [name for name in names if name not in {*required, *optional}]
    if listed := spelling.misspelt(strange, free):
        raise InputError(
            path, f"{listed} not known", f"one of {', '.join((*required, *optional))}",
            where="line 1",
        )  # fmt: skip
