"""Telling a person how far a long job is."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _Speed(ProgressColumn):
    """Items a second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f} {self.unit}/s" if task.speed else "", "progress.data.speed")


@contextmanager
def progress(what: str, unit: str, total: int, done: int = 0) -> Iterator[Callable[[int], None]]:
    """Show a bar with speed and time left on a terminal's stderr; elsewhere, nothing.

    Parameters
    ----------
    what
        What is being done.
    unit
        What is counted, in the plural.
    total, done
        How many there are, and how many are done at the start.

    Yields
    ------
    A function to be called with the number done.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Speed(unit),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=total, completed=done)
        yield lambda count: bar.update(task, completed=count)
