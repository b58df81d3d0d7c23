"""The figures of the studies, as SVG that takes its text colour from the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from murid.grid import Grid
from murid.palette import BLUE, LINES, ORANGE, PALE
from murid.report.figures import TEXT, style, to_svg
from murid.study.predictors import BY_CAGE, MIXED

KINDS = {BY_CAGE: (BLUE, "o"), MIXED: (ORANGE, "s")}


def context_bars(context: pd.DataFrame) -> Markup:
    """Draw how much each summary of the context tells: by itself, and beyond the antenna.

    Parameters
    ----------
    context
        As :func:`murid.study.context.compare` gives.
    """
    with style():
        figure = Figure(figsize=(8.6, 0.27 * len(context) + 0.9), layout="constrained")
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        places = np.arange(len(context))
        panels = {"": "by itself", "_given_antenna": "beyond what the antenna tells"}
        for axes, (suffix, title) in zip((left, right), panels.items(), strict=True):
            chance = context[f"chance{suffix}"].to_numpy()
            gain = context[f"gain{suffix}"].to_numpy()
            axes.barh(places, chance, 0.7, color=PALE)
            axes.barh(places, gain.clip(min=0), 0.7, left=chance, color=BLUE)
            axes.set_title(title, fontsize=9)
            axes.set_xlabel("bits a sample")
            _tidy(axes)
        left.set_yticks(places, context["meaning"], parse_math=False)
        left.invert_yaxis()
        return to_svg(figure)


def predictor_dots(predictors: pd.DataFrame, labels: Mapping[str, str]) -> Markup:
    """Draw the log-likelihood of each predictor: its mean, and small its folds.

    Parameters
    ----------
    predictors
        As :func:`murid.study.predictors.compare` gives; only chosen parameters are drawn.
    labels
        The predictors to draw from top to bottom, and what they are called.
    """
    chosen = predictors[predictors["chosen"]]
    kinds = [kind for kind in KINDS if (chosen["folds"] == kind).any()]
    with style():
        figure = Figure(figsize=(6.4, 0.38 * len(labels) + 0.8), layout="constrained")
        axes = figure.add_subplot()
        for number, kind in enumerate(kinds):
            colour, marker = KINDS[kind]
            shift = 0.3 * (number - (len(kinds) - 1) / 2)
            for place, name in enumerate(labels):
                own = chosen[(chosen["folds"] == kind) & (chosen["predictor"] == name)]
                values = own["log_likelihood"].to_numpy()
                mean = np.average(values, weights=own["samples"])
                at = place + shift
                axes.plot(values, np.full(len(values), at), marker, ms=3.5, color=colour, alpha=0.4)
                axes.plot([mean], [at], marker, ms=7, color=colour)
        axes.set_yticks(np.arange(len(labels)), list(labels.values()))
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.set_xlabel("log-likelihood a sample (further right is better)")
        _tidy(axes)
        return to_svg(figure)


def size_map(sizes: pd.DataFrame, grid: Grid) -> Markup:
    """Draw the cage's floor: where clear and truncated boxes differ in size, and by how much.

    Parameters
    ----------
    sizes
        As :func:`murid.study.geometry.compare_sizes` gives.
    grid
        The antenna grid.
    """
    fills = {True: (BLUE, "white"), False: (ORANGE, "black"), None: ("none", TEXT)}
    with style():
        figure = Figure(figsize=(1.35 * grid.columns + 0.4, 0.85 * grid.rows + 0.4))
        axes = figure.add_axes((0, 0, 1, 1))
        for row in sizes.itertuples():
            column, depth = int(grid.column(row.antenna)), int(grid.row(row.antenna))
            fill, ink = fills[row.significant]
            axes.add_patch(Rectangle((column + 0.03, depth + 0.03), 0.94, 0.94, fc=fill, ec=PALE))
            wide, high = row.truncated_w - row.clear_w, row.truncated_h - row.clear_h
            change = "–" if np.isnan(wide) else f"{wide:+.0f} × {high:+.0f} px"
            texts = (f"antenna {row.antenna}", change, f"n = {row.clear} / {row.truncated}")
            for line, text in enumerate(texts):
                axes.text(
                    column + 0.5, depth + 0.25 + 0.26 * line, text,
                    ha="center", va="center", color=ink, fontsize=9 if line == 1 else 8,
                    fontweight="bold" if line == 1 else "normal",
                )  # fmt: skip
        axes.set_xlim(-0.05, grid.columns + 0.05)
        axes.set_ylim(grid.rows + 0.05, -0.05)
        axes.axis("off")
        return to_svg(figure)


@dataclass(frozen=True)
class Axis:
    """A side of a heat map: a column of the table, its values in order, and what it is called."""

    column: str
    ticks: Sequence[float]
    label: str


def heat_map(
    table: pd.DataFrame,
    across: Axis,
    down: Axis,
    current: tuple[float, float],
    lower_is_better: bool = False,
) -> Markup:
    """Draw a metric over two settings, with its value in every cell.

    Parameters
    ----------
    table
        A row a cell, with ``value`` and ``as_good``.
    across, down
        The settings, from left to right and from top to bottom.
    current
        The settings in use, across and down, framed by a broken line; the best have a full one.
        Cells that are not surely worse than the best have a dot.
    lower_is_better
        What the best is, which is always on yellow.
    """
    wide = table.pivot(index=down.column, columns=across.column)
    wide = wide.reindex(index=list(down.ticks))
    values = wide["value"].reindex(columns=list(across.ticks)).to_numpy(dtype=np.float64)
    as_good = wide["as_good"].reindex(columns=list(across.ticks)).eq(True).to_numpy()
    shades = -values if lower_is_better else values
    low, high = np.nanmin(shades), np.nanmax(shades)
    middle = (low + high) / 2
    with style():
        size = (0.72 * len(across.ticks) + 0.9, 0.5 * len(down.ticks) + 0.7)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        axes.pcolormesh(shades, cmap="cividis", vmin=low, vmax=high if high > low else low + 1e-9)
        for row, column in np.ndindex(values.shape):
            ink = "white" if shades[row, column] < middle else "black"
            text = f"{values[row, column]:.3f}" + " •" * bool(as_good[row, column])
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=ink)
        for row, column in np.argwhere(shades == high):
            _frame(axes, row, column, "black", "-", 0.05)
        if current[0] in across.ticks and current[1] in down.ticks:
            at = list(down.ticks).index(current[1]), list(across.ticks).index(current[0])
            ink = "white" if shades[at] < middle else "black"
            _frame(axes, *at, ink, (0, (2, 1.5)), 0.12)
        axes.set_xticks(np.arange(len(across.ticks)) + 0.5, [f"{at:g}" for at in across.ticks])
        axes.set_yticks(np.arange(len(down.ticks)) + 0.5, [f"{at:g}" for at in down.ticks])
        axes.invert_yaxis()
        axes.set_xlabel(across.label)
        axes.set_ylabel(down.label)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        return to_svg(figure)


def _frame(axes: Axes, row: int, column: int, colour: str, line: object, margin: float) -> None:
    place, size = (column + margin, row + margin), 1 - 2 * margin
    axes.add_patch(Rectangle(place, size, size, fill=False, ec=colour, lw=1.6, ls=line))


def _tidy(axes: Axes) -> None:
    axes.grid(axis="x", color=LINES, alpha=0.35, lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
