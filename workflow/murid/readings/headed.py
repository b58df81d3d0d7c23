"""Logs that are tables of text, whose first line names the columns."""

from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from murid import spelling
from murid.archive.columns import Judged
from murid.errors import InputError, shown
from murid.readings import lines, times
from murid.readings.reads import Durations, Ends, Reads, in_place

_NUMBER = r"^-?[0-9]+(\.[0-9]*)?$"


@dataclass(frozen=True)
class Layout:
    """The columns of a table of reads, each by the names that it may have, in any capitals.

    Attributes
    ----------
    expected
        What a file should hold, for messages.
    time, tag, antenna
        Must be there.
    place
        Cage or matrix, within which antennas are numbered.
    duration
        How long a read lasted, in seconds.
    end
        Until when a read lasted, written as its time.
    """

    expected: str
    time: tuple[str, ...]
    tag: tuple[str, ...]
    antenna: tuple[str, ...]
    place: tuple[str, ...] = ()
    duration: tuple[str, ...] = ()
    end: tuple[str, ...] = ()


def holds(path: Path, layout: Layout) -> bool:
    """Tell whether a file is a table that has all columns of a layout which must be there."""
    there = {name.lower() for name in lines.header_of(lines.first_line(path)).names}
    required = layout.time, layout.tag, layout.antenna
    return all(any(name.lower() in there for name in names) for names in required)


def read(
    path: Path, layout: Layout, time_format: str | None = None, stream: IO[bytes] | None = None
) -> Judged:
    """Read a table of reads.

    Parameters
    ----------
    path
        The file, for messages if there is a stream.
    layout
        Its columns; others are passed over.
    time_format
        How times are written, as ``strptime`` has it; None: in ISO 8601 or as numbers since 1970.
    stream
        What it holds; None: the file is opened.

    Raises
    ------
    InputError
        If it is no such table, a column is missing, or there is no sound read among its lines.
    """
    if stream is None:
        with lines.opened(path, layout.expected) as opened:
            return read(path, layout, time_format, opened)
    if time_format is not None:
        times.checked_format(path, time_format)
    header = lines.read_header(path, stream, layout.expected)
    required = {"time": layout.time, "tag": layout.tag, "antenna": layout.antenna}
    places = {name: _place(path, header, names, layout) for name, names in required.items()}
    further = {"place": layout.place, "duration": layout.duration, "end": layout.end}
    found = {name: _find(path, header, names) for name, names in further.items()}
    places |= {name: place for name, place in found.items() if place is not None}
    reads = Reads(path, layout.expected)
    for block in lines.blocks(stream, reads.tally, first=2):
        rows = lines.split(
            block, len(header.names), [*places.values()], header.separator, reads.tally
        )
        cells = dict(zip(places, rows.cells, strict=True))
        # A logger that is started again names its columns again.
        named = pc.equal(cells["time"], header.names[places["time"]]).to_numpy().astype(bool)
        if named.any():
            cells = {name: cell.filter(pa.array(~named)) for name, cell in cells.items()}
        _add(reads, cells, rows.numbers[~named], time_format)
    return reads.judged()


def _add(
    reads: Reads,
    cells: dict[str, pa.ChunkedArray],
    numbers: NDArray[np.int64],
    time_format: str | None,
) -> None:
    if not len(numbers):
        return
    begun = times.parse(cells["time"], time_format)
    durations, ends = None, None
    if "duration" in cells:
        durations = seconds(cells["duration"])
    elif "end" in cells:
        ends = Ends(times.parse(cells["end"], time_format), cells["end"])
    antennas = cells["antenna"]
    if "place" in cells:
        antennas = in_place(cells["place"], antennas)
    reads.add(begun, cells["tag"], antennas, numbers, durations, cells["time"], ends)


def seconds(texts: pa.ChunkedArray, second: float = 1.0) -> Durations:
    """Return durations in seconds, NaN where there is no number.

    Parameters
    ----------
    texts
        Numbers; decimals may have a comma.
    second
        Their units in a second.
    """
    plain = pc.replace_substring(pc.utf8_trim_whitespace(texts), ",", ".")
    numeric = pc.match_substring_regex(plain, _NUMBER)
    values = pc.cast(pc.if_else(numeric, plain, None), pa.float64()).to_numpy() / second
    return Durations(values, texts)


def _place(path: Path, header: lines.Header, names: tuple[str, ...], layout: Layout) -> int:
    """Return where a column is that must be there."""
    found = _find(path, header, names)
    if found is not None:
        return found
    near = spelling.misspelt(header.names, names)
    raise InputError(
        path, f"the columns {', '.join(map(shown, header.names)) or '(none)'}", layout.expected,
        where=f"line 1, column {' or '.join(names)}", remedy=f"Is it {near}" * bool(near),
    )  # fmt: skip


def _find(path: Path, header: lines.Header, names: tuple[str, ...]) -> int | None:
    """Return where a column is, the first of its names that is there; None if there is none."""
    for name in names:
        found = [place for place, each in enumerate(header.names) if each.lower() == name.lower()]
        if len(found) > 1:
            raise InputError(
                path, f"the column {name} {len(found)} times", "each column once", where="line 1",
            )  # fmt: skip
        if found:
            return found[0]
    return None
