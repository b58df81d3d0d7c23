"""COCO JSON of annotated pictures and of results.

Sources: pycocotools (BSD), which loads what is written here before a test reads it; sleap-io
(BSD-3), which `write_by_sleap` uses. What CVAT's export *COCO 1.0* adds is from memory.

Taken for certain, by these:

- `bbox` is [x, y, width, height], pixels from the top left corner; `image_id` and `category_id`
  are `id` of `images` and `categories`. Results are a list with `score`.
- The format knows no video: the frame of a picture is what its `file_name` says. CVAT counts
  `id` from 1 and names pictures of a video `frame_000012.PNG`; its tracks are
  `attributes.track_id`, from 0.
"""

import json
from pathlib import Path
from typing import Any

import sleap_io
from pycocotools.coco import COCO

from writers import HEIGHT, WIDTH, Track


def write(path: Path, tracks: list[Track], frames: list[int]) -> None:
    """Write a COCO file of the frames, of which some may show nothing; categories are animals."""
    content = _content(tracks, frames)
    path.write_text(json.dumps(content), encoding="utf-8")
    assert len(COCO(path).loadAnns(COCO(path).getAnnIds())) == len(content["annotations"])


def write_by_sleap(path: Path, tracks: list[Track]) -> None:
    """Write boxes by sleap-io, which names pictures of a video by their frame."""
    video = sleap_io.Video(filename="cage.mp4", open_backend=False)
    names = [sleap_io.Track(track.name) for track in tracks]
    categories = [sleap_io.Category(name=track.name) for track in tracks]
    frames = sorted({frame for track in tracks for frame in track.boxes})
    labels = []
    for frame in frames:
        boxes = [
            sleap_io.UserBoundingBox.from_xywh(*track.boxes[frame], track=name, category=category)
            for track, name, category in zip(tracks, names, categories, strict=True)
            if frame in track.boxes
        ]
        labels.append(sleap_io.LabeledFrame(video, frame, bboxes=boxes))
    sleap_io.save_coco(sleap_io.Labels(labels, videos=[video], tracks=names), str(path))


def write_results(path: Path, tracks: list[Track], *, numbered: bool = True) -> None:
    """Write results whose `image_id` is the frame from 0, with `track_id` if numbered."""
    results = []
    for number, track in enumerate(tracks):
        for frame, box in track.boxes.items():
            result: dict[str, Any] = {
                "image_id": frame,
                "category_id": 1,
                "bbox": list(box),
                "score": track.confidence,
            }
            if numbered:
                result["track_id"] = number
            results.append(result)
    path.write_text(json.dumps(results), encoding="utf-8")


def write_scored(path: Path, tracks: list[Track], frames: list[int]) -> None:
    """Write a COCO file whose annotations have scores and, as CVAT's, tracks."""
    content = _content(tracks, frames)
    content["categories"] = [{"id": 1, "name": "mouse", "supercategory": ""}]
    for annotation in content["annotations"]:
        track = tracks[annotation["category_id"] - 1]
        annotation["attributes"]["track_id"] = annotation["category_id"] - 1
        annotation["score"] = track.confidence
        annotation["category_id"] = 1
    path.write_text(json.dumps(content), encoding="utf-8")
    assert len(COCO(path).loadAnns(COCO(path).getAnnIds())) == len(content["annotations"])


def _content(tracks: list[Track], frames: list[int]) -> dict[str, Any]:
    images = [
        {
            "id": number,
            "width": WIDTH,
            "height": HEIGHT,
            "file_name": f"frame_{frame:06d}.PNG",
            "license": 0,
            "flickr_url": "",
            "coco_url": "",
            "date_captured": 0,
        }
        for number, frame in enumerate(frames, start=1)
    ]
    annotations = []
    for image, frame in zip(images, frames, strict=True):
        for category, track in enumerate(tracks, start=1):
            if frame in track.boxes:
                box = track.boxes[frame]
                annotations.append(
                    {
                        "id": len(annotations) + 1,
                        "image_id": image["id"],
                        "category_id": category,
                        "segmentation": [],
                        "area": box[2] * box[3],
                        "bbox": list(box),
                        "iscrowd": 0,
                        "attributes": {"occluded": False},
                    }
                )
    return {
        "licenses": [{"name": "", "id": 0, "url": ""}],
        "info": {"contributor": "", "date_created": "", "description": "", "version": ""},
        "categories": [
            {"id": number, "name": track.name, "supercategory": ""}
            for number, track in enumerate(tracks, start=1)
        ],
        "images": images,
        "annotations": annotations,
    }
