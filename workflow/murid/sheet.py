"""The sample sheet: one row a segment. Read by every cluster job, so standard library only."""

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from murid.errors import InputError

REQUIRED = ("cage", "segment", "positions")
COLUMNS = (
    "cage", "segment", "rig", "video", "detections", "tracklets", "positions", "annotations",
    "split", "fps", "start", "animals",
)  # fmt: skip
SPLITS = ("Train", "Validate", "Test", "")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
DEFAULT_RIG = "rig"
ALL = "all"
"""What the report calls all cages together."""
DEFAULT_FPS = 25.0


@dataclass(frozen=True)
class Segment:
    """One recording of one cage: where its parts lie, and how it is used.

    Paths are relative to the archive's folder; an empty one means that there is no such part.
    """

    cage: str
    segment: str
    positions: str
    rig: str = DEFAULT_RIG
    video: str = ""
    detections: str = ""
    tracklets: str = ""
    annotations: str = ""
    split: str = ""
    fps: float = DEFAULT_FPS
    start: str = ""
    animals: tuple[str, ...] = ()


def read_sheet(path: str | Path) -> dict[tuple[str, str], Segment]:
    """Read a sample sheet (tab-separated, UTF-8, with a header) into segments by (cage, segment).

    Blank lines and lines that begin with ``#`` are passed over.

    Raises
    ------
    InputError
        Naming the row, if a column is unknown or missing, a name holds anything but letters,
        digits, ``.``, ``_`` and ``-`` (names become file names and wildcards), a segment appears
        twice, a split is unknown, fps is no positive number, or neither a video nor detections nor
        tracklets are given.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(path, "no file", "a sample sheet", remedy="See config/README.md.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(path, f"bytes that are not UTF-8 ({error})", "UTF-8 text") from error
    return _parse(path, text)


def write_sheet(path: str | Path, segments: Iterable[Segment]) -> None:
    """Write segments as a sample sheet, under a temporary name, then rename.

    Raises
    ------
    InputError
        As :func:`read_sheet`, if a segment could not be read back as it is.
    """
    from murid.files import write_text

    segments = list(segments)
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for segment in segments:
        cells = {name: getattr(segment, name) for name in COLUMNS}
        cells["fps"] = repr(float(segment.fps)).removesuffix(".0")
        cells["animals"] = ",".join(segment.animals)
        writer.writerow(cells.values())
    for segment, read in zip(segments, _parse(Path(path), text.getvalue()).values(), strict=True):
        if segment != read:
            raise InputError(
                path, f"{segment}, which would be read as {read}",
                "values without spaces around them", where=f"{segment.cage} {segment.segment}",
            )  # fmt: skip
    write_text(path, text.getvalue())


def _parse(path: Path, text: str) -> dict[tuple[str, str], Segment]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True)
    header: list[str] = []
    segments: dict[tuple[str, str], Segment] = {}
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            where = f"line {rows.line_num}"
            if not any(cells) or cells[0].startswith("#"):
                continue
            if not header:
                header = cells
                _check_header(path, header, where)
                continue
            if len(cells) > len(header):
                raise InputError(
                    path, f"{len(cells)} cells", f"{len(header)}, as the header", where=where
                )
            segment = _segment(path, where, dict(zip(header, cells, strict=False)))
            key = (segment.cage, segment.segment)
            if key in segments:
                raise InputError(
                    path, f"cage {key[0]} segment {key[1]} a second time", "each once",
                    where=where, remedy="Remove one of the two lines.",
                )  # fmt: skip
            segments[key] = segment
    except csv.Error as error:
        raise InputError(
            path, f"quotes that do not fit ({error})", "cells without quotes",
            where=f"line {rows.line_num}",
        ) from error  # fmt: skip
    if not header:
        _check_header(path, header, "line 1")
    if not segments:
        raise InputError(path, "no segments", "one line a segment below the header")
    return segments


def _check_header(path: Path, header: list[str], where: str) -> None:
    for name in REQUIRED:
        if name not in header:
            raise InputError(
                path, f"the columns {', '.join(header) or '(none)'}", f"a column {name}",
                where=where, remedy="Columns are separated by tabs.",
            )  # fmt: skip
    for name in header:
        if name not in COLUMNS:
            raise InputError(
                path, f"the unknown column {name!r}", f"one of {', '.join(COLUMNS)}", where=where
            )
    if len(set(header)) != len(header):
        raise InputError(path, "a column twice", "each column once", where=where)


def _segment(path: Path, where: str, cells: dict[str, str]) -> Segment:
    values = {name: cell for name, cell in cells.items() if cell}
    animals = tuple(name.strip() for name in values.pop("animals", "").split(",") if name.strip())
    names = {name: values.get(name, "") for name in ("cage", "segment")}
    names["rig"] = values.get("rig", DEFAULT_RIG)
    names |= {f"animals ({animal})": animal for animal in animals}
    for column, name in names.items():
        if not NAME.fullmatch(name):
            raise InputError(
                path, f"{name!r} in column {column}", "letters, digits, '.', '_' and '-'",
                where=where, remedy="Names become file names: rename it here and in the archive.",
            )  # fmt: skip
    if names["cage"] == ALL:
        raise InputError(
            path, f"a cage called {ALL!r}", "another name: the report calls all cages together so",
            where=where,
        )  # fmt: skip
    if len(set(animals)) < len(animals) or "tunnel" in animals:
        raise InputError(
            path, f"the animals {', '.join(animals)}", "each once, and none called tunnel",
            where=where,
        )  # fmt: skip
    for column in ("positions", "annotations", "detections", "tracklets", "video"):
        text = values.get(column, "")
        if set(text) & set("{}<>") or not text.isprintable():
            raise InputError(
                path, f"{text!r} in column {column}",
                "a path without braces, angle brackets and control characters", where=where,
            )  # fmt: skip
    if "positions" not in values:
        raise InputError(path, "no positions", "a path in column positions", where=where)
    if not {"video", "detections", "tracklets"} & values.keys():
        raise InputError(
            path, "neither video nor detections nor tracklets", "one of them", where=where
        )
    if values.get("split", "") not in SPLITS:
        raise InputError(
            path, f"split {values['split']!r}", "Train, Validate, Test or nothing", where=where
        )
    try:
        fps = float(values.pop("fps", DEFAULT_FPS))
    except ValueError:
        fps = -1.0
    if not 0 < fps < 10_000:
        raise InputError(path, f"fps {cells['fps']!r}", "a positive number", where=where)
    return Segment(fps=fps, animals=animals, **values)  # type: ignore[arg-type]
