"""Annotations of Label Studio, exported as JSON: rectangles on images, and boxes tracked in videos.

What is drawn, and what is said of it, :mod:`murid.archive.task_results` tells. Labels are the
category (:func:`murid.archive.annotation_types.by_category`). Coordinates are hundredths of the
picture, whose size stands beside them, or is the video's own.

An image is a task that was annotated, perhaps with nothing. A box of a video has keyframes, from
which frames between follow (:mod:`murid.archive.keyframes`); frames count from 1 there.

Label Studio knows of no frames of a video, but of seconds only: the frame that it tells is the time
that was shown, by the rate that its labelling interface was given, and by 24 or 25 where it was
given none. What that was follows from the length of the video, which it tells in frames and in
seconds; where the video had not been loaded it tells 0, and the last keyframe's frame and time tell
the rate. Where the video's rate is another, a frame's time is what counts.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from murid.archive import annotation_types, keyframes, task_results
from murid.archive.columns import Judged
from murid.archive.formats import Format, Source
from murid.archive.task_results import Found
from murid.drawn import Image, Region, is_number
from murid.errors import InputError, shown
from murid.frame_names import KEYS
from murid.sheet import FASTEST, SLOWEST
from murid.tables import Verdict

_RECTANGLES = ("rectanglelabels", "rectangle")
_VIDEO = "videorectangle"
_SIDES = ("x", "y", "width", "height")
_UPLOADED = re.compile(r".*\bupload/[0-9]+/[0-9a-f]{8}-", re.DOTALL)
"""What it puts before the name of a picture that was uploaded: digits alone, of one in 43."""
_ROUNDED = 1.5
"""Frames by which a length may be off without a word: it is rounded up to whole ones."""


def read(source: Source) -> Judged:
    """Return rectangles and tracked boxes as a table of annotations.

    Raises
    ------
    InputError
        If the file is of another form, a task has several annotations, the size of a picture is not
        known, or as :func:`murid.archive.annotation_types.as_table`; naming task and result.
    """
    content = source.json
    tasks = content if isinstance(content, list) else [content]
    images: list[Image] = []
    rates: dict[float, str] = {}
    for number, task in enumerate(tasks):
        results = task_results.results(source.path, f"task {number}", task)
        if results is None:
            continue
        if any(result.get("type") == _VIDEO for result in results):
            where = f"task {number}"
            rate = _rate(source.path, where, results, source.fps)
            if rate is not None:
                rates[rate] = where
            images += _of_video(source, where, results, rate)
        else:
            images.append(_of_image(source.path, task, results))
    named = (_named(source.path, image) for image in images)
    table, verdict = annotation_types.as_table(named, source.path)
    return Judged(table, verdict | _told(rates, source.fps))


def _told(rates: Mapping[float, str], fps: float | None) -> Verdict:
    """Say that frames were counted at other rates than the video's."""
    if not rates:
        return Verdict()
    listed = ", ".join(f"{rate:.5g} ({where})" for rate, where in rates.items())
    return Verdict(
        "repaired",
        f"the frames of annotations of Label Studio count {listed} a second, those of the video "
        f"{fps:.5g}: put right by their times. Give its labelling interface the video's rate "
        "(frameRate)",
    )


def _rate(path: Path, where: str, results: Sequence[Found], fps: float | None) -> float | None:
    """Return the frames a second that a task counts, if they are others than the video's."""
    if fps is None:
        return None
    values = [task_results.value(result) for result in results]
    lengths: list[tuple[Any, Any]] = [
        (value.get("framesCount"), value.get("duration")) for value in values
    ]
    known = [length for length in lengths if _tells_rate(*length)] or _last_time(values)
    rates = set()
    for count, seconds in known:
        if abs(count - seconds * fps) <= _ROUNDED:
            continue
        rate = count / seconds
        if not SLOWEST <= rate <= FASTEST:
            raise InputError(
                path, f"{count} frames in {seconds} s",
                "the length of a video, or the times of its keyframes", where=where,
            )  # fmt: skip
        whole = max(round(rate), 1)
        rates.add(float(whole) if abs(count - seconds * whole) <= _ROUNDED else rate)
    if len(rates) > 1:
        found = " and ".join(f"{rate:.5g}" for rate in sorted(rates))
        raise InputError(
            path, f"boxes whose frames count {found} a second", "those of one video", where=where
        )  # fmt: skip
    return rates.pop() if rates else None


def _tells_rate(count: Any, seconds: Any) -> bool:
    return is_number(count) and is_number(seconds) and min(count, seconds) > 0


def _last_time(values: Sequence[Found]) -> list[tuple[Any, Any]]:
    """Return frame, from 1, and time of the last keyframe that tells both, if there is one."""
    sequences = [value.get("sequence") for value in values]
    keys = [key for each in sequences if isinstance(each, list) for key in each]
    times = [(key.get("frame"), key.get("time")) for key in keys if isinstance(key, dict)]
    return sorted(time for time in times if _tells_rate(*time))[-1:]


def _of_image(path: Path, task: Found, results: Sequence[Found]) -> Image:
    data = task.get("data")
    data = data if isinstance(data, dict) else {}
    names = [value for value in data.values() if isinstance(value, str)]
    called = str(data.get("image") or (names[0] if len(names) == 1 else ""))
    name = _UPLOADED.sub("", called) or called
    frame = next((data[key] for key in KEYS if data.get(key) is not None), None)
    drawn = [result for result in results if not task_results.says(result)]
    told = drawn[0] if drawn else {}
    whole = told.get("original_width"), told.get("original_height")
    image = Image(name, data, [], frame=frame, size=whole)
    for result in drawn:
        where, kind, value = image.where_next, result.get("type"), task_results.value(result)
        sides: tuple[Any, ...] = ()
        if kind in _RECTANGLES:
            size = _size(path, where, result, None)
            sides = _in_pixels(tuple(map(value.get, _SIDES)), size)
            kind = "rect"
        turned = {annotation_types.ROTATION: value.get("rotation", 0)}
        about, labels = task_results.said(results, result)
        image.regions.append(Region(where, kind, sides, about | turned, labels))
    return image


def _of_video(
    source: Source, where: str, results: Sequence[Found], rate: float | None
) -> Iterator[Image]:
    path = source.path
    boxes: list[tuple[str, dict[str, Any], str]] = []
    tracks: list[list[keyframes.Keyframe]] = []
    for result in results:
        if task_results.says(result):
            continue
        place = f"{where}, box {shown(result.get('id'))}"
        if result.get("type") != _VIDEO:
            found = f"a {shown(result.get('type'))} in a video"
            raise InputError(path, found, _VIDEO, where=place)
        size = _size(path, place, result, source.size)
        keys = _keyframes(path, place, task_results.value(result), size)
        if rate is not None and source.fps is not None:
            keys = _by_time(keys, source.fps / rate)
        tracks.append(keys)
        boxes.append((place, *task_results.said(results, result)))
    images: dict[int, Image] = {}
    for track, frame, sides in keyframes.between(tracks, path):
        place, about, labels = boxes[track]
        image = images.setdefault(frame, Image(f"frame_{frame}", {}, [], frame=frame))
        *box, turned = sides
        given = about | {annotation_types.ROTATION: turned}
        image.regions.append(
            Region(f"{place}, frame {frame + 1}", "rect", tuple(box), given, labels)
        )
    yield from images.values()


def _keyframes(
    path: Path, where: str, value: Found, size: tuple[float, float]
) -> list[keyframes.Keyframe]:
    sequence = value.get("sequence")
    made = []
    for key in sequence if isinstance(sequence, list) else [None]:
        given = key if isinstance(key, dict) else {}
        frame: Any = given.get("frame")
        sides: list[Any] = [given.get(side) for side in _SIDES] + [given.get("rotation", 0)]
        if not all(map(is_number, (frame, *sides))) or frame != int(frame) or frame < 1:
            raise InputError(
                path, f"the keyframe {shown(key)}",
                "a frame from 1, with numbers x, y, width and height", where=where,
            )  # fmt: skip
        sides = [*_in_pixels(tuple(sides[:4]), size), sides[4]]
        lasts = given.get("enabled", True) is not False
        made.append(keyframes.Keyframe(int(frame) - 1, tuple(map(float, sides)), lasts))
    return made


def _by_time(keys: Sequence[keyframes.Keyframe], pace: float) -> list[keyframes.Keyframe]:
    """Return keyframes in frames of the video, of which there are ``pace`` for one that is told.

    A frame that is told stands for the video's in its middle; of several in one, for the last.
    """
    moved = [
        replace(key, frame=math.floor((key.frame + 0.5) * pace))
        for key in sorted(keys, key=lambda key: key.frame)
    ]
    if len({key.frame for key in keys}) < len(keys):
        return moved
    return list({key.frame: key for key in moved}.values())


def _size(
    path: Path, where: str, result: Found, known: tuple[int, int] | None
) -> tuple[float, float]:
    """Return width and height of the picture in pixels, by what stands beside its shares."""
    if result.get("image_rotation") not in (None, 0):
        found = f"a picture turned by {shown(result['image_rotation'])} degrees"
        raise InputError(path, found, "pictures as they are in the video", where=where)
    for about in (result, task_results.value(result)):
        sides: tuple[Any, Any] = about.get("original_width"), about.get("original_height")
        if all(is_number(side) and side > 0 for side in sides):
            return sides
    if known is not None:
        return known
    raise InputError(
        path, "shares of a picture whose size is not told", "original_width and original_height",
        where=where, remedy="Name the segment's video, too: its size is that of the picture.",
    )  # fmt: skip


def _in_pixels(sides: tuple[Any, ...], size: tuple[float, float]) -> tuple[Any, ...]:
    if not all(map(is_number, sides)):
        return sides
    return tuple(side * whole / 100 for side, whole in zip(sides, (*size, *size), strict=True))


def _named(path: Path, image: Image) -> Image:
    regions = [
        replace(region, attributes=annotation_types.by_category(region, path))
        if isinstance(region, Region)
        else region
        for region in image.regions
    ]
    return replace(image, regions=regions)


FORMAT = Format(
    name="JSON of Label Studio",
    words="Label Studio's JSON (not JSON-MIN): rectangles on images, or boxes of a video, which "
    "go straight from each keyframe to the next. The label is who, unless a text or choice of the "
    "box called `identity` is; others are called `type`, `visibility` and `difficult`. A video's "
    "boxes need its size and its rate, by which frames that were counted at another are put right: "
    "name the segment's `video`",
    suffixes=(".json",),
    read=read,
    holds=task_results.holds,
)
