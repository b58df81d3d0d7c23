"""Antenna places from a recording of the checkerboard that lies where the antennas are.

The board's inner corners are found in many frames and averaged; a homography from board to image
through all of them then tells where each antenna is. That needs the board's geometry only, so the
antennas may lie between corners, or outside of them.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from murid import video
from murid.calibrate.fit import apply, fit, residual
from murid.errors import InputError
from murid.grid import Grid
from murid.settings import Calibrate

log = logging.getLogger(__name__)

Array = NDArray[np.float64]
STILL = 3.0
"""Pixels by which a frame's corners may be off the median before the frame is left out."""
FLAT = 0.1
"""Squares by which corners may be off a homography, root mean square."""
_QUICK = cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_ACCURACY
_THOROUGH = _QUICK | cv2.CALIB_CB_EXHAUSTIVE


@dataclass(frozen=True)
class Board:
    """A checkerboard and how the antennas lie on it, in squares.

    Attributes
    ----------
    columns, rows
        Inner corners, left to right and back to front.
    first
        Place of antenna 1, counted from the back left inner corner: (right, front).
    pitch
        Squares from one antenna to the next: (right, front).
    """

    columns: int
    rows: int
    first: tuple[float, float] = (0.0, 0.0)
    pitch: tuple[float, float] = (1.0, 1.0)

    @classmethod
    def of(cls, settings: Calibrate, grid: Grid) -> "Board":
        """Return the board of the settings: by default, every inner corner is an antenna."""
        columns, rows = settings.board_corners or (grid.columns, grid.rows)
        return cls(columns, rows, settings.board_first, settings.board_pitch)

    @property
    def corners(self) -> Array:
        """Places of the inner corners, row by row: (rows * columns, 2), squares."""
        row, column = np.divmod(np.arange(self.rows * self.columns), self.columns)
        return np.column_stack([column, row]).astype(np.float64)

    def antennas(self, grid: Grid) -> Array:
        """Places of the antennas, in the order of their numbers: (antennas, 2), squares."""
        return np.asarray(self.first) + grid.coordinates(grid.antennas) * np.asarray(self.pitch)


def find_corners(grey: video.Frame, board: Board) -> Array | None:
    """Find the inner corners of the board in a picture.

    Returns
    -------
    Shape (rows * columns, 2), pixels, row by row from the corner at the back on the left, as an
    upright camera sees it; None if the board is not there as a whole.
    """
    shape = (board.columns, board.rows)
    for flags in (_QUICK, _THOROUGH):
        there, corners = cv2.findChessboardCornersSB(grey, shape, flags=flags)
        if there:
            break
    else:
        return None
    # Pixel centres are at whole numbers to OpenCV; boxes are measured from the pixels' corners.
    corners = corners.reshape(-1, 2).astype(np.float64) + 0.5
    return upright(corners.reshape(board.rows, board.columns, 2)).reshape(-1, 2)


def upright(corners: Array) -> Array:
    """Order a grid of corners so that columns run to the right and rows down, (rows, columns, 2).

    A checkerboard looks the same upside down, so where its numbering starts is up to the picture:
    cameras are upright, and the back of the cage is further up.
    """
    ways = [corners]
    if corners.shape[0] == corners.shape[1]:
        ways.append(corners.transpose(1, 0, 2))
    turned = [turn for way in ways for turn in (way, way[:, ::-1], way[::-1], way[::-1, ::-1])]
    return max(turned, key=_uprightness)


def _uprightness(corners: Array) -> float:
    """Tell how closely columns run to the right and rows down; mirrored: not at all."""
    right = (corners[:, -1] - corners[:, 0]).mean(axis=0)
    down = (corners[-1] - corners[0]).mean(axis=0)
    if right[0] * down[1] - right[1] * down[0] <= 0:
        return -np.inf
    return float(right[0] / np.linalg.norm(right) + down[1] / np.linalg.norm(down))


def locate(recordings: Sequence[Path], board: Board, grid: Grid, most: int) -> Array:
    """Find the antennas of one rig set-up in its recordings of the board.

    Parameters
    ----------
    recordings
        Videos or images of the board, which lies still, by the same camera.
    board
        The board.
    grid
        The antennas.
    most
        Frames of a recording that are looked at, at most, spread evenly.

    Returns
    -------
    Shape (antennas, 2), pixels.

    Raises
    ------
    InputError
        If a recording cannot be read or shows no whole board, or the board moves or is not flat.
    """
    corners = [np.stack(_corners(path, board, most)) for path in recordings]
    every = np.concatenate(corners)
    middle = np.median(every, axis=0)
    off = np.sqrt(((every - middle) ** 2).sum(axis=-1).mean(axis=-1))
    still = off <= STILL
    if 2 * still.sum() <= len(still):
        found = (
            f"a board that moves: in {len(still) - still.sum()} of {len(still)} frames its corners "
            f"are more than {STILL:g} px off their usual place"
        )
        raise InputError(recordings[0], found, "a board and a camera that lie still")
    mean = every[still].mean(axis=0)
    homography = fit(board.corners, mean, "homography")
    rest = residual(board.corners, mean, homography)
    square = np.linalg.norm(np.diff(mean.reshape(board.rows, board.columns, 2), axis=0), axis=-1)
    if not rest <= FLAT * square.min():
        raise InputError(
            recordings[0], f"corners that are {rest:.1f} px off a flat board",
            f"at most {FLAT:g} squares",
            remedy="Check calibrate.board_corners, and that the board lies flat.",
        )  # fmt: skip
    log.info("%s: board found in %d frames", recordings[0], still.sum())
    return apply(board.antennas(grid), homography)


def _corners(path: Path, board: Board, most: int) -> list[Array]:
    step = max(1, video.inspect(path).length // most)
    boards = []
    looked = 0
    for number, grey in video.Reel(path):
        if number % step or looked >= most:
            continue
        looked += 1
        corners = find_corners(grey, board)
        if corners is not None:
            boards.append(corners)
    if not boards:
        raise InputError(
            path, f"no checkerboard in the {looked} frames looked at",
            f"one with {board.columns} x {board.rows} inner corners, wholly in the picture",
            remedy="Set calibrate.board_corners to the board's inner corners [columns, rows].",
        )  # fmt: skip
    return boards
