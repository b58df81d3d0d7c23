"""Fits how animals stay and roam to places that are known, each hidden in turn."""

import dataclasses
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from murid import tables
from murid.errors import LeftOut, naming
from murid.identify.judge import judge
from murid.models import fitted_path, fitted_weights
from murid.places import hypotheses, region
from murid.places.blanked import LENGTHS, Blank, hide, joined
from murid.places.hypotheses import Asked, Floats, Habits
from murid.places.model import Growth, PlacesModel
from murid.places.tracks import Tracks, gather
from murid.segment import Segment

if TYPE_CHECKING:
    from murid.places.stage import FitPlaces

log = logging.getLogger(__name__)

FEWEST = 200
"""Stretches without which nothing is fitted, and animals are taken to behave as others do."""
_MOST = 1_400
"""Stretches that are hidden in all."""
_ROUNDS = 300
_STRIDE = 0.5
"""By how much each number is changed at first, of logarithms."""
_ELSEWHERE = 0.02
"""Share of places that are anywhere: no single one decides."""
_AREA = 100.0
"""Square spans that a cage has."""
_BINS = (0.1, 0.3, 1.0, 3.0, 8.0, 20.0, 45.0)
"""Seconds to the nearest box, between which regions grow by one factor."""
_FEWEST_PLACES = 60
"""Places of a bin without which it takes the factor of all."""


def fit_segments(stage: "FitPlaces") -> PlacesModel:
    """Fit to segments; one of which the tables cannot be used is left out, and the log says so."""
    every = _read(stage)
    count = max(1, _MOST // (len(LENGTHS) * max(len(every), 1)))
    random = np.random.default_rng(stage.places.seed)
    blanks = [blank for tracks in every for blank in hide(tracks, count, random)]
    return fit(blanks, every[0].scale.to_pixels if every else np.eye(2))


def _read(stage: "FitPlaces") -> list[Tracks]:
    weights = fitted_weights.read(stage.weights)
    path_model = fitted_path.read(stage.path_model) if stage.path_model else None
    every, others = [], LeftOut(log)
    for row in stage.segments:
        segment = Segment.of(row, stage.transforms)
        with others.if_faulty(row.identities), naming(**segment.files):
            identities = tables.read(row.identities, "identities")
            if identities.empty or segment.verdict().discarded:
                continue
            fps, found = judge(segment, weights, path_model)
            every.append(gather(segment, identities, weights.lagged, found, fps))
    return every


def fit(blanks: Sequence[Blank], metric: Floats) -> PlacesModel:
    """Fit to places that are known, each hidden in turn.

    Parameters
    ----------
    blanks
        Stretches, of all lengths.
    metric
        (2, 2), spans to pixels.

    Returns
    -------
    Where there are too few, habits are those of :class:`Habits`, and regions grow by nothing.
    """
    told: dict[str, Any] = {"stretches": len(blanks)}
    if len(blanks) < FEWEST:
        log.warning(
            "%d stretches of known places, fewer than %d: how animals stay and roam is not learnt, "
            "but taken from others", len(blanks), FEWEST,
        )  # fmt: skip
        return PlacesModel(provenance={**told, "fitted": False})
    asked, truth, nearest = joined(blanks)
    start = _as_numbers(Habits())
    found = minimize(
        lambda numbers: surprise(asked, truth, _as_habits(numbers)),
        start,
        method="Nelder-Mead",
        options={
            # By default what is 0 would hardly be moved at all.
            "initial_simplex": np.vstack([start, start + _STRIDE * np.eye(len(start))]),
            "maxfev": _ROUNDS, "xatol": 0.02, "fatol": 1e-3,
        },
    )  # fmt: skip
    habits = _as_habits(found.x)
    told |= {"fitted": True, "surprise": round(float(found.fun), 4)}
    log.info("%d stretches; %s", len(blanks), habits)
    held = region.summarise(hypotheses.infer(asked, habits), metric)
    return PlacesModel(habits, _growth(region.oddness(held, truth), nearest), told)


def surprise(asked: Asked, truth: Floats, habits: Habits) -> float:
    """Return by how many nats true places (n, 2), spans, surprise on average."""
    mixture = hypotheses.infer(asked, habits)
    off = truth[:, None] - mixture.means
    odd = np.einsum("nki,nkij,nkj->nk", off, np.linalg.inv(mixture.covariances), off)
    each = np.exp(-odd / 2) / (2 * np.pi * np.sqrt(np.linalg.det(mixture.covariances)))
    density = (1 - _ELSEWHERE) * (mixture.weights * each).sum(axis=1) + _ELSEWHERE / _AREA
    return -float(np.log(density).mean())


def _growth(odd: Floats, nearest: Floats) -> Growth:
    """Find the factors with which regions hold what they say.

    Parameters
    ----------
    odd
        (n,) factor with which each region would hold the true place.
    nearest
        (n,) seconds to the nearest box.
    """
    which = np.digitize(nearest, _BINS)
    whole = float(np.quantile(odd, region.LEVEL))
    factors, seconds = [], []
    for number in range(len(_BINS) + 1):
        here = which == number
        if here.sum() < _FEWEST_PLACES:
            continue
        factors.append(round(float(np.quantile(odd[here], region.LEVEL)), 4))
        seconds.append(round(float(np.exp(np.log(nearest[here]).mean())), 3))
    return Growth(tuple(seconds), tuple(factors)) if seconds else Growth(factors=(whole,))


def _as_numbers(habits: Habits) -> Floats:
    """Return habits as numbers of any size: logarithms, of all but one that is one."""
    values = dataclasses.asdict(habits)
    astray = values.pop("astray")
    return np.array([*np.log(list(values.values())), astray])


def _as_habits(numbers: Floats) -> Habits:
    names = [field.name for field in dataclasses.fields(Habits) if field.name != "astray"]
    positive = np.exp(np.clip(numbers[:-1], -13, 13))
    values = {name: float(value) for name, value in zip(names, positive, strict=True)}
    return Habits(**values, astray=float(np.clip(numbers[-1], -50, 0)))
