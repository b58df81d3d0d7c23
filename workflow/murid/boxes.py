"""Geometry of boxes: arrays of shape (n, 4) with ``x, y, w, h``, top-left corner first, in pixels.

Anything that two stages need of boxes lives here.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from murid.errors import InputError

Array = NDArray[np.float64]
LEAST_SCALE = 1 / 8
"""Pixels of the frame of reference, at least, that a pixel of a picture becomes: from a picture of
3,840 pixels to one of 480. Points in centimetres, or as shares of the picture, are beyond."""


def centroids_and_sizes(boxes: ArrayLike) -> Array:
    """Return boxes as ``[x, y, w, h]`` with the *centroid* first, the paper's 4-vector (Sect. 4.3).

    Parameters
    ----------
    boxes
        Shape (n, 4), pixels.

    Returns
    -------
    Shape (n, 4), float64, pixels.
    """
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    return np.column_stack([boxes[:, :2] + boxes[:, 2:] / 2, boxes[:, 2:]])


def iou(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the intersection over union of every pair.

    Parameters
    ----------
    first, second
        Shapes (n, 4) and (m, 4), pixels.

    Returns
    -------
    Shape (n, m), float64, 0 to 1; 0 where either box has no area.

    Examples
    --------
    >>> float(iou([[0, 0, 2, 2]], [[1, 0, 2, 2]])[0, 0].round(3))
    0.333
    """
    a = np.asarray(first, dtype=np.float64).reshape(-1, 1, 4)
    b = np.asarray(second, dtype=np.float64).reshape(1, -1, 4)
    return _iou(a, b)


def paired_iou(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the intersection over union of the boxes at the same row: (n, 4), (n, 4) -> (n,)."""
    a = np.asarray(first, dtype=np.float64).reshape(-1, 4)
    b = np.asarray(second, dtype=np.float64).reshape(-1, 4)
    return _iou(a, b)


def overlap_of_smaller(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the intersection over the area of the smaller box: (n, 4), (n, 4) -> (n,)."""
    a = np.asarray(first, dtype=np.float64).reshape(-1, 4)
    b = np.asarray(second, dtype=np.float64).reshape(-1, 4)
    smaller = np.minimum(np.prod(a[:, 2:], axis=-1), np.prod(b[:, 2:], axis=-1))
    shared = _intersection(a, b)
    return np.divide(shared, smaller, out=np.zeros_like(shared), where=smaller > 0)


def _intersection(a: Array, b: Array) -> Array:
    low = np.maximum(a[..., :2], b[..., :2])
    high = np.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    return np.prod(np.clip(high - low, 0.0, None), axis=-1)


def _iou(a: Array, b: Array) -> Array:
    intersection = _intersection(a, b)
    union = np.prod(a[..., 2:], axis=-1) + np.prod(b[..., 2:], axis=-1) - intersection
    return np.divide(intersection, union, out=np.zeros_like(intersection), where=union > 0)


def apply(points: ArrayLike, matrix: ArrayLike) -> Array:
    """Map points by an affine matrix: (..., 2), (2, 3) -> (..., 2), float64."""
    matrix = np.asarray(matrix, dtype=np.float64)
    return np.asarray(points, dtype=np.float64) @ matrix[:, :2].T + matrix[:, 2]


def invert(matrix: ArrayLike) -> Array:
    """Return the inverse of an affine matrix: (2, 3) -> (2, 3), float64."""
    matrix = np.asarray(matrix, dtype=np.float64)
    linear = np.linalg.inv(matrix[:, :2])
    return np.column_stack([linear, -linear @ matrix[:, 2]])


def scales(matrix: ArrayLike) -> tuple[float, float]:
    """Return the least and the most that a (2, 3) matrix scales by; NaN if it is not finite."""
    matrix = np.asarray(matrix, dtype=np.float64)
    if not np.isfinite(matrix).all():
        return float("nan"), float("nan")
    high, low = np.linalg.svd(matrix[:, :2], compute_uv=False)
    return float(low), float(high)


def is_sane(matrix: ArrayLike) -> bool:
    """Tell whether a transform makes a picture of a picture: no point, no line, no giant."""
    low, high = scales(matrix)
    return bool(low > LEAST_SCALE and high < 1 / LEAST_SCALE)


def transform(boxes: ArrayLike, matrix: ArrayLike) -> Array:
    """Map boxes by an affine matrix and keep them axis-aligned (Sect. 5.1, Pre-processing).

    The corners are mapped; the new box runs through the midpoints of the mapped edges, which is
    right for small rotations.

    Parameters
    ----------
    boxes
        Shape (n, 4), pixels.
    matrix
        Shape (2, 3).

    Returns
    -------
    Shape (n, 4), float64, pixels; widths and heights positive (a mirroring swaps the edges).
    """
    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    around = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])[:, None]
    corners = boxes[:, :2] + around * boxes[:, 2:]
    top_left, top_right, bottom_right, bottom_left = apply(corners, matrix)
    left = (top_left + bottom_left)[:, 0] / 2
    right = (top_right + bottom_right)[:, 0] / 2
    top = (top_left + top_right)[:, 1] / 2
    bottom = (bottom_left + bottom_right)[:, 1] / 2
    size = [np.abs(right - left), np.abs(bottom - top)]
    return np.column_stack([np.minimum(left, right), np.minimum(top, bottom), *size])


def fraction_inside(boxes: ArrayLike, polygon: ArrayLike) -> Array:
    """Return the share of each box's area that lies inside a polygon.

    Parameters
    ----------
    boxes
        Shape (n, 4), pixels.
    polygon
        Shape (k, 2), corners in order, k >= 3.

    Returns
    -------
    Shape (n,), float64, 0 to 1.

    Raises
    ------
    InputError
        If the polygon has fewer than three corners or crosses itself.
    """
    import shapely  # slow to import, and only needed here

    boxes = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    corners = np.asarray(polygon, dtype=np.float64).reshape(-1, 2)
    if len(corners) < 3:
        raise InputError("polygon", f"{len(corners)} corners", "at least three")
    shape = shapely.Polygon(corners)
    if not shape.is_valid or shape.area == 0:
        raise InputError(
            "polygon", "edges that cross or enclose no area", "the corners in order around it"
        )
    x, y, w, h = boxes.T
    inside = shapely.area(shapely.intersection(shapely.box(x, y, x + w, y + h), shape))
    return np.divide(inside, w * h, out=np.zeros(len(boxes)), where=w * h > 0)
