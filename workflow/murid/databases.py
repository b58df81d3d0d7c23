"""SQLite databases of unknown origin: tables as they lie there, and nothing else that one may hold.

A database may have views and triggers that run for ever, cells that fill the memory, or be damaged.
Nothing is written beside it, none of its code is run, and a table that is none is not there.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from murid import files
from murid.errors import InputError, brief

LONGEST = 2**20
"""Bytes of a cell, at most."""
_MAGIC = b"SQLite format 3\0"


def is_database(path: Path, expected: str) -> bool:
    """Tell whether a file begins as a database does.

    Raises
    ------
    InputError
        If it is missing or no plain file; ``expected`` is what it should hold.
    """
    return files.head(path, expected).startswith(_MAGIC)


@contextmanager
def opened(path: Path, expected: str) -> Iterator[sqlite3.Connection]:
    """Open a database to read from, as it stands: whoever writes to it is not waited for.

    Text that is not UTF-8 is read with what is no letter replaced.

    Parameters
    ----------
    path
        The file.
    expected
        What it should hold, for messages.

    Raises
    ------
    InputError
        If it is missing or no database; or where something that is read of it is damaged.
    """
    if not is_database(path, expected):
        raise InputError(path, "no database of SQLite", expected)
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
            database.execute("PRAGMA trusted_schema = OFF")
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            yield database
    except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError) as error:
        raise InputError(
            path, f"a database that cannot be read ({brief(str(error), 200)})", expected,
            remedy="Is it whole, and was it copied while nothing wrote to it?",
        ) from error  # fmt: skip


def columns(database: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns of a table in capitals, as they are compared; none if there is no such.

    A view is no table, nor is a virtual one: what stands there is made by code.
    """
    if _kind(database, table) != "table":
        return []
    rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return [str(row[0]).upper() for row in rows]


def require(
    path: Path, database: sqlite3.Connection, table: str, wanted: tuple[str, ...], expected: str
) -> list[str]:
    """Return the columns of a table, as :func:`columns`.

    Raises
    ------
    InputError
        If there is no such table, or it lacks one that is wanted; naming what is there.
    """
    there = columns(database, table)
    if not there:
        raise InputError(path, f"{_kind(database, table)} of the name {table}", expected)
    if missing := [name for name in wanted if name not in there]:
        found = f"the columns {brief(', '.join(there), 200)}"
        raise InputError(path, found, expected, where=f"table {table}, column {missing[0]}")
    return there


def _kind(database: sqlite3.Connection, table: str) -> str:
    """Return what a name stands for: ``table``, ``view``, others, or ``nothing``."""
    found = database.execute("SELECT type, sql FROM sqlite_master WHERE name = ?", (table,))
    kind, sql = found.fetchone() or ("nothing", "")
    virtual = kind == "table" and not str(sql).upper().startswith("CREATE TABLE")
    return "virtual table" if virtual else str(kind)
