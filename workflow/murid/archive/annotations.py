"""Annotated frames: the formats that annotations come in, and those of a TIDe release.

A TIDe release holds the annotations of all its segments in one pickled frame, with the index
``CageID, SegmentID, Frame, Annotation`` and the columns ``X, Y, W, H``, ``Type`` (Single, Huddle,
Tentative), ``ID`` (letters of the animals, ``T`` = tunnel), ``Truncated`` (Clear, Truncated,
Marginal) and ``Detectable`` (False = hard to make out). It does not tell of frames that were looked
at and show nothing.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from murid import contracts, files, parquet, picture, tables
from murid.archive import coco_annotations, columns, via
from murid.archive.columns import Columns, Told
from murid.errors import InputError, brief
from murid.tables import Verdict
from murid.truth import leave_out

Key = tuple[str, str]
_RELEASE = (
    "cageid", "segmentid", "frame", *contracts.BOX, "type", "id", "truncated", "detectable",
)  # fmt: skip
_TUNNEL = "T"


def read(path: str | Path, cage: str | None = None, segment: str | None = None) -> pd.DataFrame:
    """Read the annotations of a segment; see :func:`read_told`."""
    return read_told(path, cage, segment).found


def read_told(path: str | Path, cage: str | None = None, segment: str | None = None) -> Told:
    """Read the annotations of a segment: Parquet, VIA, COCO JSON, or those of a TIDe release.

    Parameters
    ----------
    path
        The format is told by the suffix: ``.parquet``; ``.json`` of VIA or COCO; ``.csv`` of VIA;
        else TIDe.
    cage, segment
        Which segment's to take from a TIDe release that holds several.

    Returns
    -------
    The table ``annotations``; empty where a release has none of the segment. And what is to be said
    of it (:func:`murid.archive.regions.as_table`).

    Raises
    ------
    InputError
        If the file is missing, damaged or of another kind, or an annotation makes no sense; naming
        the image or row.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return Told(tables.read(parquet.bounded(path), "annotations"), Verdict())
    if suffix == ".json":
        data = files.read_json(path, "annotations of VIA 2, or COCO JSON")
        if coco_annotations.is_coco(data):
            return coco_annotations.read(data, path)
        return via.from_json(data, path)
    if suffix not in columns.PICKLES:
        return via.read_told(path)
    release = read_release(path)
    if cage is not None and segment is not None:
        rows = release.get((cage, segment))
    elif len(release) > 1:
        raise InputError(path, f"annotations of {len(release)} segments", "a cage and a segment")
    else:
        rows = next(iter(release.values()), None)
    table = tables.empty("annotations") if rows is None else from_release(rows, path)
    return Told(table, Verdict())


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
    for name in contracts.BOX:
        table[name] = source.numbers(name)
    identities = [_identities(source, row, cell) for row, cell in enumerate(rows["id"])]
    table["identities"] = identities
    table["type"] = [
        _type(source, row, cell, len(identities[row])) for row, cell in enumerate(rows["type"])
    ]
    table["visibility"] = [
        _choice(source, row, "truncated", cell, contracts.VISIBILITIES, "marginal")
        for row, cell in enumerate(rows["truncated"])
    ]
    table["difficult"] = [
        _choice(source, row, "detectable", cell, ("true", "false"), "true") == "false"
        for row, cell in enumerate(rows["detectable"])
    ]
    table = table.sort_values("frame", kind="stable", ignore_index=True)
    table["object"] = table.groupby("frame").cumcount()
    return tables.conform(table, "annotations", path)


def judge_boxes(
    table: pd.DataFrame, size: tuple[int, int] | None = None
) -> tuple[pd.DataFrame, Verdict]:
    """Judge whether boxes can be of the segment's picture, by themselves.

    Parameters
    ----------
    table
        The table ``annotations``.
    size
        Width and height of the raw frames in pixels, if they are known.

    Returns
    -------
    The annotations that may be used, and what is to be said, at worst ``repaired``: none where
    their unit is another or most boxes are no animal's in the picture, else those without the
    frames of such boxes.
    """
    boxed = table[table["x"].notna()]
    given = boxed[contracts.BOX].to_numpy(dtype=np.float64)
    unit = picture.other_unit(given)
    if unit:
        reason = f"annotations of {unit}; they count as none"
        return tables.empty("annotations"), Verdict("repaired", reason)
    wrong, what = (given[:, 2:] <= 1).any(axis=1), "no wider or higher than a pixel"
    if size is not None:
        wrong |= picture.outside(given, size)
        what += f", or outside the picture of {size[0]} x {size[1]}"
    return leave_out(table, boxed["frame"][wrong], what)


def compare_sizes(sizes: Sequence[tuple[float, float]], size: tuple[int, int]) -> Verdict:
    """Tell of annotated images that are of another size than the segment's video.

    Parameters
    ----------
    sizes
        Widths and heights of the images, as they are told.
    size
        Width and height of the raw frames.
    """
    others = [given for given in sizes if tuple(given) != tuple(size)]
    if not others:
        return Verdict()
    listed = brief(", ".join(f"{width:g} x {height:g}" for width, height in others))
    return Verdict(
        "repaired",
        f"the annotated images are said to be of {listed} pixels, the video's frames are of "
        f"{size[0]} x {size[1]}: boxes are taken for pixels of the latter; if they are not, scale "
        "them",
    )


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
    names = [contracts.TUNNEL if name == _TUNNEL else name for name in dict.fromkeys(names) if name]
    if not names or (contracts.TUNNEL in names and len(names) > 1):
        raise InputError(
            source.path, f"the identity {cell!r}", f"letters of animals, or {_TUNNEL} alone",
            where=source.place(row, "ID"),
        )  # fmt: skip
    return names


def _type(source: Columns, row: int, cell: Any, count: int) -> str:
    default = "single" if count == 1 else "tentative"
    kind = _choice(source, row, "type", cell, ("single", "huddle", "tentative"), default)
    if kind == "single" and count > 1:
        raise InputError(
            source.path, f"{count} identities of a single animal", "one, or a huddle or tentative",
            where=source.place(row, "type"),
        )  # fmt: skip
    return kind


def _choice(
    source: Columns, row: int, column: str, cell: Any, choices: tuple[str, ...], default: str
) -> str:
    word = "" if cell is None or cell is pd.NA else str(cell).strip().lower()
    if word in ("", "nan", "none"):
        return default
    if word not in choices:
        raise InputError(
            source.path, repr(cell), f"one of {', '.join(choices)}", where=source.place(row, column)
        )
    return word
