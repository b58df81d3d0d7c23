"""Tracks in the form of VIA 2, as *movement* and others write them: CSV or JSON of rectangles.

The region attribute ``track`` is the number of a tracklet, ``confidence`` the score. The frame of
an image is its file attribute ``frame``, else what its name tells (:mod:`murid.frame_names`). The
row that leads back to a box is the number of its region within the image, from 0.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from murid import files, schemas, spelling, via
from murid.archive.columns import Columns
from murid.archive.formats import Format, Source
from murid.drawn import Image, Region, check_frames, is_number
from murid.errors import InputError, brief, shown
from murid.frame_names import LAST

_KNOWN = ("track", "confidence")


def read(source: Source) -> Columns:
    """Return each rectangle as a box of a tracklet.

    Raises
    ------
    InputError
        If the file is missing or malformed, an image tells no frame, a region is no rectangle or a
        number is none; naming image and region.
    """
    path, expected = source.path, source.expected
    given: Iterable[Image]
    if path.suffix.lower() == ".csv":
        given = via.from_csv(files.read_text(path, expected), path, expected)
    else:
        given = via.from_json(source.json, path, expected)
    images = [_framed(path, image) for image in given]
    rows = [
        (*_row(path, frame, region), number)
        for frame, image in zip(check_frames(images, path), images, strict=True)
        for number, region in enumerate(image.regions)
    ]
    names = ["frame", *schemas.BOX, "score", "tracklet", "source_row"]
    table = pd.DataFrame(rows, columns=names)
    return Columns(path, table, unit="rectangle")


def _framed(path: Path, image: Image) -> Image:
    given = spelling.by_name(image.attributes, ["frame"], path, image.where)
    return Image(image.name, given, image.regions, frame=given.get("frame"))


def _row(path: Path, frame: int, region: Region | InputError) -> tuple[Any, ...]:
    if isinstance(region, InputError):
        raise region
    if region.shape != "rect":
        found = f"the shape {brief(str(region.shape))}"
        raise InputError(path, found, "a rectangle (rect)", where=region.where)
    if len(region.sides) != 4 or not all(map(is_number, region.sides)):
        found = f"the rectangle {shown(list(region.sides))}"
        raise InputError(path, found, "numbers x, y, width, height", where=region.where)
    given = spelling.by_name(region.attributes, _KNOWN, path, region.where)
    track, score = (_number(given.get(name)) for name in _KNOWN)
    if track != track or track < -1 or track > LAST or track != int(track):
        raise InputError(
            path, f"the track {shown(given.get('track'))}", "a whole number from 0",
            where=region.where,
        )  # fmt: skip
    if given.get("confidence") not in (None, "") and not 0 <= score <= 1:
        found = f"the confidence {shown(given['confidence'])}"
        raise InputError(path, found, "a number from 0 to 1", where=region.where)
    return frame, *map(float, region.sides), score, None if track == -1 else int(track)


def _number(value: Any) -> float:
    """Return a number that is given as such or as text; NaN if it is none."""
    try:
        return float(value) if isinstance(value, int | float | str) else float("nan")
    except (ValueError, OverflowError):
        return float("nan")


def _holds(source: Source) -> bool:
    if source.path.suffix.lower() == ".csv":
        head = files.head(source.path, source.expected)
        return via.SHAPE.encode() in head.partition(b"\n")[0]
    content = source.json
    if not isinstance(content, dict) or not content:
        return False
    entries = content.values()
    return "_via_img_metadata" in content or all(
        isinstance(entry, dict) and "filename" in entry for entry in entries
    )


FORMAT = Format(
    name="tracks in the form of VIA 2",
    words="VIA 2, an export or (`.json`) a project, as *movement* writes it: rectangles with the "
    "attributes `track`, a number, and perhaps `confidence`. Frames as for annotations",
    suffixes=(".csv", ".json"),
    read=read,
    holds=_holds,
)
