"""Annotations in COCO JSON, as CVAT, Label Studio, Roboflow and others export them.

What VIA calls the attributes of a region (:mod:`murid.archive.annotation_types`) stand in an
annotation's ``attributes``, or beside its ``bbox``; where none is the identity, the category's name
is it (an animal or ``tunnel``). ``hard`` and ``iscrowd`` count as ``difficult``.
"""

from dataclasses import replace
from pathlib import Path

from murid import coco, frame_names
from murid.archive import annotation_types
from murid.archive.columns import Judged
from murid.archive.formats import Format, Source
from murid.drawn import Image, Region
from murid.errors import InputError


def read(source: Source) -> Judged:
    """Return the annotations of a COCO file as a table of annotations.

    Raises
    ------
    InputError
        As :func:`murid.coco.read` and :func:`murid.archive.annotation_types.as_table`.
    """
    images = coco.read(source.json, source.path)
    frames = (_as_frame(source.path, image) for image in images)
    return annotation_types.as_table(frames, source.path)


def _as_frame(path: Path, image: Image) -> Image:
    strange = [
        key
        for key in image.attributes
        if str(key).lower().startswith("frame") and key not in frame_names.KEYS
    ]
    regions = [_named(path, region) for region in image.regions]
    return replace(image, regions=regions, strange=strange)


def _named(path: Path, region: Region | InputError) -> Region | InputError:
    """Return a region with its category for the identity, and all that makes it difficult."""
    if isinstance(region, InputError):
        return region
    given = annotation_types.by_category(region, path, ("hard", "iscrowd"))
    marks = (given.get("difficult"), given.pop("hard", None), given.pop("iscrowd", None))
    given["difficult"] = next((mark for mark in marks if mark), False)
    return replace(region, attributes=given)


FORMAT = Format(
    name="COCO JSON",
    words="COCO JSON: `images`, `annotations` and `categories`",
    suffixes=(".json",),
    read=read,
    holds=lambda source: coco.is_coco(source.json),
)
