"""COCO results: boxes of a detector in JSON, as pycocotools and most detectors write them.

A list of ``{"image_id", "category_id", "bbox": [x, y, w, h], "score"}``, or a whole COCO file whose
``annotations`` have scores. ``track_id``, if there is one, tells to which tracklet a box belongs.

An image's frame comes from the COCO file's ``images``, there from ``frame``, ``frame_number`` or
``frame_id``, else from the last run of digits in ``file_name``; without images, ``image_id`` is the
frame, from 0. The names of categories come from ``categories``; without them, 1 is a mouse and 2
the tunnel.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath
from typing import Any

import pandas as pd

from murid import contracts
from murid.archive.columns import Columns
from murid.errors import InputError

_FRAME_KEYS = ("frame", "frame_number", "frame_id")
_WHAT = "COCO results: a list of entries with image_id, category_id, bbox and score"


def read(path: Path, images: Path | None = None) -> Columns:
    """Read COCO results as columns ``frame, label, x, y, w, h, score`` and perhaps ``tracklet``.

    Parameters
    ----------
    path
        The results.
    images
        The COCO file that tells images and categories, unless the results do themselves.

    Raises
    ------
    InputError
        If a file is missing or no such JSON, or an entry lacks a value, has one of another kind, or
        is of an unknown image or category; naming the entry, counted from 0.
    """
    data = _json(path)
    about = data if images is None else _json(images)
    source = path if images is None else images
    entries = data.get("annotations") if isinstance(data, dict) else data
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(path, "JSON of another form", _WHAT)
    known = about if isinstance(about, dict) else {}
    if images is not None and "images" not in known:
        raise InputError(images, "JSON without images", "a COCO file with images")
    frames = _frames(source, known["images"]) if "images" in known else None
    labels = _labels(source, known.get("categories"))
    rows = [
        _row(path, number, entry, frames, labels)
        for number, entry in enumerate(entries)
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["frame", "label", *contracts.BOX, "score", "tracklet"])
    if frame["tracklet"].isna().all():
        frame = frame.drop(columns="tracklet")
    return Columns(path, frame, unit="entry")


def _json(path: Path) -> Any:
    if not path.is_file():
        raise InputError(path, "no file", "COCO JSON")
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"malformed JSON ({error})", "COCO JSON") from error


def _frames(path: Path, images: Any) -> dict[Any, int]:
    """Return the frame of each image by its id."""
    frames: dict[Any, int] = {}
    taken: dict[int, Any] = {}
    for place, image in enumerate(images if isinstance(images, list) else [None]):
        where = f"image {place}"
        if not isinstance(image, dict) or not isinstance(image.get("id"), int | str):
            raise InputError(path, "an image without an id", "COCO images", where=where)
        given = next((image[key] for key in _FRAME_KEYS if key in image), None)
        if given is None:
            digits = re.findall(r"[0-9]+", PureWindowsPath(str(image.get("file_name", ""))).stem)
            given = int(digits[-1]) if digits else None
        if not _is_number(given) or given < 0 or given != int(given):
            found = "no frame number" if given is None else repr(given)
            expected = "digits in file_name, or a frame number from 0 as frame"
            raise InputError(path, found, expected, where=where)
        if int(given) in taken:
            raise InputError(
                path, f"frame {given} a second time (also image {taken[int(given)]})",
                "each frame once", where=where, remedy="Split the file by segment.",
            )  # fmt: skip
        taken[int(given)] = place
        frames[image["id"]] = int(given)
    return frames


def _labels(path: Path, categories: Any) -> Mapping[Any, str]:
    """Return the label of each category by its id."""
    if categories is None:
        return dict(enumerate(contracts.LABELS, start=1))
    labels = {}
    for place, category in enumerate(categories if isinstance(categories, list) else [None]):
        if not isinstance(category, dict) or not {"id", "name"} <= category.keys():
            raise InputError(
                path, "a category without id and name", "COCO categories",
                where=f"category {place}",
            )  # fmt: skip
        labels[category["id"]] = str(category["name"])
    return labels


def _row(
    path: Path,
    number: int,
    entry: Mapping[str, Any],
    frames: Mapping[Any, int] | None,
    labels: Mapping[Any, str],
) -> tuple[Any, ...]:
    def refuse(key: str, expected: str) -> InputError:
        found = repr(entry[key]) if key in entry else "nothing"
        return InputError(path, found, expected, where=f"entry {number}, {key}")

    image, box, score = (entry.get(key) for key in ("image_id", "bbox", "score"))
    if frames is not None:
        if not isinstance(image, int | str) or image not in frames:
            raise refuse("image_id", "the id of one of the images")
        frame = frames[image]
    elif isinstance(image, int) and not isinstance(image, bool) and 0 <= image < 2**31:
        frame = image
    else:
        raise refuse("image_id", "a frame number from 0, since no images are given")
    category = entry.get("category_id")
    if not isinstance(category, int | str) or category not in labels:
        known = ", ".join(f"{key} ({name})" for key, name in labels.items())
        raise refuse("category_id", f"one of {known}")
    if not isinstance(box, list) or len(box) != 4 or not all(map(_is_number, box)):
        raise refuse("bbox", "four numbers: x, y, w, h")
    if not _is_number(score):
        raise refuse("score", "a number from 0 to 1")
    track = entry.get("track_id")
    if track is not None and (not _is_number(track) or not -1 <= track < 2**31):
        raise refuse("track_id", "a whole number from 0, or -1 for none")
    return frame, labels[category], *box, score, None if track == -1 else track


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
