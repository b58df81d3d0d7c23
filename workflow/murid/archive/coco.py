"""What COCO files share: images that are frames, and categories that name what is boxed."""

from collections.abc import Mapping
from typing import Any

from murid import attributes, contracts, frame_names
from murid.errors import InputError, shown


def is_id(value: Any) -> bool:
    """Tell whether a value may be an id: a whole number or a text."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def given_frame(image: Mapping[str, Any]) -> Any:
    """Return what an image says of its frame; None: nothing."""
    return next((image[key] for key in frame_names.KEYS if image.get(key) is not None), None)


def _contradiction(image: Mapping[str, Any]) -> str:
    """Return what an image says of its frame if its keys differ; "" if they do not."""
    given = {key: image[key] for key in frame_names.KEYS if image.get(key) not in (None, "")}
    values = frame_names.frames_of((value, "") for value in given.values())
    if any(isinstance(value, ValueError) for value in values) or len(set(values)) < 2:
        return ""
    return " and ".join(f"{key} {shown(value)}" for key, value in given.items())


def images_of(path: object, images: Any) -> dict[int | str, Mapping[str, Any]]:
    """Return a COCO file's images by their ids.

    Raises
    ------
    InputError
        If that is no list of images, or an image lacks an id, has that of another one, or says two
        frames; naming it, from 0.
    """
    known: dict[int | str, Mapping[str, Any]] = {}
    for place, image in enumerate(images if isinstance(images, list) else [None]):
        where = f"image {place}"
        if not isinstance(image, dict) or not is_id(image.get("id")):
            raise InputError(path, "an image without an id", "COCO images", where=where)
        try:
            image = attributes.by_name(image, ("id", "file_name", *frame_names.KEYS))
        except ValueError as error:
            raise InputError(
                path, str(error), "each key once", where=where, remedy=attributes.TWICE
            ) from error
        if contradiction := _contradiction(image):
            raise InputError(
                path, contradiction, "one frame of an image", where=where,
                remedy="Keep the one that counts the video's frames from 0, and remove the other.",
            )  # fmt: skip
        if image["id"] in known:
            found = f"the id {shown(image['id'])} a second time"
            raise InputError(path, found, "an id for each image", where=where)
        known[image["id"]] = image
    return known


def frames_of(path: object, images: Mapping[int | str, Mapping[str, Any]]) -> dict[int | str, int]:
    """Return the frame of each image by its id.

    Raises
    ------
    InputError
        If an image tells no frame, or that of another one; naming it, from 0.
    """
    frames: dict[int | str, int] = {}
    taken: dict[int, int] = {}
    told = frame_names.frames_of(
        (given_frame(image), str(image.get("file_name", ""))) for image in images.values()
    )
    for place, (key, frame) in enumerate(zip(images, told, strict=True)):
        where = f"image {place}"
        if isinstance(frame, ValueError):
            raise InputError(
                path, str(frame), "a frame number from 0, as frame or in file_name", where=where,
                remedy=frame_names.REMEDY,
            ) from frame  # fmt: skip
        if frame in taken:
            raise InputError(
                path, f"frame {frame} a second time (also image {taken[frame]})",
                "each frame once", where=where, remedy="Split the file by segment.",
            )  # fmt: skip
        taken[frame] = place
        frames[key] = frame
    return frames


def categories_of(path: object, categories: Any) -> Mapping[int | str, str]:
    """Return the name of each category by its id; without any, 1 is a mouse and 2 the tunnel.

    Raises
    ------
    InputError
        If a category has no id and name, or the id of another one; naming it, from 0.
    """
    if categories is None:
        return dict(enumerate(contracts.LABELS, start=1))
    names: dict[int | str, str] = {}
    for place, category in enumerate(categories if isinstance(categories, list) else [None]):
        where = f"category {place}"
        sound = isinstance(category, dict) and is_id(category.get("id"))
        if not sound or not isinstance(category.get("name"), str):
            raise InputError(path, "a category without id and name", "COCO categories", where=where)
        if category["id"] in names:
            found = f"the id {shown(category['id'])} a second time"
            raise InputError(path, found, "an id for each category", where=where)
        names[category["id"]] = category["name"]
    return names
