"""Annotations of CVAT: *CVAT for video* (tracks) and *CVAT for images*, as XML, or in the
zip archive that CVAT gives.

A track has a box in every frame that it is seen in, drawn or interpolated by CVAT, and one with
``outside="1"`` where it ends: that one is none. Frames count from 0 in the video, whatever the
task's first frame and step. A frame in which no box is seen is in no track, so nobody knows whether
it was looked at: it is not annotated; an image without boxes is, and shows nothing.

The label is the category (:func:`murid.archive.annotation_types.by_category`). Where no attribute
tells the visibility, the switch *occluded* does: truncated, or clear.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from murid import files, xml_text, zipped
from murid.archive import annotation_types
from murid.archive.columns import Judged
from murid.archive.formats import Format, Source
from murid.drawn import Image, Region
from murid.errors import InputError, brief

_CORNERS = ("xtl", "ytl", "xbr", "ybr")
_NOT_DRAWN = ("attribute", "tag")
_SIDES = ("width", "height")
_UNDEFINED = "__undefined__"
"""What CVAT calls an attribute that nobody chose a value for."""
_INNER, _ZIPPED = "annotations.xml", ".zip"
_EXPECTED = "CVAT for video or CVAT for images (XML 1.1), with tracks or images"


def read(source: Source) -> Judged:
    """Return the boxes of tracks and images as a table of annotations.

    Raises
    ------
    InputError
        If the file is missing or no XML of CVAT, is of several tasks, a shape is no box or has no
        frame, or as :func:`murid.archive.annotation_types.as_table`; naming track and frame.
    """
    path = source.path
    root = _root(path)
    tracks, images = root.findall("track"), root.findall("image")
    if root.tag != "annotations" or not (tracks or images):
        raise InputError(path, f"XML {root.tag} without tracks and images", _EXPECTED)
    tasks = {each.get("task_id") for each in (*tracks, *images)}
    if len(tasks) > 1:
        raise InputError(
            path, f"annotations of {len(tasks)} tasks", "those of one",
            remedy="Export the task of this segment by itself.",
        )  # fmt: skip
    drawn = [*_of_tracks(path, root, tracks), *map(_of_image, images)]
    return annotation_types.as_table((_named(path, image) for image in drawn), path)


def _root(path: Path) -> Element:
    if path.suffix.lower() != _ZIPPED:
        return xml_text.read(path, _EXPECTED)
    # Beside it there may be the pictures, whose size does not matter.
    with zipped.opened(path, _EXPECTED) as archive:
        members = {each.filename: each for each in archive.infolist()}
        if _INNER not in members:
            found = f"a zip archive of {brief(', '.join(members)) or 'nothing'}"
            remedy = "Export it from CVAT as CVAT for video, or for images."
            raise InputError(path, found, f"one with {_INNER}", remedy=remedy)
        text = zipped.text(path, archive, members[_INNER], files.LARGEST, _EXPECTED)
    return xml_text.parse(text, path, _EXPECTED)


def _of_tracks(path: Path, root: Element, tracks: list[Element]) -> Iterator[Image]:
    size = tuple(_number(root.findtext(f"meta//original_size/{side}")) for side in _SIDES)
    images: dict[str, Image] = {}
    for number, track in enumerate(tracks):
        for shape in track:
            if shape.tag in _NOT_DRAWN or shape.get("outside") == "1":
                continue
            frame = shape.get("frame")
            where = f"track {track.get('id', number)}, frame {frame}"
            if not frame:
                raise InputError(path, f"a {shape.tag} without a frame", _EXPECTED, where=where)
            image = images.setdefault(
                frame, Image(f"frame_{frame}", {}, [], frame=frame, size=(size[0], size[1]))
            )
            image.regions.append(_region(where, shape, track.get("label", "")))
    yield from images.values()


def _of_image(element: Element) -> Image:
    size = _number(element.get("width")), _number(element.get("height"))
    image = Image(element.get("name", ""), {}, [], size=size)
    for shape in element:
        if shape.tag not in _NOT_DRAWN:
            image.regions.append(_region(image.where_next, shape, shape.get("label", "")))
    return image


def _region(where: str, shape: Element, label: str) -> Region:
    given = {each.get("name", ""): each.text or "" for each in shape.findall("attribute")}
    given = {name: "" if text == _UNDEFINED else text for name, text in given.items()}
    given[annotation_types.ROTATION] = shape.get("rotation", "0")
    given["occluded"] = shape.get("occluded", "")
    kind = "rect" if shape.tag == "box" else shape.tag
    return Region(where, kind, _rectangle(shape), given, label)


def _rectangle(shape: Element) -> tuple[Any, ...]:
    """Return x, y, width and height; what is found, where a corner is no number."""
    corners = [_number(shape.get(name)) for name in _CORNERS]
    if not all(isinstance(corner, float) for corner in corners):
        return tuple(corners)
    left, top, right, bottom = corners
    return left, top, right - left, bottom - top


def _number(text: str | None) -> Any:
    """Return a number as such, and any other text as it is."""
    try:
        return float(text or "")
    except ValueError:
        return text


def _named(path: Path, image: Image) -> Image:
    regions: list[Region | InputError] = []
    for region in image.regions:
        if isinstance(region, Region):
            given = annotation_types.by_category(region, path, ("occluded",))
            occluded = {"0": "clear", "1": "truncated"}.get(given.pop("occluded"), "")
            if given.get("visibility") in (None, ""):
                given["visibility"] = occluded
            region = replace(region, attributes=given)
        regions.append(region)
    return replace(image, regions=regions)


FORMAT = Format(
    name="XML of CVAT",
    words="CVAT: the zip of *CVAT for video 1.1* or *for images 1.1*, or its `annotations.xml`: "
    "tracks or images with boxes. The label is who, unless an attribute `identity` is; "
    "*occluded* means `truncated`, unless an attribute `visibility` says otherwise. Frames "
    "are the video's; those that no track has a box in count as not annotated",
    suffixes=(".xml", ".zip"),
    read=read,
)
