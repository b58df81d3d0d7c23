"""Files: read only if they are plain and of a sensible size, and written whole or not at all.

Standard library only, since every cluster job reads the sample sheet through this module.
"""

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from murid.errors import InputError, UnwritableError, shown

LARGEST = 2**28
"""Bytes of a text, at most: more than ten hours of boxes, and what fits into memory as objects."""

MOST_COLUMNS = 1000
"""Columns of a table of the archive, at most: a cage has an animal in each."""

HEAD = 1000
"""Bytes at the beginning of a file that tell what it is."""

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_OTHER = {
    b"\x1f\x8b": ("content packed with gzip", "Unpack it: gunzip."),
    b"BZh": ("content packed with bzip2", "Unpack it: bunzip2."),
    b"\xfd7zXZ": ("content packed with xz", "Unpack it: unxz."),
    b"PK\x03\x04": ("a zip archive, as workbooks of Excel are", "Unpack it, or export it as text."),
    b"\xd0\xcf\x11\xe0": ("a workbook of Excel", "Export it as text."),
    b"PAR1": ("a Parquet file", "Name it .parquet."),
    b"\x89HDF": ("an HDF5 file", "Export it as text."),
    b"\xff\xfe": ("text in UTF-16", "Save it in UTF-8."),
    b"\xfe\xff": ("text in UTF-16", "Save it in UTF-8."),
}
"""What is no text in UTF-8, by its first bytes, and what to do about it."""
_AROUND = 15
"""Bytes that a message shows before and behind the first that is not UTF-8."""
_SAVED = (
    "It may be in Windows-1252 (Latin-1). Save it in UTF-8: in Excel as CSV UTF-8, in LibreOffice "
    "with the character set Unicode (UTF-8); or convert it: iconv -f WINDOWS-1252 -t UTF-8."
)
_ESCAPED = re.compile("[\udc80-\udcff]")
"""Bytes that are not UTF-8, in a text decoded with ``surrogateescape``."""
_CELLS = re.compile(rb"[\t,;|\"]")
_SURROGATE = re.compile(r"\\u[dD][89abAB]")


def regular(
    path: str | Path, expected: str, limit: int | None = None, *, empty: bool = False
) -> Path:
    """Return ``path`` if it is a plain file that can be read; to be asked before it is opened.

    To open a named pipe waits for ever; a device has no end, and to read one may have effects.

    Parameters
    ----------
    path
        The file.
    expected
        What it should hold, for messages: ``CSV in UTF-8 with a header``.
    limit
        Size at most, bytes; None: any.
    empty
        Whether it may be empty.

    Raises
    ------
    InputError
        If there is no such file, it may not be read, it is empty or larger than ``limit``, or it is
        a folder, a pipe, a device, a socket or an entry of the kernel's file systems.
    """
    path = Path(path)
    try:
        status = path.stat()
        allowed = os.access(path, os.R_OK)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(path, "no file", expected) from error
    except (OSError, ValueError) as error:
        raise _unreadable(path, error, expected) from error
    if found := not_plain(status):
        raise InputError(path, found, f"a plain file: {expected}")
    if not allowed:
        raise _unreadable(path, PermissionError("permission denied"), expected)
    if status.st_size == 0 and not empty:
        raise InputError(path, "an empty file (0 bytes)", expected)
    if limit is not None and status.st_size > limit:
        raise InputError(
            path, f"{status.st_size / 2**20:,.0f} MiB",
            f"{expected}, {limit / 2**20:,.0f} MiB at most",
        )  # fmt: skip
    return path


def not_plain(status: os.stat_result) -> str:
    """Tell what is there instead of a plain file, of what :func:`os.stat` says; "" if it is one."""
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), "")
    if kind or (stat.S_ISREG(status.st_mode) and status.st_dev not in _of_kernel()):
        return kind
    return "a file that the system makes up"


def read_bytes(
    path: str | Path, expected: str, limit: int = LARGEST, *, empty: bool = False
) -> bytes:
    """Return what a plain file holds.

    Raises
    ------
    InputError
        As :func:`regular`, or if reading it fails.
    """
    path = regular(path, expected, limit, empty=empty)
    try:
        with path.open("rb") as file:
            return file.read(limit)
    except OSError as error:
        raise _unreadable(path, error, expected) from error


def head(path: str | Path, expected: str) -> bytes:
    """Return the first :data:`HEAD` bytes of a plain file, which tell what it is.

    Raises
    ------
    InputError
        As :func:`regular`, or if reading it fails.
    """
    path = regular(path, expected)
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError as error:
        raise _unreadable(path, error, expected) from error


def read_text(path: str | Path, expected: str, limit: int = LARGEST, *, empty: bool = False) -> str:
    """Return a text in UTF-8, without its byte order mark.

    Raises
    ------
    InputError
        As :func:`read_bytes`, or if it is not UTF-8.
    """
    data = read_bytes(path, expected, limit, empty=empty)
    refuse_other(path, data[:HEAD], expected)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(path, error, expected) from error


def refuse_other(path: str | Path, head: bytes, expected: str) -> None:
    """Refuse what is plainly no text in UTF-8, by its first :data:`HEAD` bytes.

    Raises
    ------
    InputError
        Saying what it is instead, and what to do.
    """
    for magic, (found, remedy) in _OTHER.items():
        if head.startswith(magic):
            raise InputError(path, found, expected, remedy=remedy)
    if b"\0" in head:
        line = head[: head.index(b"\0")].count(b"\n") + 1
        raise InputError(
            path, "zero bytes, as of text in UTF-16 or of no text at all", expected,
            where=f"line {line}",
            remedy="Save it in UTF-8." if line == 1 else "Write that line anew, in UTF-8.",
        )  # fmt: skip


def not_utf8(
    path: str | Path, error: UnicodeDecodeError, expected: str, within: str = ""
) -> InputError:
    """Return the error of a text in another encoding, all of which was to be decoded.

    ``within`` is the member of the file that it is, if it is one.
    """
    before, data = error.object[: error.start], error.object
    begins = before.rfind(b"\n") + 1
    line = data[begins:].partition(b"\n")[0]
    place = f"{within}, line " if within else "line "
    return not_utf8_in(path, f"{place}{before.count(10) + 1}", line, expected)


def not_utf8_in(path: str | Path, where: str, data: bytes, expected: str) -> InputError:
    """Return the error of a line or a cell, ``data``, with bytes that are not UTF-8.

    It tells what they are in the encoding that programs on Windows write most.
    """
    text = data.decode("utf-8", "surrogateescape")
    damage = next(_ESCAPED.finditer(text), None)
    at = len(text[: damage.start() if damage else 0].encode())
    letters = _CELLS.split(data[:at])[-1][-_AROUND:] + _CELLS.split(data[at:])[0][:_AROUND]
    found, remedy = f"{letters!r}", "Save it in UTF-8."
    try:
        meant = letters.decode("cp1252")
        if meant.isprintable():
            found, remedy = f"{letters!r}, in Windows-1252 {shown(meant)}", _SAVED
    except UnicodeDecodeError:
        pass
    return InputError(
        path, f"bytes that are not UTF-8 ({found})", expected, where=where, remedy=remedy
    )


def read_json(path: str | Path, expected: str, limit: int = LARGEST) -> Any:
    """Return what a JSON file holds. Its numbers may be infinite or none, as JSON goes in Python.

    Raises
    ------
    InputError
        As :func:`read_text`, or if it is no JSON, is nested too deeply, has a key twice in one
        object, or letters that are half a letter (lone surrogates), which nothing can write again.
    """
    return parse_json(read_text(path, expected, limit), path, expected)


def parse_json(text: str, path: str | Path, expected: str, where: str | None = None) -> Any:
    """Return what a text in JSON holds, which stands in a file, perhaps in a cell ``where``.

    Raises
    ------
    InputError
        As :func:`read_json`.
    """
    try:
        data = json.loads(text, object_pairs_hook=_object)
        if _SURROGATE.search(text):
            json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"malformed JSON ({error})", expected, where=where) from error
    return data


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of JSON, of whose keys Python would keep the last of two without a word."""
    made = dict(pairs)
    if len(made) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"the key {shown(twice)} twice in one object")
    return made


def _of_kernel() -> set[int]:
    """Return the devices of the file systems whose plain files are none."""
    folders = filter(os.path.isdir, ("/proc", "/sys"))
    return {os.stat(folder).st_dev for folder in folders} - {os.stat("/").st_dev}


def _unreadable(path: Path, error: Exception, expected: str) -> InputError:
    return InputError(
        path,
        f"that it cannot be read ({getattr(error, 'strerror', None) or error})",
        expected,
        remedy="See to its name and permissions, and to those of its folders.",
    )


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary name beside ``path``; rename it to ``path`` when the block succeeds.

    The temporary name keeps the suffix (encoders choose the container by it) and is removed when
    the block fails. Missing parent folders are made.

    Raises
    ------
    InputError
        If the folder cannot be written to or the disk is full.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.partial{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableError(path, error) from error
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        ours = {str(temporary), str(path), str(path.parent)}
        if isinstance(error, FileNotFoundError) or (error.filename and error.filename not in ours):
            raise
        raise UnwritableError(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write ``text`` as UTF-8 to ``path`` under a temporary name, then rename."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
