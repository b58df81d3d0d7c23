"""Label Studio's JSON: tracks on a video (`videorectangle`), and rectangles on pictures.

Sources: the pages of the tags Video, VideoRectangle and RectangleLabels (labelstud.io/tags);
the frontend's `VideoRegion` and `VideoRectangleRegion` (HumanSignal/label-studio, Apache-2.0),
for what a sequence means and how it is saved; the example of a tracker in
label-studio-ml-backend (Apache-2.0), for which frame is which.

Certain, by these:

- Lengths are percent of the picture; (x, y) is the top left corner.
- Frames count from 1: the tracker gives the video's first frame the number 1.
- `time` is the frame's number over the tag's `frameRate`, which is 24 unless the tag says
  otherwise, whatever the video's rate is.
- Of a keyframe, `enabled` tells whether the box goes on after it. The keyframe itself has its
  box either way. Between two keyframes of which the first is enabled, boxes lie on a straight
  line; after the last, if that is enabled, the box stays to the end of the video
  (`framesCount`). Before the first there is none.
- A picture's file is kept as eight hexadecimal digits, a hyphen and the name it had.
"""

import json
from pathlib import Path
from typing import Any

from writers import HEIGHT, WIDTH, Box, Track, frame_count, stretches


def write(
    path: Path,
    tracks: list[Track],
    *,
    rate: float = 24.0,
    frames: int | None = None,
    drawn: list[set[int]] | None = None,
) -> None:
    """Write tracks on a video of `frames` frames, with keyframes where `drawn` (else everywhere).

    Boxes between keyframes must lie on the straight line.
    """
    count = frames or frame_count(tracks)
    regions = []
    for number, track in enumerate(tracks):
        by_hand = drawn[number] if drawn else set(track.boxes)
        sequence = []
        for part in stretches(sorted(track.boxes)):
            for frame in part:
                if frame in by_hand:
                    goes_on = frame != part[-1]
                    sequence.append(_keyframe(frame, track.boxes[frame], rate, goes_on))
        value = {
            "framesCount": count,
            "duration": count / rate,
            "sequence": sequence,
            "labels": [track.name],
        }
        regions.append(_region(number, value))
    _save(path, [_task(1, {"video": "/data/upload/3/1a2b3c4d-cage.mp4"}, regions)])


def write_open_ended(path: Path, track: Track, *, frames: int, rate: float = 24.0) -> None:
    """Write one track whose last keyframe is enabled, on a video of `frames` frames."""
    sequence = [_keyframe(frame, box, rate, True) for frame, box in sorted(track.boxes.items())]
    value = {
        "framesCount": frames,
        "duration": frames / rate,
        "sequence": sequence,
        "labels": [track.name],
    }
    task = _task(1, {"video": "/data/upload/3/1a2b3c4d-cage.mp4"}, [_region(0, value)])
    _save(path, [task])


def write_images(
    path: Path,
    tracks: list[Track],
    frames: list[int],
    *,
    prefix: str = "1a2b3c4d",
    name: str = "frame_{:06d}.png",
) -> None:
    """Write rectangles on pictures called `name`, of which some may show nothing."""
    tasks = []
    for number, frame in enumerate(frames):
        result = [
            {
                "original_width": WIDTH,
                "original_height": HEIGHT,
                "image_rotation": 0,
                "value": _shares(track.boxes[frame])
                | {"rotation": 0, "rectanglelabels": [track.name]},
                "id": f"r{number}_{index}",
                "from_name": "label",
                "to_name": "image",
                "type": "rectanglelabels",
                "origin": "manual",
            }
            for index, track in enumerate(tracks)
            if frame in track.boxes
        ]
        data = {"image": f"/data/upload/3/{prefix}-{name.format(frame)}"}
        tasks.append(_task(number + 1, data, result))
    _save(path, tasks)


def _keyframe(frame: int, box: Box, rate: float, enabled: bool) -> dict[str, Any]:
    number = frame + 1
    told = {"frame": number, "enabled": enabled, "rotation": 0, "time": number / rate}
    return _shares(box) | told


def _shares(box: Box) -> dict[str, float]:
    x, y, width, height = box
    return {
        "x": x / WIDTH * 100,
        "y": y / HEIGHT * 100,
        "width": width / WIDTH * 100,
        "height": height / HEIGHT * 100,
    }


def _region(number: int, value: dict[str, Any]) -> dict[str, Any]:
    return {
        "value": value,
        "id": f"region{number}",
        "from_name": "box",
        "to_name": "video",
        "type": "videorectangle",
        "origin": "manual",
    }


def _task(number: int, data: dict[str, str], result: list[dict[str, Any]]) -> dict[str, Any]:
    annotation = {
        "id": number,
        "completed_by": 1,
        "result": result,
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2024-03-01T10:00:00.000000Z",
        "updated_at": "2024-03-01T11:00:00.000000Z",
        "lead_time": 12.5,
        "prediction": {},
        "result_count": len(result),
        "task": number,
        "project": 3,
    }
    (source,) = data.values()
    return {
        "id": number,
        "annotations": [annotation],
        "file_upload": Path(source).name,
        "drafts": [],
        "predictions": [],
        "data": data,
        "meta": {},
        "created_at": "2024-03-01T09:00:00.000000Z",
        "updated_at": "2024-03-01T11:00:00.000000Z",
        "inner_id": number,
        "total_annotations": 1,
        "cancelled_annotations": 0,
        "total_predictions": 0,
        "project": 3,
    }


def _save(path: Path, tasks: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps(tasks), encoding="utf-8")
