"""What options are made of: the fields of a stage, and settings written as in YAML."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click
import yaml
from pydantic.fields import FieldInfo

from murid.errors import InputError
from murid.run import configuration
from murid.settings import Block
from murid.stage import about, columns_of, option_of, row_of


def of_field(name: str, field: FieldInfo) -> click.Parameter:
    """Return the option, or argument, of a field of a stage that is no block of settings."""
    how, required = about(field), field.is_required()
    row = row_of(field)
    if how.get("argument"):
        return click.Argument([name], type=_type(field.annotation), required=required)
    value = row or field.annotation
    # An option of several values, whether it may be repeated or not.
    kinds = columns_of(value)
    # A setting is written with its value, as those of whole blocks are.
    set_somewhere = how["kind"] == "same"
    flag = field.annotation is bool and not set_somewhere
    shown = not required and not flag and field.default not in (None, "", ())
    note = "  [required]" if required else f"  [default: {field.default}]" * shown
    return click.Option(
        [option_of(name, field), name],
        type=tuple(map(_type, kinds.values())) if kinds else _type(value),
        multiple=row is not None,
        is_flag=flag,
        metavar=how.get("metavar") or " ".join(kinds).upper() or "VALUE" * set_somewhere or None,
        help=f"{field.description}{note}",
        # What is not given is left to the declaration.
        default=None,
    )


def of_block(model: type[Block]) -> Iterator[click.Option]:
    """Yield an option for each setting of a block."""
    for name, field in model.model_fields.items():
        yield click.Option(
            ["--" + name.replace("_", "-"), name],
            metavar="VALUE",
            help=f"{field.description}  [default: {json.dumps(field.default)}]",
        )


class _Text(click.ParamType):
    """What an option takes, by its name in the help; to read it is for the declaration."""

    def __init__(self, name: str) -> None:
        self.name = name


def _type(annotation: Any) -> click.ParamType:
    kinds = {annotation, *get_args(annotation)}
    if Path in kinds:
        return _Text("path")
    return _Text("number" if kinds & {float, int} else "text")


def value_of(name: str, text: str) -> Any:
    """Read the value of a setting, written as in YAML.

    Raises
    ------
    InputError
        If it is no YAML, or as :func:`murid.run.configuration.read`.
    """
    try:
        return configuration.parse(text)
    except yaml.YAMLError as error:
        if text.startswith("%"):
            return text  # how times are written; YAML has other uses for the sign
        option = "--" + name.replace("_", "-")
        found = repr(text)
        if isinstance(error, yaml.constructor.ConstructorError):
            found += f" ({error.problem})"
        raise InputError("options", found, "a value as in YAML", where=option) from error
