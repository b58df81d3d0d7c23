"""By how much boxes at an antenna differ from what the projection of the grid says of them.

Antennas are not where a homography has them, since animals keep to one side of some, or are seen
behind things. How much is believed of what is seen at one antenna, is told by all: offsets of
antennas are spread around 0 by an amount that is estimated (empirical Bayes), and so is by how much
boxes differ from one stay to the next, and within a stay. An animal that sleeps for minutes at an
antenna shows it once, however many frames of it are annotated.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.fitting.gaussians import no_narrower
from murid.grid import Antennas

APART = 10.0
"""Seconds between samples that are no longer of one stay."""
_ROUNDS = 200
"""Rounds of expectation maximisation."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Stays(NamedTuple):
    """What is known of K stays: the mean of each, (K, d), number of boxes and antenna, (K,)."""

    mean: Floats
    boxes: Floats
    antenna: Ints


class _Spread(NamedTuple):
    """Covariances, (d, d), of antennas, of stays at an antenna, and of boxes of a stay."""

    antennas: Floats
    stays: Floats
    boxes: Floats


def stays(samples: pd.DataFrame) -> Ints:
    """Number the stays that samples are of.

    Parameters
    ----------
    samples
        With columns ``segment``, ``animal``, ``antenna`` and ``time``, seconds.

    Returns
    -------
    (n,), from 0. A stay ends where the antenna of an animal changes from one of its samples to the
    next, or ten seconds lie between them.
    """
    order = samples.sort_values(["segment", "animal", "time"], kind="stable")
    same = pd.Series(True, index=order.index)
    for column in ("segment", "animal", "antenna"):
        same &= order[column] == order[column].shift()
    same &= order["time"].diff() <= APART
    return (~same).cumsum().reindex(samples.index).to_numpy(dtype=np.int64) - 1


def fit(difference: Floats, antennas: Ints, stay: Ints, grid: Antennas) -> Floats:
    """Estimate the offset of each antenna.

    Parameters
    ----------
    difference
        (n, d), boxes less what the projection and the row say of them, pixels.
    antennas, stay
        (n,), the antenna of each, and the stay that it is of, as :func:`stays` numbers them.
    grid
        The antenna grid.

    Returns
    -------
    (antennas, d), pixels; 0 for antennas without a box, and for all if boxes are of one antenna.
    """
    _, first, which, count = np.unique(
        stay, return_index=True, return_inverse=True, return_counts=True
    )
    offsets = np.zeros((grid.size, difference.shape[1]))
    visited, place = np.unique(antennas[first], return_inverse=True)
    if len(visited) < 2:
        return offsets
    boxes = count.astype(np.float64)
    mean = np.zeros((len(first), difference.shape[1]))
    np.add.at(mean, which, difference)
    mean /= boxes[:, None]
    within = difference - mean[which]
    offsets[visited - 1] = _estimate(
        _Stays(mean, boxes, place.astype(np.int64)), within.T @ within, len(visited)
    )
    return offsets


def _estimate(known: _Stays, within: Floats, count: int) -> Floats:
    """Maximise the likelihood of all spreads, and return the offsets expected then: (count, d).

    Parameters
    ----------
    known
        The stays.
    within
        (d, d), scatter of boxes around the mean of their stay.
    count
        Number of antennas.
    """
    total = no_narrower(known.mean.T @ known.mean / len(known.mean))
    spread = _Spread(total / 3, total / 3, total / 3)
    for _ in range(_ROUNDS):
        spread, offsets = _round(known, within, count, spread)
    return offsets


def _round(known: _Stays, within: Floats, count: int, spread: _Spread) -> tuple[_Spread, Floats]:
    """Do one round of expectation maximisation; return the spreads, and offsets (count, d)."""
    around = spread.stays + spread.boxes / known.boxes[:, None, None]
    precise = np.linalg.inv(around)
    precision = np.repeat(np.linalg.inv(spread.antennas)[None], count, axis=0)
    np.add.at(precision, known.antenna, precise)
    pulled = np.zeros((count, known.mean.shape[1]))
    np.add.at(pulled, known.antenna, np.einsum("kij,kj->ki", precise, known.mean))
    unsure = np.linalg.inv(precision)
    offsets = np.einsum("aij,aj->ai", unsure, pulled)

    share = spread.stays @ precise
    rest = np.eye(known.mean.shape[1]) - share
    apart = known.mean - offsets[known.antenna]
    of_stay = np.einsum("kij,kj->ki", share, apart)
    of_box = apart - of_stay
    either = spread.stays - share @ spread.stays
    doubt = unsure[known.antenna]
    stay_doubt = either + share @ doubt @ share.swapaxes(1, 2)
    box_doubt = either + rest @ doubt @ rest.swapaxes(1, 2)
    weighed = of_box * known.boxes[:, None]
    return _Spread(
        no_narrower((offsets.T @ offsets + unsure.sum(axis=0)) / count),
        no_narrower((of_stay.T @ of_stay + stay_doubt.sum(axis=0)) / len(apart)),
        no_narrower(
            (within + weighed.T @ of_box + np.einsum("k,kij->ij", known.boxes, box_doubt))
            / known.boxes.sum()
        ),
    ), offsets
