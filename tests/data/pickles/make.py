"""Write the pickled frames beside this file, with the pandas that runs it: python make.py.

Run once with each pandas whose pickles must load; the test reads whatever lies here. The frames
have the layout of a TIDe release, with one of each kind of column and index.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent


def frames():
    """Give the frames by name."""
    positions = pd.DataFrame(
        {"R": [1, 2, 3], "G": [4, 5, 6]}, index=pd.Index([0, 1, 2], name="Frame")
    )
    yield "positions", positions
    missing = pd.DataFrame({"R": [1.0, np.nan, 3.0], "G": pd.array([4, None, 6], dtype="Int64")})
    missing.index.name = "Frame"
    yield "positions_missing", missing
    splits = pd.DataFrame(
        {"Datasplit": pd.Categorical(["Train", "Test", None]), "Evaluation": [True, False, True]},
        index=pd.MultiIndex.from_tuples(
            [("A", 1), ("B", 2), ("B", 3)], names=["CageID", "Segment"]
        ),
    )
    yield "splits", splits
    box = [("Det.BB", name) for name in "XYWH"]
    detections = pd.DataFrame(
        np.arange(10.0).reshape(2, 5),
        columns=pd.MultiIndex.from_tuples([*box, ("Det.Score", "")]),
        index=pd.MultiIndex.from_tuples([(0, "A"), (2, "B")], names=["Frame", "Detection"]),
    )
    yield "detections", detections
    box = [("GT.BB", name) for name in "XYWH"]
    annotations = pd.DataFrame(
        [[1.5, 2.0, 3.0, 4.0, "Single", "R", True], [5.0, 6.0, 7.0, 8.0, "Huddle", "GR", None]],
        columns=pd.MultiIndex.from_tuples(
            [*box, *[("GT.Metadata", name) for name in ("Type", "ID", "Detectable")]]
        ),
        index=pd.MultiIndex.from_tuples(
            [("A", 1, 0, "A"), ("A", 1, 100, "A")],
            names=["CageID", "SegmentID", "Frame", "Annotation"],
        ),
    )
    yield "annotations", annotations
    kinds = pd.DataFrame(
        {"small": np.array([1, 2], "int8"), "text": ["a", "b"], "flag": [True, False]}
    )
    kinds["wide"] = np.array([1, 2**63], "uint64")
    kinds["string"] = pd.array(["x", None], dtype="string")
    kinds["boolean"] = pd.array([True, None], dtype="boolean")
    kinds["other"] = pd.Series([np.float64(1.5), np.bool_(True)], dtype=object)
    kinds.index = pd.Index([0.5, 1.5])
    yield "kinds", kinds
    yield "empty", positions.iloc[:0]


if __name__ == "__main__":
    for name, frame in frames():
        path = HERE / f"{name}.pandas-{pd.__version__}.df"
        frame.to_pickle(path, compression="bz2")
    path = HERE / f"protocol2.pandas-{pd.__version__}.df"
    next(frames())[1].to_pickle(path, compression="bz2", protocol=2)
    sys.stdout.write(f"{HERE}\n")
