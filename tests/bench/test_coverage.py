"""How often the 95% intervals of rates cover the truth, on simulated cages."""

from collections.abc import Callable

import numpy as np
import pytest

from murid import intervals
from simulated_cages import Situation, covered, draw

REPEATS = 10_000
REDRAWN = 300
"""Of these cages, intervals are made by redrawing snippets as well, and cages then snippets."""
RESAMPLES = 400
SIZES = ((2, 9), (3, 9), (4, 9), (6, 9), (10, 9), (20, 9), (6, 1), (6, 3))
RATES = (0.5, 0.85, 0.97, 0.99)
SPREADS = ((0.0, 0.0), (0.2, 0.4), (0.7, 0.5), (1.3, 0.8))
"""Between and within cages, standard deviations of log odds."""

pytestmark = pytest.mark.bench


def redraw(
    right: np.ndarray, rows: np.ndarray, random: np.random.Generator, cages: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return percentile intervals by redrawing snippets, or cages and then their snippets."""
    number, snippets, repeats = right.shape
    if cages:
        which = random.integers(number, size=(RESAMPLES, number, 1)) * snippets
        which = which + random.integers(snippets, size=(RESAMPLES, number, snippets))
    else:
        which = random.integers(number * snippets, size=(RESAMPLES, number * snippets))
    times = np.zeros((RESAMPLES, number * snippets))
    np.add.at(times, (np.arange(RESAMPLES)[:, None], which.reshape(RESAMPLES, -1)), 1)
    flat = [part.reshape(-1, repeats) for part in (right, rows)]
    rates = (times @ flat[0]) / (times @ flat[1])
    low, high = np.nanquantile(rates, [0.025, 0.975], axis=0)
    return low, high


def test_coverage(print_table: Callable) -> None:
    """Print coverage of the intervals, and of two kinds of bootstrap, in many situations."""
    random = np.random.default_rng(1)
    table = []
    for unequal in (False, True):
        for cages, snippets in SIZES:
            for rate in RATES:
                for between, within in SPREADS:
                    case = Situation(cages, snippets, rate, between, within, unequal=unequal)
                    right, rows = draw(case, REPEATS, random)
                    low, high = intervals.of_rates(right.sum(axis=1), rows.sum(axis=1))
                    given = ~np.isnan(low)
                    few = right[..., :REDRAWN], rows[..., :REDRAWN]
                    others = [
                        100 * covered(*redraw(*few, random, level), rate) for level in (False, True)
                    ]
                    table.append(
                        (
                            f"{cages} x {snippets}" + " unequal" * unequal, rate,
                            f"{between:g} / {within:g}", 100 * float(given.mean()),
                            100 * covered(low[given], high[given], rate) if given.any() else "–",
                            100 * float((high - low)[given].mean()) if given.any() else "–",
                            *others,
                        )
                    )  # fmt: skip
    print_table(
        "Coverage of 95% intervals, percent",
        ("cages x snippets", "rate", "spread", "given", "coverage", "width", "snippets redrawn",
         "cages redrawn"),
        table,
    )  # fmt: skip
