"""Fitted models, kept as JSON: read whole, or refused; or the reason why nothing could be fitted.

Where a fit fails, its file is written nevertheless, and holds the reason alone. Whoever reads it is
told by :class:`murid.errors.NotFittedError`, so that each stage that needs the model ends as a
verdict that names the cause, and the report is made.

Each kind of model declares, as a :class:`Part`, the range of every number that a fit can give; here
they are checked, so that no number that cannot be is used.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    ValidationError,
)
from pydantic_core.core_schema import CoreSchema, no_info_after_validator_function

from murid.errors import InputError, NotFittedError, shown
from murid.files import read_json, write_text
from murid.settings import Fraction, fault_of
from murid.settings_kinds import Lag as Lag

Model = TypeVar("Model")
Share = Fraction
Pixels = Annotated[float, Field(ge=-65_536, le=65_536)]
"""Places and lengths in the frame of reference, whose sides are half of it at most."""
_HUGE = 1e15
"""No pixel, frame, count or logarithm of a fitted model comes near it."""
_UNFITTED = b'{"format": "murid unfitted 1"'
"""How the file of a model that could not be fitted begins, whatever its suffix."""


class Part(BaseModel):
    """A part of a model as JSON holds it: numbers are finite numbers, no words or truth values."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)


def nested(item: Any, dimensions: int, kind: Any = float) -> GetPydanticSchema:
    """Say that an array is kept as lists of lists, so many deep, of items of a type.

    Parameters
    ----------
    item
        What each number may be: :data:`Share`.
    dimensions
        Of the array.
    kind
        Its dtype.

    Examples
    --------
    >>> class Line(Part):
    ...     points: Annotated[Any, nested(Share, 2)]
    >>> Line.model_validate({"points": [[0.1, 0.2], [0.3, 1.0]]}).points.shape
    (2, 2)
    """
    kept: Any = item
    for _ in range(dimensions):
        kept = list[kept]

    def as_array(values: Any) -> Any:
        import numpy as np  # planning imports this module

        return np.array(values, dtype=kind)

    return GetPydanticSchema(
        lambda _, handler: no_info_after_validator_function(as_array, handler(kept))
    )


def _without_instance(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    schema = handler(source)
    resolved: Any = handler.resolve_ref_schema(schema)
    resolved["strict"] = False
    for field in resolved["schema"]["fields"]:
        if field["schema"]["type"] == "default":
            field["schema"] = field["schema"]["schema"]
    return schema


BY_KEYS = GetPydanticSchema(_without_instance)
"""Says that a dataclass is kept as keys and values, where strict numbers would want an instance;
and that none of its keys may be missing, whatever it has by default."""


def write_unfitted(path: str | Path, reason: str) -> None:
    """Write, in place of a model, why there is none.

    Raises
    ------
    UnwritableError
        If it cannot be written.
    """
    begin = _UNFITTED.decode()
    write_text(path, f'{begin}, "reason": {json.dumps(reason)}}}\n')


def refuse_unfitted(path: str | Path) -> None:
    """Raise an error if a model could not be fitted; of any other file say nothing.

    Raises
    ------
    NotFittedError
        If :func:`write_unfitted` made the file.
    """
    try:
        with open(path, "rb") as file:
            if file.read(len(_UNFITTED)) != _UNFITTED:
                return
    except OSError:
        return  # whoever reads it tells what is wrong with it
    content = read_json(path, "the reason of a model that is not fitted")
    raise NotFittedError(path, str(content.get("reason", "")))


def read_model(
    path: str | Path,
    what: str,
    form: str,
    build: Callable[[dict[str, Any]], Model],
) -> Model:
    """Read what was fitted and kept as JSON.

    Parameters
    ----------
    path
        The file.
    what
        What it holds, for messages: ``weights``.
    form
        The format that it must name under the key ``format``.
    build
        Makes the model of the file's content; raises pydantic's ``ValidationError``, ``KeyError``,
        ``TypeError``, ``ValueError``, ``IndexError``, ``OverflowError`` or ``AttributeError`` where
        that is not as it must be.

    Raises
    ------
    NotFittedError
        If the model could not be fitted.
    InputError
        If the file is missing, is no such JSON, a value is none that a fit can give, or its parts
        do not fit each other.
    """
    refuse_unfitted(path)
    try:
        content = read_json(path, f"fitted {what}")
        found = content.get("format") if isinstance(content, dict) else None
        if found != form:
            other = f"the format {shown(found)}" if found is not None else "another format"
            raise InputError(
                path, other, repr(form),
                remedy="If it is the right file, it is of another version: fit it again.",
            )  # fmt: skip
        _refuse_huge(content)
        return build(content)
    except ValidationError as error:
        first = fault_of(Part, error.errors()[0], path)
        raise InputError(
            path, first.found, f"{first.expected}, as a fit gives", where=first.where,
            remedy="The file was changed or damaged.",
        ) from error  # fmt: skip
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise InputError(path, f"{what} that do not fit ({error})", form) from error


def _is_small(values: list[Any]) -> bool:
    """Tell whether a list is one of numbers of which none is huge: most of a model, at once."""
    try:
        return max(map(abs, values), default=0) <= _HUGE
    except TypeError:
        return False


def _refuse_huge(content: Any) -> None:
    """Raise ``ValueError`` at a number that overflows as soon as it is squared or added up."""
    waiting = [("", content)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            if not _is_small(value):
                waiting += [(name, item) for item in value]
        elif isinstance(value, int | float) and abs(value) > _HUGE and abs(value) != math.inf:
            shown = f"{value:g}" if isinstance(value, float) else "a huge integer"
            raise ValueError(f"{name}: {shown}, which is beyond {_HUGE:g}")
