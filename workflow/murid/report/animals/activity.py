"""How active the animals of a cage are over the day, drawn with its dark phases."""

from collections.abc import Sequence
from datetime import time
from functools import partial

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from murid.okabe_ito import COLOURS, LINES, PALE
from murid.report.animals import phases, totals
from murid.report.figures import (
    WIDE,
    for_any_screen,
    reach,
    say,
    say_at,
    say_of_row,
    style,
    tidy,
    to_svg,
)

HEIGHT = 2.9
"""Inches."""
FEWEST_HOURS = 6
"""Hours from which on a figure shows hours; below it, minutes."""
UNITS = {"distance": ("pixels an hour", 3600.0), "distance_cm": ("m an hour", 36.0)}
"""What ways are drawn in, and what a way a second comes to in that."""
APART = 0.007
"""Of the width: how far animals are drawn apart that are seen once in a while."""
SHADED = pd.Timedelta(days=100)
"""Up to which dark phases are drawn: of more, each is a hair's breadth."""
MOST_SAID = 600
"""Points up to which each says its figure: of more, several lie under the pointer."""
MINUTE = 60.0


def figure(table: pd.DataFrame, dark: tuple[time, time] | None) -> Markup | None:
    """Draw the way that each animal goes an hour, over the time of day, with its interval.

    Parameters
    ----------
    table
        Table ``animal_figures`` of a cage.
    dark
        When the light goes out and on again; None if that is not known.

    Returns
    -------
    An ``svg`` element, the same bytes for the same input; None if no way is known.

    Notes
    -----
    Where the time of day of a segment is not known, minutes count from its start, and segments
    follow each other.
    """
    hours = totals.hours(table)
    period = (
        "hour"
        if hours["start"].astype(str).add(hours["segment"]).nunique() >= FEWEST_HOURS
        else "minute"
    )
    rows = table[table["period"] == period]
    unit = totals.unit(rows)
    rows = rows[rows[unit].notna()]
    if rows.empty:
        return None
    timed = bool((rows["local"] != "").all())
    at = phases.wall(rows["local"]) if timed else _following(rows)
    rows = rows.assign(at=at).sort_values("at", kind="stable")
    return for_any_screen(partial(_draw, rows, period, timed, dark))


def _draw(
    rows: pd.DataFrame, period: str, timed: bool, dark: tuple[time, time] | None, width: float
) -> Markup:
    unit = totals.unit(rows)
    with style():
        drawn = Figure(figsize=(width, HEIGHT), layout="constrained")
        axes = drawn.add_subplot()
        length = pd.Timedelta(hours=1) if period == "hour" else pd.Timedelta(minutes=1)
        animals = rows.groupby("animal", sort=True)
        said = len(rows) <= MOST_SAID
        apart = (rows["at"].max() - rows["at"].min()) * APART
        for place, (name, own) in enumerate(animals):
            beside = apart * (place - (animals.ngroups - 1) / 2)
            _line(
                axes,
                own,
                str(name),
                COLOURS[place % len(COLOURS)],
                unit,
                length,
                timed,
                beside,
                said,
            )
        if timed:
            _nights(axes, rows["at"].min(), rows["at"].max() + length, dark)
            locator = mdates.AutoDateLocator(minticks=round(width / 3), maxticks=round(width))
            axes.xaxis.set_major_locator(locator)
            words = mdates.ConciseDateFormatter(locator, show_offset=False)
            words.formats[2] = words.zero_formats[2] = words.zero_formats[3] = "%a %d %b"
            axes.xaxis.set_major_formatter(words)
        else:
            axes.set_xlabel("minutes filmed, one segment after the other")
        axes.set_ylim(bottom=0)
        axes.set_ylabel(UNITS[unit][0])
        tidy(axes)
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=6, fontsize=8, borderpad=0)
        return to_svg(drawn)


def _line(
    axes: Axes,
    own: pd.DataFrame,
    name: str,
    colour: str,
    unit: str,
    length: pd.Timedelta,
    timed: bool,
    beside: pd.Timedelta | float,
    said: bool,
) -> None:
    """Draw an animal's line; where nothing was filmed, it is broken.

    What is left of it where single periods were filmed stands ``beside`` its time, so that animals
    do not hide each other.
    """
    rate = UNITS[unit][1] / own["seconds"].to_numpy()
    values = np.stack([own[unit + end].to_numpy() * rate for end in totals.ENDS])
    at = own["at"].to_numpy()
    step = np.diff(at) > (length.to_timedelta64() * 1.5 if timed else 1.5)
    breaks = np.flatnonzero(step) + 1
    for number, part in enumerate(np.split(np.arange(len(at)), breaks)):
        middle = at[part] + (length.to_timedelta64() / 2 if timed else 0)
        if len(part) == 1:
            middle = middle + (np.timedelta64(beside) if timed else beside)
        axes.plot(
            middle, values[0, part], color=colour, lw=1.4, marker="o", ms=3 if len(part) < 3 else 0,
            label=name if not number else None,
        )  # fmt: skip
        for place, row in zip(middle, part, strict=True) if said else ():
            value, low, high = values[:, row]
            at_ = f" {pd.Timestamp(at[row]):%Y-%m-%d %H:%M}" if timed else ""
            words = f"{name}{at_}: {value:,.1f} {UNITS[unit][0]}{reach(low, high, ',.1f')}"
            say_at(axes, (place, value), words)
        if len(part) > 1:
            axes.fill_between(
                middle, values[1, part], values[2, part], color=colour, alpha=0.2, lw=0
            )
        else:
            axes.vlines(middle, values[1, part], values[2, part], color=colour, lw=1)


def _nights(
    axes: Axes, first: pd.Timestamp, last: pd.Timestamp, dark: tuple[time, time] | None
) -> None:
    if dark is not None and last - first <= SHADED:
        for out, on in phases.nights(first.to_pydatetime(), last.to_pydatetime(), dark):
            axes.axvspan(max(out, first), min(on, last), color=PALE, alpha=0.45, lw=0, zorder=0)
    room = 2 * APART * (last - first)
    axes.set_xlim(first - room, last + room)


def _following(rows: pd.DataFrame) -> pd.Series:
    """Return minutes of the segments one after the other."""
    segments = rows.groupby("segment", sort=True)
    lengths = segments["start"].max() + MINUTE
    begins = lengths.cumsum().shift(fill_value=0)
    return (rows["segment"].map(begins) + rows["start"]) / MINUTE


def known(table: pd.DataFrame) -> Markup | None:
    """Draw for which share of the time each animal is seen, inferred, and not known.

    Parameters
    ----------
    table
        What :func:`murid.report.animals.totals.animals` returns.

    Returns
    -------
    An ``svg`` element; None if there is no animal.
    """
    if table.empty:
        return None
    with style():
        drawn = Figure(figsize=(WIDE / 2, 0.32 * len(table) + 0.75), layout="constrained")
        axes = drawn.add_subplot()
        left = np.zeros(len(table))
        for state, colour in zip(totals.STATES, (COLOURS[0], COLOURS[4], PALE), strict=True):
            share = table[state].to_numpy()
            places = np.arange(len(table))
            bars = axes.barh(places, share, 0.62, left=left, color=colour, label=state)
            for animal, value, bar in zip(table["animal"], share, bars, strict=True):
                say(bar, f"{animal}: {state} {value:.1%} of the time")
            left += share
        _names(axes, list(table["animal"]))
        axes.set_xlim(0, 1)
        axes.set_xticks(np.linspace(0, 1, 6), [f"{each:.0%}" for each in np.linspace(0, 1, 6)])
        tidy(axes, "x", "top right left")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, fontsize=8, borderpad=0)
        return to_svg(drawn)


def dots(table: pd.DataFrame, labels: Sequence[str], what: str) -> Markup | None:
    """Draw shares with their intervals, a line each.

    Parameters
    ----------
    table
        Columns ``value``, ``low`` and ``high``.
    labels
        What each row is called.
    what
        What the axis is called.
    """
    if table.empty:
        return None
    with style():
        drawn = Figure(figsize=(WIDE / 2, 0.27 * len(table) + 0.75), layout="constrained")
        axes = drawn.add_subplot()
        place = np.arange(len(table))
        axes.hlines(place, table["low"], table["high"], color=LINES, lw=2)
        axes.plot(table["value"], place, "o", color=COLOURS[0], ms=5)
        for row, name in enumerate(labels):
            value, low, high = table.iloc[row][["value", "low", "high"]]
            say_of_row(axes, row, f"{name}: {value:.1%}{reach(low, high)}")
        _names(axes, labels)
        high = float(max(table["high"].max(), 0.05))
        axes.set_xlim(0, min(1.0, 1.1 * high))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_xlabel(what)
        tidy(axes, "x", "top right left")
        return to_svg(drawn)


def _names(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks(np.arange(len(labels)), labels, parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(labels) - 0.5, -0.5)
