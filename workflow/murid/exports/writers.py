"""What writes each file of an export, and what is there where nothing can be exported."""

from collections.abc import Callable, Mapping
from pathlib import Path

from murid.errors import InputError
from murid.exports import coco, mot, movement, per_second, slp, via_tracks
from murid.exports.content import Content
from murid.exports.files import SUFFIXES, Format
from murid.tables import Verdict

WRITERS: Mapping[Format, tuple[Callable[[Content, Path], None], ...]] = {
    "movement": (movement.write,),
    "via_tracks": (via_tracks.write,),
    "mot": (mot.write, mot.write_names),
    "coco": (coco.write,),
    "slp": (slp.write,),
    "csv": (per_second.write,),
}
"""By format, in the order of :data:`murid.exports.files.SUFFIXES`."""


def write(name: Format, content: Content, path: Path) -> None:
    """Write a file of a format, which its ending tells apart from others of that format.

    Raises
    ------
    InputError
        If there is no such format, it has no file with that ending, or it cannot be written.
    """
    if name not in WRITERS:
        raise InputError("options", f"the format {name!r}", f"one of {', '.join(WRITERS)}")
    if path.suffix not in SUFFIXES[name]:
        raise InputError(
            "options", str(path), f"a file {' or '.join(SUFFIXES[name])}", where=f"format {name}"
        )
    WRITERS[name][SUFFIXES[name].index(path.suffix)](content, path)


def write_empty(name: Format, path: Path, cage: str, segment: str, reason: str) -> None:
    """Write the file of a segment that failed; raises as :func:`write`."""
    write(name, Content(cage, segment, 1.0, Verdict("failed", reason)), path)
