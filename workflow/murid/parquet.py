"""Parquet of unknown origin: whatever is damaged in it is an error that names the file.

A file may be cut, have flipped bits behind a sound footer, hold letters that are no text, or say in
a few bytes that one long text stands in millions of rows. What the library that reads it makes of
all that is bad input, not a bug.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from murid import files
from murid.errors import InputError

# The library's own keeps what tables took after they are gone.
pa.set_memory_pool(pa.system_memory_pool())

EXPECTED = "a Parquet table"
CELLS = 2**23
"""Cells that any file may hold: hours of detections."""
CELLS_A_BYTE = 16
"""Cells that a larger file may hold a byte; boxes and readings that change take more room."""
MOST_TEXT = 2**26
"""Bytes of text that any file may hold once it is spread over its rows; or 16 times its size."""


def bounded(path: str | Path) -> Path:
    """Return ``path`` if it holds no more cells than a file of its size sensibly does.

    Raises
    ------
    InputError
        If it holds more, has more columns than :data:`murid.files.MOST_COLUMNS`, or as
        :func:`metadata`. Nothing of the columns is read before that is known.
    """
    size = files.regular(path, EXPECTED).stat().st_size
    most = max(CELLS, CELLS_A_BYTE * size)
    with _naming_damage(path), pq.ParquetFile(path) as file:
        about = file.metadata
        if about.num_columns > files.MOST_COLUMNS:
            most = files.MOST_COLUMNS
            raise InputError(path, f"{about.num_columns:,} columns", f"{most:,} at most")
        groups = [about.row_group(number) for number in range(about.num_row_groups)]
        stored = sum(group.total_byte_size for group in groups)
        fixed = [file.schema.column(place).length for place in range(about.num_columns)]
        cells = about.num_rows * max(1, about.num_columns)
        _refuse_many(path, cells, stored, max([8, *fixed]), most, size)
        # Lists may have more cells than there are rows. Some damage to what is said of a column
        # ends the process where it is only looked at, but is an error where the column is read.
        file.scan_contents()
        cells = sum(
            group.column(place).num_values
            for group in groups
            for place in range(about.num_columns)
        )  # fmt: skip
        _refuse_many(path, cells, stored, 8, most, size)
    return Path(path)


def _refuse_many(
    path: str | Path, cells: int, stored: int, width: int, most: int, size: int
) -> None:
    """Refuse a file with too many cells, which take ``stored`` bytes or, each, ``width`` bytes."""
    if cells > most or max(stored, width * cells) > 8 * most:
        raise InputError(
            path,
            f"{cells:,} cells of {stored:,} bytes in a file of {size:,} bytes",
            f"{most:,} cells at most",
            remedy="It is damaged, or made to fill the memory. Write it anew, segment by segment.",
        )


def read(path: str | Path, filters: list[tuple[str, str, Any]] | None = None) -> pa.Table:
    """Read a file as columns of numbers, truth values, text and lists; validated to the last byte.

    Parameters
    ----------
    path
        The file. Nothing is concluded from the names of its folders.
    filters
        Rows to keep, as in :func:`pyarrow.parquet.read_table`.

    Raises
    ------
    InputError
        If the file is missing or damaged, has a column twice, text that is not UTF-8, or texts
        that are far longer than the file.
    """
    size = files.regular(path, EXPECTED).stat().st_size
    with _naming_damage(path):
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            leaves = [file.schema.column(place) for place in range(len(file.schema))]
        # Text stays a list of the different texts and numbers in it, until its length is known.
        texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            expected = "columns with names of their own"
            raise InputError(path, f"the column {twice[0]} twice", expected, where="the header")
        table = pq.read_table(
            path,
            filters=filters,
            partitioning=None,
            read_dictionary=texts,
            page_checksum_verification=True,
        )
        table.validate(full=True)
    letters = sum(_spread(table[name].combine_chunks()) for name in names)
    most = max(MOST_TEXT, 16 * size)
    if letters > most:
        raise InputError(
            path, f"{letters:,} bytes of text in a file of {size:,} bytes", f"{most:,} at most"
        )
    with _naming_damage(path):
        table = pa.table(
            [_plain(table[name]) for name in names], names=names, metadata=table.schema.metadata
        )
        table.validate(full=True)
    return table


def metadata(path: str | Path) -> dict[str, str]:
    """Return what murid wrote into the footer.

    Raises
    ------
    InputError
        If the file is missing or no Parquet, or what it says is no text.
    """
    files.regular(path, EXPECTED)
    with _naming_damage(path):
        about = pq.read_schema(path).metadata or {}
        return {
            key.decode(): value.decode()
            for key, value in about.items()
            if key.startswith(b"murid.")
        }  # fmt: skip


@contextmanager
def _naming_damage(path: str | Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        # The library's errors are of many kinds, and what damage calls forth is not documented.
        raise InputError(path, f"no readable Parquet ({error})", EXPECTED) from error


def _spread(array: pa.Array) -> int:
    """Return how many bytes an array's texts take when each stands in its row."""
    if pa.types.is_dictionary(array.type):
        texts = array.dictionary
        if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
            return 0
        lengths = pc.binary_length(texts).fill_null(0).to_numpy(zero_copy_only=False)
        places = array.indices.drop_null().to_numpy(zero_copy_only=False)
        counts = np.bincount(places, minlength=len(lengths))
        return int((counts * lengths.astype(np.int64)).sum())
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        return _spread(array.flatten())
    return 0


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column whose texts stand in their rows."""
    return column.cast(_plain_type(column.type))


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(_plain_type(kind.value_type))
    return kind
