"""Small files that would fill the memory, and what is no file: refused, never read to an end."""

import bz2
import copyreg
import gzip
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pandas._libs.internals import _unpickle_block
from pandas.core.internals.managers import BlockManager

MOST = 500
"""Megabytes that a file may cost, Python and its libraries included."""

RUN = r"""
import json, re, resource, sys, time
from pathlib import Path
from murid import settings, tables
from murid.archive import check

unit = 2 ** (20 if sys.platform == "darwin" else 10)
for line in sys.stdin:
    start = time.perf_counter()
    part, path = json.loads(line)
    outputs = {name: Path(sys.argv[1], name) for name in ("positions", "detections", "annotations")}
    sources = {"positions": Path(sys.argv[2]), part: Path(path)}
    verdict = check.run(("A", "1"), sources, outputs, settings.Grid(), settings.Check())
    size = sum(path.stat().st_size for path in outputs.values())
    # Where Linux tells it, the peak of this very program; else it may be that of who started it.
    status = Path("/proc/self/status")
    own = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    most = int(own[1]) if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = most // (2**10 if own else unit)
    took = time.perf_counter() - start
    print(json.dumps([verdict.status, verdict.reason, size, peak, took]), flush=True)
"""


class Call:
    def __init__(self, function: Callable, *arguments: object) -> None:
        self.function, self.arguments = function, arguments

    def __reduce__(self) -> tuple:
        return self.function, self.arguments


def forged(blocks: list, columns: pd.Index, index: object) -> bytes:
    """Pickle a frame of blocks, each (array, first column, last column)."""
    parts = tuple(
        Call(_unpickle_block, array, slice(first, last, 1), 2) for array, first, last in blocks
    )
    manager = Call(BlockManager, parts, [columns, index])

    class Frame:
        def __reduce__(self) -> tuple:
            return copyreg._reconstructor, (pd.DataFrame, object, None), {"_mgr": manager}

    return pickle.dumps(Frame())


def streams(path: Path) -> None:
    """Four gigabytes of zeros, compressed twice as one would not."""
    path.write_bytes(bz2.compress(bytes(40_000_000)) * 100)


def gzipped(path: Path) -> None:
    path.write_bytes(gzip.compress(bytes(20_000_000)) * 200)


def instructions(path: Path) -> None:
    path.write_bytes(bz2.compress(b"\x80\x04" + b"]" * 5_000_000 + b"."))


def blocks(path: Path) -> None:
    array = np.zeros((1, 1_000_000))
    names = pd.Index([f"a{number}" for number in range(400)], dtype=object)
    data = forged([(array, n, n + 1) for n in range(400)], names, pd.RangeIndex(1_000_000))
    path.write_bytes(bz2.compress(data))


def levels(path: Path) -> None:
    level = pd.Index(np.arange(500_000.0))
    codes = np.zeros(10, np.int8)
    state = {
        "levels": [level] * 400, "codes": [codes] * 400, "names": [None] * 400, "sortorder": None,
    }  # fmt: skip
    index = Call(pd.core.indexes.base._new_Index, pd.MultiIndex, state)
    data = forged([(np.zeros((1, 10)), 0, 1)], pd.Index(["R"], dtype=object), index)
    path.write_bytes(bz2.compress(data))


def rows(path: Path) -> None:
    path.write_bytes(forged([], pd.Index([], dtype=object), pd.RangeIndex(10**9)))


def nested(path: Path) -> None:
    laughs: list = ["ha" * 1000]
    for _ in range(30):
        laughs = [laughs] * 10
    path.write_bytes(pickle.dumps(pd.DataFrame({"R": pd.Series([0], dtype=object)})))
    path.write_bytes(pickle.dumps([laughs]))


def columns_of_csv(path: Path) -> None:
    names = ",".join(f"a{number}" for number in range(100_000))
    path.write_text(f"frame,{names}\n0{',1' * 100_000}\n")


def columns_of_pickle(path: Path) -> None:
    names = pd.Index([f"a{number}" for number in range(100_000)], dtype=object)
    path.write_bytes(forged([(np.zeros((100_000, 1)), 0, 100_000)], names, pd.RangeIndex(1)))


def columns_of_parquet(path: Path) -> None:
    names = [f"a{number}" for number in range(10_000)]
    pq.write_table(pa.table([[1]] * len(names), names=names), path)


def animals(path: Path) -> None:
    cells = [f"{number},m{number},1" for number in range(30_000)]
    path.write_text("\n".join(["frame,animal,antenna", *cells]))


def apart(path: Path) -> None:
    """Fifty animals, each with readings of its own frames."""
    cells = [f"{number},m{number % 50},1" for number in range(50_000)]
    path.write_text("\n".join(["frame,animal,antenna", *cells]))


def texts(path: Path) -> None:
    """Ten gigabytes of text, said in a few kilobytes."""
    number = pa.array(np.zeros(10_000, np.int8))
    long = pa.DictionaryArray.from_arrays(number, pa.array(["x" * 1_000_000]))
    pq.write_table(pa.table({"frame": np.arange(10_000), "R": long}), path, compression="zstd")


def lists(path: Path) -> None:
    ends = pa.array([0, 20_000_000], pa.int32())
    named = pa.DictionaryArray.from_arrays(pa.array(np.zeros(20_000_000, np.int8)), pa.array(["R"]))
    table = pa.table({"frame": [0], "identities": pa.ListArray.from_arrays(ends, named)})
    pq.write_table(table, path, compression="zstd")


def cells(path: Path) -> None:
    zeros = pa.array(np.zeros(20_000_000, np.int8))
    pq.write_table(pa.table({"frame": zeros, "R": zeros}), path, compression="zstd")


def long_name(path: Path) -> None:
    number = pa.array(np.zeros(45_000, np.int8))
    name = pa.DictionaryArray.from_arrays(number, pa.array(["x" * 20_000]))
    frames = np.arange(45_000)
    pq.write_table(pa.table({"frame": frames, "animal": name, "antenna": frames % 18}), path)


def long_reason(path: Path) -> None:
    about = {"murid.status": "discarded", "murid.reason": "long " * 600_000}
    pq.write_table(pa.table({"frame": [0], "R": [1]}).replace_schema_metadata(about), path)


def far(path: Path) -> None:
    path.write_text("frame,R,G\n0,1,2\n2000000000,1,2\n")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def kernel(path: Path) -> None:
    path.symlink_to("/proc/kmsg")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


HOSTILE: list[tuple[str, str, Callable[[Path], None], str]] = [
    ("positions", "df", streams, "64 MiB after decompression"),
    ("positions", "df", gzipped, "MiB after decompression"),
    ("positions", "df", instructions, "1,000,000 instructions"),
    ("positions", "df", blocks, "more cells than the file can hold"),
    ("positions", "df", levels, "more cells than the file can hold"),
    ("positions", "df", rows, "more cells than the file can hold"),
    ("positions", "df", nested, "more cells than the file can hold"),
    ("positions", "df", columns_of_pickle, "columns"),
    ("positions", "csv", columns_of_csv, "100,001 columns; expected 1,000 at most"),
    ("positions", "parquet", columns_of_parquet, "10,000 columns; expected 1,000 at most"),
    ("positions", "csv", animals, "30000 animals"),
    ("positions", "csv", apart, "50000 readings of 50 animals in 50000 frames"),
    ("positions", "csv", far, "with numbers up to 2000000000"),
    ("positions", "parquet", texts, "10,000,000,000 bytes of text"),
    ("annotations", "parquet", lists, "cells of"),
    ("positions", "parquet", cells, "40,000,000 cells"),
    ("positions", "parquet", long_name, "900,000,000 bytes of text"),
    ("positions", "parquet", long_reason, "letters in all"),
    *(
        (part, suffix, *what)
        for part, suffix in [
            ("positions", "csv"), ("positions", "df"), ("positions", "parquet"),
            ("detections", "csv"), ("annotations", "parquet"), ("annotations", "df"),
        ]
        for what in [(pipe, "a named pipe"), (device, "a device"), (kernel, "system makes up"),
                     (sparse, "")]
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list]:
    """What the check says of every hostile file, and what that cost; in a process of its own."""
    folder = tmp_path_factory.mktemp("hostile")
    sound = folder / "sound.csv"
    sound.write_text("frame,R\n0,1\n")
    lines = []
    for number, (part, suffix, make, _) in enumerate(HOSTILE):
        path = folder / f"{number}.{suffix}"
        make(path)
        lines.append(json.dumps([part, str(path)]))
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(folder), str(sound)],
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
    if make is kernel and not Path("/proc/kmsg").exists():
        pytest.skip("no /proc here")
    status, reason, size, peak, _ = told[number]
    assert status == "discarded"
    assert expected in reason
    assert len(reason) < 3000
    assert size < 100_000
    assert peak < MOST
