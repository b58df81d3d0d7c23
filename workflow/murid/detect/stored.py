"""What the file of a trained detector says of itself, told without the library that reads it whole.

A safetensors file begins with the length of its header (8 bytes, the lowest first) and the header
(JSON): where each tensor lies, and what is to be known of them all. Standard library and settings
only, since a plan asks before anything runs.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from murid import files
from murid.errors import InputError, brief
from murid.models import refuse_unfitted
from murid.settings import BACKBONES, NARROWEST, WIDEST

METADATA = "murid"
"""The one key of a checkpoint's metadata: with several, their order would change by chance."""
_PREFIX = 8
"""Bytes that tell the length of the header."""
_LONGEST = 2**24
"""Bytes of a header, at most: networks have some hundred tensors, of which each takes a line."""
_WRITTEN = "what murid train-detector wrote"


def check(path: str | Path) -> None:
    """Refuse a file that is no trained detector, or not the whole of one.

    What its tensors hold is not looked at.

    Raises
    ------
    NotFittedError
        If the detector could not be trained.
    InputError
        If the file cannot be read, its header is none, it ends before its last tensor or after it,
        or it does not say how the network is built.
    """
    path = files.regular(path, _WRITTEN)
    refuse_unfitted(path)
    try:
        header, length = _header(path)
        about = about_of(header.pop("__metadata__", None))
        end = max((entry["data_offsets"][1] for entry in header.values()), default=0)
        if end != length:
            raise ValueError(f"{length:,} bytes of tensors, where {end:,} are announced")
        check_about(about)
    except (OSError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise InputError(path, f"no whole detector ({error})", _WRITTEN) from error


def _header(path: Path) -> tuple[dict[str, Any], int]:
    """Return the header, and how many bytes follow it."""
    size = os.stat(path).st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_PREFIX), "little")
        if not 0 < length <= min(size - _PREFIX, _LONGEST):
            raise ValueError(f"a header of {length:,} bytes in a file of {size:,}")
        return dict(json.loads(file.read(length))), size - _PREFIX - length


def about_of(metadata: Mapping[str, str] | None) -> dict[str, Any]:
    """Return what the metadata of a safetensors file say of a detector; of others, nothing.

    Raises
    ------
    ValueError
        If that is not what murid writes.
    """
    about = json.loads((metadata or {}).get(METADATA, "{}"))
    if not isinstance(about, dict):
        raise ValueError(f"metadata that are a {type(about).__name__}")
    return about


def check_about(about: Mapping[str, Any]) -> None:
    """Refuse what does not say how a network is built.

    Raises
    ------
    KeyError, ValueError
        If the backbone or the width is missing, or none that murid knows.
    """
    backbone, width = about["backbone"], about["width"]
    if backbone not in BACKBONES:
        raise ValueError(f"the backbone {brief(repr(backbone))}")
    if type(width) is not int or not NARROWEST <= width <= WIDEST:
        raise ValueError(f"the width {brief(str(width))}")
