"""What of a log is left out or mended, by kind: counted, and the first of each named."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from murid.errors import brief
from murid.tables import Verdict


class Tally:
    """Rows of a file that are left out, or taken otherwise than they stand.

    Parameters
    ----------
    file
        Its name, for the verdict.
    unit
        What a row is called: a line of a text, or a row.
    done
        What is done with them, as it follows "are".

    Examples
    --------
    >>> left_out = Tally("a.csv")
    >>> left_out.add("with zero bytes", [7, 9])
    >>> left_out.verdict().reason
    'a.csv: 2 lines with zero bytes (the first is line 7) are left out'
    """

    def __init__(self, file: str, unit: str = "line", done: str = "left out") -> None:
        self.file, self.unit, self.done = file, unit, done
        self.counts: dict[str, int] = {}
        self.first: dict[str, str] = {}

    def add(
        self, kind: str, rows: Iterable[int] | NDArray[np.int64], example: object = None
    ) -> None:
        """Count rows.

        Parameters
        ----------
        kind
            What is wrong with them, as it follows "lines": ``with zero bytes``.
        rows
            Their numbers, from 1.
        example
            What stands in the first of them.
        """
        numbers = np.unique([*rows] if not isinstance(rows, np.ndarray) else rows)
        if not len(numbers):
            return
        if kind not in self.counts:
            shown = "" if example is None else f": {brief(repr(example))}"
            self.first[kind] = f"{self.unit} {numbers[0]}{shown}"
        self.counts[kind] = self.counts.get(kind, 0) + len(numbers)

    @property
    def total(self) -> int:
        """How many rows were counted."""
        return sum(self.counts.values())

    def verdict(self) -> Verdict:
        """Return what is to be said of it: ``repaired`` if any row was counted."""
        verdict = Verdict()
        for kind, count in self.counts.items():
            rows, are = (f"{self.unit}s", "are") if count > 1 else (self.unit, "is")
            first = f"the first is {self.first[kind]}" if count > 1 else self.first[kind]
            reason = f"{self.file}: {count:,} {rows} {kind} ({first}) {are} {self.done}"
            verdict |= Verdict("repaired", reason)
        return verdict
