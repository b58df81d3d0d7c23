"""What it takes to sum up cages by day and to tell what got worse: 20,000 segments, 500 days."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dated_cages import day, health, segment_of, summaries, told_of
from murid import tables

SEGMENTS, DAYS = 20_000, 500
LAYOUTS = {"10 cages": 10, "40 cages": 40}
CODE = """
import sys
from pathlib import Path
from murid import settings, spreadsheets, tables
from murid.alerts.tell import tell
folder = Path(sys.argv[1])
given = [
    tables.concatenate((tables.read(path, name) for path in folder.glob(f"*.{name}.parquet")), name)
    for name in ("summaries", "health")
]
for name, table in tell(*given, "Europe/London", settings.Alerts()).items():
    (folder / f"{name}.csv").write_text(spreadsheets.to_csv(table))
"""
"""What the report does for both tables."""
MEASURE = Path(__file__).with_name("measure.py")

pytestmark = pytest.mark.bench


def measured(bad: bool) -> list[tuple[str, dict[str, Any]]]:
    """Return what is measured of the logs of a cage on a day: kinds, and values."""
    log = {"subject": "a", "log": "a"}
    return [
        ("reads", {"value": 90_000, "out_of": 24, "finding": False}),
        ("clock_offset", log | {"since": 0, "value": 90.0 * bad}),
        ("clock_drift", log | {"since": 0, "value": 12.0}),
        ("ghost_reads", log | {"value": 90, "out_of": 90_000}),
        *(("unread", {"subject": animal, "value": 0.2, "out_of": 9e4}) for animal in "RGB"),
    ]


def write(folder: Path, count: int, worse: float) -> None:
    """Write summaries and health of a number of cages.

    ``worse`` is the share of segments and days of which something is beyond its limit.
    """
    random = np.random.default_rng(1)
    each = SEGMENTS // (count * DAYS) or 1
    for cage in range(count):
        name = f"C{cage}"
        rows = [
            segment_of(
                number, name, f"{number}_{part}", missing_frames=int(bad) * 9_000,
                confidence=0.7 if bad else 0.95, reason="3 readings filled", status="repaired",
            )
            for number in range(DAYS)
            for part in range(each)
            for bad in [random.random() < worse]
        ]  # fmt: skip
        told = [
            told_of(kind, number, name, **more)
            for number in range(DAYS)
            for bad in [random.random() < worse]
            for kind, more in measured(bad)
        ]
        for table, rows_of in (("summaries", summaries(*rows)), ("health", health(*told))):
            tables.write(rows_of, folder / f"{name}.{table}.parquet", table)


@pytest.mark.parametrize("worse", [0.01, 1.0])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_alerts(print_table: Callable, tmp_path: Path, layout: str, worse: float) -> None:
    """Print seconds and peak memory of a whole process."""
    write(tmp_path, LAYOUTS[layout], worse)
    command = [sys.executable, str(MEASURE), sys.executable, "-c", CODE, str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    took = json.loads(done.stdout)
    lines = [len(pd.read_csv(path)) for path in (tmp_path / "cages.csv", tmp_path / "alerts.csv")]
    print_table(
        f"cages and alerts: {SEGMENTS:,} segments, {layout}, until {day(DAYS - 1)}",
        ("beyond limits", "seconds", "MB", "exit", "cages.csv", "alerts.csv"),
        [(worse, took["seconds"], took["megabytes"], took["exit"], *lines)],
    )
