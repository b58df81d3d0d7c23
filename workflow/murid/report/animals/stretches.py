"""What was filmed of a cage, stretch by stretch, and the figure of few and short ones."""

from dataclasses import dataclass
from datetime import time

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from murid.okabe_ito import LINES, MARKS
from murid.report.animals import colours, phases, totals, unused
from murid.report.animals.words import duration
from murid.report.figures import reach, say_at, style, tidy, to_svg
from murid.report.metrics import natural

PAUSE = pd.Timedelta(minutes=5)
"""By which a stretch ends: shorter pauses are those from one file of a camera to the next."""
_COLUMN, _OF_ANIMAL, _BESIDE = 0.78, 0.11, 0.25
"""Inches: the least width of a column, what an animal takes in it, and what is beside them."""
_AXIS, _HEIGHT, _WORDS = 0.7, 1.6, 0.75
"""Inches: beside the columns, of a row of them, and of what is written below."""
_MOST_EMPTY = 2.2
"""Widths of a column up to which one is stretched."""


@dataclass(frozen=True)
class Stretches:
    """What was filmed without a long pause.

    Attributes
    ----------
    about
        A row a stretch, in order: ``begin`` and ``end`` by the clock on the wall, NaT where the
        time of day is not known; ``name``, the segment of such a one, else ""; ``seconds``, how
        long was filmed; ``lost``, whether it could not be used; and ``dark``, which share of it is
        in the dark phase, NaN if not known.
    rows
        Rows of ``animal_figures`` with the number of their stretch as ``stretch``: hours where
        each hour is of one stretch, else minutes.
    """

    about: pd.DataFrame
    rows: pd.DataFrame

    @property
    def timed(self) -> bool:
        """Whether the time of day of all is known."""
        return bool(self.about["begin"].notna().all())

    @property
    def unused(self) -> pd.DataFrame:
        """What could not be used, of known time: ``begin``, ``end``, and ``words`` that say so."""
        rows = self.about[self.about["lost"] & self.about["begin"].notna()]
        return rows.assign(words=[_said_of_unused(_title(row, True)) for _, row in rows.iterrows()])

    @property
    def span(self) -> pd.Timedelta:
        """From the first to the last, of those whose time of day is known."""
        known = self.about[self.about["begin"].notna()]
        return pd.Timedelta(known["end"].max() - known["begin"].min())


def found(
    table: pd.DataFrame, dark: tuple[time, time] | None, lost: pd.DataFrame = unused.NONE
) -> Stretches:
    """Tell which rows of figures are of which stretch.

    Parameters
    ----------
    table
        Table ``animal_figures`` of a cage, with some row, and an index of its own for each.
    dark
        When the light goes out and on again; None if that is not known.
    lost
        What was recorded and could not be used, as :func:`murid.report.animals.unused.segments`
        gives it.
    """
    hours = table[table["period"] == "hour"]
    minutes = table[table["period"] == "minute"]
    finest = minutes if len(minutes) else hours
    finest = finest.assign(stretch=_numbers(finest))
    keys = ["stretch", "segment", "start"]
    periods = finest.sort_values("seconds").drop_duplicates(keys, keep="last")
    begin = phases.wall(periods["local"])
    periods = periods.assign(
        begin=begin,
        end=begin + pd.to_timedelta(periods["seconds"], unit="s"),
    )
    by = periods.groupby("stretch", sort=True)
    about = by.agg(
        begin=("begin", "min"), end=("end", "max"), seconds=("seconds", "sum"),
        name=("segment", "first"),
    )  # fmt: skip
    about["name"] = about["name"].where(about["begin"].isna(), "")
    about = _with(about, lost)
    about["dark"] = phases.share(about["begin"], about["end"], dark)
    return Stretches(about, _rows(hours, finest))


def _with(about: pd.DataFrame, lost: pd.DataFrame) -> pd.DataFrame:
    """Add what could not be used in its place, joined where no long pause is between."""
    about = about.assign(lost=False)
    if lost.empty:
        return about
    first = int(about.index.max()) + 1
    index = range(first, first + len(lost))
    more = lost.assign(name=lost["name"].where(lost["begin"].isna(), ""), lost=True)
    both = pd.concat([about, more.set_axis(index)])
    both = both.sort_values("begin", kind="stable", na_position="last")
    before = both.shift()
    pause = both["begin"] - before["end"]
    joined = both["lost"] & before["lost"].eq(True) & (pause <= PAUSE)
    both = both.assign(number=both.index.to_series().where(~joined).ffill().astype(int))
    return both.groupby("number", sort=False).agg(
        begin=("begin", "min"), end=("end", "max"), seconds=("seconds", "sum"),
        name=("name", "first"), lost=("lost", "first"),
    )  # fmt: skip


def draw(filmed: Stretches, unit: str, words: tuple[str, float], width: float) -> Markup:
    """Draw the way an hour of each animal in each stretch, a column a stretch.

    Parameters
    ----------
    filmed
        The stretches.
    unit
        Column of ways.
    words
        What ways an hour are drawn in, and what one of the column's comes to in that.
    width
        Inches.
    """
    name, factor = words
    rates = totals.rates(filmed.rows, ["stretch", "animal"], unit)
    rates[["value", "low", "high"]] *= factor
    of_animals = colours.of(filmed.rows["animal"])
    column = max(_COLUMN, _OF_ANIMAL * len(of_animals) + _BESIDE)
    fit = max(1, int((width - _AXIS) / column))
    lines = -(-len(filmed.about) // fit)
    columns = -(-len(filmed.about) // lines)
    room = max(columns, int((width - _AXIS) / (column * _MOST_EMPTY)))
    years = len(filmed.about["begin"].dt.year.dropna().unique()) > 1
    top = 1.06 * float(np.nanmax(rates[["value", "high"]].to_numpy()))
    with style():
        drawn = Figure(figsize=(width, lines * (_HEIGHT + _WORDS)), layout="constrained")
        for line, axes in enumerate(drawn.subplots(lines, squeeze=False)[:, 0]):
            of_line = filmed.about.iloc[line * columns : (line + 1) * columns]
            titles = [_title(about, years) for _, about in of_line.iterrows()]
            for place, (number, about) in enumerate(of_line.iterrows()):
                _column(axes, place, about["dark"])
                if about["lost"]:
                    said = _said_of_unused(titles[place])
                    unused.stripe(axes, place + 0.04, place + 0.96, said)
                    continue
                here = rates[rates.index.get_level_values("stretch") == number]
                _dots(axes, place, titles[place], here.droplevel("stretch"), of_animals, name)
            axes.set_xlim(0, room)
            axes.set_ylim(0, top or 1)
            axes.spines["bottom"].set_bounds(0, len(of_line))
            axes.set_xticks(np.arange(len(of_line)) + 0.5, titles, parse_math=False)
            axes.tick_params(axis="x", length=0)
            axes.set_ylabel(name)
            tidy(axes, "y")
            _grid(axes, len(of_line), top or 1)
        return to_svg(drawn)


def _numbers(rows: pd.DataFrame) -> pd.Series:
    """Number the stretches by time; then those of no time of day, a segment each."""
    clocked = rows["time"].notna() & (rows["local"] != "")
    known = rows[clocked].sort_values("time", kind="stable")
    ends = (known["time"] + pd.to_timedelta(known["seconds"], unit="s")).cummax()
    number = (known["time"] - ends.shift() > PAUSE).cumsum()
    rest = rows.loc[~clocked, "segment"]
    first = int(number.max()) + 1 if len(number) else 0
    codes = {name: first + at for at, name in enumerate(sorted(rest.unique(), key=natural))}
    return pd.concat([number, rest.map(codes)]).reindex(rows.index).astype(int)


def _rows(hours: pd.DataFrame, finest: pd.DataFrame) -> pd.DataFrame:
    """Return hours where each is of one stretch: their intervals are those of the whole."""
    keys = ["hour", "segment"]
    of_hours = _hour(hours)
    stretch = _hour(finest).groupby(keys)["stretch"]
    if hours.empty or (stretch.min() < stretch.max()).any():
        return finest
    numbers = of_hours.merge(stretch.first().reset_index(), on=keys, how="left")["stretch"]
    if set(numbers) != set(finest["stretch"]):
        return finest
    return hours.assign(stretch=numbers.astype(int).to_numpy())


def _hour(rows: pd.DataFrame) -> pd.DataFrame:
    """Tell the hour of the clock of rows; of those of no time of day, their segment."""
    clocked = rows["time"].notna()
    # Groups of no time are none to pandas.
    hour = rows["time"].dt.floor("h").fillna(pd.Timestamp(0, tz="UTC"))
    return rows.assign(hour=hour, segment=rows["segment"].where(~clocked, ""))


def _column(axes: Axes, place: int, dark: float) -> None:
    if dark > 0:
        part = {"alpha": colours.NIGHT["alpha"] * (1 if dark == 1 else 0.4)}
        axes.axvspan(place, place + 1, **colours.NIGHT | part)
    if place:
        axes.axvline(place, color=LINES, lw=0.6, ls=":")


def _grid(axes: Axes, count: int, top: float) -> None:
    """Let the grid end with the columns, where these are fewer than there is room for."""
    ticks = [
        tick for tick in MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(0, top) if 0 <= tick <= top
    ]
    axes.set_yticks(ticks)
    axes.grid(False)
    axes.hlines(ticks, 0, count, color=LINES, alpha=0.35, lw=0.6, zorder=0.4)


def _dots(
    axes: Axes, place: int, title: str, rates: pd.DataFrame, of_animals: dict[str, str],
    unit: str,
) -> None:  # fmt: skip
    rounds = colours.rounds(of_animals)
    for number, (animal, colour) in enumerate(of_animals.items()):
        if animal not in rates.index or np.isnan(rates.loc[animal, "value"]):
            continue
        value, low, high = rates.loc[animal, ["value", "low", "high"]]
        x = place + 0.15 + 0.7 * (number + 0.5) / len(of_animals)
        axes.vlines(x, low, high, color=colour, lw=1.6)
        axes.plot([x], [value], MARKS[rounds[animal] % len(MARKS)], color=colour, ms=4.5)
        said = f"{animal}, {title.replace(chr(10), ' ')}: {value:,.1f} {unit}"
        say_at(axes, (x, value), said + reach(low, high, ",.1f"))


def _title(about: pd.Series, years: bool) -> str:
    """Write day, time of day and how long, a line each; the segment where no time is known.

    With ``years``, the year of the day stands in place of the day of the week.
    """
    lasts = duration(about["seconds"])
    if about["name"]:
        return f"{_short(about['name'])}\n{lasts}"
    begin = about["begin"]
    day = f"{begin.day} {begin:%b}"
    day = f"{day} {begin.year}" if years else f"{begin:%a} {day}"
    return f"{day}\n{begin:%H:%M}\n{lasts}"


def _said_of_unused(title: str) -> str:
    return f"{title.replace(chr(10), ' ')}: could not be used"


def _short(name: str) -> str:
    return name if len(name) <= 11 else f"{name[:5]}…{name[-5:]}"
