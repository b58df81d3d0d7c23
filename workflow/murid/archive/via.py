"""Annotations drawn with the VGG Image Annotator: VIA 2 projects, its exports, and VIA 1's.

The schema is the paper's (Appendix A.2). An image is a frame; its number is the file attribute
``frame``, or else the last run of digits in the image's name. Regions are rectangles with these
attributes:

identity
    An animal, several separated by commas (or ticked as checkboxes), or ``tunnel``.
type
    ``single``, ``huddle`` or ``tentative``; where it is absent, several identities are tentative.
visibility
    ``clear``, ``truncated`` or ``marginal`` (also ``NA``); marginal where it is absent.
difficult
    Ticked, or ``true``, ``yes`` or ``1``.

An image without regions is a frame that was looked at and shows nothing.
"""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

import pandas as pd

from murid import contracts, tables
from murid.errors import InputError
from murid.files import write_text

_TYPES = tuple(kind for kind in contracts.ANNOTATION_TYPES if kind != "empty")
_VISIBILITIES = {
    **{name: name for name in contracts.VISIBILITIES},
    "na": "marginal",
    "": "marginal",
}
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0", "")
_CSV_COLUMNS = (
    "filename", "file_attributes", "region_shape_attributes", "region_attributes",
)  # fmt: skip
_REMEDY = "Give VIA the region attributes identity, type, visibility and difficult."


@dataclass(frozen=True)
class _Image:
    """An image of a VIA file, and its regions as (shape attributes, region attributes)."""

    name: str
    attributes: dict[str, Any]
    regions: list[tuple[dict[str, Any], dict[str, Any]]]


def read(path: str | Path) -> pd.DataFrame:
    """Read a VIA project, or annotations exported as JSON or CSV, as a table of annotations.

    Boxes that reach beyond the left or upper edge of the image are cut there.

    Raises
    ------
    InputError
        If the file is missing or malformed, comes from VIA 3, two images are the same frame, or a
        region is no rectangle within the image or lacks its attributes; naming image and region.
    """
    path = Path(path)
    images = list(_read_csv(path) if path.suffix.lower() == ".csv" else _read_json(path))
    frames: dict[int, str] = {}
    rows: list[dict[str, Any]] = []
    for image in images:
        frame = _frame(path, image)
        if frame in frames:
            raise InputError(
                path, f"frame {frame} a second time (also {frames[frame]})", "each frame once",
                where=f"image {image.name}",
            )  # fmt: skip
        frames[frame] = image.name
        rows.extend(_rows(path, image, frame))
    rows.sort(key=lambda row: (row["frame"], row["object"]))
    table = pd.DataFrame(rows, columns=contracts.CONTRACTS["annotations"].schema.names)
    return tables.conform(table, "annotations", path)


def write_project(
    annotations: pd.DataFrame, path: str | Path, image_name: str = "frame_{frame:06d}.jpg"
) -> None:
    """Write a table of annotations as a VIA 2 project, that VIA opens and :func:`read` reads.

    Parameters
    ----------
    annotations
        The table ``annotations``.
    path
        Where to; written under a temporary name, then renamed.
    image_name
        How the image of a frame is called; with ``{frame}`` and without other digits after it.

    Raises
    ------
    InputError
        If the annotations do not fulfil their contract.
    """
    annotations = tables.conform(annotations, "annotations", path)
    images = {}
    for frame, objects in annotations.groupby("frame", sort=True):
        name = image_name.format(frame=frame)
        visible = objects[objects["type"] != "empty"].sort_values("object")
        images[f"{name}-1"] = {
            "filename": name,
            "size": -1,
            "regions": [_region(row) for row in visible.to_dict("records")],
            "file_attributes": {"frame": str(frame)},
        }
    project = {
        "_via_settings": {
            "ui": {},
            "core": {"buffer_size": 18, "filepath": {}, "default_filepath": ""},
            "project": {"name": Path(path).stem},
        },
        "_via_img_metadata": images,
        "_via_attributes": {
            "region": {
                "identity": {"type": "text", "description": "animals, or tunnel"},
                "type": _choice("radio", _TYPES),
                "visibility": _choice("radio", contracts.VISIBILITIES),
                "difficult": _choice("checkbox", ("difficult",)),
            },
            "file": {"frame": {"type": "text", "description": "number of the frame, from 0"}},
        },
        "_via_data_format_version": "2.0.10",
        "_via_image_id_list": list(images),
    }
    write_text(path, json.dumps(project, indent=1) + "\n")


def _choice(kind: str, options: Iterable[str]) -> dict[str, Any]:
    return {
        "type": kind,
        "description": "",
        "options": {option: option for option in options},
        "default_options": {},
    }


def _region(row: dict[str, Any]) -> dict[str, Any]:
    x, y, width, height = (_number(row[name]) for name in contracts.BOX)
    return {
        "shape_attributes": {"name": "rect", "x": x, "y": y, "width": width, "height": height},
        "region_attributes": {
            "identity": ",".join(row["identities"]),
            "type": row["type"],
            "visibility": row["visibility"],
            "difficult": {"difficult": True} if row["difficult"] else {},
        },
    }


def _number(value: Any) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def _read_json(path: Path) -> Iterator[_Image]:
    try:
        data = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"malformed JSON ({error})", "a VIA 2 project or export") from error
    if isinstance(data, dict) and "_via_img_metadata" not in data and "project" in data:
        raise InputError(
            path, "a project of VIA 3", "a project or export of VIA 2",
            remedy="VIA 3 times its regions in seconds: annotate frames as images in VIA 2.",
        )  # fmt: skip
    if isinstance(data, dict):
        data = data.get("_via_img_metadata", data)
    if not isinstance(data, dict) or not all(_is_image(image) for image in data.values()):
        raise InputError(path, "JSON without images and regions", "a VIA 2 project or export")
    for image in data.values():
        regions = image["regions"]
        regions = list(regions.values()) if isinstance(regions, dict) else regions
        name = image["filename"]
        pairs = []
        for number, region in enumerate(regions):
            pair = [
                region.get(key) if isinstance(region, dict) else None
                for key in ("shape_attributes", "region_attributes")
            ]
            if not all(isinstance(part, dict) for part in pair):
                raise InputError(
                    path, "a region without attributes", "a VIA 2 region",
                    where=f"image {name}, region {number}",
                )  # fmt: skip
            pairs.append((pair[0], pair[1]))
        attributes = image.get("file_attributes")
        yield _Image(name, attributes if isinstance(attributes, dict) else {}, pairs)


def _is_image(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("filename"), str)
        and isinstance(value.get("regions"), list | dict)
    )


def _read_csv(path: Path) -> Iterator[_Image]:
    rows = csv.reader(io.StringIO(_text(path), newline=""))
    images: dict[str, _Image] = {}
    try:
        header = [name.strip().lstrip("#") for name in next(rows, [])]
        for name in _CSV_COLUMNS:
            if name not in header:
                raise InputError(
                    path, f"the columns {', '.join(header) or '(none)'}",
                    f"annotations that VIA exported as CSV, with a column {name}", where="line 1",
                )  # fmt: skip
        for row in rows:
            if not any(row):
                continue
            where = f"line {rows.line_num}"
            cells = dict(zip(header, row, strict=False))
            file_attributes, shape, attributes = (
                _cell(path, where, name, cells.get(name, "")) for name in _CSV_COLUMNS[1:]
            )
            name = cells["filename"]
            image = images.setdefault(name, _Image(name, file_attributes, []))
            if shape:
                image.regions.append((shape, attributes))
    except csv.Error as error:
        raise InputError(path, f"malformed CSV ({error})", "annotations exported by VIA") from error
    yield from images.values()


def _cell(path: Path, where: str, column: str, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise InputError(
            path, f"malformed JSON ({error})", "attributes as VIA exports them",
            where=f"{where}, column {column}",
        ) from error  # fmt: skip
    return value if isinstance(value, dict) else {}


def _text(path: Path) -> str:
    if not path.is_file():
        raise InputError(path, "no file", "annotations of VIA")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(path, f"bytes that are not UTF-8 ({error})", "UTF-8 text") from error


def _frame(path: Path, image: _Image) -> int:
    given = image.attributes.get("frame", "")
    if given in ("", None):
        digits = re.findall(r"[0-9]+", PureWindowsPath(image.name).stem)
        if not digits:
            raise InputError(
                path, "no frame number", "digits in the image's name, or the file attribute frame",
                where=f"image {image.name}",
            )  # fmt: skip
        given = digits[-1]
    if isinstance(given, bool) or not re.fullmatch(r"[0-9]{1,10}", str(given)):
        raise InputError(
            path, f"the frame {given!r}", "a whole number from 0", where=f"image {image.name}"
        )
    return int(given)


def _rows(path: Path, image: _Image, frame: int) -> Iterator[dict[str, Any]]:
    if not image.regions:
        yield {"frame": frame, "object": 0, "type": "empty", "identities": [],
               "visibility": "marginal", "difficult": False}  # fmt: skip
    for number, (shape, attributes) in enumerate(image.regions):
        where = f"image {image.name}, region {number}"
        box = dict(zip(contracts.BOX, _box(path, where, shape), strict=True))
        identities = _identities(path, where, attributes)
        kind = _word(attributes.get("type")) or ("single" if len(identities) == 1 else "tentative")
        if kind not in _TYPES:
            raise InputError(path, f"the type {kind!r}", f"one of {', '.join(_TYPES)}", where=where)
        if kind == "single" and len(identities) > 1:
            raise InputError(
                path, f"the identities {', '.join(identities)} of a single animal",
                "one identity, or the type huddle or tentative", where=where,
            )  # fmt: skip
        visibility = _word(attributes.get("visibility"))
        if visibility not in _VISIBILITIES:
            allowed = ", ".join(contracts.VISIBILITIES)
            raise InputError(
                path, f"the visibility {visibility!r}", f"one of {allowed}", where=where
            )
        yield {"frame": frame, "object": number, "type": kind, "identities": identities, **box,
               "visibility": _VISIBILITIES[visibility],
               "difficult": _difficult(path, where, attributes.get("difficult"))}  # fmt: skip


def _box(path: Path, where: str, shape: dict[str, Any]) -> tuple[float, float, float, float]:
    if shape.get("name") != "rect":
        raise InputError(
            path, f"the shape {shape.get('name')}", "a rectangle (rect)", where=where,
            remedy="Draw it again as a rectangle, or remove it.",
        )  # fmt: skip
    sides = [shape.get(name) for name in ("x", "y", "width", "height")]
    if not all(type(side) in (int, float) and math.isfinite(side) for side in sides):
        raise InputError(path, f"the rectangle {sides}", "numbers x, y, width, height", where=where)
    x, y, w, h = (float(side) for side in sides)
    w, h = w + min(x, 0.0), h + min(y, 0.0)
    if w <= 0 or h <= 0:
        raise InputError(
            path, f"the rectangle {sides}", "one with an area within the image", where=where
        )
    return max(x, 0.0), max(y, 0.0), w, h


def _identities(path: Path, where: str, attributes: dict[str, Any]) -> list[str]:
    given = attributes.get("identity")
    if isinstance(given, dict):
        names = [name for name, ticked in given.items() if _word(ticked) in _YES]
    else:
        names = [name.strip() for name in str(given or "").split(",")]
    names = [
        contracts.TUNNEL if name.lower() == contracts.TUNNEL else name for name in names if name
    ]
    names = list(dict.fromkeys(names))
    if not names:
        found = ", ".join(attributes) or "none"
        raise InputError(
            path, f"no identity (attributes: {found})", "the attribute identity", where=where,
            remedy=_REMEDY,
        )  # fmt: skip
    if contracts.TUNNEL in names and len(names) > 1:
        raise InputError(
            path, f"the identities {', '.join(names)}", "animals, or the tunnel alone", where=where
        )
    return names


def _difficult(path: Path, where: str, given: Any) -> bool:
    if isinstance(given, dict):
        return any(_word(ticked) in _YES for ticked in given.values())
    word = _word(given)
    if word not in _YES + _NO:
        raise InputError(path, f"difficult: {word!r}", "true or false", where=where)
    return word in _YES


def _word(value: Any) -> str:
    return "" if value is None else str(value).strip().lower()
