"""Writing files so that a killed job leaves nothing that looks complete."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from murid.errors import InputError


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
        raise _unwritable(path, error) from error
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        own = {str(temporary), str(path), str(path.parent)}
        if isinstance(error, FileNotFoundError) or (error.filename and error.filename not in own):
            raise
        raise _unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(
        path,
        f"that it cannot be written ({error.strerror or error})",
        "a writable folder with free space",
        remedy="Free some space or give another results folder, then run again.",
    )


def write_text(path: str | Path, text: str) -> None:
    """Write ``text`` as UTF-8 to ``path`` under a temporary name, then rename."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
