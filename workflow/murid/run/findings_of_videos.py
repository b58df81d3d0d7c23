"""What a few videos tell before anything runs: whether settings and sheet fit size and rate."""

from collections.abc import Iterator
from pathlib import Path

from murid.errors import InputError
from murid.run.findings import Finding, some, warning
from murid.run.plan import Key, Plan

LOOKED_AT = 3
"""Videos that are opened: the first, the last, and those between at even distances."""


def of_videos(plan: Plan) -> Iterator[Finding]:
    """Compare the size of videos with the frame of reference, and their rate with the sheet.

    Without calibration points, a video's frames are the frame of reference. With some, it is their
    rig's transform that brings videos into it; but of one rig it is none, so that not all videos
    can be of another size.
    """
    filmed = [key for key in plan.segments if plan.source(key, "video")]
    if not filmed:
        return
    places = {place * (len(filmed) - 1) // (LOOKED_AT - 1) for place in range(LOOKED_AT)}
    keys = [filmed[place] for place in sorted(places)]
    yield from _sizes(plan, keys)
    yield from _rates(plan, keys)


def _sizes(plan: Plan, keys: list[Key]) -> Iterator[Finding]:
    image = plan.settings.image
    others, seen = [], 0
    for key in keys:
        size = _size(plan.source(key, "video")) if plan.exists(key, "video") else None
        seen += size is not None
        if size is not None and _other(size, (image.width, image.height)):
            others.append(f"{plan.source(key, 'video')} of {size[0]} x {size[1]} pixels")
    if others and (plan.settings.points is None or len(others) == seen):
        yield warning(
            f"image: {image.width} x {image.height}, where there are videos of another size "
            f"({some(others)}; {len(keys)} were looked at). Set image.width and image.height to "
            "that of the videos; antennas, the hopper and sizes are places in it"
        )


def _rates(plan: Plan, keys: list[Key]) -> Iterator[Finding]:
    from murid.video import footage

    others = []
    for key in keys:
        rate = _rate(plan.source(key, "video")) if plan.exists(key, "video") else None
        told = plan.segments[key].fps
        if rate and abs(rate / told - 1) > footage.OFF_PACE:
            others.append(f"{plan.source(key, 'video')}: {rate:.5g}, the sheet {told:.5g}")
    if others:
        yield warning(
            f"fps: videos whose header says another rate than the sheet, frames a second "
            f"({some(others)}; {len(keys)} were looked at). Mend the column fps, unless the header "
            "is wrong or the camera dropped frames: else times, ways and readings are off"
        )


def _rate(path: str) -> float | None:
    """Return the frames a second by the header; None where it tells none."""
    from murid.video import container

    try:
        return container.header(Path(path)).rate
    except InputError:
        return None


def _size(path: str) -> tuple[int, int] | None:
    """Return width and height by the header; None where it is none, as is told when it is read."""
    # Needs FFmpeg, which is only worth its while where there is a video to compare.
    from murid.video import container

    try:
        return container.size(Path(path))
    except InputError:
        return None


def _other(size: tuple[int, int], image: tuple[int, int]) -> bool:
    """Tell whether a video cannot be of the size of the frame of reference, turned or not."""
    import numpy as np

    from murid.video import footage

    return not any(
        footage.judge_size(sides, np.eye(2, 3), image).status == "usable"
        for sides in (size, size[::-1])
    )
