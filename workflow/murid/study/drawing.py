"""The figures of the studies, as SVG that takes its text colour from the page."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from typing import Any, Literal

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter

from murid.grid import Antennas
from murid.models.fitted_path import Motion, Score
from murid.okabe_ito import BLUE, GREEN, LINES, ORANGE, PALE, PURPLE, SKY, VERMILION
from murid.report.figures import TEXT, style, to_svg
from murid.study.compare import Setting
from murid.study.predictors import BY_CAGE, MIXED

KINDS = {BY_CAGE: (BLUE, "o"), MIXED: (ORANGE, "s")}
LOOKS: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "linestyle": "-"},
    {"color": VERMILION, "linestyle": "--"},
    {"color": GREEN, "linestyle": "-."},
    {"color": PURPLE, "linestyle": ":"},
    {"color": SKY, "linestyle": (0, (6, 2, 1, 2, 1, 2))},
)
"""Lines are told apart by more than their colour."""
MOST = 10_000
"""Odds beyond which the worth of a score is not drawn."""
_SMALL = (4.4, 3.0)


def context_bars(context: pd.DataFrame) -> Markup:
    """Draw how much each summary of the context tells: by itself, and beyond the antenna.

    Parameters
    ----------
    context
        As :func:`murid.study.context.compare` gives.
    """
    with _figure(8.6, 0.27 * len(context) + 0.9) as figure:
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        places = np.arange(len(context))
        panels = {"": "by itself", "_given_antenna": "beyond what the antenna tells"}
        for axes, (suffix, title) in zip((left, right), panels.items(), strict=True):
            chance, gain = (context[f"{part}{suffix}"].to_numpy() for part in ("chance", "gain"))
            axes.barh(places, chance, 0.7, color=PALE)
            axes.barh(places, gain.clip(min=0), 0.7, left=chance, color=BLUE)
            axes.set_title(title, fontsize=9)
            _tidy(axes, "x", "bits a sample")
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
    with _figure(6.4, 0.38 * len(labels) + 0.8) as figure:
        axes = _tidy(figure.add_subplot(), "x", "log-likelihood a sample (further right is better)")
        for number, kind in enumerate(kinds):
            colour, marker = KINDS[kind]
            shift = 0.3 * (number - (len(kinds) - 1) / 2)
            for place, name in enumerate(labels):
                folds = chosen[(chosen["folds"] == kind) & (chosen["predictor"] == name)]
                values = folds["log_likelihood"].to_numpy()
                mean = np.average(values, weights=folds["samples"])
                at = place + shift
                axes.plot(values, np.full(len(values), at), marker, ms=3.5, color=colour, alpha=0.4)
                axes.plot([mean], [at], marker, ms=7, color=colour)
        axes.set_yticks(np.arange(len(labels)), list(labels.values()))
        axes.set_ylim(len(labels) - 0.5, -0.5)
        return to_svg(figure)


def size_map(sizes: pd.DataFrame, grid: Antennas) -> Markup:
    """Draw the cage's floor: where clear and truncated boxes differ in size, and by how much.

    Parameters
    ----------
    sizes
        As :func:`murid.study.geometry.compare_sizes` gives.
    grid
        The antenna grid.
    """
    fills = {True: (BLUE, "white"), False: (ORANGE, "black"), None: ("none", TEXT)}
    with _figure(1.35 * grid.columns + 0.4, 0.85 * grid.rows + 0.4) as figure:
        figure.set_layout_engine("none")
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


def heat_map(
    table: pd.DataFrame, across: Setting, down: Setting, lower_is_better: bool = False
) -> Markup:
    """Draw a metric over two settings, with its value in every cell.

    Parameters
    ----------
    table
        A row a cell, with ``value`` and ``as_good``.
    across, down
        The settings, from left to right and from top to bottom. Those in use are framed by a broken
        line; the best have a full one. Cells that are not surely worse than the best have a dot.
    lower_is_better
        What the best is, which is always on yellow.
    """
    wide = table.pivot(index=down.column, columns=across.column)
    wide = wide.reindex(index=list(down.tried))
    values = wide["value"].reindex(columns=list(across.tried)).to_numpy(dtype=np.float64)
    as_good = wide["as_good"].reindex(columns=list(across.tried)).eq(True).to_numpy()
    shades = -values if lower_is_better else values
    low, high = np.nanmin(shades), np.nanmax(shades)
    inks = np.where(shades < (low + high) / 2, "white", "black")
    with _figure(0.72 * len(across.tried) + 0.9, 0.5 * len(down.tried) + 0.7) as figure:
        axes = figure.add_subplot()
        axes.pcolormesh(shades, cmap="cividis", vmin=low, vmax=high if high > low else low + 1e-9)
        for row, column in np.ndindex(values.shape):
            text = f"{values[row, column]:.3f}" + " •" * bool(as_good[row, column])
            ink = str(inks[row, column])
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=ink)
        for row, column in np.argwhere(shades == high):
            _frame(axes, row, column, "black", "-", 0.05)
        if across.current in across.tried and down.current in down.tried:
            row, column = down.tried.index(down.current), across.tried.index(across.current)
            _frame(axes, row, column, str(inks[row, column]), (0, (2, 1.5)), 0.12)
        axes.set_xticks(np.arange(len(across.tried)) + 0.5, [f"{at:g}" for at in across.tried])
        axes.set_yticks(np.arange(len(down.tried)) + 0.5, [f"{at:g}" for at in down.tried])
        axes.invert_yaxis()
        axes.set(xlabel=across.label, ylabel=down.label)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        return to_svg(figure)


def lag_curve(lag: pd.DataFrame) -> Markup:
    """Draw how well boxes fit readings against the lag, less what they fit without one.

    Parameters
    ----------
    lag
        As :func:`murid.study.identify.lag_table` gives; dots are full where a lag cannot be told
        from the best.
    """
    with _figure(6.4, 3.8) as figure:
        axes = _tidy(
            figure.add_subplot(), "both", "seconds by which readings are taken to run late",
            "log-likelihood of a box,\nabove that without a lag",
        )  # fmt: skip
        axes.axvline(0, color=LINES, lw=1, ls=":")
        curves = lag.groupby("rig", sort=False)
        for (rig, curve), look in zip(curves, cycle(LOOKS), strict=False):
            lags, gain = curve["lag"].to_numpy(), curve["log_likelihood"].to_numpy()
            gain = gain - gain[0]
            axes.plot(lags, gain, lw=1.6, label=rig, **look)
            near = curve["possible"].to_numpy(dtype=bool)
            dots: dict[str, Any] = {"marker": "o", "ls": "none", "ms": 4.5, "mec": look["color"]}
            axes.plot(lags[near], gain[near], color=look["color"], **dots)
            axes.plot(lags[~near], gain[~near], color="none", **dots)
            at = curve["chosen"].to_numpy().argmax()
            axes.plot(lags[at], gain[at], "o", ms=11, mfc="none", mec=TEXT, mew=1.4)
        if len(curves) > 1:
            figure.legend(loc="outside lower center", ncols=4, frameon=False, labelcolor=TEXT)
        return to_svg(figure)


def spread_curve(motion: Motion) -> Markup:
    """Draw how far an animal moves from one tracklet to its next, by gap."""
    with _figure(*_SMALL) as figure:
        axes = _by_gap(figure, motion, "standard deviation, pixels")
        for column, label in enumerate(("left and right", "up and down")):
            spread = motion.spread[:, column]
            axes.plot(motion.seconds, spread, lw=1.8, label=label, **LOOKS[column])
        axes.set_ylim(0, None)
        axes.legend(frameon=False, labelcolor=TEXT, loc="lower right")
        return to_svg(figure)


def near_curve(motion: Motion) -> Markup:
    """Draw how probable it is that an animal is still where it was, by gap."""
    with _figure(*_SMALL) as figure:
        axes = _by_gap(figure, motion, "probability that it is near")
        axes.plot(motion.seconds, motion.near, lw=1.8, **LOOKS[0])
        axes.set_ylim(0, 1.02)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        return to_svg(figure)


def begin_curve(motion: Motion) -> Markup:
    """Draw how likely an animal's next tracklet begins after a gap, against one of nobody."""
    with _figure(*_SMALL) as figure:
        axes = _by_gap(figure, motion, "animal's next : nobody's")
        axes.plot(motion.seconds, motion.gaps, lw=1.8, label="after this gap", **LOOKS[0])
        axes.axhline(motion.fresh, lw=1.8, label="after a longer absence", **LOOKS[1])
        _odds(axes, [*motion.gaps, motion.fresh])
        axes.legend(frameon=False, labelcolor=TEXT, loc="upper right")
        return to_svg(figure)


def score_curve(score: Score) -> Markup:
    """Draw what a score says of a box being an animal, not a false one; odds up to :data:`MOST`."""
    scores = np.linspace(0, 1, 101)
    scores = scores[np.abs(score.log_odds(scores)) <= np.log(MOST)]
    odds = score.log_odds(scores)
    with _figure(*_SMALL) as figure:
        axes = _tidy(figure.add_subplot(), "both", "score of the detection", "animal : false box")
        axes.axhline(0, color=LINES, lw=1, ls=":")
        axes.plot(scores, odds, lw=1.8, **LOOKS[0])
        _odds(axes, odds)
        return to_svg(figure)


@contextmanager
def _figure(width: float, height: float) -> Iterator[Figure]:
    """Yield an empty figure of some inches, in the style of the page."""
    with style():
        yield Figure(figsize=(width, height), layout="constrained")


def _by_gap(figure: Figure, motion: Motion, label: str) -> Axes:
    axes = figure.add_subplot()
    axes.set_xlim(0, motion.reach)
    return _tidy(axes, "both", "seconds from one tracklet to the next", label)


def _tidy(axes: Axes, lines: Literal["x", "both"], xlabel: str, ylabel: str = "") -> Axes:
    """Label axes and draw faint lines behind, of which a list of names needs none beside it."""
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.grid(axis=lines, color=LINES, alpha=0.35, lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if lines == "x":
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    return axes


def _frame(axes: Axes, row: int, column: int, colour: str, line: object, margin: float) -> None:
    place, size = (column + margin, row + margin), 1 - 2 * margin
    axes.add_patch(Rectangle(place, size, size, fill=False, ec=colour, lw=1.6, ls=line))


def _odds(axes: Axes, values: Collection[float]) -> None:
    """Write log odds as odds, powers of ten."""
    low, high = np.floor(min(values) / np.log(10)), np.ceil(max(values) / np.log(10))
    step = max(1, round((high - low) / 6))
    powers = [power for power in range(int(low), int(high) + 1) if power % step == 0]
    axes.set_yticks([power * np.log(10) for power in powers], [_ratio(power) for power in powers])


def _ratio(power: int) -> str:
    """Write a power of ten as odds.

    Examples
    --------
    >>> _ratio(3), _ratio(-1), _ratio(0)
    ('1,000 : 1', '1 : 10', '1 : 1')
    """
    return f"{10**power:,} : 1" if power > 0 else f"1 : {10**-power:,}"
