"""Files: read only if they are plain and of a sensible size, and written whole or not at all.

Standard library only, since every cluster job reads the sample sheet through this module.
"""

import json
import math
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from murid.errors import InputError, UnwritableError, shown

Model = TypeVar("Model")
_HUGE = 1e15
"""No pixel, frame, count or logarithm of a fitted model comes near it."""

LARGEST = 2**28
"""Bytes of a text, at most: more than ten hours of boxes, and what fits into memory as objects."""

MOST_COLUMNS = 1000
"""Columns of a table of the archive, at most: a cage has an animal in each."""

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
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


def read_text(path: str | Path, expected: str, limit: int = LARGEST, *, empty: bool = False) -> str:
    """Return a text in UTF-8, without its byte order mark.

    Raises
    ------
    InputError
        As :func:`read_bytes`, or if it is not UTF-8.
    """
    data = read_bytes(path, expected, limit, empty=empty)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(path, f"bytes that are not UTF-8 ({error})", expected) from error


def read_json(path: str | Path, expected: str, limit: int = LARGEST) -> Any:
    """Return what a JSON file holds. Its numbers may be infinite or none, as JSON goes in Python.

    Raises
    ------
    InputError
        As :func:`read_text`, or if it is no JSON, is nested too deeply, or has letters that are
        half a letter (lone surrogates), which nothing can write again.
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
        data = json.loads(text)
        if _SURROGATE.search(text):
            json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"malformed JSON ({error})", expected, where=where) from error
    return data


def _of_kernel() -> set[int]:
    """Return the devices of the file systems whose plain files are none."""
    found = set()
    for folder in ("/proc", "/sys"):
        try:
            found.add(os.stat(folder).st_dev)
        except OSError:
            continue
    return found - {os.stat("/").st_dev}


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
        own = {str(temporary), str(path), str(path.parent)}
        if isinstance(error, FileNotFoundError) or (error.filename and error.filename not in own):
            raise
        raise UnwritableError(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write ``text`` as UTF-8 to ``path`` under a temporary name, then rename."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_model(
    path: str | Path, what: str, form: str, build: Callable[[dict[str, Any]], Model]
) -> Model:
    """Read what was fitted and kept as JSON.

    Parameters
    ----------
    path
        The file.
    what
        What it holds, for messages: ``weights``.
    form
        The format that it must name under the key ``format``.
    build
        Makes the model of the file's content; raises ``KeyError``, ``TypeError``, ``ValueError``,
        ``IndexError``, ``OverflowError`` or ``AttributeError`` where that is not as it must be.

    Raises
    ------
    InputError
        If the file is missing, is no such JSON, or its parts do not fit each other.
    """
    try:
        content = read_json(path, f"fitted {what}")
        found = content.get("format") if isinstance(content, dict) else None
        if found != form:
            other = f"the format {shown(found)}" if found is not None else "another format"
            raise InputError(
                path, other, repr(form),
                remedy="If it is the right file, it is of another version: fit it again.",
            )  # fmt: skip
        _refuse_huge(content)
        return build(content)
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise InputError(path, f"{what} that do not fit ({error})", form) from error


def _is_small(values: list[Any]) -> bool:
    """Tell whether a list is one of numbers of which none is huge: most of a model, at once."""
    try:
        return max(map(abs, values), default=0) <= _HUGE
    except TypeError:
        return False


def _refuse_huge(content: Any) -> None:
    """Raise ``ValueError`` at a number that overflows as soon as it is squared or added up."""
    waiting = [("", content)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            if not _is_small(value):
                waiting += [(name, item) for item in value]
        elif isinstance(value, int | float) and abs(value) > _HUGE and abs(value) != math.inf:
            shown = f"{value:g}" if isinstance(value, float) else "a huge integer"
            raise ValueError(f"{name}: {shown}, which is beyond {_HUGE:g}")
