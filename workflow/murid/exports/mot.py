"""MOT text, as MOTChallenge has it, and who its numbers are.

A line a box: ``frame, id, x, y, w, h, confidence, -1, -1, -1``, frames and ids from 1, corners in
pixels as they are (the first pixel's corner is 0, 0); a confidence that nobody estimated is -1.
"""

from pathlib import Path

from murid.exports.content import Content, written
from murid.files import write_text
from murid.schemas import BOX


def write(content: Content, path: Path) -> None:
    """Write the boxes to ``path``; of a segment without any the file is empty."""
    boxes = content.boxes
    columns = [written(boxes[name]) for name in (*BOX, "confidence")]
    rows = zip(boxes["frame"].tolist(), boxes["number"].tolist(), *columns, strict=True)
    write_text(
        path,
        "".join(
            f"{frame + 1},{number},{x},{y},{w},{h},{confidence or -1},-1,-1,-1\n"
            for frame, number, x, y, w, h, confidence in rows
        ),
    )


def write_names(content: Content, path: Path) -> None:
    """Write who each number is to ``path``, as CSV."""
    lines = [f"{number},{name}\n" for number, name in enumerate(content.animals, start=1)]
    write_text(path, "".join(["id,name\n", *lines]))
