"""What is said of a format of antenna logs, in one place: to read it, and to document it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from murid.archive.columns import Judged
from murid.readings.how import How
from murid.readings.settings import Numbering

Kind = Literal["polled", "presence", "passing", "turn"]
"""What a read means. ``polled``: the grid scans all antennas again and again; ``presence``: a row
while the animal is there; ``passing``: a read when it passes; ``turn``: one antenna is polled at a
time, so that no read says nothing."""


@dataclass(frozen=True)
class LogFormat:
    """A format of antenna logs.

    Attributes
    ----------
    name
        What it is, for messages: ``a log of an Eco-HAB (.txt)``.
    words
        What a file of it holds, in Markdown, for documentation: columns and their units.
    suffixes
        Of its files, in small letters; "" for none.
    read
        Reads a file into columns ``time``, ``tag``, ``antenna``, ``duration``, ``line``
        (:class:`murid.readings.reads.Reads` makes them), or raises InputError.
    holds
        Whether a file is of this format rather than of another with the same suffix; None: if it
        is of no other.
    example
        The first lines of a file, or how it is laid out.
    clock
        What its times are by, for documentation.
    hold
        Seconds that a read holds, by default.
    kind
        What a read means.
    numbering
        How the antennas of its grid are numbered; None: they are no grid, or of the user's own.
    unit
        What a row of a file is called.
    """

    name: str
    words: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, How], Judged]
    holds: Callable[[Path], bool] | None
    example: str
    clock: str
    hold: float
    kind: Kind
    numbering: Numbering | None = None
    unit: str = "line"
