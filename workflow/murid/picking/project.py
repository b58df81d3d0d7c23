"""A project of VIA 2 to annotate pictures in, with the attributes that murid reads."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from murid import files, schemas
from murid.archive import annotation_types


def write(
    path: Path, name: str, pictures: Mapping[int, tuple[str, int]], animals: Sequence[str]
) -> None:
    """Write a project of pictures without regions, all of which wait to be annotated.

    Parameters
    ----------
    path
        The file to write.
    name
        What the project is called.
    pictures
        File name and size in bytes of each picture, by its frame.
    animals
        Names to choose from; none: the annotator writes them.
    """
    images: dict[str, Any] = {}
    for frame, (file, size) in sorted(pictures.items()):
        # VIA knows a picture that is added from disk by its name and size.
        images[f"{file}{size}"] = {
            "filename": file,
            "size": size,
            "regions": [],
            "file_attributes": {"frame": str(frame), "annotated": "no"},
        }
    identity: dict[str, Any] = {"type": "text", "description": "animals, with commas, or tunnel"}
    if animals:
        identity = _choice("checkbox", (*animals, schemas.TUNNEL), "who it is, or may be")
    project = {
        "_via_settings": {
            "ui": {},
            "core": {"buffer_size": 18, "filepath": {}, "default_filepath": ""},
            "project": {"name": name},
        },
        "_via_img_metadata": images,
        "_via_attributes": {
            "region": {
                "identity": identity,
                "type": _choice("radio", annotation_types.TYPES, "empty: single if it is one"),
                "visibility": _choice(
                    "radio", schemas.VISIBILITIES, "how much is seen", default="clear"
                ),
                "difficult": _choice("checkbox", ("difficult",), "hard to make out"),
            },
            "file": {
                "frame": {"type": "text", "description": "number of the frame, from 0"},
                "annotated": _choice(
                    "radio", ("no", "yes"), "yes where no animal is seen; with regions, either"
                ),
            },
        },
        "_via_data_format_version": "2.0.10",
        "_via_image_id_list": list(images),
    }
    files.write_text(path, json.dumps(project, indent=1) + "\n")


def _choice(
    kind: str, options: Iterable[str], description: str, default: str | None = None
) -> dict[str, Any]:
    return {
        "type": kind,
        "description": description,
        "options": dict.fromkeys(options, ""),
        "default_options": {default: True} if default else {},
    }
