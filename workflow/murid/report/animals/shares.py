"""Shares of the time of animals, as rows of a table that shows them by their place, too."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from murid.report.animals.words import duration
from murid.report.metrics import natural, natural_ranks

_STEPS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
"""Where the axis may end."""


@dataclass(frozen=True)
class Share:
    """A share with its interval, and the times that it is of."""

    group: str
    """Heading of the rows that it is the first of, else ""."""
    name: str
    value: float
    low: float
    high: float
    time: str


@dataclass(frozen=True)
class Shares:
    """Shares on an axis from 0 to ``most``."""

    rows: list[Share]
    most: float

    def place(self, value: float) -> str:
        """Return where a value lies on the axis, in percent of it."""
        return f"{100 * min(max(value, 0.0), self.most) / self.most:.1f}%"


def of_zones(table: pd.DataFrame) -> Shares | None:
    """Return shares of time in zones, zone by zone.

    Parameters
    ----------
    table
        What :func:`murid.report.animals.totals.shares` makes, with ``animal`` and ``zone``.
    """
    table = table.sort_values("zone", key=natural_ranks, kind="stable")
    first = ~table["zone"].duplicated()
    return _shares(table, table["animal"], table["zone"].where(first, ""))


def of_pairs(table: pd.DataFrame) -> Shares | None:
    """Return shares of time in which two animals are in contact.

    Parameters
    ----------
    table
        What :func:`murid.report.animals.totals.shares` makes, with ``animal`` and ``other``.
    """
    keys = ["animal", "other"]
    pairs = [sorted(pair, key=natural) for pair in table[keys].itertuples(index=False)]
    table = table.assign(**pd.DataFrame(pairs, columns=keys, index=table.index))
    table = table.sort_values(keys, key=natural_ranks, kind="stable")
    return _shares(table, table["animal"] + " and " + table["other"], [""] * len(table))


def _shares(table: pd.DataFrame, names: Iterable[str], groups: Iterable[str]) -> Shares | None:
    if table.empty:
        return None
    rows = [
        Share(
            group, name, row.value, row.low, row.high,
            f"{duration(row.value * row.seconds)} of {duration(row.seconds)}",
        )
        for row, name, group in zip(table.itertuples(), names, groups, strict=True)
    ]  # fmt: skip
    high = max(row.value if math.isnan(row.high) else row.high for row in rows)
    return Shares(rows, next(step for step in _STEPS if step >= min(high, 1.0)))
