"""Tables that people write, of which a row that cannot be read is no matter to the others.

Standard library only: planning and every cluster job read some.
"""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from murid import files, separated
from murid.errors import InputError, shown

_OTHER_SEPARATOR = re.compile(r"[,;\t|]|\s{2,}")
_SURROGATE = re.compile("[\udc80-\udcff]")


class Read(NamedTuple):
    """A row as it is read: its first line, its cells, and what is wrong with it.

    One of several lines is told by the first. The cells of one with a fault are those that can be
    read, perhaps with another separator, up to where it may have been cut off.
    """

    line: int
    cells: list[str]
    fault: InputError | None = None


def rows(path: Path, expected: str, separator: str, limit: int = files.LARGEST) -> Iterator[Read]:
    """Yield the header of a table, then its rows, but for blank ones.

    A row with more or fewer cells than the header, a quote that is not closed, zero bytes or
    letters that are not UTF-8 is a fault of its own line alone.

    Parameters
    ----------
    path
        The file.
    expected
        What it should hold, for messages.
    separator
        What columns are separated by.
    limit
        Size at most, bytes.

    Raises
    ------
    InputError
        If it cannot be read, is no text, or its header is none.
    """
    lines = list(io.StringIO(_text(path, expected, limit), newline=""))
    header = separated.header_row(path, iter(lines), expected, False, separator)
    yield Read(header.last, _readable(header.cells))
    begun = header.last
    while begun < len(lines):
        rest = (lines[number] for number in range(begun, len(lines)))
        try:
            for row in separated.body(path, rest, header, expected, separator, begun):
                _check_lines(path, lines[row.before : row.last], row, header.cells, separator)
                begun = row.last
                if any(row.cells) or len(row.cells) > len(header.cells):
                    yield _checked(path, row.first, row.cells, header.cells, separator, expected)
            return
        except separated.TornError as torn:
            # What a quote swallowed are rows of their own: only the line that it is in is lost.
            begun = torn.line
            cells = _legible([lines[begun - 1].strip("\r\n")], len(header.cells), separator)
            yield Read(begun, _readable([cell.strip(' "') for cell in cells]), torn)


def _text(path: Path, expected: str, limit: int) -> str:
    """Return the text of a file, in which bytes that are not UTF-8 are lone surrogates."""
    data = files.read_bytes(path, expected, limit)
    # Zero bytes further down are damage to a row; in the first, the text is in another encoding.
    files.refuse_other(path, data[: files.HEAD].partition(b"\n")[0], expected)
    return data.decode("utf-8-sig", "surrogateescape")


def _check_lines(
    path: Path, lines: list[str], row: separated.Numbered, header: list[str], separator: str
) -> None:
    """Refuse a row of several lines of which one is a row by itself that should not be.

    A row may begin in its first line with all cells but the rest of its last one; or, if the first
    cell has several lines, end with all in its last line.
    """
    if len(lines) < 2:
        return
    within = lines[:-1] if any(sign in row.cells[0] for sign in "\r\n") else lines[1:]
    if any(line.count(separator) >= len(header) - 1 for line in within):
        raise separated.unclosed(path, row.first, row.last)


def _checked(
    path: Path, line: int, cells: list[str], header: list[str], separator: str, expected: str
) -> Read:
    """Return a row with what is wrong with it, if anything is."""
    damaged = next((cell for cell in cells if _SURROGATE.search(cell)), None)
    zeros = next((cell for cell in cells if "\0" in cell), None)
    try:
        if damaged is not None:
            raise files.not_utf8_in(
                path, f"line {line}", damaged.encode("utf-8", "surrogateescape"), expected
            )
        if zeros is not None:
            raise InputError(
                path, f"zero bytes ({shown(zeros)})", "letters, digits and signs",
                where=f"line {line}",
                remedy="Write the row anew: a copy that broke off, or a program, left them there.",
            )  # fmt: skip
        separated.check_count(path, line, cells, header, separator)
    except InputError as error:
        cells = cells if len(cells) == len(header) else _legible(cells, len(header), separator)
        return Read(line, _readable(cells), error)
    return Read(line, cells)


def _readable(cells: list[str]) -> list[str]:
    """Return cells in which a sign stands for each byte that is not UTF-8: any file takes them."""
    return [_SURROGATE.sub("\ufffd", cell) for cell in cells]


def _legible(cells: list[str], count: int, separator: str) -> list[str]:
    """Return the cells of a torn row that are whole, in their places, as far as can be told."""
    if len(cells) == 1:
        own = cells[0].split(separator)
        cells = own if len(own) > 1 else _OTHER_SEPARATOR.split(cells[0])
    # The last cell of a row that was cut off may be half of one.
    return cells[:-1] if len(cells) < count else cells[:count]
