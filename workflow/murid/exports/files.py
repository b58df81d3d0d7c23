"""Which formats there are, and what their files end with. Standard library only: planning asks."""

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

Format = Literal["movement", "via_tracks", "mot", "coco", "slp", "csv"]
"""The formats that names can be written in."""
SUFFIXES: Mapping[Format, tuple[str, ...]] = {
    "movement": (".nc",),
    "via_tracks": (".csv",),
    "mot": (".txt", ".csv"),
    "coco": (".json",),
    "slp": (".slp",),
    "csv": (".csv",),
}
"""What the files of a segment end with, by format: MOT text has its names beside it."""
FORMATS: tuple[Format, ...] = get_args(Format)


def files(formats: Iterable[Format]) -> list[tuple[Format, str]]:
    """Return format and ending of each file that a segment has in some formats.

    Examples
    --------
    >>> files(["mot", "slp"])
    [('mot', '.txt'), ('mot', '.csv'), ('slp', '.slp')]
    """
    return [(name, suffix) for name in formats for suffix in SUFFIXES[name]]
