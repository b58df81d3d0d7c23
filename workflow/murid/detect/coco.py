"""Annotated images in COCO JSON, as TIDe publishes those for detectors.

``images``, ``annotations`` and ``categories`` as COCO has them; the categories are named mouse and
tunnel. What is more, an image or an annotation, or the ``attributes`` of either, may say ``hard``:
then it counts as difficult, as does what ``iscrowd`` says. ``cage`` is told in the log. ``hopper``
is read over: all boxes are learnt, and what lies in the hopper is dropped from what is detected.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import cv2
import numpy as np

from murid import contracts, files, frame_names, video
from murid.detect.model import CLASSES
from murid.detect.sample import Wanted
from murid.errors import InputError, shown

log = logging.getLogger(__name__)

HUGE = 1e30
"""Sides of boxes are below this, so that they are numbers in single precision too."""


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
    content = _content(path)
    labels = {}
    for place, category in enumerate(content["categories"]):
        name = str(category.get("name", "")).lower()
        if name not in contracts.LABELS or not _has_id(category):
            expected = f"id, and one of {', '.join(contracts.LABELS)} as name"
            raise InputError(path, shown(category), expected, where=f"category {place}")
        labels[category["id"]] = CLASSES.index(name)
    entries = defaultdict(list)
    identities = {image["id"] for image in content["images"] if _has_id(image)}
    for place, entry in enumerate(content["annotations"]):
        where = f"annotation {place}"
        for key, allowed in (("image_id", identities), ("category_id", labels)):
            value = entry.get(key)
            if not isinstance(value, int | str) or value not in allowed:
                raise InputError(path, f"{key} {shown(value)}", "one of the file", where=where)
        _check_box(path, entry.get("bbox"), where)
        entries[entry["image_id"]].append(entry)
    for place, image in enumerate(content["images"]):
        named = isinstance(image.get("file_name"), str)
        if not named or not _has_id(image):
            expected = "id and file_name"
            raise InputError(path, "an image without them", expected, where=f"image {place}")
    images = []
    for image, frame in zip(content["images"], _frames(content["images"]), strict=True):
        shows = entries[image["id"]]
        hard = _says(image, "hard")
        difficult = [hard or _says(entry, "hard") or _says(entry, "iscrowd") for entry in shows]
        wanted = Wanted(
            np.array([entry["bbox"] for entry in shows], np.float32).reshape(-1, 4),
            np.array([labels[entry["category_id"]] for entry in shows], np.int64),
            np.array(difficult, bool),
        )
        images.append(Image(image["file_name"], frame, hard or any(difficult), wanted))
    cages = sorted({str(_value(image, "cage")) for image in content["images"]} - {"None"})
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


def _content(path: Path) -> dict[str, list[dict[str, Any]]]:
    content = files.read_json(path, "COCO JSON of images")
    for part in ("images", "annotations", "categories"):
        entries = content.get(part) if isinstance(content, dict) else None
        if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            raise InputError(path, f"JSON without a list of {part}", "COCO JSON of images")
    return content


def _has_id(entry: Mapping[str, Any]) -> bool:
    return isinstance(entry.get("id"), int | str)


def _check_box(path: Path, box: Any, where: str) -> None:
    numbers = isinstance(box, list) and len(box) == 4
    numbers = numbers and all(isinstance(x, int | float) and abs(x) < HUGE for x in box)
    if not numbers or min(box[2:]) <= 0:
        expected = "x, y, w, h, the last two above 0"
        raise InputError(path, f"bbox {shown(box)}", expected, where=where)


def _value(entry: Mapping[str, Any], key: str) -> Any:
    attributes = entry.get("attributes")
    inner = attributes.get(key) if isinstance(attributes, dict) else None
    return entry.get(key, inner)


def _says(entry: Mapping[str, Any], key: str) -> bool:
    """Tell whether an entry is marked: true, 1 or a word to that effect."""
    return str(_value(entry, key)).lower() in ("true", "1", "1.0", "yes")


def _frames(images: list[dict[str, Any]]) -> list[int | None]:
    """Return which frame of a video each image is, None where it does not tell."""
    frames = frame_names.frames_of(
        (next((image[key] for key in frame_names.KEYS if key in image), None), image["file_name"])
        for image in images
    )
    return [None if isinstance(frame, ValueError) else frame for frame in frames]
