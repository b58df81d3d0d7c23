"""Small files that would fill the memory, and what is no file: refused, never read to an end."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import hostile

MOST = 500
"""Megabytes that a file may cost, Python and its libraries included."""
LONGEST = 20
"""Seconds of a processor that it may cost."""

RUN = r"""
import json, os, re, resource, sys, time
from pathlib import Path
from murid import tables
from murid.archive import check
from murid.archive.stage import Check

unit = 2 ** (20 if sys.platform == "darwin" else 10)

def judge(part, path):
    start = time.perf_counter()
    outputs = {name: Path(sys.argv[1], name) for name in ("positions", "detections", "annotations")}
    sources = {"positions": Path(sys.argv[2]), part: Path(path)}
    written = {f"output_{name}": path for name, path in outputs.items()}
    verdict = check.check_segment(Check(cage="A", segment="1", **sources, **written))
    size = sum(path.stat().st_size for path in outputs.values())
    # Where Linux tells it, the peak of this very program; else it may be that of who started it.
    status = Path("/proc/self/status")
    own = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    most = int(own[1]) if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = most // (2**10 if own else unit)
    took = time.perf_counter() - start
    print(json.dumps([verdict.status, verdict.reason, size, peak, took]), flush=True)

for line in sys.stdin.read().splitlines():
    # A process for each: what an allocator keeps of one file is not what the next one costs.
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0, line
    else:
        # Of processor time, which does not depend on what else runs.
        resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[3]),) * 2)
        judge(*json.loads(line))
        os._exit(0)
"""


HOSTILE: list[tuple[str, str, Callable[[Path], None], str]] = [
    ("positions", "df", hostile.streams, "64 MiB after decompression"),
    ("positions", "df", hostile.gzipped, "MiB after decompression"),
    ("positions", "df", hostile.instructions, "1,000,000 instructions"),
    ("positions", "df", hostile.blocks, "more cells than the file can hold"),
    ("positions", "df", hostile.levels, "more cells than the file can hold"),
    ("positions", "df", hostile.rows, "more cells than the file can hold"),
    ("positions", "df", hostile.nested, "more cells than the file can hold"),
    ("positions", "df", hostile.columns_of_pickle, "columns"),
    ("positions", "csv", hostile.columns_of_csv, "100,001 columns; expected 1,000 at most"),
    ("positions", "parquet", hostile.columns_of_parquet, "10,000 columns; expected 1,000 at most"),
    ("positions", "csv", hostile.animals, "30000 animals"),
    ("positions", "csv", hostile.still, "positions of 999 animals; expected 60 at most"),
    ("positions", "csv", hostile.apart, "50000 readings of 50 animals in 50000 frames"),
    ("positions", "csv", hostile.far, "with numbers up to 2000000000"),
    ("positions", "parquet", hostile.texts, "10,000,000,000 bytes of text"),
    ("annotations", "parquet", hostile.lists, "cells of"),
    ("positions", "parquet", hostile.cells, "40,000,000 cells"),
    ("positions", "parquet", hostile.long_name, "900,000,000 bytes of text"),
    ("positions", "parquet", hostile.long_reason, "letters in all"),
    *(
        (part, suffix, *what)
        for part, suffix in [
            ("positions", "csv"), ("positions", "df"), ("positions", "parquet"),
            ("detections", "csv"), ("annotations", "parquet"), ("annotations", "df"),
        ]
        for what in [
            (hostile.pipe, "a named pipe"), (hostile.device, "a device"),
            (hostile.kernel, "system makes up"), (hostile.sparse, ""),
        ]
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list]:
    """What the check says of every hostile file, and what that cost; in processes of their own."""
    folder = tmp_path_factory.mktemp("hostile")
    sound = folder / "sound.csv"
    sound.write_text("frame,R\n0,1\n")
    lines = []
    for number, (part, suffix, make, _) in enumerate(HOSTILE):
        path = folder / f"{number}.{suffix}"
        make(path)
        lines.append(json.dumps([part, str(path)]))
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(folder), str(sound), str(LONGEST)],
        input="\n".join(lines), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = dict(enumerate(map(json.loads, done.stdout.splitlines())))
    for number, (*_, peak, took) in found.items():
        print(f"{NAMES[number]}: {took:.1f} s, {peak} MB")
    return found


NAMES = [f"{make.__name__} as {part}.{suffix}" for part, suffix, make, _ in HOSTILE]


@pytest.mark.parametrize("number", range(len(HOSTILE)), ids=NAMES)
def test_a_hostile_file_is_refused_and_costs_little(told: dict[int, list], number: int) -> None:
    *_, make, expected = HOSTILE[number]
    if make is hostile.kernel and not Path("/proc/kmsg").exists():
        pytest.skip("no /proc here")
    status, reason, size, peak, _ = told[number]
    assert status == "discarded"
    assert expected in reason
    assert len(reason) < 3000
    assert size < 100_000
    assert peak < MOST
