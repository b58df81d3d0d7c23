"""The table of antennas, as people write it: what logs call each, and where it is.

Standard library only: each job looks up the places of antennas that are in no grid.
"""

import math
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from murid import small_tables
from murid.errors import InputError, SeveralErrors, brief
from murid.layout import Place
from murid.small_tables import EMPTY

GRID, PLACED = ("antenna", "row", "column"), ("antenna", "x", "y")
"""Columns of the table, of a grid and of antennas in no grid."""
WHAT = "the places of antennas"
FEWEST = 2
"""Antennas in no grid, at least: one tells nobody from another."""
CAGE = "cage"
"""Column of the table, if cages have antennas of their own at the same places."""
_OF_CAGES = "If antennas are of several cages, name the cage of each in a column cage."
_WHOLE = re.compile(r"0*([0-9]+)(?:[.,]0*)?")

Where = TypeVar("Where", bound=Hashable)


@dataclass(frozen=True)
class Antenna(Generic[Where]):
    """An antenna by the table.

    Attributes
    ----------
    name
        What logs call it.
    place
        Where it is.
    cage
        Whose it is; empty: of any cage.
    """

    name: str
    place: Where
    cage: str = ""

    def beside(self, cage: str) -> bool:
        """Tell whether an antenna of a cage, or of any if that is empty, is in a cage with it."""
        return not (self.cage and cage) or self.cage == cage


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
) -> list["Antenna[Where]"]:
    """Read the place of each antenna.

    Parameters
    ----------
    path
        CSV or TSV.
    columns
        :data:`GRID` or :data:`PLACED`; it may have a column ``cage``, too.
    place_of
        Makes a place of two cells; None, if they are none.
    expected
        What places there are, for messages.

    Raises
    ------
    SeveralErrors
        Naming every row without a place, and every antenna and place that is there twice in a cage.
    InputError
        If it is no such table.
    """
    path = Path(path)
    wrong: list[InputError] = []
    found: list[Antenna[Where]] = []
    by: dict[Hashable, list[Antenna[Where]]] = {}
    for line in small_tables.read(path, columns, (CAGE,), WHAT):
        written, first, second = (line.cells[column] for column in columns)
        name, place, cage = antenna_name(written), place_of(first, second), line.cells[CAGE]
        if place is None:
            given = f"{columns[1]} {brief(first)!r} and {columns[2]} {brief(second)!r}"
            decimal = "Write decimals with a point: 10.5." if "," in first + second else None
            wrong.append(InputError(path, given, expected, where=line.where, remedy=decimal))
            continue
        if not name:
            fault = "no name of the antenna", "the one that logs give it"
            wrong.append(InputError(path, *fault, where=line.where))
            continue
        antenna = Antenna(name, place, cage)
        if any(other.beside(cage) for other in by.get(name, ())):
            fault = f"the antenna {brief(name)} a second time", "each once"
            wrong.append(InputError(path, *fault, where=line.where, remedy=_OF_CAGES))
        elif taken := [other for other in by.get((place,), ()) if other.beside(cage)]:
            fault = f"the place of the antenna {taken[0].name}", "one antenna a place"
            wrong.append(InputError(path, *fault, where=line.where, remedy=_OF_CAGES))
        else:
            found.append(antenna)
            for key in (name, (place,)):
                by.setdefault(key, []).append(antenna)
    if wrong:
        raise SeveralErrors(wrong)
    return found


def read_placed(path: str | Path, width: int, height: int) -> list["Antenna[Place]"]:
    """Read x and y of each antenna in no grid.

    Parameters
    ----------
    path
        CSV or TSV with the columns :data:`PLACED`.
    width, height
        Of the frame of reference, pixels.

    Raises
    ------
    InputError
        As :func:`read`; or if there are fewer than two places.
    """

    def place_of(x: str, y: str) -> Place | None:
        place = _number(x), _number(y)
        return place if 0 <= place[0] <= width and 0 <= place[1] <= height else None

    expected = (
        f"x from 0 to {width} and y from 0 to {height}, pixels of the frame of reference (image)"
    )
    antennas = read(path, PLACED, place_of, expected)
    count = len(all_places(antennas))
    if count < FEWEST:
        raise InputError(
            path, f"{count} antenna{'s' * (count != 1)}",
            f"{FEWEST} or more: where an animal is must differ from where another is",
        )  # fmt: skip
    return antennas


def all_places(antennas: Sequence["Antenna[Place]"]) -> tuple[Place, ...]:
    """Return the places of antennas in no grid, of whichever cages, each once: 1 is the first."""
    return tuple(dict.fromkeys(antenna.place for antenna in antennas))


def read_grid(path: str | Path, rows: int, columns: int) -> list["Antenna[int]"]:
    """Read the number of each antenna of a grid.

    Parameters
    ----------
    path
        CSV or TSV with the columns :data:`GRID`.
    rows, columns
        Of the grid.

    Raises
    ------
    SeveralErrors, InputError
        As :func:`read`; or if there is none.
    """

    def place_of(*place: str) -> int | None:
        if not all(cell.isascii() and cell.isdigit() and len(cell) < 4 for cell in place):
            return None
        row, column = (int(cell) - 1 for cell in place)
        inside = 0 <= row < rows and 0 <= column < columns
        return column * rows + row + 1 if inside else None

    antennas = read(path, GRID, place_of, f"rows 1 to {rows} and columns 1 to {columns}")
    if not antennas:
        raise InputError(
            path, "no antennas", f"one line an antenna below the header: {', '.join(GRID)}"
        )
    return antennas


def cages(path: str | Path) -> dict[str, int]:
    """Return whose antennas a table has, empty for those of any cage, and the line of the first.

    Raises
    ------
    InputError
        If it is no such table.
    """
    rows = small_tables.read(path, (GRID[0],), (CAGE, *GRID[1:], *PLACED[1:]), WHAT)
    found: dict[str, int] = {}
    for row in rows:
        found.setdefault(row.cells[CAGE], row.line)
    return found


def _number(text: str) -> float:
    """Return a number as it is written with a point; NaN if it is none."""
    return float(text) if re.fullmatch(r"[+-]?[0-9]{1,9}(\.[0-9]{0,20})?", text) else math.nan
