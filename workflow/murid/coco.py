"""Files of COCO: images, categories, and annotations with boxes.

What COCO has no word for stands in the ``attributes`` of an image or annotation, or beside its
``bbox``: who is boxed, whether it is hard to make out.
"""

from collections.abc import Mapping
from typing import Any

from murid import frame_names, schemas, spelling
from murid.drawn import Image, Region
from murid.errors import InputError, shown

_STANDARD = (
    "id", "image_id", "category_id", "bbox", "area", "segmentation", "attributes", "keypoints",
    "num_keypoints", "score", "track_id", "caption", "ignore",
)  # fmt: skip
"""What stands beside a ``bbox`` and is no attribute."""


def is_coco(content: Any) -> bool:
    """Tell whether what a JSON file holds is COCO: lists of images and annotations."""
    return isinstance(content, dict) and all(
        isinstance(content.get(part), list) for part in ("images", "annotations")
    )


def is_id(value: Any) -> bool:
    """Tell whether a value may be an id: a whole number or a text."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def read(content: Any, path: object) -> list[Image]:
    """Return the images of a COCO file, each with its annotations as regions.

    An image's attributes are all that it says; those of a region stand in the annotation's
    ``attributes``, or beside its ``bbox``.

    Parameters
    ----------
    content
        What the file holds.
    path
        The file, for messages.

    Raises
    ------
    InputError
        If it is no COCO, or an entry lacks a value, has one of another kind, or is of an unknown
        image or category; naming it, from 0.
    """
    if not is_coco(content):
        raise InputError(path, "JSON without lists of images and annotations", "COCO JSON")
    images = images_of(path, content["images"])
    categories = categories_of(path, content.get("categories", []))
    for place, entry in enumerate(content["annotations"]):
        where = f"annotation {place}"
        if not isinstance(entry, dict):
            raise InputError(path, shown(entry), "a COCO annotation", where=where)
        for key, allowed in (("image_id", images), ("category_id", categories)):
            value = entry.get(key)
            if not is_id(value) or value not in allowed:
                raise InputError(path, f"{key} {shown(value)}", "one of the file", where=where)
        box = entry.get("bbox")
        beside = {key: value for key, value in entry.items() if key not in _STANDARD}
        inner = entry.get("attributes")
        images[entry["image_id"]].regions.append(
            Region(
                where,
                "rect",
                tuple(box) if isinstance(box, list) else (box,),
                beside | (inner if isinstance(inner, dict) else {}),
                categories[entry["category_id"]],
            )
        )
    return list(images.values())


def images_of(path: object, images: Any) -> dict[int | str, Image]:
    """Return a COCO file's images by their ids.

    Raises
    ------
    InputError
        If that is no list of images, or an image lacks an id, has that of another one, or says two
        frames; naming it, from 0.
    """
    made: dict[int | str, Image] = {}
    for place, image in enumerate(images if isinstance(images, list) else [None]):
        where = f"image {place}"
        if not isinstance(image, dict) or not is_id(image.get("id")):
            raise InputError(path, "an image without an id", "COCO images", where=where)
        image = spelling.by_name(image, ("id", "file_name", *frame_names.KEYS), path, where)
        if contradiction := _contradiction(image):
            raise InputError(
                path, contradiction, "one frame of an image", where=where,
                remedy="Keep the one that counts the video's frames from 0, and remove the other.",
            )  # fmt: skip
        key = image["id"]
        if key in made:
            found = f"the id {shown(key)} a second time"
            raise InputError(path, found, "an id for each image", where=where)
        frame = next(
            (image[name] for name in frame_names.KEYS if image.get(name) is not None), None
        )
        size = image.get("width"), image.get("height")
        made[key] = Image(str(image.get("file_name", key)), image, frame=frame, size=size)
    return made


def _contradiction(image: Mapping[str, Any]) -> str:
    """Return what an image says of its frame if its keys differ; "" if they do not."""
    given = {key: image[key] for key in frame_names.KEYS if image.get(key) not in (None, "")}
    values = frame_names.frames_of((value, "") for value in given.values())
    if any(isinstance(value, ValueError) for value in values) or len(set(values)) < 2:
        return ""
    return " and ".join(f"{key} {shown(value)}" for key, value in given.items())


def categories_of(path: object, categories: Any) -> dict[int | str, str]:
    """Return the name of each category by its id; without any, 1 is a mouse and 2 the tunnel.

    Raises
    ------
    InputError
        If a category has no id and name, or the id of another one; naming it, from 0.
    """
    if categories is None:
        return dict(enumerate(schemas.LABELS, start=1))
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
