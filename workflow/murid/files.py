"""Files that no table is: written so that a killed job leaves nothing that looks complete."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from murid.errors import InputError

Model = TypeVar("Model")


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
        Makes the model of the file's content; raises ``KeyError``, ``TypeError``, ``ValueError`` or
        ``AttributeError`` where that is not as it must be.

    Raises
    ------
    InputError
        If the file is missing, is no such JSON, or its parts do not fit each other.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.get("format") != form:
            raise InputError(path, "another format", repr(form), remedy="Fit it again.")
        return build(content)
    except FileNotFoundError as error:
        raise InputError(path, "no file", f"fitted {what}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(path, f"{what} that do not fit ({error})", form) from error
