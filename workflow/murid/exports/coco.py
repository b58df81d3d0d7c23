"""COCO for videos: images that are frames of a video, and annotations that belong to tracks.

Beside what COCO has (images, annotations, categories) stand ``videos`` and ``tracks``, as TAO and
CocoVID have them: an image has ``video_id`` and ``frame_id`` (from 0), an annotation ``track_id``,
the number of its animal, and ``tracks`` tells who that is. ``score`` is the probability of the
name, where it was estimated. How large frames are is not said: nothing tells it without a video.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from murid.exports.content import SOFTWARE, Content, written
from murid.files import write_text
from murid.schemas import BOX

_VIDEO, _MOUSE = 1, 1


def write(content: Content, path: Path) -> None:
    """Write frames, boxes and animals to ``path``; each frame is an image, with boxes or not."""
    about = {
        "info": {
            "description": f"cage {content.cage}, segment {content.segment}",
            "contributor": SOFTWARE,
            "fps": content.fps,
            "status": content.verdict.status,
            "reason": content.verdict.reason,
        },
        "videos": [
            {
                "id": _VIDEO,
                "name": f"{content.cage}/{content.segment}",
                "file_name": content.film,
                "first_frame": content.first_frame,
                "fps": content.fps,
            }
        ],
        "categories": [{"id": _MOUSE, "name": "mouse"}],
        "tracks": [
            {"id": number, "name": name, "video_id": _VIDEO, "category_id": _MOUSE}
            for number, name in enumerate(content.animals, start=1)
        ],
        "images": [
            {
                "id": frame + 1,
                "video_id": _VIDEO,
                "frame_id": frame,
                "file_name": content.picture(frame),
            }
            for frame in range(content.frames)
        ],
        "annotations": _annotations(content),
    }
    write_text(path, json.dumps(about, separators=(",", ":")))


def _annotations(content: Content) -> list[dict[str, Any]]:
    boxes = content.boxes
    sides = np.array([written(boxes[name]) for name in BOX], dtype=np.float64).T.reshape(-1, 4)
    made: list[dict[str, Any]] = [
        {
            "id": place,
            "image_id": frame + 1,
            "video_id": _VIDEO,
            "category_id": _MOUSE,
            "track_id": number,
            "bbox": [x, y, w, h],
            "area": w * h,
            "iscrowd": 0,
        }
        for place, (frame, number, (x, y, w, h)) in enumerate(
            zip(boxes["frame"].tolist(), boxes["number"].tolist(), sides.tolist(), strict=True),
            start=1,
        )
    ]
    for annotation, confidence in zip(made, written(boxes["confidence"]), strict=True):
        if confidence:
            annotation["score"] = float(confidence)
    return made
