"""A segment's tables, its rig set-up and its frame rate: what stages of one segment work with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import rigs, tables
from murid.errors import InputError
from murid.tables import Verdict
from murid.tracklets import Tracklets

TABLES = ("positions", "annotations", "detections", "tracklets")
"""The tables that a segment may have, in the order in which their verdicts are told."""


@dataclass(frozen=True)
class Segment:
    """A segment of which each table is read, and checked, once: when it is first asked for.

    Attributes
    ----------
    files
        Paths of its tables, by name of the table, and of ``transforms``.
    rig
        Rig set-up.
    fps
        Frames per second.
    loaded
        What was read, by name: tables, ``mice``, ``linked`` and ``matrix``.
    """

    files: Mapping[str, Path]
    rig: str
    fps: float
    loaded: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, given: Any, transforms: Path) -> "Segment":
        """Return the segment of which a stage, or a row of its options, names the tables."""
        files = {name: path for name in TABLES if (path := getattr(given, name, None))}
        return cls({**files, "transforms": transforms}, given.rig, given.fps)

    @property
    def name(self) -> str:
        """What it is called in remarks: the path of its annotations."""
        return str(self.files.get("annotations", "a segment"))

    def verdict(self) -> Verdict:
        """Return the worst verdict of its tables, and of its rig where they are fit.

        Raises
        ------
        InputError
            If a file is missing or no Parquet.
        """
        return rigs.read_segment_verdict(self.files["transforms"], self.rig, *self._tables())

    def verdict_of_tables(self) -> Verdict:
        """Return the same of its tables alone."""
        return tables.read_verdict(*self._tables())

    def corrected(self, positions: pd.DataFrame, fps: float) -> "Segment":
        """Return the same segment with other readings, and another frame rate."""
        return replace(self, fps=fps, loaded={**self.loaded, "positions": positions})

    @property
    def detections(self) -> pd.DataFrame:
        """The table ``detections``; as all tables, as :func:`murid.tables.read` gives it."""
        return self._table("detections")

    @property
    def mice(self) -> pd.DataFrame:
        """Rows of the table ``detections`` that are mice, by frame and detection."""
        return self._once("mice", lambda: tables.mice(self.detections))

    @property
    def tracklets(self) -> pd.DataFrame:
        """The table ``tracklets``."""
        return self._table("tracklets")

    @property
    def linked(self) -> Tracklets:
        """The rows of the table ``tracklets``, by tracklet.

        Raises
        ------
        InputError
            If a tracklet has two boxes in one frame.
        """
        return self._once("linked", lambda: _linked(self.tracklets))

    @property
    def positions(self) -> pd.DataFrame:
        """The table ``positions``."""
        return self._table("positions")

    @property
    def annotations(self) -> pd.DataFrame:
        """The table ``annotations``."""
        return self._table("annotations")

    @property
    def matrix(self) -> NDArray[np.float64]:
        """(2, 3), raw pixels to the frame of reference.

        Raises
        ------
        InputError
            If the rig set-up has no transform that is one.
        """
        return self._once("matrix", self._read_matrix)

    def _read_matrix(self) -> NDArray[np.float64]:
        return rigs.read_matrices(self.files["transforms"], [self.rig])[self.rig]

    def _tables(self) -> list[Path]:
        return [self.files[name] for name in TABLES if name in self.files]

    def _table(self, name: str) -> pd.DataFrame:
        return self._once(name, lambda: tables.read(self.files[name], name))

    def _once(self, name: str, read: Callable[[], Any]) -> Any:
        if name not in self.loaded:
            self.loaded[name] = read()
        return self.loaded[name]


def _linked(table: pd.DataFrame) -> Tracklets:
    twice = table.duplicated(["frame", "tracklet"]).to_numpy()
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        frame, number = table[["frame", "tracklet"]].iloc[row]
        raise InputError(
            "tracklets", f"the tracklet {number} twice", "one box a frame",
            where=f"row {row} (frame {frame})",
        )  # fmt: skip
    return Tracklets(table["frame"], table["tracklet"])
