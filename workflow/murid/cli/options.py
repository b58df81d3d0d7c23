"""Options that several commands share."""

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import yaml
from pydantic import BaseModel

from murid import configuration, guard, settings
from murid.errors import InputError

Command = Callable[..., Any]

# Whether a file can be read is for the stage to find out, which tells what to do about it.
PATH = click.Path(path_type=Path, readable=False)
POSITIVE = click.FloatRange(min=0, min_open=True)
NO_SPLIT = "none"
"""How a command is told of no split: Snakemake leaves out an argument that is empty."""


class _Split(click.Choice):
    """A split, or none, which a command receives as an empty text."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(super().convert(value, param, ctx)).replace(NO_SPLIT, "")


SPLIT = _Split([*settings.SPLITS, NO_SPLIT, ""])


class Table(click.Path):
    """Type of an option that names a table to write, by which it is known what a command writes.

    Parameters
    ----------
    table
        The table's name among the contracts.
    """

    def __init__(self, table: str) -> None:
        super().__init__(path_type=Path, readable=False)
        self.table = table


MODEL = Table(guard.MODEL)
"""Type of an option that names a fitted model to write."""


def with_settings(*models: type[BaseModel]) -> Callable[[Command], Command]:
    """Give a command one option a setting; it receives each model by its name in snake case."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def call(**options: Any) -> Any:
            for model in models:
                given = {name: options.pop(name) for name in model.model_fields}
                values = {
                    name: value_of(name, text) for name, text in given.items() if text is not None
                }
                name = re.sub(r"(?<!^)(?=[A-Z])", "_", model.__name__).lower()
                options[name] = settings.parse(model, values, f"options of {name}")
            return command(**options)

        for model in reversed(models):
            for name, field in reversed(model.model_fields.items()):
                default = json.dumps(field.default)
                call = click.option(
                    "--" + name.replace("_", "-"),
                    name,
                    metavar="VALUE",
                    help=f"{field.description}  [default: {default}]",
                )(call)
        return call

    return decorate


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
        meant = isinstance(error, yaml.constructor.ConstructorError)
        found = f"{text!r} ({error.problem})" if meant else repr(text)
        raise InputError("options", found, "a value as in YAML", where=option) from error


def of_segment(command: Command) -> Command:
    """Give a command the names of a segment and of its cage."""
    command = click.option("--segment", required=True, help="name of the segment")(command)
    return click.option("--cage", required=True, help="name of the cage")(command)


def identities(help: str) -> Callable[[Command], Command]:
    """Give a command the tables of several methods."""
    return click.option(
        "--identities",
        type=(str, PATH),
        multiple=True,
        required=True,
        metavar="METHOD PATH",
        help=help,
    )
