"""The command lines of rules, made from what stages declare.

A rule says what goes into its stage and what comes out, by the names that the stage gives them; the
rest of its command line is made here.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from pydantic.fields import FieldInfo

from murid import settings
from murid.run.plan import Key, Plan
from murid.settings import Block, Settings
from murid.stage import NO_SPLIT, about, columns_of, option_of, row_of
from murid.stages import blocks_of, fields_of, lists_of, settings_of, stage_of


def shell(command: str, *optional: str, written: Collection[str] = ()) -> str:
    """Return the shell line of a rule, as Snakemake takes it.

    Parameters
    ----------
    command
        Of the stage.
    optional
        Names of fields that the rule gives although they have a default.
    written
        Names of fields of which the rule writes the whole option itself, as a parameter of that
        name: those that are there for some jobs only.
    """
    stage = stage_of(command)
    words = ["python -m murid"]
    if stage.of:
        words.append("guard --record {params.record:q} --attempt {resources.attempt}")
    words.append(command)
    for name, field in stage.model_fields.items():
        if name in written or name in lists_of(stage):
            words.append(f"{{params.{name}:q}}")
        elif field.is_required() or name in optional:
            words += _words(name, field)
    if fields_of(stage, "sheet", "source"):
        words.append("{params.about:q}")
    if blocks_of(stage) or settings_of(stage):
        words.append("{params.options:q}")
    return " ".join(words) + " > {log:q} 2>&1"


def _words(name: str, field: FieldInfo) -> list[str]:
    """Return the part of a shell line that gives a field its value."""
    kind, argument = about(field)["kind"], about(field).get("argument")
    if kind in ("sheet", "source", "settings", "same"):
        return []
    if row_of(field):
        # Options that are repeated are written out by the rule.
        return [f"{{params.{name}:q}}"]
    place = {
        "reads": f"{{input.{name}:q}}",
        # What is called output alone is all that a stage makes.
        "makes": f"{{output.{name.removeprefix('output_')}:q}}".replace(".output", ""),
    }.get(kind, f"{{params.{name}:q}}")
    return [place] if argument else [f"{option_of(name, field)} {place}"]


def options(command: str, given: Settings, leave_out: Collection[str] = ()) -> tuple[str, ...]:
    """Write the settings of a stage as options of its command.

    Returns
    -------
    A tuple, since in texts and lists Snakemake takes braces for wildcards.
    """
    stage = stage_of(command)
    without = {*stage.leave_out, *leave_out}
    written = [
        settings.options(_block(given, model), model.model_fields.keys() - without)
        for model in blocks_of(stage).values()
    ]
    written += [
        settings.options(_block(given, model), [name]) for name, model in settings_of(stage).items()
    ]
    return tuple(option for options in written for option in options)


def rows(
    command: str, field: str, keys: Sequence[Key], plan: Plan, tables: Mapping[str, Sequence[str]]
) -> list[str]:
    """Write an option of a stage that is repeated for segments, as words of a command line.

    Parameters
    ----------
    command, field
        The stage's command, and its field.
    keys
        Cage and name of each segment.
    plan
        What the sheet says of them.
    tables
        Paths of tables, one a segment, by the names of the field's columns.
    """
    declared = stage_of(command).model_fields[field]
    columns = columns_of(row_of(declared))
    words = []
    for place, key in enumerate(keys):
        words.append(option_of(field, declared))
        for column in columns:
            of_sheet = SHEET.get(column)
            words.append(of_sheet(plan, key) if of_sheet else str(tables[column][place]))
    return words


SHEET: Mapping[str, Callable[[Plan, Key], str]] = {
    "cage": lambda plan, key: key[0],
    "segment": lambda plan, key: key[1],
    "split": lambda plan, key: plan.segments[key].split or NO_SPLIT,
    "start": lambda plan, key: plan.segments[key].start or NO_SPLIT,
    "fps": lambda plan, key: str(plan.segments[key].fps),
    "rig": lambda plan, key: plan.segments[key].rig,
    "video": lambda plan, key: plan.source(key, "video"),
}
"""What the sheet says of a segment, as a word of a command line."""


def _block(given: Block, model: type[Block]) -> Any:
    """Return the block of the settings that holds the values of a model, or of one based on it."""
    return next(block for _, block in given.blocks() if isinstance(block, model))
