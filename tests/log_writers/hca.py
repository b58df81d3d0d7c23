"""The files of the Home Cage Analyser (HCA), which gives every tag's antenna 25 times a second.

Sources: the R package hcapipeline (``find_start_time``, ``hcaReadHDF5``, ``hcaSystemReadHDF5``,
whose examples are names of real files), and two Python scripts of users that take such files
apart by PyTables (their names of columns, 90,000 rows an hour, hours and rows that are missing).

Certain: names ``<start of the study, epoch ms>_<number, six digits>_<name>@<cage>_<ms since the
start, 13 digits>.hdf5``; a file begins at the sum of both numbers, which no zone touches; the
number counts files, which are an hour long or a quarter of one, and the last number need not be a
whole multiple (95 quarters are 85,500,200); ``/subjects/<tag>/antenna/ant1`` is *one table* (a
compound dataset that can grow), with ``t`` in ms from the file's start; other columns vary:
``separation_<other tag>`` for each cage mate, ``Climbing``, ``Drinking``, ``Rearing``,
``transition``; true or false is HDF5's bit field, as PyTables writes it; ``/data/0`` is a table
of ``time`` (epoch ms) and ``reading``; a tag may be absent from a file.

Not certain: which columns are whole numbers and which are not; what ``antenna`` is before a tag
was ever read (here the table begins with the first read); attributes of PyTables; what the
subject ``?`` holds. Antenna ``a`` lies in column ``(a - 1) // 3`` and row ``(a - 1) % 3``: the
writer does not need it.
"""

from pathlib import Path

import h5py
import numpy as np
import pandas as pd

from log_writers.wall import epoch

RESOLUTION = 40
HOUR = 3_600_000
DRIFT = 200


def write(folder: Path, reads: pd.DataFrame, zone: str, length: int = HOUR) -> list[Path]:
    """Write a study's files, a table a tag; between two reads a tag stays at its antenna."""
    times = np.array(epoch(reads["time"]))
    if not len(times):
        return []
    start = int(times[0])
    files = []
    # Not every file begins a whole multiple after the study, but all on the raster of 40 ms.
    offsets = [0, *range(length + DRIFT, int(times[-1]) - start + 1, length)]
    for number, offset in enumerate(offsets):
        end = offsets[number + 1] if number + 1 < len(offsets) else offset + length
        if not ((times - start >= offset) & (times - start < end)).any():
            continue
        path = folder / f"{start}_{number:06d}_arbC8123198@LT-GREEN_{offset:013d}.hdf5"
        _file(path, reads, times - start - offset, end - offset, start + offset)
        files.append(path)
    return files


def _file(path: Path, reads: pd.DataFrame, times: np.ndarray, length: int, start: int) -> None:
    tags = sorted(set(reads["tag"]))
    inside = (times >= 0) & (times < length)
    with h5py.File(path, "w") as file:
        file.attrs["PYTABLES_FORMAT_VERSION"] = np.bytes_("2.1")
        file.attrs["CLASS"] = np.bytes_("GROUP")
        for tag in tags:
            mine = inside & (reads["tag"] == tag).to_numpy()
            if mine.any():
                others = [other for other in tags if other != tag]
                _table(
                    file, f"subjects/{tag}/antenna/ant1", _trace(reads[mine], times[mine], others)
                )
        stray = reads[inside].iloc[:1]
        _table(file, "subjects/?/antenna/ant1", _trace(stray, times[inside][:1], tags))
        ambient = np.zeros(60, [("time", "<i8"), ("reading", "<f4")])
        ambient["time"] = start + np.arange(60) * 1000
        _table(file, "data/0", ambient)


def _trace(reads: pd.DataFrame, times: np.ndarray, others: list[str]) -> np.ndarray:
    """Return every 40 ms from a tag's first read to its last, by the last antenna that read it."""
    ticks = np.arange(times[0], times[-1] + 1, RESOLUTION)
    antennas = reads["antenna"].to_numpy()[np.searchsorted(times, ticks, side="right") - 1]
    columns = [
        ("Climbing", "?"), ("Drinking", "?"), ("Rearing", "?"), ("antenna", "<i4"), ("bx", "<f4"),
        ("by", "<f4"), ("distance", "<f4"), *((f"separation_{other}", "<f4") for other in others),
        ("t", "<i4"), ("temperature", "<f4"), ("transition", "?"),
    ]  # fmt: skip
    rows = np.zeros(len(ticks), columns)
    rows["t"], rows["antenna"], rows["temperature"] = ticks, antennas, 36.5
    rows["transition"][1:] = antennas[1:] != antennas[:-1]
    rows["bx"], rows["by"] = (antennas - 1) // 3 * 50.0, (antennas - 1) % 3 * 50.0
    return rows


def _table(file: h5py.File, name: str, rows: np.ndarray) -> None:
    """Write a table that can grow, with truth as a bit field: h5py itself would write an enum."""
    kinds = h5py.h5t.create(h5py.h5t.COMPOUND, rows.dtype.itemsize)
    for column, (dtype, position) in rows.dtype.fields.items():
        kind = h5py.h5t.STD_B8LE if dtype.kind == "b" else h5py.h5t.py_create(dtype)
        kinds.insert(column.encode(), position, kind)
    chunks = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    chunks.set_chunk((1024,))
    chunks.set_deflate(5)
    parents = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    parents.set_create_intermediate_group(True)
    space = h5py.h5s.create_simple((len(rows),), (h5py.h5s.UNLIMITED,))
    dataset = h5py.h5d.create(file.id, name.encode(), kinds, space, chunks, parents)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, rows.view(_bytes(rows.dtype)), kinds)
    file[name].attrs["CLASS"] = np.bytes_("TABLE")
    for index, column in enumerate(rows.dtype.names):
        file[name].attrs[f"FIELD_{index}_NAME"] = np.bytes_(column)


def _bytes(dtype: np.dtype) -> np.dtype:
    """Return a compound type with bytes for truth: the same memory."""
    return np.dtype(
        [(name, "u1" if kind.kind == "b" else kind) for name, (kind, _) in dtype.fields.items()]
    )
