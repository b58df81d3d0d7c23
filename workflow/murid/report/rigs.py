"""What calibration did: points before and after, and residuals by kind (Appendix A.1)."""

from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from murid import schemas
from murid.okabe_ito import COLOURS
from murid.report.figures import TEXT, style, tidy, to_svg
from murid.report.metrics import natural

KINDS = schemas.CONTRACTS["calibration_residuals"].choices["transform"]
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
"""Told apart by shape as well as by colour; nine shapes and eleven colours make 99 pairs."""
_SIZE = 9.0
_IN_A_ROW = 5
"""Set-ups in a row of the legend."""
_MARGIN = 0.06


def rig_figure(points: pd.DataFrame) -> Markup | None:
    """Draw the calibration points of every rig set-up before and after, in the same scale.

    Parameters
    ----------
    points
        The table ``calibration_points``.

    Returns
    -------
    An ``svg`` element, the same bytes for the same input; None if there are no two set-ups.
    """
    rigs = sorted(points["rig"].unique(), key=natural)
    if len(rigs) < 2:
        return None
    every = points[["x", "y", "reference_x", "reference_y"]].to_numpy().reshape(-1, 2)
    low, high = every.min(axis=0), every.max(axis=0)
    room = _MARGIN * (high - low).max() + 1
    wide, tall = high - low + 2 * room
    with style():
        height = _SIZE / 2 * min(max(tall / wide, 0.25), 1.5) + 0.7
        rows = -(-len(rigs) // _IN_A_ROW)
        figure = Figure(figsize=(_SIZE, height + 0.25 * rows), layout="constrained")
        before, after = figure.subplots(1, 2, sharex=True, sharey=True)
        _draw(before, points, rigs, "", "before: pixels of each video")
        _draw(after, points, rigs, "reference_", "after: frame of reference")
        before.set_ylabel("y, pixels")
        before.set_xlim(low[0] - room, high[0] + room)
        before.set_ylim(high[1] + room, low[1] - room)
        for axes in (before, after):
            axes.set_aspect("equal", adjustable="box")
        _number(after, points)
        legend = before.get_legend_handles_labels()
        figure.legend(*legend, loc="outside upper left", ncols=_IN_A_ROW)
        return to_svg(figure)


def _draw(axes: Axes, points: pd.DataFrame, rigs: list[str], where: str, title: str) -> None:
    for number, rig in enumerate(rigs):
        placed = points[points["rig"] == rig]
        axes.plot(
            placed[f"{where}x"], placed[f"{where}y"], MARKERS[number % len(MARKERS)],
            color=COLOURS[number % len(COLOURS)], label=rig.replace("$", r"\$"),
            markersize=4.5, markerfacecolor="none", markeredgewidth=1.1, linestyle="none",
        )  # fmt: skip
    tidy(axes)
    axes.set_title(title, fontsize=9, loc="left")
    axes.set_xlabel("x, pixels")


def _number(axes: Axes, points: pd.DataFrame) -> None:
    """Write each antenna's number beside its points."""
    middle = points.groupby("antenna")[["reference_x", "reference_y"]].mean()
    for antenna, (x, y) in zip(middle.index, middle.to_numpy(dtype=float), strict=True):
        axes.annotate(
            str(antenna), (x, y), (5, 4), textcoords="offset points", fontsize=8, color=TEXT
        )


def residual_rows(residuals: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the residuals as rows of the page: a set-up each, and the last of all together.

    Parameters
    ----------
    residuals
        The table ``calibration_residuals``.

    Returns
    -------
    ``rig`` (None of the last) and ``kinds``: by kind of transform ``fitted``, ``held_back``
    (pixels; of all together root mean squares) and ``used``. Empty if there is nothing to tell.
    """
    rigs = sorted(set(residuals["rig"]), key=natural)
    rows = [{"rig": rig, "kinds": _kinds(residuals[residuals["rig"] == rig])} for rig in rigs]
    return rows + ([{"rig": None, "kinds": _kinds(residuals)}] if len(rigs) > 1 else [])


def _kinds(residuals: pd.DataFrame) -> dict[str, dict[str, Any]]:
    kinds = {}
    for kind in KINDS:
        rows = residuals[residuals["transform"] == kind]
        values = rows[["fit_residual", "validation_residual"]].to_numpy(dtype=np.float64)
        fitted, held_back = np.sqrt((values**2).mean(axis=0))
        kinds[kind] = {"fitted": fitted, "held_back": held_back, "used": bool(rows["used"].all())}
    return kinds
