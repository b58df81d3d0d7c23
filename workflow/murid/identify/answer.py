"""What a method of naming answers, and the tables that are made of it."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, tables
from murid.identify.evidence import Readings
from murid.identify.problem import NOBODY
from murid.tables import Verdict

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Answer:
    """What a method says of a scene.

    Attributes
    ----------
    rows
        Boxes: ``frame, detection``, a box and perhaps ``tracklet``.
    named
        (n,) index of the animal of each, -1 = nobody.
    confidence
        How sure each row is, (n,), and that each animal is hidden in each frame, (F, J).
    beliefs
        (I, J) probability of each tracklet, by rank, being each animal.
    verdict
        What there is to say of how it was found.
    about
        The same in figures, for the tables' metadata.
    frames
        The frames that it is about; None: all.
    """

    rows: pd.DataFrame
    named: NDArray[np.int64]
    confidence: tuple[Floats, Floats] | None = None
    beliefs: Floats | None = None
    verdict: Verdict = field(default_factory=Verdict)
    about: Mapping[str, str] = field(default_factory=dict)
    frames: NDArray[np.int64] | None = None

    def identities(self, trace: Readings) -> pd.DataFrame:
        """Return the table ``identities``, of the animals and frames of a trace."""
        table = to_identities(self.rows, self.named, trace.animals, trace.frames, self.confidence)
        if self.frames is None:
            return table
        return table[table["frame"].isin(self.frames)].reset_index(drop=True)

    def posteriors(self, animals: Sequence[str]) -> pd.DataFrame:
        """Return the table ``posteriors``; without beliefs it is empty."""
        if self.beliefs is None:
            return tables.empty("posteriors")
        numbers = np.unique(self.rows["tracklet"])
        return pd.DataFrame(
            {
                "tracklet": np.repeat(numbers, len(animals)),
                "animal": np.tile(np.array(animals, dtype=object), len(numbers)),
                "probability": self.beliefs.ravel(),
            }
        )

    def warn_if_unnamed(self, method: str) -> Verdict:
        """Say so where a method had boxes, and gives nobody any."""
        if not len(self.named) or (self.named != NOBODY).any():
            return Verdict()
        reason = (
            f"{method} names nobody: it takes each of {len(self.rows):,} boxes for no animal's. "
            "Compare weights: and path_model:, if they are given, and the rig with what the "
            "segment shows"
        )
        log.warning("%s", reason)
        return Verdict("repaired", reason)


def to_identities(
    table: pd.DataFrame,
    named: NDArray[np.int64],
    animals: Sequence[str],
    frames: int,
    confidence: tuple[Floats, Floats] | None = None,
) -> pd.DataFrame:
    """Turn named rows into the table ``identities``: every animal at every frame, hidden or not.

    Parameters
    ----------
    table
        Rows with ``frame, detection``, a box and perhaps ``tracklet``.
    named
        (n,), index of the animal of each row, -1 = nobody.
    animals
        Names.
    frames
        Number of frames of the segment.
    confidence
        If it was estimated.
    """
    grid = pd.DataFrame(
        {
            "frame": np.repeat(np.arange(frames, dtype=np.int32), len(animals)),
            "animal": np.tile(np.array(animals, dtype=object), frames),
        }
    )
    columns = ["tracklet", "detection", *schemas.BOX]
    is_named = named != NOBODY
    place = table["frame"].to_numpy(dtype=np.int64)[is_named] * len(animals) + named[is_named]
    rows = table.loc[is_named].reindex(columns=columns)
    spread = rows.set_axis(place).reindex(np.arange(len(grid)))
    spread["tracklet"] = spread["tracklet"].astype("Int32")
    spread["detection"] = spread["detection"].astype("Int8")
    sure = np.full(len(grid), np.nan)
    if confidence is not None:
        boxed, hidden = confidence
        sure = hidden.ravel()
        sure[place] = boxed[is_named]
    return tables.conform(pd.concat([grid, spread], axis=1).assign(confidence=sure), "identities")
