"""What the benchmarks share: how they print."""

import os
from collections.abc import Callable, Iterable, Sequence

import pytest

# Unlike in other tests, libraries have all the threads that they have for users.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.pop(name, None)


@pytest.fixture(scope="session")
def print_table() -> Callable[[str, Sequence[str], Iterable[Sequence[object]]], None]:
    """Return a function that prints a heading and rows under each other."""

    def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        cells = [list(columns), *[[_text(value) for value in row] for row in rows]]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        print(f"\n\n{title}")
        for row in cells:
            first = row[0].ljust(widths[0])
            rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            print("  ".join([first, *rest]), flush=True)

    return show


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
