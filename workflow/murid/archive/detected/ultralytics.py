"""Results of Ultralytics as JSON: a list of frames, each what ``summary()`` says of its result.

That is a list of ``{"name", "class", "confidence", "box": {"x1", "y1", "x2", "y2"}}``, in pixels,
with ``track_id`` where the tracker knows it. Names of classes are labels if they are ``mouse`` and
``tunnel``; where all boxes are of one class, that is the mouse. The row that leads back to a box is
its place in the list of its frame, from 0.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from murid import schemas
from murid.archive.columns import Columns
from murid.archive.formats import Format, Source
from murid.drawn import is_number
from murid.errors import InputError, shown
from murid.frame_names import LAST

_CORNERS = ("x1", "y1", "x2", "y2")


def read(source: Source) -> Columns:
    """Return the boxes of all frames.

    Raises
    ------
    InputError
        If the file is missing or malformed, or a box lacks a number; naming frame and box.
    """
    path = source.path
    rows = [
        (*_row(path, f"frame {frame}, box {number}", frame, box), number)
        for frame, boxes in enumerate(source.json)
        for number, box in enumerate(boxes)
    ]
    names = ["frame", "class", *schemas.BOX, "score", "tracklet", "source_row"]
    table = pd.DataFrame(rows, columns=names)
    if table["tracklet"].isna().all():
        table = table.drop(columns="tracklet")
    return Columns(path, labelled(table), unit="box")


def labelled(table: pd.DataFrame) -> pd.DataFrame:
    """Return boxes with their ``class`` as the label, if each is one; they are judged as they are.

    What is made of other classes, :func:`murid.archive.detections.read` tells.
    """
    classes = table["class"].astype(str).str.lower()
    if classes.isin(schemas.LABELS).all():
        return table.drop(columns="class").assign(label=classes)
    return table


def _row(path: Path, where: str, frame: int, box: Any) -> tuple[Any, ...]:
    given = box if isinstance(box, dict) else {}
    corners = given.get("box")
    sides: list[Any] = (
        [corners.get(name) for name in _CORNERS] if isinstance(corners, dict) else [None]
    )
    if not all(map(is_number, sides)):
        expected = "numbers x1, y1, x2, y2"
        raise InputError(path, f"the box {shown(corners)}", expected, where=where)
    left, top, right, bottom = sides
    score, track = given.get("confidence"), given.get("track_id")
    if not is_number(score):
        raise InputError(path, f"the confidence {shown(score)}", "a number", where=where)
    if track is not None and not (is_number(track) and 0 <= track <= LAST and track == int(track)):
        raise InputError(path, f"the track_id {shown(track)}", "a number from 0", where=where)
    name = given.get("name", given.get("class", ""))
    return frame, str(name), left, top, right - left, bottom - top, score, track


def _holds(source: Source) -> bool:
    content = source.json
    return isinstance(content, list) and bool(content) and all(isinstance(e, list) for e in content)


FORMAT = Format(
    name="results of Ultralytics: a list of frames, each a list of boxes",
    words="Ultralytics: a list with the `summary()` of each frame's result. Its track numbers are "
    "tracklets",
    suffixes=(".json",),
    read=read,
    holds=_holds,
)
