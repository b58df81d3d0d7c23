"""What it takes to write the report of 20,000 segments: 400 cages, each 50 over 60 days."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dated_cages import day
from murid import tables
from murid.run.plan import CAGES_A_BATCH
from reported_cages import DAYS, SEGMENTS, SEVERAL, table_of, write_cage

CAGES = 400
CODE = """
import sys
from pathlib import Path
from murid import settings
from murid.report.stage import Report
folder = Path(sys.argv[1])
given = {name: sorted(folder.glob(f"*.batch.{name}.parquet")) for name in %r}
Report(
    **given, hours=folder / "hours.parquet", pages=sorted((folder / "report/cages").glob("*.html")),
    output_dir=folder / "report", report=settings.Report(dark="19:00-07:00"),
).run()
"""
MEASURE = Path(__file__).with_name("measure.py")

pytestmark = pytest.mark.bench


def test_report_of_a_large_archive(print_table: Callable[..., None], tmp_path: Path) -> None:
    """Print seconds, peak memory of a whole process, and how large the page is."""
    random = np.random.default_rng(1)
    hours = [row for cage in range(CAGES) for row in write_cage(tmp_path, cage, random)]
    for table in SEVERAL:
        paths = sorted(tmp_path.glob(f"C*.{table}.parquet"))
        for number in range(0, CAGES, CAGES_A_BATCH):
            batch = paths[number : number + CAGES_A_BATCH]
            joined = tables.concatenate((tables.read(path, table) for path in batch), table)
            tables.write(joined, tmp_path / f"{number}.batch.{table}.parquet", table)
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
