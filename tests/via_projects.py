"""Annotations as projects of VIA."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from murid import files, schemas, tables
from murid.archive import annotation_types


def write_project(annotations: pd.DataFrame, path: Path) -> None:
    """Write a table of annotations as a VIA 2 project, that VIA opens and the archive reads."""
    annotations = tables.conform(annotations, "annotations", path)
    images = {}
    for frame, objects in annotations.groupby("frame", sort=True):
        name = f"frame_{frame:06d}.jpg"
        visible = objects[objects["type"] != "empty"].sort_values("object")
        images[f"{name}-1"] = {
            "filename": name,
            "size": -1,
            "regions": [_region(row) for row in visible.to_dict("records")],
            "file_attributes": {"frame": str(frame)},
        }
    project = {
        "_via_settings": {
            "ui": {},
            "core": {"buffer_size": 18, "filepath": {}, "default_filepath": ""},
            "project": {"name": path.stem},
        },
        "_via_img_metadata": images,
        "_via_attributes": {
            "region": {
                "identity": {"type": "text", "description": "animals, or tunnel"},
                "type": _choice("radio", annotation_types.TYPES),
                "visibility": _choice("radio", schemas.VISIBILITIES),
                "difficult": _choice("checkbox", ("difficult",)),
            },
            "file": {"frame": {"type": "text", "description": "number of the frame, from 0"}},
        },
        "_via_data_format_version": "2.0.10",
        "_via_image_id_list": list(images),
    }
    files.write_text(path, json.dumps(project, indent=1) + "\n")


def _choice(kind: str, options: Iterable[str]) -> dict[str, Any]:
    return {
        "type": kind,
        "description": "",
        "options": {option: option for option in options},
        "default_options": {},
    }


def _region(row: dict[str, Any]) -> dict[str, Any]:
    x, y, width, height = (_number(row[name]) for name in schemas.BOX)
    return {
        "shape_attributes": {"name": "rect", "x": x, "y": y, "width": width, "height": height},
        "region_attributes": {
            "identity": ",".join(row["identities"]),
            "type": row["type"],
            "visibility": row["visibility"],
            "difficult": {"difficult": True} if row["difficult"] else {},
        },
    }


def _number(value: Any) -> int | float:
    return int(value) if float(value).is_integer() else float(value)
