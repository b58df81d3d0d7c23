"""Tables of values separated by commas, as people write them: what is wrong is told by its line.

Standard library only, since every cluster job reads lists of recordings.
"""

import csv
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from murid.errors import InputError, shown

COMMAS = "Separate columns by commas, and write decimals with a point: 10.5."
"""What to do about other separators."""
TABS = "Separate columns by tabs, or name the file .csv where commas separate them."
"""The same where the suffix of a file says tabs."""
_SEPARATORS = (",", ";", "\t", "|")
_LONGEST = 255
"""Letters of a cell with a line break, at most: a longer one is a quote that nobody closed."""


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
    reader = csv.reader(lines, skipinitialspace=True, strict=True, delimiter=separator)
    line = 1
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(path, header, expected, comments, separator)
        yield reader.line_num, header
        line = reader.line_num + 1
        for cells in reader:
            if reader.line_num > line:
                check_quotes(path, (line, reader.line_num), cells, header)
            if any(cells) or len(cells) > len(header):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        if reader.line_num > line:
            raise _unclosed(path, line, reader.line_num) from error
        where = f"line {line}"
        raise InputError(path, f"malformed CSV ({error})", expected, where=where) from error


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
        remedy = "A row must have all its cells, empty ones too: this one may be cut short."
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
    raise _unclosed(path, *lines)


def _unclosed(path: str | Path, first: int, last: int) -> InputError:
    return InputError(
        path, f"a quote that is not closed before line {last}", "cells of one line",
        where=f"line {first}", remedy="Remove the quote, or close it.",
    )  # fmt: skip


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
