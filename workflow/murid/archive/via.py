"""Annotations drawn with the VGG Image Annotator (:mod:`murid.via`).

An image is a frame; its number is the file attribute ``frame``, or else in the image's name
(:mod:`murid.frame_names`). What attributes regions have, :mod:`murid.archive.regions` tells.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from murid import files, via
from murid.archive import regions
from murid.archive.columns import Told
from murid.archive.regions import Image, Region
from murid.errors import InputError

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
        return _told(path, via.from_csv(files.read_text(path, _WHAT), path, _WHAT))
    return from_json(files.read_json(path, _WHAT), path)


def from_json(data: Any, path: Path) -> Told:
    """Return what a VIA project, or annotations exported as JSON, hold as a table of annotations.

    Raises
    ------
    InputError
        As :func:`read`.
    """
    return _told(path, via.from_json(data, path, f"{_WHAT}, or COCO JSON"))


def _told(path: Path, images: Iterable[via.Image]) -> Told:
    return regions.as_table((_image(path, image) for image in images), path)


def _image(path: Path, image: via.Image) -> Image:
    given = regions.named(path, image.where, image.attributes)
    others = [key for key, value in given.items() if key != "frame" and regions.says(value)]
    return Image(image.name, given.get("frame"), list(map(_region, image.regions)), others)


def _region(region: via.Region | InputError) -> Region:
    if isinstance(region, InputError):
        raise region
    sides = tuple(region.shape.get(name) for name in ("x", "y", "width", "height"))
    return Region(region.where, sides, region.attributes, region.shape.get("name"))
