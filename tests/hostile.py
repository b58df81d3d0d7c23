"""Makers of hostile files: small, and huge once read; or no files at all. Each writes to a path."""

import bz2
import copyreg
import gzip
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pandas._libs.internals import _unpickle_block
from pandas.core.internals.managers import BlockManager


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


def still(path: Path) -> None:
    """Hundreds of columns, each of one number throughout."""
    names, cells = ",".join(f"m{number}" for number in range(999)), ",".join(["3"] * 999)
    lines = [f"{frame},{cells}" for frame in range(500)]
    path.write_text("\n".join([f"frame,{names}", *lines]))


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
