"""What settings are made of: how one is declared, blocks of them, and kinds of values."""

from collections.abc import Hashable, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from murid.identify import methods
from murid.sheet import Animal as Animal

Split = Literal["Train", "Validate", "Test"]
Fraction = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
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


def setting(default: Any, description: str, more: str = "", **limits: Any) -> Any:
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
    limits
        As :func:`pydantic.Field` has them.
    """
    return Field(default, description=description, json_schema_extra={"more": more}, **limits)


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


def _holds_truth(value: Any) -> bool:
    return isinstance(value, bool) or (
        isinstance(value, list | tuple) and any(map(_holds_truth, value))
    )


def _each_once(values: Values) -> Values:
    if len(set(values)) < len(values):
        raise ValueError("each value once")
    return values


EachOnce = Annotated[
    Values, AfterValidator(_each_once), Field(json_schema_extra={"uniqueItems": True})
]


def _method(name: str) -> str:
    if name not in methods.chosen():
        *others, last = map(repr, methods.chosen())
        raise ValueError(f"{', '.join(others)} or {last}")
    return name


Method = Annotated[
    str,
    AfterValidator(_method),
    WithJsonSchema({"enum": [*methods.chosen()], "type": "string"}),
]
