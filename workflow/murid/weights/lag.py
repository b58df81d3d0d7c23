"""How late the antenna readings run, by the likelihood of the annotated boxes.

A reading is logged when the animal has been at the antenna for some time, so that the box of a
frame fits the reading of a later frame best. For each candidate lag the Gaussians are fitted anew.
The curve is flat around its top, and shifting by too much tells of places where the animal is not
yet, so the smallest lag is taken that the boxes cannot tell from the best (:data:`CONFIDENCE`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import timeline
from murid.affinity import SHOWN
from murid.grid import Grid
from murid.weights import gaussians, samples

CONFIDENCE = 1.645
"""Standard errors by which a lag may fall behind the best: a one-sided test at 5%."""
FEWEST = 300
"""Boxes that a rig set-up needs for a lag of its own."""
STRETCH = 4_500
"""Frames of a segment that are taken as one observation, three minutes at 25 a second: a mouse that
rests shows the same box over and over."""

_KEY = ["segment", "frame", "animal"]


@dataclass(frozen=True)
class Part:
    """An annotated segment: its tables, the transform of its rig set-up, and the rig's name."""

    positions: pd.DataFrame
    annotations: pd.DataFrame
    matrix: ArrayLike
    rig: str


@dataclass(frozen=True)
class Curve:
    """How well boxes fit readings at each lag.

    Attributes
    ----------
    lags
        (k,) frames.
    likelihood
        (k,) mean log density of a box, per pixel^4.
    behind
        (k,) by how much it falls short of the best lag's, in standard errors; 0 if all boxes are of
        one observation, which has none.
    boxes
        Number of boxes.
    """

    lags: NDArray[np.int64]
    likelihood: NDArray[np.float64]
    behind: NDArray[np.float64]
    boxes: int

    @property
    def chosen(self) -> int:
        """The smallest lag that cannot be told from the best."""
        return int(self.lags[np.flatnonzero(self.behind <= CONFIDENCE)[0]])


def curves(
    parts: Sequence[Part], grid: Grid, covariance: gaussians.Covariance, lags: Sequence[int]
) -> dict[str, Curve]:
    """Measure the curve of all segments together, under ``""``, and of each rig set-up by itself.

    Only boxes whose animal has a reading at every lag are used. A rig set-up of fewer than
    :data:`FEWEST` boxes is left out.

    Raises
    ------
    InputError
        If the boxes do not suffice to fit the model.
    """
    traces = [timeline.trace(part.positions, grid) for part in parts]
    shifted = []
    for lag in lags:
        rows = [
            samples.from_trace(trace, part.annotations, part.matrix, grid, lag).assign(
                segment=number, rig=part.rig
            )
            for number, (trace, part) in enumerate(zip(traces, parts, strict=True))
        ]
        joined = pd.concat(rows, ignore_index=True)
        shifted.append(joined[joined["visibility"].isin(SHOWN)].set_index(_KEY))
    common = shifted[0].index
    for rows in shifted[1:]:
        common = common.intersection(rows.index, sort=False)
    densities = np.array([_densities(rows.loc[common], grid, covariance) for rows in shifted])
    keys = common.to_frame(index=False)
    stretch = keys["segment"].astype(str) + "/" + (keys["frame"] // STRETCH).astype(str)
    observation = pd.factorize(stretch)[0]
    rig = shifted[0].loc[common, "rig"].to_numpy()
    found = {"": _curve(np.asarray(lags), densities, observation)}
    for name in np.unique(rig):
        own = rig == name
        if own.sum() >= FEWEST:
            found[str(name)] = _curve(np.asarray(lags), densities[:, own], observation[own])
    return found


def _densities(
    rows: pd.DataFrame, grid: Grid, covariance: gaussians.Covariance
) -> NDArray[np.float64]:
    """Fit means and covariances to boxes, and return each box's log density: (n,)."""
    rows = rows.reset_index()
    antennas = rows["antenna"].to_numpy()
    homography = gaussians.fit_homography(antennas, rows[["x", "y"]].to_numpy(), grid)
    sizes = gaussians.mean_sizes(rows, grid)
    difference = gaussians.residuals(rows, homography, sizes, grid)
    spread = gaussians.covariances(difference, rows, grid, covariance)
    return gaussians.log_densities(rows, homography, sizes, spread, grid)


def _curve(
    lags: NDArray[np.int64], densities: NDArray[np.float64], observation: NDArray[np.int64]
) -> Curve:
    likelihood = densities.mean(axis=1)
    shortfall = densities[likelihood.argmax()] - densities
    mean = shortfall.mean(axis=1)
    number, which = np.unique(observation, return_inverse=True)
    centred = shortfall - mean[:, None]
    sums = np.array([np.bincount(which, row, minlength=len(number)) for row in centred])
    error = np.sqrt((sums**2).sum(axis=1)) / densities.shape[1]
    told = (error > 0) & (len(number) > 1)
    behind = np.divide(mean, error, out=np.zeros(len(lags)), where=told)
    return Curve(lags, likelihood, behind, densities.shape[1])
