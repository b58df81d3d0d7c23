"""Databases of unknown origin: what runs code, fills the memory or is damaged is told."""

import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from murid import databases
from murid.errors import InputError

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"


def made(path: Path, *statements: str) -> Path:
    with sqlite3.connect(path) as database:
        for statement in (
            "CREATE TABLE seen (x, Y)",
            "INSERT INTO seen VALUES (1, 'a')",
            *statements,
        ):
            database.execute(statement)
    database.close()
    return path


def test_a_table_is_read_by_names_in_capitals_or_not(tmp_path: Path) -> None:
    path = made(tmp_path / "a ?#%20.db")
    with databases.opened(path, "a table") as database:
        assert databases.require(path, database, "seen", ("X", "Y"), "a table") == ["X", "Y"]
        assert database.execute("SELECT * FROM seen").fetchall() == [(1, "a")]
    with (
        pytest.raises(InputError, match=r"cannot be read .*readonly"),
        databases.opened(path, "a table") as database,
    ):
        database.execute("DELETE FROM seen")
    assert [each.name for each in tmp_path.iterdir()] == [path.name], "nothing is written beside it"


@pytest.mark.parametrize(
    ("statement", "name", "told"),
    [
        ("CREATE VIEW v AS " + ENDLESS, "v", "found view of the name v"),
        ("CREATE VIRTUAL TABLE f USING fts5(x)", "f", "found virtual table of the name f"),
        ("CREATE INDEX i ON seen (x)", "i", "found index of the name i"),
        ("CREATE TABLE more (y)", "none", "found nothing of the name none"),
        ("CREATE TABLE more (y)", "more", "table more, column X: found the columns Y"),
    ],
)
def test_what_is_no_table_is_not_looked_into(
    tmp_path: Path, statement: str, name: str, told: str
) -> None:
    path = made(tmp_path / "a.db", statement)
    with databases.opened(path, "a table") as database:
        assert databases.columns(database, name) in ([], ["Y"])
        with pytest.raises(InputError, match=told):
            databases.require(path, database, name, ("X",), "a table")


def test_a_cell_that_fills_the_memory_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", f"UPDATE seen SET x = zeroblob({databases.LONGEST + 1})")
    with (
        pytest.raises(InputError, match=r"a\.db: found a database that cannot be read"),
        databases.opened(path, "a table") as database,
    ):
        database.execute("SELECT x FROM seen").fetchall()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(st.tuples(st.integers(0, 8191), st.integers(0, 255)), max_size=20),
    end=st.integers(0, 8192),
)
def test_a_damaged_database_is_read_or_told(
    tmp_path: Path, changes: list[tuple[int, int]], end: int
) -> None:
    path = tmp_path / "a.db"
    path.unlink(missing_ok=True)
    data = bytearray(made(path).read_bytes())
    for place, value in changes:
        data[place % len(data)] = value
    path.write_bytes(data[:end])
    try:
        with databases.opened(path, "a table") as database:
            databases.require(path, database, "seen", ("X", "Y"), "a table")
            database.execute("SELECT x, Y FROM seen").fetchall()
    except InputError as error:
        told = str(error)
    else:
        told = "a.db"
    assert "a.db" in told
