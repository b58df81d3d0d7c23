"""How well a box fits an animal: the probability of a box given the animal's antenna (Sect. 3.3).

The model is an artefact of numbers, fitted by ``murid fit-weights`` and used by ``murid identify``:
Gaussians of the box by antenna and visibility, the visibility's distribution tabulated over every
antenna and context that can occur, and the outlier's Gaussian. It is kept as JSON, never a pickle.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, InstanceOf

from murid.files import write_text
from murid.grid import CELLS, Antennas, antennas_of
from murid.models import made_for
from murid.models.densities import log_gaussian, log_student
from murid.models.hidden import OUTCOMES, SHOWN, Hidden
from murid.models.made_for import MadeFor
from murid.models.stored import BY_KEYS, Lag, Part, Pixels, nested, read_model

FORMAT = "murid weights 4"

_LEAST = 1e-12
"""Square pixels that no box is told apart by."""
_FARTHEST = 1e6
"""Pixels from the picture that an antenna can be projected to."""
_Projective = Annotated[float, Field(ge=-1e12, le=1e12)]
_Side = Annotated[float, Field(gt=0, le=65_536)]
_Area = Annotated[float, Field(ge=-(65_536**2), le=65_536**2)]
_Tail = Annotated[float, Field(ge=0, le=0.5)]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gaussians:
    """Where boxes lie given an antenna, and how they vary.

    Attributes
    ----------
    grid
        The antennas that they were fitted for.
    homography
        (3, 3), coordinates of antennas to the centroid in the frame of reference.
    sizes
        (rows, 2, 2), mean width and height by antenna row and visibility of ``SHOWN``, pixels.
    covariances
        (rows, 2, 4, 4), of ``[x, y, w, h]`` around the mean, by antenna row and visibility.
    offsets
        (antennas, 4), by how much ``[x, y, w, h]`` of boxes at an antenna differs from the
        projection and the mean size of the row, pixels.
    tail
        One over the degrees of freedom of Student's t, of which the covariances are the scale
        matrices: 0 is a Gaussian, and the larger it is, the less an odd box says.
    """

    grid: InstanceOf[Antennas]
    homography: Annotated[Floats, nested(_Projective, 2)]
    sizes: Annotated[Floats, nested(_Side, 3)]
    covariances: Annotated[Floats, nested(_Area, 4)]
    offsets: Annotated[Floats, nested(Pixels, 2)]
    tail: _Tail

    def centroids(self, antennas: ArrayLike) -> Floats:
        """Project antennas into the frame of reference: (n,) -> (n, 2), pixels."""
        return project(self.homography, self.grid.coordinates(antennas))

    def means(self, antennas: ArrayLike) -> Floats:
        """Return the mean box by visibility of ``SHOWN``: (n,) -> (n, 2, 4), centroid first."""
        antennas = np.asarray(antennas, dtype=np.int64)
        centroids = np.repeat(self.centroids(antennas)[:, None], len(SHOWN), axis=1)
        sizes = self.sizes[self.grid.row(antennas)]
        return np.concatenate([centroids, sizes], axis=2) + self.offsets[antennas - 1, None]


@dataclass(frozen=True)
class Affinity(Hidden, Gaussians):
    """The fitted model of a box given an antenna.

    Attributes
    ----------
    outlier_mean, outlier_covariance
        (4,) and (4, 4), of a box that belongs to no animal.
    provenance
        What it was fitted to and how well, for the report; not used by the model.
    lags
        Seconds by which readings run late, by rig set-up, and under ``""`` of any other; the model
        was fitted to readings put right by as much.
    """

    outlier_mean: Annotated[Floats, nested(Pixels, 1)]
    outlier_covariance: Annotated[Floats, nested(_Area, 2)]
    provenance: dict[str, Any] = field(default_factory=dict)
    lags: dict[str, Lag] = field(default_factory=lambda: {"": 0.0})

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The numbers that it consists of, by name."""
        return {name: each for name, each in vars(self).items() if isinstance(each, np.ndarray)}

    def lag(self, rig: str) -> float:
        """Return by how many seconds the readings of a rig set-up run late."""
        return self.lags.get(rig, self.lags[""])

    def lag_frames(self, rig: str, fps: float) -> int:
        """Return the same in frames of a segment of so many a second, the nearest whole number."""
        return round(self.lag(rig) * fps)

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
        read = antennas > 0
        result = np.empty(len(boxes))
        result[~read] = self.log_outlier(boxes[~read]) + np.log1p(-self.hidden_share)
        if read.any():
            chances = self.visibility_of(antennas[read], np.asarray(contexts)[read])
            result[read] = self._log_shown(boxes[read], antennas[read], chances)
        return result

    def log_box_alone(self, boxes: ArrayLike) -> Floats:
        """Return the same at every antenna, of an animal with nobody around: (n, 4) -> (n, A)."""
        boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
        antennas = self.grid.antennas
        chances = self.visibility_of(antennas, np.zeros((len(antennas), CELLS), dtype=np.int64))
        result = np.empty((len(boxes), len(antennas)))
        # One antenna for all boxes needs no numbers looked up for each.
        for place, antenna in enumerate(antennas):
            result[:, place] = self._log_shown(boxes, antenna, chances[place])
        return result

    def _log_shown(self, boxes: Floats, antennas: NDArray[np.int64], chances: Floats) -> Floats:
        """Sum over the visibilities: (n, 4), antennas, their (..., 3) visibilities' -> (n,)."""
        means, rows = self.means(self.grid.antennas), self.grid.row(antennas)
        with np.errstate(divide="ignore"):
            parts = [
                log_student(
                    boxes - means[antennas - 1, shown], self.covariances[:, shown], rows, self.tail
                )
                + np.log(chances[..., shown])
                for shown in range(len(SHOWN))
            ]
        return np.logaddexp(*parts)

    def log_outlier(self, boxes: ArrayLike) -> Floats:
        """Return log p(box | outlier): (n, 4) centroid-first boxes -> (n,)."""
        return log_outlier(boxes, self.outlier_mean, self.outlier_covariance)


def project(homography: ArrayLike, points: ArrayLike) -> Floats:
    """Map points by a homography: (3, 3), (n, 2) -> (n, 2)."""
    points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    mapped = np.column_stack([points, np.ones(len(points))]) @ np.asarray(homography).T
    return mapped[:, :2] / mapped[:, 2:]


def log_outlier(boxes: ArrayLike, mean: Floats, covariance: Floats) -> Floats:
    """Return log densities of centroid-first boxes: (n, 4), (4,), (4, 4) -> (n,)."""
    difference = np.asarray(boxes, dtype=np.float64).reshape(-1, 4) - mean
    return log_gaussian(difference, covariance[None], np.zeros(len(difference), dtype=np.int64))


@dataclass(frozen=True)
class Weights:
    """What ``murid fit-weights`` learns.

    Attributes
    ----------
    paper
        The paper's model, of readings as they are.
    lagged
        The same, of readings put right by the lag.
    image
        Width and height of the frame of reference, pixels.
    fps
        Lowest and highest frame rate of the segments that it was fitted to, a second.
    """

    paper: Affinity
    lagged: Affinity
    image: tuple[int, int] = (1280, 720)
    fps: tuple[float, float] = (25.0, 25.0)

    @property
    def digest(self) -> str:
        """Hexadecimal digits that change with any number in them, however they are written."""
        whole = hashlib.sha256()
        if self.paper.grid.places is not None:
            whole.update(repr(self.paper.grid.places).encode())
        for model in (self.paper, self.lagged):
            numbers = [model.animals, model.hidden_share, model.tail, sorted(model.lags.items())]
            whole.update(repr(numbers).encode())
            for array in model.arrays.values():
                whole.update(np.ascontiguousarray(array).tobytes())
        return whole.hexdigest()

    @property
    def made_for(self) -> MadeFor:
        """What they were made for."""
        grid = self.paper.grid
        return MadeFor(
            (grid.rows, grid.columns), self.image, (1, self.paper.animals), self.fps,
            places=grid.places,
        )  # fmt: skip


class MadeForContent(Part):
    """What :class:`Weights` were made for, in a file."""

    made_for: dict[str, Any]


class WeightsContent(Part):
    """:class:`Weights` in a file."""

    paper: Annotated[Affinity, BY_KEYS]
    lagged: Annotated[Affinity, BY_KEYS]


def write(weights: Weights, path: str | Path) -> None:
    """Write the models as JSON."""
    lines = [
        f'"format": {json.dumps(FORMAT)}',
        f'"made_for": {json.dumps(weights.made_for.written())}',
    ]
    for name in ("paper", "lagged"):
        content = ",\n".join(_content(getattr(weights, name)))
        lines.append(f"{json.dumps(name)}: {{\n{content}\n}}")
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def _content(affinity: Affinity) -> list[str]:
    content: dict[str, Any] = {
        "lags": dict(affinity.lags),
        "hidden_share": affinity.hidden_share,
        "tail": affinity.tail,
        "provenance": dict(affinity.provenance),
    }
    content |= {name: array.tolist() for name, array in affinity.arrays.items()}
    return [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in content.items()]


def check(weights: Weights) -> None:
    """Refuse models that :func:`read` would refuse, as a fit to a corner of the cage gives.

    Raises
    ------
    ValueError
        Telling what cannot be.
    """
    for name, model in (("paper", weights.paper), ("lagged", weights.lagged)):
        _check(model)
        _check_view(name, model, weights.image)


def read(path: str | Path) -> Weights:
    """Read models written by :func:`write`.

    Raises
    ------
    InputError
        If the file is missing, is no such JSON, a value is none that a fit can give, or its parts
        do not fit each other.
    """
    return read_model(path, "weights", FORMAT, _weights)


def _weights(content: Mapping[str, Any]) -> Weights:
    made = made_for.parse(MadeForContent.model_validate(content).made_for)
    cage = {"grid": antennas_of(made.layout), "animals": made.animals[1]}
    models = {
        name: part | cage if isinstance(part, dict) else part for name, part in content.items()
    }
    kept = WeightsContent.model_validate(models)
    weights = Weights(kept.paper, kept.lagged, made.image, made.fps)
    check(weights)
    return weights


def _check(affinity: Affinity) -> None:
    rows, entries = affinity.grid.rows, len(affinity.contexts)
    shapes = {
        "homography": (3, 3), "sizes": (rows, 2, 2), "covariances": (rows, 2, 4, 4),
        "offsets": (affinity.grid.size, 4),
        "outlier_mean": (4,), "outlier_covariance": (4, 4), "contexts": (entries, 1 + CELLS),
        "visibility": (entries, len(OUTCOMES)),
    }  # fmt: skip
    for name, shape in shapes.items():
        array = getattr(affinity, name)
        if array.shape != shape:
            raise ValueError(f"{name} is {array.shape}, not {shape}")
    _check_homography(affinity)
    _check_covariances(affinity.covariances)
    _check_covariances(affinity.outlier_covariance)
    contexts = affinity.contexts
    if not affinity.grid.contains(contexts[:, 0]).all():
        raise ValueError("contexts are not of antennas of the grid")
    if not np.allclose(affinity.visibility.sum(axis=1), 1):
        raise ValueError("visibility is not made of distributions")
    if "" not in affinity.lags:
        raise ValueError("lags has none for any other rig, ''")


def _check_homography(affinity: Affinity) -> None:
    """Refuse a projection that sends antennas beyond the horizon, or all of them to one line."""
    ground = affinity.grid.coordinates(affinity.grid.antennas)
    depth = np.column_stack([ground, np.ones(len(ground))]) @ affinity.homography[2]
    singular = np.linalg.matrix_rank(affinity.homography) < len(affinity.homography)
    if singular or not ((depth > 0).all() or (depth < 0).all()):
        raise ValueError("homography is no view of the antennas")
    with np.errstate(over="ignore"):
        if not (np.abs(affinity.centroids(affinity.grid.antennas)) <= _FARTHEST).all():
            raise ValueError("homography sends antennas far out of the picture")


def _check_view(name: str, affinity: Affinity, image: tuple[int, int]) -> None:
    """Refuse a projection of another picture: antennas seen are within it, half of them at least.

    A few that were never visited may be anywhere.
    """
    x, y = np.median(affinity.centroids(affinity.grid.antennas), axis=0)
    if not (0 <= x <= image[0] and 0 <= y <= image[1]):
        raise ValueError(
            f"homography of {name} has the middle of the antennas at {x:.0f}, {y:.0f}, outside of "
            f"the frame of reference of {image[0]} x {image[1]}"
        )


def _check_covariances(covariances: Floats) -> None:
    if not np.allclose(covariances, covariances.swapaxes(-1, -2)):
        raise ValueError("covariances are not symmetric")
    if not (np.linalg.eigvalsh(covariances) > _LEAST).all():
        raise ValueError("covariances are not positive definite")
