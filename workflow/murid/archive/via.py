"""Annotations drawn with the VGG Image Annotator: VIA 2 projects, its exports, and VIA 1's.

An image is a frame; its number is the file attribute ``frame``, or else in the image's name
(:mod:`murid.frame_names`). What attributes regions have, :mod:`murid.archive.regions` tells.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from murid import contracts, files, separated, tables
from murid.archive import regions
from murid.archive.columns import Told
from murid.archive.regions import Image, Region
from murid.errors import InputError, brief, shown

_CSV_COLUMNS = (
    "filename", "file_attributes", "region_shape_attributes", "region_attributes",
)  # fmt: skip
_WHAT = "annotations of VIA 2, a project or an export"


def read(path: str | Path) -> pd.DataFrame:
    """Read a VIA file as a table of annotations; see :func:`read_told`."""
    return read_told(path).found


def read_told(path: str | Path) -> Told:
    """Read a VIA project, or annotations exported as JSON or CSV, as a table of annotations.

    Raises
    ------
    InputError
        If the file is missing or malformed, comes from VIA 3, a region is no rectangle, or as
        :func:`murid.archive.regions.as_table`; naming image and region.
    """
    path = Path(path)
    if path.suffix.lower() == ".csv":
        return regions.as_table(_csv_images(path), path)
    return from_json(files.read_json(path, _WHAT), path)


def from_json(data: Any, path: Path) -> Told:
    """Return what a VIA project, or annotations exported as JSON, hold as a table of annotations.

    Raises
    ------
    InputError
        As :func:`read`.
    """
    return regions.as_table(_json_images(data, path), path)


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
                "type": _choice("radio", regions.TYPES),
                "visibility": _choice("radio", contracts.VISIBILITIES),
                "difficult": _choice("checkbox", ("difficult",)),
            },
            "file": {"frame": {"type": "text", "description": "number of the frame, from 0"}},
        },
        "_via_data_format_version": "2.0.10",
        "_via_image_id_list": list(images),
    }
    files.write_text(path, json.dumps(project, indent=1) + "\n")


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


def _json_images(data: Any, path: Path) -> Iterator[Image]:
    if isinstance(data, dict) and "_via_img_metadata" not in data and "project" in data:
        raise InputError(
            path, "a project of VIA 3", "a project or export of VIA 2",
            remedy="VIA 3 times its regions in seconds: annotate frames as images in VIA 2.",
        )  # fmt: skip
    if isinstance(data, dict):
        data = data.get("_via_img_metadata", data)
    if not isinstance(data, dict) or not all(_is_image(image) for image in data.values()):
        raise InputError(path, "JSON without images and regions", f"{_WHAT}, or COCO JSON")
    for entry in data.values():
        found = entry["regions"]
        attributes = entry.get("file_attributes")
        image = _image_of(path, entry["filename"], attributes)
        for region in found.values() if isinstance(found, dict) else found:
            where = _where(image)
            parts = [
                region.get(key) if isinstance(region, dict) else None
                for key in ("shape_attributes", "region_attributes")
            ]
            if not all(isinstance(part, dict) for part in parts):
                raise InputError(path, "a region without attributes", "a VIA 2 region", where=where)
            image.regions.append(_region_of(where, *parts))
        yield image


def _image_of(path: Path, name: str, attributes: Any) -> Image:
    given = attributes if isinstance(attributes, dict) else {}
    given = regions.named(path, f"image {brief(name)}", given)
    others = [key for key, value in given.items() if key != "frame" and regions.says(value)]
    return Image(name, given.get("frame"), others=others)


def _where(image: Image) -> str:
    """Name the next region of an image."""
    return f"image {brief(image.name)}, region {len(image.regions)}"


def _region_of(where: str, shape: dict[str, Any], attributes: dict[str, Any]) -> Region:
    sides = tuple(shape.get(name) for name in ("x", "y", "width", "height"))
    return Region(where, sides, attributes, shape.get("name"))


def _is_image(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("filename"), str)
        and isinstance(value.get("regions"), list | dict)
    )


def _csv_images(path: Path) -> Iterator[Image]:
    text = files.read_text(path, _WHAT)
    rows = csv.reader(io.StringIO(text, newline=""))
    # An image has a row a region. Where all are called as the video, frames tell images apart.
    images: dict[tuple[str, str], Image] = {}
    try:
        header = [name.strip().lstrip("#") for name in next(rows, [])]
        for name in _CSV_COLUMNS:
            if name not in header:
                raise InputError(
                    path, f"the columns {brief(', '.join(header)) or '(none)'}",
                    f"annotations that VIA exported as CSV, with a column {name}", where="line 1",
                )  # fmt: skip
        last = rows.line_num
        for row in rows:
            first, last = last + 1, rows.line_num
            if not any(row):
                continue
            line = f"line {first}"
            if last > first:
                separated.check_quotes(path, (first, last), row, header)
            separated.check_count(path, first, row, header)
            cells = dict(zip(header, row, strict=True))
            about, shape, attributes = (
                _cell(path, f"{line}, column {name}", cells[name]) for name in _CSV_COLUMNS[1:]
            )
            name = cells["filename"]
            own = _image_of(path, name, about)
            image = images.setdefault((name, str(own.given)), own)
            if shape:
                image.regions.append(_region_of(_where(image), shape, attributes))
    except csv.Error as error:
        raise InputError(path, f"malformed CSV ({error})", _WHAT) from error
    yield from images.values()


def _cell(path: Path, where: str, text: str) -> dict[str, Any]:
    value = files.parse_json(text or "{}", path, "attributes as VIA exports them", where)
    if not isinstance(value, dict):
        raise InputError(path, shown(value), "attributes as VIA exports them", where=where)
    return value
