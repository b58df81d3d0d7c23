"""Files of other tools, written from what is public of these, without murid.

A writer tells its sources. Where a tool has a writer of its own that can be had here, that one
writes. None looks at how murid reads: where they differ, the source decides.
"""

from dataclasses import dataclass

import numpy as np

Box = tuple[float, float, float, float]

WIDTH, HEIGHT = 640, 480  # pixels of the picture that all writers speak of


@dataclass(frozen=True)
class Track:
    """An animal that was followed: its boxes by frame, from 0 (x, y, width, height, pixels)."""

    name: str
    boxes: dict[int, Box]
    confidence: float = 0.9


def points_within(box: Box, count: int) -> np.ndarray:
    """Give `count` points [count, 2] (x, y), two of them in opposite corners, the rest inside."""
    x, y, width, height = box
    inside = np.linspace(0.25, 0.75, count - 2)[:, None] * (width, height)
    return np.concatenate([[[x, y]], np.add((x, y), inside), [[x + width, y + height]]])


def frame_count(tracks: list[Track]) -> int:
    """Give how many frames there are up to the last with a box."""
    return 1 + max((frame for track in tracks for frame in track.boxes), default=-1)


def stretches(frames: list[int]) -> list[list[int]]:
    """Split sorted frames where one is missing."""
    parts: list[list[int]] = []
    for frame in frames:
        if parts and parts[-1][-1] == frame - 1:
            parts[-1].append(frame)
        else:
            parts.append([frame])
    return parts
