"""Annotations of a TIDe release: those of all its segments in one pickled frame.

It has the index ``CageID, SegmentID, Frame, Annotation`` and the columns ``X, Y, W, H``, ``Type``
(Single, Huddle, Tentative), ``ID`` (letters of the animals, ``T`` = tunnel), ``Truncated`` (Clear,
Truncated, Marginal) and ``Detectable`` (False = hard to make out). It does not tell of frames that
were looked at and show nothing.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from murid import schemas, tables
from murid.archive import columns
from murid.archive.annotation_types import TYPES, default_type
from murid.archive.columns import Columns, Judged
from murid.archive.formats import Format, Source
from murid.errors import InputError
from murid.tables import Verdict

Key = tuple[str, str]
"""Names of a cage and a segment."""
_RELEASE = (
    "cageid", "segmentid", "frame", *schemas.BOX, "type", "id", "truncated", "detectable",
)  # fmt: skip
_TUNNEL = "T"


def read(source: Source) -> Judged:
    """Return the annotations of one segment; none where a release has none of it.

    Raises
    ------
    InputError
        As :func:`read_release` and :func:`from_release`, or if it holds several segments, and which
        is wanted is not told.
    """
    release = read_release(source.path)
    if source.cage is not None and source.segment is not None:
        rows = release.get((source.cage, source.segment))
    elif len(release) > 1:
        found = f"annotations of {len(release)} segments"
        raise InputError(source.path, found, "a cage and a segment")
    else:
        rows = next(iter(release.values()), None)
    table = tables.empty("annotations") if rows is None else from_release(rows, source.path)
    return Judged(table, Verdict())


def read_release(path: str | Path) -> dict[Key, pd.DataFrame]:
    """Read a TIDe release's annotations: the rows of each segment, as they are found.

    Raises
    ------
    InputError
        If the file is missing, damaged or of another kind.
    """
    source = columns.read(path, _RELEASE)
    if "Segment" in source.names:
        source = Columns(source.path, source.frame.rename(columns={"Segment": "segmentid"}))
    source.require(_RELEASE, "annotations in the columns of a TIDe release")
    cages = source.frame["cageid"].map(key_name)
    segments = source.frame["segmentid"].map(key_name)
    return dict(iter(source.frame.groupby([cages, segments], sort=True)))


def from_release(rows: pd.DataFrame, path: str | Path) -> pd.DataFrame:
    """Turn a segment's rows of a TIDe release into the table ``annotations``.

    Raises
    ------
    InputError
        If a type, identity or visibility is unknown, or a box is none; naming the row.
    """
    source = Columns(Path(path), rows)
    table = pd.DataFrame({"frame": source.frames()})
    for name in schemas.BOX:
        table[name] = source.numbers(name)
    identities = [_identities(source, row, cell) for row, cell in enumerate(rows["id"])]
    counts = np.array([len(names) for names in identities], dtype=np.int64)
    types = source.choices("type", TYPES, "")
    source.refuse(
        (types == "single").to_numpy() & (counts > 1), "type", "one, or a huddle or tentative",
        lambda row: f"{counts[row]} identities of a single animal",
    )  # fmt: skip
    table["identities"] = identities
    table["type"] = [kind or default_type(count) for kind, count in zip(types, counts, strict=True)]
    table["visibility"] = source.choices("truncated", schemas.VISIBILITIES, "marginal").array
    table["difficult"] = source.choices("detectable", ("true", "false"), "true").array == "false"
    table = table.sort_values("frame", kind="stable", ignore_index=True)
    table["object"] = table.groupby("frame").cumcount()
    return tables.conform(table, "annotations", path)


def key_name(value: Any) -> str:
    """Return the name of a cage or segment, which is a number in some files and text in others."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    return str(value).strip()


def _identities(source: Columns, row: int, cell: Any) -> list[str]:
    if isinstance(cell, list | tuple):
        names = [str(name).strip() for name in cell]
    elif isinstance(cell, str) and re.fullmatch("[A-Z]+", cell):
        names = list(cell)
    else:
        names = [] if cell is None or cell is pd.NA else re.split(r"[,\s]+", str(cell).strip())
    names = [schemas.TUNNEL if name == _TUNNEL else name for name in dict.fromkeys(names) if name]
    if not names or (schemas.TUNNEL in names and len(names) > 1):
        raise InputError(
            source.path, f"the identity {cell!r}", f"letters of animals, or {_TUNNEL} alone",
            where=source.place(row, "ID"),
        )  # fmt: skip
    return names


FORMAT = Format(
    name="annotations of a TIDe release",
    words="annotations of a TIDe release, of one segment or of all",
    suffixes=columns.PICKLES,
    read=read,
)
