"""What is at fault with settings: the key, the value and what is allowed."""

import difflib
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from murid.errors import InputError, SeveralErrors, shown

Model = TypeVar("Model", bound=BaseModel)
Places = Mapping[tuple[str, ...], str]
"""File and line of keys, by the names of the blocks that each is in, and its own."""


def parse(model: type[Model], values: Mapping[str, Any], places: Places | None = None) -> Model:
    """Validate ``values`` as ``model``.

    Raises
    ------
    SeveralErrors
        Naming every key at fault, where it stands, its value, and what is allowed.
    """
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise SeveralErrors(
            [
                fault_of(model, fault, place_of(fault["loc"], places))
                for fault in _causes(error.errors())
            ]
        ) from error


def place_of(location: Sequence[str | int], places: Places | None) -> str:
    """Return where a key stands, or the innermost block that it is in."""
    for length in range(len(location), 0, -1):
        if place := (places or {}).get(tuple(map(str, location[:length]))):
            return place
    return "configuration"


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
    # Of all settings together nobody would find what is meant.
    found = shown(fault["input"], 200) if fault["loc"] else "settings that do not fit each other"
    remedy = None
    match fault["type"]:
        case "extra_forbidden":
            names = _siblings(model, fault["loc"])
            found, expected = f"the unknown key {key!r}", f"one of {', '.join(names)}"
            remedy = _meant(str(fault["loc"][-1]), fault["input"], names)
        case "missing":
            found, expected = "nothing", "a value"
        case "too_short":
            least = fault["ctx"]["min_length"]
            expected = f"at least {least} item{'s' if least > 1 else ''}"
        case "invalid_key":
            found = f"the key {found}"
            expected = "a name; a decimal is written with a point: 0.5, not 0,5"
        case "model_type" | "dict_type" | "dataclass_type":
            expected = "keys and values"
        case _:
            expected = fault["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    if remedy is None and _unquoted(fault["input"]) and _takes_text(model, fault["loc"]):
        remedy = (
            "If a word is meant, put it into quotes: off, on, yes, no, numbers, days and null are "
            "none in YAML."
        )
    return InputError(source, found, expected, where=f"key {key}", remedy=remedy)


def _meant(name: str, value: Any, names: Sequence[str]) -> str | None:
    """Return what may be meant by a key that there is none of."""
    block, dot, rest = name.partition(".")
    if dot and block in names:
        return f"A dot stands for a block: write {block}: {{{rest}: {shown(value, 40)}}}."
    near = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]}?" if near else None


def _unquoted(value: Any) -> bool:
    """Tell whether a value is what YAML may read a word without quotes as, or holds one."""
    if isinstance(value, list | tuple):
        return any(map(_unquoted, value))
    return isinstance(value, bool | int | float | date)


def _takes_text(model: type[BaseModel], location: Sequence[str | int]) -> bool:
    """Tell whether the setting at a place may be, or hold, a text."""
    annotation: Any = model
    for name in location:
        if get_origin(annotation) in (dict, Mapping):
            of_keys, annotation = get_args(annotation)
            annotation = of_keys if location[-1] == "[key]" else annotation
            continue
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            break
        if str(name) not in annotation.model_fields:
            return False
        annotation = annotation.model_fields[str(name)].annotation
    return _holds_text(annotation)


def _holds_text(annotation: Any) -> bool:
    return annotation is str or any(map(_holds_text, get_args(annotation)))


def _siblings(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    for name in location[:-1]:
        inner = model.model_fields[str(name)].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            break
        model = inner
    return list(model.model_fields)
