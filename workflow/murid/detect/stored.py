"""What the file of a trained detector says of itself, told without the library that reads it whole.

A safetensors file begins with the length of its header (8 bytes, the lowest first) and the header
(JSON): where each tensor lies, and what is to be known of them all. Standard library and settings
only, and numpy where tensors are looked at, since a plan asks before anything runs.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from murid import files
from murid.errors import InputError, brief
from murid.models import refuse_unfitted
from murid.settings import BACKBONES, NARROWEST, WIDEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

METADATA = "murid"
"""The one key of a checkpoint's metadata: with several, their order would change by chance."""
_PREFIX = 8
"""Bytes that tell the length of the header."""
_LONGEST = 2**24
"""Bytes of a header, at most: networks have some hundred tensors, of which each takes a line."""
_WRITTEN = "what murid train-detector wrote"
_FLOATS = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
"""Numpy's names of the kinds of tensors whose values are looked at before the network is built."""


def check(path: str | Path) -> None:
    """Refuse a file that is no trained detector, or not the whole of one.

    Raises
    ------
    NotFittedError
        If the detector could not be trained.
    InputError
        If the file cannot be read, its header is none, it ends before its last tensor or after it,
        it does not say how the network is built, or a tensor holds what none that was trained does
        (:func:`check_tensors`).
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
        check_tensors(_floats(path, header, start=os.stat(path).st_size - length))
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


def _floats(
    path: Path, header: Mapping[str, Any], start: int
) -> Iterable[tuple[str, "NDArray[Any]"]]:
    """Yield the name and the values of each tensor of floating-point numbers."""
    import numpy as np

    for name, entry in header.items():
        if entry["dtype"] in _FLOATS:
            first, end = entry["data_offsets"]
            kind = np.dtype(_FLOATS[entry["dtype"]])
            count = (end - first) // kind.itemsize
            yield name, np.fromfile(path, kind, count, offset=start + first).reshape(entry["shape"])


def check_tensors(tensors: Iterable[tuple[str, "NDArray[Any]"]]) -> None:
    """Refuse tensors of a detector that no training leaves behind.

    Biases and averages may be zeros, of one dimension; a kernel of zeros passes nothing on, and
    decay of the weights never gets there.

    Parameters
    ----------
    tensors
        Name and values of each, of any shape, floating-point.

    Raises
    ------
    ValueError
        Naming a tensor that is not finite, or a kernel that is zeros only.
    """
    import numpy as np

    for name, values in tensors:
        strange = int((~np.isfinite(values)).sum())
        if strange:
            raise ValueError(
                f"{strange:,} of {values.size:,} values of the tensor {name} are no finite numbers"
            )
        if values.ndim > 1 and values.size and not values.any():
            raise ValueError(f"the tensor {name} is zeros only")


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
