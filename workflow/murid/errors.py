"""The errors that are meant for the user: bad input, told so that it can be mended."""

import errno
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

MOST_TOLD = 20
"""Faults of one file that a message tells, at most."""
LONGEST = 500
"""Letters of a part of a message; a damaged cell, or the list of all columns, may be long."""
_OF_MACHINE = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EROFS", "EFBIG", "EMFILE", "ENFILE", "ESTALE", "ENOLCK")
}
"""What the machine, not a file of the user, is to blame for."""


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
        place, found, expected = (shortened(part, LONGEST) for part in (place, found, expected))
        text = f"{place}: found {found}; expected {expected}."
        super().__init__(text + f" {remedy}" * bool(remedy))

    @property
    def faults(self) -> list["InputError"]:
        """The faults that it tells."""
        return [self]


class SeveralErrors(InputError):
    """Several faults of one file, a line each: whoever mends one at a time runs as often.

    Parameters
    ----------
    errors
        The faults, one at least; beyond :data:`MOST_TOLD` they are counted only.
    """

    def __init__(self, errors: Sequence[InputError]) -> None:
        first, more = errors[0], len(errors) - MOST_TOLD
        super().__init__(
            first.file, first.found, first.expected, where=first.where, remedy=first.remedy
        )
        lines = [str(error) for error in errors[:MOST_TOLD]]
        if more > 0:
            lines.append(f"{first.file}: and {more:,} more")
        self.args = ("\n".join(lines),)
        self.errors = list(errors)

    @property
    def faults(self) -> list[InputError]:
        """The faults that it tells."""
        return self.errors


def shortened(text: str, most: int) -> str:
    """Return a text as it can be written, cut in its middle to ``most`` letters.

    The name of a file need not be text, nor need what it holds: what is no letter is spelt out.

    Parameters
    ----------
    text
        Any text.
    most
        Letters of the result at most, more than 50.

    Examples
    --------
    >>> shortened("a column called " + 1000 * "o" + "!", 60)
    'a column call[...1017 letters in all...]ooooooooooooooooooo!'
    """
    text = text.encode("utf-8", "backslashreplace").decode()
    if len(text) <= most:
        return text
    marker = f"[...{len(text)} letters in all...]"
    tail = most // 3
    return text[: most - tail - len(marker)] + marker + text[-tail:]


class UnwritableError(InputError):
    """Results cannot be written: no fault of the data, and no verdict on them.

    Parameters
    ----------
    path
        What should be written.
    error
        What the system says.
    """

    def __init__(self, path: object, error: OSError) -> None:
        super().__init__(
            path,
            f"that it cannot be written ({error.strerror or error})",
            "a writable folder with free space",
            remedy="Free some space or give another results folder, then run again.",
        )


class NotFittedError(InputError):
    """A model is needed that could not be fitted: the fault of neither the data nor who reads it.

    Parameters
    ----------
    path
        The model's file.
    reason
        Why it could not be fitted.
    """

    def __init__(self, path: object, reason: str) -> None:
        self.reason = reason
        super().__init__(
            path, f"no model, since {reason}", "one that is fitted", remedy="Run again once mended."
        )


class PartialError(Exception):
    """All was written, but some segments in it failed, which their rows or the verdict say."""


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


class LeftOut:
    """What work on many segments goes on without, since it cannot be used.

    Parameters
    ----------
    log
        Where each is told.

    Examples
    --------
    >>> others = LeftOut(logging.getLogger("quiet"))
    >>> with others.if_faulty("a.csv"):
    ...     raise InputError("a.csv", "one", "a number")
    >>> others.raise_if_all()
    Traceback (most recent call last):
    murid.errors.InputError: a.csv: found one; expected a number.
    """

    def __init__(self, log: logging.Logger) -> None:
        self.log = log
        self.faults: list[InputError] = []

    @contextmanager
    def if_faulty(self, what: object) -> Iterator[None]:
        """Leave out ``what`` the block reads, if an :class:`InputError` says that it is no good."""
        try:
            yield
        except InputError as error:
            self.faults.append(error)
            self.log.warning("%s is left out: %s", what, error)

    def raise_if_all(self) -> None:
        """Raise the first fault, if there is one: for where nothing is left to work on."""
        for fault in self.faults:
            raise fault


def brief(text: str, most: int = 60) -> str:
    """Shorten what a message quotes.

    Examples
    --------
    >>> brief("A" * 300, 9)
    'AAAAA ...'
    """
    return text if len(text) <= most else f"{text[: most - 4]} ..."


def shown(value: Any, most: int = 80) -> str:
    """Write a value that was found in a few letters, at most so many, whatever its size.

    Examples
    --------
    >>> shown("a"), shown(10**5000)
    ("'a'", 'a number of more than 40 digits')
    """
    if isinstance(value, int) and abs(value) >= 10**40:
        # Python refuses to write whole numbers of more than 4,300 digits.
        return "a number of more than 40 digits"
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} that cannot be written"
    return brief(text, most)


def is_of_machine(error: BaseException) -> bool:
    """Tell whether a machine is to blame for an error (its disk is full), not the file."""
    return isinstance(error, OSError) and error.errno in _OF_MACHINE
