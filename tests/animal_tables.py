"""Tables of what animals of a cage did, and the page of the cage that is made of them."""

import re
from datetime import time
from itertools import combinations

import numpy as np
import pandas as pd

from murid import schemas, tables
from murid.report.animals import phases, totals
from murid.report.animals.stage import ReportCage
from murid.settings import Image, Report, Summaries
from murid.summaries import cage, periods

START = pd.Timestamp("2026-03-01 12:00", tz="UTC")
NAMES = ("B", "G", "R")
NIGHT = (time(19), time(7))


def rows(
    kind, hours, timed=True, scale=None, period="hour", start=START, zone="UTC", **figures
):  # fmt: skip
    """Rows of a table of figures: an hour each from the start, the same for every animal."""
    table = []
    for hour in range(hours):
        at = start + pd.Timedelta(hours=hour)
        row = {
            "cage": "A", "segment": "1", "period": period, "start": hour * 3600,
            "time": at if timed else None, "seconds": 3600.0,
            "local": periods.local(pd.Series([at]), zone)[0] if timed else "",
        }  # fmt: skip
        table.append(row)
    made = pd.DataFrame(table)
    columns = schemas.CONTRACTS[kind].schema.names
    keys = {
        "animal_figures": [{"animal": name} for name in NAMES],
        "zone_figures": [{"animal": name, "zone": "nest"} for name in NAMES],
        "pair_figures": [{"animal": a, "other": b} for a, b in combinations(NAMES, 2)],
    }[kind]
    made = made.merge(pd.DataFrame(keys), how="cross")
    given_ = {"seen": 0.7, "inferred": 0.2, "unknown": 0.1, "known": 0.9, **figures}
    for column in columns:
        if column not in made:
            value = given_.get(column, given_.get(re.sub("_(low|high)$", "", column), np.nan))
            made[column] = value(made) if callable(value) else value
    if scale:
        for end in totals.ENDS:
            made[f"distance_cm{end}"] = made[f"distance{end}"] * scale
    return made[columns]


def lively_at_night(made):
    """Ways an hour: R goes ten times as far from seven in the evening on."""
    at = phases.wall(made["local"]).dt.hour
    night = (at >= 19) | (at < 7)
    return np.where(night & (made["animal"] == "R"), 10_000.0, 1_000.0)


def write_page(
    folder, animals=None, zones=None, pairs=None, seconds=(), more=(), used=1, unused=0, **settings
):  # fmt: skip
    """Write the tables, run the stage, and return the page."""
    given_ = {"animal_figures": animals, "zone_figures": zones, "pair_figures": pairs}
    for name, table in given_.items():
        tables.write(
            tables.empty(name) if table is None else table, folder / f"{name}.parquet", name,
            about={cage.USED: str(used), cage.UNUSED: str(unused)},
        )  # fmt: skip
    paths = []
    for number, table in enumerate(seconds):
        paths.append(folder / f"seconds{number}.parquet")
        tables.write(table, paths[-1], "seconds")
    for name in ("transforms", "summaries"):
        tables.write(tables.empty(name), folder / f"{name}.parquet", name)
    output = folder / "report" / "cages" / "A.html"
    ReportCage(
        cage="A", animal_figures=folder / "animal_figures.parquet",
        zone_figures=folder / "zone_figures.parquet",
        pair_figures=folder / "pair_figures.parquet", verdicts=folder / "summaries.parquet",
        seconds=[*more, *paths], transforms=folder / "transforms.parquet", output=output,
        image=Image(width=320, height=180),
        **{"report": Report(), "summaries": Summaries(), **settings},
    ).run()  # fmt: skip
    return output.read_text("utf-8")


def words(page):
    page = re.sub(r"<style>.*?</style>|<svg.*?</svg>", " ", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def seconds_of(**places):
    """Table ``seconds`` of animals that stay where they are."""
    columns = schemas.CONTRACTS["seconds"].schema.names
    made = pd.DataFrame([
        {"second": second, "animal": name, "x": x, "y": y}
        for second in range(60) for name, (x, y) in places.items()
    ])  # fmt: skip
    made = made.assign(frames=25, seen=1.0, inferred=0.0, unknown=0.0, zone="", time=None)
    return made.reindex(columns=columns)
