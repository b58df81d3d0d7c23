"""How the boxes of visible animals vary: covariances, and clear against truncated (App. C.3)."""

from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import f as f_distribution

from murid.affinity import SHOWN
from murid.grid import Grid
from murid.weights import gaussians

COVARIANCES: tuple[gaussians.Covariance, ...] = get_args(gaussians.Covariance)
LEFT_OUT = "left_out"


def visible(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples that boxes are modelled by: clear or truncated, not marginal."""
    return samples[samples["visibility"].isin(SHOWN)]


def held_out_likelihood(
    fitted: pd.DataFrame, judged: pd.DataFrame, grid: Grid, kind: gaussians.Covariance
) -> float:
    """Fit means and covariance to some samples; return the mean log density of others' boxes.

    Raises
    ------
    InputError
        If the samples do not suffice for a fit.
    """
    centroids = fitted[["x", "y"]].to_numpy()
    homography = gaussians.fit_homography(fitted["antenna"].to_numpy(), centroids, grid)
    sizes = gaussians.mean_sizes(fitted, grid)
    difference = gaussians.residuals(fitted, homography, sizes, grid)
    spread = gaussians.covariances(difference, fitted, grid, kind)
    return gaussians.log_likelihood(judged, homography, sizes, spread, grid)


def compare_covariances(samples: pd.DataFrame, grid: Grid) -> pd.DataFrame:
    """Compare the choices of covariance by log-likelihood (Table C.1).

    Parameters
    ----------
    samples
        As :func:`murid.weights.samples.collect` gives, with columns ``cage`` and ``split``.
    grid
        The antenna grid.

    Returns
    -------
    One row a covariance and a set that is judged: ``covariance, fitted_to, judged_on, boxes,
    log_likelihood`` (natural logarithm of a density in pixels^-4, mean over the boxes).
    ``fitted_to`` is Train, or ``left_out``: all cages but the one in ``judged_on``. Without a box
    in Train the former rows are missing, with one cage the latter.
    """
    shown = visible(samples)
    cages = sorted(shown["cage"].unique())
    train = shown[shown["split"] == "Train"]
    pairs = []
    if len(train):
        pairs += [("Train", split, train, shown[shown["split"] == split])
                  for split in ("Train", "Validate")]  # fmt: skip
    if len(cages) > 1:
        pairs += [(LEFT_OUT, cage, shown[shown["cage"] != cage], shown[shown["cage"] == cage])
                  for cage in cages]  # fmt: skip
    rows = [
        (kind, source, name, len(judged), held_out_likelihood(fitted, judged, grid, kind))
        for kind in COVARIANCES
        for source, name, fitted, judged in pairs
        if len(judged)
    ]
    columns = ["covariance", "fitted_to", "judged_on", "boxes", "log_likelihood"]
    return pd.DataFrame(rows, columns=columns)


def hotelling(first: ArrayLike, second: ArrayLike) -> tuple[float, float, int, float]:
    """Test whether two samples of vectors have the same mean (Hotelling's T², equal covariances).

    Parameters
    ----------
    first, second
        (n, p) and (m, p).

    Returns
    -------
    T², F, the second degrees of freedom of F (the first are p), and the p value; NaN where the
    samples are too few or too much alike for a test.

    References
    ----------
    Hotelling, H. (1931). The generalization of Student's ratio. Annals of Mathematical Statistics
    2(3), 360-378.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    (n, dimensions), m = first.shape, len(second)
    degrees = n + m - dimensions - 1
    nothing = (float("nan"), float("nan"), degrees, float("nan"))
    if min(n, m) < 2 or degrees < 1:
        return nothing
    scatter = sum((part - part.mean(axis=0)).T @ (part - part.mean(axis=0))
                  for part in (first, second))  # fmt: skip
    pooled = scatter / (n + m - 2)
    if np.linalg.matrix_rank(pooled) < dimensions:
        return nothing
    difference = first.mean(axis=0) - second.mean(axis=0)
    squared = n * m / (n + m) * float(difference @ np.linalg.solve(pooled, difference))
    ratio = squared * degrees / (dimensions * (n + m - 2))
    return squared, ratio, degrees, float(f_distribution.sf(ratio, dimensions, degrees))


def compare_sizes(samples: pd.DataFrame, grid: Grid, significance: float) -> pd.DataFrame:
    """Test for each antenna whether clear and truncated boxes differ in width and height.

    Returns
    -------
    One row an antenna of the grid: ``antenna, clear, truncated`` (numbers of boxes), the mean
    ``clear_w, clear_h, truncated_w, truncated_h`` (pixels of the frame of reference), ``t_squared,
    f, df1, df2, p_value``, and ``significant`` (True, False, or None where there is no test).
    """
    shown = visible(samples)
    rows = []
    for antenna in grid.antennas:
        here = shown[shown["antenna"] == antenna]
        row: dict[str, object] = {"antenna": int(antenna)}
        parts = [here.loc[here["visibility"] == name, ["w", "h"]].to_numpy() for name in SHOWN]
        row |= {name: len(part) for name, part in zip(SHOWN, parts, strict=True)}
        for name, part in zip(SHOWN, parts, strict=True):
            mean = part.mean(axis=0) if len(part) else (np.nan, np.nan)
            row |= {f"{name}_w": float(mean[0]), f"{name}_h": float(mean[1])}
        squared, ratio, degrees, chance = hotelling(*parts)
        row |= {"t_squared": squared, "f": ratio, "df1": 2, "df2": degrees, "p_value": chance}
        row["significant"] = None if np.isnan(chance) else chance < significance
        rows.append(row)
    return pd.DataFrame(rows).astype({"significant": object})
