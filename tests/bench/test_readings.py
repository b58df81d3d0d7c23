"""A busy day's antenna log, from the interpreter's start to its table, and half an hour of that.

The header comes again every so many lines, as of a logger that is started again.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from murid import tables

MEASURE = Path(__file__).with_name("measure.py")
READS, TAGS = 5_000_000, 12
AT_ONCE = 250_000


def table(times: list[str], tags: list[int], antennas: list[int]) -> Iterator[str]:
    yield "time,tag,antenna"
    for moment, tag, antenna in zip(times, tags, antennas, strict=True):
        yield f"{moment.replace('T', ' ')},9002150012345{tag:02d},{antenna}"


def grid12(times: list[str], tags: list[int], antennas: list[int]) -> Iterator[str]:
    yield "client_recieve_time,card_id,id,topic,raw,column,row"
    for moment, tag, antenna in zip(times, tags, antennas, strict=True):
        topic = f"/row/2/column/3/id/{antenna}/reader/response"
        raw = "03030c03843d3c47696f0100000000b1cc"
        yield f"{moment.replace('T', ' ')},69{tag:02x},{antenna},{topic},{raw},3,2"


def ecohab(times: list[str], tags: list[int], antennas: list[int]) -> Iterator[str]:
    for n, (moment, tag, antenna) in enumerate(zip(times, tags, antennas, strict=True)):
        date, clock = moment.split("T")
        yield f"{n}\t{date.replace('-', '.')}\t{clock}\t{1 + antenna % 8}\t204\t85EDFF19{tag:02X}"


def eeehive(times: list[str], tags: list[int], antennas: list[int]) -> Iterator[str]:
    for moment, tag, antenna in zip(times, tags, antennas, strict=True):
        yield f"[{moment.replace('T', ' ')}] 1,{1 + antenna % 24}:9002150012345{tag:02d}"


FORMATS = {
    "table": (table, "a.csv"),
    "grid12": (grid12, "b.csv"),
    "ecohab": (ecohab, "20250813_000000.txt"),
    "eeehive": (eeehive, "Male_Board2"),
}
"""How each is written, and what its file is called."""


@pytest.mark.bench
@pytest.mark.parametrize("kind", FORMATS)
def test_a_busy_day(tmp_path: Path, kind: str) -> None:
    written, name = FORMATS[kind]
    rng = np.random.default_rng(1)
    start = np.datetime64("2025-08-13T00:00:00.000")
    when = np.sort(rng.integers(0, 86_400_000, READS))
    tags, antennas = rng.integers(0, TAGS, READS), rng.integers(0, 144, READS)
    path = tmp_path / name
    with path.open("w") as file:
        for first in range(0, READS, AT_ONCE):
            part = slice(first, first + AT_ONCE)
            times = np.datetime_as_string(start + when[part].astype("timedelta64[ms]"))
            lines = written(times.tolist(), tags[part].tolist(), antennas[part].tolist())
            file.writelines(f"{line}\n" for line in lines)
    output = tmp_path / "readings.parquet"
    stage = ["read-log", "--file", str(path), "--output", str(output), "--zone=UTC"]
    command = [sys.executable, str(MEASURE), sys.executable, "-m", "murid", *stage]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["exit"] == 0
    size = path.stat().st_size / 2**20
    noon = datetime(2025, 8, 13, 12, tzinfo=UTC)
    began = time.perf_counter()
    part = tables.read(output, "readings", ("time", noon, noon + timedelta(minutes=30)))
    taken = time.perf_counter() - began
    print(
        f"\n{kind}: {READS:,} reads, {size:,.0f} MiB: {found['seconds']:.1f} s "
        f"({found['processor']:.1f} s of a processor), {found['megabytes']:,.0f} MB at most; "
        f"{len(part):,} reads of half an hour: {taken:.2f} s"
    )
