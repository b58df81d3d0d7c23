"""What counts as a single animal, a huddle, a tunnel: drawn regions as the table of annotations.

The schema is the paper's (Appendix A.2), whatever tool the regions were drawn with. An image is a
frame; regions are rectangles with these attributes:

identity
    An animal, several separated by commas (or ticked as checkboxes, or a list), or ``tunnel``.
type
    ``single``; ``huddle``: one box around several animals, all of which are named; ``tentative``:
    one of those named, but nobody can tell which. Where it is absent, one identity is single,
    several are tentative.
visibility
    ``clear``, ``truncated`` or ``marginal`` (also ``NA``). Where it is absent: marginal, if others
    of the file have one; clear, if none has, since nobody was asked to tell. That many lack one
    where others have it is told.
difficult
    Ticked, or ``true``, ``yes`` or ``1``.

Capitals in the names of attributes do not count. Those that are nearly known are told by their
names, if they say something; ``rotation`` must be 0, since boxes are upright. An image without
regions is a frame that was looked at and shows nothing, unless it says that it waits to be looked
at: then it is passed over, and counted.

Which frames are used of those annotated, :mod:`murid.truth` tells: none with a huddle.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from murid import drawn, frame_names, schemas, spelling, tables
from murid.archive.columns import Judged
from murid.drawn import Image, Region
from murid.errors import InputError, brief, shown
from murid.spelling import NO, YES, word_of
from murid.tables import Verdict

OF_REGIONS = ("identity", "type", "visibility", "difficult")
"""Attributes that count, of regions."""
SIZES = "sizes"
"""Attribute of the table: widths and heights of the images that were annotated, if they tell."""
SPECIES = ("mouse", "mice", "animal", "rat", "rodent")
"""What categories may be called that name no animal."""
ROTATION = "rotation"
"""What CVAT calls by how many degrees a box is turned."""
MANY = 0.25
"""Share of boxes without a visibility, beside others with one, that is worth a word: annotators of
TIDe found 1 to 14% of a segment's boxes marginal."""
TYPES = tuple(kind for kind in schemas.ANNOTATION_TYPES if kind != "empty")
_VISIBILITIES = {**{name: name for name in schemas.VISIBILITIES}, "na": "marginal"}
_REMEDY = "Give regions the attributes identity, type, visibility and difficult."


def says(value: Any) -> bool:
    """Tell whether an attribute's value says something: a tick, a number but 0, a text."""
    if isinstance(value, dict):
        return any(map(says, value.values()))
    return word_of(value) not in ("", *NO, "none", "[]")


def by_category(region: Region, path: Path, further: Sequence[str] = ()) -> dict[str, Any]:
    """Return a region's attributes by their known names; its category is who, if none tells it.

    Parameters
    ----------
    region
        Its category is an animal's name, ``tunnel``, or one of :data:`SPECIES`, which is no name.
    path
        The file, for messages.
    further
        Names of attributes that are known beside :data:`OF_REGIONS`.

    Raises
    ------
    InputError
        As :func:`murid.spelling.by_name`.
    """
    given = spelling.by_name(region.attributes, (*further, *OF_REGIONS), path, region.where)
    if given.get("identity") in (None, "") and region.category.strip().lower() not in SPECIES:
        given["identity"] = region.category
    return given


def as_table(images: Iterable[Image], path: Path) -> Judged:
    """Return annotated images as a table of annotations.

    Boxes that reach beyond the left or upper edge of the image are cut there.

    Returns
    -------
    The table, and what is to be said of it, ``repaired`` at worst: attributes that are not known,
    boxes without a visibility, images that tell another frame than their names, and images that
    nobody has looked at yet.

    Raises
    ------
    InputError
        If an image tells no frame, two are the same one, or a region cannot be read, has no area
        within the image, is turned or lacks its attributes; naming image and region.
    """
    given = list(images)
    images = [image for image in given if image.regions or not image.waiting]
    regions = [list(_regions(path, image)) for image in images]
    attributes = [region.attributes for of_image in regions for region in of_image]
    absent = "marginal" if any(map(_visibility, attributes)) else "clear"
    frames = drawn.check_frames(images, path)
    rows = [
        row
        for of_image, frame in zip(regions, frames, strict=True)
        for row in _rows(path, of_image, frame, absent)
    ]
    rows.sort(key=lambda row: (row["frame"], row["object"]))
    table = pd.DataFrame(rows, columns=schemas.CONTRACTS["annotations"].schema.names)
    verdict = _tell_others(path, images, attributes) | _tell_visibility(path, attributes, absent)
    verdict |= _tell_names(path, images, frames)
    verdict |= _tell_waiting(path, len(given) - len(images), len(given))
    table = tables.conform(table, "annotations", path)
    sizes = {image.size for image in images if all(map(drawn.is_number, image.size))}
    table.attrs[SIZES] = sorted(size for size in sizes if min(size) > 0)
    return Judged(table, verdict)


def _regions(path: Path, image: Image) -> Iterator[Region]:
    """Yield the regions of an image, with attributes that are called as they are known."""
    for region in image.regions:
        if isinstance(region, InputError):
            raise region
        named = spelling.by_name(region.attributes, ("frame", *OF_REGIONS), path, region.where)
        yield replace(region, attributes=named)


def _tell_others(
    path: Path, images: Sequence[Image], attributes: Sequence[Mapping[str, Any]]
) -> Verdict:
    """Tell which attributes are not known, but say something, and are nearly known ones."""
    of_images = dict.fromkeys(name for image in images for name in image.strange)
    of_regions = dict.fromkeys(
        name
        for given in attributes
        for name, value in given.items()
        if name not in (*OF_REGIONS, ROTATION) and says(value)
    )
    verdict = Verdict()
    for names, what, allowed in (
        (of_images, "images", frame_names.KEYS),
        (of_regions, "regions", OF_REGIONS),
    ):
        if listed := spelling.misspelt(names, allowed):
            expected = ", ".join([*allowed[:-2], " and ".join(allowed[-2:])])
            verdict |= Verdict(
                "repaired",
                f"{path.name}: {listed} of {what} not known, and passed over (what counts is "
                f"{expected})",
            )
    return verdict


def _tell_visibility(path: Path, attributes: Sequence[Mapping[str, Any]], absent: str) -> Verdict:
    """Tell of many boxes of animals that count as marginal, since only others were marked."""
    given = [
        _visibility(of_region)
        for of_region in attributes
        if word_of(of_region.get("identity")) != schemas.TUNNEL
    ]
    empty = given.count("")
    if absent != "marginal" or empty < MANY * len(given):
        return Verdict()
    marked = ", ".join(dict.fromkeys(filter(None, given)))
    return Verdict(
        "repaired",
        f"{path.name}: {empty} of {len(given)} boxes of animals have no visibility and count "
        f"as marginal, since others have one ({brief(marked)}): mark those that are plainly seen "
        "as clear",
    )


def _tell_waiting(path: Path, waiting: int, of: int) -> Verdict:
    if not waiting:
        return Verdict()
    return Verdict(
        "repaired",
        f"{path.name}: {waiting} of {of} images are not annotated yet (annotated: no, and no "
        "regions), and passed over: draw their animals, or set annotated to yes where none is seen",
    )


def _tell_names(path: Path, images: Sequence[Image], frames: Sequence[int]) -> Verdict:
    """Tell of images that are called by another frame than they tell."""
    called = drawn.frames_of(replace(image, frame=None) for image in images)
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
        f"{path.name}: {len(differing)} of {len(images)} images tell another frame "
        f"than their names do (the first: {brief(name)} is frame {frame}), and are what they tell",
    )


def _visibility(attributes: Mapping[str, Any]) -> str:
    return word_of(attributes.get("visibility"))


def _rows(
    path: Path, regions: Sequence[Region], frame: int, absent: str
) -> Iterator[dict[str, Any]]:
    if not regions:
        yield {"frame": frame, "object": 0, "type": "empty", "identities": [],
               "visibility": "marginal", "difficult": False}  # fmt: skip
    for number, region in enumerate(regions):
        where, attributes = region.where, region.attributes
        box = _box(path, region)
        identities = _identities(path, where, attributes)
        kind = word_of(attributes.get("type")) or default_type(len(identities))
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
            allowed = ", ".join(schemas.VISIBILITIES)
            found = f"the visibility {shown(visibility)}"
            raise InputError(path, found, f"one of {allowed}", where=where)
        yield {"frame": frame, "object": number, "type": kind, "identities": identities, **box,
               "visibility": _VISIBILITIES[visibility],
               "difficult": _difficult(path, where, attributes.get("difficult"))}  # fmt: skip


def default_type(identities: int) -> str:
    """Return the type of an annotation that tells none, by how many identities it names."""
    return "single" if identities == 1 else "tentative"


def _box(path: Path, region: Region) -> dict[str, float]:
    """Return the rectangle of a region, cut at the left and upper edge of the image."""
    if region.shape != "rect":
        raise InputError(
            path, f"the shape {brief(str(region.shape))}", "a rectangle (rect)", where=region.where,
            remedy="Draw it again as a rectangle, or remove it.",
        )  # fmt: skip
    _refuse_turned(path, region.where, region.attributes.get(ROTATION))
    found = f"the rectangle {shown(list(region.sides))}"
    if len(region.sides) != 4 or not all(map(drawn.is_number, region.sides)):
        raise InputError(path, found, "numbers x, y, width, height", where=region.where)
    x, y, w, h = (float(side) for side in region.sides)
    w, h = w + min(x, 0.0), h + min(y, 0.0)
    if w <= 0 or h <= 0:
        raise InputError(path, found, "one with an area within the image", where=region.where)
    return dict(zip(schemas.BOX, (max(x, 0.0), max(y, 0.0), w, h), strict=True))


def _refuse_turned(path: Path, where: str, rotation: Any) -> None:
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


def _identities(path: Path, where: str, attributes: Mapping[str, Any]) -> list[str]:
    given = attributes.get("identity")
    if isinstance(given, dict):
        names = [str(name).strip() for name, ticked in given.items() if word_of(ticked) in YES]
    elif isinstance(given, list):
        names = [str(name).strip() for name in given]
    else:
        names = [name.strip() for name in str("" if given is None else given).split(",")]
    names = [schemas.TUNNEL if name.lower() == schemas.TUNNEL else name for name in names if name]
    names = list(dict.fromkeys(names))
    if not names:
        found = brief(", ".join(map(str, attributes))) or "none"
        raise InputError(
            path, f"no identity (attributes: {found})", "the attribute identity", where=where,
            remedy=_REMEDY,
        )  # fmt: skip
    if max(map(len, names)) > 80:
        raise InputError(path, f"the identity {shown(max(names, key=len))}", "a name", where=where)
    if schemas.TUNNEL in names and len(names) > 1:
        raise InputError(
            path, f"the identities {', '.join(names)}", "animals, or the tunnel alone", where=where
        )
    return names


def _difficult(path: Path, where: str, given: Any) -> bool:
    if isinstance(given, dict):
        return any(word_of(ticked) in YES for ticked in given.values())
    word = word_of(given)
    if word not in (*YES, *NO, ""):
        raise InputError(path, f"difficult: {shown(word)}", "true or false", where=where)
    return word in YES
