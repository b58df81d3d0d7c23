"""What Ultralytics leaves of a video that its tracker followed.

Sources: its `save_txt` as public repositories quote it, and Label Studio's converter of results
(Apache-2.0), which reads a track's number, centre and size as shares. Ultralytics is AGPL: facts
were taken, no code. The names of files and what `summary()` gives are from memory.

Taken for certain, by these:

- `save_txt` writes a file for each frame with boxes, `labels/<video>_<frame>.txt`; frames count
  from 1 for a video. A frame without boxes has no file.
- A line is `class x y width height`, centre and size as shares of the picture, six digits; with
  `save_conf` the confidence follows, and the track's number, from 1, is last. Before a tracker
  has confirmed any track of a frame, lines of this have no number.
- `summary()` of a frame is a list with `name`, `class`, `confidence`, `box` (`x1`, `y1`, `x2`,
  `y2`, pixels, five decimals) and, of a tracker, `track_id`.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

from writers import HEIGHT, WIDTH, Track, frame_count


def write(
    path: Path,
    tracks: list[Track],
    *,
    confidence: bool = True,
    unconfirmed: frozenset[int] = frozenset(),
    folder: str = "",
) -> None:
    """Write the files of `labels` as a zip; boxes of the frames `unconfirmed` have no number."""
    with zipfile.ZipFile(path, "w") as archive:
        for frame in range(frame_count(tracks)):
            lines = []
            for number, track in enumerate(tracks, start=1):
                if frame in track.boxes:
                    x, y, width, height = track.boxes[frame]
                    numbers = [
                        0,
                        (x + width / 2) / WIDTH,
                        (y + height / 2) / HEIGHT,
                        width / WIDTH,
                        height / HEIGHT,
                    ]
                    if confidence:
                        numbers.append(track.confidence)
                    if frame not in unconfirmed:
                        numbers.append(number)
                    lines.append(" ".join(f"{value:g}" for value in numbers) + "\n")
            if lines:
                archive.writestr(f"{folder}cage_{frame + 1}.txt", "".join(lines))


def write_summaries(
    path: Path, tracks: list[Track], *, unconfirmed: frozenset[int] = frozenset()
) -> None:
    """Write a list with the `summary()` of every frame."""
    frames = []
    for frame in range(frame_count(tracks)):
        boxes: list[dict[str, Any]] = []
        for number, track in enumerate(tracks, start=1):
            if frame in track.boxes:
                x, y, width, height = track.boxes[frame]
                corners = {"x1": x, "y1": y, "x2": x + width, "y2": y + height}
                box: dict[str, Any] = {
                    "name": "mouse",
                    "class": 0,
                    "confidence": round(track.confidence, 5),
                    "box": {name: round(value, 5) for name, value in corners.items()},
                }
                if frame not in unconfirmed:
                    box["track_id"] = number
                boxes.append(box)
        frames.append(boxes)
    path.write_text(json.dumps(frames), encoding="utf-8")
