"""Reading calibration points: as they were marked, or from recordings of the checkerboard."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from murid import marks, recordings
from murid.calibrate.board import Board, locate
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import Calibrate


@dataclass(frozen=True)
class Marked:
    """What a file of calibration points holds.

    Attributes
    ----------
    points
        Columns ``rig`` (str), ``antenna`` (int), ``x``, ``y`` (float), of rigs without a fault.
    faults
        The first fault of each other rig that the file names; "" is the rig of rows without one.
    """

    points: pd.DataFrame
    faults: Mapping[str, InputError]


def read_points(
    path: str | Path, settings: Calibrate | None = None, grid: Grid | None = None
) -> pd.DataFrame:
    """Read calibration points, none of which may have a fault: those of :func:`read_rigs`.

    Raises
    ------
    InputError
        Naming the line, image or recording at fault.
    """
    marked = read_rigs(path, settings, grid)
    for fault in marked.faults.values():
        raise fault
    return marked.points


def read_rigs(
    path: str | Path, settings: Calibrate | None = None, grid: Grid | None = None
) -> Marked:
    """Read calibration points, pixels, one an antenna, of every rig set-up.

    Parameters
    ----------
    path
        Points as for :func:`murid.marks.read`; or a CSV of ``rig, recording``, videos or images of
        the checkerboard.
    settings, grid
        What the checkerboard is like, and the antennas; by default as in the settings.

    Raises
    ------
    InputError
        If the file cannot be read, or holds nothing of the kind.
    """
    path = Path(path)
    if listed := recordings.listed(path):
        marked = _find_boards(path, listed, settings or Calibrate(), grid or Grid())
    else:
        marked = marks.read(path)
    return Marked(pd.DataFrame(marked.points, columns=list(marks.COLUMNS)), marked.faults)


def _find_boards(
    source: Path, listed: list[tuple[str, Path]], settings: Calibrate, grid: Grid
) -> marks.Marks:
    board = Board.of(settings, grid)
    rows: list[tuple[str, int, float, float]] = []
    faults: dict[str, InputError] = {}
    for rig in dict.fromkeys(rig for rig, _ in listed):
        recorded = [path for name, path in listed if name == rig]
        try:
            if not rig or source.parent in recorded:
                lacking = f"a line of rig {rig} without recording" if rig else "a line without rig"
                raise InputError(source, lacking, "a rig and its video or image on every line")
            places = locate(recorded, board, grid, settings.board_frames)
        except InputError as error:
            faults[rig] = error
            continue
        rows += [(rig, int(a), *place) for a, place in zip(grid.antennas, places, strict=True)]
    return marks.Marks(rows, faults)
