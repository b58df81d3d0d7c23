"""SLEAP's export *Analysis HDF5*: boxes around the body parts of each track in each frame.

``tracks`` has the dimensions that it says itself (``dims``), or else those that SLEAP writes:
track, x or y, part, frame. Without names of tracks, its columns are no tracks. The row that leads
back to a box is the number of its track.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from murid import hdf5
from murid.archive import body_parts
from murid.archive.columns import Columns
from murid.archive.formats import Format, Source
from murid.errors import InputError, shown

_EXPECTED = "an Analysis HDF5 of SLEAP: tracks, point_scores and track_names"
_ORDER = ("frame", "track", "node", "xy")
_TRANSPOSED, _PLAIN = ("track", "xy", "node", "frame"), ("frame", "node", "xy", "track")


def read(source: Source) -> Columns:
    """Return a box for each track and frame; the number of the track as the tracklet.

    Raises
    ------
    InputError
        If the file is missing or damaged or of another kind.
    """
    path = source.path
    with hdf5.opened(path, _EXPECTED) as file:
        dims = _dims(path, file.about("tracks", "dims"), file.about("/", "transpose", True))
        places = file.numbers("tracks", 4).transpose([dims.index(name) for name in _ORDER])
        scores = None
        if file.has("point_scores"):
            order = [name for name in dims if name != "xy"]
            axes = [order.index(name) for name in _ORDER[:3]]
            scores = file.numbers("point_scores", 3).transpose(axes)
        names = file.texts("track_names") if file.has("track_names") else []
    frames, tracks, parts, sides = places.shape
    if sides != 2 or (scores is not None and scores.shape != (frames, tracks, parts)):
        found = f"tracks of the shape {places.shape} (frames, tracks, parts, sides)"
        raise InputError(path, found, "two sides, and a score for each part")
    there = np.any(np.isfinite(places).all(axis=3), axis=2)
    frame, track = np.nonzero(there)
    origin: dict[str, ArrayLike] = {"source_row": track}
    if names:
        origin["source_track"] = body_parts.named(track, names)
    return body_parts.boxes(
        path, frame, places[there], None if scores is None else scores[there],
        tracklets=track.astype(np.float64) if names else None, origin=origin,
    )  # fmt: skip


def _dims(path: Path, told: Any, transposed: Any) -> tuple[str, ...]:
    """Return the names of the dimensions of ``tracks`` in their order."""
    if told is None:
        return _TRANSPOSED if bool(np.all(transposed)) else _PLAIN
    try:
        text = told.decode() if isinstance(told, bytes) else str(told)
        dims = tuple(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        dims = ()
    if not all(isinstance(name, str) for name in dims) or sorted(dims) != sorted(_ORDER):
        expected = f"the dimensions {', '.join(_ORDER)}"
        raise InputError(path, f"dims {shown(told)}", expected, where="tracks")
    return dims


def _holds(source: Source) -> bool:
    with hdf5.opened(source.path, source.expected) as file:
        return file.has("tracks") and file.has("track_occupancy")


FORMAT = Format(
    name="an Analysis HDF5 of SLEAP",
    words="SLEAP's *Analysis HDF5*: boxes around body parts. Its tracks are tracklets",
    suffixes=(".h5", ".hdf5"),
    read=read,
    holds=_holds,
)
