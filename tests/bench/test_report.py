"""What it takes to write the report of 20,000 segments: 400 cages, each 50 over 60 days."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dated_cages import FIRST, day, health, segment_of, summaries, told_of
from murid import schemas, tables
from murid.report.animals.totals import ENDS

CAGES, SEGMENTS, DAYS = 400, 50, 60
ANIMALS = ("B", "G", "R")
ANNOTATED = 40
"""A segment in so many is annotated."""
STRETCHES = 5
"""Uncertain stretches of a segment."""
METHODS = ("static_c", "static_p", "ilp", "ilp_lag", "ilp_tempered", "path", "oracle")
SEVERAL = ("counts", "summaries", "reliability", "stretches", "health")
CODE = """
import sys
from pathlib import Path
from murid import settings
from murid.report.stage import Report
folder = Path(sys.argv[1])
given = {name: sorted(folder.glob(f"*.{name}.parquet")) for name in %r}
Report(
    **given, hours=folder / "hours.parquet", pages=sorted((folder / "report/cages").glob("*.html")),
    output_dir=folder / "report", report=settings.Report(dark="19:00-07:00"),
).run()
"""
MEASURE = Path(__file__).with_name("measure.py")

pytestmark = pytest.mark.bench


def names_of(cage: int) -> list[tuple[int, str]]:
    """Return day and name of each segment of a cage."""
    days = [number * DAYS // SEGMENTS for number in range(SEGMENTS)]
    return [(number, f"{cage}_{place}") for place, number in enumerate(days)]


def table_of(name: str, rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return a table of rows that have all of its columns."""
    return tables.conform(pd.DataFrame(rows, columns=schemas.CONTRACTS[name].schema.names), name)


def write_cage(folder: Path, cage: int, random: np.random.Generator) -> list[dict[str, Any]]:
    """Write the tables of a cage, and return its rows of hours."""
    name = f"C{cage:03d}"
    split = ("Train", "Validate", "Test")[cage % 3]
    given: dict[str, list[dict[str, Any]]] = {table: [] for table in SEVERAL}
    hours = []
    for place, (number, segment) in enumerate(names_of(cage)):
        annotated = 40 * ((cage + place) % ANNOTATED == 0)
        status = random.choice(["usable", "repaired", "discarded"], p=[0.5, 0.47, 0.03])
        lost = {"identified": None, "confidence": None} if status == "discarded" else {}
        given["summaries"].append(
            segment_of(
                number, name, segment, animals=ANIMALS, split=split, status=status, frames=45_000,
                reason="" if status == "usable" else "3 of 45,000 readings are filled, "
                "since they were missing for less than a second", identified=random.uniform(0, 1),
                confidence=random.uniform(0.6, 1), annotated_frames=annotated,
                evaluated_frames=annotated,
            )
            | lost
        )  # fmt: skip
        told = {"cage": name, "segment": segment}
        for snippet in range(2 if annotated else 0):
            given["counts"] += [
                told | {"split": split, "snippet": snippet, "method": method, "metric": metric,
                        "count": 80, "normaliser": 100}
                for method in METHODS
                for metric in (schemas.OVERALL_METRICS if method == "oracle" else schemas.METRICS)
            ]  # fmt: skip
            given["reliability"] += [
                told | {"split": split, "snippet": snippet, "method": "path", "kind": kind,
                        "bin": place, "rows": 30, "right": 27, "confidence": 28.0}
                for kind in ("box", "hidden")
                for place in range(20, 25)
            ]  # fmt: skip
        for first in range(0, 1_000 * STRETCHES, 1_000):
            given["stretches"].append(
                told | {"first_frame": first, "last_frame": first + 99 + place, "seconds": 4.0,
                        "candidate": "R", "probability": 0.6, "other": "G",
                        "other_probability": 0.4, "tracklets": 3}
            )  # fmt: skip
        if status != "discarded":
            at = FIRST + pd.Timedelta(days=number, hours=12 * (place % 2))
            hours += [
                told | {"animal": animal, "period": "hour", "start": 0, "time": at,
                        "local": str(at)[:19], "seconds": 1800.0, "seen": 0.7, "inferred": 0.2,
                        "unknown": 0.1}
                | {f"{figure}{end}": random.uniform(0, 1)
                   for figure in ("distance", "distance_cm", "resting", "huddled", "rearing")
                   for end in ENDS}
                for animal in ANIMALS
            ]  # fmt: skip
    kinds = ("reads", "clock_offset", "clock_drift", "antennas_read", "tags_read", "stretches")
    told_days = [
        told_of(kind, number, name, log=f"{name}.csv" if "clock" in kind else "", value=17.0,
                out_of=18.0, finding=False, remark="" if kind == "reads" else "late by 0.3 s")
        for number in range(DAYS) for kind in kinds
    ]  # fmt: skip
    told_days += [
        told_of("dead_antenna", 30, name, subject=str(antenna), since=2.0, finding=True,
                remark="not read any more, while animals went about")
        for antenna in range(1, 1 + cage % 3)
    ]  # fmt: skip
    given["health"] = told_days
    tables.write(
        summaries(*given.pop("summaries")), folder / f"{name}.summaries.parquet", "summaries"
    )
    tables.write(health(*given.pop("health")), folder / f"{name}.health.parquet", "health")
    for table, rows in given.items():
        tables.write(table_of(table, rows), folder / f"{name}.{table}.parquet", table)
    return hours


def test_report_of_a_large_archive(print_table: Callable[..., None], tmp_path: Path) -> None:
    """Print seconds, peak memory of a whole process, and how large the page is."""
    random = np.random.default_rng(1)
    hours = [row for cage in range(CAGES) for row in write_cage(tmp_path, cage, random)]
    tables.write(table_of("animal_figures", hours), tmp_path / "hours.parquet", "animal_figures")
    pages = tmp_path / "report" / "cages"
    pages.mkdir(parents=True)
    for cage in range(CAGES):
        (pages / f"C{cage:03d}.html").write_text("")
    command = [sys.executable, str(MEASURE), sys.executable, "-c", CODE % (SEVERAL,), str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    took = json.loads(done.stdout.splitlines()[-1])
    page = tmp_path / "report" / "index.html"
    print_table(
        f"report: {CAGES * SEGMENTS:,} segments of {CAGES} cages, until {day(DAYS - 1)}",
        ("seconds", "processor, s", "MB", "exit", "page, MB", "hours"),
        [
            (
                took["seconds"],
                took["processor"],
                took["megabytes"],
                took["exit"],
                page.stat().st_size / 1e6,
                len(hours),
            )
        ],
    )
