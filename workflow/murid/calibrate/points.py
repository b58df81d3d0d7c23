"""Reading calibration points: a CSV, points drawn with VIA, or recordings of the checkerboard."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np
import pandas as pd

from murid import files, recordings
from murid.calibrate.board import Board, locate
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import Calibrate

_ANTENNA = re.compile("0*[1-9][0-9]{0,4}")
_FAR = 1e6
"""Pixels; a number beyond is no place in a picture."""
COLUMNS = ("rig", "antenna", "x", "y")
Images = list[tuple[str, dict[str, Any], list[Any]]]
"""Name, attributes and regions of each image; what cannot be read of one is its error."""
_VIA_CSV = "region_shape_attributes"


@dataclass(frozen=True)
class Marked:
    """What a file of calibration points holds.

    Attributes
    ----------
    points
        Columns ``rig`` (str), ``antenna`` (int), ``x``, ``y`` (float), of rigs without a fault.
    faults
        The first fault of each other rig that the file names; "" is the rig of rows without one.
    """

    points: pd.DataFrame
    faults: Mapping[str, InputError]


def read_points(
    path: str | Path, settings: Calibrate | None = None, grid: Grid | None = None
) -> pd.DataFrame:
    """Read calibration points, none of which may have a fault: those of :func:`read_rigs`.

    Raises
    ------
    InputError
        Naming the line, image or recording at fault.
    """
    marked = read_rigs(path, settings, grid)
    for fault in marked.faults.values():
        raise fault
    return marked.points


def read_rigs(
    path: str | Path, settings: Calibrate | None = None, grid: Grid | None = None
) -> Marked:
    """Read calibration points, pixels, one an antenna, of every rig set-up.

    Parameters
    ----------
    path
        One of: a CSV of ``rig, antenna, x, y``; a VIA 2 project (JSON), or its export as JSON or
        CSV, with points whose region attribute ``antenna`` is the number, the image's file
        attribute ``rig`` the set-up (else the image's name without suffix), several images of a
        set-up being averaged; or a CSV of ``rig, recording``, videos or images of the checkerboard.
    settings, grid
        What the checkerboard is like, and the antennas; by default as in the settings.

    Raises
    ------
    InputError
        If the file cannot be read, or holds nothing of the kind.
    """
    path = Path(path)
    files.regular(path, "calibration points", files.LARGEST, empty=True)
    listed = recordings.listed(path)
    if listed:
        return _find_boards(path, listed, settings or Calibrate(), grid or Grid())
    if path.suffix.lower() == ".json":
        return _read_via(path, _via_json(path))
    try:
        if _VIA_CSV in _text(path).partition("\n")[0]:
            return _read_via(path, _via_csv(path))
        return _read_csv(path)
    except csv.Error as error:
        raise InputError(path, f"malformed CSV ({error})", "calibration points") from error


def _marked(
    rows: Iterable[tuple[str, int, float, float]], faults: Mapping[str, InputError]
) -> Marked:
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return Marked(table[~table["rig"].isin(faults)].reset_index(drop=True), faults)


def _find_boards(
    source: Path, listed: list[tuple[str, Path]], settings: Calibrate, grid: Grid
) -> Marked:
    board = Board.of(settings, grid)
    rows: list[tuple[str, int, float, float]] = []
    faults: dict[str, InputError] = {}
    for rig in dict.fromkeys(rig for rig, _ in listed):
        own = [path for name, path in listed if name == rig]
        try:
            if not rig or source.parent in own:
                lacking = f"a line of rig {rig} without recording" if rig else "a line without rig"
                raise InputError(source, lacking, "a rig and its video or image on every line")
            places = locate(own, board, grid, settings.board_frames)
        except InputError as error:
            faults[rig] = error
            continue
        rows += [(rig, int(a), *place) for a, place in zip(grid.antennas, places, strict=True)]
    return _marked(rows, faults)


def _text(path: Path) -> str:
    return files.read_text(path, "UTF-8 text", empty=True)


def _via_json(path: Path) -> Images:
    data = files.read_json(path, "a VIA 2 project or export")
    images = data.get("_via_img_metadata", data) if isinstance(data, dict) else None
    if not isinstance(images, dict):
        raise InputError(path, "JSON without images", "a VIA 2 project or export")
    found = []
    for image in images.values():
        name = image.get("filename") if isinstance(image, dict) else None
        regions = image.get("regions") if isinstance(image, dict) else None
        regions = list(regions.values()) if isinstance(regions, dict) else regions
        if not isinstance(name, str):
            raise InputError(path, "JSON without images and regions", "a VIA 2 project or export")
        if not isinstance(regions, list):
            regions = [InputError(path, "no regions", "a list", where=f"image {name}")]
        attributes = image.get("file_attributes")
        found.append((name, attributes if isinstance(attributes, dict) else {}, regions))
    return found


def _via_csv(path: Path) -> Images:
    images: dict[str, tuple[str, dict[str, Any], list[Any]]] = {}
    reader = csv.DictReader(io.StringIO(_text(path), newline=""))
    reader.fieldnames = [name.strip().lstrip("#") for name in reader.fieldnames or []]
    for cells in reader:
        where = f"line {reader.line_num}"
        parts: list[Any] = []
        wrong = []
        for column in ("file_attributes", _VIA_CSV, "region_attributes"):
            try:
                parts.append(json.loads(cells.get(column) or "{}"))
            except (ValueError, RecursionError) as error:
                found = f"malformed JSON ({error})"
                wrong.append(InputError(path, found, "attributes as VIA exports them", where=where))
                parts.append({})
        about, shape, attributes = parts
        name = cells.get("filename") or ""
        about = about if isinstance(about, dict) else {}
        _, _, regions = images.setdefault(name, (name, about, []))
        if shape or wrong:
            region = {"shape_attributes": shape, "region_attributes": attributes}
            regions.append(wrong[0] if wrong else region)
    return list(images.values())


def _read_via(path: Path, images: Images) -> Marked:
    rows: list[tuple[str, int, float, float]] = []
    faults: dict[str, InputError] = {}
    for name, attributes, regions in images:
        rig = str(attributes.get("rig") or "").strip() or PureWindowsPath(name).stem
        try:
            rows += [(rig, *point) for point in _via_points(path, name, rig, regions)]
        except InputError as error:
            faults.setdefault(rig, error)
    if not rows and not faults:
        raise InputError(path, "no points", "points (shape point) with the attribute antenna")
    marked = _marked(rows, faults)
    means = marked.points.groupby(["rig", "antenna"], as_index=False)[["x", "y"]].mean()
    return Marked(means, faults)


def _via_points(
    path: Path, name: str, rig: str, regions: Iterable[Any]
) -> Iterator[tuple[int, float, float]]:
    seen: set[int] = set()
    for number, region in enumerate(regions):
        if isinstance(region, InputError):
            raise region
        where = f"image {name}, region {number}"
        antenna, x, y = _via_point(path, where, region)
        if antenna in seen:
            found = f"point {antenna} of rig {rig} a second time"
            raise InputError(path, found, "each once an image", where=where)
        seen.add(antenna)
        yield antenna, x, y


def _via_point(path: Path, where: str, region: Any) -> tuple[int, float, float]:
    parts = [
        region.get(key) if isinstance(region, dict) else None
        for key in ("shape_attributes", "region_attributes")
    ]
    shape, attributes = (part if isinstance(part, dict) else {} for part in parts)
    if shape.get("name") != "point":
        found = f"the shape {shape.get('name')}"
        raise InputError(path, found, "a point", where=where)
    antenna = str(attributes.get("antenna") or "").strip()
    if not _ANTENNA.fullmatch(antenna):
        raise InputError(
            path, f"antenna {antenna!r}", "a number from 1", where=where,
            remedy="Give VIA the region attribute antenna, and every point its number.",
        )  # fmt: skip
    place = [shape.get("cx"), shape.get("cy")]
    if not all(type(side) in (int, float) and abs(side) < _FAR for side in place):
        raise InputError(path, f"the point {place}", "numbers cx, cy, pixels", where=where)
    return int(antenna), float(place[0]), float(place[1])


def _read_csv(path: Path) -> Marked:
    reader = csv.DictReader(_text(path).splitlines(), skipinitialspace=True)
    header = [name.strip() for name in reader.fieldnames or []]
    reader.fieldnames = header
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        found = f"the columns {', '.join(header) or '(none)'}"
        raise InputError(
            path, found, f"a column {missing[0]}", where="line 1",
            remedy="Give rig, antenna, x, y; or rig, recording.",
        )  # fmt: skip
    rows: dict[tuple[str, int], tuple[float, float]] = {}
    faults: dict[str, InputError] = {}
    for cells in reader:
        where = f"line {reader.line_num}"
        rig = (cells["rig"] or "").strip()
        try:
            antenna, x, y = _parse_row(path, where, rig, cells)
            if (rig, antenna) in rows:
                found = f"point {antenna} of rig {rig} a second time"
                raise InputError(path, found, "each once", where=where)
        except InputError as error:
            faults.setdefault(rig, error)
        else:
            rows[rig, antenna] = (x, y)
    return _marked([(*key, *place) for key, place in rows.items()], faults)


def _parse_row(
    path: Path, where: str, rig: str, cells: Mapping[str, str | None]
) -> tuple[int, float, float]:
    if not rig:
        raise InputError(path, "no rig", "the name of a rig set-up", where=where)
    antenna, *place = ((cells[name] or "").strip() for name in COLUMNS[1:])
    if not _ANTENNA.fullmatch(antenna):
        raise InputError(path, f"antenna {antenna!r}", "a number from 1", where=where)
    try:
        x, y = map(float, place)
    except ValueError:
        x = y = np.nan
    if not (abs(x) < _FAR and abs(y) < _FAR):
        found = f"x {place[0]!r}, y {place[1]!r}"
        raise InputError(path, found, "two finite numbers, pixels", where=where)
    return int(antenna), x, y
