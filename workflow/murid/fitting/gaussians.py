"""Where an animal's box lies, and how large it is, given its antenna (Sect. 4.3, Appendix C.3)."""

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import least_squares

from murid.errors import InputError
from murid.fitting import shifted_places
from murid.fitting.samples import GEOMETRY
from murid.grid import Antennas
from murid.models.densities import log_student
from murid.models.fitted_weights import Gaussians, project
from murid.models.hidden import SHOWN
from murid.settings import Image

Covariance = Literal["spherical", "pooled", "per_visibility", "per_row"]
Floats = NDArray[np.float64]

_FEW = 10
"""Samples below which a row or visibility takes the pooled estimate instead of its own."""
_LEAST_VARIANCE = 1 / 12
"""Square pixels: that of a border known to a pixel. However alike boxes are, they are no better."""


def fit(samples: pd.DataFrame, grid: Antennas, kind: Covariance) -> Gaussians:
    """Fit where boxes lie given an antenna, and how they vary, as the paper does.

    Parameters
    ----------
    samples
        As :func:`murid.fitting.samples.collect` gives, of visible animals alone.
    grid
        The antenna grid.
    kind
        What covariances may differ by, as :func:`covariances` has it.

    Raises
    ------
    InputError
        If the boxes are of too few antennas.
    """
    centroids = samples[["x", "y"]].to_numpy()
    homography = fit_homography(samples["antenna"].to_numpy(), centroids, grid)
    sizes = mean_sizes(samples, grid)
    difference = residuals(samples, homography, sizes, grid)
    spread = covariances(difference, samples, grid, kind)
    return Gaussians(grid, homography, sizes, spread, np.zeros((grid.size, len(GEOMETRY))), 0.0)


def fit_homography(antennas: NDArray[np.int64], centroids: Floats, grid: Antennas) -> Floats:
    """Fit the homography from coordinates of antennas to centroids over all boxes, robustly.

    Where the places of antennas are known, as :mod:`murid.fitting.shifted_places`. Otherwise it
    minimises a soft-L1 loss of the distance in pixels, whose scale is the median distance left by
    the best affine map, from which it starts (a closed-form start may lie beyond a pole).

    Parameters
    ----------
    antennas
        (n,), the animal's antenna for each box.
    centroids
        (n, 2), pixels of the frame of reference.

    Returns
    -------
    (3, 3), with a last entry of 1.

    Raises
    ------
    InputError
        If no antenna was visited; or nothing tells the places of antennas, and fewer than four, or
        those of a single row or column, were visited.
    """
    if grid.view is not None and len(antennas):
        return shifted_places.fit(antennas, centroids, grid, grid.view)
    if not are_spread(antennas, grid):
        visited = np.unique(antennas)
        raise InputError(
            "annotations",
            f"boxes at the antennas {', '.join(map(str, visited)) or '(none)'} only",
            "boxes at four antennas or more, in several rows and columns",
            remedy="Annotate more frames of the splits in fit_weights.splits.",
        )
    ground = grid.coordinates(antennas)
    affine, *_ = np.linalg.lstsq(
        np.column_stack([ground, np.ones(len(ground))]), centroids, rcond=None
    )
    start = np.vstack([affine.T, [0.0, 0.0, 1.0]])
    scale = float(np.median(np.linalg.norm(project(start, ground) - centroids, axis=1)))

    def residuals(free: Floats) -> Floats:
        return (project(np.append(free, 1.0).reshape(3, 3), ground) - centroids).ravel()

    fitted = least_squares(
        residuals, start.ravel()[:8], loss="soft_l1", f_scale=max(scale, 1e-3), x_scale="jac"
    )
    return np.append(fitted.x, 1.0).reshape(3, 3)


def are_spread(antennas: NDArray[np.int64], grid: Antennas) -> bool:
    """Tell whether antennas, (n,), fix a homography: four or more that are not in one line."""
    visited = np.unique(antennas)
    points = grid.coordinates(visited)
    return len(visited) >= 4 and bool(np.linalg.matrix_rank(points - points.mean(axis=0)) == 2)


def mean_sizes(samples: pd.DataFrame, grid: Antennas) -> Floats:
    """Return the mean width and height by antenna row and visibility: (rows, 2, 2), pixels.

    A row that shows a visibility fewer than ten times takes the mean over all rows; a visibility
    that no box shows, the mean over all boxes.
    """
    rows = grid.row(samples["antenna"])
    sizes = np.empty((grid.rows, len(SHOWN), 2))
    for index, shown in enumerate(SHOWN):
        here = (samples["visibility"] == shown).to_numpy()
        here = here | (not here.any())
        overall = samples.loc[here, ["w", "h"]].mean().to_numpy()
        for row in range(grid.rows):
            boxes = samples.loc[here & (rows == row), ["w", "h"]]
            sizes[row, index] = boxes.mean().to_numpy() if len(boxes) >= _FEW else overall
    return sizes


def residuals(samples: pd.DataFrame, homography: Floats, sizes: Floats, grid: Antennas) -> Floats:
    """Return each box less its mean: (n, 4), pixels."""
    antennas = samples["antenna"].to_numpy()
    shown = visibility_index(samples)
    centroids = project(homography, grid.coordinates(antennas))
    mean = np.column_stack([centroids, sizes[grid.row(antennas), shown]])
    return samples[GEOMETRY].to_numpy() - mean


def visibility_index(samples: pd.DataFrame) -> NDArray[np.int64]:
    """Return the index of each sample's visibility in ``affinity.SHOWN``: (n,)."""
    return samples["visibility"].map(SHOWN.index).to_numpy(dtype=np.int64)


def covariances(
    difference: Floats, samples: pd.DataFrame, grid: Antennas, kind: Covariance
) -> Floats:
    """Return the covariance by antenna row and visibility: (rows, 2, 4, 4).

    ``spherical``: one variance for all four dimensions; ``pooled``: one full covariance;
    ``per_visibility``, ``per_row``: a full one each (a group of fewer than ten boxes takes the
    pooled one). None is narrower in any direction than boxes are drawn.
    """
    return no_narrower(_covariances(difference, samples, grid, kind))


def _covariances(
    difference: Floats, samples: pd.DataFrame, grid: Antennas, kind: Covariance
) -> Floats:
    pooled = difference.T @ difference / len(difference)
    shape = (grid.rows, len(SHOWN), 4, 4)
    if kind == "spherical":
        return np.broadcast_to(np.eye(4) * np.mean(difference**2), shape).copy()
    result = np.broadcast_to(pooled, shape).copy()
    if kind == "pooled":
        return result
    groups = visibility_index(samples) if kind == "per_visibility" else grid.row(samples["antenna"])
    for group in np.unique(groups):
        part = difference[groups == group]
        if len(part) >= _FEW:
            place = (slice(None), group) if kind == "per_visibility" else (group,)
            result[place] = part.T @ part / len(part)
    return result


def no_narrower(covariances: Floats) -> Floats:
    """Return covariances of which no direction has less than the least variance: (..., d, d)."""
    variances, directions = np.linalg.eigh(covariances)
    narrow = (variances < _LEAST_VARIANCE).any(axis=-1)
    result = covariances.copy()
    wide = np.maximum(variances[narrow], _LEAST_VARIANCE)[..., None, :]
    result[narrow] = (directions[narrow] * wide) @ directions[narrow].swapaxes(-1, -2)
    return result


def log_densities(samples: pd.DataFrame, model: Gaussians) -> Floats:
    """Return the log density of each box given antenna and visibility: (n,), per pixel^4."""
    means = model.means(samples["antenna"])[np.arange(len(samples)), visibility_index(samples)]
    difference = samples[GEOMETRY].to_numpy() - means
    flat = model.covariances.reshape(-1, len(GEOMETRY), len(GEOMETRY))
    return log_student(difference, flat, group(samples, model.grid), model.tail)


def group(samples: pd.DataFrame, grid: Antennas) -> NDArray[np.int64]:
    """Return the place of each sample's covariance, of all by row and visibility: (n,)."""
    return grid.row(samples["antenna"]) * len(SHOWN) + visibility_index(samples)


def fit_outlier(samples: pd.DataFrame, image: Image) -> tuple[Floats, Floats]:
    """Return mean (4,) and covariance (4, 4) of a box that belongs to no animal (Sect. 4.3).

    The centroid is spread over the image (standard deviations of half its sides); the size is a
    Gaussian fitted to all annotated boxes.
    """
    sizes = samples[["w", "h"]].to_numpy()
    half = np.array([image.width, image.height]) / 2
    covariance = np.zeros((4, 4))
    covariance[:2, :2] = np.diag(half**2)
    if len(sizes) > 1:
        covariance[2:, 2:] = np.cov(sizes.T)
    return np.append(half, sizes.mean(axis=0)), no_narrower(covariance)
