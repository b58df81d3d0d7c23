"""Projects of VIA 3: rectangles in images, or in videos, where they are timed in seconds.

A rectangle in a video belongs to the frame that is shown at its time: at ``t`` seconds and ``f``
frames a second the one numbered ``t f``, rounded down; times are written with three decimals, so
that one up to a tenth of a frame early counts as of the next. VIA 3 does not tell of frames of a
video that were looked at and show nothing. What attributes regions have,
:mod:`murid.archive.annotation_types` tells.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from murid.archive import annotation_types
from murid.archive.columns import Judged
from murid.archive.formats import Format, Source
from murid.drawn import Image, Region, is_number
from murid.errors import InputError, brief, shown

_EXPECTED = "a project of VIA 3: attributes, files, views and their metadata"
_IMAGE, _VIDEO = 2, 4
"""Types of files."""
_SHAPES = {
    1: "point", 2: "rect", 3: "circle", 4: "ellipse", 5: "line", 6: "polyline", 7: "polygon",
    8: "rectangle of extreme points", 9: "circle of extreme points",
}  # fmt: skip
_CHECKBOX, _CHOICES = 2, (2, 3, 4)
"""Types of attributes: checkboxes, and all those whose values are options."""
_EARLY = 0.1
"""Frames by which a time may be too early for its frame."""


def read(source: Source) -> Judged:
    """Return a project's rectangles as a table of annotations.

    Raises
    ------
    InputError
        If it is no project of VIA 3, tells the time of a video whose frame rate is not known, is of
        several videos, or as :func:`murid.archive.annotation_types.as_table`.
    """
    path, project = source.path, source.json
    parts = [_part(path, project, name) for name in ("view", "file", "metadata", "attribute")]
    views, files, metadata, attributes = parts
    of_views = {key: _file_of(path, key, view, files) for key, view in views.items()}
    images = {
        key: Image(_name(file), {}, [])
        for key, file in of_views.items()
        if file.get("type") == _IMAGE
    }
    timed: dict[int, Image] = {}
    videos: dict[str, str] = {}
    for key, entry in metadata.items():
        where = f"metadata {shown(key)}"
        entry = entry if isinstance(entry, dict) else {}
        drawn, view = entry.get("xy"), str(entry.get("vid"))
        if not isinstance(drawn, list) or view not in of_views:
            raise InputError(path, "no region of one of the views", _EXPECTED, where=where)
        if not drawn:
            continue
        if view in images:
            image = images[view]
        elif of_views[view].get("type") == _VIDEO:
            frame = _frame(path, where, entry.get("z"), source.fps)
            image = timed.setdefault(frame, Image(f"frame_{frame}", {}, [], frame=frame))
            videos[view] = _name(of_views[view])
        else:
            found = f"a region in {_name(of_views[view])}"
            raise InputError(path, found, "one in an image or a video", where=where)
        about = dict(_attributes(path, where, entry.get("av"), attributes))
        # Where something is drawn, its first number says what it is.
        shape = _SHAPES.get(drawn[0]) if isinstance(drawn[0], int) else None
        image.regions.append(Region(where, shape or shown(drawn[0]), tuple(drawn[1:]), about))
    if len(videos) > 1:
        raise InputError(
            path, f"regions in {len(videos)} videos ({brief(', '.join(videos.values()))})",
            "those of one", remedy="Make a project for each segment.",
        )  # fmt: skip
    return annotation_types.as_table([*images.values(), *timed.values()], path)


def _part(path: Path, project: Any, name: str) -> Mapping[str, Any]:
    part = project.get(name)
    if not isinstance(part, dict):
        raise InputError(path, f"no {name}", _EXPECTED)
    return part


def _file_of(path: Path, key: str, view: Any, files: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the file that a view shows, of several the first; VIA 3 puts two side by side."""
    shows = view.get("fid_list") if isinstance(view, dict) else None
    file = files.get(str(shows[0])) if isinstance(shows, list) and shows else None
    if not isinstance(file, dict):
        raise InputError(path, "no file that it shows", _EXPECTED, where=f"view {shown(key)}")
    return file


def _name(file: Mapping[str, Any]) -> str:
    return str(file.get("fname", ""))


def _frame(path: Path, where: str, times: Any, fps: float | None) -> int:
    if not isinstance(times, list) or len(times) != 1 or not is_number(times[0]) or times[0] < 0:
        expected = "one time in seconds, of a region in a video"
        raise InputError(path, f"the times {shown(times)}", expected, where=where)
    if not fps or fps < 0:
        raise InputError(
            path, f"the time {shown(times[0])} s", "frames a second, to tell the frame",
            where=where, remedy="Give them: fps of the sheet, or the option --fps.",
        )  # fmt: skip
    return math.floor(times[0] * fps + _EARLY)


def _attributes(
    path: Path, where: str, given: Any, attributes: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each attribute; options by what they are called."""
    for key, value in (given if isinstance(given, dict) else {}).items():
        about = attributes.get(key)
        if not isinstance(about, dict) or not isinstance(about.get("aname"), str):
            raise InputError(path, f"the attribute {shown(key)}", "one of the project", where=where)
        name, options = about["aname"], about.get("options")
        if about.get("type") not in _CHOICES or not isinstance(options, dict) or value == "":
            yield name, value
            continue
        chosen = [options.get(each.strip()) for each in str(value).split(",")]
        if None in chosen:
            found = f"the option {shown(value)} of {name}"
            raise InputError(path, found, "one of the project", where=where)
        ticked = {str(option): True for option in chosen}
        yield name, ticked if about["type"] == _CHECKBOX else ",".join(ticked)


def _holds(source: Source) -> bool:
    content = source.json
    return (
        isinstance(content, dict)
        and "_via_img_metadata" not in content
        and all(part in content for part in ("project", "metadata", "view"))
    )


FORMAT = Format(
    name="a project of VIA 3",
    words="VIA 3: a project, of images or of one video. Its times count by the `fps` of the sheet",
    suffixes=(".json",),
    read=read,
    holds=_holds,
)
