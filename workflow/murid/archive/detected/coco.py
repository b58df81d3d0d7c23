"""COCO results: boxes of a detector in JSON, as pycocotools and most detectors write them.

A list of ``{"image_id", "category_id", "bbox": [x, y, w, h], "score"}``, or a whole COCO file whose
``annotations`` have scores. ``track_id``, if there is one, tells to which tracklet a box belongs.

An image's frame comes from the COCO file's ``images``, there from ``frame``, ``frame_number`` or
``frame_id``, else from ``file_name`` (:mod:`murid.frame_names`); without images, ``image_id`` is
the frame, from 0. The names of categories come from ``categories``; without them, 1 is a mouse and
2 the tunnel.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from murid import coco, files, schemas
from murid.archive.columns import Columns
from murid.archive.formats import Format, Source
from murid.drawn import check_frames, is_number
from murid.errors import InputError, shown
from murid.frame_names import LAST


def read(source: Source) -> Columns:
    """Read COCO results as columns ``frame, label, x, y, w, h, score`` and perhaps ``tracklet``.

    ``source.images`` tells images and categories, unless the results do themselves.

    Raises
    ------
    InputError
        If a file is missing or no such JSON, or an entry lacks a value, has one of another kind, or
        is of an unknown image or category; naming the entry, counted from 0.
    """
    path, images = source.path, source.images
    content = source.json
    entries = content.get("annotations") if isinstance(content, dict) else content
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(path, "JSON of another form", source.expected)
    about = content if images is None else files.read_json(images, "a COCO file with images")
    about = about if isinstance(about, dict) else {}
    if images is not None and "images" not in about:
        raise InputError(images, "JSON without images", "a COCO file with images")
    teller = images or path
    frames = None
    if "images" in about:
        listed = coco.images_of(teller, about["images"])
        frames = dict(zip(listed, check_frames(list(listed.values()), teller), strict=True))
    labels = coco.categories_of(teller, about.get("categories"))
    rows = [_row(path, number, entry, frames, labels) for number, entry in enumerate(entries)]
    frame = pd.DataFrame(rows, columns=["frame", "label", *schemas.BOX, "score", "tracklet"])
    if frame["tracklet"].isna().all():
        frame = frame.drop(columns="tracklet")
    return Columns(path, frame, unit="entry")


def _row(
    path: Path,
    number: int,
    entry: Mapping[str, Any],
    frames: Mapping[Any, int] | None,
    labels: Mapping[Any, str],
) -> tuple[Any, ...]:
    def refuse(key: str, expected: str) -> InputError:
        found = shown(entry[key]) if key in entry else "nothing"
        return InputError(path, found, expected, where=f"entry {number}, {key}")

    image, box, score = (entry.get(key) for key in ("image_id", "bbox", "score"))
    if frames is not None:
        if not coco.is_id(image) or image not in frames:
            raise refuse("image_id", "the id of one of the images")
        frame = frames[image]
    elif isinstance(image, int) and not isinstance(image, bool) and 0 <= image <= LAST:
        frame = image
    else:
        raise refuse("image_id", "a frame number from 0, since no images are given")
    category = entry.get("category_id")
    if not coco.is_id(category) or category not in labels:
        known = ", ".join(f"{key} ({name})" for key, name in list(labels.items())[:20])
        raise refuse("category_id", f"one of {known}")
    if not isinstance(box, list) or len(box) != 4 or not all(map(is_number, box)):
        raise refuse("bbox", "four numbers: x, y, w, h")
    if score is not None and not is_number(score):
        raise refuse("score", "a number from 0 to 1")
    track = entry.get("track_id")
    if track is not None and (not is_number(track) or not -1 <= track <= LAST):
        raise refuse("track_id", "a whole number from 0, or -1 for none")
    return frame, labels[category], *box, score, None if track == -1 else track


FORMAT = Format(
    name="COCO results: a list of entries with image_id, category_id, bbox and score",
    words="COCO results: `image_id`, `category_id`, `bbox`, `score`, perhaps `track_id`. Either a "
    "list, whose `image_id` is the frame from 0 and whose categories are 1 (mouse) and 2 "
    "(tunnel), or a whole COCO file, which tells both (`images`, `categories`) and has the boxes "
    "as `annotations`",
    suffixes=(".json",),
    read=read,
    images=True,
)
