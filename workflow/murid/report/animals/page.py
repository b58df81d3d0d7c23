"""The page of a cage."""

import logging
from collections.abc import Iterator, Mapping
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from murid import __version__, tables
from murid.errors import InputError
from murid.files import write_text
from murid.numbers import counted
from murid.okabe_ito import COLOURS, PALE
from murid.report import cage_trust, metric_words
from murid.report.animals import activity, maps, phases, shares, still, totals, unused
from murid.report.animals.words import duration
from murid.report.templates import environment, style
from murid.summaries import cage
from murid.summaries.zones import of_settings

if TYPE_CHECKING:
    from murid.report.animals.stage import ReportCage

log = logging.getLogger(__name__)
STATES = dict(zip(totals.STATES, (COLOURS[0], COLOURS[4], PALE), strict=True))
"""The colour of each state that an animal may be in."""
FOLLOWED = 0.995
"""Share of the time with a known place in which a way is known, below which it is told of it."""


def write(stage: "ReportCage") -> None:
    """Write the page; its figures are in it, so that it needs no other file."""
    figures = tables.read(stage.animal_figures, "animal_figures")
    zones, pairs = (
        tables.read(stage.zone_figures, "zone_figures"),
        tables.read(stage.pair_figures, "pair_figures"),
    )
    dark = parse(stage.report.dark)
    size = (stage.image.width, stage.image.height)
    hours = totals.hours(figures)
    of_phases = phases.parts(figures, dark)
    of_animals = totals.animals(hours, of_phases)
    in_zones = totals.shares(totals.hours(zones), ["animal", "zone"], "inside")
    together = totals.shares(totals.hours(pairs), ["animal", "other"], "contact")
    areas = of_settings(stage.hopper, stage.summaries.zones)
    ground = still.still(stage)
    verdicts = tables.read(stage.verdicts, "summaries")
    lost = unused.segments(verdicts, stage.zone)
    page = (
        environment("report")
        .get_template("cage.html.j2")
        .render(
            wording=metric_words,
            css=style(),
            version=__version__,
            cage=stage.cage,
            settings=stage.report,
            trusted=_trusted(stage, verdicts),
            verdict=tables.read_verdict(stage.animal_figures),
            rows=of_animals.to_dict("records"),
            unit=totals.unit(hours),
            dark=stage.report.dark,
            phased=of_phases is not None,
            filmed=_filmed(figures, tables.read_about(stage.animal_figures), lost),
            duration=duration,
            states=STATES,
            activity=activity.figure(figures, dark, lost),
            maps=maps.figure(maps.stays(_seconds(stage.seconds), size), size, ground, areas),
            still=ground is not None,
            areas=list(areas),
            zones=shares.of_zones(in_zones),
            together=shares.of_pairs(together),
            followed=FOLLOWED,
            most=_most(of_animals, totals.unit(hours)),
        )
    )
    write_text(stage.output, page)


def _trusted(stage: "ReportCage", verdicts: pd.DataFrame) -> cage_trust.Trust:
    health = tables.read(stage.health, "health") if stage.health else tables.empty("health")
    return cage_trust.trust(verdicts, health, stage.zone, stage.alerts)


def parse(dark: str) -> tuple[time, time] | None:
    """Return when the light goes out and on again, of a text as ``19:00-07:00``; None of none.

    Examples
    --------
    >>> parse("19:00-07:00")
    (datetime.time(19, 0), datetime.time(7, 0))
    """
    if not dark:
        return None
    begins, ends = map(time.fromisoformat, dark.split("-"))
    return begins, ends


def _seconds(paths: tuple[Path, ...]) -> Iterator[pd.DataFrame]:
    """Yield the tables of segments that can be read; of others the summaries tell."""
    for path in paths:
        try:
            yield tables.read(path, "seconds")
        except InputError as error:
            log.warning("maps are drawn without a segment: %s", error)


def _filmed(figures: pd.DataFrame, about: Mapping[str, str], lost: pd.DataFrame) -> str:
    """Say how much was recorded, what of it was used and when, by the clock on the wall.

    What could not be used is told apart. "" where nothing is known.
    """
    hours = figures[figures["period"] == "hour"]
    if hours.empty:
        return ""
    seconds = float(hours.groupby("animal")["seconds"].sum().max())
    told = f"{duration(seconds)} in {counted(int(about[cage.USED]), 'segment')}"
    left_out = unused.in_words(lost, int(about[cage.UNUSED]))
    known = figures[figures["local"] != ""]
    if len(known):
        begins = phases.wall(known["local"])
        ends = (begins + pd.to_timedelta(known["seconds"], unit="s")).max().ceil("min")
        begin = begins.min()
        end = f"{ends:%H:%M}" if ends.date() == begin.date() else f"{ends:%Y-%m-%d %H:%M}"
        told += f" between {begin:%Y-%m-%d %H:%M} and {end}"
        told += ", where times of day are known" * (len(known) < len(figures))
    if not left_out:
        return f"Recorded, and all used: {told}"
    whole = (
        ""
        if (lost["seconds"] <= 0).any() or len(lost) < int(about[cage.UNUSED])
        else (f"Recorded: {duration(seconds + float(lost['seconds'].sum()))}. ")
    )
    return f"{whole}Used: {told}. Not used, and not in any figure below: {left_out}"


def _most(of_animals: pd.DataFrame, unit: str) -> dict[str, dict[str, Any]]:
    """Return who goes furthest, in all, in the dark and in the light, by phase.

    Each has ``name``; ``perhaps``, the names of those whose intervals reach the first's; and of a
    phase ``filmed``, how long was filmed in it. In all, ways are sums: where hours of anyone lack
    in them, they are not held against those of others.
    """
    found = {}
    lacks = (of_animals.get("followed", pd.Series(dtype=float)) < FOLLOWED).any()
    for phase, column in (("in all", unit), ("in the dark", "dark"), ("in the light", "light")):
        if column == unit and lacks:
            continue
        if column in of_animals and len(of_animals) > 1 and of_animals[column].notna().all():
            first = of_animals[column].idxmax()
            reach = of_animals[f"{column}_high"] >= of_animals.loc[first, f"{column}_low"]
            names = of_animals["animal"]
            found[phase] = {
                "name": names[first],
                "perhaps": [*names[reach & (names != names[first])]],
            }
            if column != unit:
                found[phase]["filmed"] = duration(of_animals[f"{column}_seconds"].max())
    return found
