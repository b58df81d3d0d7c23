"""Refusing points that cannot be right, naming set-up and points."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from murid import boxes
from murid.calibrate.fit import FEWEST, Array, Fit, apply, fit, residual
from murid.errors import InputError
from murid.grid import Grid

MAX_ROTATION = 30.0
"""Degrees; axis-aligned boxes stay meaningful for small rotations only, and cameras are upright."""
NEAR = 0.25
"""Of the least distance between two points: this near, a point is where the grid says."""
UNREMARKABLE = 2.0
"""Pixels; a residual below this is never out of line."""
AGAIN = "Mark its points again."


def check_complete(points: pd.DataFrame, every: Sequence[int], name: str, source: object) -> None:
    """Refuse a set-up that lacks points which others have, or has others."""
    own = set(points["antenna"])
    missing = [antenna for antenna in every if antenna not in own]
    further = sorted(own - set(every))
    if missing or further:
        raise InputError(
            source,
            f"no {named(missing)}" if missing else f"also {named(further)}",
            f"{named(every)}, as other set-ups have",
            where=f"rig {name}",
            remedy="Mark the same points in every set-up.",
        )


def check_enough(every: Sequence[int], kind: str, source: object) -> None:
    """Refuse points that cannot determine a transform and tell how good it is."""
    odd = sum(antenna % 2 for antenna in every)
    if odd < FEWEST[kind] or odd == len(every):
        raise InputError(
            source,
            f"only {named(every) if every else 'no points'}",
            f"at least {FEWEST[kind]} odd points to fit a {kind}, and an even one to validate",
        )


def check_mapping(
    mapping: Fit,
    rigs: Mapping[str, pd.DataFrame],
    name: str,
    prototype: str,
    max_residual: float,
    source: object,
) -> None:
    """Refuse what is no view of the same points: each must land nearest to its own counterpart."""
    where = f"rig {name}, mapped to rig {prototype}"
    antennas = rigs[name]["antenna"].to_numpy()
    target = rigs[prototype][["x", "y"]].to_numpy(dtype=np.float64)
    points = rigs[name][["x", "y"]].to_numpy(dtype=np.float64)
    # Compared with the direct fit, since points in one line look the same either way.
    flipped = points * [1, -1]
    direct, mirrored = (
        residual(version, target, fit(version, target)) for version in (points, flipped)
    )
    if mirrored < direct / 4:
        found = f"{named(antennas)} in mirrored order"
        expected = "points numbered as in the other set-up"
        raise InputError(source, found, expected, where=where, remedy=AGAIN)
    (a, _), (b, _) = fit(points, target)[:, :2]
    rotation = float(np.degrees(np.arctan2(b, a)))
    if abs(rotation) > MAX_ROTATION:
        raise InputError(
            source,
            f"{named(antennas)} turned by {rotation:.0f} degrees",
            f"at most {MAX_ROTATION:g} degrees; boxes are to stay upright",
            where=where,
            remedy="Check the order of the points.",
        )
    if not boxes.is_sane(mapping.matrix):
        low, high = boxes.scales(mapping.matrix)
        raise InputError(
            source,
            f"{named(antennas)} on a scale of {low:g} to {high:g}",
            "points in pixels, of pictures of about one size",
            where=where,
            remedy=AGAIN,
        )
    mapped = apply(points, mapping.matrix)
    distances = np.linalg.norm(mapped[:, None] - target[None], axis=-1)
    nearest = np.argmin(distances, axis=1)
    if (nearest != np.arange(len(antennas))).any():
        strayed = antennas[_likely_order(points, target, nearest) != np.arange(len(antennas))]
        found = f"{named(strayed)} nearer to another point than to their own"
        expected = "points in the same order in every set-up"
        raise InputError(source, found, expected, where=where, remedy=AGAIN)
    if mapping.validation_residual > max_residual:
        even = antennas[antennas % 2 == 0]
        worst = even[np.argmax(np.diag(distances)[antennas % 2 == 0])]
        raise InputError(
            source,
            f"a residual of {mapping.validation_residual:.1f} px over {named(even)}, "
            f"worst at point {worst}",
            f"at most {max_residual:g} px (calibrate.max_residual)",
            where=where,
            remedy=AGAIN,
        )


def check_numbering(points: pd.DataFrame, grid: Grid, name: str, source: object) -> None:
    """Refuse points that are not numbered as antennas are, whatever other set-ups are like.

    Only where there is one point an antenna of the grid. From a homography between the grid and
    most of the points, each must be nearest to its own antenna, columns must run to the right and
    rows down.
    """
    antennas = points["antenna"].to_numpy()
    if grid.rows < 2 or grid.columns < 2 or not np.array_equal(antennas, grid.antennas):
        return
    where = f"rig {name}"
    places = grid.coordinates(grid.antennas)
    matrix, order = _matched(places, points[["x", "y"]].to_numpy(dtype=np.float64))
    strayed = antennas[order != np.arange(len(antennas))]
    if len(strayed):
        raise InputError(
            source,
            f"{named(strayed)} nearer to the place of another point than to their own",
            f"points numbered as the antennas of {grid.rows} rows and {grid.columns} columns, "
            "down each column, the columns from left to right",
            where=where,
            remedy=AGAIN,
        )
    expected = "antenna 1 at the back, on the left"
    middle = places.mean(axis=0) + np.array([[0, 0], [0.1, 0], [0, 0.1]])
    here, right, down = apply(middle, matrix)
    (a, b), (c, d) = right - here, down - here
    if a * d - b * c <= 0:
        found = f"{named(antennas)} in mirrored order"
        raise InputError(source, found, expected, where=where, remedy=AGAIN)
    rotation = float(np.degrees(np.arctan2(b, a)))
    if abs(rotation) > MAX_ROTATION:
        found = f"{named(antennas)} turned by {rotation:.0f} degrees"
        remedy = "Check the order of the points."
        raise InputError(source, found, expected, where=where, remedy=remedy)


def check_residual(
    name: str, mappings: Mapping[str, Fit], rigs: Mapping[str, pd.DataFrame], target: str,
    factor: float, source: object,
) -> None:  # fmt: skip
    """Refuse a set-up that maps far worse than the others do.

    Parameters
    ----------
    name
        The set-up.
    mappings
        From each set-up but the prototype to it.
    rigs, target
        Points of every set-up, and the prototype's name.
    factor
        How many times the others' median residual is too much.
    source
        The file at fault.
    """
    mapping = mappings[name]
    others = [fit.validation_residual for key, fit in mappings.items() if key != name]
    usual = max(float(np.median(others)) if others else np.inf, UNREMARKABLE / factor)
    if mapping.validation_residual > factor * usual:
        raise InputError(
            source,
            f"a residual of {mapping.validation_residual:.1f} px over even points, worst at "
            f"{named(worst(mapping, rigs[name], rigs[target]))}",
            f"about {usual:.1f} px, as other set-ups have",
            where=f"rig {name}, mapped to rig {target}",
            remedy="Mark its points again, or raise calibrate.out_of_line.",
        )


def worst(mapping: Fit, points: pd.DataFrame, target: pd.DataFrame) -> list[int]:
    """Return the point that is furthest off, and up to two that are nearly as far."""
    mapped = apply(points[["x", "y"]].to_numpy(dtype=np.float64), mapping.matrix)
    off = np.linalg.norm(mapped - target[["x", "y"]].to_numpy(dtype=np.float64), axis=-1)
    order = np.argsort(-off, kind="stable")[:3]
    return [int(points["antenna"].iloc[i]) for i in order if off[i] > off.max() / 2]


def _matched(places: Array, points: Array) -> tuple[Array, NDArray[np.int64]]:
    """Find a homography between the grid and most of the points, and whose place each point is at.

    Returns
    -------
    Shape (3, 3), grid to pixels; and for every point the row of ``places`` that it is at.
    """
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    near = NEAR * float(apart[np.triu_indices(len(points), 1)].min())
    cv2.setRNGSeed(0)
    found, _ = cv2.findHomography(
        places, points, cv2.RANSAC, max(near, 1.0), maxIters=5000, confidence=0.9999
    )
    matrix = fit(places, points, "homography") if found is None else np.asarray(found, np.float64)
    order = np.full(len(points), -1)
    for _ in range(len(points)):
        distances = np.linalg.norm(points[:, None] - apply(places, matrix)[None], axis=-1)
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
        distances = np.linalg.norm(mapped[:, None] - target[None], axis=-1)
        matched = linear_sum_assignment(distances)[1]
        if (matched == order).all():
            break
        order = matched
    return order if (order != np.arange(len(points))).any() else start


def named(antennas: Sequence[int] | NDArray[np.int64]) -> str:
    """Name points briefly: ``point 3`` or ``points 1-4, 7``."""
    numbers = sorted(int(antenna) for antenna in antennas)
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    text = ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs)
    return f"point{'s' if len(numbers) > 1 else ''} {text}"
