"""Annotations in COCO JSON, as CVAT, Label Studio, Roboflow and others export them.

``images``, ``annotations`` and ``categories`` as COCO has them. What VIA calls the attributes of a
region (:mod:`murid.archive.regions`) stand in an annotation's ``attributes``, or beside its
``bbox``; where none is the identity, the category's name is it (an animal or ``tunnel``). ``hard``
and ``iscrowd`` count as ``difficult``.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from murid import frame_names
from murid.archive import coco, regions
from murid.archive.columns import Told
from murid.archive.regions import Image, Region
from murid.errors import InputError, shown

SIZES = "sizes"
"""Attribute of the table: widths and heights of the images that were annotated, if they tell."""
_STANDARD = (
    "id", "image_id", "category_id", "bbox", "area", "segmentation", "iscrowd", "attributes",
    "keypoints", "num_keypoints", "score", "track_id", "caption", "ignore",
)  # fmt: skip
"""What stands beside a ``bbox`` and is no attribute."""
_SPECIES = ("mouse", "mice", "animal", "rat", "rodent")
"""What categories may be called that name no animal."""


def is_coco(data: Any) -> bool:
    """Tell whether what a JSON file holds is COCO: lists of images and annotations."""
    return isinstance(data, dict) and all(
        isinstance(data.get(part), list) for part in ("images", "annotations")
    )


def read(data: Mapping[str, Any], path: Path) -> Told:
    """Return the annotations of a COCO file as a table of annotations.

    Raises
    ------
    InputError
        If an entry lacks a value, has one of another kind, or is of an unknown image or category;
        naming it, from 0; and as :func:`murid.archive.regions.as_table`.
    """
    known = coco.images_of(path, data["images"])
    images = {
        key: Image(
            str(image.get("file_name", key)), coco.given_frame(image), others=_like_frame(image)
        )
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
    told = regions.as_table(images.values(), path)
    sizes: Iterable[tuple[Any, ...]] = (
        (image.get("width"), image.get("height")) for image in known.values()
    )
    told.found.attrs[SIZES] = sorted(
        {size for size in sizes if all(regions.is_number(side) and side > 0 for side in size)}
    )
    return told


def _like_frame(image: Mapping[str, Any]) -> list[str]:
    """Return the keys of an image that may be meant for its frame, but are not known."""
    return [
        key for key in image if str(key).lower().startswith("frame") and key not in frame_names.KEYS
    ]


def _attributes(path: Path, where: str, entry: Mapping[str, Any], category: str) -> dict[str, Any]:
    inner = entry.get("attributes")
    beside = regions.named(path, where, entry, ["hard"])
    given = {key: value for key, value in beside.items() if key not in _STANDARD}
    given |= regions.named(path, where, inner if isinstance(inner, dict) else {}, ["hard"])
    if given.get("identity") in (None, "") and category.strip().lower() not in _SPECIES:
        given["identity"] = category
    marks = (given.get("difficult"), given.pop("hard", None), entry.get("iscrowd"))
    given["difficult"] = next((mark for mark in marks if mark), False)
    return given
