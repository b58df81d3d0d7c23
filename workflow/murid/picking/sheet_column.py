"""A sheet gets cells that were empty filled, and stays as it is otherwise, byte for byte."""

import codecs
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from murid.errors import InputError
from murid.files import read_bytes, replacing
from murid.listing.extend import header_of
from murid.sheet import MOST_BYTES, Segment, is_path, parse

COLUMN = "annotations"
Key = tuple[str, str]


def check(path: Path) -> None:
    """Refuse a sheet that has no column to fill.

    Raises
    ------
    InputError
        If it has none, or as :func:`murid.files.read_bytes`.
    """
    header = header_of(_text(_data(path)))
    if COLUMN not in header:
        raise InputError(
            path, f"a header without {COLUMN}", "a column to name the projects in",
            where="line of the header",
            remedy="Add it at its end, and a tab at the end of every row.",
        )  # fmt: skip


def refuse_strange(path: Path, projects: Mapping[Key, str]) -> None:
    """Refuse paths that no sheet may name.

    Raises
    ------
    InputError
        Naming the first.
    """
    for (cage, segment), project in projects.items():
        if not is_path(project):
            raise InputError(
                path, f"the path {project!r}", "a path without braces and angle brackets",
                where=f"{cage} {segment}", remedy="Write the pictures to another folder.",
            )  # fmt: skip


def fill(path: Path, projects: Mapping[Key, str]) -> None:
    """Write into a sheet which annotations segments have, under a temporary name, then rename.

    Parameters
    ----------
    path
        The sheet.
    projects
        What to write, by cage and segment, of which the cells are empty.

    Raises
    ------
    InputError
        As :func:`check`; if a path is none that a sheet may name, or the sheet could not be read
        back as it is meant.
    """
    refuse_strange(path, projects)
    check(path)
    data = _data(path)
    text = _text(data)
    before = parse(path, text)
    columns = [header_of(text).index(name) for name in ("cage", "segment", COLUMN)]
    lines = [*io.StringIO(text, newline="")]
    filled = [_filled(line, columns, projects) for line in lines]
    changed = sum(new != old for new, old in zip(filled, lines, strict=True))
    after = "".join(filled)
    expected: dict[Key, Segment] = {
        key: replace(row, annotations=projects.get(key, row.annotations))
        for key, row in before.items()
    }
    if changed != len(projects) or parse(path, after) != expected:
        raise InputError(
            path, "cells with quotes or breaks, which cannot be filled safely",
            "a line a segment, cells separated by tabs",
            remedy=f"Fill the column {COLUMN} yourself.",
        )  # fmt: skip
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    with replacing(path) as temporary:
        temporary.write_bytes(mark + after.encode())


def _data(path: Path) -> bytes:
    return read_bytes(path, "a sample sheet, UTF-8", MOST_BYTES)


def _text(data: bytes) -> str:
    return data.removeprefix(codecs.BOM_UTF8).decode()


def _filled(line: str, columns: list[int], projects: Mapping[Key, str]) -> str:
    """Return a line, filled if it is the row of one of the segments."""
    row = line.rstrip("\r\n")
    end = line[len(row) :]
    cells = row.split("\t")
    if row.lstrip().startswith("#") or len(cells) <= max(columns):
        return line
    cage, segment = (cells[column].strip().strip('"') for column in columns[:2])
    project = projects.get((cage, segment))
    if project is None or cells[columns[2]].strip().strip('"'):
        return line
    cells[columns[2]] = project
    return "\t".join(cells) + end
