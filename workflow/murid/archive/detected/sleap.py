"""Labels and predictions of SLEAP (``.slp``): boxes around the body parts of each instance.

Tables ``frames``, ``instances`` and two of points, of which an instance has a stretch; versions
before 1.1 count pixels from their corners, later ones from their centres. An instance that somebody
corrected takes the place of the predicted one. The layout is that of sleap-io, which makes an
object of each point; read as arrays, a half hour of four animals takes a second, not sixteen. What
leads back to a box is the row of its instance in ``instances``, and the name of its track.
"""

import json

import numpy as np

from murid import hdf5
from murid.archive import body_parts
from murid.archive.body_parts import Floats
from murid.archive.columns import Columns
from murid.archive.formats import Format, Source
from murid.errors import InputError

_EXPECTED = "labels of SLEAP (.slp): tables frames, instances, points and pred_points"
_NEXT_LAYOUT = 3.0
"""Version from which on tables are others."""
_CORNERS = 1.1
"""Version before which a pixel's corner was its place, not its centre."""
_PREDICTED = 1

Table = dict[str, Floats]


def read(source: Source) -> Columns:
    """Return a box for each instance; its track as the tracklet, if there are tracks.

    Raises
    ------
    InputError
        If the file is missing or damaged or of another kind, or is of several videos.
    """
    path = source.path
    with hdf5.opened(path, _EXPECTED) as file:
        version = file.about("metadata", "format_id", 1.0)
        if not isinstance(version, float | int | np.number) or not version < _NEXT_LAYOUT:
            raise InputError(
                path, f"labels of version {version}", f"one before {_NEXT_LAYOUT:g}",
                remedy="Save them with an older SLEAP, or export Analysis HDF5.",
            )  # fmt: skip
        frames = file.columns("frames", ("frame_id", "video", "frame_idx"))
        about = ("instance_id", "instance_type", "frame_id", "track", "from_predicted")
        instances = file.columns("instances", (*about, "point_id_start", "point_id_end"))
        points = file.columns("points", ("x", "y", "visible"))
        predicted = file.columns("pred_points", ("x", "y", "visible", "score"))
        names = _track_names(file)
    numbers, videos = _frames(frames, instances)
    if np.isnan(numbers).any():
        row = int(np.flatnonzero(np.isnan(numbers))[0])
        found = f"the frame_id {instances['frame_id'][row]:g}"
        raise InputError(path, found, "one of the table frames", where=f"instance {row}")
    if len(set(videos)) > 1:
        raise InputError(
            path, f"labels of {len(set(videos))} videos", "those of one",
            remedy="Save the labels of each video by themselves.",
        )  # fmt: skip
    places, scores = _parts(source, instances, points, predicted)
    places -= 0.5 if version < _CORNERS else 0.0
    places[_corrected(numbers, instances)] = np.nan
    tracks = instances["track"]
    tracked = bool((tracks >= 0).any())
    return body_parts.boxes(
        path, numbers, places, scores, unit="instance", tracklets=tracks if tracked else None,
        origin={"source_track": body_parts.named(tracks, names)} if tracked else None,
    )  # fmt: skip


def _track_names(file: hdf5.Hdf5) -> list[str]:
    """Return the names of the tracks, which ``tracks_json`` has as JSON: a list of two each."""
    names = []
    for text in file.texts("tracks_json") if file.has("tracks_json") else []:
        try:
            track = json.loads(text)
        except (ValueError, RecursionError):
            track = None
        named = isinstance(track, list) and len(track) == 2 and isinstance(track[1], str)
        names.append(track[1] if named else "")
    return names


def _frames(frames: Table, instances: Table) -> tuple[Floats, Floats]:
    """Return the frame, NaN if there is none, and the video of each instance."""
    order = np.argsort(frames["frame_id"], kind="stable")
    keys = frames["frame_id"][order]
    wanted = instances["frame_id"]
    place = np.searchsorted(keys, wanted)
    known = place < len(keys)
    known[known] = keys[place[known]] == wanted[known]
    numbers = np.full(len(wanted), np.nan)
    numbers[known] = frames["frame_idx"][order][place[known]]
    return numbers, frames["video"][order][place[known]]


def _parts(
    source: Source, instances: Table, points: Table, predicted: Table
) -> tuple[Floats, Floats]:
    """Return places (instances, parts, 2) and scores (instances, parts); NaN where there is none.

    Raises
    ------
    InputError
        If an instance has points that are not in the file; naming it.
    """
    first, last = instances["point_id_start"], instances["point_id_end"]
    by_model = instances["instance_type"] == _PREDICTED
    most = np.where(by_model, len(predicted["x"]), len(points["x"]))
    count = last - first
    wrong = ~((first >= 0) & (count >= 0) & (last <= most) & (count <= body_parts.MOST_PARTS))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(
            source.path, f"points {first[row]:g} to {last[row]:g}",
            f"a stretch of the {most[row]:,} that there are", where=f"instance {row}",
        )  # fmt: skip
    width = int(count.max(initial=0))
    places = np.full((len(first), width, 2), np.nan)
    scores = np.full((len(first), width), np.nan)
    within = np.arange(width) < count[:, None]
    index = (first[:, None] + np.arange(width)).astype(np.int64)
    for rows, table in ((~by_model, points), (by_model, predicted)):
        there = within & rows[:, None]
        chosen = index[there]
        seen = table["visible"][chosen] != 0
        for side, name in enumerate(("x", "y")):
            places[there, side] = np.where(seen, table[name][chosen], np.nan)
        if "score" in table:
            scores[there] = table["score"][chosen]
    return places, scores


def _corrected(frames: Floats, instances: Table) -> np.ndarray:
    """Tell which predicted instances have one by hand: made from it, or of its track and frame."""
    by_model = instances["instance_type"] == _PREDICTED
    replaced = np.isin(instances["instance_id"], instances["from_predicted"][~by_model])
    key = np.column_stack([frames, instances["track"]])
    tracked = instances["track"] >= 0
    of_hand = {tuple(row) for row in key[~by_model & tracked].tolist()}
    same = np.array([tuple(row) in of_hand for row in key.tolist()], dtype=bool) & tracked
    return by_model & (replaced | same)


FORMAT = Format(
    name="labels of SLEAP (.slp)",
    words="SLEAP's labels and predictions, of one video: boxes around body parts. Its tracks are "
    "tracklets",
    suffixes=(".slp",),
    read=read,
)
