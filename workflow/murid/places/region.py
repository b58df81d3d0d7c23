"""A place and a region of many possible ones: where an animal probably is, and how surely."""

from typing import NamedTuple

import numpy as np

from murid.places.hypotheses import Floats, Mixture

LEVEL = 0.9
"""Probability with which the true centre lies in its region."""
_DRAWS = 24
_TURN = np.pi * (3 - np.sqrt(5))


def _normal_draws(count: int) -> Floats:
    """Return points that are spread as a standard normal in the plane: (count, 2).

    On a spiral of the golden angle, each with an equal share of the probability (Vogel 1979).
    """
    shares = (np.arange(count) + 0.5) / count
    radius, angle = np.sqrt(-2 * np.log1p(-shares)), np.arange(count) * _TURN
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


_NORMAL = _normal_draws(_DRAWS)


class Region(NamedTuple):
    """Where n animals probably are.

    Attributes
    ----------
    places
        (n, 2) the point near which the true one most probably is, within half a span or so: an
        animal that rested here or there is at one of both, and not halfway between.
    shapes
        (n, 2, 2) of the ellipse about it that holds the true one with a probability of 0.9: those
        at d with ``d @ inv(shape) @ d <= 1``.
    """

    places: Floats
    shapes: Floats


def summarise(mixture: Mixture, metric: Floats) -> Region:
    """Summarise where animals may be.

    Parameters
    ----------
    mixture
        Of n places, spans.
    metric
        (2, 2), spans to pixels: nearness is told in pixels.
    """
    weights, means, covariances = mixture
    count = len(weights)
    roots = np.linalg.cholesky(covariances)
    draws = means[:, :, None] + np.einsum("nkij,dj->nkdi", roots, _NORMAL)
    draws = draws.reshape(count, -1, 2)
    share = np.repeat(weights / _DRAWS, _DRAWS, axis=1)
    middle = np.einsum("nk,nki->ni", weights, means)
    candidates = np.concatenate([means, middle[:, None]], axis=1)
    away = (draws[:, None] - candidates[:, :, None]) @ metric.T
    near = np.sqrt(abs(np.linalg.det(metric))) / 2
    cost = np.einsum("ncd,nd->nc", -np.exp(-np.sqrt((away**2).sum(axis=-1)) / near), share)
    places = candidates[np.arange(count), cost.argmin(axis=1)]
    off = draws - places[:, None]
    shapes = np.einsum("ndi,ndj,nd->nij", off, off, share)
    odd = np.einsum("ndi,nij,ndj->nd", off, np.linalg.inv(shapes), off)
    order = np.argsort(odd, axis=1, kind="stable")
    held = np.cumsum(np.take_along_axis(share, order, axis=1), axis=1)
    last = (held < LEVEL).sum(axis=1).clip(0, odd.shape[1] - 1)
    radius = np.take_along_axis(np.take_along_axis(odd, order, axis=1), last[:, None], axis=1)
    return Region(places, shapes * radius[..., None])


def oddness(region: Region, truth: Floats) -> Floats:
    """Return by how much each region must grow to hold the true place: (n, 2) -> (n,) factors."""
    off = truth - region.places
    return np.sqrt(np.einsum("ni,nij,nj->n", off, np.linalg.inv(region.shapes), off))
