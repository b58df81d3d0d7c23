"""Formats of what the archive holds: a module each, which the package of their kind finds.

A format's module has ``FORMAT``, which is all that is said of it anywhere: how its files are told,
what reads them, and its row in the tables of ``config/README.md``. To add a format of annotations
is to add a module to :mod:`murid.archive.annotated`, one of detections to
:mod:`murid.archive.detected`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from murid import files
from murid.errors import InputError


@dataclass(frozen=True)
class Source:
    """A file of the archive that is to be read, and what of it.

    Attributes
    ----------
    path
        The file.
    cage, segment
        Which segment's to take of a file of several segments; None: it is of one.
    images
        COCO file that tells the images of COCO results.
    fps
        Frames a second of the segment's video, for what is timed in seconds, or by another rate;
        None: they are not known.
    size
        Width and height of the raw frames in pixels, for what is told in shares of the picture;
        None: it is not known.
    expected
        What the file should hold, for messages.
    """

    path: Path
    cage: str | None = None
    segment: str | None = None
    images: Path | None = None
    fps: float | None = None
    size: tuple[int, int] | None = None
    expected: str = ""

    @cached_property
    def json(self) -> Any:
        """What a JSON file holds; raises InputError, as :func:`murid.files.read_json`."""
        return files.read_json(self.path, self.expected)


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    name
        What it is, for messages: ``COCO JSON``.
    words
        What a file of it holds, in Markdown, for documentation.
    suffixes
        Of its files, in small letters.
    read
        Reads a file, or raises InputError.
    holds
        Whether a file is of this format rather than of another with the same suffix; None: if it
        is of no other.
    images
        Whether it takes :attr:`Source.images`.
    """

    name: str
    words: str
    suffixes: tuple[str, ...]
    read: Callable[[Source], Any]
    holds: Callable[[Source], bool] | None = None
    images: bool = False


def in_order(formats: Iterable[tuple[str, Format]]) -> dict[str, Format]:
    """Return formats by the names of their modules, those that fit any file of a suffix last."""
    return dict(sorted(formats, key=lambda item: (item[1].holds is None, item[0])))


def read(formats: Mapping[str, Format], source: Source) -> Any:
    """Read a file in its format.

    Raises
    ------
    InputError
        If its suffix is of no format, or it does not go with images; or as the format's ``read``.
    """
    suffix = source.path.suffix.lower()
    fitting = [each for each in formats.values() if suffix in each.suffixes]
    if not fitting:
        suffixes = dict.fromkeys(name for each in formats.values() for name in each.suffixes)
        raise InputError(
            source.path, f"the suffix {suffix!r}", f"a file {', '.join(suffixes)}",
            remedy="The format is told by the suffix: rename the file.",
        )  # fmt: skip
    source = replace(source, expected=", or ".join(each.name for each in fitting))
    chosen = next((each for each in fitting if each.holds is None or each.holds(source)), None)
    if chosen is None and len(fitting) > 1:
        raise InputError(source.path, "a file of none of these forms", source.expected)
    chosen = chosen or fitting[0]
    if source.images is not None and not chosen.images:
        taking = ", ".join(each.name for each in formats.values() if each.images)
        raise InputError(source.path, "images for a file of another kind", taking)
    return chosen.read(source)
