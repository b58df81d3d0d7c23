"""Stretches of whole numbers, as of frames: found, and named in messages."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike


def stretches_of(numbers: ArrayLike) -> list[tuple[int, int]]:
    """Return first and last number of each stretch without a gap.

    Parameters
    ----------
    numbers
        Whole numbers in any order, each once or several times.

    Examples
    --------
    >>> stretches_of([3, 10, 11, 12])
    [(3, 3), (10, 12)]
    """
    distinct = np.unique(np.asarray(numbers, dtype=np.int64))
    runs = np.split(distinct, np.flatnonzero(np.diff(distinct) > 1) + 1)
    return [(int(run[0]), int(run[-1])) for run in runs if len(run)]


def listed(stretches: Iterable[tuple[int, int]], most: int | None = None) -> str:
    """Name stretches, the first ``most`` of them.

    Examples
    --------
    >>> listed([(3, 3), (10, 25), (27, 30)], 2)
    '3, 10-25 and 1 more stretches'
    """
    spans: Sequence[tuple[int, int]] = list(stretches)
    text = ", ".join(
        f"{first}" if first == last else f"{first}-{last}" for first, last in spans[:most]
    )
    more = len(spans) - (most or len(spans))
    return text + (f" and {more} more stretches" if more > 0 else "")
