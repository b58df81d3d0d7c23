"""A command of one segment, run so that whatever goes wrong ends as a verdict of that segment."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from murid.cli.commands import StageCommand
from murid.cli.root import cli
from murid.errors import InputError
from murid.run import guard
from murid.stage import NO_SPLIT, Stage, about, row_of

RECORD = "RESULTS/failed/RULE/NAME/NAME"


@cli.command(
    "guard", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option(
    "--record",
    type=click.Path(path_type=Path, readable=False),
    required=True,
    help=f"record of a failure, without suffix: {RECORD}",
)
@click.option("--attempt", type=click.IntRange(1), default=1, help="which try it is, from 1")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND ...")
def guard_(record: Path, attempt: int, words: tuple[str, ...]) -> None:
    """Run a COMMAND of one segment; if it fails, write its tables with the verdict "failed"."""
    if len(record.parents) < 4:  # RESULTS, and what is below it
        raise InputError("options", repr(str(record)), RECORD, where="--record")
    name, *arguments = words
    command = cli.get_command(click.get_current_context(), name)
    if not isinstance(command, StageCommand):
        raise click.UsageError(f"There is no stage {name!r}.")
    # What it writes must be known also where its options are refused.
    values = command.make_context(name, list(arguments), resilient_parsing=True).params
    outputs = list(outputs_of(command.stage, values))
    job = guard.Job(record, attempt, outputs, list(segments_of(values)))
    refused: Exception | None = None
    try:
        context = command.make_context(name, list(arguments))
    except (InputError, click.ClickException) as error:
        refused = error

    def work() -> None:
        if isinstance(refused, click.ClickException):
            found = refused.format_message().rstrip(".")
            raise InputError("options", found, f"what murid {name} --help tells") from refused
        if refused:
            raise refused
        command.invoke(context)

    guard.run(job, work)


def outputs_of(stage: type[Stage], values: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """Yield name and path of the tables that a stage makes, of options as they were given."""
    for name, field in stage.model_fields.items():
        how = about(field)
        if how["kind"] != "makes":
            continue
        given = values.get(name)
        rows = given or () if row_of(field) else [given]
        for row in rows:
            # Of a row with other values, the path is the last.
            path = row[-1] if isinstance(row, tuple) else row
            if path:
                yield str(how["table"]).format(*row if isinstance(row, tuple) else ()), Path(path)


def segments_of(values: dict[str, Any]) -> Iterator[guard.Named]:
    """Yield the segments that options name, by options of their own or as rows of several."""
    several = values.get("members") or ()
    if values.get("cage"):
        several = [[values.get(name) for name in ("cage", "segment", "split", "fps")]]
    for cage, segment, split, fps, *_ in several:
        yield guard.Named(cage, segment, "" if split in (None, NO_SPLIT) else split, _rate(fps))


def _rate(given: Any) -> float:
    """Return frames per second; what is none is any rate: a failed segment has no frames."""
    try:
        rate = float(given)
    except (TypeError, ValueError):
        return 1.0
    return rate if 0 < rate < math.inf else 1.0
