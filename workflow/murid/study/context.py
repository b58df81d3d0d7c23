"""What the animals around tell of an animal's visibility (Appendix C.3, choice of context)."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import mutual_info_score

from murid.fitting.samples import CONTEXT
from murid.grid import CELLS, CENTRE
from murid.models.hidden import OUTCOMES

Ints = NDArray[np.int64]

_ROWS = np.arange(CELLS).reshape(3, 3)
_MIRRORED = _ROWS[:, ::-1].ravel()
_SIDES = [1, 3, 5, 7]
_CORNERS = [0, 2, 6, 8]


def _mirror_alike(counts: Ints) -> Ints:
    """Return of each arrangement and its mirror image the one that comes first."""
    mirrored = counts[:, _MIRRORED]
    differs = counts != mirrored
    at = np.arange(len(counts)), differs.argmax(axis=1)
    later = counts[at] > mirrored[at]
    return np.where(later[:, None], mirrored, counts)


def _sums(counts: Ints, *groups: Sequence[int] | Ints) -> Ints:
    return np.column_stack([counts[:, group].sum(axis=1) for group in groups])


SUMMARIES: Mapping[str, tuple[str, Callable[[Ints], Ints]]] = {
    "nine_counts": ("number in each of the nine cells", lambda c: c),
    "nine_presences": ("whether anyone is in each of the nine cells", lambda c: np.minimum(c, 1)),
    "mirror_alike": ("nine numbers, mirror images alike", _mirror_alike),
    "sides_corners": (
        "number in the same cell, at its sides, at its corners",
        lambda c: _sums(c, [CENTRE], _SIDES, _CORNERS),
    ),
    "rows": ("number in the row behind, the same, in front", lambda c: _sums(c, *_ROWS)),
    "columns": ("number in the column left, the same, right", lambda c: _sums(c, *_ROWS.T)),
    "same_row": ("number in the same row", lambda c: _sums(c, _ROWS[1])),
    "same_column": ("number in the same column", lambda c: _sums(c, _ROWS[:, 1])),
    "same_cell": ("number in the same cell", lambda c: _sums(c, [CENTRE])),
    "total": ("number in all nine cells together", lambda c: _sums(c, range(CELLS))),
    "anyone": ("whether anyone is near", lambda c: np.minimum(_sums(c, range(CELLS)), 1)),
}
"""Ways to sum up the context: what each is in words, and (n, 9) counts -> (n, k)."""


def states(values: ArrayLike) -> Ints:
    """Number the distinct rows: (n, k) -> (n,)."""
    return np.unique(np.asarray(values), axis=0, return_inverse=True)[1].ravel()


def mutual_information(first: Ints, second: Ints) -> float:
    """Return the mutual information of two numberings by their joint frequencies, bits.

    Parameters
    ----------
    first, second
        (n,) each, numbered from 0.

    Examples
    --------
    >>> mutual_information(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    return float(mutual_info_score(first, second) / np.log(2))


def compare(samples: pd.DataFrame, permutations: int, seed: int) -> pd.DataFrame:
    """Measure what each summary of the context tells of the visibility.

    The joint frequencies of few samples overstate the information, the more so the more states a
    summary has, and no summary can by them beat what it sums up. So the same is measured with the
    visibilities shuffled among the samples (or among those of the same antenna), which says how
    much comes out by chance.

    Parameters
    ----------
    samples
        As :func:`murid.fitting.samples.collect` gives; marginal ones are left out.
    permutations
        Number of shuffles.
    seed
        Of the shuffles.

    Returns
    -------
    One row a summary, best ``gain`` first: ``summary, meaning, states``; ``information`` and its
    ``chance`` level, and their difference ``gain``; the same for what is learnt beyond the antenna:
    ``information_given_antenna, chance_given_antenna, gain_given_antenna``. All in bits a sample.
    """
    usable = samples[samples["visibility"].isin(OUTCOMES)]
    shown = usable["visibility"].map(OUTCOMES.index).to_numpy(dtype=np.int64)
    antennas = states(usable[["antenna"]])
    counts = usable[CONTEXT].to_numpy(dtype=np.int64)
    by_antenna = mutual_information(antennas, shown)
    random = np.random.default_rng(seed)
    shuffles = [
        (random.permutation(shown), _shuffled_within(antennas, shown, random))
        for _ in range(permutations)
    ]
    rows = []
    for name, (meaning, summarise) in SUMMARIES.items():
        alone = states(summarise(counts))
        joint = states(np.column_stack([antennas, alone]))
        information = mutual_information(alone, shown)
        chance = np.mean([mutual_information(alone, freely) for freely, _ in shuffles])
        beyond = mutual_information(joint, shown) - by_antenna
        luck = np.mean([mutual_information(joint, within) for _, within in shuffles]) - by_antenna
        rows.append(
            {
                "summary": name,
                "meaning": meaning,
                "states": int(alone.max()) + 1,
                "information": information,
                "chance": chance,
                "gain": information - chance,
                "information_given_antenna": beyond,
                "chance_given_antenna": luck,
                "gain_given_antenna": beyond - luck,
            }
        )
    return pd.DataFrame(rows).sort_values("gain", ascending=False, kind="stable", ignore_index=True)


def _shuffled_within(groups: Ints, values: Ints, random: np.random.Generator) -> Ints:
    """Shuffle values among the members of each group."""
    order = np.argsort(groups, kind="stable")
    drawn = np.lexsort((random.random(len(groups)), groups))
    result = np.empty_like(values)
    result[order] = values[drawn]
    return result
