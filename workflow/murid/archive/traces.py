"""What the antenna traces of one segment tell against themselves.

A tag that is read as another's, a tag that is stuck, and a grid with which no mouse could walk as
it did: each gives names that look as sure as any, and are wrong. The thresholds stand well apart
from what eight segments of half an hour of the TIDe archive show: at most 2% of an animal's moves
were within half a second of another's to the same antenna, none stayed on one for more than 918 s,
and all moves led to a neighbour.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.grid import Antennas
from murid.tables import Verdict

TOGETHER = 3
"""Moves at the same time to the same antenna that are no chance."""
NEAR = 0.5
"""Seconds that are the same time: an antenna may read two tags one after the other."""
SHARE_TOGETHER = 0.5
"""Share of an animal's moves that are another's too, from which their tags are not two."""
STILL, STILL_AWAKE = 1000.0, 60.0
"""Seconds on one antenna that no mouse sleeps; and those that are told if the others are busy."""
BUSY = 30
"""Moves of the others in the meantime, by their median: none was as still beside such."""
MOVES = 30
"""Moves that tell a grid."""
FITS, MISFITS = 0.9, 0.8
"""Share of moves to neighbours on the right grid, at least, and on a wrong one, at most."""


def judge(positions: pd.DataFrame, grid: Antennas, fps: float) -> Verdict:
    """Judge the table ``positions`` of a segment by what its animals do on the grid.

    Parameters
    ----------
    positions
        Every animal at every frame from 0, in the same order in each.
    grid
        The antennas, as the settings have them.
    fps
        Frames per second.
    """
    names = list(positions["animal"].unique())
    if not names:
        return Verdict()
    antennas = positions["antenna"].fillna(0).to_numpy(dtype=np.int64).reshape(-1, len(names))
    return together(antennas, names, fps) | still(antennas, names, fps) | layout(antennas, grid)


def together(antennas: NDArray[np.int64], names: Sequence[str], fps: float) -> Verdict:
    """Discard a segment in which two animals move as one.

    Parameters
    ----------
    antennas
        (frames, animals); 0 = no reading.
    names
        Of the animals.
    fps
        Frames per second.
    """
    moves = [_moves(antennas[:, animal]) for animal in range(len(names))]
    verdict = Verdict()
    for pair in combinations(range(len(names)), 2):
        fewer, more = sorted(pair, key=lambda animal: len(moves[animal]))
        least = len(moves[fewer])
        shared = sum(
            (antennas[near, more] == antennas[frame, fewer]).any()
            for frame in moves[fewer]
            for near in [moves[more][np.abs(moves[more] - frame) <= NEAR * fps]]
        )
        if shared >= max(TOGETHER, SHARE_TOGETHER * least):
            first, second = (names[animal] for animal in pair)
            same = (antennas[:, fewer] == antennas[:, more]).mean()
            verdict |= Verdict(
                "discarded",
                f"{first} and {second} move as one: {shared} of {least} moves are within {NEAR} s "
                f"to the same antenna, and {same:.1%} of their readings are equal; expected traces "
                "of two animals. Is it one tag under two names?",
            )
    return verdict


def still(antennas: NDArray[np.int64], names: Sequence[str], fps: float) -> Verdict:
    """Tell of an animal that one antenna has for all of a segment, for longer than mice sleep.

    Parameters
    ----------
    antennas
        (frames, animals); 0 = no reading.
    names
        Of the animals.
    fps
        Frames per second.
    """
    seconds = len(antennas) / fps
    counts = np.array([len(_moves(antennas[:, animal])) for animal in range(len(names))])
    verdict = Verdict()
    for animal, name in enumerate(names):
        others = np.delete(counts, animal)
        busy = len(others) > 0 and np.median(others) >= BUSY
        if counts[animal] or seconds < (STILL_AWAKE if busy else STILL):
            continue
        readings = antennas[antennas[:, animal] > 0, animal]
        if len(readings):
            verdict |= Verdict(
                "repaired",
                f"{name} is on antenna {readings[0]} in all of its {len(readings)} readings "
                f"({seconds:.0f} s), while others move up to {others.max(initial=0)} times: its "
                "tag or the antenna may be stuck, and then its name is wrong; look at the video",
            )
    return verdict


def layout(antennas: NDArray[np.int64], grid: Antennas) -> Verdict:
    """Discard a segment whose animals jump about on this grid, but walk on one of other rows.

    Parameters
    ----------
    antennas
        (frames, animals); 0 = no reading.
    grid
        As the settings have it.
    """
    ends = [
        (antennas[frames - 1, animal] - 1, antennas[frames, animal] - 1)
        for animal in range(antennas.shape[1])
        for frames in [_moves(antennas[:, animal])]
    ]
    start, end = (np.concatenate(side) for side in zip(*ends, strict=True))
    if len(start) < MOVES:
        return Verdict()
    walked = {
        rows: float(
            ((abs(start // rows - end // rows) <= 1) & (abs(start % rows - end % rows) <= 1)).mean()
        )
        for rows in range(2, grid.size // 2 + 1)
        if grid.size % rows == 0
    }
    here = walked.get(grid.rows)
    best = max(walked, key=lambda rows: walked[rows], default=grid.rows)
    if here is None or here > MISFITS or walked[best] < FITS:
        return Verdict()
    return Verdict(
        "discarded",
        f"only {here:.0%} of {len(start)} moves lead to a neighbour on a grid of {grid.rows} x "
        f"{grid.columns}, {walked[best]:.0%} on one of {best} x {grid.size // best}: see to "
        "grid.rows and grid.columns in the settings",
    )


def _moves(trace: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the frames at which an animal is on another antenna than in the frame before."""
    return np.flatnonzero((trace[1:] != trace[:-1]) & (trace[1:] > 0) & (trace[:-1] > 0)) + 1
