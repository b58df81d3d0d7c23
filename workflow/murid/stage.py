"""How a stage is declared, once: what it reads, what it makes, and which settings it takes.

A stage is a class of :class:`Stage`; its fields are all that reaches it. From them come its command
and the help of that (:mod:`murid.cli`), the check of what it is given, the tables that are left
where it fails (:mod:`murid.guard`), and the command line of its rule (:mod:`murid.command_line`).

The modules that declare stages are imported to plan a run, so that they import nothing that is
slow: what a stage works with is imported when it works.
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from murid import guard, settings
from murid.errors import InputError, SeveralErrors

NO_SPLIT = "none"
"""How a command is told of no split: Snakemake leaves out an argument that is empty."""
MODEL = guard.MODEL
"""What makes a fitted model is said to make, in place of the name of a table."""


class Stage(BaseModel):
    """A stage of the pipeline, with all that one run of it is given.

    Fields are declared by :func:`reads`, :func:`makes` and :func:`takes`, by the types of what the
    sheet says (:data:`Cage` and so on), or are blocks of settings. The docstring is the help.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    of: ClassVar[Literal["segment", "cage", "all", ""]] = ""
    """What it is a stage of, whose failure is a verdict; empty: a failure ends the run."""
    leave_out: ClassVar[tuple[str, ...]] = ()
    """Settings of its blocks that it does without."""

    @classmethod
    def of_options(cls, values: dict[str, Any]) -> Self:
        """Return the stage with what its options say.

        Raises
        ------
        SeveralErrors
            Naming every option at fault, its value, and what is allowed.
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise SeveralErrors([cls._fault(fault) for fault in error.errors()]) from error

    @classmethod
    def _fault(cls, fault: Any) -> InputError:
        """Tell a fault that pydantic found, by the option."""
        told = settings.fault_of(cls, fault, "options")
        name = str(fault["loc"][0])
        option = option_of(name, cls.model_fields[name])
        return InputError("options", told.found, told.expected, where=option)

    def run(self) -> None:
        """Do the work."""
        raise NotImplementedError


def reads(help: str, **how: Any) -> Any:
    """Declare a table or another file that a stage reads."""
    return _field(help, "reads", **how)


def makes(table: str, help: str = "", **how: Any) -> Any:
    """Declare what a stage makes: a table of the contracts, by its name, or :data:`MODEL`."""
    return _field(help or f"table of {table} to write", "makes", table=table, **how)


def source(help: str, **how: Any) -> Any:
    """Declare a file of the archive, which the sheet names; that it is missing is a verdict."""
    return _field(help, "source", **how)


def takes(help: str, **how: Any) -> Any:
    """Declare a plain value that its rule tells a stage.

    Parameters
    ----------
    help
        What it is.
    how
        ``default``; ``metavar``; ``option``, if the option has another name than the field;
        ``argument``, if it is no option.
    """
    return _field(help, "takes", **how)


def _field(help: str, kind: str, default: Any = ..., **about: Any) -> Any:
    return Field(default, description=help, json_schema_extra={"kind": kind, **about})


def _of_sheet(help: str, **limits: Any) -> Any:
    return Field(description=help, json_schema_extra={"kind": "sheet"}, **limits)


def _split(text: str) -> str:
    return "" if text == NO_SPLIT else text


Positive = Annotated[float, Field(gt=0)]
Cage = Annotated[str, _of_sheet("name of the cage")]
Segment = Annotated[str, _of_sheet("name of the segment")]
Split = Annotated[
    Literal["Train", "Validate", "Test", ""],
    BeforeValidator(_split),
    _of_sheet("Train, Validate, Test or nothing"),
]
Rate = Annotated[float, _of_sheet("frames per second", gt=0)]
Rig = Annotated[str, _of_sheet("rig set-up of the segment")]
Animals = Annotated[str, _of_sheet("names of the cage's animals, with commas")]


class MethodTable(NamedTuple):
    """A method, and the table of identities that it made or is to make."""

    method: str
    path: Path


def about(field: FieldInfo) -> dict[str, Any]:
    """Return what a field of a stage was declared with; ``kind`` is ``settings`` for a block."""
    if block_of(field) is not None:
        return {"kind": "settings"}
    extra = field.json_schema_extra
    return dict(extra) if isinstance(extra, dict) else {"kind": "takes"}


def block_of(field: FieldInfo) -> type[settings.Block] | None:
    """Return the model of a field that is a block of settings."""
    for kind in (field.annotation, *get_args(field.annotation)):
        if isinstance(kind, type) and issubclass(kind, settings.Block):
            return kind
    return None


def row_of(field: FieldInfo) -> type | None:
    """Return what a field holds any number of: paths, texts, or rows of several values."""
    kind = field.annotation
    if get_origin(kind) is not tuple:
        return None
    return get_args(kind)[0]


def option_of(name: str, field: FieldInfo) -> str:
    """Return the name of the option of a field."""
    return str(about(field).get("option", "--" + name.replace("_", "-")))
