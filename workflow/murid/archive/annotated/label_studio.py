"""Annotations of Label Studio, exported as JSON: rectangles on images, and boxes tracked in videos.

A result is a rectangle, or says something of the one with its ``id``: a choice, a text or labels,
called by ``from_name``. Labels are the category
(:func:`murid.archive.annotation_types.by_category`).
Coordinates are hundredths of the picture, whose size stands beside them, or is the video's own.

An image is a task that was annotated, perhaps with nothing. A box of a video has keyframes, from
which frames between follow (:mod:`murid.archive.keyframes`); frames count from 1 there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from murid.archive import annotation_types, keyframes
from murid.archive.columns import Judged
from murid.archive.formats import Format, Source
from murid.drawn import Image, Region, is_number
from murid.errors import InputError, shown
from murid.frame_names import KEYS

_EXPECTED = "the export JSON of Label Studio: tasks with annotations and their results"
_RECTANGLES = ("rectanglelabels", "rectangle")
_VIDEO = "videorectangle"
_LABELS = ("labels", "rectanglelabels", "videorectanglelabels")
_SAYING = ("choices", "textarea", "labels", "number", "rating", "taxonomy", "datetime", "pairwise")
"""Types of results that draw nothing."""
_SIDES = ("x", "y", "width", "height")

Found = Mapping[str, Any]


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
    for number, task in enumerate(tasks):
        results = _results(source.path, f"task {number}", task)
        if results is None:
            continue
        if any(result.get("type") == _VIDEO for result in results):
            images += _of_video(source, f"task {number}", results)
        else:
            images.append(_of_image(source.path, task, results))
    named = (_named(source.path, image) for image in images)
    return annotation_types.as_table(named, source.path)


def _results(path: Path, where: str, task: Any) -> list[Found] | None:
    """Return what a task was annotated with; None if nobody did so."""
    given = task.get("annotations", task.get("completions")) if isinstance(task, dict) else None
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise InputError(
            path, "a task without a list of annotations", _EXPECTED, where=where,
            remedy="Export it as JSON, not as JSON-MIN.",
        )  # fmt: skip
    done = [each for each in given if not each.get("was_cancelled")]
    chosen = [each for each in done if each.get("ground_truth")] or done
    if len(chosen) > 1:
        raise InputError(
            path, f"{len(chosen)} annotations of one task", "one", where=where,
            remedy="Remove the others, or mark the one that counts as ground truth.",
        )  # fmt: skip
    if not chosen:
        return None
    results = chosen[0].get("result")
    if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
        raise InputError(path, "an annotation without results", _EXPECTED, where=where)
    return results


def _of_image(path: Path, task: Found, results: Sequence[Found]) -> Image:
    data = task.get("data")
    data = data if isinstance(data, dict) else {}
    names = [value for value in data.values() if isinstance(value, str)]
    name = str(data.get("image") or (names[0] if len(names) == 1 else ""))
    frame = next((data[key] for key in KEYS if data.get(key) is not None), None)
    image = Image(name, data, [], frame=frame)
    for result in results:
        if _says(result):
            continue
        where, kind, value = image.where_next, result.get("type"), _value(result)
        sides: tuple[Any, ...] = ()
        if kind in _RECTANGLES:
            size = _size(path, where, result, None)
            sides = _in_pixels(tuple(map(value.get, _SIDES)), size)
            kind = "rect"
        turned = {annotation_types.ROTATION: value.get("rotation", 0)}
        about, labels = _said(results, result)
        image.regions.append(Region(where, kind, sides, about | turned, labels))
    return image


def _of_video(source: Source, where: str, results: Sequence[Found]) -> Iterator[Image]:
    path = source.path
    tracks: list[tuple[str, Found, list[keyframes.Keyframe]]] = []
    for result in results:
        if _says(result):
            continue
        place = f"{where}, box {shown(result.get('id'))}"
        if result.get("type") != _VIDEO:
            found = f"a {shown(result.get('type'))} in a video"
            raise InputError(path, found, _VIDEO, where=place)
        size = _size(path, place, result, source.size)
        tracks.append((place, result, _keyframes(path, place, _value(result), size)))
    images: dict[int, Image] = {}
    for track, frame, sides in keyframes.between([each for _, _, each in tracks], path):
        place, result, _ = tracks[track]
        image = images.setdefault(frame, Image(f"frame_{frame}", {}, [], frame=frame))
        about, labels = _said(results, result)
        where = f"{place}, frame {frame + 1}"
        *box, turned = sides
        about[annotation_types.ROTATION] = turned
        image.regions.append(Region(where, "rect", tuple(box), about, labels))
    yield from images.values()


def _keyframes(
    path: Path, where: str, value: Found, size: tuple[float, float]
) -> list[keyframes.Keyframe]:
    sequence = value.get("sequence")
    made = []
    for key in sequence if isinstance(sequence, list) else [None]:
        given = key if isinstance(key, dict) else {}
        frame = given.get("frame")
        sides = [given.get(side) for side in _SIDES] + [given.get("rotation", 0)]
        if not all(map(is_number, (frame, *sides))) or frame != int(frame) or frame < 1:
            raise InputError(
                path, f"the keyframe {shown(key)}",
                "a frame from 1, with numbers x, y, width and height", where=where,
            )  # fmt: skip
        sides = [*_in_pixels(tuple(sides[:4]), size), sides[4]]
        lasts = given.get("enabled", True) is not False
        made.append(keyframes.Keyframe(int(frame) - 1, tuple(map(float, sides)), lasts))
    return made


def _says(result: Found) -> bool:
    return result.get("type") in _SAYING or "value" not in result


def _value(result: Found) -> Found:
    value = result.get("value")
    return value if isinstance(value, dict) else {}


def _size(
    path: Path, where: str, result: Found, known: tuple[int, int] | None
) -> tuple[float, float]:
    """Return width and height of the picture in pixels, by what stands beside its shares."""
    if result.get("image_rotation") not in (None, 0):
        found = f"a picture turned by {shown(result['image_rotation'])} degrees"
        raise InputError(path, found, "pictures as they are in the video", where=where)
    for about in (result, _value(result)):
        sides = about.get("original_width"), about.get("original_height")
        if all(is_number(side) and side > 0 for side in sides):
            return sides  # type: ignore[return-value]  # numbers, as was just seen
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


def _said(results: Sequence[Found], drawn: Found) -> tuple[dict[str, Any], str]:
    """Return the attributes of a rectangle, and its labels."""
    key = drawn.get("id")
    about: dict[str, Any] = {}
    labels: list[str] = []
    for result in (drawn, *(each for each in results if each is not drawn and _says(each))):
        if result is not drawn and (key is None or result.get("id") != key):
            continue
        value = _value(result)
        labels += [str(name) for kind in _LABELS for name in value.get(kind) or ()]
        name = str(result.get("from_name", ""))
        if isinstance(value.get("choices"), list):
            about[name] = {str(choice): True for choice in value["choices"]}
        elif "text" in value:
            text = value["text"]
            about[name] = ",".join(map(str, text)) if isinstance(text, list) else text
    return about, ",".join(dict.fromkeys(labels))


def _named(path: Path, image: Image) -> Image:
    regions = [
        replace(region, attributes=annotation_types.by_category(region, path))
        if isinstance(region, Region)
        else region
        for region in image.regions
    ]
    return replace(image, regions=regions)


def _holds(source: Source) -> bool:
    content = source.json
    tasks = content if isinstance(content, list) else [content]
    marks = ("annotations", "completions", "annotation_id")
    return bool(tasks) and all(
        isinstance(task, dict) and "images" not in task and any(mark in task for mark in marks)
        for task in tasks
    )


FORMAT = Format(
    name="JSON of Label Studio",
    words="Label Studio's JSON (not JSON-MIN): rectangles on images, or boxes of a video with their "
    "keyframes, between which boxes go straight. The label is who, unless a text or choice of the "
    "box called `identity` is; others are called `type`, `visibility` and `difficult`. A video's "
    "boxes need its size: name the segment's `video`",
    suffixes=(".json",),
    read=read,
    holds=_holds,
)
