"""How visible an animal is, given its antenna and who is around: p(v | p, c) (Sect. 4.3).

What a hidden animal weighs is made of it in :mod:`murid.models.hidden`.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from murid.fitting.samples import CONTEXT
from murid.grid import CELLS, Antennas
from murid.models.hidden import OUTCOMES
from murid.settings import FitWeights

LEAST = 1e-3
"""Probability that no outcome falls short of: 0 would forbid it for ever."""


def features(antennas: NDArray[np.int64], contexts: NDArray, grid: Antennas) -> NDArray[np.float64]:
    """Return what the forest sees: how far down and right, then nine counts: (n, 11).

    On a grid, these are the antenna's row and column.
    """
    return np.column_stack([grid.coordinates(antennas)[:, ::-1], contexts]).astype(float)


def fit(samples: pd.DataFrame, grid: Antennas, settings: FitWeights) -> RandomForestClassifier:
    """Fit the random forest of Appendix C.3 to samples whose visibility is not marginal."""
    usable = samples[samples["visibility"] != "marginal"]
    forest = RandomForestClassifier(
        n_estimators=settings.trees,
        max_depth=settings.max_depth,
        min_samples_split=settings.min_samples_split,
        min_samples_leaf=settings.min_samples_leaf,
        random_state=settings.seed,
    )
    seen = features(usable["antenna"].to_numpy(), usable[CONTEXT].to_numpy(), grid)
    return forest.fit(seen, usable["visibility"].to_numpy(dtype=str))


def leaves(forest: RandomForestClassifier) -> dict[str, float]:
    """Return the mean and the largest number of leaves of its trees."""
    counts = [tree.get_n_leaves() for tree in forest.estimators_]
    return {"mean_leaves": float(np.mean(counts)), "max_leaves": int(max(counts))}


def contexts(grid: Antennas, animals: int) -> NDArray[np.int64]:
    """List every antenna and context that can occur with up to ``animals`` animals.

    Returns
    -------
    (k, 10) int64: the antenna, then how many others each of its nine cells holds, at most
    ``animals - 1`` together. Cells outside the grid hold none.
    """
    rows = []
    for antenna in grid.antennas:
        inside = np.flatnonzero(grid.neighbours(int(antenna)))
        for counts in _distributions(animals - 1, len(inside)):
            row = np.zeros(1 + CELLS, dtype=np.int64)
            row[0] = antenna
            row[1 + inside] = counts
            rows.append(row)
    return np.array(rows)


def _distributions(most: int, cells: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to put at most ``most`` animals into ``cells`` cells."""
    if cells == 0:
        yield ()
        return
    for count in range(most + 1):
        for rest in _distributions(most - count, cells - 1):
            yield (count, *rest)


def tabulate(
    forest: RandomForestClassifier, grid: Antennas, animals: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Evaluate the forest at every context that can occur: (k, 10) contexts, (k, 3) probabilities.

    No outcome keeps a probability of exactly 0, which would forbid it for ever on the word of a few
    samples: each gets at least a thousandth.
    """
    rows = contexts(grid, animals)
    chances = forest.predict_proba(features(rows[:, 0], rows[:, 1:], grid))
    table = np.zeros((len(rows), len(OUTCOMES)))
    for column, name in enumerate(forest.classes_):
        table[:, OUTCOMES.index(name)] = chances[:, column]
    table = np.maximum(table, LEAST)
    return rows, table / table.sum(axis=1, keepdims=True)


def of_shares(
    contexts: NDArray[np.int64], shares: NDArray[np.float64], grid: Antennas
) -> NDArray[np.float64]:
    """Tabulate visibilities of which no more is known than how many are hidden in each row.

    What boxes are truncated is not known then: next to none.

    Parameters
    ----------
    contexts
        (k, 10), antenna and nine counts.
    shares
        (rows,), share of the animals at the antennas of a row that are hidden.
    grid
        The antenna grid.

    Returns
    -------
    (k, 3) probabilities.
    """
    hidden = shares[grid.row(contexts[:, 0])].clip(LEAST, 1 - 2 * LEAST)
    table = np.full((len(contexts), len(OUTCOMES)), LEAST)
    table[:, OUTCOMES.index("hidden")] = hidden
    table[:, OUTCOMES.index("clear")] = 1 - hidden - LEAST
    return table
