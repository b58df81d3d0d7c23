"""How active the animals of a cage are: which figure suits what was filmed, and what it shows."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import time
from functools import partial
from typing import NamedTuple

import pandas as pd
from markupsafe import Markup

from murid.report.animals import colours, lines, phases, stretches, totals, unused
from murid.report.animals.stretches import Stretches
from murid.report.figures import for_any_screen

FEWEST_HOURS = 6
"""Hours from which on a line shows hours; below it, minutes."""
DAYS = pd.Timedelta(days=8)
"""Up to which a line shows hours; of more, they are too close."""
DAY = 24 * 3600
"""Seconds of a stretch, on average, up to which a column may stand for it."""
FILMED = 0.25
"""Share of the time that is filmed from which on a line over all of it is more than spikes."""
MOST_COLUMNS = 24
"""Stretches up to which each has its column."""
UNITS = {"distance": ("pixels an hour", 1.0), "distance_cm": ("m an hour", 0.01)}
"""What ways are drawn in, and what an hour's is in that."""
INTERVALS = "90% interval"


@dataclass(frozen=True)
class Activity:
    """A figure, what it shows, and the colour of each animal in it."""

    drawn: Markup
    caption: str
    colours: dict[str, str]
    shaded: bool
    """Whether it shades the dark phase, where that is known."""
    striped: bool
    """Whether it stripes what could not be used."""

    @property
    def rounds(self) -> dict[str, int]:
        """How often colours were used up before each animal."""
        return colours.rounds(self.colours)


def figure(
    table: pd.DataFrame, dark: tuple[time, time] | None, lost: pd.DataFrame = unused.NONE
) -> Activity | None:
    """Draw the way that each animal goes an hour, with its interval.

    Lines over hours or minutes where most of the time was filmed; where that was a little of it,
    dots, a column a stretch; of many days or stretches, a point a day in each phase.

    Parameters
    ----------
    table
        Table ``animal_figures`` of a cage.
    dark
        When the light goes out and on again; None if that is not known.
    lost
        What was recorded and could not be used, as :func:`murid.report.animals.unused.segments`
        gives it.

    Returns
    -------
    An ``svg`` element, the same bytes for the same input, and its caption; None if no way is known.
    """
    unit = totals.unit(totals.hours(table))
    table = table.reset_index(drop=True)
    known = totals.with_ways(table, unit)
    if known.empty:
        return None
    # A minute in which nobody's place is known was filmed, too.
    filmed = stretches.found(table, dark, lost[lost["seconds"] > 0])
    filmed = replace(filmed, rows=totals.with_ways(filmed.rows, unit))
    chosen = _chosen(known, filmed, unit, dark)
    of_animals = colours.of(known["animal"])
    striped = chosen.striped and bool(filmed.about["lost"].any())
    return Activity(for_any_screen(chosen.draw), chosen.caption, of_animals, chosen.shaded, striped)


class Chosen(NamedTuple):
    """How a figure is drawn at a width in inches, its caption, and what it shades and stripes."""

    draw: Callable[[float], Markup]
    caption: str
    shaded: bool
    striped: bool = True


def _chosen(
    table: pd.DataFrame, filmed: Stretches, unit: str, dark: tuple[time, time] | None
) -> Chosen:
    count, timed = len(filmed.about), filmed.timed
    seconds = float(filmed.about["seconds"].sum())
    if count == 1 and not timed:
        return _from_its_start(table, unit)
    dense = count == 1 or seconds >= FILMED * filmed.span.total_seconds()
    if timed and dense and filmed.span <= DAYS:
        return _over_the_day(table, filmed, unit, dark)
    if count <= MOST_COLUMNS and seconds <= count * DAY:
        return _by_stretch(filmed, unit)
    if filmed.about.loc[~filmed.about["lost"], "begin"].notna().any():
        return _by_day(table, filmed, unit, dark)
    return _one_by_one(filmed, unit)


def _over_the_day(
    table: pd.DataFrame, filmed: Stretches, unit: str, dark: tuple[time, time] | None
) -> Chosen:
    rows, word, length = _periods(table)
    at = phases.wall(rows["local"])
    points = _points(rows.assign(at=at, said=at.dt.strftime("%Y-%m-%d %H:%M")), unit)
    points["last"] = points["at"] + length
    caption = (
        f"Each line: the distance of a mouse an hour, {word} by {word}, by the clock on the wall; "
        f"the band around it is its {INTERVALS}. Lines are broken where nothing was filmed or the "
        f"place is not known; a dot with a bar is a single {word}."
    )
    first = min(at.min(), filmed.about["begin"].min())
    last = max(points["last"].max(), filmed.about["end"].max())
    shaded = dark is not None and bool(
        phases.nights(first.to_pydatetime(), last.to_pydatetime(), dark)
    )
    draw = partial(_lines, {"": points}, length, unit, dark, filmed.unused)
    return Chosen(draw, caption, shaded)


def _from_its_start(table: pd.DataFrame, unit: str) -> Chosen:
    rows, word, length = _periods(table)
    at = rows["start"] / length.total_seconds()
    points = _points(rows.assign(at=at, said=[f"{word} {1 + int(each)}" for each in at]), unit)
    points["last"] = points["at"] + 1.0
    caption = (
        f"Each line: the distance of a mouse an hour, {word} by {word} from the start of what was "
        f"filmed (the axis counts {word}s); the band around it is its {INTERVALS}."
    )
    return Chosen(partial(_lines, {"": points}, 1.0, unit, None, None), caption, False, False)


def _by_stretch(filmed: Stretches, unit: str) -> Chosen:
    shares = filmed.about["dark"]
    below = "its day, when it begins"
    if not filmed.timed:
        below += " (or its segment, where the time of day is not known)"
    caption = (
        f"Each column is one stretch that was filmed; below it stand {below}, and how long it "
        "lasts. The time between columns is left out. Each dot is the distance of a mouse, "
        f"reckoned to an hour; the bar through it is its {INTERVALS}. Mice stand side by side in a "
        "column only to be told apart: all are of the same time."
    )
    used = filmed.about.index[~filmed.about["lost"]]
    if not used.isin(filmed.rows["stretch"]).all():
        caption += " An empty column: nobody's place is known in it."
    if ((shares > 0) & (shares < 1)).any():
        caption += " Pale grey: in part in the dark phase."
    return Chosen(
        partial(stretches.draw, filmed, unit, UNITS[unit]), caption, bool((shares > 0).any())
    )


def _by_day(
    table: pd.DataFrame, filmed: Stretches, unit: str, dark: tuple[time, time] | None
) -> Chosen:
    of_phases = phases.parts(table, dark)
    whole = totals.hours(table)
    chosen: dict[str, tuple[pd.DataFrame, time]] = {"": (whole[whole["local"] != ""], time())}
    if dark is not None and of_phases is not None:
        chosen = {
            "in the dark": (of_phases[phases.DARK], dark[0]),
            "in the light": (of_phases[phases.LIGHT], dark[1]),
        }
    parts = {}
    for name, (rows, begins) in chosen.items():
        day = (phases.wall(rows["local"]) - pd.Timedelta(str(begins))).dt.floor("D")
        points = _points(rows.assign(at=day, said=day.dt.strftime("%Y-%m-%d")), unit)
        points["last"] = points["at"] + pd.Timedelta(days=1)
        if len(points):
            parts[name] = points
    caption = (
        "Each point of a line: the distance of a mouse an hour over all that was filmed in "
        + ("a dark phase (above) or a light one (below)" if len(parts) > 1 else "a day"
           if "" in parts else f"a phase {next(iter(parts))}")
        + f"; the band around it, or the bar of a single day, is its {INTERVALS}. Lines are "
        "broken where days lack."
    )  # fmt: skip
    lost = int(filmed.about["begin"].isna().sum())
    if lost:
        caption += f" Not shown: {lost:,} of {len(filmed.about):,} stretches, of unknown time."
    draw = partial(_lines, parts, pd.Timedelta(days=1), unit, None, filmed.unused)
    return Chosen(draw, caption, False, bool(len(filmed.unused)))


def _one_by_one(filmed: Stretches, unit: str) -> Chosen:
    names = filmed.about["name"]
    rows = filmed.rows.assign(
        at=filmed.rows["stretch"] + 0.5, said=filmed.rows["stretch"].map(names)
    )
    points = _points(rows, unit)
    points["last"] = points["at"] + 1.0
    caption = (
        "Each dot: the distance of a mouse, reckoned to an hour, in one segment, in order of their "
        f"names, which the axis counts; the bar through it is its {INTERVALS}."
    )
    return Chosen(partial(_lines, {"": points}, 0.0, unit, None, None), caption, False, False)


def _periods(table: pd.DataFrame) -> tuple[pd.DataFrame, str, pd.Timedelta]:
    """Return hours where there are enough, else minutes, what they are called, and their length."""
    hours, minutes = (table[table["period"] == word] for word in ("hour", "minute"))
    few = hours["start"].astype(str).add(hours["segment"]).nunique() < FEWEST_HOURS
    if few and len(minutes):
        return minutes, "minute", pd.Timedelta(minutes=1)
    return hours, "hour", pd.Timedelta(hours=1)


def _points(rows: pd.DataFrame, unit: str) -> pd.DataFrame:
    return totals.rates(rows, ["at", "animal", "said"], unit).mul(UNITS[unit][1]).reset_index()


def _lines(
    parts: dict[str, pd.DataFrame],
    step: pd.Timedelta | float,
    unit: str,
    dark: tuple[time, time] | None,
    lost: pd.DataFrame | None,
    width: float,
) -> Markup:
    of_animals = colours.of(pd.concat(parts.values())["animal"])
    return lines.draw(parts, step, UNITS[unit][0], of_animals, dark, lost, width)
