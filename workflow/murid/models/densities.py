"""Log densities of Gaussians and of Student's t, in any number of dimensions."""

import math

import numpy as np
from numpy.typing import NDArray

_STRAIGHT = 1e-6
"""Tail below which Student's t is no other than a Gaussian."""

Floats = NDArray[np.float64]


def log_gaussian(difference: Floats, covariances: Floats, which: NDArray[np.int64]) -> Floats:
    """Return zero-mean Gaussian log densities: (n, d), (k, d, d), (n,) -> (n,)."""
    return log_student(difference, covariances, which, 0.0)


def log_student(
    difference: Floats, scales: Floats, which: NDArray[np.int64], tail: float
) -> Floats:
    """Return zero-mean log densities of Student's t: (n, d), (k, d, d), (n,) -> (n,).

    Parameters
    ----------
    difference
        What is less its mean.
    scales
        Scale matrices, which are covariances where ``tail`` is 0.
    which
        The scale matrix of each.
    tail
        One over the degrees of freedom; 0 is a Gaussian.
    """
    dimensions = difference.shape[1]
    lower = np.linalg.cholesky(scales)
    normaliser = -np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
    if tail < _STRAIGHT:
        normaliser -= dimensions / 2 * np.log(2 * np.pi)
        return normaliser[which] - squared_distances(difference, scales, which) / 2
    freedom = 1 / tail
    power = (freedom + dimensions) / 2
    gammas = math.lgamma(power) - math.lgamma(freedom / 2)
    normaliser += gammas - dimensions / 2 * np.log(freedom * np.pi)
    squared = squared_distances(difference, scales, which)
    return normaliser[which] - power * np.log1p(tail * squared)


def squared_distances(difference: Floats, scales: Floats, which: NDArray[np.int64]) -> Floats:
    """Return squared Mahalanobis distances: (n, d), (k, d, d), (n,) -> (n,)."""
    precision_root = np.linalg.inv(np.linalg.cholesky(scales))
    result = np.zeros(len(difference))
    # A dimension at a time, over all boxes: many times as fast as small matrices.
    columns = np.ascontiguousarray(difference.T)
    for row in range(difference.shape[1]):
        whitened = sum(
            precision_root[which, row, column] * columns[column] for column in range(row + 1)
        )
        result += whitened**2
    return result
