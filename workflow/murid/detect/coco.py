"""Annotated images in COCO JSON, as TIDe publishes those for detectors.

``images``, ``annotations`` and ``categories`` as COCO has them; the categories are named mouse and
tunnel. What is more, an image or an annotation, or the ``attributes`` of either, may say ``hard``:
then it counts as difficult, as does what ``iscrowd`` says. ``cage`` is told in the log. ``hopper``
is read over: all boxes are learnt, and what lies in the hopper is dropped from what is detected.
"""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import cv2
import numpy as np

from murid import coco, drawn, files, schemas, video
from murid.detect.model import CLASSES
from murid.detect.sample import Wanted
from murid.drawn import Region
from murid.errors import InputError, shown

log = logging.getLogger(__name__)


class Image(NamedTuple):
    """An annotated image, whose picture is yet to be read."""

    name: str
    """``file_name``."""
    frame: int | None
    """Which frame of a video it is, if it says so or its name does."""
    hard: bool
    """Whether it, or one of its annotations, is difficult."""
    wanted: Wanted
    """What is annotated in it."""


def read(path: Path) -> list[Image]:
    """Read the images of a COCO file, in its order, with what is annotated in each.

    Raises
    ------
    InputError
        If the file is missing or no such JSON, or an entry makes no sense; naming the entry, from
        0.
    """
    content = files.read_json(path, "COCO JSON of images")
    annotated = coco.read(content, path)
    _check_labels(path, content.get("categories"))
    images = []
    for place, (image, frame) in enumerate(zip(annotated, drawn.frames_of(annotated), strict=True)):
        if not isinstance(image.attributes.get("file_name"), str):
            raise InputError(path, "an image without file_name", "one", where=f"image {place}")
        regions = [region for region in image.regions if isinstance(region, Region)]
        for region in regions:
            _check_box(path, region)
        hard = _says(_value(image.attributes, "hard"))
        difficult = [
            hard or any(_says(region.attributes.get(mark)) for mark in ("hard", "iscrowd"))
            for region in regions
        ]
        wanted = Wanted(
            np.array([region.sides for region in regions], np.float32).reshape(-1, 4),
            np.array([CLASSES.index(region.category.lower()) for region in regions], np.int64),
            np.array(difficult, bool),
        )
        number = None if isinstance(frame, ValueError) else frame
        images.append(Image(image.name, number, hard or any(difficult), wanted))
    cages = sorted({str(_value(image.attributes, "cage")) for image in annotated} - {"None"})
    difficult_ones = sum(image.hard for image in images)
    of = f" of the cages {', '.join(cages)}" if cages else ""
    log.info("%s: %d images%s, %d of them hard", path, len(images), of, difficult_ones)
    return images


def pictures(source: Path, images: list[Image], path: Path) -> Iterator[tuple[Image, video.Frame]]:
    """Read the pictures from a folder, each grey and with its image.

    Parameters
    ----------
    source
        The folder in which ``file_name`` counts.
    images
        As :func:`read` gives.
    path
        The COCO file, to name in errors.

    Raises
    ------
    InputError
        If a picture is missing or cannot be read.
    """
    for image in images:
        parts = PurePosixPath(image.name)
        if parts.is_absolute() or ".." in parts.parts:
            raise InputError(path, f"file_name {image.name!r}", "a name within the folder")
        yield image, _picture(source / parts, path)


def _picture(file: Path, path: Path) -> video.Frame:
    # OpenCV opens whatever bears the name, and takes the memory that the header asks for.
    width, height = video.size(file, f"a picture, as {path} names it")
    grey = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
    if grey is None or sorted(grey.shape) != sorted((width, height)):
        raise InputError(file, "no picture that can be read", f"what {path} names")
    return np.asarray(grey, dtype=np.uint8)


def _check_labels(path: Path, categories: Any) -> None:
    for place, name in enumerate(coco.categories_of(path, categories or []).values()):
        if name.lower() not in schemas.LABELS:
            expected = f"one of {', '.join(schemas.LABELS)} as name"
            raise InputError(path, repr(name), expected, where=f"category {place}")


def _check_box(path: Path, region: Region) -> None:
    sides = region.sides
    if len(sides) != 4 or not all(map(drawn.is_number, sides)) or min(sides[2:]) <= 0:
        found = f"bbox {shown(list(sides))}"
        raise InputError(path, found, "x, y, w, h, the last two above 0", where=region.where)


def _value(image: Mapping[str, Any], key: str) -> Any:
    attributes = image.get("attributes")
    inner = attributes.get(key) if isinstance(attributes, dict) else None
    return image.get(key, inner)


def _says(value: Any) -> bool:
    """Tell whether a mark is set: true, 1 or a word to that effect."""
    return str(value).lower() in ("true", "1", "1.0", "yes")
