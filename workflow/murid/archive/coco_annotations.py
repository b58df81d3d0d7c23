"""Annotations in COCO JSON, as CVAT, Label Studio, Roboflow and others export them.

``images``, ``annotations`` and ``categories`` as COCO has them. What VIA calls the attributes of a
region (:mod:`murid.archive.regions`) stand in an annotation's ``attributes``, or beside its
``bbox``; where none is the identity, the category's name is it (an animal or ``tunnel``). ``hard``
and ``iscrowd`` count as ``difficult``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from murid.archive import coco, regions
from murid.archive.regions import Image, Region
from murid.errors import InputError, shown

_KEYS = ("identity", "type", "visibility", "difficult")
_SPECIES = ("mouse", "mice", "animal", "rat", "rodent")
"""What categories may be called that name no animal."""


def is_coco(data: Any) -> bool:
    """Tell whether what a JSON file holds is COCO: lists of images and annotations."""
    return isinstance(data, dict) and all(
        isinstance(data.get(part), list) for part in ("images", "annotations")
    )


def read(data: Mapping[str, Any], path: Path) -> pd.DataFrame:
    """Return the annotations of a COCO file as a table of annotations.

    Raises
    ------
    InputError
        If an entry lacks a value, has one of another kind, or is of an unknown image or category;
        naming it, from 0; and as :func:`murid.archive.regions.as_table`.
    """
    known = coco.images_of(path, data["images"])
    images = {
        key: Image(str(image.get("file_name", key)), coco.given_frame(image))
        for key, image in known.items()
    }
    names = coco.categories_of(path, data.get("categories", []))
    for number, entry in enumerate(data["annotations"]):
        where = f"annotation {number}"
        if not isinstance(entry, dict):
            raise InputError(path, shown(entry), "a COCO annotation", where=where)
        for key, allowed in (("image_id", images), ("category_id", names)):
            value = entry.get(key)
            if not coco.is_id(value) or value not in allowed:
                raise InputError(path, f"{key} {shown(value)}", "one of the file", where=where)
        box = entry.get("bbox")
        sides = tuple(box) if isinstance(box, list) else (box,)
        attributes = _attributes(path, where, entry, names[entry["category_id"]])
        images[entry["image_id"]].regions.append(Region(where, sides, attributes))
    return regions.as_table(images.values(), path)


def _attributes(path: Path, where: str, entry: Mapping[str, Any], category: str) -> dict[str, Any]:
    inner = entry.get("attributes")
    beside = regions.named(path, where, entry, ["hard"])
    given = {key: beside[key] for key in (*_KEYS, "hard") if key in beside}
    given |= regions.named(path, where, inner if isinstance(inner, dict) else {}, ["hard"])
    if given.get("identity") in (None, "") and category.strip().lower() not in _SPECIES:
        given["identity"] = category
    marks = (given.get("difficult"), given.get("hard"), entry.get("iscrowd"))
    given["difficult"] = next((mark for mark in marks if mark), False)
    return given
