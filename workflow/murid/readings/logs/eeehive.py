"""Logs of eeeHive floor plates: four boards of 24 antennas, a terminal's log of each."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from murid.archive.columns import Judged
from murid.readings import lines, times
from murid.readings.how import How
from murid.readings.log_format import LogFormat
from murid.readings.reads import Reads

EXPECTED = "a log of an eeeHive: lines of [YYYY-MM-DD HH:MM:SS] n,Position:ID,ID"
_LINE = (
    r"^\[(?P<time>[^\]]+)\] *(?:(?P<kind>[0-9]+) *, *)?"
    r"(?P<position>[0-9]{1,2}) *(?::(?P<tags>.*))?$"
)
_OTHER = "without a position"
_NO_BOARD = (
    "its name tells no board: its positions are taken to be those of the first; call logs of "
    "several boards NAME_Board1 and so on"
)
_BOARD, _ON_BOARD = re.compile(r"board[ _-]?([1-4])(?![0-9])", re.IGNORECASE), 24


def read(path: Path, how: How) -> Judged:
    """Read a log of a board, or of all.

    Positions are counted on through the boards, from 1 to 96: which board it is, the file's name
    says, ``Board2``, and nothing else. The number in front of a position is the kind of tag that
    was looked for, as those who drive the plates take their answers apart; the published logs of
    all four boards have 1 there. A line without a tag says that the position was looked at, and is
    no fault.

    The terminal program writes the time in front of a line: local time, unless it is set to UTC.

    Raises
    ------
    InputError
        If there is not one sound line.
    """
    named = _BOARD.search(path.stem)
    reads = Reads(path, EXPECTED)
    kinds: set[str] = set()
    with lines.opened(path, EXPECTED) as stream:
        for block in lines.blocks(stream, reads.tally):
            texts = pc.utf8_rtrim_whitespace(pa.array(block.data.decode().split("\n")[:-1]))
            parts = pc.extract_regex(texts, pattern=_LINE)
            sound = parts.is_valid().to_numpy(zero_copy_only=False)
            if not sound.all():
                numbers = block.numbers[~sound]
                reads.tally.add(_OTHER, numbers, texts[int(np.argmin(sound))].as_py())
                parts = parts.filter(pa.array(sound))
            _add(reads, parts, block.numbers[sound], int(named[1]) if named else 1)
            kinds |= set(pc.unique(parts.field("kind")).to_pylist())
    if named is None and kinds - {""} and reads.count:
        reads.notes.append(_NO_BOARD)
    return reads.judged()


def _add(reads: Reads, parts: pa.StructArray, numbers: np.ndarray, board: int) -> None:
    """Add the tags of lines, of which each may have several or none."""
    listed = pc.split_pattern(pc.fill_null(parts.field("tags"), ""), ",")
    rows = pc.list_parent_indices(listed).to_numpy()
    tags = pc.utf8_trim_whitespace(pc.list_flatten(listed))
    read = pc.not_equal(tags, "").to_numpy(zero_copy_only=False)
    rows, tags = rows[read], tags.filter(pa.array(read))
    positions = parts.field("position").cast(pa.int64()).to_numpy()
    before = _ON_BOARD * (board - 1)
    antennas = np.where(positions <= _ON_BOARD, positions + before, positions)
    written = parts.field("time")
    begun = times.parse(pa.chunked_array([written]))
    reads.add(
        times.Times(begun.when[rows], begun.zoned[rows]), tags,
        pa.array(antennas[rows].astype(str)), numbers[rows],
        written=written.take(pa.array(rows)),
    )  # fmt: skip


def _holds(path: Path) -> bool:
    return re.match(_LINE, lines.first_line(path).rstrip()) is not None


FORMAT = LogFormat(
    name="a log of an eeeHive (.log, .txt, or no suffix)",
    words="lines of time, kind of tag, and position with the tags that are there, a file a board "
    "(`NAME_Board2`: the name tells which) or all in one, without a kind; antennas from 1 to 96, "
    "on through the boards. Plates with one log of all number them otherwise: name a table of them",
    suffixes=(".log", ".txt", ""),
    read=read,
    holds=_holds,
    example="[2023-02-01 09:00:00] 1,5:900215001234567,900215001234568\n[2023-02-01 09:00:00] 1,6:",
    clock="the terminal's, without a zone: local, unless it is set to UTC",
    hold=2.0,
    kind="polled",
    numbering="eeehive",
)
