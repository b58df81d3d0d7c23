"""The one error that is meant for the user: bad input, told so that it can be mended."""

from collections.abc import Iterator
from contextlib import contextmanager


class InputError(Exception):
    """Something that the user gave cannot be used.

    Parameters
    ----------
    file
        The file (or setting) at fault.
    found
        What was found there.
    expected
        What was expected instead.
    where
        The row, frame, key or column, if it can be named.
    remedy
        What to do about it, if more can be said than "give what was expected".
    """

    def __init__(
        self,
        file: object,
        found: str,
        expected: str,
        *,
        where: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.file = str(file)
        self.where = where
        self.found = found
        self.expected = expected
        self.remedy = remedy
        place = f"{file}, {where}" if where else f"{file}"
        text = f"{place}: found {found}; expected {expected}."
        if remedy:
            text += f" {remedy}"
        # A file's name need not be text, nor need what a file holds; a message goes to logs and
        # tables, which must be.
        super().__init__(text.encode("utf-8", "backslashreplace").decode())


@contextmanager
def naming(**files: object) -> Iterator[None]:
    """Let errors that name what a file holds name the file.

    What looks into a table knows that it is the table of ``positions``, not where it came from.

    Examples
    --------
    >>> with naming(positions="a/positions.parquet"):
    ...     raise InputError("positions", "antenna 19", "1 to 18")
    Traceback (most recent call last):
    murid.errors.InputError: a/positions.parquet: found antenna 19; expected 1 to 18.
    """
    try:
        yield
    except InputError as error:
        if files.get(error.file) is None:
            raise
        raise InputError(
            files[error.file], error.found, error.expected, where=error.where, remedy=error.remedy
        ) from error
