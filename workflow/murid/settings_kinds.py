"""What settings are made of: how one is declared, blocks of them, and kinds of values."""

import os
from collections.abc import Hashable, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo

from murid.identify import registry
from murid.sheet import Animal as Animal
from murid.sheet import allowed

Split = Literal["Train", "Validate", "Test"]
Fraction = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Speed = Annotated[float, Field(ge=0.01, le=100)]
"""Of playing: outside, a clip is over before anything is seen, or as good as a still."""
NotNegative = Annotated[float, Field(ge=0)]
Factor = Annotated[float, Field(ge=0, le=1_000)]
PositiveFactor = Annotated[float, Field(gt=0, le=1_000)]
Whole = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Side = Annotated[int, Field(ge=1, le=32_768)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
LATEST = 10.0
"""Seconds by which readings may run late."""
Lag = Annotated[float, Field(ge=0, le=LATEST)]
BoardCorners = Annotated[int, Field(ge=3)]
Point = tuple[float, float]
Some = Annotated[str, Field(min_length=1)]
Values = TypeVar("Values", bound=tuple[Hashable, ...])


def setting(
    default: Any,
    description: str,
    more: str = "",
    path: Literal["file", "folder", "made", ""] = "",
    **limits: Any,
) -> Any:
    """Declare a setting: all that is said of it anywhere is said here.

    Parameters
    ----------
    default
        ``...``, if a value must be given.
    description
        What it is, for ``config.yaml``, the help of commands, editors and ``config/README.md``.
        Plain words; a number's unit; what a value means as ``null = estimate it``, and a semicolon
        before the next.
    more
        What ``config/README.md`` says besides: sentences in Markdown, without the last full stop.
    path
        What it must be the path of, if it is one: a file, a folder, or a folder that is made.
    limits
        As :func:`pydantic.Field` has them.
    """
    extra: Any = {"more": more, "path": path}
    return Field(default, description=description, json_schema_extra=extra, **limits)


def extra_of(field: FieldInfo, name: str) -> str:
    """Return ``more`` or ``path`` of a setting, as :func:`setting` was given it."""
    extra = field.json_schema_extra
    return str(extra.get(name, "")) if isinstance(extra, dict) else ""


class Block(BaseModel):
    """A block of settings: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _null(cls, values: Any) -> Any:
        """Take the word ``null`` for null: ``snakemake --config`` hands over nothing but words."""
        if not isinstance(values, Mapping):
            return values
        return {key: None if value == "null" else value for key, value in values.items()}

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth(cls, value: Any, info: ValidationInfo) -> Any:
        """Take no truth value for a number: true is no 1, nor is what YAML reads as true."""
        field = cls.model_fields[str(info.field_name)]
        block = isinstance(field.default, Block)
        if field.annotation is not bool and not block and _holds_truth(value):
            raise ValueError(
                "no truth value, as true, yes and on are in YAML, but what the key takes: "
                f"{field.description}"
            )
        return value

    @field_validator("*")
    @classmethod
    def _plain_path(cls, value: Any, info: ValidationInfo) -> Any:
        """Make paths plain, which may begin with ``~``."""
        if not value or not extra_of(cls.model_fields[str(info.field_name)], "path"):
            return value
        if isinstance(value, str):
            return os.path.normpath(os.path.expanduser(value))
        return tuple(os.path.normpath(os.path.expanduser(path)) for path in value)

    def blocks(self, key: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], "Block"]]:
        """Yield the block and all that are in it, at any depth, each with its key."""
        yield key, self
        for name, value in self:
            if isinstance(value, Block):
                yield from value.blocks((*key, name))

    def paths(self) -> Iterator[tuple[tuple[str, ...], str, str]]:
        """Yield the key, the kind as :func:`setting` has it, and the value of every path."""
        for key, block in self.blocks():
            for name, field in type(block).model_fields.items():
                value, kind = getattr(block, name), extra_of(field, "path")
                if kind and value:
                    for path in [value] if isinstance(value, str) else value:
                        yield (*key, name), kind, path


def _holds_truth(value: Any) -> bool:
    return isinstance(value, bool) or (
        isinstance(value, list | tuple) and any(map(_holds_truth, value))
    )


EachOnce = Annotated[
    Values,
    allowed(lambda values: len({*values}) == len(values), "each value once"),
    Field(json_schema_extra={"uniqueItems": True}),
]


_METHODS = [*registry.chosen()]
Method = Annotated[
    str,
    allowed(
        _METHODS.__contains__,
        " or ".join([", ".join(map(repr, _METHODS[:-1])), repr(_METHODS[-1])]),
    ),
    WithJsonSchema({"enum": _METHODS, "type": "string"}),
]
