"""The figures on a method's confidence: the reliability diagram, and accuracy against coverage."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from murid.okabe_ito import BLUE, LINES, VERMILION
from murid.report.figures import reach, say_at, style, tidy, to_svg
from murid.report.metric_words import ROWS
from murid.report.reliability import BINS, COVERAGES, KEPT, Reliability

_DOTS: dict[str, Any] = {"linestyle": "none", "markersize": 4.5, "elinewidth": 1.1, "capsize": 2}
LOOKS: dict[str, dict[str, Any]] = {
    "all": {"color": BLUE, "marker": "o"},
    "box": {"color": VERMILION, "marker": "s"},
}
"""Of a kind of rows; told apart by shape and line as well as by colour."""
LINE_STYLES = {"all": "-", "box": "--"}

_SIZE = (5.2, 4.6)
_APART = 0.008
"""By which dots at the same place are moved aside, so that their intervals can be seen."""


def reliability_diagram(reliabilities: Sequence[Reliability]) -> Markup:
    """Draw the share right against the stated confidence in ten bins, and how many rows each holds.

    Parameters
    ----------
    reliabilities
        Of one method and split, a kind of rows each.

    Returns
    -------
    An ``svg`` element, the same bytes for the same input.
    """
    with style():
        figure, axes = _axes()
        axes.plot([0, 1], [0, 1], color=LINES, lw=1, ls=":", label="as stated")
        for number, entry in enumerate(reliabilities):
            bins = entry.bins
            low = (bins["right"] - bins["low"]).clip(lower=0)
            high = (bins["high"] - bins["right"]).clip(lower=0)
            place = bins["stated"] + _aside(number, reliabilities)
            look = LOOKS[entry.kind] | _DOTS | {"label": ROWS[entry.kind]}
            axes.errorbar(place, bins["right"], np.array([low, high]), **look)
            for at, row in zip(place, bins.itertuples(), strict=True):
                words = f"{ROWS[entry.kind]}, stated {row.stated:.1%}: {row.right:.1%} right"
                words += f"{reach(row.low, row.high)}, {row.rows:,.0f} rows"
                say_at(axes, (at, row.right), words)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.02)
        axes.set_ylabel("share of them that are right")
        _sizes(axes, reliabilities)
        axes.set_xlabel("how sure the method says it is, and the number of rows", labelpad=26)
        return _finished(figure, axes)


def coverage_figure(reliabilities: Sequence[Reliability]) -> Markup:
    """Draw the share right of the surest rows against how many of the rows they are.

    Parameters
    ----------
    reliabilities
        Of one method and split, a kind of rows each.

    Returns
    -------
    An ``svg`` element, the same bytes for the same input.
    """
    with style():
        figure, axes = _axes()
        lowest = 1.0
        for number, entry in enumerate(reliabilities):
            axes.plot(
                COVERAGES, entry.curve, LINE_STYLES[entry.kind], lw=1.8,
                color=LOOKS[entry.kind]["color"], label=ROWS[entry.kind],
            )  # fmt: skip
            for share in KEPT:
                kept = entry.accuracy[share]
                low, high = kept.interval or (np.nan, np.nan)
                place = share + _aside(number, reliabilities)
                bars = [[kept.value - low], [high - kept.value]]
                look = LOOKS[entry.kind] | _DOTS
                axes.errorbar(place, kept.value, bars, **look, clip_on=False)
                words = f"{ROWS[entry.kind]}, the surest {share:.0%}: {kept.value:.1%} right"
                say_at(axes, (place, kept.value), words + reach(low, high))
                lowest = np.fmin(lowest, np.fmin(low, kept.value))
            lowest = min(lowest, *entry.curve)
        bottom = min(0.9, np.floor(lowest * 20) / 20)
        axes.set_xlim(0, 1.02)
        axes.set_ylim(bottom, 1 + (1 - bottom) * 0.02)
        axes.set_ylabel("share of them that are right")
        axes.set_xlabel("share of the rows that is kept, the surest first")
        return _finished(figure, axes)


def _axes() -> tuple[Figure, Axes]:
    figure = Figure(figsize=_SIZE, layout="constrained")
    axes = figure.add_subplot()
    tidy(axes)
    return figure, axes


def _aside(number: int, reliabilities: Sequence[Reliability]) -> float:
    return _APART * (2 * number - len(reliabilities) + 1)


def _sizes(axes: Axes, reliabilities: Sequence[Reliability]) -> None:
    """Write the number of rows of each bin under it, a line a kind of rows."""
    below: dict[str, Any] = {"textcoords": "offset points", "annotation_clip": False}
    below |= {"va": "top", "fontsize": 7.5}
    for line, entry in enumerate(reliabilities):
        place = (0, -19 - 10 * line)
        axes.annotate(ROWS[entry.kind], (-0.02, 0), place, ha="right", **below)
        for stated, rows in zip(entry.bins["stated"], entry.bins["rows"], strict=True):
            middle = (min(int(stated * BINS), BINS - 1) + 0.5) / BINS
            axes.annotate(_short(rows), (middle, 0), place, ha="center", **below)


def _short(count: int) -> str:
    """Return a count in at most five letters.

    Examples
    --------
    >>> _short(9_999), _short(45_321), _short(1_234_567)
    ('9,999', '45k', '1.2M')
    """
    if count < 10_000:
        return f"{count:,}"
    return f"{count / 1000:.0f}k" if count < 999_500 else f"{count / 1e6:.1f}M"


def _finished(figure: Figure, axes: Axes) -> Markup:
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(10, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    figure.legend(loc="outside upper left", ncols=3)
    return to_svg(figure)
