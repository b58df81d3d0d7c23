"""What is found before anything runs: things to mend, or to know."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

SHOWN = 3
"""Segments or files that a line names, at most."""


@dataclass(frozen=True)
class Finding:
    """Something to mend, or to know."""

    fatal: bool
    """Whether the run cannot work like this; otherwise some segments or figures are lost."""
    text: str

    def __str__(self) -> str:
        return f"{'error' if self.fatal else 'warning'}: {self.text}"


error = functools.partial(Finding, True)
warning = functools.partial(Finding, False)


def some(names: Iterable[object]) -> str:
    """Name the first few of many."""
    texts = [str(name) for name in names]
    more = f" and {len(texts) - SHOWN:,} more" if len(texts) > SHOWN else ""
    return ", ".join(texts[:SHOWN]) + more
