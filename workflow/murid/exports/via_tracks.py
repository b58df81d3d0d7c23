"""Tracks in the form of VIA 2, as *movement* reads them: CSV, a row a rectangle.

The region attribute ``track`` is the number of the animal, ``identity`` its name, ``confidence``
the probability of that, where it was estimated. The file attribute ``frame`` counts from 0.
"""

import csv
import io
import json
from pathlib import Path

from murid.exports.content import Content, written
from murid.files import write_text
from murid.schemas import BOX

HEADER = (
    "filename", "file_size", "file_attributes", "region_count", "region_id",
    "region_shape_attributes", "region_attributes",
)  # fmt: skip
_SIDES = ("x", "y", "width", "height")


def write(content: Content, path: Path) -> None:
    """Write the boxes to ``path``; of a segment without any there is the header alone."""
    boxes, within = content.boxes, content.boxes.groupby("frame")["number"]
    columns = [written(boxes[name]) for name in (*BOX, "confidence")]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for frame, number, count, place, *sides, confidence in zip(
        boxes["frame"].tolist(), boxes["number"].tolist(), within.transform("size").tolist(),
        within.cumcount().tolist(), *columns, strict=True,
    ):  # fmt: skip
        shape = {"name": "rect"} | dict(zip(_SIDES, map(float, sides), strict=True))
        region = {"track": number, "identity": content.animals[number - 1]}
        if confidence:
            region["confidence"] = float(confidence)
        writer.writerow(
            [
                content.picture(frame), -1, json.dumps({"frame": frame}), count, place,
                json.dumps(shape), json.dumps(region),
            ]
        )  # fmt: skip
    write_text(path, text.getvalue())
