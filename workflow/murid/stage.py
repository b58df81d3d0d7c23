"""How a stage is declared, once: what it reads, what it makes, and which settings it takes.

A stage is a class of :class:`Stage`; its fields are all that reaches it. From them come its command
and the help of that (:mod:`murid.cli`), the check of what it is given, the tables that are left
where it fails (:mod:`murid.run.guard`), and the command line of its rule
(:mod:`murid.run.command_line`).

The modules that declare stages are imported to plan a run, so that they import nothing that is
slow: what a stage works with is imported when it works.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic.fields import FieldInfo

from murid import settings
from murid.errors import InputError, SeveralErrors
from murid.run import guard
from murid.settings import Positive as Positive
from murid.video_part import END, Part

NO_SPLIT = "none"
"""How a command is told of no split or start: Snakemake leaves out an argument that is empty."""
MODEL = guard.MODEL
"""What makes a fitted model is said to make, in place of the name of a table."""
EXPORT = guard.EXPORT
"""The same of what writes files of other tools, as rows of format and path."""
PAGE = guard.PAGE
"""The same of what writes a page."""


class Stage(BaseModel):
    """A stage of the pipeline, with all that one run of it is given.

    Fields are declared by :func:`reads`, :func:`makes` and :func:`takes`, by the types of what the
    sheet says (:data:`Cage` and so on), or are blocks of settings. The docstring is the help.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    of: ClassVar[Literal["segment", "cage", "log", "clock", "video", "all", ""]] = ""
    """What it is a stage of, whose failure is a verdict; empty: a failure ends the run."""
    leave_out: ClassVar[tuple[str, ...]] = ()
    """Settings of its blocks that it does without."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a table called ``output`` beside others, of which a rule has one without a name.

        Raises
        ------
        TypeError
            If there is one.
        """
        made = [name for name, field in cls.model_fields.items() if about(field)["kind"] == "makes"]
        if "output" in made and len(made) > 1:
            raise TypeError(f"{cls.__name__} makes {', '.join(made)}: call output by what it holds")

    @field_validator("*", mode="before")
    @classmethod
    def _no_empty_path(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse an empty path, which would be that of the working directory."""
        field = cls.model_fields[str(info.field_name)]
        row = row_of(field)
        kind = row or field.annotation
        columns = columns_of(kind) or {"": kind}
        for number, given in enumerate(value if row else [value], start=1):
            cells = given if isinstance(given, tuple) else [given]
            for (name, kind), cell in zip(columns.items(), cells, strict=False):
                if cell == "" and Path in (kind, *get_args(kind)):
                    place = " ".join(filter(None, ["as", name, f"of number {number}" * bool(row)]))
                    raise ValueError("a path that is not empty" + f" {place}" * bool(row))
        return value

    @classmethod
    def of_options(cls, values: dict[str, Any]) -> Self:
        """Return the stage with what its options say.

        Raises
        ------
        SeveralErrors
            Naming every option at fault, its value, and what is allowed.
        """
        try:
            stage = cls.model_validate(values)
        except ValidationError as error:
            raise SeveralErrors([cls._fault(fault) for fault in error.errors()]) from error
        stage._refuse_to_overwrite()
        return stage

    def _refuse_to_overwrite(self) -> None:
        """Refuse to write to a folder, twice to one file, or to one that is read, too.

        Raises
        ------
        InputError
            Naming the option and the file.
        """
        fields = type(self).model_fields
        kinds = {name: about(field)["kind"] for name, field in fields.items()}
        given = {name: [*_paths_in(getattr(self, name))] for name in fields}
        taken = {
            os.path.realpath(path)
            for name, kind in kinds.items()
            for path in given[name]
            if kind in ("reads", "source")
        }
        made: set[str] = set()
        for name, kind in kinds.items():
            written = given[name] if kind == "makes" or name == "output" else []
            for path in written:
                real, fault = os.path.realpath(path), ""
                if real in taken:
                    fault = "which is read, too" if real not in made else "given twice"
                elif kind == "makes" and os.path.isdir(real):
                    fault = "a folder"
                if fault:
                    raise InputError(
                        "options", f"{path}, {fault}", "another file to write to",
                        where=option_of(name, fields[name]),
                    )  # fmt: skip
                made.add(real)
                taken.add(real)

    @classmethod
    def _fault(cls, fault: Any) -> InputError:
        """Tell a fault that pydantic found, by the option, and which one where it is repeated."""
        name, *within = fault["loc"]
        field = cls.model_fields[name]
        source, where = "options", option_of(name, field)
        if block_of(field) is not None:
            source = f"options of {name}"
            where = "--" + str(within[0]).replace("_", "-") if within else ""
        else:
            row = row_of(field)
            if row and within:
                where += f" number {within.pop(0) + 1}"
            columns = [*columns_of(row or field.annotation)]
            where += "".join(f", {columns[place]}" for place in within[:1])
        error = settings.fault_of(cls, fault, source)
        return InputError(source, error.found, error.expected, where=where or None)

    def run(self) -> None:
        """Do the work."""
        raise NotImplementedError


def _paths_in(value: Any) -> Iterator[Path]:
    """Yield the paths of a value, and of rows of values."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _paths_in(item)


def reads(help: str, **how: Any) -> Any:
    """Declare a table or another file that a stage reads."""
    return _field(help, "reads", **how)


def makes(table: str, help: str = "", **how: Any) -> Any:
    """Declare what a stage makes: a table by its name, or what one of the constants here names."""
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


def same_as(model: type[settings.Block], name: str, help: str = "", **how: Any) -> Any:
    """Declare a value that is a setting of a block which the stage does not take as a whole.

    Parameters
    ----------
    model, name
        The block, and the setting in it, of which the field has the name.
    help
        What it is, where its own words do not tell.
    how
        As :func:`takes` has it.
    """
    setting = model.model_fields[name]
    return _field(help or str(setting.description), "same", setting.default, block=model, **how)


def _field(help: str, kind: str, default: Any = ..., **about: Any) -> Any:
    return Field(default, description=help, json_schema_extra={"kind": kind, **about})


def _of_sheet(help: str, **limits: Any) -> Any:
    return Field(description=help, json_schema_extra={"kind": "sheet"}, **limits)


def _or_nothing(text: str) -> str:
    return "" if text == NO_SPLIT else text


Cage = Annotated[str, _of_sheet("name of the cage")]
Segment = Annotated[str, _of_sheet("name of the segment")]
Split = Annotated[
    Literal["Train", "Validate", "Test", ""],
    BeforeValidator(_or_nothing),
    _of_sheet("Train, Validate, Test or nothing"),
]
Rate = Annotated[float, _of_sheet("frames per second", gt=0)]
Rig = Annotated[str, _of_sheet("rig set-up of the segment")]
Animals = Annotated[str, _of_sheet("names of the cage's animals, with commas")]
FirstFrame = Annotated[
    int | None, _of_sheet("first frame of the video that is the segment's, from 0", ge=0)
]
LastFrame = Annotated[
    int | None, _of_sheet("last frame of the video that is the segment's, included", ge=0)
]
Last = Annotated[settings.Whole | None, BeforeValidator(lambda last: None if last == END else last)]
"""Last frame of a part of a video, as a command is told."""
Start = Annotated[str, BeforeValidator(_or_nothing), _of_sheet("when frame 0 was taken")]


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


def columns_of(kind: Any) -> dict[str, Any]:
    """Return names and types of the values of a row; of what is a single value, none."""
    return get_type_hints(kind) if hasattr(kind, "_fields") else {}


def option_of(name: str, field: FieldInfo) -> str:
    """Return the name of the option of a field, or of the argument that it is."""
    if about(field).get("argument"):
        return name.upper()
    return str(about(field).get("option", "--" + name.replace("_", "-")))


class Filming(Stage):
    """What is given a segment's video, or the one that the segment is a part of."""

    first_frame: FirstFrame = None
    last_frame: LastFrame = None
    survey: Annotated[tuple[Path, ...], Field(max_length=1)] = reads(
        "table of the key frames of a video, of which the segment is a part", default=()
    )

    @property
    def part(self) -> Part:
        """Which part of the video is the segment's."""
        return Part(self.first_frame or 0, self.last_frame, *self.survey)
