"""Annotated images, whatever tool they were drawn with, as the table of annotations.

The schema is the paper's (Appendix A.2). An image is a frame; regions are rectangles with these
attributes:

identity
    An animal, several separated by commas (or ticked as checkboxes, or a list), or ``tunnel``.
type
    ``single``, ``huddle`` or ``tentative``; where it is absent, several identities are tentative.
visibility
    ``clear``, ``truncated`` or ``marginal`` (also ``NA``). Where it is absent: marginal, if others
    of the file have one; clear, if none has, since nobody was asked to tell. That many lack one
    where others have it is told.
difficult
    Ticked, or ``true``, ``yes`` or ``1``.

Capitals in the names of attributes do not count. Those that are nearly known are told by their
names, if they say something; ``rotation`` must be 0, since boxes are upright. An image without
regions is a frame that was looked at and shows nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from murid import attributes, contracts, frame_names, tables
from murid.archive.columns import Told
from murid.errors import InputError, brief, shown
from murid.tables import Verdict

OF_REGIONS = ("identity", "type", "visibility", "difficult")
"""Attributes that count, of regions."""
NAMES = ("frame", *OF_REGIONS)
"""Attributes that count, of an image or its regions."""
ROTATION = "rotation"
"""What CVAT calls by how many degrees a box is turned."""
MANY = 0.25
"""Share of boxes without a visibility, beside others with one, that is worth a word: annotators of
TIDe found 1 to 14% of a segment's boxes marginal."""
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
    others: Sequence[str] = ()
    """Names of attributes that say something, but are not known."""


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


def says(value: Any) -> bool:
    """Tell whether an attribute's value says something: a tick, a number but 0, a text."""
    if isinstance(value, dict):
        return any(map(says, value.values()))
    return _word(value) not in (*_NO, "0.0", "none", "[]")


def as_table(images: Iterable[Image], path: str | Path) -> Told:
    """Return annotated images as a table of annotations.

    Boxes that reach beyond the left or upper edge of the image are cut there.

    Returns
    -------
    The table, and what is to be said of it, ``repaired`` at worst: attributes that are not known,
    boxes without a visibility, and images that tell another frame than their names.

    Raises
    ------
    InputError
        If an image tells no frame, two are the same one, or a region has no area within the image,
        is turned or lacks its attributes; naming image and region.
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
    verdict = _tell_others(path, images) | _tell_visibility(path, images, absent)
    verdict |= _tell_names(path, images, told)
    return Told(tables.conform(table, "annotations", path), verdict)


def _tell_others(path: str | Path, images: Sequence[Image]) -> Verdict:
    """Tell which attributes are not known, but say something, and are nearly known ones."""
    of_images = dict.fromkeys(name for image in images for name in image.others)
    of_regions = dict.fromkeys(
        name
        for given in _regions(path, images)
        for name, value in given.items()
        if name not in (*OF_REGIONS, ROTATION) and says(value)
    )
    verdict = Verdict()
    for names, what, known in (
        (of_images, "images", frame_names.KEYS),
        (of_regions, "regions", OF_REGIONS),
    ):
        if listed := attributes.misspelt(names, known):
            expected = ", ".join([*known[:-2], " and ".join(known[-2:])])
            verdict |= Verdict(
                "repaired",
                f"{Path(path).name}: {listed} of {what} not known, and passed over (what counts is "
                f"{expected})",
            )
    return verdict


def _tell_visibility(path: str | Path, images: Sequence[Image], absent: str) -> Verdict:
    """Tell of many boxes of animals that count as marginal, since only others were marked."""
    given = [
        _visibility(region)
        for region in _regions(path, images)
        if _word(region.get("identity")) != contracts.TUNNEL
    ]
    empty = given.count("")
    if absent != "marginal" or empty < MANY * len(given):
        return Verdict()
    marked = ", ".join(dict.fromkeys(filter(None, given)))
    return Verdict(
        "repaired",
        f"{Path(path).name}: {empty} of {len(given)} boxes of animals have no visibility and count "
        f"as marginal, since others have one ({brief(marked)}): mark those that are plainly seen "
        "as clear",
    )


def _tell_names(path: str | Path, images: Sequence[Image], frames: Sequence[Any]) -> Verdict:
    """Tell of images that are called by another frame than they tell."""
    called = frame_names.frames_of((None, image.name) for image in images)
    differing = [
        (image.name, frame)
        for image, name, frame in zip(images, called, frames, strict=True)
        if not isinstance(name, ValueError) and name != frame
    ]
    if not differing:
        return Verdict()
    name, frame = differing[0]
    return Verdict(
        "repaired",
        f"{Path(path).name}: {len(differing)} of {len(images)} images tell another frame "
        f"than their names do (the first: {brief(name)} is frame {frame}), and are what they tell",
    )


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
        _refuse_turned(path, where, attributes.get(ROTATION))
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


def _refuse_turned(path: str | Path, where: str, rotation: Any) -> None:
    try:
        # A hand that slips turns a box by less than a degree.
        turned = abs((float(rotation or 0) + 90) % 180 - 90) >= 1
    except (TypeError, ValueError, OverflowError):
        turned = True
    if turned:
        raise InputError(
            path, f"a box turned by {shown(rotation)} degrees ({ROTATION})", "upright boxes",
            where=where, remedy="Draw it again upright, around all of the animal.",
        )  # fmt: skip


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
    if isinstance(value, dict) and all(isinstance(ticked, bool) for ticked in value.values()):
        # Radio buttons and checkboxes of VIA; of none that is ticked, {}.
        return ",".join(str(name).strip().lower() for name, ticked in value.items() if ticked)
    if isinstance(value, list | dict):
        return shown(value)
    return "" if value is None else str(value).strip().lower()
