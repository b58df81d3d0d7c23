"""Predictions of DeepLabCut, CSV or HDF5: boxes around the body parts of each individual.

CSV has four rows of header (scorer, individuals, bodyparts, coords) and a row a frame; without
individuals, three. HDF5 has the same as a table of pandas, in its form ``table``, or in ``fixed``
from movement and others that write for DeepLabCut. Parts of the individual ``single`` are
no animal's. Parts whose likelihood is not above :data:`ABOVE`, as DeepLabCut's own ``pcutoff``, are
not seen.

Individuals last for the whole video: were they tracklets, an exchange could not be put right. So
boxes are in none, but keep the individual's name, and the line (CSV) or row (HDF5, from 0).
"""

import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import files, hdf5, separated
from murid.archive import body_parts, pickles
from murid.archive.body_parts import Floats
from murid.archive.columns import Columns
from murid.archive.formats import Format, Source
from murid.errors import InputError, brief, shown

ABOVE = 0.6
"""Likelihood above which a part is seen."""
_EXPECTED = "predictions of DeepLabCut: scorer, individuals, bodyparts, coords"
_SINGLE = "single"
_LEVELS = 4
"""Of names of columns: scorer, individual, part, coordinate; of one animal without the second."""
_COORDS = ("x", "y", "likelihood")
_MOST_COLUMNS = 10 * files.MOST_COLUMNS

Name = tuple[str, str, str]
"""Individual, part, and one of the coordinates."""


class _Found(NamedTuple):
    """What a file holds: frame and number of each row, names of the columns, and their values."""

    frames: Floats
    rows: NDArray[np.int64]
    names: list[Name]
    values: Floats


def read(source: Source) -> Columns:
    """Return a box for each individual and frame.

    Raises
    ------
    InputError
        If the file is missing or damaged or of another kind, a cell is no number, or a frame is
        there twice; naming it.
    """
    path = source.path
    found = _from_csv(path) if path.suffix.lower() == ".csv" else _from_hdf5(path)
    _refuse_repeats(path, found.frames)
    individuals, places, scores = _parts(path, found.names, found.values)
    repeated = np.repeat(found.frames, len(individuals))
    origin = {
        "source_row": np.repeat(found.rows, len(individuals)),
        "source_track": np.tile(np.array(individuals, dtype=object), len(found.rows)),
    }
    flat = (-1, *places.shape[2:])
    parts = scores.reshape(flat[:2])
    return body_parts.boxes(path, repeated, places.reshape(flat), parts, above=ABOVE, origin=origin)


def _from_csv(path: Path) -> _Found:
    text = files.read_text(path, _EXPECTED)
    rows = separated.rows(path, io.StringIO(text, newline=""), _EXPECTED)
    _, scorers = next(rows)
    header: dict[str, list[str]] = {}
    lines, cells = [], []
    for line, row in rows:
        separated.check_count(path, line, row, scorers)
        if "coords" in header:
            lines.append(line)
            cells.append(row)
        else:
            header[row[0].strip()] = [cell.strip() for cell in row[1:]]
        if len(header) > 3:
            break
    if not {"bodyparts", "coords"} <= set(header) <= {"individuals", "bodyparts", "coords"}:
        found = f"rows of header {brief(', '.join(header))}"
        raise InputError(path, found, _EXPECTED, where="the first lines")
    names = _names(header.get("individuals"), header["bodyparts"], header["coords"])
    titles = ["frame", *(" ".join(filter(None, name)) for name in names)]
    _check_names(path, names)
    frame = pd.DataFrame(cells, lines, titles, dtype=object)
    table = Columns(path, frame, unit="line")
    values = [table.numbers(title) for title in titles[1:]]
    frames = table.frames().astype(np.float64)
    return _Found(frames, np.array(lines), names, np.column_stack(values))


def _refuse_repeats(path: Path, frames: Floats) -> None:
    """Refuse a file in which a frame has two rows: each animal would have two boxes in it."""
    kinds, count = np.unique(frames, return_counts=True)
    if len(kinds) < len(frames):
        repeated = kinds[count > 1]
        raise InputError(
            path, f"{len(repeated):,} frames twice or more often", "one row a frame",
            where=f"frame {repeated[0]:g}",
            remedy="Files of several videos may have been joined: give each segment its own.",
        )  # fmt: skip


def _names(individuals: list[str] | None, parts: list[str], coords: list[str]) -> list[Name]:
    return list(zip(individuals or [""] * len(parts), parts, coords, strict=True))


def _from_hdf5(path: Path) -> _Found:
    with hdf5.opened(path, _EXPECTED) as file:
        groups = _tables(file)
        if len(groups) != 1:
            raise InputError(path, f"{len(groups)} tables of pandas", _EXPECTED)
        if file.has(f"{groups[0]}/table"):
            return _from_table(path, file, groups[0])
        return _from_fixed(path, file, groups[0])


def _tables(file: hdf5.Hdf5) -> list[str]:
    """Return the names of the tables of pandas, in either form."""
    return [
        name
        for name in file.names()
        if file.has(f"{name}/table") or file.has(f"{name}/block0_values")
    ]


def _from_table(path: Path, file: hdf5.Hdf5, group: str) -> _Found:
    table = file.array(f"{group}/table")
    fields = table.dtype.names or ()
    blocks = [name for name in fields if name.startswith("values_block_")]
    names: list[Name] = []
    for block in blocks:
        listed = file.about(f"{group}/table", f"{block}_kind", b"")
        names += _named(path, block, listed, table.dtype[block].shape)
    if "index" not in fields or table.dtype["index"].kind not in "iu" or not blocks:
        raise _not_by_frames(path, f"a table of {brief(', '.join(fields))}")
    if any(table.dtype[block].base.kind != "f" for block in blocks):
        raise InputError(path, "a table without numbers", _EXPECTED, where=group)
    _check_names(path, names)
    values = np.concatenate([table[block].astype(np.float64) for block in blocks], axis=1)
    return _Found(table["index"].astype(np.float64), np.arange(len(table)), names, values)


def _from_fixed(path: Path, file: hdf5.Hdf5, group: str) -> _Found:
    """Read the form ``fixed``: columns of one kind in one block, since all are numbers."""
    if file.has(f"{group}/block1_values"):
        raise InputError(path, "columns of several kinds", _EXPECTED, where=group)
    if not file.has(f"{group}/axis1"):
        raise _not_by_frames(path, "a table without numbers of rows")
    frames = file.array(f"{group}/axis1")
    if frames.ndim != 1 or frames.dtype.kind not in "iu":
        raise _not_by_frames(path, f"rows by {frames.dtype}")
    values = file.numbers(f"{group}/block0_values", 2)
    names = _levelled(path, file, f"{group}/block0_items")
    if values.shape != (len(frames), len(names)):
        found = f"values of the shape {values.shape}"
        expected = f"{len(frames):,} rows of {len(names):,} columns"
        raise InputError(path, found, expected, where=group)
    _check_names(path, names)
    return _Found(frames.astype(np.float64), np.arange(len(frames)), names, values)


def _levelled(path: Path, file: hdf5.Hdf5, items: str) -> list[Name]:
    """Return the names of a block's columns, of which each level has its words and their places."""
    levels: list[list[str]] = []
    while file.has(f"{items}_level{len(levels)}") and len(levels) <= _LEVELS:
        words = file.texts(f"{items}_level{len(levels)}")
        places = file.numbers(f"{items}_label{len(levels)}", 1)
        if not np.isin(places, np.arange(len(words))).all():
            where = f"{items}_label{len(levels)}"
            raise InputError(path, "a name that there is not", _EXPECTED, where=where)
        levels.append([words[int(place)] for place in places])
    if len(levels) not in (_LEVELS - 1, _LEVELS) or len({len(level) for level in levels}) > 1:
        raise InputError(path, f"{len(levels)} levels of names", _EXPECTED, where=items)
    individuals = levels[1] if len(levels) == _LEVELS else None
    return _names(individuals, *levels[-2:])


def _not_by_frames(path: Path, found: str) -> InputError:
    return InputError(
        path, found, "one by numbers of frames",
        remedy="Give what DeepLabCut predicts in a video, not labels of its pictures.",
    )  # fmt: skip


def _named(path: Path, block: str, pickled: Any, shape: tuple[int, ...]) -> list[Name]:
    """Return the names of a block's columns, which pandas pickled: a list of tuples of texts."""
    levels = pickles.parse(bytes(pickled), path) if isinstance(pickled, bytes) else None
    names = [
        tuple(map(str, name[1:]))
        for name in (levels if isinstance(levels, list) else ())
        if isinstance(name, tuple) and len(name) in (3, 4)
    ]
    if shape != (len(names),):
        found = f"{len(names)} names of columns of the shape {shape}"
        raise InputError(path, found, _EXPECTED, where=block)
    return [name if len(name) == 3 else ("", *name) for name in names]  # type: ignore[misc]


def _check_names(path: Path, names: list[Name]) -> None:
    if len(names) > _MOST_COLUMNS:
        raise InputError(path, f"{len(names):,} columns", f"{_MOST_COLUMNS:,} at most")
    strange = [name for name in names if name[2] not in _COORDS]
    if strange or len(set(names)) < len(names):
        found = f"the column {shown(strange[0])}" if strange else "a column twice"
        raise InputError(path, found, "x, y and likelihood of each part", where="the header")


def _parts(path: Path, names: list[Name], values: Floats) -> tuple[list[str], Floats, Floats]:
    """Return individuals; places, x and y, and likelihoods, by frame, individual and part."""
    column = {name: place for place, name in enumerate(names)}
    individuals = list(dict.fromkeys(individual for individual, *_ in names))
    individuals = [name for name in individuals if name != _SINGLE] or individuals
    parts = list(dict.fromkeys(part for individual, part, _ in names if individual in individuals))
    found = np.full((len(values), len(individuals), len(parts), 3), np.nan)
    for row, individual in enumerate(individuals):
        for place, part in enumerate(parts):
            there: list[Any] = [column.get((individual, part, side)) for side in _COORDS]
            if there == [None] * 3:
                continue
            if None in there:
                raise InputError(
                    path, f"no {_COORDS[there.index(None)]} of {part}",
                    "x, y and likelihood of each part", where=f"individual {individual}",
                )  # fmt: skip
            found[:, row, place] = values[:, there]
    # Of a part that was not found in a frame, nothing is known; that is no part set by hand.
    likelihoods = np.nan_to_num(found[..., 2], nan=0.0)
    return individuals, found[..., :2], likelihoods


def _holds(source: Source) -> bool:
    if source.path.suffix.lower() == ".csv":
        head = files.head(source.path, source.expected)
        return head.removeprefix(b"\xef\xbb\xbf").lstrip(b'"').startswith(b"scorer")
    with hdf5.opened(source.path, source.expected) as file:
        return bool(_tables(file))


FORMAT = Format(
    name="predictions of DeepLabCut",
    words="DeepLabCut's predictions: boxes around body parts whose likelihood is above 0.6. Its "
    "individuals are no tracklets, since they last for the whole video",
    suffixes=(".csv", ".h5", ".hdf5"),
    read=read,
    holds=_holds,
)
