"""Annotated images, whatever tool they were drawn with, as the table of annotations.

The schema is the paper's (Appendix A.2). An image is a frame; regions are rectangles with these
attributes:

identity
    An animal, several separated by commas (or ticked as checkboxes, or a list), or ``tunnel``.
type
    ``single``, ``huddle`` or ``tentative``; where it is absent, several identities are tentative.
visibility
    ``clear``, ``truncated`` or ``marginal`` (also ``NA``). Where it is absent: marginal, if others
    of the file have one; clear, if none has, since nobody was asked to tell.
difficult
    Ticked, or ``true``, ``yes`` or ``1``.

Capitals in the names of attributes do not count. An image without regions is a frame that was
looked at and shows nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from murid import attributes, contracts, frame_names, tables
from murid.errors import InputError, brief, shown

NAMES = ("frame", "identity", "type", "visibility", "difficult")
"""Attributes that count, of an image or its regions."""
TYPES = tuple(kind for kind in contracts.ANNOTATION_TYPES if kind != "empty")
_VISIBILITIES = {
    **{name: name for name in contracts.VISIBILITIES},
    "na": "marginal",
}
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0", "")
_REMEDY = "Give regions the attributes identity, type, visibility and difficult."
_HUGE = 1e30


@dataclass(frozen=True)
class Region:
    """A rectangle of an image."""

    where: str
    """What to call it in an error."""
    sides: tuple[Any, ...]
    """x, y, width, height, as found."""
    attributes: Mapping[str, Any]
    """As found."""
    shape: Any = "rect"
    """What it is, if it is no rectangle (``rect``)."""


@dataclass(frozen=True)
class Image:
    """An image that was annotated."""

    name: str
    given: Any
    """What is said of its frame; None or an empty text: nothing."""
    regions: list[Region] = field(default_factory=list)


def named(
    path: str | Path, where: str, given: Mapping[str, Any], further: Sequence[str] = ()
) -> dict[str, Any]:
    """Return attributes of a region or image, whose names mean the same in capitals or not.

    Parameters
    ----------
    path, where
        The file, and the region or image, for messages.
    given
        Attributes as found.
    further
        Names that count beside :data:`NAMES`.

    Raises
    ------
    InputError
        If two of those that count differ in capitals only.
    """
    try:
        return attributes.by_name(given, (*NAMES, *further))
    except ValueError as error:
        raise InputError(
            path, str(error), "each attribute once", where=where, remedy=attributes.TWICE
        ) from error


def is_number(value: Any) -> bool:
    """Tell whether a value of JSON is a number that boxes may have: finite, no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _HUGE


def as_table(images: Iterable[Image], path: str | Path) -> pd.DataFrame:
    """Return annotated images as a table of annotations.

    Boxes that reach beyond the left or upper edge of the image are cut there.

    Raises
    ------
    InputError
        If an image tells no frame, two are the same one, or a region has no area within the image
        or lacks its attributes; naming image and region.
    """
    frames: dict[int, str] = {}
    rows: list[dict[str, Any]] = []
    images = list(images)
    absent = "marginal" if any(map(_visibility, _regions(path, images))) else "clear"
    told = frame_names.frames_of((image.given, image.name) for image in images)
    for image, frame in zip(images, told, strict=True):
        where = f"image {brief(image.name)}"
        if isinstance(frame, ValueError):
            raise InputError(
                path, str(frame), "a frame number from 0, told or in the image's name",
                where=where, remedy=frame_names.REMEDY,
            ) from frame  # fmt: skip
        if frame in frames:
            raise InputError(
                path, f"frame {frame} a second time (also {brief(frames[frame])})",
                "each frame once", where=where, remedy="Split the file by segment.",
            )  # fmt: skip
        frames[frame] = image.name
        rows.extend(_rows(path, image, frame, absent))
    rows.sort(key=lambda row: (row["frame"], row["object"]))
    table = pd.DataFrame(rows, columns=contracts.CONTRACTS["annotations"].schema.names)
    return tables.conform(table, "annotations", path)


def _regions(path: str | Path, images: Iterable[Image]) -> Iterator[dict[str, Any]]:
    """Yield the attributes of every region."""
    for image in images:
        for region in image.regions:
            yield named(path, region.where, region.attributes)


def _visibility(attributes: Mapping[str, Any]) -> str:
    return _word(attributes.get("visibility"))


def _rows(path: str | Path, image: Image, frame: int, absent: str) -> Iterator[dict[str, Any]]:
    if not image.regions:
        yield {"frame": frame, "object": 0, "type": "empty", "identities": [],
               "visibility": "marginal", "difficult": False}  # fmt: skip
    for number, region in enumerate(image.regions):
        where, attributes = region.where, named(path, region.where, region.attributes)
        if region.shape != "rect":
            raise InputError(
                path, f"the shape {brief(str(region.shape))}", "a rectangle (rect)", where=where,
                remedy="Draw it again as a rectangle, or remove it.",
            )  # fmt: skip
        box = dict(zip(contracts.BOX, _box(path, where, region.sides), strict=True))
        identities = _identities(path, where, attributes)
        kind = _word(attributes.get("type")) or ("single" if len(identities) == 1 else "tentative")
        if kind not in TYPES:
            found = f"the type {shown(kind)}"
            raise InputError(path, found, f"one of {', '.join(TYPES)}", where=where)
        if kind == "single" and len(identities) > 1:
            raise InputError(
                path, f"the identities {', '.join(identities)} of a single animal",
                "one identity, or the type huddle or tentative", where=where,
            )  # fmt: skip
        visibility = _visibility(attributes) or absent
        if visibility not in _VISIBILITIES:
            allowed = ", ".join(contracts.VISIBILITIES)
            found = f"the visibility {shown(visibility)}"
            raise InputError(path, found, f"one of {allowed}", where=where)
        yield {"frame": frame, "object": number, "type": kind, "identities": identities, **box,
               "visibility": _VISIBILITIES[visibility],
               "difficult": _difficult(path, where, attributes.get("difficult"))}  # fmt: skip


def _box(path: str | Path, where: str, sides: tuple[Any, ...]) -> tuple[float, float, float, float]:
    if len(sides) != 4 or not all(map(is_number, sides)):
        found = f"the rectangle {shown(list(sides))}"
        raise InputError(path, found, "numbers x, y, width, height", where=where)
    x, y, w, h = (float(side) for side in sides)
    w, h = w + min(x, 0.0), h + min(y, 0.0)
    if w <= 0 or h <= 0:
        found = f"the rectangle {shown(list(sides))}"
        raise InputError(path, found, "one with an area within the image", where=where)
    return max(x, 0.0), max(y, 0.0), w, h


def _identities(path: str | Path, where: str, attributes: Mapping[str, Any]) -> list[str]:
    given = attributes.get("identity")
    if isinstance(given, dict):
        names = [str(name).strip() for name, ticked in given.items() if _word(ticked) in _YES]
    elif isinstance(given, list):
        names = [str(name).strip() for name in given]
    else:
        names = [name.strip() for name in str("" if given is None else given).split(",")]
    names = [
        contracts.TUNNEL if name.lower() == contracts.TUNNEL else name for name in names if name
    ]
    names = list(dict.fromkeys(names))
    if not names:
        found = brief(", ".join(map(str, attributes))) or "none"
        raise InputError(
            path, f"no identity (attributes: {found})", "the attribute identity", where=where,
            remedy=_REMEDY,
        )  # fmt: skip
    if max(map(len, names)) > 80:
        raise InputError(path, f"the identity {shown(max(names, key=len))}", "a name", where=where)
    if contracts.TUNNEL in names and len(names) > 1:
        raise InputError(
            path, f"the identities {', '.join(names)}", "animals, or the tunnel alone", where=where
        )
    return names


def _difficult(path: str | Path, where: str, given: Any) -> bool:
    if isinstance(given, dict):
        return any(_word(ticked) in _YES for ticked in given.values())
    word = _word(given)
    if word not in _YES + _NO:
        raise InputError(path, f"difficult: {shown(word)}", "true or false", where=where)
    return word in _YES


def _word(value: Any) -> str:
    if isinstance(value, list | dict):
        return shown(value)
    return "" if value is None else str(value).strip().lower()
