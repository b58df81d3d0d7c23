"""How well a box fits an animal: the probability of a box given the animal's antenna (Sect. 3.3).

The model is an artefact of numbers, fitted by ``murid fit-weights`` and used by ``murid identify``:
Gaussians of the box by antenna and visibility, the visibility's distribution tabulated over every
antenna and context that can occur, and the outlier's Gaussian. It is kept as JSON, never a pickle.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murid.errors import InputError
from murid.files import read_model, write_text
from murid.grid import CELLS, Grid

FORMAT = "murid weights 2"
SHOWN = ("clear", "truncated")
"""Visibilities of an animal that has a box, in the order of the model's arrays."""
OUTCOMES = (*SHOWN, "hidden")
"""Visibilities that the tabulated distribution covers, in the order of its columns."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Affinity:
    """The fitted model of a box given an antenna.

    Attributes
    ----------
    grid
        The antenna grid that it was fitted for.
    animals
        Most animals a cage may have for the visibility table to cover every context.
    homography
        (3, 3), antenna-grid coordinates (column, row) to the centroid in the frame of reference.
    sizes
        (rows, 2, 2), mean width and height by antenna row and visibility of ``SHOWN``, pixels.
    covariances
        (rows, 2, 4, 4), of ``[x, y, w, h]`` around the mean, by antenna row and visibility.
    outlier_mean, outlier_covariance
        (4,) and (4, 4), of a box that belongs to no animal.
    contexts
        (k, 10) int64, antenna and the counts in its nine cells; every combination that can occur.
    visibility
        (k, 3), probability of clear, truncated, hidden for each row of ``contexts``.
    hidden_share
        Share of hidden animals in the annotations; used where an animal has no reading.
    provenance
        What it was fitted to and how well, for the report; not used by the model.
    lags
        Frames by which readings run late, by rig set-up, and under ``""`` of any other; the model
        was fitted to readings put right by as much.
    """

    grid: Grid
    animals: int
    homography: Floats
    sizes: Floats
    covariances: Floats
    outlier_mean: Floats
    outlier_covariance: Floats
    contexts: NDArray[np.int64]
    visibility: Floats
    hidden_share: float
    provenance: Mapping[str, Any] = field(default_factory=dict)
    lags: Mapping[str, int] = field(default_factory=lambda: {"": 0})

    def lag(self, rig: str) -> int:
        """Return by how many frames the readings of a rig set-up run late."""
        return self.lags.get(rig, self.lags[""])

    def centroids(self, antennas: ArrayLike) -> Floats:
        """Project antennas into the frame of reference: (n,) -> (n, 2), pixels."""
        return project(self.homography, self.grid.coordinates(antennas))

    def visibility_of(self, antennas: ArrayLike, contexts: ArrayLike) -> Floats:
        """Look up the visibility's distribution p(v | p, c): (n,), (n, 9) -> (n, 3).

        Raises
        ------
        InputError
            If a combination is not tabulated: more animals than the model was fitted for.
        """
        wanted = self._code(np.column_stack([antennas, contexts]))
        known = self._code(self.contexts)
        order = np.argsort(known)
        place = np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)
        rows = order[place]
        if not np.array_equal(known[rows], wanted):
            raise InputError(
                "weights", f"a context of more than {self.animals} animals", "at most that many",
                remedy="Fit the weights again with --animals set to the largest group.",
            )  # fmt: skip
        return self.visibility[rows]

    def _code(self, rows: ArrayLike) -> NDArray[np.int64]:
        rows = np.asarray(rows, dtype=np.int64)
        base = max(self.animals, 2)
        counts = np.minimum(rows[:, 1:], base)
        return rows[:, 0] * (base + 1) ** CELLS + counts @ (base + 1) ** np.arange(CELLS)

    def log_box(self, boxes: ArrayLike, antennas: ArrayLike, contexts: ArrayLike) -> Floats:
        """Return log p(box, visible | antenna, context), Eqs. 5-7 summed over the visibility.

        Parameters
        ----------
        boxes
            (n, 4), ``[x, y, w, h]`` with the *centroid* first, in the frame of reference.
        antennas
            (n,), 0 = no reading: the box is then weighed as an outlier that is not hidden.
        contexts
            (n, 9), counts of the other animals around.

        Returns
        -------
        (n,), log density per pixel^4.
        """
        boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
        antennas = np.asarray(antennas, dtype=np.int64)
        known = antennas > 0
        result = np.empty(len(boxes))
        result[~known] = self.log_outlier(boxes[~known]) + np.log1p(-self.hidden_share)
        if known.any():
            seen, near = antennas[known], np.asarray(contexts)[known]
            rows = self.grid.row(seen)
            chances = self.visibility_of(seen, near)
            centroids = self.centroids(self.grid.antennas)[seen - 1]
            parts = np.empty((len(seen), len(SHOWN)))
            for shown in range(len(SHOWN)):
                mean = np.column_stack([centroids, self.sizes[rows, shown]])
                density = log_gaussian(boxes[known] - mean, self.covariances[:, shown], rows)
                with np.errstate(divide="ignore"):
                    parts[:, shown] = density + np.log(chances[:, shown])
            result[known] = np.logaddexp(parts[:, 0], parts[:, 1])
        return result

    def log_hidden(self, antennas: ArrayLike, contexts: ArrayLike) -> Floats:
        """Return log p(hidden | antenna, context), a hidden tracklet's weight a frame: (n,)."""
        antennas = np.asarray(antennas, dtype=np.int64)
        known = antennas > 0
        result = np.full(len(antennas), self.hidden_share)
        if known.any():
            chances = self.visibility_of(antennas[known], np.asarray(contexts)[known])
            result[known] = chances[:, OUTCOMES.index("hidden")]
        with np.errstate(divide="ignore"):
            return np.log(result)

    def log_outlier(self, boxes: ArrayLike) -> Floats:
        """Return log p(box | outlier): (n, 4) centroid-first boxes -> (n,)."""
        difference = np.asarray(boxes, dtype=np.float64).reshape(-1, 4) - self.outlier_mean
        rows = np.zeros(len(difference), dtype=np.int64)
        return log_gaussian(difference, self.outlier_covariance[None], rows)


def project(homography: ArrayLike, points: ArrayLike) -> Floats:
    """Map points by a homography: (3, 3), (n, 2) -> (n, 2)."""
    points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    mapped = np.column_stack([points, np.ones(len(points))]) @ np.asarray(homography).T
    return mapped[:, :2] / mapped[:, 2:]


def log_gaussian(difference: Floats, covariances: Floats, which: NDArray[np.int64]) -> Floats:
    """Return zero-mean Gaussian log densities: (n, d), (k, d, d), (n,) -> (n,)."""
    dimensions = difference.shape[1]
    lower = np.linalg.cholesky(covariances)
    precision_root = np.linalg.inv(lower)
    normaliser = -np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
    normaliser -= dimensions / 2 * np.log(2 * np.pi)
    result = normaliser[which]
    # A dimension at a time, over all boxes: many times as fast as small matrices.
    columns = np.ascontiguousarray(difference.T)
    for row in range(dimensions):
        whitened = sum(
            precision_root[which, row, column] * columns[column] for column in range(row + 1)
        )
        result -= whitened**2 / 2
    return result


_ARRAYS = {
    "homography": (np.float64, 2),
    "sizes": (np.float64, 3),
    "covariances": (np.float64, 4),
    "outlier_mean": (np.float64, 1),
    "outlier_covariance": (np.float64, 2),
    "contexts": (np.int64, 2),
    "visibility": (np.float64, 2),
}


@dataclass(frozen=True)
class Weights:
    """What ``murid fit-weights`` learns.

    Attributes
    ----------
    paper
        The paper's model, of readings as they are.
    lagged
        The same, of readings put right by the lag.
    """

    paper: Affinity
    lagged: Affinity


def write(weights: Weights, path: str | Path) -> None:
    """Write the models as JSON."""
    lines = [f'"format": {json.dumps(FORMAT)}']
    for part in fields(weights):
        content = ",\n".join(_content(getattr(weights, part.name)))
        lines.append(f"{json.dumps(part.name)}: {{\n{content}\n}}")
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def _content(affinity: Affinity) -> list[str]:
    content: dict[str, Any] = {
        "grid": {"rows": affinity.grid.rows, "columns": affinity.grid.columns},
        "animals": affinity.animals,
        "lags": dict(affinity.lags),
        "hidden_share": affinity.hidden_share,
        "provenance": dict(affinity.provenance),
    }
    content |= {name: getattr(affinity, name).tolist() for name in _ARRAYS}
    return [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in content.items()]


def read(path: str | Path) -> Weights:
    """Read models written by :func:`write`.

    Raises
    ------
    InputError
        If the file is missing, is no such JSON, or its parts do not fit each other.
    """
    return read_model(
        path,
        "weights",
        FORMAT,
        lambda content: Weights(
            **{part.name: _affinity(content[part.name]) for part in fields(Weights)}
        ),
    )


def _affinity(content: Mapping[str, Any]) -> Affinity:
    arrays = {}
    for name, (kind, dimensions) in _ARRAYS.items():
        arrays[name] = np.array(content[name], dtype=kind)
        if arrays[name].ndim != dimensions:
            raise ValueError(f"{name} has {arrays[name].ndim} dimensions, not {dimensions}")
    affinity = Affinity(
        grid=Grid(int(content["grid"]["rows"]), int(content["grid"]["columns"])),
        animals=int(content["animals"]),
        hidden_share=float(content["hidden_share"]),
        provenance=content["provenance"],
        lags={str(rig): int(lag) for rig, lag in content["lags"].items()},
        **arrays,
    )
    _check(affinity)
    return affinity


def _check(affinity: Affinity) -> None:
    rows, entries = affinity.grid.rows, len(affinity.contexts)
    shapes = {
        "homography": (3, 3), "sizes": (rows, 2, 2), "covariances": (rows, 2, 4, 4),
        "outlier_mean": (4,), "outlier_covariance": (4, 4), "contexts": (entries, 1 + CELLS),
        "visibility": (entries, len(OUTCOMES)),
    }  # fmt: skip
    for name, shape in shapes.items():
        array = getattr(affinity, name)
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"{name} is not {shape} of finite numbers")
    np.linalg.cholesky(affinity.covariances)
    np.linalg.cholesky(affinity.outlier_covariance)
    if (affinity.visibility <= 0).any() or not np.allclose(affinity.visibility.sum(axis=1), 1):
        raise ValueError("visibility is not made of distributions without zeros")
    if "" not in affinity.lags or min(affinity.lags.values()) < 0:
        raise ValueError("lags are not 0 or more, for any rig")
    if not 0 < affinity.hidden_share < 1:
        raise ValueError("hidden_share is not between 0 and 1")
