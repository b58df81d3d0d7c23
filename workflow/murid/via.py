"""Files of the VGG Image Annotator: projects and exports (JSON, CSV) of VIA 2, and those of VIA 1.

Standard library only, since points are looked at before a run begins.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from murid import files, separated, spelling
from murid.drawn import Image, Region
from murid.errors import InputError, brief, shown

SHAPE = "region_shape_attributes"
"""A column that what VIA exports as CSV has, and no other table."""
ANNOTATED = "annotated"
"""File attribute of an image that was picked, which says whether anybody has looked at it."""
_PROJECT = "a project of VIA 2"
_SAYS_NO = re.compile(rf'"{ANNOTATED}"\s*:\s*(?:"?(?:no|false|0)|{{)', re.IGNORECASE)
_COLUMNS = ("filename", "file_attributes", SHAPE, "region_attributes")
_CELL = "attributes as VIA exports them"
_SIDES = {"rect": ("x", "y", "width", "height"), "point": ("cx", "cy")}
"""Names of what says where a shape is."""


def from_json(data: Any, path: Path, expected: str) -> Iterator[Image]:
    """Yield the images of a project, or of annotations exported as JSON.

    Parameters
    ----------
    data
        What the file holds.
    path, expected
        The file, and what it should hold, for messages.

    Raises
    ------
    InputError
        If it comes from VIA 3, or an image is none.
    """
    if isinstance(data, dict) and "_via_img_metadata" not in data and "project" in data:
        raise InputError(
            path, "a project of VIA 3", "a project or export of VIA 2",
            remedy="VIA 3 times its regions in seconds: annotate frames as images in VIA 2.",
        )  # fmt: skip
    entries = data.get("_via_img_metadata", data) if isinstance(data, dict) else None
    other = InputError(path, "JSON without images and regions", expected)
    if not isinstance(entries, dict):
        raise other
    for entry in entries.values():
        name = entry.get("filename") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            raise other
        about, regions = entry.get("file_attributes"), entry.get("regions")
        image = Image(name, about if isinstance(about, dict) else {}, [])
        # VIA 1 numbers them as keys.
        regions = list(regions.values()) if isinstance(regions, dict) else regions
        if not isinstance(regions, list):
            regions = []
            image.regions.append(InputError(path, "no regions", "a list", where=image.where))
        for region in regions:
            image.regions.append(_region(path, image.where_next, region))
        yield image


def _region(path: Path, where: str, given: Any) -> Region | InputError:
    given = given if isinstance(given, dict) else {}
    shape, attributes = given.get("shape_attributes"), given.get("region_attributes")
    if isinstance(shape, dict) and isinstance(attributes, dict):
        return _drawn(where, shape, attributes)
    return InputError(path, "a region without attributes", "a VIA 2 region", where=where)


def _drawn(where: str, shape: dict[str, Any], attributes: dict[str, Any]) -> Region:
    name = shape.get("name")
    names = _SIDES.get(name, ()) if isinstance(name, str) else ()
    return Region(where, name, tuple(map(shape.get, names)), attributes)


def waits(path: Path) -> bool:
    """Tell whether a project holds images, and each of them waits to be annotated.

    An image waits that has no regions, and whose file attribute ``annotated`` is a plain no. What
    cannot be read does not wait: it is judged where it is read.
    """
    if path.suffix.lower() != ".json":
        return False
    try:
        text = files.read_text(path, _PROJECT)
        if not _SAYS_NO.search(text):
            return False  # Most are annotated: to parse them all takes long.
        images = list(from_json(files.parse_json(text, path, _PROJECT), path, _PROJECT))
        return bool(images) and all(not image.regions and _denies(path, image) for image in images)
    except InputError:
        return False


def _denies(path: Path, image: Image) -> bool:
    given = spelling.by_name(image.attributes, (ANNOTATED,), path, image.where)
    return spelling.denies(given.get(ANNOTATED))


def from_csv(text: str, path: Path, expected: str) -> Iterator[Image]:
    """Yield the images of annotations exported as CSV.

    Parameters
    ----------
    text
        What the file holds.
    path, expected
        The file, and what it should hold, for messages.

    Raises
    ------
    InputError
        If it is no CSV, or lacks a column.
    """
    lines = separated.rows(path, io.StringIO(text, newline=""), expected, comments=True)
    line, header = next(lines)
    header = [name.lstrip("#").strip() for name in header]
    for column in _COLUMNS:
        if column not in header:
            raise InputError(
                path, f"the columns {brief(', '.join(header), 200)}",
                f"annotations that VIA exported as CSV, with a column {column}",
                where=f"line {line}",
            )  # fmt: skip
    # An image has a row a region. Where all are called as the video, attributes tell images apart.
    images: dict[tuple[str, str], Image] = {}
    of_some: dict[str, InputError] = {}
    for line, row in lines:
        cells = dict(zip(header, row, strict=False))
        faults: list[InputError] = []
        with _kept(faults):
            separated.check_count(path, line, row, header)
        about, shape, attributes = (
            _cell(path, f"line {line}, column {column}", cells.get(column), faults)
            for column in _COLUMNS[1:]
        )
        name = cells.get("filename", "")
        if about is None:
            of_some.setdefault(name, faults[0])
            continue
        image = images.setdefault((name, cells["file_attributes"]), Image(name, about, []))
        if faults:
            image.regions.append(faults[0])
        elif shape:
            image.regions.append(_drawn(image.where_next, shape, attributes or {}))
    # Of which image a row is that tells no attributes, nobody knows: any of its name may lack it.
    called = {image.name for image in images.values()}
    for image in images.values():
        if image.name in of_some:
            image.regions.append(of_some[image.name])
        yield image
    yield from (Image(name, {}, [fault]) for name, fault in of_some.items() if name not in called)


def _cell(
    path: Path, where: str, text: str | None, faults: list[InputError]
) -> dict[str, Any] | None:
    """Return the attributes that a cell tells; None if there is none, or it cannot be read."""
    if text is None:
        return None
    with _kept(faults):
        value = files.parse_json(text or "{}", path, _CELL, where)
        if isinstance(value, dict):
            return value
        raise InputError(path, shown(value), _CELL, where=where)
    return None


@contextmanager
def _kept(faults: list[InputError]) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        faults.append(error)
