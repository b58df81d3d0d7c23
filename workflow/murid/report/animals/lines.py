"""The course of ways as lines: over the hours or minutes of some days, or over many days."""

from collections.abc import Mapping
from datetime import time
from typing import Any

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from murid.okabe_ito import DASHES, MARKS
from murid.report.animals import colours, phases, unused
from murid.report.animals.colours import NIGHT
from murid.report.figures import reach, say_at, style, tidy, to_svg

HEIGHT, OF_PART = 2.9, 2.0
"""Inches: of a figure, and of each part of one that has several."""
MOST_SAID = 600
"""Points up to which each says its figure: of more, several lie under the pointer."""
MARGIN = 0.012
"""Of the width: what is left free at either side."""


def draw(
    parts: Mapping[str, pd.DataFrame],
    step: Any,
    unit: str,
    of_animals: Mapping[str, str],
    dark: tuple[time, time] | None,
    lost: pd.DataFrame | None,
    width: float,
) -> Markup:
    """Draw a line an animal, broken where there is nothing, in parts one below the other.

    Parameters
    ----------
    parts
        Tables by what each is called: ``at`` and ``last``, where a point begins and ends, times or
        numbers; ``animal``, ``value``, ``low``, ``high``, and ``said``, what a point is called.
    step
        How far points are apart that follow each other.
    unit
        What values are in.
    of_animals
        Colours.
    dark
        The dark phase, to be shaded; None for none.
    lost
        ``begin``, ``end`` and ``words`` of what could not be used, to be striped; None for none.
    width
        Inches.
    """
    height = HEIGHT if len(parts) == 1 else OF_PART * len(parts)
    every = pd.concat(parts.values())
    first, last = every["at"].min(), every["last"].max()
    if lost is not None and len(lost):
        first, last = min(first, lost["begin"].min()), max(last, lost["end"].max())
    top = 1.06 * float(np.nanmax(every[["value", "high"]].to_numpy(float)))
    rounds = colours.rounds(of_animals)
    with style():
        drawn = Figure(figsize=(width, height), layout="constrained")
        axes: list[Axes] = list(drawn.subplots(len(parts), squeeze=False, sharex=True)[:, 0])
        for part, (name, points) in zip(axes, parts.items(), strict=True):
            for animal, own in points.groupby("animal", sort=True):
                look = of_animals[str(animal)], rounds[str(animal)] % len(MARKS)
                _line(part, own, look, step, unit, len(every) <= MOST_SAID)
            if dark is not None:
                _nights(part, first, last, dark)
            if lost is not None:
                _unused(part, lost, unused.NARROWEST * (last - first))
            part.set_xlim(first - MARGIN * (last - first), last + MARGIN * (last - first))
            part.set_ylim(0, top or 1)
            part.set_ylabel(f"{name}\n{unit}" if name else unit)
            tidy(part)
        if isinstance(first, pd.Timestamp):
            _dates(axes[-1], width)
        return to_svg(drawn)


def _line(
    axes: Axes, own: pd.DataFrame, look: tuple[str, int], step: Any, unit: str, said: bool
) -> None:
    colour, again = look
    own = own.sort_values("at", kind="stable")
    middle = (own["at"] + (own["last"] - own["at"]) / 2).to_numpy()
    value, low, high = (own[name].to_numpy(float) for name in ("value", "low", "high"))
    breaks = np.flatnonzero((own["at"].diff() > 1.5 * step).to_numpy())
    for part in np.split(np.arange(len(own)), breaks):
        single = len(part) == 1
        axes.plot(
            middle[part], value[part], color=colour, lw=1.4, ls=DASHES[again],
            marker=MARKS[again], ms=4 if single else 3 * (len(part) <= 12),
        )  # fmt: skip
        if single:
            axes.vlines(middle[part], low[part], high[part], color=colour, lw=1.2)
        else:
            axes.fill_between(middle[part], low[part], high[part], color=colour, alpha=0.2, lw=0)
    for place, row in zip(middle, own.itertuples(), strict=True) if said else ():
        words = (
            f"{row.animal} {row.said}: {row.value:,.1f} {unit}{reach(row.low, row.high, ',.1f')}"
        )
        say_at(axes, (place, row.value), words)


def _nights(axes: Axes, first: pd.Timestamp, last: pd.Timestamp, dark: tuple[time, time]) -> None:
    for out, on in phases.nights(first.to_pydatetime(), last.to_pydatetime(), dark):
        axes.axvspan(max(out, first), min(on, last), **NIGHT)


def _unused(axes: Axes, lost: pd.DataFrame, least: pd.Timedelta) -> None:
    for row in lost.itertuples():
        unused.stripe(axes, row.begin, max(row.end, row.begin + least), row.words)


def _dates(axes: Axes, width: float) -> None:
    locator = mdates.AutoDateLocator(minticks=round(width / 3), maxticks=round(width))
    axes.xaxis.set_major_locator(locator)
    words = mdates.ConciseDateFormatter(locator, show_offset=False)
    words.formats[2] = words.zero_formats[2] = words.zero_formats[3] = "%a %d %b"
    axes.xaxis.set_major_formatter(words)
