"""What the file of a trained detector says of itself, told before anything runs.

It is read by parts, without the network, since a plan asks.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open

from murid import files
from murid.errors import InputError, brief
from murid.models.stored import refuse_unfitted
from murid.settings import BACKBONES, NARROWEST, WIDEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

METADATA = "murid"
"""The one key of a checkpoint's metadata: with several, their order would change by chance."""
_WRITTEN = "what murid train-detector wrote"
_FLOATS = ("F16", "F32", "F64")
"""Kinds of tensors whose values are looked at before the network is built."""


def check(path: str | Path) -> None:
    """Refuse a file that is no trained detector, or not the whole of one.

    Raises
    ------
    NotFittedError
        If the detector could not be trained.
    InputError
        If the file cannot be read, is no safetensors or not the whole of them, does not say how the
        network is built, or a tensor holds what none that was trained does (:func:`check_tensors`).
    """
    path = files.regular(path, _WRITTEN)
    refuse_unfitted(path)
    try:
        with safe_open(path, framework="np") as file:
            check_about(about_of(file.metadata()))
            check_tensors(
                (name, file.get_tensor(name))
                for name in file.keys()  # noqa: SIM118
                if file.get_slice(name).get_dtype() in _FLOATS
            )
    except (SafetensorError, OSError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise InputError(path, f"no whole detector ({error})", _WRITTEN) from error


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
