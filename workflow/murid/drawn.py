"""What people draw in images: regions with attributes, whatever the tool that they draw with.

:mod:`murid.via` and :mod:`murid.coco` read such images. What they mean, whoever asks for them
tells: frames with boxes of animals, or pictures of rigs with points.

Standard library only, since points are looked at before a run begins.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from murid import frame_names
from murid.errors import InputError, brief

_HUGE = 1e30
"""Sides of boxes are below this, so that they are numbers in single precision too."""


@dataclass(frozen=True)
class Region:
    """What was drawn in an image."""

    where: str
    """What to call it in an error."""
    shape: Any
    """Its kind: ``rect``, ``point`` or another."""
    sides: tuple[Any, ...]
    """Of a rectangle x, y, width and height, of a point x and y; as they are in the file."""
    attributes: Mapping[str, Any]
    """As they are in the file."""
    category: str = ""
    """Name of its category, where a file has categories."""


@dataclass(frozen=True)
class Image:
    """An image that was annotated."""

    name: str
    attributes: Mapping[str, Any]
    """As they are in the file."""
    regions: list[Region | InputError] = field(default_factory=list)
    """In place of what cannot be read of the image, or of a region, its error."""
    frame: Any = None
    """What is said of its frame; None or an empty text: nothing."""
    size: tuple[Any, Any] = (None, None)
    """Its width and height, if it tells them."""
    strange: Sequence[str] = ()
    """Names of attributes that say something, but are not known."""
    waiting: bool = False
    """Whether it says that nobody has looked at it yet."""

    @property
    def where(self) -> str:
        """What to call it in an error."""
        return f"image {brief(self.name)}"

    @property
    def where_next(self) -> str:
        """What to call the region that is added next."""
        return f"{self.where}, region {len(self.regions)}"


def frames_of(images: Iterable[Image]) -> list[int | ValueError]:
    """Return the frame of each image, or the error of one that tells none beyond doubt."""
    return frame_names.frames_of((image.frame, image.name) for image in images)


def check_frames(images: Sequence[Image], path: object) -> list[int]:
    """Return the frame of each image.

    Raises
    ------
    InputError
        If an image tells no frame, or that of another one; naming it.
    """
    frames: dict[int, str] = {}
    for image, frame in zip(images, frames_of(images), strict=True):
        if isinstance(frame, ValueError):
            raise InputError(
                path, str(frame), "a frame number from 0, told or in the image's name",
                where=image.where, remedy=frame_names.REMEDY,
            ) from frame  # fmt: skip
        if frame in frames:
            raise InputError(
                path, f"frame {frame} a second time (also {brief(frames[frame])})",
                "each frame once", where=image.where, remedy="Split the file by segment.",
            )  # fmt: skip
        frames[frame] = image.name
    return list(frames)


def is_number(value: Any) -> bool:
    """Tell whether a value of JSON is a number that boxes may have: finite, no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _HUGE
