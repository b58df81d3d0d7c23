"""A sheet gets rows more, and stays as it is otherwise, byte for byte."""

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import MISSING, fields
from pathlib import Path

from murid.errors import InputError
from murid.files import replacing
from murid.sheet import MOST_BYTES, Segment, cells_of, lines_of, parse

DEFAULTS = {field.name: field.default for field in fields(Segment) if field.default is not MISSING}


def header_of(text: str) -> list[str]:
    """Return the columns of a sheet, which has some."""
    rows = (
        [cell.strip() for cell in row]
        for row in csv.reader(io.StringIO(text, newline=""), delimiter="\t")
    )
    return next(row for row in rows if any(row) and not row[0].startswith("#"))


def commented_out(text: str) -> set[str]:
    """Return the cells of lines that the sheet does not count.

    Examples
    --------
    >>> sorted(commented_out("cage\\tvideo\\n# A\\tv 1.mp4\\nB\\tv.mp4\\n"))
    ['A', 'v 1.mp4']
    """
    lines = (line.strip() for line in io.StringIO(text, newline=""))
    marked = (line.lstrip("# ") for line in lines if line.startswith("#"))
    return {cell.strip() for line in marked for cell in line.split("\t")}


def add_rows(path: Path, data: bytes, segments: Sequence[Segment]) -> None:
    """Write a sheet with rows more at its end, under a temporary name, then rename.

    Parameters
    ----------
    path
        The sheet.
    data
        What it holds, which is a sound sheet.
    segments
        What it does not list yet, one at least.

    Raises
    ------
    InputError
        If it lacks a column that is needed, would be larger than any sheet, or could not be read
        back as it is.
    """
    text = data.removeprefix(codecs.BOM_UTF8).decode()
    header = header_of(text)
    needed = [
        name
        for name in DEFAULTS
        if name not in header and any(_says(segment, name) for segment in segments)
    ]
    if needed:
        raise InputError(
            path, f"a header without {', '.join(needed)}", "all columns that the new rows need",
            where="line of the header",
            remedy="Add them at its end, and a tab at the end of every row for each.",
        )  # fmt: skip
    found = re.search("\r\n|\r|\n", text)
    end = found[0] if found else "\n"
    added = "" if text.endswith(("\n", "\r")) else end
    added += lines_of((cells_of(segment, header) for segment in segments), end)
    whole = data + added.encode()
    if len(whole) > MOST_BYTES:
        raise InputError(
            path, f"{len(whole) / 2**20:,.0f} MiB with the new rows",
            f"{MOST_BYTES / 2**20:,.0f} MiB at most",
        )  # fmt: skip
    read = parse(path, text + added)
    for segment in segments:
        if read[segment.cage, segment.segment] != segment:
            raise InputError(
                path, f"{segment}, which would be read in another way",
                "values without spaces around them", where=f"{segment.cage} {segment.segment}",
            )  # fmt: skip
    with replacing(path) as temporary:
        temporary.write_bytes(whole)


def _says(segment: Segment, name: str) -> bool:
    """Tell whether a row needs a column, since what it says is not said by its absence."""
    if name == "fps":
        return not segment.fps_assumed
    return name != "fps_assumed" and getattr(segment, name) != DEFAULTS[name]
