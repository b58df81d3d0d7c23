"""Tables of values separated by commas, as people write them: what is wrong is told by its line.

Standard library only, since every cluster job reads lists of recordings.
"""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from murid.errors import InputError, shown

COMMAS = "Separate columns by commas, and write decimals with a point: 10.5."
"""What to do about other separators."""


def rows(
    path: str | Path, lines: Iterable[str], expected: str, *, comments: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield line and cells of the header, without spaces around them, and of all that follows.

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

    Raises
    ------
    InputError
        If there is no header, or it is a comment or separated otherwise, or what follows is no CSV.
    """
    reader = csv.reader(lines, skipinitialspace=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(path, header, expected, comments)
        yield reader.line_num, header
        for cells in reader:
            if any(cells) or len(cells) > len(header):
                yield reader.line_num, cells
    except csv.Error as error:
        where = f"line {reader.line_num}"
        raise InputError(path, f"malformed CSV ({error})", expected, where=where) from error


def check_count(path: str | Path, line: int, cells: list[str], header: list[str]) -> None:
    """Refuse a line that has more or fewer cells than the header.

    Raises
    ------
    InputError
        Naming the line.
    """
    if len(cells) == len(header):
        return
    if len(cells) < len(header):
        remedy = "A row must have all its cells, empty ones too: this one may be cut short."
    else:
        remedy = "Remove what is too much; decimals are written with a point: 10.5."
    raise InputError(
        path, f"{len(cells)} cells", f"{len(header)}, as the header", where=f"line {line}",
        remedy=remedy,
    )  # fmt: skip


def _check_header(path: str | Path, header: list[str], expected: str, comments: bool) -> None:
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
    for separator in (";", "\t", "|"):
        if len(header) == 1 and separator in header[0]:
            raise InputError(
                path, f"columns separated by {separator!r} ({shown(header[0])})", expected,
                where="line 1", remedy=COMMAS,
            )  # fmt: skip
