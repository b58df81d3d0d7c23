"""What it takes to list an archive of 20,000 videos and 500 daily logs, and to add a day to it."""

import subprocess
import sys
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from time import perf_counter

import pytest

CAGES, DAYS, A_DAY = 10, 50, 40
FIRST = date(2026, 1, 5)
COMMAND = (
    "--video", "{date:%Y-%m-%d}/{cage}_{start:%H%M%S}.mp4",
    "--log", "rfid/{cage}/{date:%Y%m%d}.txt",
    "--zone", "Europe/London", "--update",
)  # fmt: skip

pytestmark = pytest.mark.bench


def add_day(archive: Path, number: int) -> None:
    """Make the files of one day, of a byte each."""
    day = FIRST + timedelta(days=number)
    folder = archive / f"{day:%Y-%m-%d}"
    folder.mkdir(parents=True)
    for cage in range(CAGES):
        log = archive / "rfid" / f"C{cage}" / f"{day:%Y%m%d}.txt"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(b"x")
        for half_hour in range(A_DAY):
            time = f"{half_hour // 2:02}{half_hour % 2 * 30:02}00"
            (folder / f"C{cage}_{time}.mp4").write_bytes(b"x")


def test_listing(print_table: Callable, tmp_path: Path) -> None:
    """Print seconds of whole processes."""
    archive = tmp_path / "archive"
    for number in range(DAYS):
        add_day(archive, number)
    rows = []
    for what in ("all", "nothing new", "a day more"):
        if what == "a day more":
            add_day(archive, DAYS)
        begin = perf_counter()
        command = [sys.executable, "-m", "murid", "sheet", str(archive), *COMMAND]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        said = done.stdout.partition("\n")[0].replace(str(archive), "")
        rows.append((what, perf_counter() - begin, said))
    print_table(
        f"murid sheet: {CAGES * DAYS * A_DAY:,} videos, {CAGES * DAYS} logs",
        ("added", "seconds", "said"), rows,
    )  # fmt: skip
