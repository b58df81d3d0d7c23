"""The logs of eeeHive 2D, plates of 24 antennas each, whose serial ports a terminal program logs.

Sources: ``01_IP_RawLog_to_PositionID.R`` of IntelliProfiler 2.0 (four logs, one a board) and
``IP_general.R`` of IntelliProfiler 1 (one log); the plate's protocol, as the parser of
eeehive_load_test tells it (a kind of tag, an antenna, tags); Tera Term's manual, "Log" (time
stamps).

Certain: one line a report, ``[2024-05-01 19:00:00.123] 1,5:TAG,TAG``: the terminal's time stamp,
the kind of tag, the antenna of this board from 1 to 24, and all tags that it sees; a file a
board, and board ``b`` begins at antenna ``24 (b - 1) + 1``; empty lines are between. The older
form has one file, no kind of tag, and antennas 1 to 96.

The clock: the time stamp is the terminal program's, which tells *local* time unless it is set to
UTC. The R code parses it as UTC and so keeps the wall's digits, then takes 08:00 by this clock
for lights-on, and prints the same digits as of Asia/Tokyo: local time, called UTC.

Not certain: the fraction of a second (the terminal's default has milliseconds, and the R code
cuts them off); CRLF; what a tag looks like; the boards' files have no ending in the published
example.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pandas as pd

from log_writers.wall import local

RESOLUTION = 1
BOARD = 24


def write(
    folder: Path, reads: pd.DataFrame, zone: str, fraction: bool = True, ending: str = ""
) -> list[Path]:
    """Write the logs of four boards, by the local clock, or by UTC if that is the zone."""
    boards: dict[int, list[str]] = {board: [] for board in range(1, 5)}
    for wall, antenna, tags in _reports(reads, zone):
        board, position = divmod(antenna - 1, BOARD)
        boards[board + 1].append(f"[{_stamp(wall, fraction)}] 1,{position + 1}:{','.join(tags)}")
    return [
        _log(folder / f"Female8_Board{board}{ending}", lines) for board, lines in boards.items()
    ]


def write_one(folder: Path, reads: pd.DataFrame, zone: str) -> list[Path]:
    """Write the older form: one log of all 96 antennas, without a kind of tag."""
    lines = [
        f"[{_stamp(wall, True)}] {antenna}:{','.join(tags)}"
        for wall, antenna, tags in _reports(reads, zone)
    ]
    return [_log(folder / "teraterm.log", lines)]


def place(antenna: int) -> tuple[int, int]:
    """Return column, from the left, and row, from below, from 1: four boards in two rows.

    The two boards at the right are turned by half; the last two are above the first (in the plots
    of IntelliProfiler 2).
    """
    board, position = divmod(antenna - 1, BOARD)
    if board % 2:
        position = BOARD - 1 - position
    row, column = divmod(position, 6)
    return 6 * (board % 2) + column + 1, (8 if board > 1 else 4) - row


def _reports(reads: pd.DataFrame, zone: str) -> Iterator[tuple[datetime, int, list[str]]]:
    """Yield time, antenna, and all tags that it saw then."""
    seen = reads.assign(wall=local(reads["time"], zone))
    for (_, antenna), together in seen.groupby(["time", "antenna"], sort=False):
        yield together["wall"].iloc[0], antenna, [*together["tag"]]


def _stamp(wall: datetime, fraction: bool) -> str:
    return wall.isoformat(sep=" ", timespec="milliseconds" if fraction else "seconds")


def _log(path: Path, lines: list[str]) -> Path:
    with path.open("w", newline="") as file:
        file.writelines(
            f"{line}\r\n" + ("\r\n" if index % 7 == 6 else "") for index, line in enumerate(lines)
        )
    return path
