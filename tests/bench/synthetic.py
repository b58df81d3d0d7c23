"""A made-up segment of any length and number of animals: the tables that tracking starts from.

Animals wander over the grid; their boxes follow with lag-free noise, their antennas with a lag.
Boxes are missed, jump and stand where nobody is, so often that a segment of 30 minutes with three
animals falls into about ten thousand tracklets.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, tables
from murid.grid import Grid
from murid.settings import Detect

FPS = 25
ANNOTATED_EVERY = 50
"""Frames."""
LAG = 30
"""Frames by which the antennas are late."""
DWELL = 75
"""Frames that an animal stays at an antenna, in the mean."""
MISS = 0.055
"""Share of a visible animal's frames without a box, each at random."""
JUMP = 0.045
"""Share of boxes that are so far off that tracking loses them."""
GRID = Grid()


def make(folder: Path, frames: int, animals: int, seed: int = 1) -> int:
    """Write positions, detections and annotations to ``folder``; return the number of boxes."""
    random = np.random.default_rng(seed)
    names = [f"M{animal}" for animal in range(animals)]
    truth = [_wander(random, frames) for _ in names]
    late = np.stack([antenna[np.maximum(np.arange(frames) - LAG, 0)] for antenna in truth], axis=1)
    boxes = [_boxes(random, antenna) for antenna in truth]
    seen = [_on_and_off(random, frames, 1500, 200) for _ in names]
    clear = [_on_and_off(random, frames, 500, 200) for _ in names]
    positions = pd.DataFrame(
        {
            "frame": np.repeat(np.arange(frames), animals),
            "animal": np.tile(names, frames),
            "antenna": late.ravel(),
            "filled": False,
        }
    )
    parts = []
    for box, visible in zip(boxes, seen, strict=True):
        at = np.flatnonzero(visible & (random.random(frames) >= MISS))
        found = box[at] + random.normal(0, 1.5, (len(at), 4))
        jumps = random.random(len(at)) < JUMP
        found[jumps] += random.normal(0, 40, (jumps.sum(), 4)) * [1, 1, 0.3, 0.3]
        parts.append((at, found, random.beta(8, 2, len(at))))
    parts.append(_false_boxes(random, frames))
    at, found, scores = (np.concatenate(part) for part in zip(*parts, strict=True))
    detections = _rank(at, found, scores, animals)
    annotations = _annotate(names, boxes, seen, clear, np.arange(0, frames, ANNOTATED_EVERY))
    for name, table in {
        "positions": positions,
        "detections": detections,
        "annotations": annotations,
    }.items():
        tables.write(tables.conform(table, name), folder / f"{name}.parquet", name)
    return len(detections)


def _on_and_off(
    random: np.random.Generator, frames: int, on: float, off: float
) -> NDArray[np.bool_]:
    """Return whether a thing is on in each frame, which it is for ``on`` frames in the mean."""
    lengths = np.column_stack([random.geometric(1 / mean, frames) for mean in (on, off)]).ravel()
    return np.repeat(np.arange(2 * frames) % 2 == 0, np.minimum(lengths, frames))[:frames]


def _wander(random: np.random.Generator, frames: int) -> NDArray[np.int64]:
    """Return the antenna of an animal in each frame: steps to neighbours, for ever."""
    stays = random.geometric(1 / DWELL, frames)
    stays = stays[: np.searchsorted(stays.cumsum(), frames) + 1]
    column, row = np.zeros((2, len(stays)), dtype=np.int64)
    steps = random.integers(-1, 2, (len(stays), 2))
    column[0], row[0] = random.integers(GRID.columns), random.integers(GRID.rows)
    for stay in range(1, len(stays)):
        column[stay] = np.clip(column[stay - 1] + steps[stay, 0], 0, GRID.columns - 1)
        row[stay] = np.clip(row[stay - 1] + steps[stay, 1], 0, GRID.rows - 1)
    return np.repeat(column * GRID.rows + row + 1, stays)[:frames]


def _boxes(random: np.random.Generator, antennas: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return an animal's box in each frame: near its antenna, sluggish, larger in front."""
    column, row = GRID.column(antennas), GRID.row(antennas)
    usual = np.column_stack([180 + 180 * column, 380 + 90 * row, 110 + 25 * row, 80 + 20 * row])
    moods = random.normal(0, [45, 25, 15, 10], (len(usual) // 25 + 1, 4))
    wish = usual + np.repeat(moods, 25, axis=0)[: len(usual)]
    width = 41  # frames over which a step is spread
    kernel = np.hanning(width + 2)[1:-1]
    padded = np.pad(wish, ((width // 2, width // 2), (0, 0)), mode="edge")
    smooth = np.column_stack(
        [np.convolve(side, kernel / kernel.sum(), mode="valid") for side in padded.T]
    )
    smooth[:, 2:] = np.maximum(smooth[:, 2:], 30)
    smooth[:, :2] -= smooth[:, 2:] / 2
    return smooth


def _false_boxes(random: np.random.Generator, frames: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return frames, boxes and scores of what is taken for an animal: 5 a minute, of a second."""
    count = frames // 300
    starts = random.integers(0, frames, count)
    lengths = random.geometric(1 / 25, count)
    at = (
        np.repeat(starts, lengths)
        + np.arange(lengths.sum())
        - np.repeat(lengths.cumsum() - lengths, lengths)
    )
    boxes = random.uniform([100, 300, 80, 60], [1100, 600, 180, 140], (count, 4))
    boxes = np.repeat(boxes, lengths, axis=0) + random.normal(0, 1.5, (len(at), 4))
    inside = at < frames
    return at[inside], boxes[inside], random.beta(4, 4, len(at))[inside]


def _rank(
    frames: NDArray[np.int64], boxes: NDArray[np.float64], scores: NDArray, animals: int
) -> pd.DataFrame:
    """Return the detections of the segment, at most two more than animals in a frame."""
    table = pd.DataFrame(boxes, columns=schemas.BOX).assign(
        frame=frames, label="mouse", score=scores
    )
    table[["w", "h"]] = table[["w", "h"]].clip(lower=20)
    table = table[table["score"] > Detect().score]
    table = table.sort_values(["frame", "score"], ascending=[True, False], ignore_index=True)
    table["detection"] = table.groupby("frame").cumcount()
    return table[table["detection"] < animals + 2]


def _annotate(
    names: list[str],
    boxes: list[NDArray[np.float64]],
    seen: list[NDArray[np.bool_]],
    clear: list[NDArray[np.bool_]],
    frames: NDArray[np.int64],
) -> pd.DataFrame:
    parts = []
    for animal, box, visible, whole in zip(names, boxes, seen, clear, strict=True):
        at = frames[visible[frames]]
        part = pd.DataFrame(box[at], columns=schemas.BOX).assign(
            frame=at, type="single", visibility=np.where(whole[at], "clear", "truncated")
        )
        part["identities"] = [(animal,)] * len(at)
        parts.append(part)
    table = pd.concat(parts)
    nothing = np.setdiff1d(frames, table["frame"])
    empty = pd.DataFrame({"frame": nothing, "type": "empty", "visibility": "marginal"})
    empty["identities"] = [()] * len(nothing)
    table = pd.concat([table, empty], ignore_index=True).sort_values("frame", kind="stable")
    return table.assign(object=table.groupby("frame").cumcount(), difficult=False)
