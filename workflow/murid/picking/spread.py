"""Spreading what is picked: over cages, days and segments, over time, and over what is seen."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from murid.sheet import Segment
from murid.video import Frame

Item = TypeVar("Item")
Features = NDArray[np.float64]

THUMBNAIL = (32, 18)
"""Width and height, pixels, of what pictures are compared by: a mouse is a few pixels there."""
_DATE = 10
"""Letters of a date in the column ``start``."""


def evenly(items: Sequence[Item]) -> list[Item]:
    """Return items in an order of which any beginning is spread over all of them.

    Examples
    --------
    >>> evenly("abcdefgh")
    ['a', 'e', 'c', 'g', 'b', 'f', 'd', 'h']
    """
    digits = max(len(items) - 1, 1).bit_length()
    places = sorted(range(len(items)), key=lambda place: f"{place:0{digits}b}"[::-1])
    return [items[place] for place in places]


def in_turn(groups: Iterable[Iterable[Item]]) -> Iterator[Item]:
    """Yield one item of each group, then another one of each, until there are none.

    Examples
    --------
    >>> "".join(in_turn(["abc", "d", "ef"]))
    'adebfc'
    """
    nothing = object()
    for items in itertools.zip_longest(*groups, fillvalue=nothing):
        yield from (item for item in items if item is not nothing)  # type: ignore[misc]


def shares(sizes: Sequence[int], count: int) -> list[int]:
    """Return how many to take of each of several heaps, as evenly as their sizes allow.

    Examples
    --------
    >>> shares([50, 2, 50], 12), shares([1, 2], 9)
    ([5, 2, 5], [1, 2])
    """
    taken = [0] * len(sizes)
    for done, place in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        taken[place] = min(sizes[place], -(-count // (len(sizes) - done)))
        count -= taken[place]
    return taken


def order(segments: Iterable[Segment]) -> list[Segment]:
    """Return segments in an order of which any beginning is spread: cages, then days, then times.

    Days are those of the column ``start``; segments without one are of one day.
    """
    cages: dict[str, dict[str, list[Segment]]] = {}
    for segment in segments:
        days = cages.setdefault(segment.cage, {})
        days.setdefault(segment.start[:_DATE], []).append(segment)
    of_cages = []
    for days in cages.values():
        # By their names, segments of a day are as a rule in the order of time.
        in_days = [evenly(sorted(of_day, key=_when)) for _, of_day in sorted(days.items())]
        of_cages.append(in_turn(evenly(in_days)))
    return list(in_turn(of_cages))


def _when(segment: Segment) -> tuple[str, str]:
    return segment.start, segment.segment


def thumbnail(grey: Frame) -> Features:
    """Return what a picture is compared by: small, and the same however light it is.

    Returns
    -------
    Shape (d,): grey levels of mean 0 and, unless all are alike, of standard deviation 1.
    """
    small = cv2.resize(grey, THUMBNAIL, interpolation=cv2.INTER_AREA).astype(np.float64).ravel()
    small -= small.mean()
    return small / max(float(small.std()), 1.0)


def differing(features: Features, count: int, seen: Features) -> list[int]:
    """Pick so many of a row of pictures: one of each stretch of it, as unlike others as can be.

    Parameters
    ----------
    features
        Shape (n, d), in the order of time.
    count
        How many to pick, n at most.
    seen
        Shape (m, d): what was picked before, which may be nothing.

    Returns
    -------
    The places of those that were picked, rising.

    Examples
    --------
    >>> differing(np.array([[0.0], [1.0], [1.0], [9.0]]), 2, np.array([[1.0]]))
    [0, 3]
    """
    count = min(count, len(features))
    seen = seen.reshape(-1, features.shape[1])
    # Those that were picked, before and here, as far as they are filled in.
    others = np.concatenate([seen, np.zeros((count, features.shape[1]))])
    picked: list[int] = []
    for filled, stretch in enumerate(np.array_split(np.arange(len(features)), count), len(seen)):
        place = int(stretch[len(stretch) // 2])
        if filled:
            place = int(stretch[_apart(features[stretch], others[:filled]).argmax()])
        others[filled] = features[place]
        picked.append(place)
    return picked


def _apart(features: Features, others: Features) -> Features:
    """Return the squared distance of each picture from the nearest other one, by products."""
    squares = (features**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    return np.asarray((squares - 2 * features @ others.T).min(axis=1))
