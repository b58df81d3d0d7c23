"""Refusing points that cannot be right, naming set-up and points."""

from collections.abc import Mapping, Sequence
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from murid import boxes
from murid.calibrate.fit import FEWEST, Fit, apply, fit, residual
from murid.calibrate.set_up import Array, SetUp, named
from murid.errors import InputError
from murid.grid import Grid
from murid.hungarian import linear_sum_assignment

MAX_ROTATION = 30.0
"""Degrees; axis-aligned boxes stay meaningful for small rotations only, and cameras are upright."""
NEAR = 0.25
"""Of the least distance between two points: this near, a point is where the grid says."""
UNREMARKABLE = 2.0
"""Pixels; a residual below this is never out of line."""
ORDER = "Check the order of the points."


def check_complete(set_up: SetUp, every: Sequence[int]) -> None:
    """Refuse a set-up that lacks points which others have, or has others."""
    missing = np.setdiff1d(every, set_up.antennas)
    further = np.setdiff1d(set_up.antennas, every)
    if len(missing) or len(further):
        raise set_up.fault(
            f"no {named(missing)}" if len(missing) else f"also {named(further)}",
            f"{named(every)}, as other set-ups have",
            "Mark the same points in every set-up.",
        )


def check_enough(every: Sequence[int], kind: str, source: object) -> None:
    """Refuse points that cannot determine a transform and tell how good it is."""
    odd = sum(antenna % 2 for antenna in every)
    if odd < FEWEST[kind] or odd == len(every):
        found = f"only {named(every) if every else 'no points'}"
        expected = (
            f"at least {FEWEST[kind]} odd points to fit a {kind}, and an even one to validate"
        )
        raise InputError(source, found, expected)


def check_mapping(mapping: Fit, set_up: SetUp, prototype: SetUp, max_residual: float) -> None:
    """Refuse what is no view of the same points: each must land nearest to its own counterpart."""
    target, points, antennas = prototype.places, set_up.places, set_up.antennas
    fault = partial(set_up.fault, target=prototype.name)
    # Compared with the direct fit, since points in one line look the same either way.
    direct, mirrored = (
        residual(version, target, fit(version, target)) for version in (points, points * [1, -1])
    )
    if mirrored < direct / 4:
        expected = "points numbered as in the other set-up"
        raise fault(f"{set_up.points} in mirrored order", expected)
    rotation = _degrees(fit(points, target)[:, 0])
    if abs(rotation) > MAX_ROTATION:
        expected = f"at most {MAX_ROTATION:g} degrees; boxes are to stay upright"
        raise fault(f"{set_up.points} turned by {rotation:.0f} degrees", expected, ORDER)
    if not boxes.is_sane(mapping.matrix):
        low, high = boxes.scales(mapping.matrix)
        expected = "points in pixels, of pictures of about one size"
        raise fault(f"{set_up.points} on a scale of {low:g} to {high:g}", expected)
    distances = _distances(apply(points, mapping.matrix), target)
    in_order = np.arange(len(antennas))
    nearest = np.argmin(distances, axis=1)
    if (nearest != in_order).any():
        strayed = antennas[_likely_order(points, target, nearest) != in_order]
        found = f"{named(strayed)} nearer to another point than to their own"
        raise fault(found, "points in the same order in every set-up")
    if mapping.validation_residual > max_residual:
        even = ~set_up.odd
        furthest = antennas[even][np.argmax(np.diag(distances)[even])]
        raise fault(
            f"a residual of {mapping.validation_residual:.1f} px over {named(antennas[even])}, "
            f"worst at point {furthest}",
            f"at most {max_residual:g} px (calibrate.max_residual)",
        )


def check_numbering(set_up: SetUp, grid: Grid) -> None:
    """Refuse points that are not numbered as antennas are, whatever other set-ups are like.

    Only where there is one point an antenna of the grid. From a homography between the grid and
    most of the points, each must be nearest to its own antenna, columns must run to the right and
    rows down.
    """
    antennas = set_up.antennas
    if grid.rows < 2 or grid.columns < 2 or not np.array_equal(antennas, grid.antennas):
        return
    places = grid.coordinates(grid.antennas)
    matrix, order = _matched(places, set_up.places)
    strayed = antennas[order != np.arange(len(antennas))]
    if len(strayed):
        raise set_up.fault(
            f"{named(strayed)} nearer to the place of another point than to their own",
            f"points numbered as the antennas of {grid.rows} rows and {grid.columns} columns, "
            "down each column, the columns from left to right",
        )
    expected = "antenna 1 at the back, on the left"
    middle = places.mean(axis=0) + np.array([[0, 0], [0.1, 0], [0, 0.1]])
    here, right, down = apply(middle, matrix)
    if np.linalg.det([right - here, down - here]) <= 0:
        raise set_up.fault(f"{set_up.points} in mirrored order", expected)
    rotation = _degrees(right - here)
    if abs(rotation) > MAX_ROTATION:
        raise set_up.fault(f"{set_up.points} turned by {rotation:.0f} degrees", expected, ORDER)


def check_residual(
    set_up: SetUp, mappings: Mapping[str, Fit], prototype: SetUp, factor: float
) -> None:
    """Refuse a set-up that maps far worse than the others do.

    Parameters
    ----------
    set_up
        The set-up.
    mappings
        From each set-up but the prototype to it, by name.
    prototype
        The frame of reference.
    factor
        How many times the others' median residual is too much.
    """
    mapping = mappings[set_up.name]
    others = [other.validation_residual for name, other in mappings.items() if name != set_up.name]
    usual = max(float(np.median(others)) if others else np.inf, UNREMARKABLE / factor)
    if mapping.validation_residual > factor * usual:
        raise set_up.fault(
            f"a residual of {mapping.validation_residual:.1f} px over even points, worst at "
            f"{named(worst(mapping, set_up, prototype))}",
            f"about {usual:.1f} px, as other set-ups have",
            "Mark its points again, or raise calibrate.out_of_line.",
            prototype.name,
        )


def worst(mapping: Fit, set_up: SetUp, prototype: SetUp) -> NDArray[np.int64]:
    """Return the point that is furthest off, and up to two that are nearly as far."""
    off = np.linalg.norm(apply(set_up.places, mapping.matrix) - prototype.places, axis=-1)
    order = np.argsort(-off, kind="stable")[:3]
    return set_up.antennas[order[off[order] > off.max() / 2]]


def _degrees(direction: Array) -> float:
    """Return the angle of a direction (x, y) in pixels, 0 = to the right."""
    return float(np.degrees(np.arctan2(direction[1], direction[0])))


def _distances(first: Array, second: Array) -> Array:
    """Return the distance of every pair of points: (n, 2), (m, 2) -> (n, m)."""
    return np.asarray(np.linalg.norm(first[:, None] - second[None], axis=-1))


def _matched(places: Array, points: Array) -> tuple[Array, NDArray[np.int64]]:
    """Find a homography between the grid and most of the points, and whose place each point is at.

    Returns
    -------
    Shape (3, 3), grid to pixels; and for every point the row of ``places`` that it is at.
    """
    near = NEAR * float(_distances(points, points)[np.triu_indices(len(points), 1)].min())
    cv2.setRNGSeed(0)
    found, _ = cv2.findHomography(
        places, points, cv2.RANSAC, max(near, 1.0), maxIters=5000, confidence=0.9999
    )
    matrix = fit(places, points, "homography") if found is None else np.asarray(found, np.float64)
    order = np.full(len(points), -1)
    for _ in range(len(points)):
        distances = _distances(points, apply(places, matrix))
        matched = linear_sum_assignment(np.nan_to_num(distances, nan=1e9, posinf=1e9))[1]
        if (matched == order).all():
            break
        order = matched
        matrix = fit(places[order], points, "homography")
    return matrix, order


def _likely_order(points: Array, target: Array, start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Guess which target each point really is, for the message: fit and match in turn, (n,)."""
    order = start
    for _ in range(len(points)):
        mapped = apply(points, fit(points, target[order]))
        matched = linear_sum_assignment(_distances(mapped, target))[1]
        if (matched == order).all():
            break
        order = matched
    return order if (order != np.arange(len(points))).any() else start
