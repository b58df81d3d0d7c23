"""Annotations drawn with the VGG Image Annotator (:mod:`murid.via`).

An image is a frame; its number is the file attribute ``frame``, or else in the image's name
(:mod:`murid.frame_names`). One whose file attribute ``annotated`` is ``no`` was picked to be
annotated (:mod:`murid.picking`), and counts once it has regions, or that is ``yes``. What
attributes regions have, :mod:`murid.archive.annotation_types` tells.
"""

from dataclasses import replace
from pathlib import Path

from murid import files, spelling, via
from murid.archive import annotation_types
from murid.archive.columns import Judged
from murid.archive.formats import Format, Source
from murid.drawn import Image

OF_IMAGES = ("frame", via.ANNOTATED)
"""Attributes that count, of images."""


def read(source: Source) -> Judged:
    """Read a VIA project, or annotations exported as JSON or CSV, as a table of annotations.

    Raises
    ------
    InputError
        If the file is missing or malformed, comes from VIA 3, a region is no rectangle, or as
        :func:`murid.archive.annotation_types.as_table`; naming image and region.
    """
    path, expected = source.path, source.expected
    if path.suffix.lower() == ".csv":
        images = via.from_csv(files.read_text(path, expected), path, expected)
    else:
        images = via.from_json(source.json, path, expected)
    return annotation_types.as_table((_as_frame(path, image) for image in images), path)


def _as_frame(path: Path, image: Image) -> Image:
    given = spelling.by_name(image.attributes, OF_IMAGES, path, image.where)
    strange = [
        key for key, value in given.items() if key not in OF_IMAGES and annotation_types.says(value)
    ]
    waiting = spelling.denies(given.get(via.ANNOTATED))
    return replace(image, frame=given.get("frame"), strange=strange, waiting=waiting)


FORMAT = Format(
    name="annotations of VIA 2, a project or an export",
    words="VIA 2: a project, or its export as JSON or CSV",
    suffixes=(".json", ".csv", ".txt"),
    read=read,
)
