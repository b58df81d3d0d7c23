"""MOT text: boxes of a detector or a tracker, as MOTChallenge has them.

A line a box, without a header: ``frame, id, x, y, w, h, score`` and perhaps more, which is passed
over, unless the eighth value tells several classes: which of them is the mouse, nothing says.
Frames count from 1. The id of a box that belongs to no tracklet is -1, and so is a score that
nobody estimated. Boxes are taken as they are, in pixels, top-left corner first.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd

from murid import files
from murid.archive.columns import MOST_CLASSES, Columns
from murid.archive.formats import Format, Source
from murid.errors import InputError, brief

NAMES = ("frame", "tracklet", "x", "y", "w", "h", "score")
_FORM = "frame, id, x, y, w, h, score, separated by commas"


def read(source: Source) -> Columns:
    """Read MOT text as columns ``frame`` (from 0), ``tracklet``, ``x, y, w, h``, ``score``.

    ``tracklet`` is empty where the id is -1, and left out if all are; ``score`` is where it is -1.

    Raises
    ------
    InputError
        If the file is missing, holds no line, a line has fewer than six values, a value is no
        number, a frame is below 1 or an id below -1, naming the line; or boxes are of several
        classes.
    """
    path = source.path
    text = files.read_text(path, f"MOT text: lines of {_FORM}")
    lines = {number: line for number, line in enumerate(text.splitlines()) if line.strip()}
    if not lines:
        raise InputError(path, "no lines", f"lines of {_FORM}")
    rows, further = [], []
    for number, line in lines.items():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) < len(NAMES) - 1:
            raise InputError(path, f"{len(cells)} values", _FORM, where=f"line {number + 1}")
        rows.append([*cells, "-1"][: len(NAMES)])
        further.append(cells[len(NAMES) :])
    _refuse_classes(path, further)
    frame = pd.DataFrame(rows, columns=list(NAMES), index=list(lines))
    columns = Columns(path, frame, unit="line", first=1)
    frames = columns.integers("frame", required=True).to_numpy(dtype=np.int64)
    numbers = columns.integers("tracklet", required=True)
    columns.refuse(frames < 1, "frame", "a frame number from 1, as MOT text counts")
    below = numbers.to_numpy(dtype=np.int64) < -1
    columns.refuse(below, "tracklet", "an id from 0, or -1 for none")
    scores = columns.numbers("score")
    frame = frame.assign(
        frame=frames - 1,
        tracklet=numbers.mask(numbers == -1).to_numpy(),
        score=np.where(scores == -1, np.nan, scores),
    )
    if (numbers == -1).all():
        frame = frame.drop(columns="tracklet")
    return Columns(path, frame, unit="line", first=1)


def _refuse_classes(path: Path, further: list[list[str]]) -> None:
    """Refuse boxes of several classes, by what stands behind the score of each.

    That is a class and how much is seen, or three coordinates in the world, which are not whole.
    """
    given = (re.sub(r"\.0*$", "", cells[0]) for cells in further if cells)
    classes = [value for value in dict.fromkeys(given) if value not in ("", "-1")]
    fractions = any(re.fullmatch(r"-?[0-9]*\.[0-9]*[1-9][0-9]*", value) for value in classes)
    if fractions or not 1 < len(classes) <= MOST_CLASSES:
        return
    raise InputError(
        path, f"boxes of {len(classes)} classes ({brief(', '.join(classes))})",
        "mice only, since MOT text does not say which class they are", where="the eighth value",
        remedy="Keep the lines of mice, or give CSV with a column label: mouse, tunnel.",
    )  # fmt: skip


FORMAT = Format(
    name="MOT text (.txt)",
    words="MOT text: lines of `frame,id,x,y,w,h,score` and more, which is passed over; mice only. "
    "Frames count **from 1**. An id of -1 is no tracklet, a score of -1 is none",
    suffixes=(".txt",),
    read=read,
)
