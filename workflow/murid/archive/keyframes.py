"""Boxes that were drawn in some frames, and go straight from each to the next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from murid.errors import InputError
from murid.frame_names import LAST

MOST = 2**21
"""Boxes of a file, at most: twenty animals in an hour."""


@dataclass(frozen=True)
class Keyframe:
    """A box as it was drawn."""

    frame: int
    """From 0."""
    sides: tuple[float, ...]
    """What changes on the way to the next keyframe: its place and size, and how it is turned."""
    lasts: bool
    """Whether it is there after this frame, until the next keyframe."""


def between(
    tracks: Sequence[Sequence[Keyframe]], path: Path
) -> Iterator[tuple[int, int, tuple[float, ...]]]:
    """Yield (track, frame, sides) for every frame in which a track is there.

    One that lasts after its last keyframe stays as it is up to the last keyframe of all: that far
    somebody looked.

    Parameters
    ----------
    tracks
        Keyframes of each, in any order.
    path
        The file, for messages.

    Raises
    ------
    InputError
        If a frame is none that tables hold, a track has two keyframes in one, or there are more
        than :data:`MOST` boxes.

    Examples
    --------
    >>> list(between([[Keyframe(4, (0.0,), True), Keyframe(6, (1.0,), False)]], Path("a.json")))
    [(0, 4, (0.0,)), (0, 5, (0.5,)), (0, 6, (1.0,))]
    """
    ordered = [sorted(track, key=lambda key: key.frame) for track in tracks]
    last = max((track[-1].frame for track in ordered if track), default=0)
    if last > LAST:
        raise InputError(path, f"a keyframe in frame {last}", f"frames up to {LAST}")
    spans = [_spans(track, last, path) for track in ordered]
    count = sum(end.frame - start.frame + 1 for track in spans for start, end in track)
    if count > MOST:
        raise InputError(path, f"{count:,} boxes between keyframes", f"{MOST:,} at most")
    for number, track in enumerate(spans):
        done = -1
        for start, end in track:
            frames = np.arange(max(start.frame, done + 1), end.frame + 1)
            share = (frames - start.frame) / max(end.frame - start.frame, 1)
            first, change = np.array(start.sides), np.subtract(end.sides, start.sides)
            for frame, sides in zip(frames, first + share[:, None] * change, strict=True):
                yield number, int(frame), tuple(sides.tolist())
            done = end.frame


def _spans(track: list[Keyframe], last: int, path: Path) -> list[tuple[Keyframe, Keyframe]]:
    """Return first and last keyframe of each piece of a track that is there throughout."""
    found = []
    for place, start in enumerate(track):
        following = track[place + 1] if place + 1 < len(track) else None
        if following is not None and following.frame == start.frame:
            where = f"frame {start.frame}"
            raise InputError(path, "two keyframes of one box", "one in a frame", where=where)
        if not start.lasts:
            found.append((start, start))
        elif following is not None:
            found.append((start, following))
        else:
            found.append((start, Keyframe(last, start.sides, False)))
    return found
