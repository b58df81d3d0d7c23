"""A command of one segment, run so that whatever goes wrong ends as a verdict of that segment."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from murid import guard
from murid.cli.options import PATH, Table
from murid.cli.root import cli


@cli.command(
    "guard", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option("--record", type=PATH, required=True, help="record of a failure, without suffix")
@click.option("--attempt", type=click.IntRange(1), default=1, help="which try it is, from 1")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND ...")
def guard_(record: Path, attempt: int, words: tuple[str, ...]) -> None:
    """Run a COMMAND of one segment; if it fails, write its tables with the verdict "failed"."""
    name, *arguments = words
    command = cli.get_command(click.get_current_context(), name)
    if command is None:
        raise click.UsageError(f"There is no command {name!r}.")
    # What it writes must be known also where its options are refused.
    understood = command.make_context(name, list(arguments), resilient_parsing=True)
    values = understood.params
    outputs, segments = list(outputs_of(command, values)), list(segments_of(values))
    job = guard.Job(record, attempt, outputs, segments)

    def work() -> None:
        with command.make_context(name, list(arguments)) as context:
            command.invoke(context)

    guard.run(job, work)


def outputs_of(command: click.Command, values: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """Yield name and path of the tables that a command writes, as its options declare them."""
    for parameter in command.params:
        value = values.get(parameter.name or "")
        if value is None:
            continue
        kinds = getattr(parameter.type, "types", [parameter.type])
        rows = value if parameter.multiple else [value]
        for row in rows:
            cells = row if isinstance(parameter.type, click.Tuple) else [row]
            for kind, cell in zip(kinds, cells, strict=True):
                if isinstance(kind, Table):
                    yield kind.table, cell


def segments_of(values: dict[str, Any]) -> Iterator[tuple[str, str, str, float]]:
    """Yield cage, segment, split and frames per second of the segments that options name.

    They are options of their own, or the first four of what tells of several segments.
    """
    several = values.get("members") or ()
    if values.get("cage"):
        several = [[values.get(name) for name in ("cage", "segment", "split", "fps")]]
    for cage, segment, split, fps, *_ in several:
        yield cage, segment, split or "", fps or 1.0
