"""What is at fault with settings: the key, the value and what is allowed."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from murid.errors import InputError, SeveralErrors, brief

Model = TypeVar("Model", bound=BaseModel)


def parse(model: type[Model], values: Mapping[str, Any], source: object = "configuration") -> Model:
    """Validate ``values`` as ``model``.

    Raises
    ------
    SeveralErrors
        Naming every key at fault, its value, and what is allowed.
    """
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        faults = _causes(error.errors())
        raise SeveralErrors([fault_of(model, fault, source) for fault in faults]) from error


def _causes(faults: Sequence[Any]) -> list[Any]:
    """Leave out that a list is too short where that is so since items of it are at fault."""
    places = [fault["loc"] for fault in faults]
    return [
        fault
        for fault, place in zip(faults, places, strict=True)
        if fault["type"] != "too_short"
        or not any(len(p) > len(place) and p[: len(place)] == place for p in places)
    ]


def fault_of(model: type[BaseModel], fault: Mapping[str, Any], source: object) -> InputError:
    """Tell a fault that pydantic found."""
    key = ".".join(map(str, fault["loc"])) or "(top level)"
    where = f"key {key}"
    if fault["type"] == "extra_forbidden":
        names = ", ".join(_siblings(model, fault["loc"]))
        return InputError(source, f"the unknown key {key!r}", f"one of {names}", where=where)
    if fault["type"] == "missing":
        return InputError(source, "nothing", "a value", where=where)
    if fault["type"] == "too_short":
        least = fault["ctx"]["min_length"]
        return InputError(
            source,
            _shown(fault["input"]),
            f"at least {least} item{'s' if least > 1 else ''}",
            where=where,
        )
    if fault["type"] == "invalid_key":
        expected = "a name; a decimal is written with a point: 0.5, not 0,5"
        return InputError(source, f"the key {_shown(fault['input'])}", expected, where=where)
    if fault["type"] in ("model_type", "dict_type", "dataclass_type"):
        return InputError(source, _shown(fault["input"]), "keys and values", where=where)
    message = fault["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    return InputError(source, _shown(fault["input"]), message, where=where)


def _shown(value: Any) -> str:
    try:
        return brief(repr(value), 200)
    except ValueError:  # an integer of thousands of digits
        return "a huge integer"


def _siblings(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    for name in location[:-1]:
        inner = model.model_fields[str(name)].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            break
        model = inner
    return list(model.model_fields)
