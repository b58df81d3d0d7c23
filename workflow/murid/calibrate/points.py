"""Reading calibration points: as they were marked, or from recordings of the checkerboard."""

from pathlib import Path

from murid import marks, recordings
from murid.calibrate.board import Board, locate
from murid.errors import InputError
from murid.grid import Grid
from murid.marks import Marks
from murid.settings import Calibrate


def read_rigs(path: Path, settings: Calibrate, grid: Grid) -> Marks:
    """Read calibration points, pixels, one an antenna, of every rig set-up.

    Parameters
    ----------
    path
        Points as for :func:`murid.marks.read`; or a CSV of ``rig, recording``, videos or images of
        the checkerboard.
    settings, grid
        What the checkerboard is like, and the antennas.

    Raises
    ------
    InputError
        If the file cannot be read, or holds nothing of the kind.
    """
    if listed := recordings.listed(path):
        return _find_boards(path, listed, settings, grid)
    return marks.read(path)


def _find_boards(
    source: Path, listed: list[tuple[str, Path]], settings: Calibrate, grid: Grid
) -> Marks:
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
    return Marks(rows, faults)
