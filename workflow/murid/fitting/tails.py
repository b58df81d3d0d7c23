"""How boxes vary where a few are unlike the rest: animals that rear, or are all but covered.

A Gaussian takes its covariance from all boxes alike, so that a few odd ones widen it for all, and
still holds them to be impossible. Student's t gives each the weight that it deserves.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from murid.fitting import gaussians
from murid.grid import Antennas
from murid.models.densities import log_student, squared_distances

LONGEST = 0.5
"""Longest tail: that of two degrees of freedom, below which there is no covariance."""
_ROUNDS = 30
"""Rounds of expectation maximisation."""
_EXACT = 1e-2
"""To which the tail is found."""

Floats = NDArray[np.float64]


def fit(
    difference: Floats, samples: pd.DataFrame, grid: Antennas, kind: gaussians.Covariance
) -> tuple[Floats, float]:
    """Fit scale matrices, and the tail that they all share, by their likelihood.

    Parameters
    ----------
    difference
        (n, 4), boxes less their mean, pixels.
    samples, grid, kind
        As for :func:`murid.fitting.gaussians.covariances`, which has them of the Gaussian.

    Returns
    -------
    (rows, 2, 4, 4) by antenna row and visibility, and one over the degrees of freedom, 0 if the
    Gaussian fits best.
    """
    which = gaussians.group(samples, grid)

    def unlikely(tail: float) -> float:
        scales = _scales(difference, samples, grid, kind, tail)
        return -float(log_student(difference, scales.reshape(-1, 4, 4), which, tail).sum())

    found = minimize_scalar(
        unlikely, bounds=(_EXACT, LONGEST), method="bounded", options={"xatol": _EXACT}
    )
    tail = float(found.x) if found.fun < unlikely(0.0) else 0.0
    return _scales(difference, samples, grid, kind, tail), tail


def _scales(
    difference: Floats,
    samples: pd.DataFrame,
    grid: Antennas,
    kind: gaussians.Covariance,
    tail: float,
) -> Floats:
    """Fit the scale matrices for a given tail: (rows, 2, 4, 4)."""
    scales = gaussians.covariances(difference, samples, grid, kind)
    if not tail:
        return scales
    which = gaussians.group(samples, grid)
    for _ in range(_ROUNDS):
        squared = squared_distances(difference, scales.reshape(-1, 4, 4), which)
        weights = (1 + difference.shape[1] * tail) / (1 + tail * squared)
        scales = gaussians.covariances(difference * np.sqrt(weights)[:, None], samples, grid, kind)
    return scales
