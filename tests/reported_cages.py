"""All tables that the report of an archive is made of: cages that were filmed for weeks."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dated_cages import FIRST, health, segment_of, summaries, told_of
from murid import schemas, tables
from murid.report.animals.totals import ENDS

SEGMENTS, DAYS = 50, 60
"""Of a cage."""
ANIMALS = ("B", "G", "R")
ANNOTATED = 40
"""A segment in so many is annotated."""
STRETCHES = 5
"""Uncertain stretches of a segment."""
METHODS = ("static_c", "static_p", "ilp", "ilp_lag", "ilp_tempered", "path", "oracle")
SEVERAL = ("counts", "summaries", "reliability", "stretches", "health")
"""Tables that each cage has."""


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
