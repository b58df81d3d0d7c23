"""How the boxes of visible animals vary: covariances, and clear against truncated (App. C.3)."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import f as f_distribution

from murid.fitting import gaussians
from murid.grid import Antennas
from murid.models.hidden import SHOWN

COVARIANCES: tuple[gaussians.Covariance, ...] = get_args(gaussians.Covariance)
SPLITS = ("Train", "Validate")
LEFT_OUT = "left_out"


def visible(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples that boxes are modelled by: clear or truncated, not marginal."""
    return samples[samples["visibility"].isin(SHOWN)]


def likelihoods(
    fitted: pd.DataFrame, judged: Mapping[str, pd.DataFrame], grid: Antennas
) -> Iterator[tuple[str, str, float]]:
    """Fit means and every covariance to some samples; judge the fits on others.

    Yields
    ------
    The covariance, the name of the samples judged, and the mean log density of their boxes.

    Raises
    ------
    InputError
        If the samples do not suffice for a fit.
    """
    pooled = gaussians.fit(fitted, grid, "pooled")
    difference = gaussians.residuals(fitted, pooled.homography, pooled.sizes, grid)
    for kind in COVARIANCES:
        spread = gaussians.covariances(difference, fitted, grid, kind)
        model = replace(pooled, covariances=spread)
        for name, rows in judged.items():
            yield kind, name, float(gaussians.log_densities(rows, model).mean())


def compare_covariances(samples: pd.DataFrame, grid: Antennas) -> pd.DataFrame:
    """Compare the choices of covariance by log-likelihood (Table C.1).

    Parameters
    ----------
    samples
        As :func:`murid.fitting.samples.collect` gives, with columns ``cage`` and ``split``.
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
    train = shown[shown["split"] == "Train"]
    by_split = {name: rows for name, rows in shown.groupby("split") if name in SPLITS}
    by_cage = dict(iter(shown.groupby("cage")))
    jobs = [("Train", train, by_split)] if len(train) else []
    if len(by_cage) > 1:
        jobs += [
            (LEFT_OUT, shown[shown["cage"] != cage], {cage: rows}) for cage, rows in by_cage.items()
        ]
    rows = [
        (kind, source, name, len(judged[name]), value)
        for source, fitted, judged in jobs
        for kind, name, value in likelihoods(fitted, judged, grid)
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


def compare_sizes(samples: pd.DataFrame, grid: Antennas, significance: float) -> pd.DataFrame:
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
        parts = {name: here.loc[here["visibility"] == name, ["w", "h"]] for name in SHOWN}
        row: dict[str, Any] = {
            "antenna": int(antenna),
            **{name: len(part) for name, part in parts.items()},
        }
        for name, part in parts.items():
            row |= {f"{name}_{side}": part[side].mean() for side in ("w", "h")}
        squared, ratio, degrees, chance = hotelling(*parts.values())
        row |= {"t_squared": squared, "f": ratio, "df1": 2, "df2": degrees, "p_value": chance}
        row["significant"] = None if np.isnan(chance) else chance < significance
        rows.append(row)
    return pd.DataFrame(rows).astype({"significant": object})
