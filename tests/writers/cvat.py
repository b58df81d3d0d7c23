"""*CVAT for video 1.1* and *CVAT for images 1.1*, as CVAT exports them.

Sources: the page "XML annotation format" of CVAT's documentation (docs.cvat.ai), which tells the
elements, and CVAT's exporter (cvat-ai/cvat, MIT, `dataset_manager/formats/cvat.py`), which tells
what stands in them. How CVAT fills in between keyframes, and steps, are from memory.

Taken for certain:

- `frame` counts from 0, in frames of the video: a task made of every n-th frame tells
  `frame_filter` `step=n`, and only these frames have boxes.
- All boxes stand in the file. Those that the annotator drew have `keyframe="1"`; those in
  between, in a straight line from one to the next, have `keyframe="0"`. The importer keeps the
  former only.
- A track ends with a keyframe that is `outside="1"`; until the next keyframe there are no
  boxes. One without such an end goes on unchanged to the last frame of the task.
- A shape of a single frame is a track whose second box, one step later, is `outside`; there is
  none if that would be past the task's end.
- Corners with two decimals; attributes of the label with every box.
- The download is a zip with `annotations.xml` in it.
"""

import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

from writers import HEIGHT, WIDTH, Box, Track, frame_count, stretches


def write(path: Path, tracks: list[Track], *, frames: int | None = None, step: int = 1) -> None:
    """Write a task of a video with `frames` frames, in which each box was drawn by hand."""
    root, end = _task(frames or frame_count(tracks) + step, step)
    for number, track in enumerate(tracks):
        element = ET.SubElement(root, "track", id=str(number), label=track.name, source="manual")
        for part in _stretches(sorted(track.boxes), step):
            for frame in part:
                _box(element, frame, track.boxes[frame])
            if part[-1] + step < end:
                _box(element, part[-1] + step, track.boxes[part[-1]], outside=True)
    _save(root, path)


def write_keyframes(
    path: Path,
    tracks: list[Track],
    drawn: list[set[int]],
    *,
    frames: int | None = None,
    only_drawn: bool = False,
) -> None:
    """Write a task whose annotators drew the boxes of the frames `drawn` of each track.

    Boxes between these must lie on the straight line. With `only_drawn` they are left out, which
    CVAT's importer does not mind.
    """
    root, end = _task(frames or frame_count(tracks) + 1, 1)
    for number, (track, by_hand) in enumerate(zip(tracks, drawn, strict=True)):
        element = ET.SubElement(root, "track", id=str(number), label=track.name, source="manual")
        for part in stretches(sorted(track.boxes)):
            for frame in part:
                if frame in by_hand or not only_drawn:
                    _box(element, frame, track.boxes[frame], keyframe=frame in by_hand)
            if part[-1] + 1 < end:
                _box(element, part[-1] + 1, track.boxes[part[-1]], outside=True)
    _save(root, path)


def write_images(path: Path, tracks: list[Track], frames: list[int]) -> None:
    """Write a task of single pictures, `frame_000012.png`, of which some may show nothing."""
    root, _ = _task(len(frames), 1, mode="annotation")
    for number, frame in enumerate(frames):
        image = ET.SubElement(
            root,
            "image",
            id=str(number),
            name=f"frame_{frame:06d}.png",
            width=str(WIDTH),
            height=str(HEIGHT),
        )
        for track in tracks:
            if frame in track.boxes:
                box = {"label": track.name, "source": "manual", "occluded": "0"}
                ET.SubElement(image, "box", box | _corners(track.boxes[frame]) | {"z_order": "0"})
    _save(root, path)


def write_zip(path: Path, tracks: list[Track]) -> None:
    """Write the download: a zip, in it `annotations.xml`."""
    inner = path.with_suffix(".xml")
    write(inner, tracks)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(inner, "annotations.xml")
    inner.unlink()


def _task(frames: int, step: int, mode: str = "interpolation") -> tuple[ET.Element, int]:
    """Give the root with what is told of the task, and the frame after its last."""
    root = ET.Element("annotations")
    ET.SubElement(root, "version").text = "1.1"
    task = ET.SubElement(ET.SubElement(root, "meta"), "task")
    for name, text in {
        "id": "7",
        "name": "cage",
        "size": str(-(-frames // step)),
        "mode": mode,
        "overlap": "0",
        "bugtracker": "",
        "created": "2024-03-01 10:00:00.000000+00:00",
        "updated": "2024-03-01 11:00:00.000000+00:00",
        "subset": "default",
        "start_frame": "0",
        "stop_frame": str(frames - 1),
        "frame_filter": "" if step == 1 else f"step={step}",
    }.items():
        ET.SubElement(task, name).text = text
    if mode == "interpolation":
        size = ET.SubElement(task, "original_size")
        ET.SubElement(size, "width").text = str(WIDTH)
        ET.SubElement(size, "height").text = str(HEIGHT)
        ET.SubElement(task, "source").text = "cage.mp4"
    return root, frames


def _stretches(frames: list[int], step: int) -> list[list[int]]:
    return [[part * step for part in run] for run in stretches([frame // step for frame in frames])]


def _box(
    track: ET.Element, frame: int, box: Box, *, keyframe: bool = True, outside: bool = False
) -> None:
    told = {
        "frame": str(frame),
        "keyframe": str(int(keyframe)),
        "outside": str(int(outside)),
        "occluded": "0",
    }
    ET.SubElement(track, "box", told | _corners(box) | {"z_order": "0"})


def _corners(box: Box) -> dict[str, str]:
    x, y, width, height = box
    edges = {"xtl": x, "ytl": y, "xbr": x + width, "ybr": y + height}
    return {name: f"{edge:.2f}" for name, edge in edges.items()}


def _save(root: ET.Element, path: Path) -> None:
    ET.indent(root)
    ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
