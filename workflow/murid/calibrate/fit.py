"""Fitting transforms of the plane to pairs of points."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike

from murid import boxes
from murid.calibrate.set_up import Array, SetUp

KINDS = ("translation", "similarity", "affine", "homography")
"""Kinds of transforms, from the stiffest to the loosest."""
FEWEST = {"translation": 1, "similarity": 2, "affine": 3, "homography": 4}
"""Points that determine a transform."""


@dataclass(frozen=True)
class Fit:
    """A transform from one set-up to another, and how well its kind fits.

    Attributes
    ----------
    matrix
        Fitted to all points, raw to reference pixels: (2, 3), or (3, 3) of a homography.
    fit_residual, validation_residual
        Root mean square distance of the odd and of the even points, pixels, under a transform that
        was fitted to the odd points alone.
    """

    matrix: Array
    fit_residual: float
    validation_residual: float


def fit(source: ArrayLike, target: ArrayLike, kind: str = "similarity") -> Array:
    """Fit a transform of the plane by least squares.

    Parameters
    ----------
    source, target
        Shape (n, 2), the same points in either image, pixels.
    kind
        ``translation``; ``similarity`` (rotation, one scale, translation; Umeyama 1991, without
        mirroring); ``affine``; or ``homography``.

    Returns
    -------
    Shape (2, 3), (3, 3) for a homography, float64: source pixels to target pixels.
    """
    source = np.asarray(source, dtype=np.float64).reshape(-1, 2)
    target = np.asarray(target, dtype=np.float64).reshape(-1, 2)
    if kind == "homography":
        matrix, _ = cv2.findHomography(source, target)
        return np.full((3, 3), np.nan) if matrix is None else np.asarray(matrix, dtype=np.float64)
    if kind == "affine":
        design = np.column_stack([source, np.ones(len(source))])
        return np.asarray(np.linalg.lstsq(design, target, rcond=None)[0].T, dtype=np.float64)
    linear = np.eye(2)
    if kind == "similarity":
        # As complex numbers a similarity is one multiplication, and least squares one quotient.
        z, w = ((points - points.mean(axis=0)) @ [1, 1j] for points in (source, target))
        spread = float(np.vdot(z, z).real)
        factor = np.vdot(z, w) / spread if spread > 0 else 1.0
        linear = np.array([[factor.real, -factor.imag], [factor.imag, factor.real]])
    return np.column_stack([linear, target.mean(axis=0) - linear @ source.mean(axis=0)])


def residual(source: ArrayLike, target: ArrayLike, matrix: ArrayLike) -> float:
    """Return the root mean square distance of the mapped source points from the target, pixels."""
    distances = apply(source, matrix) - np.asarray(target, dtype=np.float64)
    return float(np.sqrt((distances**2).sum(axis=-1).mean()))


def apply(points: ArrayLike, matrix: ArrayLike) -> Array:
    """Map points by an affine matrix or a homography: (n, 2), (2 or 3, 3) -> (n, 2), float64."""
    matrix = np.asarray(matrix, dtype=np.float64)
    if len(matrix) == 2:
        return boxes.apply(points, matrix)
    mapped = np.asarray(points, dtype=np.float64) @ matrix[:, :2].T + matrix[:, 2]
    return mapped[..., :2] / mapped[..., 2:]


def map_between(source: SetUp, target: SetUp, kind: str) -> Fit:
    """Fit on the odd points, judge by the even ones, then fit on all (Appendix A.1).

    Parameters
    ----------
    source, target
        Of the same antennas.
    kind
        As :func:`fit`.
    """
    odd, a, b = source.odd, source.places, target.places
    judged = fit(a[odd], b[odd], kind)
    # What was held back to judge the kind makes the transform itself a good deal steadier.
    return Fit(
        fit(a, b, kind), residual(a[odd], b[odd], judged), residual(a[~odd], b[~odd], judged)
    )
