"""MOT text: boxes of a detector or a tracker, as MOTChallenge has them.

A line a box, without a header: ``frame, id, x, y, w, h, score`` and perhaps more, which is passed
over. Frames count from 1. The id of a box that belongs to no tracklet is -1, and so is a score that
nobody estimated. Boxes are taken as they are, in pixels, top-left corner first.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from murid import files
from murid.archive.columns import Columns
from murid.errors import InputError

NAMES = ("frame", "tracklet", "x", "y", "w", "h", "score")
_FORM = "frame, id, x, y, w, h, score, separated by commas"


def read(path: Path) -> Columns:
    """Read MOT text as columns ``frame`` (from 0), ``tracklet``, ``x, y, w, h``, ``score``.

    ``tracklet`` is empty where the id is -1, and left out if all are; ``score`` is where it is -1.

    Raises
    ------
    InputError
        If the file is missing, holds no line, a line has fewer than six values, a value is no
        number, a frame is below 1 or an id below -1; naming the line.
    """
    text = files.read_text(path, f"MOT text: lines of {_FORM}")
    lines = {number: line for number, line in enumerate(text.splitlines()) if line.strip()}
    if not lines:
        raise InputError(path, "no lines", f"lines of {_FORM}")
    rows = []
    for number, line in lines.items():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) < len(NAMES) - 1:
            raise InputError(path, f"{len(cells)} values", _FORM, where=f"line {number + 1}")
        rows.append([*cells, "-1"][: len(NAMES)])
    frame = pd.DataFrame(rows, columns=list(NAMES), index=list(lines))
    cells = Columns(path, frame, unit="line", first=1)
    frames = cells.integers("frame", required=True).to_numpy(dtype=np.int64)
    numbers = cells.integers("tracklet", required=True)
    for column, values, least, what in (
        ("frame", frames, 1, "a frame number from 1, as MOT text counts"),
        ("tracklet", numbers.to_numpy(dtype=np.int64), -1, "an id from 0, or -1 for none"),
    ):
        if (values < least).any():
            row = int(np.flatnonzero(values < least)[0])
            raise InputError(path, str(values[row]), what, where=cells.place(row, column))
    scores = cells.numbers("score")
    frame = frame.assign(
        frame=frames - 1,
        tracklet=numbers.mask(numbers == -1).to_numpy(),
        score=np.where(scores == -1, np.nan, scores),
    )
    if (numbers == -1).all():
        frame = frame.drop(columns="tracklet")
    return Columns(path, frame, unit="line", first=1)
