"""Zip archives of unknown origin: what is damaged, or unfolds too far, is told."""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from murid import files
from murid.errors import InputError, brief


@contextmanager
def opened(path: Path, expected: str, limit: int | None = None) -> Iterator[zipfile.ZipFile]:
    """Open an archive to read from.

    Parameters
    ----------
    path
        The file.
    expected
        What it should hold, for messages.
    limit
        Its size at most, bytes; None: any.

    Raises
    ------
    InputError
        If it is missing, too large or no zip archive, or what is read of it meanwhile is damaged.
    """
    files.regular(path, expected, limit)
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise InputError(path, f"no readable zip archive ({error})", expected) from error
    except (ValueError, zlib.error) as error:
        raise InputError(path, f"damaged content ({error})", expected) from error


def content(
    path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int, expected: str
) -> bytes:
    """Return what a file of an archive holds; ``most`` bytes, or InputError.

    Raises
    ------
    InputError
        If it holds more, whatever the archive says of its size.
    """
    with archive.open(member) as file:
        data = file.read(most + 1)
    if len(data) > most:
        found = f"files of more than {most:,} bytes"
        raise InputError(path, found, expected, where=brief(member.filename))
    return data
