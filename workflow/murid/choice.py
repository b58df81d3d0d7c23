"""Choosing some of many, evenly."""

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def spread_over(items: Sequence[Item], most: int) -> list[Item]:
    """Choose at most ``most`` items, evenly spread, in their order.

    Examples
    --------
    >>> spread_over("abcdefg", 3)
    ['a', 'd', 'g']
    """
    if len(items) <= most:
        return list(items)
    if most == 1:
        return [items[0]]
    return [items[place * (len(items) - 1) // (most - 1)] for place in range(most)]
