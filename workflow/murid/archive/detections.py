"""Detections made elsewhere: boxes with scores.

Read from CSV, Parquet and pickled frames with the columns ``frame, x, y, w, h, score`` and, if
there are tunnels among them, ``label``. Boxes have their top-left corner first, in pixels.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from murid import tables
from murid.archive import columns
from murid.errors import InputError

COLUMNS = ("frame", *tables.BOX, "score")


def read(path: str | Path) -> pd.DataFrame:
    """Read detections as they are found, also boxes without an area.

    Returns
    -------
    Columns ``frame`` (int64), ``label``, ``x, y, w, h``, ``score`` (float64).

    Raises
    ------
    InputError
        If the file is missing, damaged or of another kind, a frame is no whole number, a score is
        not from 0 to 1, or a label is unknown; naming the row.
    """
    source = columns.read(path, (*COLUMNS, "label"))
    source.require(COLUMNS, f"detections: {', '.join(COLUMNS)}, and perhaps label")
    detections = pd.DataFrame({"frame": source.frames()})
    detections["label"] = _labels(source)
    for name in (*tables.BOX, "score"):
        detections[name] = source.numbers(name)
    wrong = ~detections["score"].between(0, 1).to_numpy()
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(
            path, f"the score {detections['score'][row]:g}", "a score from 0 to 1",
            where=source.place(row, "score"),
        )  # fmt: skip
    return detections


def as_table(detections: pd.DataFrame, source: object = "detections") -> pd.DataFrame:
    """Return detections as the table ``detections``, ranked by score within each frame.

    Raises
    ------
    InputError
        If a box has no area, or a frame more than 128 boxes.
    """
    ranked = detections.sort_values(
        ["frame", "score"], ascending=[True, False], kind="stable", ignore_index=True
    )
    rank = ranked.groupby("frame").cumcount()
    if (rank > 127).any():
        frame = ranked["frame"][(rank > 127).idxmax()]
        raise InputError(source, "more than 128 boxes", "128 at most", where=f"frame {frame}")
    return tables.conform(ranked.assign(detection=rank), "detections", source)


def have_area(detections: pd.DataFrame) -> pd.Series:
    """Tell which boxes are finite and wider and higher than 0 in single precision."""
    boxes = detections[tables.BOX].astype(np.float32)
    return np.isfinite(boxes).all(axis=1) & (boxes["w"] > 0) & (boxes["h"] > 0)


def _labels(source: columns.Columns) -> np.ndarray | str:
    if "label" not in source.names:
        return tables.LABELS[0]
    labels = source.frame["label"].fillna("").astype(str).str.strip().str.lower()
    wrong = ~labels.isin(tables.LABELS).to_numpy()
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(
            source.path, f"the label {labels.iloc[row]!r}", f"one of {', '.join(tables.LABELS)}",
            where=source.place(row, "label"),
        )  # fmt: skip
    return labels.to_numpy(dtype=object)
