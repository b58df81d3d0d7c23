"""Logs of an Eco-HAB: antennas at the ends of the tunnels between four cages, a file an hour."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from murid.archive.columns import Judged
from murid.errors import InputError
from murid.readings import headed, lines, times
from murid.readings.how import How
from murid.readings.log_format import LogFormat
from murid.readings.reads import Reads

EXPECTED = (
    "a log of an Eco-HAB: lines of index, YYYY.MM.DD, HH:MM:SS.mmm, antenna, duration in ms, tag, "
    "separated by tabs"
)
_LINE = re.compile(
    rb"[0-9]+\t(?:[0-9]{4}\.[0-9]{2}\.[0-9]{2}\t)?[0-9]{2}:[0-9]{2}:[0-9]{2}[.,]?[0-9]*\t[^\t]+\t"
    rb"[0-9]+\t[^\t\n]+$",
    re.MULTILINE,
)
_FILE = re.compile(r"(?:(?P<board>COM[0-9]+)_)?(?P<start>[0-9]{8}_[0-9]{6})(?:_.*)?", re.IGNORECASE)
_TRAILING = re.compile(rb"[\t ]+$", re.MULTILINE)
_DATED, _DATELESS = 6, 5
_MARK = b"\xef\xbb\xbf"
_HALF_DAY, _DAY = np.timedelta64(12, "h"), np.timedelta64(1, "D")


def read(path: Path, how: How) -> Judged:
    """Read an hour of an Eco-HAB.

    Old files have no dates: the file's name says when it begins, and what is earlier in the day by
    more than half of one is of the next. If the name begins with the board, ``COM4_``, so do the
    names of the antennas.

    Raises
    ------
    InputError
        If there is no sound line, or neither lines nor the name tell a date.
    """
    named = _FILE.fullmatch(path.stem)
    board = f"{named['board'].upper()}_" if named and named["board"] else ""
    reads = Reads(path, EXPECTED)
    with lines.opened(path, EXPECTED) as stream:
        if stream.read(len(_MARK)) != _MARK:
            stream.seek(0)
        columns = 0
        for block in lines.blocks(stream, reads.tally):
            block = block._replace(data=_TRAILING.sub(b"", block.data))
            columns = columns or _columns(block.data)
            wanted = [1, *range(columns - 4, columns)]
            cells, numbers = lines.split(block, columns, wanted, "\t", reads.tally)
            date, clock, antenna, milliseconds, tag = cells
            if columns == _DATED:
                day = pc.replace_substring(date, ".", "-")
                begun = times.parse(pc.binary_join_element_wise(day, clock, " "))
            else:
                begun = _dated(path, clock, named["start"] if named else None)
            antenna = pc.binary_join_element_wise(board, antenna, "") if board else antenna
            reads.add(begun, tag, antenna, numbers, headed.seconds(milliseconds, 1e3), clock)
    return reads.judged(headed=False)


def _columns(data: bytes) -> int:
    """Return how many cells lines have, by the first that is one of an Eco-HAB."""
    line = _LINE.search(data)
    return _DATED if line is None else line[0].count(b"\t") + 1


def _dated(path: Path, clock: pa.ChunkedArray, start: str | None) -> times.Times:
    """Return times of a file without dates, which begins at ``start``, of its name."""
    begun = times.parse(pa.chunked_array([[_iso(start)]])).when[0] if start else times.NONE
    if np.isnat(begun):
        raise InputError(
            path, "lines without a date, and none in the file's name", EXPECTED,
            remedy="Name it YYYYMMDD_HHMMSS.txt, when it begins.",
        )  # fmt: skip
    day = str(begun.astype("datetime64[D]"))
    found = times.parse(pc.binary_join_element_wise(day, clock, " "))
    next_day = found.when < begun - _HALF_DAY
    return found._replace(when=found.when + np.where(next_day, _DAY, 0 * _DAY))


def _iso(start: str) -> str:
    """Return ``20230524_120000`` as a time."""
    return f"{start[:4]}-{start[4:6]}-{start[6:8]} {start[9:11]}:{start[11:13]}:{start[13:15]}"


def _holds(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(lines.LONGEST_LINE)
    return _LINE.search(_TRAILING.sub(b"", head.replace(b"\r\n", b"\n"))) is not None


FORMAT = LogFormat(
    name="a log of an Eco-HAB (.txt)",
    words="lines of index, date, time, antenna, duration (ms) and tag, separated by tabs, without "
    "a header; a file an hour, `YYYYMMDD_HHMMSS.txt`. Old files have no dates: the name tells it. "
    "With a board in front of the name, `COM4_`, antennas are `COM4_1` and so on",
    suffixes=(".txt",),
    read=read,
    holds=_holds,
    example="1\t2023.05.24\t12:59:09.172\t4\t359\t9A44E61A04",
    clock="local, without a zone",
    hold=0.5,
    kind="passing",
)
