"""Which antennas of the rig those of a log are."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from murid.errors import InputError
from murid.grid import Antennas
from murid.readings import antenna_table
from murid.readings.antenna_table import Antenna

_ANYWHERE = (10**6, 10**6)
"""Width and height of a picture in which any place is: that it is in its own is seen to before."""


def numbered(numbering: str, grid: Antennas) -> dict[str, int]:
    """Return the rig's number of each antenna, by the number that the system gives it.

    Parameters
    ----------
    numbering
        One of those that the setting ``readings.numbering`` takes.
    grid
        The antennas.

    Raises
    ------
    InputError
        If no grid of that size is numbered so, or antennas are in none.

    Examples
    --------
    >>> from murid.grid import Grid
    >>> numbered("rows0", Grid(2, 3))
    {'0': 1, '1': 3, '2': 5, '3': 2, '4': 4, '5': 6}
    """
    if grid.places is not None:
        raise InputError(
            "configuration", "antennas in no grid", "what logs call each of them", where="key grid",
            remedy="Name a table of them in the settings (antennas).",
        )  # fmt: skip
    rows, columns = grid.rows, grid.columns
    places = [(row, column) for row in range(rows) for column in range(columns)]
    if numbering.startswith("columns"):
        places.sort(key=lambda place: place[::-1])
    elif numbering == "serpentine":
        places = [(row, column if row % 2 == 0 else columns - 1 - column) for row, column in places]
    elif numbering == "eeehive":
        places = _boards(grid)
    return {
        str(number): column * rows + row + 1
        for number, (row, column) in enumerate(places, start=0 if numbering.endswith("0") else 1)
    }


def _boards(grid: Antennas) -> list[tuple[int, int]]:
    """Return row and column of each antenna of four boards of 4 x 6, in front the first two.

    Raises
    ------
    InputError
        If the grid is another.
    """
    if (grid.rows, grid.columns) != (8, 12):
        raise InputError(
            "configuration", f"a grid of {grid.rows} x {grid.columns}",
            "8 x 12, which four boards are", where="key grid",
        )  # fmt: skip
    board = [(row, column) for row in range(4) for column in range(6)]
    places = []
    for down, right in ((4, 0), (4, 6), (0, 0), (0, 6)):
        turned = board[::-1] if right else board
        places += [(down + row, right + column) for row, column in turned]
    return places


def read(path: str | Path, grid: Antennas, cage: str = "") -> dict[str, int]:
    """Read the table of antennas: the rig's number of each of a cage, by what the system calls it.

    Parameters
    ----------
    path
        CSV or TSV with the columns ``antenna``, as it stands in logs, and either ``row``, from 1 at
        the back of the cage, and ``column``, from 1 at the left of the image; or ``x`` and ``y``,
        pixels of the frame of reference: then places are numbered as they follow each other. A
        column ``cage`` tells whose an antenna is; where that is empty, it is of any.
    grid
        The antennas that there are.
    cage
        Whose are asked for.

    Raises
    ------
    SeveralErrors
        Naming every row whose place is none of the grid, and every antenna and place that is there
        twice in a cage.
    InputError
        If it is no such table, or not that of these antennas, or has none of the cage.
    """
    if antenna_table.is_placed(path):
        placed = antenna_table.read_placed(path, *_ANYWHERE)
        places = antenna_table.all_places(placed)
        if places != grid.places:
            raise InputError(
                path, "antennas in other places than the settings say (grid.places)", "the same",
                remedy="Run it anew, now that the table has changed.",
            )  # fmt: skip
        antennas: Sequence[Antenna[int]] = [
            Antenna(each.name, 1 + places.index(each.place), each.cage) for each in placed
        ]
    else:
        antennas = antenna_table.read_grid(path, grid.rows, grid.columns)
    own = {each.name: each.place for each in antennas if each.cage in ("", cage)}
    if not own:
        raise InputError(
            path, f"no antenna of cage {cage}", "some, or some of any cage, without a name in the "
            "column cage",
        )  # fmt: skip
    return own


def alone(numbers: Mapping[str, int]) -> dict[str, int]:
    """Return the numbers of antennas of one place by their names without it.

    A log in which only one place is read calls its antennas so
    (:func:`murid.readings.reads.in_place`).

    Examples
    --------
    >>> alone({"2_1": 1, "2_4": 3}), alone({"1_1": 1, "2_1": 2})
    ({'1': 1, '4': 3}, {})
    """
    parts = {name: name.rpartition("_") for name in numbers}
    places = {place for place, _, _ in parts.values()}
    if len(places) != 1 or "" in places:
        return {}
    return {parts[name][2]: number for name, number in numbers.items()}


def called(numbers: Mapping[str, int]) -> dict[str, str]:
    """Return what the table of antennas calls each that a log of one place names without it.

    Examples
    --------
    >>> called({"2_1": 1, "2_4": 3}), called({"1_1": 1, "2_1": 2})
    ({'1': '2_1', '4': '2_4'}, {})
    """
    names = {number: name for name, number in numbers.items()}
    return {name: names[number] for name, number in alone(numbers).items() if name not in numbers}


def of(antennas: pd.Series, numbers: Mapping[str, int]) -> pd.Series:
    """Return the rig's number of each antenna that was read; 0 where it has none.

    Parameters
    ----------
    antennas
        (reads,), text or categories.
    numbers
        As :func:`numbered` and :func:`read` give them.
    """
    return antennas.astype(object).map(numbers).fillna(0).astype("int64")
