"""Antenna readings: which antenna each animal was over at each frame.

Read from CSV, Parquet and pickled frames, long (``frame, animal, antenna``) or wide (``frame``,
then a column an animal, as in a TIDe release). An empty cell or 0 is no reading.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from murid import tables
from murid.archive import columns
from murid.archive.columns import Columns
from murid.errors import InputError, brief
from murid.sheet import ANIMAL, is_animal


def read(path: str | Path) -> pd.DataFrame:
    """Read antenna readings as they are found, in or out of the grid.

    Returns
    -------
    Columns of the table ``positions``, sorted by frame, animals in the order of the file; antenna
    ``Int64`` of any value, null = no reading.

    Raises
    ------
    InputError
        If the file is missing, damaged or of another kind, a value is no whole number, an animal
        has no usable name, or a frame appears twice; naming the row.
    """
    source = columns.read(path, ("frame", "animal", "antenna", "filled"))
    if {"x", "y", "w", "h"} <= set(source.names):
        raise InputError(path, "a table of boxes", "antenna readings")
    source.require(["frame"], "positions: frame, animal, antenna, or frame and a column an animal")
    long = {"animal", "antenna"} <= set(source.names)
    readings = _long(source) if long else _wide(source)
    for animal in readings["animal"].unique():
        if not is_animal(animal):
            raise InputError(path, f"an animal called {brief(animal)!r}", ANIMAL)
    return readings


def as_table(readings: pd.DataFrame, source: object = "positions") -> pd.DataFrame:
    """Return readings as the table ``positions``; numbers below 1 are no readings.

    Raises
    ------
    InputError
        If an antenna's number is too large to be one.
    """
    antenna = readings["antenna"]
    return tables.conform(readings.assign(antenna=antenna.mask(antenna < 1)), "positions", source)


def _long(source: Columns) -> pd.DataFrame:
    readings = pd.DataFrame(
        {
            "frame": source.frames(),
            "animal": source.texts("animal").to_numpy(dtype=object),
            "antenna": _antennas(source, "antenna"),
            "filled": _flags(source),
        }
    )
    twice = readings.duplicated(["frame", "animal"]).to_numpy()
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        frame, animal = readings.loc[row, ["frame", "animal"]]
        raise InputError(
            source.path, f"frame {frame} of {animal} a second time", "each once",
            where=source.place(row, "frame"),
        )  # fmt: skip
    order = {animal: rank for rank, animal in enumerate(readings["animal"].unique())}
    ranks = readings["animal"].map(order)
    return readings.iloc[np.lexsort((ranks, readings["frame"]))].reset_index(drop=True)


def _wide(source: Columns) -> pd.DataFrame:
    animals = [name for name in source.names if name != "frame"]
    if not animals:
        raise InputError(source.path, "no column but frame", "a column an animal")
    frames = source.frames()
    twice = pd.Series(frames).duplicated().to_numpy()
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        raise InputError(
            source.path, f"frame {frames[row]} a second time", "each once",
            where=source.place(row, "frame"),
        )  # fmt: skip
    order = np.argsort(frames, kind="stable")
    antennas = [_antennas(source, name).iloc[order].array for name in animals]
    by_animal = pd.concat([pd.Series(array) for array in antennas], ignore_index=True)
    interleaved = np.arange(len(by_animal)).reshape(len(animals), -1).T.ravel()
    return pd.DataFrame(
        {
            "frame": np.repeat(frames[order], len(animals)),
            "animal": np.tile(np.array(animals, dtype=object), len(frames)),
            "antenna": by_animal.iloc[interleaved].array,
            "filled": False,
        }
    )


def _antennas(source: Columns, column: str) -> pd.Series:
    antennas = source.integers(column, required=False)
    return antennas.mask(antennas == 0)


def _flags(source: Columns) -> np.ndarray:
    if "filled" not in source.names:
        return np.zeros(len(source.frame), dtype=bool)
    return source.texts("filled").str.lower().isin(["true", "1"]).to_numpy(dtype=bool)
