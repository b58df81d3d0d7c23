"""The lines of a log, in blocks: what is damaged is left out and counted, line by line.

A day's log has millions of lines, and power cuts leave zeros in it: blocks are looked at as arrays
of bytes, and cells are split by pyarrow, never by a loop over lines.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
from numpy.typing import NDArray

from murid import files
from murid.errors import InputError
from murid.readings.tally import Tally

LARGEST_LOG = 2**32
"""Bytes of a log, at most: days of millions of reads."""
LONGEST_LINE = 2**14
"""Bytes of a line, at most; no read takes more than some hundreds."""
BLOCK = 2**20
"""Bytes that are looked at at once."""
SEPARATORS = (",", ";", "\t", "|")
"""What columns of a table may be separated by."""
_SOUND = bytes([*range(0x20, 0x7F), *b"\t\n"])
_NEWLINE, _QUOTE, _STAND_IN = 0x0A, 0x22, 0x1F
_ZEROS = "with zero bytes, as after a power cut"
_DAMAGED = "with control characters, or bytes that are not UTF-8"
_LONG = f"of more than {LONGEST_LINE // 2**10} KiB"
_OPEN = "with a quote that is not closed"
_CELLS = "with a wrong number of cells"
_CUT = "without an end, which may be cut"


class Block(NamedTuple):
    """Whole lines of a file."""

    data: bytes
    """Each ends with a line feed."""
    numbers: NDArray[np.int64]
    """Of the lines, from 1."""


class Rows(NamedTuple):
    """Rows of a file, split into cells."""

    cells: list[pa.ChunkedArray]
    """Text, an array for each column that was asked for."""
    numbers: NDArray[np.int64]
    """Of their lines, from 1."""


@dataclass(frozen=True)
class Header:
    """The first line of a table."""

    names: list[str]
    separator: str


def opened(path: Path, expected: str) -> BinaryIO:
    """Open a log that is text.

    Raises
    ------
    InputError
        As :func:`murid.files.regular`, or if it is larger than any log.
    """
    return files.regular(path, expected, LARGEST_LOG).open("rb")


def first_line(path: Path) -> str:
    """Return the first line of a file that has any text in it; "" if it is none, or very long.

    For looking into a file only: it raises nothing if the file is no text.
    """
    with path.open("rb") as file:
        head = file.read(LONGEST_LINE)
    if b"\0" in head[: files.HEAD]:
        return ""
    lines = head.decode("utf-8-sig", "replace").splitlines()
    return next((line for line in lines if line.strip()), "")


def header_of(line: str, separator: str | None = None) -> Header:
    """Return the names in the first line of a table; by default, what splits it into most is it.

    Examples
    --------
    >>> header_of('time;"tag";antenna').names
    ['time', 'tag', 'antenna']
    """
    if separator is None:
        separator = max(SEPARATORS, key=line.count)
    # A carriage return within a line is none to the csv module, which would raise an error.
    reader = csv.reader([line.replace("\r", " ")], delimiter=separator, skipinitialspace=True)
    cells = next(reader, [])
    return Header([cell.strip() for cell in cells], separator)


def read_header(path: Path, stream: IO[bytes], expected: str) -> Header:
    """Read the first line of a table, and leave the stream behind it.

    Raises
    ------
    InputError
        If it is no text in UTF-8, or too long.
    """
    line = stream.readline(LONGEST_LINE)
    files.refuse_other(path, line[: files.HEAD], expected)
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise files.not_utf8(path, error, expected) from error
    if not line.endswith(b"\n") and len(line) == LONGEST_LINE:
        raise InputError(path, f"a line {_LONG}", expected, where="line 1")
    text = text.rstrip("\r\n")
    if "\r" in text:
        raise InputError(
            path, "lines that end with a carriage return only", expected, where="line 1",
            remedy="Save it with the line ends of Unix or Windows.",
        )  # fmt: skip
    return header_of(text)


def blocks(stream: IO[bytes], tally: Tally, first: int = 1) -> Iterator[Block]:
    """Yield the sound lines of a stream, without those that are blank.

    Lines end with a line feed, which a carriage return may precede. Left out and counted are lines
    with zero bytes, with other control characters, that are no UTF-8 or very long, and a last one
    that does not end: nothing tells whether it is whole.

    Parameters
    ----------
    stream
        The file.
    tally
        Where lines that are left out are counted.
    first
        Number of the first line of the stream.
    """
    rest = b""
    while chunk := stream.read(BLOCK):
        data = rest + chunk
        end = data.rfind(b"\n") + 1
        data, rest = data[:end], data[end:]
        if len(rest) > LONGEST_LINE:  # a line that is too long already, as far as is told of it
            rest = rest[: LONGEST_LINE + 1]
        if data:
            block = _sound(data, first, tally)
            first += data.count(b"\n")
            if len(block.numbers):
                yield block
    if rest.strip():
        tally.add(_CUT, [first], rest[:100].decode("utf-8", "replace"))


def _sound(data: bytes, first: int, tally: Tally) -> Block:
    """Return the lines of a block that can be split into cells."""
    data = data.replace(b"\r\n", b"\n")
    letters = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(letters == _NEWLINE)
    lengths = np.diff(ends, prepend=-1)
    numbers = first + np.arange(len(ends), dtype=np.int64)
    keep = lengths > 1
    faults = {_LONG: lengths > LONGEST_LINE}
    if data.translate(None, _SOUND):
        faults[_ZEROS] = _any_of(letters == 0, ends)
        control = ((letters < 0x20) & (letters != 0x09) & (letters != _NEWLINE)) | (letters == 0x7F)
        faults[_DAMAGED] = _any_of(control, ends) | _not_utf8(data, letters, ends)
    for kind, wrong in faults.items():
        wrong &= keep
        tally.add(kind, numbers[wrong])
        keep &= ~wrong
    if not keep.all():
        data = letters[np.repeat(keep, lengths)].tobytes()
    return Block(data, numbers[keep])


def _any_of(marked: NDArray[np.bool_], ends: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell which lines have a byte that is marked."""
    found = np.zeros(len(ends), dtype=bool)
    found[np.unique(np.searchsorted(ends, np.flatnonzero(marked)))] = True
    return found


def _not_utf8(data: bytes, letters: NDArray[np.uint8], ends: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell which lines are no UTF-8: only those with other letters than ASCII are looked at."""
    wrong = np.zeros(len(ends), dtype=bool)
    try:
        data.decode()
    except UnicodeDecodeError:
        for line in np.flatnonzero(_any_of(letters >= 0x80, ends)):
            start = ends[line - 1] + 1 if line else 0
            try:
                data[start : ends[line]].decode()
            except UnicodeDecodeError:
                wrong[line] = True
    return wrong


def split(block: Block, columns: int, wanted: Sequence[int], separator: str, tally: Tally) -> Rows:
    """Split the lines of a block into cells.

    A cell may stand in double quotes, with separators in it. Left out and counted are lines with
    another number of cells, or with a quote that is not closed.

    Parameters
    ----------
    block
        Of :func:`blocks`.
    columns
        How many cells a line has.
    wanted
        The columns to return, counted from 0.
    separator
        What is between cells.
    tally
        Where lines that are left out are counted.
    """
    quoted = b'"' in block.data
    if quoted:
        block = _without_separators_in_quotes(block, separator, tally)
    block = _of_so_many_cells(block, columns, separator, tally)
    if not len(block.numbers):
        return Rows([pa.chunked_array([], pa.string()) for _ in wanted], block.numbers)
    names = [str(column) for column in range(columns)]
    included = [names[column] for column in wanted]
    table = arrow_csv.read_csv(
        pa.BufferReader(block.data),
        arrow_csv.ReadOptions(
            use_threads=False, block_size=len(block.data) + 1, column_names=names
        ),
        arrow_csv.ParseOptions(delimiter=separator, quote_char=False, ignore_empty_lines=False),
        arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(included, pa.string()), include_columns=[*{*included}],
            strings_can_be_null=False,
        ),
    )  # fmt: skip
    cells = [table.column(name) for name in included]
    return Rows([_unquoted(cell, separator) if quoted else cell for cell in cells], block.numbers)


def _of_so_many_cells(block: Block, columns: int, separator: str, tally: Tally) -> Block:
    """Return the lines that have as many cells as columns."""
    letters = np.frombuffer(block.data, np.uint8)
    ends = np.flatnonzero(letters == _NEWLINE)
    separators = np.flatnonzero(letters == ord(separator))
    keep = np.diff(np.searchsorted(separators, ends), prepend=0) == columns - 1
    if keep.all():
        return block
    first = int(np.argmin(keep))
    start = ends[first - 1] + 1 if first else 0
    tally.add(_CELLS, block.numbers[~keep], block.data[start : ends[first]].decode())
    lengths = np.diff(ends, prepend=-1)
    return Block(letters[np.repeat(keep, lengths)].tobytes(), block.numbers[keep])


def _without_separators_in_quotes(block: Block, separator: str, tally: Tally) -> Block:
    """Put a sign that no sound line has in place of separators that are part of a cell."""
    letters = np.frombuffer(block.data, np.uint8).copy()
    ends = np.flatnonzero(letters == _NEWLINE)
    quotes = np.cumsum(letters == _QUOTE)
    before = np.concatenate([[0], quotes[ends[:-1]]]) if len(ends) else quotes
    closed = (quotes[ends] - before) % 2 == 0
    tally.add(_OPEN, block.numbers[~closed])
    lengths = np.diff(ends, prepend=-1)
    inside = (quotes - np.repeat(before, lengths)) % 2 == 1
    letters[inside & (letters == ord(separator))] = _STAND_IN
    return Block(letters[np.repeat(closed, lengths)].tobytes(), block.numbers[closed])


def _unquoted(cells: pa.ChunkedArray, separator: str) -> pa.ChunkedArray:
    cells = pc.utf8_trim(pc.utf8_trim_whitespace(cells), characters='"')
    return pc.replace_substring(cells, chr(_STAND_IN), separator)
