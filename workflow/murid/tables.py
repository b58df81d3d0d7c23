"""Tables on disk: Parquet that keeps the contracts of :mod:`murid.schemas`.

Every table is read and written through this module, and validated both times. The file's metadata
carry the table's name and version, and the segment's :class:`Verdict`, so that a discarded segment
flows through every stage as an empty, valid table that says why.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from murid import parquet
from murid.errors import InputError, shortened
from murid.files import replacing
from murid.schemas import BOX, CONTRACTS, STATUSES, UNUSABLE, Contract

VERSION = "1"
ROW_GROUP = 25_000
LONGEST_REASON = 2000
"""Letters of a reason; every table of a segment carries it, and the report shows it."""
Status = Literal["usable", "repaired", "discarded", "failed"]
_ALL_DIFFERENT = ("frame", "tracklet", "source_row")
"""Columns of whole numbers of which a dictionary would be as long as they are."""


@dataclass(frozen=True)
class Verdict:
    """What is known of a segment's fitness: one of :data:`murid.schemas.STATUSES`, and why."""

    status: Status = "usable"
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", shortened(self.reason, LONGEST_REASON))

    @property
    def discarded(self) -> bool:
        """Whether the segment is to flow through as empty tables, as it does when it failed."""
        return self.status in UNUSABLE

    def __or__(self, other: "Verdict") -> "Verdict":
        """Return the worse of two verdicts; at the same status reasons are joined, each once."""
        if self.status != other.status:
            return max(self, other, key=lambda verdict: STATUSES.index(verdict.status))
        ours = [part for part in self.reason.split("; ") if part]
        new = [part for part in other.reason.split("; ") if part and part not in ours]
        return Verdict(self.status, "; ".join([*ours, *new])) if new else self


_PANDAS_TYPES = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
}


def empty(name: str) -> pd.DataFrame:
    """Return the table ``name`` without rows, with the dtypes that :func:`read` gives."""
    return _to_pandas(CONTRACTS[name].schema.empty_table())


def conform(frame: pd.DataFrame, name: str, source: object = "table") -> pd.DataFrame:
    """Return ``frame`` with the columns, order of columns and dtypes of table ``name``, validated.

    Parameters
    ----------
    frame
        Any frame that has the table's columns, and perhaps optional ones; others are dropped.
    name
        The table, a key of :data:`CONTRACTS`.
    source
        Named in the error as the file at fault.

    Raises
    ------
    InputError
        If a column is missing or of the wrong type, a required value is null, a key is not unique,
        or a value lies outside its range; the error names the row.
    """
    return _to_pandas(_to_arrow(frame, name, source))


def write(
    frame: pd.DataFrame,
    path: str | Path,
    name: str,
    verdict: Verdict | None = None,
    about: Mapping[str, str] | None = None,
) -> None:
    """Validate ``frame`` as table ``name`` and write it to ``path`` with the segment's verdict.

    Parameters
    ----------
    frame, path, name
        The table, where it goes, and which it is.
    verdict
        Of the segment; usable by default.
    about
        What else is to be known of how it was made: kept in the file's metadata, as
        ``murid.about.<key>``.

    Raises
    ------
    InputError
        As :func:`conform`, or if the file cannot be written.
    """
    table = _to_arrow(frame, name, path)
    verdict = verdict or Verdict()
    metadata = {"murid.table": name, "murid.version": VERSION}
    metadata |= {f"murid.{key}": value for key, value in asdict(verdict).items()}
    metadata |= {f"murid.about.{key}": value for key, value in (about or {}).items()}
    table = table.replace_schema_metadata(metadata)
    floats = [column.name for column in table.schema if pa.types.is_floating(column.type)]
    strings = [
        column.name
        for column in table.schema
        if pa.types.is_string(column.type) or pa.types.is_integer(column.type)
    ]
    with replacing(path) as temporary:
        pq.write_table(
            table,
            temporary,
            compression="zstd",
            compression_level=3,
            row_group_size=ROW_GROUP,
            use_dictionary=[column for column in strings if column not in _ALL_DIFFERENT],
            column_encoding=dict.fromkeys(floats, "BYTE_STREAM_SPLIT"),
            write_page_checksum=True,
        )


def read(
    path: str | Path, name: str, within: tuple[str, object, object] | None = None
) -> pd.DataFrame:
    """Read table ``name`` from ``path``, validated.

    Columns that may be null come as pandas' nullable integers; boxes as float32 with NaN; lists as
    tuples.

    Parameters
    ----------
    path
        A Parquet file written by :func:`write`, or by another tool in the same columns.
    name
        The table, a key of :data:`CONTRACTS`.
    within
        If given, a column, the least value that is read, and the first that is not any more.

    Raises
    ------
    InputError
        If the file is missing, is no Parquet file, or does not fulfil the contract.
    """
    metadata = parquet.metadata(path)
    stored = metadata.get("murid.table", name)
    if stored != name:
        raise InputError(path, f"a table of {stored}", f"a table of {name}")
    if metadata.get("murid.version", VERSION) != VERSION:
        raise InputError(
            path,
            f"version {metadata['murid.version']} of the table {name}",
            f"version {VERSION}",
            remedy="Remove the file and run again.",
        )
    filters = None
    if within is not None:
        column, first, end = within
        filters = [(column, ">=", first), (column, "<", end)]
    return _to_pandas(_to_arrow(parquet.read(path, filters), name, path))


def read_verdict(*paths: str | Path) -> Verdict:
    """Return the worst of the verdicts that the tables at ``paths`` carry.

    Raises
    ------
    InputError
        If a file is missing or no Parquet, or its verdict is none.
    """
    verdict = Verdict()
    for path in paths:
        metadata = parquet.metadata(path)
        status = metadata.get("murid.status", "usable")
        if status not in STATUSES:
            raise InputError(
                path, f"the verdict {status!r}", f"one of {', '.join(STATUSES)}",
                where="metadata murid.status",
            )  # fmt: skip
        verdict |= Verdict(status, metadata.get("murid.reason", ""))  # type: ignore[arg-type]
    return verdict


def read_about(path: str | Path) -> dict[str, str]:
    """Return what :func:`write` was told about how the table at ``path`` was made.

    Raises
    ------
    InputError
        If the file is missing or no Parquet.
    """
    prefix = "murid.about."
    metadata = parquet.metadata(path)
    return {key[len(prefix) :]: metadata[key] for key in metadata if key.startswith(prefix)}


def _to_pandas(table: pa.Table) -> pd.DataFrame:
    nullable = {column.name for column in table.schema if column.nullable}
    frame = table.to_pandas(types_mapper=None, integer_object_nulls=False, ignore_metadata=True)
    for column in table.schema:
        if column.name in nullable and column.type in _PANDAS_TYPES:
            values = table[column.name].to_pandas(types_mapper=_PANDAS_TYPES.get)
            frame[column.name] = values
        elif pa.types.is_list(column.type):
            items = [
                None if item is None else tuple(item) for item in table[column.name].to_pylist()
            ]
            frame[column.name] = pd.Series(items, dtype=object)
    return frame


def _to_arrow(data: pd.DataFrame | pa.Table, name: str, source: object) -> pa.Table:
    contract = CONTRACTS[name]
    names = data.column_names if isinstance(data, pa.Table) else list(data.columns)
    missing = [column for column in contract.schema.names if column not in names]
    if missing:
        raise InputError(
            source,
            f"the columns {', '.join(map(str, names)) or '(none)'}",
            f"a table of {name} with the columns {', '.join(contract.schema.names)}",
            where=f"column {missing[0]}",
        )
    arrays = []
    schema = contract.schema_of(names)
    for column in schema:
        try:
            if isinstance(data, pa.Table):
                array = data[column.name].combine_chunks().cast(column.type)
            else:
                array = pa.Array.from_pandas(data[column.name], type=column.type)
        except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
            raise InputError(
                source,
                f"values that do not fit ({error})",
                f"{column.type}",
                where=f"column {column.name}",
            ) from error
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if not column.nullable and array.null_count:
            row = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
            raise InputError(
                source,
                "no value",
                f"{column.type}, {column.metadata[b'unit'].decode()}",
                where=f"column {column.name}, row {row}",
            )
        arrays.append(array)
    table = pa.Table.from_arrays(arrays, schema=schema)
    _check_values(table, contract, source)
    return table


def _check_values(table: pa.Table, contract: Contract, source: object) -> None:
    for column, allowed in contract.choices.items():
        values = table[column].to_pandas()
        wrong = ~values.isin(allowed)
        _refuse_first(table, wrong.to_numpy(), column, source, f"one of {', '.join(allowed)}")
    for column, (low, high) in contract.ranges.items():
        if column not in table.column_names:
            continue
        values = table[column].to_numpy(zero_copy_only=False).astype(np.float64)
        wrong = (values < low) | (values > high)
        if not table.schema.field(column).nullable:
            wrong |= ~np.isfinite(values)
        _refuse_first(table, wrong, column, source, f"a value from {low} to {high}")
    if contract.boxes:
        _check_boxes(table, contract, source)
    if contract.key and len(table) and set(contract.key) <= set(table.column_names):
        key = table.select(contract.key).to_pandas()
        wrong = key.duplicated().to_numpy()
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            place = ", ".join(f"{column} {key.iloc[row][column]}" for column in contract.key)
            raise InputError(source, f"{place} a second time", "each once", where=f"row {row}")


def _check_boxes(table: pa.Table, contract: Contract, source: object) -> None:
    boxes = np.column_stack(
        [table[column].to_numpy(zero_copy_only=False) for column in BOX]
    ).reshape(-1, 4)
    finite = np.isfinite(boxes)
    whole = finite.all(axis=1)
    wrong = ~whole
    if contract.boxless:
        column, value = contract.boxless
        wrong = whole == (table[column].to_pandas() == value).to_numpy(dtype=bool)
    elif contract.schema.field("x").nullable:
        wrong &= finite.any(axis=1)
    with np.errstate(invalid="ignore"):
        wrong |= whole & ((boxes[:, 2] <= 0) | (boxes[:, 3] <= 0))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        frame = table["frame"][row].as_py()
        raise InputError(
            source,
            f"the box {', '.join(f'{value:g}' for value in boxes[row])}",
            "finite x, y and w, h above 0",
            where=f"row {row} (frame {frame})",
        )


def _refuse_first(
    table: pa.Table, wrong: np.ndarray, column: str, source: object, expected: str
) -> None:
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(
            source, f"{table[column][row].as_py()!r}", expected, where=f"column {column}, row {row}"
        )


def concatenate(frames: Iterable[pd.DataFrame], name: str) -> pd.DataFrame:
    """Stack tables of the kind ``name``; with none, the empty table."""
    frames = [frame for frame in frames if len(frame)]
    return pd.concat(frames, ignore_index=True) if frames else empty(name)


def mice(detections: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table ``detections`` that are mice, by frame and detection."""
    chosen = detections[detections["label"] == "mouse"]
    return chosen.sort_values(["frame", "detection"], ignore_index=True)
