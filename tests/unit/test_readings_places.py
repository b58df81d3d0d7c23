"""Where antennas are: numberings of systems, and tables of places."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid.errors import InputError
from murid.grid import Grid
from murid.readings import places

NUMBERINGS = ("columns", "rows", "columns0", "rows0", "serpentine")


@given(st.sampled_from(NUMBERINGS), st.integers(1, 12), st.integers(1, 12))
def test_every_numbering_names_every_antenna_once(numbering: str, rows: int, columns: int) -> None:
    numbers = places.numbered(numbering, Grid(rows, columns))
    assert sorted(numbers.values()) == list(range(1, rows * columns + 1))
    first = 0 if numbering.endswith("0") else 1
    assert sorted(map(int, numbers)) == list(range(first, first + rows * columns))


@given(st.sampled_from(["rows", "columns", "serpentine"]), st.integers(1, 9), st.integers(1, 9))
def test_the_next_number_is_the_next_antenna(numbering: str, rows: int, columns: int) -> None:
    grid = Grid(rows, columns)
    numbers = places.numbered(numbering, grid)
    order = np.array([numbers[str(number)] for number in range(1, grid.size + 1)])
    steps = abs(np.diff(grid.row(order))) + abs(np.diff(grid.column(order)))
    line = columns if numbering in ("rows", "serpentine") else rows
    turns = np.arange(1, grid.size) % line == 0
    assert (steps[~turns] == 1).all()
    assert (steps[turns] == (1 if numbering == "serpentine" else line)).all()


def test_the_rigs_own_numbers_stay() -> None:
    assert places.numbered("columns", Grid(3, 6)) == {str(n): n for n in range(1, 19)}


def test_boards_at_the_right_are_turned_by_half() -> None:
    grid = Grid(8, 12)
    numbers = places.numbered("eeehive", grid)
    assert sorted(numbers.values()) == list(range(1, 97))
    corners = {name: (grid.row(numbers[name]), grid.column(numbers[name])) for name in numbers}
    assert corners["1"] == (4, 0)
    assert corners["24"] == (7, 5)
    assert corners["25"] == (7, 11)
    assert corners["48"] == (4, 6)
    assert corners["49"] == (0, 0)
    assert corners["96"] == (0, 6)
    with pytest.raises(InputError, match="8 x 12"):
        places.numbered("eeehive", Grid(3, 6))


def table(folder: Path, *lines: str) -> Path:
    path = folder / "antennas.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_table_names_places_by_row_and_column(tmp_path: Path) -> None:
    path = table(tmp_path, "antenna,row,column,remark", "COM4_1,2,3,x", "07,1,1,")
    numbers = places.read(path, Grid(3, 6))
    assert numbers == {"COM4_1": 8, "7": 1}
    read = pd.Series(["7", "COM4_1", "9"], dtype="category")
    assert places.of(read, numbers).tolist() == [1, 8, 0]


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("2,4,1", ["line 3", "row '4'", "rows 1 to 3"]),
        ("2,0,1", ["line 3", "row '0'"]),
        ("2,one,1", ["row 'one'"]),
        ("2,1.0,1", ["row '1.0'"]),
        ("1,1,2", ["the antenna 1 a second time"]),
        ("2,1,1", ["the place of the antenna 1"]),
        (",2,2", ["no name of the antenna"]),
    ],
)
def test_places_that_are_none_are_refused(tmp_path: Path, row: str, named: list[str]) -> None:
    with pytest.raises(InputError) as refused:
        places.read(table(tmp_path, "antenna,row,column", "1,1,1", row), Grid(3, 6))
    for text in named:
        assert text in str(refused.value)
