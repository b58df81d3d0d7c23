"""Bringing every rig set-up into one frame of reference (Sect. 5.1, Pre-processing; Appendix A.1).

The same points are marked in the image of every set-up, one an antenna. A transform is fitted to
the odd points by least squares and judged by the even ones; the frame of reference (the prototype)
is the set-up to which all others map best.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from murid import boxes, tables
from murid.errors import InputError
from murid.settings import Calibrate

Array = NDArray[np.float64]
COLUMNS = ("rig", "antenna", "x", "y")
IDENTITY = np.eye(2, 3)
MAX_ROTATION = 30.0
"""Degrees; axis-aligned boxes stay meaningful for small rotations only, and cameras are upright."""
_FEWEST_ODD = {"translation": 1, "similarity": 2, "affine": 3}
_MATRIX = [f"m{row}{column}" for row in range(2) for column in range(3)]


@dataclass(frozen=True)
class Fit:
    """A transform from one set-up to another, and how well it fits."""

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
        mirroring); or ``affine``.

    Returns
    -------
    Shape (2, 3), float64: source pixels to target pixels.
    """
    source = np.asarray(source, dtype=np.float64).reshape(-1, 2)
    target = np.asarray(target, dtype=np.float64).reshape(-1, 2)
    if kind == "affine":
        design = np.column_stack([source, np.ones(len(source))])
        return np.linalg.lstsq(design, target, rcond=None)[0].T
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
    distances = boxes.apply(source, matrix) - np.asarray(target, dtype=np.float64)
    return float(np.sqrt((distances**2).sum(axis=-1).mean()))


def map_between(source: pd.DataFrame, target: pd.DataFrame, kind: str) -> Fit:
    """Fit on the odd points, validate on the even ones.

    Parameters
    ----------
    source, target
        Columns ``antenna, x, y``, the same antennas in the same order.
    kind
        As :func:`fit`.
    """
    odd = source["antenna"].to_numpy() % 2 == 1
    a, b = (points[["x", "y"]].to_numpy(dtype=np.float64) for points in (source, target))
    matrix = fit(a[odd], b[odd], kind)
    return Fit(matrix, residual(a[odd], b[odd], matrix), residual(a[~odd], b[~odd], matrix))


def calibrate(points: pd.DataFrame, settings: Calibrate, source: object = "points") -> pd.DataFrame:
    """Map every set-up to the one that all others map to best.

    Parameters
    ----------
    points
        Columns ``rig, antenna, x, y``, as :func:`read_points` gives.
    settings
        The kind of transform, and the largest validation residual that is believed.
    source
        Named in errors as the file at fault.

    Returns
    -------
    Table ``transforms``, one row a set-up in alphabetical order. The prototype is the set-up with
    the smallest sum of validation residuals of the others mapped to it (the first at a tie).

    Raises
    ------
    InputError
        If points are missing, or those of a set-up are mirrored, in another order, or further off
        than ``max_residual``; the set-up and the points are named.
    """
    rigs = {str(rig): group.sort_values("antenna") for rig, group in points.groupby("rig")}
    _check_complete(rigs, settings.transform, source)
    names = sorted(rigs)
    kind = settings.transform
    mappings = {
        (name, other): Fit(IDENTITY, 0.0, 0.0)
        if name == other
        else map_between(rigs[name], rigs[other], kind)
        for name in names
        for other in names
    }
    totals = [sum(mappings[name, other].validation_residual for name in names) for other in names]
    prototype = names[int(np.argmin(totals))]
    for name in names:
        if name != prototype:
            _check_mapping(
                mappings[name, prototype], rigs, name, prototype, settings.max_residual, source
            )
    return _table({name: mappings[name, prototype] for name in names}, prototype)


def uncalibrated(rigs: Sequence[str]) -> pd.DataFrame:
    """Return the table ``transforms`` of an archive without points: one rig, the identity.

    Raises
    ------
    InputError
        If there are several rigs, whose boxes could not be compared.
    """
    names = sorted(set(rigs))
    if len(names) != 1:
        raise InputError(
            "calibration",
            f"no points for the rigs {', '.join(names) or '(none)'}",
            "points of every rig, or one rig only",
            remedy="Give --points (points: in the configuration) a CSV of rig, antenna, x, y.",
        )
    table = _table({names[0]: Fit(IDENTITY, np.nan, np.nan)}, names[0])
    return table.assign(fit_residual=None, validation_residual=None)


def read_points(path: str | Path) -> pd.DataFrame:
    """Read calibration points: a CSV with the columns ``rig, antenna, x, y`` (pixels).

    Returns
    -------
    Columns ``rig`` (str), ``antenna`` (int), ``x``, ``y`` (float).

    Raises
    ------
    InputError
        Naming the line, if a column is missing, a value is no number, or a point comes twice.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(path, "no file", "a CSV of rig, antenna, x, y")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(path, f"bytes that are not UTF-8 ({error})", "UTF-8 text") from error
    reader = csv.DictReader(lines, skipinitialspace=True)
    header = [name.strip() for name in reader.fieldnames or []]
    reader.fieldnames = header
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        found = f"the columns {', '.join(header) or '(none)'}"
        raise InputError(path, found, f"a column {missing[0]}", where="line 1")
    rows: dict[tuple[str, int], tuple[float, float]] = {}
    for cells in reader:
        where = f"line {reader.line_num}"
        rig, antenna, x, y = _parse_row(path, where, cells)
        if (rig, antenna) in rows:
            found = f"point {antenna} of rig {rig} a second time"
            raise InputError(path, found, "each once", where=where)
        rows[rig, antenna] = (x, y)
    data = [(rig, antenna, x, y) for (rig, antenna), (x, y) in rows.items()]
    return pd.DataFrame(data, columns=list(COLUMNS))


def run(
    points: str | Path | None, rigs: Sequence[str], output: str | Path, settings: Calibrate
) -> None:
    """Calibrate from a CSV of points, or take one uncalibrated rig as it is.

    All set-ups of the file are calibrated, so that the frame of reference does not depend on which
    rigs are in use.

    Raises
    ------
    InputError
        As :func:`read_points`, :func:`calibrate` and :func:`uncalibrated`, or if a rig of ``rigs``
        has no points.
    """
    if points is None:
        table = uncalibrated(rigs)
    else:
        data = read_points(points)
        for rig in rigs:
            if rig not in set(data["rig"]):
                known = ", ".join(sorted(set(data["rig"]))) or "(none)"
                raise InputError(
                    points, f"no points of rig {rig}, only of {known}", "points of every rig in use"
                )
        table = calibrate(data, settings, points)
    tables.write(table, output, "transforms")


def _parse_row(
    path: Path, where: str, cells: Mapping[str, str | None]
) -> tuple[str, int, float, float]:
    texts = {name: (cells[name] or "").strip() for name in COLUMNS}
    if not texts["rig"]:
        raise InputError(path, "no rig", "the name of a rig set-up", where=where)
    if not texts["antenna"].isdecimal() or int(texts["antenna"]) < 1:
        raise InputError(path, f"antenna {texts['antenna']!r}", "a number from 1", where=where)
    try:
        x, y = float(texts["x"]), float(texts["y"])
    except ValueError:
        x = y = np.nan
    if not np.isfinite([x, y]).all():
        found = f"x {texts['x']!r}, y {texts['y']!r}"
        raise InputError(path, found, "two finite numbers, pixels", where=where)
    return texts["rig"], int(texts["antenna"]), x, y


def _check_complete(rigs: Mapping[str, pd.DataFrame], kind: str, source: object) -> None:
    """Refuse set-ups that lack points others have, or points that cannot determine a transform."""
    every = sorted(set().union(*(set(points["antenna"]) for points in rigs.values())))
    for name, points in rigs.items():
        missing = [antenna for antenna in every if antenna not in set(points["antenna"])]
        if missing:
            raise InputError(
                source,
                f"no {_points(missing)}",
                f"{_points(every)}, as other set-ups have",
                where=f"rig {name}",
                remedy="Mark the same points in every set-up.",
            )
    odd = sum(antenna % 2 for antenna in every)
    if len(rigs) > 1 and (odd < _FEWEST_ODD[kind] or odd == len(every)):
        raise InputError(
            source,
            f"only {_points(every) if every else 'no points'}",
            f"at least {_FEWEST_ODD[kind]} odd points to fit a {kind}, and an even one to validate",
        )


def _check_mapping(
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
        found = f"{_points(antennas)} in mirrored order"
        raise InputError(source, found, "points numbered as in the other set-up", where=where)
    (a, _, _), (b, _, _) = mapping.matrix
    rotation = float(np.degrees(np.arctan2(b, a)))
    if abs(rotation) > MAX_ROTATION:
        raise InputError(
            source,
            f"{_points(antennas)} turned by {rotation:.0f} degrees",
            f"at most {MAX_ROTATION:g} degrees; boxes are to stay upright",
            where=where,
            remedy="Check the order of the points.",
        )
    mapped = boxes.apply(points, mapping.matrix)
    distances = np.linalg.norm(mapped[:, None] - target[None], axis=-1)
    nearest = np.argmin(distances, axis=1)
    if (nearest != np.arange(len(antennas))).any():
        strayed = antennas[_likely_order(points, target, nearest) != np.arange(len(antennas))]
        found = f"{_points(strayed)} nearer to another point than to their own"
        raise InputError(source, found, "points in the same order in every set-up", where=where)
    if mapping.validation_residual > max_residual:
        even = antennas[antennas % 2 == 0]
        worst = even[np.argmax(np.diag(distances)[antennas % 2 == 0])]
        raise InputError(
            source,
            f"a residual of {mapping.validation_residual:.1f} px over {_points(even)}, "
            f"worst at point {worst}",
            f"at most {max_residual:g} px (calibrate.max_residual)",
            where=where,
        )


def _likely_order(points: Array, target: Array, start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Guess which target each point really is, for the message: fit and match in turn, (n,)."""
    order = start
    for _ in range(len(points)):
        mapped = boxes.apply(points, fit(points, target[order]))
        distances = np.linalg.norm(mapped[:, None] - target[None], axis=-1)
        matched = linear_sum_assignment(distances)[1]
        if (matched == order).all():
            break
        order = matched
    return order if (order != np.arange(len(points))).any() else start


def _points(antennas: Sequence[int] | NDArray[np.int64]) -> str:
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


def _table(mappings: Mapping[str, Fit], prototype: str) -> pd.DataFrame:
    rows = [
        {
            "rig": name,
            "prototype": name == prototype,
            **dict(zip(_MATRIX, mapping.matrix.ravel(), strict=True)),
            "fit_residual": mapping.fit_residual,
            "validation_residual": mapping.validation_residual,
        }
        for name, mapping in mappings.items()
    ]
    return tables.conform(pd.DataFrame(rows), "transforms")
