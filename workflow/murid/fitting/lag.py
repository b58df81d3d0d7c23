"""How late the antenna readings run, by the likelihood of the annotated boxes.

A reading is logged when the animal has been at the antenna for some time, so that the box of a
frame fits the reading of a later frame best. For each candidate lag the Gaussians are fitted anew.
The curve is flat around its top, and shifting by too much tells of places where the animal is not
yet, so the smallest lag is taken that the boxes cannot tell from the best (:data:`LEVEL`). Boxes of
one stretch of a segment are one observation: with few stretches, differences need to be large.
"""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student

from murid import timeline
from murid.fitting import gaussians, samples
from murid.grid import Antennas
from murid.models.hidden import SHOWN
from murid.segment import Segment

log = logging.getLogger(__name__)

LEVEL = 0.05
"""Of the one-sided test by which a lag is told from the best."""
FEWEST = 3
"""Stretches that a rig set-up needs to be judged by itself."""
STRETCH = 180
"""Seconds of a segment that are taken as one observation: a mouse that rests shows the same box
over and over."""

_KEY = ["segment", "frame", "animal"]


@dataclass(frozen=True)
class Curve:
    """How well boxes fit readings at each lag.

    Attributes
    ----------
    lags
        (k,) seconds.
    likelihood
        (k,) mean log density of a box, per pixel^4.
    behind
        (k,) by how much it falls short of the best lag's, in standard errors; 0 if all boxes are of
        one stretch, which has none.
    boxes, stretches
        Number of boxes, and of the stretches that they are from.
    """

    lags: NDArray[np.float64]
    likelihood: NDArray[np.float64]
    behind: NDArray[np.float64]
    boxes: int
    stretches: int

    @property
    def limit(self) -> float:
        """Standard errors from which on a lag is surely behind the best; infinite if none is.

        That of Student's t with a degree of freedom less than there are stretches.
        """
        return float(student.ppf(1 - LEVEL, self.stretches - 1)) if self.stretches > 1 else np.inf

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Tell which lags cannot be told from the best: (k,)."""
        return self.behind <= self.limit

    @property
    def chosen(self) -> float:
        """The smallest lag that cannot be told from the best."""
        return float(self.lags[self.possible][0])

    @property
    def best(self) -> float:
        """The lag that fits best."""
        return float(self.lags[self.likelihood.argmax()])

    @property
    def at_bound(self) -> bool:
        """Tell whether the best lag is the largest of those tried, so that it may lie beyond."""
        return len(self.lags) > 1 and self.best == self.lags[-1]


def shown(curve: Curve, chosen: float) -> dict[str, Any]:
    """Return a curve, and the lag chosen by it, as the report takes them."""
    return {
        "lags": curve.lags.tolist(),
        "log_likelihood": curve.likelihood.tolist(),
        "behind": curve.behind.tolist(),
        "possible": curve.possible.tolist(),
        "boxes": curve.boxes,
        "stretches": curve.stretches,
        "chosen": chosen,
    }


def candidates(largest: float, step: float) -> list[float]:
    """List the lags to try: 0, every ``step`` seconds, and the largest.

    Examples
    --------
    >>> candidates(1.0, 0.3), candidates(0.5, 1.0), candidates(0.0, 0.2)
    ([0.0, 0.3, 0.6, 0.9, 1.0], [0.0, 0.5], [0.0])
    """
    steps = math.ceil(round(largest / step, 6))
    return [*(round(number * step, 6) for number in range(steps)), largest]


def choose(by_rig: Mapping[str, Curve]) -> dict[str, float]:
    """Choose a lag for each rig set-up, and under ``""`` for any other.

    A rig set-up takes the lag of all together, unless its own boxes tell it from their best.

    Parameters
    ----------
    by_rig
        As :func:`curves` gives.
    """
    if not by_rig:
        return {"": 0.0}
    pooled = by_rig[""].chosen
    return {
        rig: pooled if curve.possible[curve.lags == pooled].all() else curve.chosen
        for rig, curve in by_rig.items()
    }


def warn(by_rig: Mapping[str, Curve], rigs: Sequence[str]) -> list[str]:
    """Say in words where lags rest on little, or on the bound of the search.

    Parameters
    ----------
    by_rig
        As :func:`curves` gives.
    rigs
        All rig set-ups. Of one alone nothing is said that is said of all together.
    """
    if not by_rig:
        return [
            "no animal with an annotated box was read all the while until the largest lag, so that "
            "nothing tells how late readings run: as if they did not; set fit_weights.lag"
        ]
    remarks = []
    if by_rig[""].stretches < 2:
        remarks.append(
            f"the annotated boxes are from {by_rig[''].stretches} stretch of {STRETCH} s: too few "
            "to tell how late readings run; annotate more segments, or set fit_weights.lag"
        )
    several = len(set(rigs)) > 1
    for rig in sorted(set(rigs) - by_rig.keys()) if several else ():
        remarks.append(
            f"rig set-up {rig!r}: boxes of fewer than {FEWEST} stretches of {STRETCH} s, too few "
            "to tell how late its readings run; it takes the lag of all rig set-ups together"
        )
    for rig, curve in by_rig.items():
        if curve.at_bound and (several or not rig):
            whose = f"rig set-up {rig!r}" if rig else "all rig set-ups together"
            remarks.append(
                f"{f'{whose}: ' if several else ''}readings fit best at the largest "
                f"lag that was tried, {curve.best:g} s, and may run later still; raise "
                "fit_weights.max_lag"
            )
    return remarks


def curves(
    segments: Sequence[Segment],
    grid: Antennas,
    covariance: gaussians.Covariance,
    lags: Sequence[float],
) -> dict[str, Curve]:
    """Measure the curve of all segments together, under ``""``, and of each rig set-up by itself.

    Only boxes whose animal has a reading at every lag are used; without any there is no curve. A
    rig set-up whose boxes are from fewer than :data:`FEWEST` stretches is left out.

    Raises
    ------
    InputError
        If the boxes do not suffice to fit the model.
    """
    traces = [timeline.trace(segment.positions, grid) for segment in segments]
    rows = pd.concat(
        [
            samples.from_trace(
                trace, segment.annotations, segment.matrix, grid, round(lag * segment.fps)
            ).assign(segment=number, rig=segment.rig, lag=lag)
            for lag in lags
            for number, (trace, segment) in enumerate(zip(traces, segments, strict=True))
        ],
        ignore_index=True,
    )
    every = rows[rows["visibility"].isin(SHOWN)]
    rows = every[every.groupby(_KEY)["lag"].transform("size") == len(lags)]
    if rows.empty and len(every):
        return {}
    by_lag = [rows[rows["lag"] == lag].reset_index(drop=True) for lag in lags]
    densities = np.array(
        [gaussians.log_densities(each, gaussians.fit(each, grid, covariance)) for each in by_lag]
    )
    boxes = by_lag[0]
    frames = boxes["segment"].map(lambda number: max(round(STRETCH * segments[number].fps), 1))
    stretch = boxes["segment"].astype(str) + "/" + (boxes["frame"] // frames).astype(str)
    observation, rig = pd.factorize(stretch)[0], boxes["rig"].to_numpy()
    result = {"": curve_of(np.asarray(lags), densities, observation)}
    for name in np.unique(rig):
        here = rig == name
        if len(np.unique(observation[here])) >= FEWEST:
            result[str(name)] = curve_of(np.asarray(lags), densities[:, here], observation[here])
    return result


def curve_of(
    lags: NDArray[np.float64], densities: NDArray[np.float64], observation: NDArray[np.int64]
) -> Curve:
    """Measure a curve.

    Parameters
    ----------
    lags
        (k,) seconds.
    densities
        (k, n) log densities of n boxes, or frames, at each.
    observation
        (n,) the stretch that each is of, numbered from 0.
    """
    likelihood = densities.mean(axis=1)
    shortfall = densities[likelihood.argmax()] - densities
    mean = shortfall.mean(axis=1)
    number, which = np.unique(observation, return_inverse=True)
    centred = shortfall - mean[:, None]
    sums = np.array([np.bincount(which, row, minlength=len(number)) for row in centred])
    # With the mean taken off, there is a degree of freedom less than there are stretches.
    error = np.sqrt((sums**2).sum(axis=1) * len(number) / max(len(number) - 1, 1))
    error /= densities.shape[1]
    certain = (error > 0) & (len(number) > 1)
    behind = np.divide(mean, error, out=np.zeros(len(lags)), where=certain)
    return Curve(lags, likelihood, behind, densities.shape[1], len(number))
