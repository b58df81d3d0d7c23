"""The figures of the page, as SVG that takes its text colour from the page."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from murid.identify.registry import ORACLE, colours, in_order, label
from murid.okabe_ito import LINES
from murid.report.metrics import ALL, natural

TEXT = "#010203"
"""Stands for the page's text colour until the SVG is written."""
WIDE, NARROW = 9.0, 3.75
"""Inches of a figure across a page on a screen, and on a telephone."""
_SAID = "said: "
"""Stands before what a part of a figure says, where its id would be."""
_WIDTH = 5.2
_BAR = 0.13
_BARS = 0.6
"""What the bars of a cage may take together, however many there are."""
_GAP = 0.16
"""Inches."""
_LONGEST = 20
"""Letters of a cage's name."""


@contextmanager
def style() -> Iterator[None]:
    """Draw in the style of the page."""
    text = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color",
            "legend.labelcolor")  # fmt: skip
    options: dict[Any, object] = {"svg.hashsalt": "murid", "font.size": 9, "legend.frameon": False}
    with mpl.rc_context(options | dict.fromkeys(text, TEXT)):
        yield


def tidy(axes: Axes, grid: Literal["both", "x", "y"] = "both", bare: str = "top right") -> None:
    """Draw a faint grid behind what is shown, and leave out the frame at the sides named."""
    axes.grid(axis=grid, color=LINES, alpha=0.35, lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[bare.split()].set_visible(False)


def for_any_screen(draw: Callable[[float], Markup]) -> Markup:
    """Return a figure drawn twice, of which the page shows what its width has room for.

    Parameters
    ----------
    draw
        Draws it at a width in inches.
    """
    both = Markup('<div class="broad">{}</div><div class="slim">{}</div>')
    return both.format(draw(WIDE), draw(NARROW))


def say(part: Artist, words: str) -> None:
    """Let a part of a figure say what it is while the pointer is on it."""
    part.set_gid(_SAID + words)


def say_of_row(axes: Axes, place: float, words: str) -> None:
    """Let a row of a figure, half a unit to either side of its place, say what it is."""
    say(axes.axhspan(place - 0.5, place + 0.5, fill=False, lw=0), words)


def say_at(axes: Axes, place: tuple[Any, Any], words: str) -> None:
    """Let a point of a figure, and what is close to it, say what it is."""
    x, y = place
    above = 10  # whatever else is drawn there
    (dot,) = axes.plot([x], [y], "o", ms=6, mfc="none", mec="none", clip_on=False, zorder=above)
    say(dot, words)


def reach(low: float, high: float, form: str = ".1%") -> str:
    """Write the ends of an interval, to stand behind its value; nothing of none.

    Examples
    --------
    >>> reach(0.8, 0.9), reach(float("nan"), float("nan"))
    (' (80.0% to 90.0%)', '')
    """
    return "" if np.isnan(low) else f" ({low:{form}} to {high:{form}})"


def cages_of(metrics: pd.DataFrame, split: str) -> list[str]:
    """Return the cages that a split has figures of, numbers within names as numbers."""
    chosen = metrics[(metrics["split"] == split) & (metrics["group"] != ALL)]
    return sorted(set(chosen["group"]), key=natural)


def cage_bars(metrics: pd.DataFrame, split: str, metric: str, cages: list[str]) -> Markup | None:
    """Draw a metric of every cage, a bar a method; the oracle is a tick that no bar can pass.

    Parameters
    ----------
    metrics
        The table ``metrics``.
    split, metric
        Which.
    cages
        The cages to draw, from top to bottom.

    Returns
    -------
    An ``svg`` element, the same bytes for the same input; None if no cage has a value.
    """
    chosen = metrics[(metrics["split"] == split) & (metrics["metric"] == metric)]
    values = chosen.pivot(index="group", columns="method", values="value")
    # Every method has its place in every figure, so that those side by side line up.
    methods = in_order(metrics["method"])
    values = values.reindex(index=cages, columns=methods)
    if not values.notna().any(axis=None):
        return None
    sizes = chosen.groupby("group")["normaliser"].max().reindex(cages).fillna(0)
    bars = colours(methods)
    bar = min(_BAR, _BARS / max(len(bars), 1))
    pitch = len(bars) * bar + _GAP
    height, top = len(cages) * pitch, np.arange(len(cages)) * pitch
    with style():
        figure = Figure(figsize=(_WIDTH, height + 0.7), layout="constrained")
        axes = figure.add_subplot()
        for number, (method, colour) in enumerate(bars.items()):
            places = top + (number + 0.5) * bar
            drawn = axes.barh(places, values[method].to_numpy(), bar * 0.9, color=colour)
            for cage, value, part in zip(cages, values[method], drawn, strict=True):
                if not np.isnan(value):
                    say(part, f"{cage}, {label(method)}: {value:.1%}")
        if ORACLE in methods and values[ORACLE].notna().any():
            axes.vlines(values[ORACLE].to_numpy(), top, top + len(bars) * bar, TEXT, lw=1.5)
        axes.set_xlim(0, 1)
        axes.set_ylim(height - _GAP / 2, -_GAP / 2)
        labels = [f"{_short(cage)}  (n = {size:,.0f})" for cage, size in sizes.items()]
        axes.set_yticks(top + len(bars) * bar / 2, labels, parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.set_xticks(np.linspace(0, 1, 6))
        tidy(axes, "x", "top right left")
        if height > 6:
            axes.tick_params(axis="x", labeltop=True, top=True)
        return to_svg(figure)


def _short(name: str) -> str:
    """Return a name that leaves the bars enough room; names differ at either end."""
    half = _LONGEST // 2
    return name if len(name) <= _LONGEST else f"{name[:half]}…{name[-half:]}"


def to_svg(figure: Figure) -> Markup:
    """Return the figure as an element to put into a page."""
    buffer = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(buffer, format="svg", transparent=True, metadata=nothing)
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace(TEXT, "currentColor")
    said = f"<g id=([\"']){_SAID}(.*?)\\1>"
    text = re.sub(said, r'<g pointer-events="all"><title>\2</title>', text)
    # Several figures share the page, so ids that nothing refers to must go.
    text = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", text)
    return Markup(text)  # noqa: S704 - matplotlib escapes the labels
