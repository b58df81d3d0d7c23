"""What options are made of: the fields of a stage, and settings written as in YAML."""

import json
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import yaml
from pydantic.fields import FieldInfo

from murid import configuration
from murid.errors import InputError
from murid.settings import Block
from murid.stage import about, option_of, row_of

# Whether a file can be read is for the stage to find out, which tells what to do about it; and
# whether a value is right, for its declaration.
PATH = click.Path(path_type=Path, readable=False)


def of_field(name: str, field: FieldInfo) -> click.Parameter:
    """Return the option, or argument, of a field of a stage that is no block of settings."""
    how, required = about(field), field.is_required()
    row = row_of(field)
    if how.get("argument"):
        return click.Argument([name], type=_type(field.annotation), required=required)
    value = row or field.annotation
    # An option of several values, whether it may be repeated or not.
    kinds = typing.get_type_hints(value) if hasattr(value, "_fields") else {}
    # A switch, unless the declaration says that a value is told.
    flag = field.annotation is bool and "metavar" not in how
    shown = field.default not in (None, "", False, ()) and not required
    return click.Option(
        [option_of(name, field), name],
        type=tuple(map(_type, kinds.values())) if kinds else _type(value),
        multiple=row is not None,
        required=required or how.get("required", False),
        is_flag=flag,
        metavar=how.get("metavar") or " ".join(kinds).upper() or None,
        help=f"{field.description}  [default: {field.default}]" if shown else field.description,
        # What is not given is left to the declaration.
        default=None,
    )  # fmt: skip


def of_block(model: type[Block]) -> Iterator[click.Option]:
    """Yield an option for each setting of a block."""
    for name, field in model.model_fields.items():
        yield click.Option(
            ["--" + name.replace("_", "-"), name],
            metavar="VALUE",
            help=f"{field.description}  [default: {json.dumps(field.default)}]",
        )


class _Number(click.ParamType):
    """A number, which is for its declaration to read."""

    name = "number"


def _type(annotation: Any) -> click.ParamType:
    kinds = {annotation, *typing.get_args(annotation)}
    if Path in kinds:
        return PATH
    return _Number() if kinds & {float, int} else click.STRING


def value_of(name: str, text: str) -> Any:
    """Read the value of a setting, written as in YAML.

    Raises
    ------
    InputError
        If it is no YAML, or as :func:`murid.configuration.read`.
    """
    try:
        return configuration.parse(text)
    except yaml.YAMLError as error:
        option = "--" + name.replace("_", "-")
        found = repr(text)
        if isinstance(error, yaml.constructor.ConstructorError):
            found += f" ({error.problem})"
        raise InputError("options", found, "a value as in YAML", where=option) from error
