"""The table of antennas, as people write it: what logs call each, and where it is.

Standard library only: each job looks up the places of antennas that are in no grid.
"""

import math
import re
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TypeVar

from murid import small_tables
from murid.errors import InputError, SeveralErrors, brief
from murid.layout import Place
from murid.small_tables import EMPTY

GRID, PLACED = ("antenna", "row", "column"), ("antenna", "x", "y")
"""Columns of the table, of a grid and of antennas in no grid."""
WHAT = "the places of antennas"
FEWEST = 2
"""Antennas in no grid, at least: one tells nobody from another."""
_WHOLE = re.compile(r"0*([0-9]+)(?:[.,]0*)?")

Where = TypeVar("Where", bound=Hashable)


def antenna_name(text: str) -> str:
    """Return the name of an antenna as it is written everywhere; "" for none.

    Examples
    --------
    >>> antenna_name("014"), antenna_name(" 14.0"), antenna_name("COM4_3"), antenna_name("nan")
    ('14', '14', 'COM4_3', '')
    """
    text = text.strip()
    whole = _WHOLE.fullmatch(text)
    if whole:
        return whole[1]
    return "" if text.lower() in EMPTY else text


def is_placed(path: str | Path) -> bool:
    """Tell whether a table has the places of antennas in no grid, x and y, or row and column.

    Raises
    ------
    InputError
        If it has neither, or both, or is no table.
    """
    names = small_tables.columns(path, WHAT)
    grid, placed = (any(name in names for name in kind[1:]) for kind in (GRID, PLACED))
    if grid != placed:
        return placed
    raise InputError(
        path, f"the columns {', '.join(names)}",
        f"{WHAT}, either {' and '.join(GRID[1:])} of a grid, or {' and '.join(PLACED[1:])}, pixels "
        "of the frame of reference, of antennas in no grid",
        where="line 1",
        remedy="Leave out the columns of the other kind." if grid else None,
    )  # fmt: skip


def read(
    path: str | Path,
    columns: tuple[str, ...],
    place_of: Callable[[str, str], Where | None],
    expected: str,
) -> dict[str, Where]:
    """Read the place of each antenna, by what the system calls it.

    Parameters
    ----------
    path
        CSV or TSV.
    columns
        :data:`GRID` or :data:`PLACED`.
    place_of
        Makes a place of two cells; None, if they are none.
    expected
        What places there are, for messages.

    Raises
    ------
    SeveralErrors
        Naming every row without a place, and every antenna and place that is there twice.
    InputError
        If it is no such table.
    """
    path = Path(path)
    wrong: list[InputError] = []
    places: dict[str, Where] = {}
    taken: dict[Where, str] = {}
    for line in small_tables.read(path, columns, (), WHAT):
        written, first, second = (line.cells[column] for column in columns)
        name, place = antenna_name(written), place_of(first, second)
        fault: tuple[str, str] | None = None
        if place is None:
            found = f"{columns[1]} {brief(first)!r} and {columns[2]} {brief(second)!r}"
            fault = found, expected
        elif not name:
            fault = "no name of the antenna", "the one that logs give it"
        elif name in places:
            fault = f"the antenna {brief(name)} a second time", "each once"
        elif place in taken:
            fault = f"the place of the antenna {taken[place]}", "one antenna a place"
        else:
            places[name] = place
            taken[place] = name
        if fault:
            decimal = "Write decimals with a point: 10.5." if "," in first + second else None
            wrong.append(InputError(path, *fault, where=line.where, remedy=decimal))
    if wrong:
        raise SeveralErrors(wrong)
    return places


def read_placed(path: str | Path, width: int, height: int) -> dict[str, Place]:
    """Read x and y of each antenna in no grid, by what the system calls it; the first is number 1.

    Parameters
    ----------
    path
        CSV or TSV with the columns :data:`PLACED`.
    width, height
        Of the frame of reference, pixels.

    Raises
    ------
    InputError
        As :func:`read`; or if there are fewer than two.
    """

    def place_of(x: str, y: str) -> Place | None:
        place = _number(x), _number(y)
        return place if 0 <= place[0] <= width and 0 <= place[1] <= height else None

    expected = (
        f"x from 0 to {width} and y from 0 to {height}, pixels of the frame of reference (image)"
    )
    places = read(path, PLACED, place_of, expected)
    if len(places) < FEWEST:
        raise InputError(
            path, f"{len(places)} antenna{'s' * (len(places) != 1)}",
            f"{FEWEST} or more: where an animal is must differ from where another is",
        )  # fmt: skip
    return places


def read_grid(path: str | Path, rows: int, columns: int) -> dict[str, int]:
    """Read the number of each antenna of a grid, by what the system calls it.

    Parameters
    ----------
    path
        CSV or TSV with the columns :data:`GRID`.
    rows, columns
        Of the grid.

    Raises
    ------
    SeveralErrors, InputError
        As :func:`read`.
    """

    def place_of(*place: str) -> int | None:
        if not all(cell.isascii() and cell.isdigit() and len(cell) < 4 for cell in place):
            return None
        row, column = (int(cell) - 1 for cell in place)
        inside = 0 <= row < rows and 0 <= column < columns
        return column * rows + row + 1 if inside else None

    places = read(path, GRID, place_of, f"rows 1 to {rows} and columns 1 to {columns}")
    if not places:
        raise InputError(
            path, "no antennas", f"one line an antenna below the header: {', '.join(GRID)}"
        )
    return places


def _number(text: str) -> float:
    """Return a number as it is written with a point; NaN if it is none."""
    return float(text) if re.fullmatch(r"[+-]?[0-9]{1,9}(\.[0-9]{0,20})?", text) else math.nan
