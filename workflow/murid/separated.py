"""Tables of values separated by commas, as people write them: what is wrong is told by its line.

Standard library only, since every cluster job reads lists of recordings.
"""

import csv
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from murid.errors import InputError, shown

COMMAS = "Separate columns by commas, and write decimals with a point: 10.5."
"""What to do about other separators."""
TABS = "Separate columns by tabs, or name the file .csv where commas separate them."
"""The same where the suffix of a file says tabs."""
_SEPARATORS = (",", ";", "\t", "|")
_LONGEST = 255
"""Letters of a cell with a line break, at most: a longer one is a quote that nobody closed."""


class TornError(InputError):
    """A row that is none, as others behind it may be.

    Attributes
    ----------
    line
        In which it begins.
    """

    line = 0


class Numbered(NamedTuple):
    """A row: how many lines are before it, its last line, counted from 1, and its cells."""

    before: int
    last: int
    cells: list[str]

    @property
    def first(self) -> int:
        """Its first line."""
        return self.before + 1


def rows(
    path: str | Path,
    lines: Iterable[str],
    expected: str,
    *,
    comments: bool = False,
    separator: str = ",",
) -> Iterator[tuple[int, list[str]]]:
    """Yield line and cells of the header, without spaces around them, and of all that follows.

    Where a row goes on for several lines, its first one is told.

    Blank lines below the header are passed over.

    Parameters
    ----------
    path
        The file, for messages.
    lines
        Its lines, with their ends.
    expected
        What it should hold, for messages: ``CSV in UTF-8 with a header``.
    comments
        Whether the header may begin with ``#``, as VIA's does.
    separator
        What columns are separated by.

    Raises
    ------
    InputError
        If there is no header, or it is a comment or separated otherwise, or what follows is no CSV,
        or has a quote that is not closed.
    """
    lines = iter(lines)
    header = header_row(path, lines, expected, comments, separator)
    yield header.last, header.cells
    for row in body(path, lines, header, expected, separator):
        if any(row.cells) or len(row.cells) > len(header.cells):
            yield row.first, row.cells


def header_row(
    path: str | Path, lines: Iterator[str], expected: str, comments: bool, separator: str
) -> Numbered:
    """Return the header of a table, without spaces around its cells; arguments as :func:`rows`.

    Raises
    ------
    InputError
        If there is none, or it is a comment or separated otherwise.
    """
    reader = _reader(lines, separator)
    try:
        header = [name.strip() for name in next(reader, [])]
    except csv.Error as error:
        raise _torn(path, 1, reader.line_num, error, expected) from error
    _check_header(path, header, expected, comments, separator)
    return Numbered(0, reader.line_num, header)


def body(
    path: str | Path,
    lines: Iterable[str],
    header: Numbered,
    expected: str,
    separator: str,
    before: int | None = None,
) -> Iterator[Numbered]:
    """Yield the rows of a table below its header, blank ones too; arguments as :func:`rows`.

    ``before`` are the lines before ``lines``; without, those of the header.

    Raises
    ------
    TornError
        At the first row that is no CSV, or that has a quote that is not closed.
    """
    start = header.last if before is None else before
    reader = _reader(lines, separator)
    done = start
    try:
        for cells in reader:
            row = Numbered(done, start + reader.line_num, cells)
            if row.last > row.first:
                check_quotes(path, (row.first, row.last), cells, header.cells)
            yield row
            done = row.last
    except csv.Error as error:
        raise _torn(path, done + 1, start + reader.line_num, error, expected) from error


def _reader(lines: Iterable[str], separator: str) -> Any:
    return csv.reader(lines, skipinitialspace=True, strict=True, delimiter=separator)


def _torn(path: str | Path, line: int, last: int, error: csv.Error, expected: str) -> TornError:
    """Return the fault of a row that is no CSV, from the line where it begins to the last read."""
    if last > line or "unexpected end" in str(error):
        return unclosed(path, line, last)
    torn = TornError(path, f"malformed CSV ({error})", expected, where=f"line {line}")
    torn.line = line
    return torn


def check_count(
    path: str | Path, line: int, cells: list[str], header: list[str], separator: str = ","
) -> None:
    """Refuse a line that has more or fewer cells than the header.

    ``separator`` is what columns are separated by.

    Raises
    ------
    InputError
        Naming the line.
    """
    if len(cells) == len(header):
        return
    wrong = f"{len(cells)} cells"
    other = _other_separator(cells, header, separator)
    control = next((sign for cell in cells for sign in cell if _is_control(sign)), "")
    if other:
        wrong, remedy = (
            f"columns separated by {other!r} ({shown(separator.join(cells))})",
            _remedy(separator),
        )
    elif control:
        wrong = f"{wrong} and the control character {control!r} ({shown(','.join(cells))})"
        remedy = "Remove it: a table ends with its last row, and holds text only."
    elif len(cells) < len(header):
        remedy = "A row must have all its cells, empty ones too: this one may be cut short. " + (
            f"Or the header has a cell too many: its cell {header.index('') + 1} is empty."
            if "" in header
            else "If all rows are so, the header has a cell too many."
        )
    else:
        remedy = "Remove what is too much; decimals are written with a point: 10.5."
    raise InputError(
        path, wrong, f"{len(header)}, as the header", where=f"line {line}",
        remedy=remedy,
    )  # fmt: skip


def check_quotes(
    path: str | Path, lines: tuple[int, int], cells: list[str], header: list[str]
) -> None:
    """Refuse a row of several lines that has another number of cells, or a very long one.

    Parameters
    ----------
    path
        The file, for messages.
    lines
        The first and the last line of the row.
    cells, header
        Of the row, and of the file.

    Raises
    ------
    InputError
        Naming both lines.
    """
    if len(cells) == len(header) and max(map(len, cells)) <= _LONGEST:
        return
    raise unclosed(path, *lines)


def unclosed(path: str | Path, first: int, last: int) -> TornError:
    """Return the fault of a row whose quote swallows lines, from its first to the last of them."""
    before = f" before line {last}" if last > first else ""
    torn = TornError(
        path, f"a quote that is not closed{before}", "cells of one line",
        where=f"line {first}", remedy="Remove the quote, or close it.",
    )  # fmt: skip
    torn.line = first
    return torn


def _remedy(separator: str) -> str:
    return TABS if separator == "\t" else COMMAS


def _other_separator(cells: list[str], header: list[str], own: str) -> str:
    """Return what separates the cells of a row instead of its own; "" if nothing seems to."""
    return next(
        (
            sign
            for sign in _SEPARATORS
            if sign != own
            and any(sign in cell for cell in cells)
            and not any(sign in name for name in header)
        ),
        "",
    )


def _is_control(sign: str) -> bool:
    """Tell whether a sign is none that is written; tabs and ends of lines may be."""
    return unicodedata.category(sign) in ("Cc", "Zl", "Zp") and sign not in "\t\r\n"


def _check_header(
    path: str | Path, header: list[str], expected: str, comments: bool, own: str
) -> None:
    if not any(header):
        raise InputError(
            path, "nothing", expected, where="line 1",
            remedy="The first line must name the columns.",
        )  # fmt: skip
    if header[0].startswith("#") and not comments:
        raise InputError(
            path, f"the comment {shown(','.join(header))}", expected, where="line 1",
            remedy="Remove comments, and the # before a header: the first line names the columns.",
        )  # fmt: skip
    for separator in _SEPARATORS:
        if len(header) == 1 and separator in header[0] and separator != own:
            raise InputError(
                path, f"columns separated by {separator!r} ({shown(header[0])})", expected,
                where="line 1", remedy=_remedy(own),
            )  # fmt: skip
