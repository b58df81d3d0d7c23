"""The archive as a calendar: cages by days, coloured by what could be used and what is known."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from murid.alerts.days import KEY
from murid.evaluate.cage import usable
from murid.okabe_ito import LINES, VERMILION
from murid.report.figures import for_any_screen, say_of_row, style, to_svg
from murid.report.metrics import natural

MOST_DAYS = 366
"""Days that are shown; of more, those alone on which something was filmed, the last ones."""
CELL = 0.17
"""Inches: height of a cage."""
DAY, LABEL = 0.6, 0.75
"""Inches of width that a day needs for its figure to be written into it, and for its date."""


@dataclass(frozen=True)
class Quantity:
    """What a calendar shows."""

    title: str
    words: str
    least: float
    """Of the scale, which ends at 1."""


QUANTITIES = {
    "usable": Quantity(
        "Segments that could be used", "share of the day's segments, however long each is", 0.0
    ),
    "frames": Quantity(
        "Frames that are there",
        "of the frames of the day's segments that can be used, the share that is there",
        0.5,
    ),
    "coverage": Quantity("Seen", "share of the mice's time in which a named box shows them", 0.0),
    "confidence": Quantity("Sure", "mean probability that these names are right", 0.5),
}
"""By the column of the table ``cages``; of ``usable`` its share of ``segments``."""
_WHERE_LESS = ("frames",)
"""Quantities that are drawn only where some of it lacks."""


@dataclass(frozen=True)
class Calendar:
    """A calendar of a quantity, and how many cages it leaves out."""

    quantity: Quantity
    svg: Markup
    more_cages: int


def frames_missing(segments: pd.DataFrame) -> pd.Series:
    """Return the share of the frames that are missing of what could be used, by cage and day.

    Parameters
    ----------
    segments
        As :func:`murid.alerts.days.dated` gives them.

    Returns
    -------
    NaN where nothing tells; what could not be used at all is not among them.
    """
    days = segments[usable(segments)].groupby(KEY)
    expected = days["expected"].sum()
    return (days["lacking"].sum(min_count=1) / expected.where(expected > 0)).rename("missing")


def calendars(cages: pd.DataFrame, missing: pd.Series, most: int) -> list[Calendar]:
    """Draw a calendar of each quantity.

    Parameters
    ----------
    cages
        Table ``cages``: rows whose day is not known, or that have no segments, are left out.
    missing
        As :func:`frames_missing` gives it.
    most
        Cages that are drawn at most: those with the fewest usable segments and frames, then by
        name.

    Returns
    -------
    One of each of :data:`QUANTITIES` that is known anywhere, of frames where some are missing; none
    where no day is known.
    """
    known = cages[(cages["day"] != "") & (cages["segments"] > 0)]
    if known.empty:
        return []
    known = known.join(1 - missing.rename("frames"), on=KEY)
    shares = known.assign(usable=known["usable"] / known["segments"], day=_dates(known["day"]))
    days = _days(shares["day"])
    whole = (shares["usable"] * shares["frames"].fillna(1)).groupby(shares["cage"]).mean()
    worst = whole.sort_values(kind="stable").index[:most]
    names = sorted(worst, key=natural)
    drawn = []
    for column, quantity in QUANTITIES.items():
        table = shares.pivot(index="cage", columns="day", values=column)
        table = table.reindex(index=names, columns=days).astype(np.float64)
        told = table < 1 if column in _WHERE_LESS else table.notna()
        if told.any(axis=None):
            svg = for_any_screen(partial(_draw, table, quantity))
            drawn.append(Calendar(quantity, svg, shares["cage"].nunique() - len(names)))
    return drawn


def _days(filmed: pd.Series) -> pd.DatetimeIndex:
    """Return the days to show: all from first to last, or, of too many, the last that are known.

    A day that was written wrongly may be decades off: it must not leave the others out.
    """
    first, last = filmed.min(), filmed.max()
    if (last - first).days < MOST_DAYS:
        return pd.date_range(first, last, freq="D")
    return pd.DatetimeIndex(filmed.drop_duplicates().sort_values())[-MOST_DAYS:]


def _dates(days: pd.Series) -> pd.Series:
    return pd.to_datetime(days, format="%Y-%m-%d")


def _draw(table: pd.DataFrame, quantity: Quantity, width: float) -> Markup:
    rows, columns = table.shape
    height = rows * CELL + 0.75
    with style():
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.add_subplot()
        drawn = axes.imshow(
            np.ma.masked_invalid(table.to_numpy()), cmap="cividis", vmin=quantity.least, vmax=1,
            aspect="auto", interpolation="nearest", extent=(-0.5, columns - 0.5, rows - 0.5, -0.5),
        )  # fmt: skip
        # What is lost altogether must not look like what was not filmed.
        lost = np.argwhere(table.to_numpy() == 0)
        if quantity.least == 0 and len(lost):
            axes.plot(lost[:, 1], lost[:, 0], "x", color=VERMILION, ms=4)
        if columns * DAY <= width:
            _write_figures(axes, table.to_numpy(), quantity)
        for place, (cage, values) in enumerate(table.iterrows()):
            say_of_row(axes, place, f"{cage}: {_in_words(values.dropna())}")
        axes.set_yticks(np.arange(rows), list(table.index), parse_math=False, fontsize=7)
        step = max(1, math.ceil(columns * LABEL / width))
        ticks = np.arange(0, columns, step)
        axes.set_xticks(ticks, [f"{table.columns[tick]:%a %d %b %Y}" for tick in ticks], fontsize=7)
        axes.tick_params(axis="x", rotation=30)
        axes.tick_params(length=0)
        axes.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
        axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
        if columns <= 62:
            axes.grid(which="minor", color=LINES, lw=0.4, alpha=0.5)
        axes.tick_params(which="minor", length=0)
        axes.spines[:].set_visible(False)
        bar = figure.colorbar(drawn, ax=axes, aspect=12, shrink=min(1.0, 1.6 / height), pad=0.01)
        bar.outline.set_visible(False)
        bar.ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        return to_svg(figure)


def _in_words(values: pd.Series) -> str:
    """Sum up the days of a cage."""
    if values.empty:
        return "nothing is known"
    if len(values) == 1:
        return f"{values.iloc[0]:.1%} on {values.index[0]:%Y-%m-%d}"
    least = f"least {values.min():.1%} on {values.idxmin():%Y-%m-%d}"
    return f"{values.mean():.1%} on average of {len(values)} days, {least}"


def _write_figures(axes: Axes, values: NDArray[np.float64], quantity: Quantity) -> None:
    """Write each figure into its cell, in per cent, but for the crosses."""
    middle = (quantity.least + 1) / 2
    for row, column in np.argwhere(values > 0):
        value = values[row, column]
        colour = "black" if value > middle else "white"
        axes.text(
            column, row, f"{100 * value:.0f}", ha="center", va="center", fontsize=7, color=colour
        )
