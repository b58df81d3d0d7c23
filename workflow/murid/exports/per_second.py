"""What each animal did, second by second: CSV for spreadsheets and statistics."""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import spreadsheets
from murid.exports.content import Content
from murid.files import write_text

COLUMNS = [
    "cage", "segment", "second", "time", "animal", "frames", "seen", "x", "y", "confidence",
    "antenna",
]  # fmt: skip
_EARLY = 1e-6
"""Frames by which one may be early for its second: that of 29.97 a second are not whole."""


def write(content: Content, path: Path) -> None:
    """Write :func:`table` to ``path``."""
    write_text(path, spreadsheets.to_csv(table(content)))


def table(content: Content) -> pd.DataFrame:
    """Return a row for each second and animal.

    Returns
    -------
    ``second`` counts from the segment's start, ``time`` is the time of day; ``frames`` that begin
    in that second; ``seen``, the share of them in which the animal has a box, and of these boxes
    the mean centre ``x, y`` (pixels of the raw frame) and ``confidence``; ``antenna``, what it was
    read by most, and of several the lowest number. What is not known is missing.
    """
    seconds = np.floor((np.arange(content.frames) + _EARLY) / content.fps).astype(np.int64)
    last = int(seconds.max(initial=-1)) + 1
    frames = np.bincount(seconds, minlength=last)
    x, y, w, h, confidence = content.grid("x", "y", "w", "h", "confidence").transpose(1, 0, 2)
    spread = {"x": x + w / 2, "y": y + h / 2, "confidence": confidence}
    known = [second for second in range(last) if frames[second]]
    parts = [
        pd.DataFrame(
            {
                "second": known,
                "animal": animal,
                "frames": frames[known],
                "seen": np.bincount(seconds[~np.isnan(x[:, place])], minlength=last)[known]
                / frames[known],
                **{
                    name: _means(values[:, place], seconds, last)[known]
                    for name, values in spread.items()
                },
                "antenna": _most(content.antennas[:, place], seconds).reindex(known).array,
            }
        )
        for place, animal in enumerate(content.animals)
    ]
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    rows = pd.concat(parts).sort_values(["second", "animal"], ignore_index=True)
    times = {second: content.time(second) for second in known}
    return rows.assign(cage=content.cage, segment=content.segment, time=rows["second"].map(times))[
        COLUMNS
    ]


def _means(
    values: NDArray[np.float64], seconds: NDArray[np.int64], last: int
) -> NDArray[np.float64]:
    """Return the mean of the values of each second that are known; NaN without any."""
    known = ~np.isnan(values)
    counts = np.bincount(seconds[known], minlength=last)
    sums = np.bincount(seconds[known], weights=values[known], minlength=last)
    return np.divide(sums, counts, out=np.full(last, np.nan), where=counts > 0)


def _most(antennas: NDArray[np.int64], seconds: NDArray[np.int64]) -> pd.Series:
    """Return the most frequent reading of each second that has any."""
    read = pd.DataFrame({"second": seconds, "antenna": antennas})[antennas > 0]
    counts = read.value_counts().rename("count").reset_index()
    counts = counts.sort_values(["second", "count", "antenna"], ascending=[True, False, True])
    first = counts.drop_duplicates("second").set_index("second")["antenna"]
    return first.astype(pd.Int64Dtype())
