"""Tracks of DeepLabCut, as CSV and as the HDF5 of pandas, of one animal and of several.

Sources: the calls of `to_hdf` in DeepLabCut and movement, as others quote them (no code was used);
files that pandas and PyTables wrote, whose parts were listed and written again here with h5py,
since PyTables is no requirement of the tests, and which pandas reads as its own. The CSV is as
many readers of it take it.

Taken for certain, by these:

- Columns have the levels scorer, individuals (with several animals only), bodyparts, coords;
  coords are `x`, `y`, `likelihood`; rows are frames from 0. What is missing is NaN, an empty
  cell in CSV.
- HDF5 is of pandas' form `table` with the key `df_with_missing`; what `stitch_tracklets` writes
  has the key `tracks`; other tools that write for DeepLabCut use pandas' form `fixed`.
- pandas keeps the columns' names as a pickle of protocol 0 in an attribute of the table.
- Parts that belong to no animal are those of the individual `single`.
"""

import pickle
from pathlib import Path

import h5py
import numpy as np

from writers import Track, frame_count, points_within

SCORER = "DLC_dlcrnetms5_cageMar1shuffle1_50000"
PARTS = ("nose", "leftear", "rightear", "tailbase")
CORNERS = ("topleft", "bottomright")
COORDS = ("x", "y", "likelihood")


def write(path: Path, tracks: list[Track], *, corners: bool = False) -> None:
    """Write the CSV of several animals, perhaps with `corners` of the cage."""
    columns, values = _table(tracks, several=True, corners=corners)
    _write_csv(path, _names(True), columns, values)


def write_single(path: Path, track: Track) -> None:
    """Write the CSV of one animal."""
    columns, values = _table([track], several=False, corners=False)
    _write_csv(path, _names(False), columns, values)


def write_hdf5(
    path: Path,
    tracks: list[Track],
    *,
    key: str = "df_with_missing",
    several: bool = True,
    corners: bool = False,
) -> None:
    """Write pandas' form `table`."""
    columns, values = _table(tracks, several=several, corners=corners)
    kind = pickle.dumps([tuple(column) for column in columns], protocol=0)
    row = np.dtype([("index", "<i8"), ("values_block_0", "<f8", (values.shape[1],))])
    rows = np.empty(len(values), row)
    rows["index"] = np.arange(len(values))
    rows["values_block_0"] = values
    with h5py.File(path, "w") as file:
        _attributes(file, CLASS="GROUP", PYTABLES_FORMAT_VERSION="2.1", VERSION="1.0")
        group = file.create_group(key)
        _attributes(
            group,
            CLASS="GROUP",
            VERSION="1.0",
            pandas_type="frame_table",
            table_type="appendable_frame",
            encoding="UTF-8",
            errors="strict",
            index_cols=pickle.dumps([(0, "index")], protocol=0),
            values_cols=pickle.dumps(["values_block_0"], protocol=0),
            data_columns=pickle.dumps([], protocol=0),
            non_index_axes=pickle.dumps([(1, [tuple(column) for column in columns])], protocol=0),
            nan_rep=pickle.dumps(None, protocol=0),
            info=pickle.dumps(
                {
                    1: {"names": list(_names(several)), "type": "MultiIndex"},
                    "index": {},
                    "values_block_0": {},
                },
                protocol=0,
            ),
        )
        group.attrs["levels"] = np.int64(1)
        table = group.create_dataset("table", data=rows, chunks=True, maxshape=(None,))
        _attributes(
            table,
            CLASS="TABLE",
            VERSION="2.7",
            FIELD_0_NAME="index",
            FIELD_1_NAME="values_block_0",
            index_kind="integer",
            values_block_0_dtype="float64",
            values_block_0_kind=kind,
            values_block_0_meta=pickle.dumps(None, protocol=0),
        )
        table.attrs["NROWS"] = np.int64(len(rows))


def write_fixed(path: Path, tracks: list[Track]) -> None:
    """Write pandas' form `fixed`, of several animals."""
    columns, values = _table(tracks, several=True, corners=False)
    names = _names(True)
    with h5py.File(path, "w") as file:
        _attributes(file, CLASS="GROUP", PYTABLES_FORMAT_VERSION="2.1", VERSION="1.0")
        group = file.create_group("df_with_missing")
        _attributes(
            group,
            CLASS="GROUP",
            VERSION="1.0",
            pandas_type="frame",
            encoding="UTF-8",
            errors="strict",
            axis0_variety="multi",
            axis1_variety="regular",
            block0_items_variety="multi",
        )
        for name, value in {
            "axis0_nlevels": len(names),
            "block0_items_nlevels": len(names),
            "nblocks": 1,
            "ndim": 2,
        }.items():
            group.attrs[name] = np.int64(value)
        for level, name in enumerate(names):
            told = [column[level] for column in columns]
            levels = sorted(set(told))
            for axis in ("axis0", "block0_items"):
                data = np.array([text.encode() for text in levels])
                values_of_level = _array(group, f"{axis}_level{level}", data)
                _attributes(values_of_level, kind="string", name=name)
                codes = np.array([levels.index(text) for text in told], np.int8)
                _array(group, f"{axis}_label{level}", codes)
        index = _array(group, "axis1", np.arange(len(values)))
        _attributes(index, kind="integer", name=pickle.dumps(None, protocol=0))
        _array(group, "block0_values", values)


def _names(several: bool) -> tuple[str, ...]:
    return ("scorer", *(("individuals",) if several else ()), "bodyparts", "coords")


def _table(
    tracks: list[Track], *, several: bool, corners: bool
) -> tuple[list[tuple[str, ...]], np.ndarray]:
    """Give the columns, and the values [frame, column] of parts."""
    frames = frame_count(tracks)
    columns: list[tuple[str, ...]] = []
    values = np.full((frames, len(tracks), len(PARTS), 3), np.nan)
    for index, track in enumerate(tracks):
        individual = (track.name,) if several else ()
        columns += [(SCORER, *individual, part, coord) for part in PARTS for coord in COORDS]
        for frame, box in track.boxes.items():
            values[frame, index, :, :2] = points_within(box, len(PARTS))
            values[frame, index, :, 2] = track.confidence
    flat = values.reshape(frames, -1)
    if corners:
        columns += [(SCORER, "single", part, coord) for part in CORNERS for coord in COORDS]
        flat = np.concatenate(
            [flat, np.tile([5.0, 6.0, 0.99, 600.0, 400.0, 0.98], (frames, 1))], axis=1
        )
    return columns, flat


def _write_csv(
    path: Path, names: tuple[str, ...], columns: list[tuple[str, ...]], values: np.ndarray
) -> None:
    lines = [[name, *(column[level] for column in columns)] for level, name in enumerate(names)]
    for frame, row in enumerate(values):
        lines.append(
            [str(frame), *("" if np.isnan(value) else repr(float(value)) for value in row)]
        )
    path.write_text("".join(",".join(line) + "\n" for line in lines), encoding="utf-8")


def _array(group: h5py.Group, name: str, data: np.ndarray) -> h5py.Dataset:
    dataset = group.create_dataset(name, data=data)
    _attributes(dataset, CLASS="ARRAY", FLAVOR="numpy", VERSION="2.4")
    dataset.attrs["transposed"] = np.uint8(1)
    return dataset


def _attributes(place: h5py.HLObject, **told: str | bytes) -> None:
    """Set attributes as PyTables does: text as UTF-8, pickles as ASCII."""
    for name, value in told.items():
        if isinstance(value, str):
            kind = h5py.string_dtype("utf-8", len(value))
            place.attrs.create(name, value.encode(), dtype=kind)
        else:
            place.attrs[name] = np.bytes_(value)
