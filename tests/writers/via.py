"""Projects and exports of the VGG Image Annotator, versions 1, 2 and 3.

Sources: the files of others in `shared/via`, whose keys these have. Kinds of files and regions of
version 3, and what its pictures look like, are from memory of VIA: no page of it was read.

Taken for certain, by these:

- Version 1 and 2: an image's key is its name and size; `shape_attributes` of a rectangle are
  `x`, `y`, `width`, `height`, pixels. Version 1 keeps `regions` by number, 2 as a list, and its
  project has them in `_via_img_metadata`. CSV has a row a region, and one with `{}` for an
  image without; the header of version 1 begins with `#`. Of choices, `checkbox` is kept as
  `{"name": true}`, others as text.
- Version 3: `metadata` of the kind `xy` = [2, x, y, width, height] is a rectangle, `z` the
  second at which it is seen in a video, empty on a picture; `vid` leads through `view` to
  `file`. Values `av` by number of the attribute are text, or the number of an option where the
  attribute has `options`.

Who an animal is, is an attribute that the user makes; here it is called `identity`.
"""

import csv
import json
from pathlib import Path
from typing import Any

from writers import Track

HEADER = (
    "filename",
    "file_size",
    "file_attributes",
    "region_count",
    "region_id",
    "region_shape_attributes",
    "region_attributes",
)
SIZE = 12345


def write(path: Path, tracks: list[Track], frames: list[int]) -> None:
    """Write a project of version 2."""
    project = {
        "_via_settings": {"ui": {}, "core": {}, "project": {"name": "cage"}},
        "_via_img_metadata": _export(tracks, frames, version=2),
        "_via_attributes": {
            "region": {"identity": {"type": "text", "description": "", "default_value": ""}},
            "file": {},
        },
        "_via_data_format_version": "2.0.10",
        "_via_image_id_list": [f"{_name(frame)}{SIZE}" for frame in frames],
    }
    path.write_text(json.dumps(project), encoding="utf-8")


def write_json(path: Path, tracks: list[Track], frames: list[int], version: int) -> None:
    """Write the JSON that version 1 or 2 exports."""
    path.write_text(json.dumps(_export(tracks, frames, version)), encoding="utf-8")


def write_csv(path: Path, tracks: list[Track], frames: list[int], version: int) -> None:
    """Write the CSV that version 1 or 2 exports."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((f"#{HEADER[0]}" if version == 1 else HEADER[0], *HEADER[1:]))
        for frame in frames:
            regions = _regions(tracks, frame)
            image = (_name(frame), SIZE, "{}", len(regions))
            for number, region in enumerate(regions):
                told = (json.dumps(region[f"{part}_attributes"]) for part in ("shape", "region"))
                writer.writerow((*image, number, *told))
            if not regions:
                writer.writerow((*image, 0, "{}", "{}"))


def write_tracks(path: Path, tracks: list[Track]) -> None:
    """Write the CSV that movement takes for tracks: attributes `track` and `confidence`."""
    frames = sorted({frame for track in tracks for frame in track.boxes})
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for frame in frames:
            shown = [(n, track) for n, track in enumerate(tracks, start=1) if frame in track.boxes]
            for region, (number, track) in enumerate(shown):
                told = {"track": str(number), "confidence": str(track.confidence)}
                image = (_name(frame), SIZE, json.dumps({"frame": frame}), len(shown))
                shape = json.dumps(_shape(track, frame))
                writer.writerow((*image, region, shape, json.dumps(told)))


def write_video(path: Path, tracks: list[Track], *, rate: float, late: float = 0.0) -> None:
    """Write a project of version 3 on a video with `rate` frames a second.

    Boxes were drawn when the frame had been shown for the share `late` of its time.
    """
    metadata = {}
    for option, track in enumerate(tracks, start=1):
        for frame, box in track.boxes.items():
            seconds = round((frame + late) / rate, 3)
            metadata[f"1_{option}k{frame}"] = _metadatum("1", [seconds], box, str(option))
    files = {"1": _file(1, "cage.mp4", 4)}
    _save(path, tracks, files, metadata, anchor="FILE1_Z1_XY1")


def write_pictures(path: Path, tracks: list[Track], frames: list[int]) -> None:
    """Write a project of version 3 on pictures."""
    files, metadata = {}, {}
    for number, frame in enumerate(frames, start=1):
        files[str(number)] = _file(number, _name(frame), 2)
        for option, track in enumerate(tracks, start=1):
            if frame in track.boxes:
                box = track.boxes[frame]
                metadata[f"{number}_k{option}"] = _metadatum(str(number), [], box, str(option))
    _save(path, tracks, files, metadata, anchor="FILE1_Z0_XY1")


def _name(frame: int) -> str:
    return f"frame_{frame:06d}.jpg"


def _shape(track: Track, frame: int) -> dict[str, Any]:
    x, y, width, height = track.boxes[frame]
    return {"name": "rect", "x": x, "y": y, "width": width, "height": height}


def _regions(tracks: list[Track], frame: int) -> list[dict[str, Any]]:
    return [
        {
            "shape_attributes": _shape(track, frame),
            "region_attributes": {"identity": track.name},
        }
        for track in tracks
        if frame in track.boxes
    ]


def _export(tracks: list[Track], frames: list[int], version: int) -> dict[str, Any]:
    images: dict[str, Any] = {}
    for frame in frames:
        regions: Any = _regions(tracks, frame)
        image = {"filename": _name(frame), "size": SIZE, "file_attributes": {}}
        if version == 1:
            regions = {str(number): region for number, region in enumerate(regions)}
            image |= {"fileref": "", "base64_img_data": ""}
        images[f"{_name(frame)}{SIZE}"] = image | {"regions": regions}
    return images


def _metadatum(view: str, times: list[float], box: Any, option: str) -> dict[str, Any]:
    return {"vid": view, "flg": 0, "z": times, "xy": [2, *box], "av": {"1": option}}


def _file(number: int, name: str, kind: int) -> dict[str, Any]:
    return {"fid": str(number), "fname": name, "type": kind, "loc": 1, "src": name}


def _save(
    path: Path, tracks: list[Track], files: dict[str, Any], metadata: dict[str, Any], anchor: str
) -> None:
    project = {
        "project": {
            "pid": "__VIA_PROJECT_ID__",
            "rev": "__VIA_PROJECT_REV_ID__",
            "rev_timestamp": "__VIA_PROJECT_REV_TIMESTAMP__",
            "pname": "cage",
            "creator": "VGG Image Annotator (http://www.robots.ox.ac.uk/~vgg/software/via)",
            "created": 1709290800000,
            "data_format_version": "3.1.1",
            "vid_list": list(files),
        },
        "config": {"file": {"loc_prefix": {"1": "", "2": "", "3": "", "4": ""}}, "ui": {}},
        "attribute": {
            "1": {
                "aname": "identity",
                "anchor_id": anchor,
                "type": 4,
                "desc": "",
                "options": {str(n): track.name for n, track in enumerate(tracks, start=1)},
                "default_option_id": "",
            }
        },
        "file": files,
        "view": {number: {"fid_list": [number]} for number in files},
        "metadata": metadata,
    }
    path.write_text(json.dumps(project), encoding="utf-8")
