"""Zip archives of unknown origin: what is damaged, or unfolds too far, is told."""

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from murid import files
from murid.errors import InputError, brief, is_of_machine

_LOCKED = 0x1
"""Flag of a file in an archive that has a password."""
_ANEW = "Pack it anew, in a plain zip archive: it may be cut short, or packed in another way."


@contextmanager
def opened(path: Path, expected: str, limit: int | None = None) -> Iterator[zipfile.ZipFile]:
    """Open an archive, of which :func:`text` reads.

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
        If it is missing, too large or no zip archive.
    """
    files.regular(path, expected, limit)
    try:
        # Names in its list may be no text, and places in it before its start.
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        if is_of_machine(error):
            raise
        found = f"no readable zip archive ({brief(str(error), 200)})"
        raise InputError(path, found, expected, remedy=_ANEW) from error
    with archive:
        yield archive


def text(
    path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int, expected: str
) -> str:
    """Return what a file of an archive holds; at most ``most`` bytes of UTF-8.

    Raises
    ------
    InputError
        If it holds more, whatever the archive says of its size, is damaged, has a password, is
        packed in an unknown way, or is no UTF-8.
    """
    where = brief(member.filename)
    if member.flag_bits & _LOCKED:
        raise InputError(
            path, "content that is locked by a password", expected, where=where,
            remedy="Unpack it with its password, and pack it again without one.",
        )  # fmt: skip
    try:
        with archive.open(member) as file:
            data = file.read(most + 1)
    except (
        zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, OSError,
        EOFError, ValueError,
    ) as error:  # fmt: skip
        if is_of_machine(error):
            raise
        found = f"damaged content ({brief(str(error), 200)})"
        raise InputError(path, found, expected, where=where, remedy=_ANEW) from error
    if len(data) > most:
        found = f"files of more than {most:,} bytes"
        raise InputError(path, found, expected, where=where)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise files.not_utf8(path, error, expected, where) from error
