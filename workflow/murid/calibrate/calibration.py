"""From points to transforms, residuals of every kind, and points in the frame of reference."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from murid import boxes, marks, tables
from murid.calibrate.agree import IDENTITY, agree
from murid.calibrate.fit import FEWEST, KINDS, Fit, map_between
from murid.calibrate.points import read_rigs
from murid.calibrate.set_up import SetUp, set_ups
from murid.calibrate.sight import NOTABLE, corner_remark, in_a_corner, scale, scale_remark
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import Calibrate, Image

if TYPE_CHECKING:
    from murid.calibrate import stage as declared

log = logging.getLogger(__name__)

_MATRIX = [f"m{row}{column}" for row in range(2) for column in range(3)]


@dataclass(frozen=True)
class Calibration:
    """What calibration gives.

    Attributes
    ----------
    transforms
        Table ``transforms``, a row a set-up that could be calibrated, in alphabetical order.
    points
        Table ``calibration_points``: every point before and after.
    residuals
        Table ``calibration_residuals``: every kind of transform, of every set-up but the prototype.
    refused
        Of each set-up that could not be calibrated, why, and what to do.
    remarks
        Of set-ups that could be, what may be wrong with their points.
    """

    transforms: pd.DataFrame
    points: pd.DataFrame
    residuals: pd.DataFrame
    refused: Mapping[str, InputError] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)


def calibrate(
    points: pd.DataFrame,
    settings: Calibrate,
    source: object = "points",
    grid: Grid | None = None,
    faults: Mapping[str, InputError] | None = None,
    image: Image | None = None,
) -> Calibration:
    """Map every set-up to the one that all others map to best; refuse those that do not fit.

    Points that are missing, mirrored, in another order, further off than ``max_residual`` or far
    worse than those of other set-ups refuse their set-up (:func:`murid.calibrate.agree.agree` tells
    which one), and the others go on.

    Parameters
    ----------
    points
        Columns ``rig, antenna, x, y``, of rigs without a fault.
    settings
        The kind of transform, and which validation residuals are believed.
    source
        Named in errors as the file at fault.
    grid
        The antennas, if the points' numbers are to be compared with them.
    faults
        Set-ups that are refused already, and why.
    image
        The frame of reference, if points are to be compared with it.

    Raises
    ------
    InputError
        If no set-up is left; a set-up and its points are named.
    """
    rigs = set_ups(points, source)
    agreed = agree(rigs, settings, grid, image)
    faults = {**(faults or {}), **agreed.faults}
    if not agreed.mappings:
        raise _nothing_left(faults, source)
    kept = {name: rigs[name] for name in agreed.mappings}
    return Calibration(
        _transforms(agreed.mappings, agreed.prototype),
        _points(kept, agreed.mappings),
        _residuals(kept, agreed.prototype, settings.transform),
        {name: faults[name] for name in sorted(faults)},
        _remarks(kept, agreed.mappings, agreed.prototype, image),
    )


def _remarks(
    rigs: Mapping[str, SetUp],
    mappings: Mapping[str, Fit],
    prototype: str,
    image: Image | None,
) -> dict[str, str]:
    """Tell which set-ups may be in other pixels; where it is little, the log alone says so."""
    if image and in_a_corner(rigs[prototype], image):
        return dict.fromkeys(rigs, corner_remark(rigs[prototype], image))
    remarks = {}
    for name, mapping in mappings.items():
        factor = scale(mapping.matrix)
        remark = scale_remark(factor, name, prototype)
        if remark and 1 / NOTABLE <= factor <= NOTABLE:
            log.warning("%s", remark)
        elif remark:
            remarks[name] = remark
    return remarks


def _nothing_left(faults: Mapping[str, InputError], source: object) -> InputError:
    """Return the error of the first set-up, which says that the others are no better."""
    for name in sorted(faults):
        log.warning("%s", faults[name])
    if not faults:
        return InputError(source, "no points", "calibration points of every rig set-up")
    first = faults[min(faults)]
    more = f"None of the {len(faults)} rig set-ups can be calibrated." if len(faults) > 1 else ""
    return InputError(
        first.file, first.found, first.expected, where=first.where,
        remedy=" ".join(part for part in (first.remedy, more) if part),
    )  # fmt: skip


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
            "calibration", f"no points for the rigs {', '.join(names) or '(none)'}",
            "points of every rig, or one rig only",
            remedy="Give --points (points: in the configuration) a CSV of rig, antenna, x, y.",
        )  # fmt: skip
    table = _transforms({names[0]: Fit(IDENTITY, np.nan, np.nan)}, names[0])
    return table.assign(fit_residual=None, validation_residual=None)


def calibrate_rigs(stage: "declared.Calibrate") -> Calibration:
    """Calibrate from points or recordings, or take one uncalibrated rig as it is.

    All set-ups of the file are calibrated, so that the frame of reference does not depend on which
    rigs are in use. The log tells what is refused, and what may be wrong.

    Raises
    ------
    InputError
        As :func:`murid.calibrate.points.read_rigs` and :func:`uncalibrated`, or if none of the rigs
        in use can be calibrated.
    """
    if stage.points is None:
        made = Calibration(
            uncalibrated(stage.rigs),
            tables.empty("calibration_points"),
            tables.empty("calibration_residuals"),
        )
    else:
        made = _calibrate_file(stage.points, stage)
    for remark in dict.fromkeys(made.remarks.values()):
        log.warning("%s", remark)
    for fault in made.refused.values():
        log.warning("refused: %s", fault)
    return made


def _calibrate_file(path: Path, stage: "declared.Calibrate") -> Calibration:
    # Where antennas are in no grid, points are any that all rigs have, still as many as the grid's
    # on a checkerboard.
    grid, rigs = Grid(stage.grid.rows, stage.grid.columns), stage.rigs
    numbered = grid if stage.grid.places is None else None
    marked = read_rigs(path, stage.calibrate, grid)
    in_file = sorted(marked.rigs)
    missing = {
        rig: InputError(
            path, f"no points of rig {rig}, only of {', '.join(filter(None, in_file)) or '(none)'}",
            "points of every rig in use", remedy="Add them, or mend the column rig of the sheet.",
        )
        for rig in rigs
        if rig not in in_file
    }  # fmt: skip
    faults = {**marked.faults, **missing}
    points = pd.DataFrame(marked.points, columns=list(marks.COLUMNS))
    made = calibrate(points, stage.calibrate, path, numbered, faults, stage.image)
    if set(rigs).isdisjoint(made.transforms["rig"]):
        raise _nothing_left({rig: made.refused[rig] for rig in rigs}, path)
    return made


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


def _points(rigs: Mapping[str, SetUp], mappings: Mapping[str, Fit]) -> pd.DataFrame:
    parts = []
    for name, mapping in mappings.items():
        x, y = rigs[name].places.T
        reference_x, reference_y = boxes.apply(rigs[name].places, mapping.matrix).T
        columns = {"antenna": rigs[name].antennas, "x": x, "y": y, "rig": name}
        columns |= {"reference_x": reference_x, "reference_y": reference_y}
        parts.append(pd.DataFrame(columns))
    return tables.concatenate(parts, "calibration_points")


def _residuals(rigs: Mapping[str, SetUp], prototype: str, used: str) -> pd.DataFrame:
    """Fit every kind that the odd points determine, to see which does best on the even ones."""
    rows = []
    for name in sorted(set(rigs) - {prototype}):
        for kind in KINDS:
            residuals: tuple[float | None, float | None] = (None, None)
            if rigs[prototype].odd.sum() >= FEWEST[kind]:
                mapping = map_between(rigs[name], rigs[prototype], kind)
                residuals = mapping.fit_residual, mapping.validation_residual
            rows.append((name, kind, kind == used, *residuals))
    columns = ["rig", "transform", "used", "fit_residual", "validation_residual"]
    return tables.conform(pd.DataFrame(rows, columns=columns), "calibration_residuals")
