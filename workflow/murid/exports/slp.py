"""Boxes as SLEAP has them (``.slp``), in the layout of sleap-io 0.9, version 2.5 of the format.

Each animal is a track and an identity by its name. The probability of the name is the score of
the box, of its track and of its identity. There are no body parts, so that nothing is said of
instances and points. Columns are written as arrays: to make an object of each box, as the library
does, takes twenty times as long, in files ten times as large.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from murid.exports.content import SOFTWARE, Content
from murid.files import replacing

VERSION = 2.5
_BOX = 4
"""What links call the owner that is a box."""
_FRAMES = [
    ("frame_id", "u8"), ("video", "u4"), ("frame_idx", "u8"), ("instance_id_start", "u8"),
    ("instance_id_end", "u8"),
]  # fmt: skip
_POINTS = [("x", "f8"), ("y", "f8"), ("visible", "?"), ("complete", "?")]
_EMPTY = {
    "instances": [
        ("instance_id", "i8"), ("instance_type", "u1"), ("frame_id", "u8"), ("skeleton", "u4"),
        ("track", "i4"), ("from_predicted", "i8"), ("score", "f4"), ("point_id_start", "u8"),
        ("point_id_end", "u8"), ("tracking_score", "f4"),
    ],
    "points": _POINTS,
    "pred_points": [*_POINTS, ("score", "f8")],
}  # fmt: skip
"""Tables of body parts, which there must be."""
_LINKS = [
    ("owner_type", "u1"), ("owner_id", "i8"), ("identity_idx", "i4"), ("identity_score", "f4")
]  # fmt: skip


def write(content: Content, path: Path) -> None:
    """Write the boxes to ``path``; frames are those of the video, of which it may be a part."""
    import h5py

    with replacing(path) as temporary, h5py.File(temporary, "w") as file:
        text = h5py.string_dtype()
        told = {
            "software": SOFTWARE, "cage": content.cage, "segment": content.segment,
            "fps": content.fps, "status": content.verdict.status, "reason": content.verdict.reason,
        }  # fmt: skip
        about = {
            "version": "2.0.0", "skeletons": [], "nodes": [], "videos": [], "tracks": [],
            "suggestions": [], "negative_anchors": {}, "provenance": told,
        }  # fmt: skip
        file.create_group("metadata").attrs.update(
            format_id=VERSION, json=np.bytes_(json.dumps(about))
        )
        video = {"filename": content.film, "backend": {"filename": content.film}}
        lists = {
            "videos_json": [json.dumps(video)],
            "tracks_json": [json.dumps([0, name]) for name in content.animals],
            "suggestions_json": [],
            "sessions_json": [],
            "identity/name": list(content.animals),
        }
        for name, texts in lists.items():
            file.create_dataset(name, data=np.array(texts, dtype=text), dtype=text)
        for name, columns in _EMPTY.items():
            file[name] = np.zeros(0, columns)
        _add(file, "frames", _frames(content))
        _add(file, "identity/links", _links(content))
        for name, column in _boxes(content).items():
            _add(file, f"bboxes/{name}", column)


def _add(file: Any, name: str, array: np.ndarray) -> None:
    packed = {"compression": "gzip", "compression_opts": 4, "shuffle": True} if array.size else {}
    file.create_dataset(name, data=array, **packed)


def _frames(content: Content) -> np.ndarray:
    """Return a row for each frame that has boxes."""
    numbers = np.unique(content.boxes["frame"].to_numpy(np.int64))
    frames = np.zeros(len(numbers), _FRAMES)
    frames["frame_id"] = np.arange(len(numbers))
    frames["frame_idx"] = numbers + content.first_frame
    return frames


def _links(content: Content) -> np.ndarray:
    """Return whose identity each box has."""
    links = np.zeros(len(content.boxes), _LINKS)
    links["owner_type"] = _BOX
    links["owner_id"] = np.arange(len(links))
    links["identity_idx"] = content.boxes["number"] - 1
    links["identity_score"] = content.boxes["confidence"]
    return links


def _boxes(content: Content) -> dict[str, np.ndarray]:
    boxes = content.boxes
    x, y, w, h = (boxes[name].to_numpy(np.float64) for name in ("x", "y", "w", "h"))
    score = boxes["confidence"].to_numpy(np.float32)
    none = np.full(len(boxes), b"", "S1")
    return {
        "x1": x, "y1": y, "x2": x + w, "y2": y + h, "angle": np.zeros(len(boxes)),
        "video": np.zeros(len(boxes), np.int32),
        "frame_idx": boxes["frame"].to_numpy(np.int64) + content.first_frame,
        "track": (boxes["number"] - 1).to_numpy(np.int32),
        "instance": np.full(len(boxes), -1, np.int32),
        "is_predicted": np.ones(len(boxes), np.uint8),
        "score": score, "tracking_score": score,
        "category": np.full(len(boxes), b"mouse", "S5"), "name": none, "source": none,
    }  # fmt: skip
