"""Segments of cages on days, and what health tells of them: rows of tables for tests of alerts."""

from typing import Any

import numpy as np
import pandas as pd

from murid import schemas, tables

FIRST = pd.Timestamp("2026-03-01 10:00", tz="UTC")


def day(number: int) -> str:
    """Return the date of a day, from 0."""
    return str((FIRST + pd.Timedelta(days=number)).date())


def segment_of(number: int = 0, cage: str = "A", name: str = "", **others: Any) -> dict[str, Any]:
    """Return a row of ``summaries``: an hour on a day, of two animals, sound unless told."""
    return {
        "cage": cage, "segment": name or f"{cage}{number}", "split": "", "status": "usable",
        "reason": "", "animals": ("G", "R"), "frames": 90_000, "fps": 25.0, "detections": 162_000,
        "tracklets": 9, "method": "path", "identified": 0.8, "annotated_frames": 0,
        "evaluated_frames": 0, "confidence": 0.95, "median_confidence": 0.99, "unread": 0.1,
        "missing_frames": 0, "begins": FIRST + pd.Timedelta(days=number),
    } | others  # fmt: skip


def summaries(*rows: dict[str, Any]) -> pd.DataFrame:
    """Return the table of some rows."""
    table = pd.DataFrame(rows, columns=schemas.CONTRACTS["summaries"].schema.names)
    for name in ("missing_frames", "compared", "alike"):
        table[name] = table[name].astype("Int32")
    table["expected_alike"] = table["expected_alike"].astype("float64")
    table["begins"] = pd.to_datetime(table["begins"], utc=True)
    return tables.conform(table, "summaries")


def told_of(kind: str, number: int = 0, cage: str = "A", **others: Any) -> dict[str, Any]:
    """Return a row of ``health`` of a day; ``since`` and ``until`` are hours from its 10:00."""
    begins = FIRST + pd.Timedelta(days=number)
    row = {
        "cage": cage, "day": day(number), "kind": kind, "subject": "", "log": "", "since": None,
        "until": None, "value": np.nan, "out_of": np.nan, "finding": True, "remark": "",
    } | others  # fmt: skip
    for name in ("since", "until"):
        row[name] = None if row[name] is None else begins + pd.Timedelta(hours=row[name])
    return row


def health(*rows: dict[str, Any]) -> pd.DataFrame:
    """Return the table of some rows."""
    table = pd.DataFrame(rows, columns=schemas.CONTRACTS["health"].schema.names)
    table = table.astype({"value": "float64", "out_of": "float64", "finding": "bool"})
    for name in ("since", "until"):
        table[name] = pd.to_datetime(table[name], utc=True).astype("datetime64[us, UTC]")
    return tables.conform(table, "health")
