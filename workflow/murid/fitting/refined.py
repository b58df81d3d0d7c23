"""Where boxes lie given an antenna, beyond the paper: antennas off the projection, odd boxes."""

from dataclasses import replace

import numpy as np
import pandas as pd

from murid.fitting import gaussians, offsets, tails
from murid.fitting.samples import GEOMETRY
from murid.grid import Antennas
from murid.models.fitted_weights import Gaussians


def fit(samples: pd.DataFrame, grid: Antennas, kind: gaussians.Covariance) -> Gaussians:
    """Fit where boxes lie given an antenna, and how they vary.

    Parameters
    ----------
    samples, grid, kind
        As for :func:`murid.fitting.gaussians.fit`; the samples with a column ``stay``, as
        :func:`murid.fitting.offsets.stays` numbers them.

    Raises
    ------
    InputError
        If the boxes are of too few antennas.
    """
    plain = gaussians.fit(samples, grid, kind)
    difference = gaussians.residuals(samples, plain.homography, plain.sizes, grid)
    antennas = samples["antenna"].to_numpy(dtype=np.int64)
    off = offsets.fit(difference, antennas, samples["stay"].to_numpy(dtype=np.int64), grid)
    scales, tail = tails.fit(difference - off[antennas - 1], samples, grid, kind)
    return replace(
        plain, offsets=off.reshape(grid.size, len(GEOMETRY)), covariances=scales, tail=tail
    )
