"""Frames and seconds, whether the parts of a segment are equally long, and antenna traces."""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.errors import InputError
from murid.grid import Antennas
from murid.sheet import FASTEST, SLOWEST
from murid.tables import Verdict

OVERHANG, SHARE = 1.0, 0.1
"""Seconds, and share of the longest part, by which parts may differ and still belong together: one
is stopped a little before the other."""

FILMED = "frames_per_second_of_video"
"""What the table of positions is told about the rate by the timestamps of the segment's video."""

FRAMES = "frames"
"""What tables are told about the length of their segment: of a discarded one they have no rows."""
ANNOTATED = "annotated_frames"
"""The same of the frames that are annotated."""
MISSING = "missing_frames"
"""The same of the frames that are missing in its video."""
BEGINS = "begins"
"""When the first frame was taken, in UTC, as tables of segments with antenna logs are told."""

_Item = TypeVar("_Item", bound=np.generic)


def filmed(about: Mapping[str, str]) -> float | None:
    """Return the rate of the segment's video, of what the table of positions was told.

    Examples
    --------
    >>> filmed({FILMED: "12.5"}), filmed({FILMED: "nan"}), filmed({})
    (12.5, None, None)
    """
    try:
        rate = float(about.get(FILMED, ""))
    except ValueError:
        return None
    return rate if SLOWEST <= rate <= FASTEST else None


def began(about: Mapping[str, str]) -> datetime | None:
    """Return when the first frame was taken, of what the table of positions was told.

    Examples
    --------
    >>> began({BEGINS: "2026-03-01T10:00:00+00:00"}).hour, began({BEGINS: "soon"}), began({})
    (10, None, None)
    """
    try:
        moment = datetime.fromisoformat(about.get(BEGINS, ""))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def compare_lengths(frames: Mapping[str, int], tolerance: int, fps: float) -> Verdict:
    """Judge whether all parts of a segment have the same number of frames.

    A part that ends a little before another leaves the overlap to use. A larger difference may mean
    that the antenna trace belongs to another recording (Appendix A.1).

    Parameters
    ----------
    frames
        Number of frames of each part, by a name that the reader of the report will understand, for
        instance ``{"positions": 45000, "video (decoded)": 44010}``.
    tolerance
        Frames by which they may differ without a word.
    fps
        Frames per second, to tell the difference in seconds too.

    Returns
    -------
    ``usable``; ``repaired`` where they differ by up to :data:`OVERHANG` seconds and :data:`SHARE`
    of the longest; else ``discarded``; with the counts.

    Examples
    --------
    >>> compare_lengths({"trace": 7492, "video": 7500}, 2, 25.0).reason
    'lengths in frames differ by 0.3 s (trace: 7492, video: 7500); the first 7492 frames are used'
    """
    shortest, longest = (end(frames.values(), default=0) for end in (min, max))
    if longest - shortest <= tolerance:
        return Verdict()
    counts = ", ".join(f"{name}: {count}" for name, count in frames.items())
    seconds = (longest - shortest) / fps
    reason = f"lengths in frames differ by {seconds:.1f} s ({counts})"
    if seconds <= OVERHANG and longest - shortest <= SHARE * longest:
        return Verdict("repaired", f"{reason}; the first {shortest} frames are used")
    return Verdict("discarded", f"{reason}; expected those of one recording")


def trace(positions: pd.DataFrame, grid: Antennas) -> pd.DataFrame:
    """Spread the table ``positions``: a row a frame from 0, a column an animal by name.

    Returns
    -------
    int64 antennas, 0 = no reading.

    Raises
    ------
    InputError
        If a reading lies outside the grid, naming frame and animal.
    """
    made = spread(positions)
    antennas = made.to_numpy()
    wrong = (antennas != 0) & ~grid.contains(antennas)
    if wrong.any():
        frame, column = np.argwhere(wrong)[0]
        raise InputError(
            "positions", f"antenna {antennas[frame, column]}", f"1 to {grid.size}",
            where=f"frame {frame}, animal {made.columns[column]}",
        )  # fmt: skip
    return made


def spread(positions: pd.DataFrame) -> pd.DataFrame:
    """Do the same as :func:`trace`, whichever antennas there are."""
    columns, animals = pd.factorize(positions["animal"], sort=True)
    rows = positions["frame"].to_numpy(dtype=np.int64)
    antennas = np.zeros((int(rows.max(initial=-1)) + 1, len(animals)), dtype=np.int64)
    antennas[rows, columns] = positions["antenna"].fillna(0).to_numpy(dtype=np.int64)
    return pd.DataFrame(
        antennas,
        pd.RangeIndex(len(antennas), name="frame"),
        pd.Index(animals, name="animal"),
        copy=False,
    )


def advance(trace: NDArray[_Item], lag: int) -> NDArray[_Item]:
    """Give each frame what was read ``lag`` frames later; the last reading stays to the end.

    Parameters
    ----------
    trace
        (F, ...), a row a frame.
    lag
        Frames by which readings run late, 0 or more.

    Examples
    --------
    >>> advance(np.array([1, 2, 3]), 1)
    array([2, 3, 3])
    """
    return trace[np.minimum(np.arange(len(trace)) + lag, len(trace) - 1)]


def hold(trace: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Let each reading stay until the next: (F, J), 0 = no reading.

    Returns
    -------
    The readings, 0 before the first, and how many frames old each is.

    Examples
    --------
    >>> [each.ravel().tolist() for each in hold(np.array([[0], [4], [0], [2]]))]
    [[0, 4, 4, 2], [0, 0, 1, 0]]
    """
    frames = np.arange(len(trace))[:, None]
    latest = np.maximum.accumulate(np.where(trace > 0, frames, -1), axis=0)
    held = np.take_along_axis(trace, latest.clip(0), axis=0)
    return held, np.where(latest < 0, 0, frames - latest)
