"""Where antennas are: numberings of systems, and tables of places."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murid.errors import InputError
from murid.grid import Grid, Placed
from murid.readings import antenna_table, places
from readme_blocks import blocks

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


def test_a_table_without_antennas_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no antennas; expected one line an antenna .* column"):
        places.read(table(tmp_path, "antenna,row,column"), Grid(3, 6))


# Several cages

CORNERS = [f"{cage}_{corner},{cage},{1 + corner // 3},{2 - corner % 2}" for cage in (1, 2)
           for corner in (1, 2, 3, 4)]  # fmt: skip


def test_cages_may_have_antennas_of_their_own_at_the_same_places(tmp_path: Path) -> None:
    path = table(tmp_path, "antenna,cage,row,column", *CORNERS, "door,,1,3")
    for cage in "12":
        assert places.read(path, Grid(3, 6), cage) == {
            f"{cage}_1": 1, f"{cage}_2": 4, f"{cage}_3": 2, f"{cage}_4": 5, "door": 7
        }  # fmt: skip
    assert places.read(path, Grid(3, 6), "3") == {"door": 7}


def test_an_antenna_may_have_one_name_in_several_cages(tmp_path: Path) -> None:
    path = table(tmp_path, "antenna,cage,x,y", "1,A,10,20", "2,A,30,40", "1,B,30,40", "2,B,50,60")
    grid = Placed(antenna_table.all_places(antenna_table.read_placed(path, 1280, 720)))
    assert grid.places == ((10, 20), (30, 40), (50, 60))
    assert places.read(path, grid, "A") == {"1": 1, "2": 2}
    assert places.read(path, grid, "B") == {"1": 2, "2": 3}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["1_1,,1,1", "2_1,,1,1"], "line 3: found the place of the antenna 1_1"),
        (["1_1,A,1,1", "2_1,A,1,1"], "line 3: found the place of the antenna 1_1"),
        (["1_1,A,1,1", "2_1,,1,1"], "line 3: found the place of the antenna 1_1"),
        (["1,,1,1", "1,A,1,2"], "line 3: found the antenna 1 a second time"),
        (["1,A,1,1", "1,B,1,1", "1,B,1,2"], "line 4: found the antenna 1 a second time"),
    ],
)
def test_in_a_cage_each_antenna_and_place_is_there_once_and_a_column_cage_is_the_remedy(
    tmp_path: Path, rows: list[str], told: str
) -> None:
    path = table(tmp_path, "antenna,cage,row,column", *rows)
    with pytest.raises(InputError) as refused:
        places.read(path, Grid(3, 6), "A")
    assert told in str(refused.value)
    assert "name the cage of each in a column cage" in str(refused.value)


def test_a_cage_without_antennas_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "antenna,cage,row,column", *CORNERS)
    with pytest.raises(InputError, match="no antenna of cage A"):
        places.read(path, Grid(3, 6), "A")


# Antennas in no grid


def test_antennas_in_no_grid_are_numbered_as_their_table_has_them(tmp_path: Path) -> None:
    path = table(tmp_path, "Y,Antenna,X,remark", "20.5,nest,10,a", "30,07,640,b", "0,drinker,0,c")
    found = antenna_table.read_placed(path, 1280, 720)
    named = [(each.name, each.place) for each in found]
    assert named == [("nest", (10, 20.5)), ("7", (640, 30)), ("drinker", (0, 0))]
    grid = Placed(antenna_table.all_places(found))
    assert places.read(path, grid) == {"nest": 1, "7": 2, "drinker": 3}
    read = pd.Series(["drinker", "7", "door"], dtype="category")
    assert places.of(read, places.read(path, grid)).tolist() == [3, 2, 0]


def test_a_table_of_other_places_than_the_settings_have_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "antenna,x,y", "1,10,20", "2,30,40")
    for grid in (Grid(1, 2), Placed(((10.0, 20.0), (31.0, 40.0)))):
        with pytest.raises(InputError, match="other places than the settings say"):
            places.read(path, grid)


def test_numberings_are_of_grids(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"antennas in no grid.*Name a table of them"):
        places.numbered("columns", Placed(((10.0, 20.0), (30.0, 40.0))))


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ("2,1281,20", ["line 3", "x '1281' and y '20'", "x from 0 to 1280 and y from 0 to 720"]),
        ("2,-1,20", ["line 3", "x '-1'"]),
        ("2,20,720.5", ["y '720.5'", "pixels of the frame of reference (image)"]),
        ("2,left,20", ["x 'left'"]),
        ("2,,20", ["x ''"]),
        ("2,nan,20", ["x 'nan'"]),
        ("2,inf,20", ["x 'inf'"]),
        ("2,1e2,20", ["x '1e2'"]),
        ("2,10,20.0", ["the place of the antenna 1", "one antenna a place"]),
        ("1,30,40", ["the antenna 1 a second time"]),
        (",30,40", ["no name of the antenna"]),
    ],
)
def test_places_that_cannot_be_are_refused(tmp_path: Path, row: str, named: list[str]) -> None:
    path = table(tmp_path, "antenna,x,y", "1,10,20", row, "3,500,300")
    with pytest.raises(InputError) as refused:
        antenna_table.read_placed(path, 1280, 720)
    for text in [str(path), *named]:
        assert text in str(refused.value)


def test_decimals_have_a_point(tmp_path: Path) -> None:
    path = tmp_path / "antennas.tsv"
    path.write_text("antenna\tx\ty\n1\t10,5\t20\n2\t30\t40\n")
    with pytest.raises(InputError, match=r"x '10,5'.*Write decimals with a point: 10.5"):
        antenna_table.read_placed(path, 1280, 720)


@pytest.mark.parametrize(("rows", "found"), [((), "0 antennas"), (("1,10,20",), "1 antenna;")])
def test_fewer_than_two_tell_nobody_from_another(
    tmp_path: Path, rows: tuple[str, ...], found: str
) -> None:
    with pytest.raises(InputError, match=rf"found {found}.*2 or more"):
        antenna_table.read_placed(table(tmp_path, "antenna,x,y", *rows), 1280, 720)


@pytest.mark.parametrize(
    ("header", "named"),
    [
        ("antenna,row,column,x,y", ["the columns antenna, row, column, x, y", "Leave out"]),
        ("antenna,row,x,y", ["either row and column of a grid, or x and y"]),
        ("antenna,place", ["the columns antenna, place", "or x and y, pixels"]),
        ("name,X,Y", ["line 1, column antenna"]),
        ("antenna,x", ["line 1, column y"]),
        ("antenna,x,y,x", ["the column x twice"]),
    ],
)
def test_a_table_is_of_a_grid_or_of_places_and_not_of_both(
    tmp_path: Path, header: str, named: list[str]
) -> None:
    path = table(tmp_path, header)
    with pytest.raises(InputError) as refused:
        antenna_table.is_placed(path) and antenna_table.read_placed(path, 1280, 720)
    for text in [str(path), *named]:
        assert text in str(refused.value)


def test_the_table_of_the_documentation_is_read(tmp_path: Path, root: Path) -> None:
    (text,) = blocks((root / "config/README.md").read_text())["A table of antennas in no grid"]
    named = antenna_table.read_placed(table(tmp_path, text.strip()), 1280, 720)
    assert [each.name for each in named] == ["1", "2", "3", "drinker"]
