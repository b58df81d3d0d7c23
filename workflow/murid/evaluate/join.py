"""Many cages: their tables stacked, a few dozen cages at a time, so that no job opens thousands."""

from collections.abc import Sequence
from pathlib import Path

from murid import tables
from murid.errors import InputError

JOINED = ("counts", "reliability", "summaries", "stretches")
"""Tables of a cage that the report is made of."""


def run(parts: Sequence[tuple[str, Path]], outputs: Sequence[tuple[str, Path]]) -> None:
    """Stack tables of the same name, in the order given.

    Parameters
    ----------
    parts
        Name of the table, one of :data:`JOINED`, and path, of every cage.
    outputs
        Name and path of each joined table.

    Raises
    ------
    InputError
        If there is no such table, or one of them does not fulfil its contract.
    """
    for name in {name for name, _ in (*parts, *outputs)} - set(JOINED):
        raise InputError("options", f"the table {name!r}", f"one of {', '.join(JOINED)}")
    for name, output in outputs:
        paths = [path for given, path in parts if given == name]
        table = tables.concatenate((tables.read(path, name) for path in paths), name)
        tables.write(table, output, name, tables.read_verdict(*paths))
