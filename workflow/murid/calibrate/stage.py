"""From points to transforms, residuals of every kind, and points in the frame of reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from murid import boxes, tables
from murid.calibrate.checks import (
    check_complete,
    check_mapping,
    check_numbering,
    check_residuals,
)
from murid.calibrate.fit import FEWEST, KINDS, Fit, map_between, odd_points
from murid.calibrate.points import read_points
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import Calibrate

IDENTITY = np.eye(2, 3)
_MATRIX = [f"m{row}{column}" for row in range(2) for column in range(3)]


@dataclass(frozen=True)
class Calibration:
    """What calibration gives.

    Attributes
    ----------
    transforms
        Table ``transforms``, a row a set-up in alphabetical order.
    points
        Table ``calibration_points``: every point before and after.
    residuals
        Table ``calibration_residuals``: every kind of transform, of every set-up but the prototype.
    """

    transforms: pd.DataFrame
    points: pd.DataFrame
    residuals: pd.DataFrame


def calibrate(
    points: pd.DataFrame, settings: Calibrate, source: object = "points", grid: Grid | None = None
) -> Calibration:
    """Map every set-up to the one that all others map to best.

    The prototype is the set-up with the smallest sum of validation residuals of the others mapped
    to it (the first at a tie).

    Parameters
    ----------
    points
        Columns ``rig, antenna, x, y``, as :func:`murid.calibrate.read_points` gives.
    settings
        The kind of transform, and which validation residuals are believed.
    source
        Named in errors as the file at fault.
    grid
        The antennas, if the points' numbers are to be compared with them.

    Raises
    ------
    InputError
        If points are missing, or those of a set-up are mirrored, in another order, further off
        than ``max_residual``, or far worse than those of other set-ups; the set-up and the points
        are named.
    """
    rigs = {
        str(rig): group.sort_values("antenna", ignore_index=True)
        for rig, group in points.groupby("rig")
    }
    check_complete(rigs, settings.transform, source)
    if grid is not None:
        check_numbering(rigs, grid, source)
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
    chosen = {name: mappings[name, prototype] for name in names}
    others = {name: mapping for name, mapping in chosen.items() if name != prototype}
    for name, mapping in others.items():
        check_mapping(mapping, rigs, name, prototype, settings.max_residual, source)
    check_residuals(others, rigs, prototype, settings.out_of_line, source)
    return Calibration(
        _transforms(chosen, prototype),
        _points(rigs, chosen),
        _residuals(rigs, prototype, kind),
    )


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
    table = _transforms({names[0]: Fit(IDENTITY, np.nan, np.nan)}, names[0])
    return table.assign(fit_residual=None, validation_residual=None)


def run(
    points: str | Path | None,
    rigs: Sequence[str],
    output: str | Path,
    settings: Calibrate,
    grid: Grid | None = None,
    output_points: str | Path | None = None,
    output_residuals: str | Path | None = None,
) -> None:
    """Calibrate from points or recordings, or take one uncalibrated rig as it is.

    All set-ups of the file are calibrated, so that the frame of reference does not depend on which
    rigs are in use.

    Parameters
    ----------
    points
        As for :func:`murid.calibrate.read_points`; None: there are none.
    rigs
        Set-ups in use.
    output, output_points, output_residuals
        Tables ``transforms``, ``calibration_points`` and ``calibration_residuals`` to write.
    settings, grid
        How, and the antennas.

    Raises
    ------
    InputError
        As :func:`murid.calibrate.read_points`, :func:`calibrate` and :func:`uncalibrated`, or if a
        rig of ``rigs`` has no points.
    """
    if points is None:
        made = Calibration(
            uncalibrated(rigs),
            tables.empty("calibration_points"),
            tables.empty("calibration_residuals"),
        )
    else:
        data = read_points(points, settings, grid)
        for rig in rigs:
            if rig not in set(data["rig"]):
                known = ", ".join(sorted(set(data["rig"]))) or "(none)"
                raise InputError(
                    points, f"no points of rig {rig}, only of {known}", "points of every rig in use"
                )
        made = calibrate(data, settings, points, grid)
    tables.write(made.transforms, output, "transforms")
    if output_points is not None:
        tables.write(made.points, output_points, "calibration_points")
    if output_residuals is not None:
        tables.write(made.residuals, output_residuals, "calibration_residuals")


def _transforms(mappings: Mapping[str, Fit], prototype: str) -> pd.DataFrame:
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


def _points(rigs: Mapping[str, pd.DataFrame], mappings: Mapping[str, Fit]) -> pd.DataFrame:
    parts = []
    for name, mapping in mappings.items():
        table = rigs[name][["antenna", "x", "y"]].assign(rig=name)
        mapped = boxes.apply(table[["x", "y"]].to_numpy(dtype=np.float64), mapping.matrix)
        parts.append(table.assign(reference_x=mapped[:, 0], reference_y=mapped[:, 1]))
    return tables.concatenate(parts, "calibration_points")


def _residuals(rigs: Mapping[str, pd.DataFrame], prototype: str, used: str) -> pd.DataFrame:
    """Fit every kind that the odd points determine, to see which does best on the even ones."""
    odd = int(odd_points(rigs[prototype]).sum())
    rows = []
    for name in sorted(set(rigs) - {prototype}):
        for kind in KINDS:
            row = {"rig": name, "transform": kind, "used": kind == used}
            if odd >= FEWEST[kind]:
                mapping = map_between(rigs[name], rigs[prototype], kind)
                row["fit_residual"] = mapping.fit_residual
                row["validation_residual"] = mapping.validation_residual
            rows.append(row)
    columns = ["rig", "transform", "used", "fit_residual", "validation_residual"]
    return tables.conform(pd.DataFrame(rows, columns=columns), "calibration_residuals")
