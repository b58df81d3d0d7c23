"""What a method of naming is given of a segment, and what it answers."""

import functools
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import affinity, contracts, made_for, tables, timeline
from murid.affinity import Weights
from murid.identify import continuity, fit_check, fitted
from murid.identify.evidence import Readings, check_frames, read_trace
from murid.identify.fit_check import Fit
from murid.identify.fitted import PathModel
from murid.identify.judge import judge
from murid.identify.solvers import NOBODY
from murid.settings import Overlap, Paths, Solve
from murid.tables import Verdict

if TYPE_CHECKING:
    from murid.identify.stage import Identify

log = logging.getLogger(__name__)

Floats = NDArray[np.float64]
TABLES = ("detections", "tracklets", "positions", "annotations")
"""The tables of a segment, as the stage has them."""


@dataclass(frozen=True)
class Scene:
    """A segment, the models, and the settings.

    Attributes
    ----------
    detections
        Rows of the table that are mice, by frame and detection.
    tracklets, positions
        The tables; the readings on the segment's own clock.
    weights, path_model
        The models.
    matrix
        (2, 3), raw pixels to the frame of reference.
    rig, fps
        The rig set-up, and frames per second.
    fit
        How the antenna trace fits the boxes.
    solve, paths, overlap
        Settings.
    annotations
        The table, if it is there.
    """

    detections: pd.DataFrame
    tracklets: pd.DataFrame
    positions: pd.DataFrame
    weights: Weights
    path_model: PathModel | None
    matrix: Floats
    rig: str
    fps: float
    fit: Fit
    solve: Solve
    paths: Paths
    overlap: Overlap
    annotations: pd.DataFrame | None = None

    def check(self) -> None:
        """Refuse tables that do not belong together.

        Raises
        ------
        InputError
            If a box lies after the last reading, or a tracklet has a box that is no detection.
        """
        check_frames(self.detections, self.trace, "detections")
        check_frames(self.tracklets, self.trace, "tracklets")
        continuity.scores_of(self.detections, self.tracklets)

    @functools.cached_property
    def trace(self) -> Readings:
        """The readings as the paper has them."""
        return read_trace(self.positions, self.weights.paper)

    @functools.cached_property
    def whole(self) -> continuity.Segment:
        """The tracklets, weighed by readings put right."""
        return self._weighed(None)

    @functools.cached_property
    def pieces(self) -> continuity.Segment:
        """The same, of tracklets cut where the antennas speak for several animals in turn."""
        return self._weighed(self.paths)

    def _weighed(self, cutting: Paths | None) -> continuity.Segment:
        model = self.weights.lagged if self.paths.correct_lag else self.weights.paper
        late = read_trace(self.positions, model, model.lag_frames(self.rig, self.fps))
        made = self.path_model.made_for if self.path_model else None
        return continuity.gather(
            self.detections, self.tracklets, late, model, self.matrix, self.fps, cutting,
            made.reference_fps if made else None,
        )  # fmt: skip

    @property
    def needed_path_model(self) -> PathModel:
        """The path model, for methods that need it."""
        if self.path_model is None:
            raise ValueError("what needs a path model must say so in its method's needs")
        return self.path_model

    @property
    def needed_annotations(self) -> pd.DataFrame:
        """The annotations, for methods that need them."""
        if self.annotations is None:
            raise ValueError("what needs annotations must say so in its method's needs")
        return self.annotations


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

    def tell_unnamed(self, method: str) -> Verdict:
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
    columns = ["tracklet", "detection", *contracts.BOX]
    known = named >= 0
    own = table.loc[known].reindex(columns=columns)
    place = table["frame"].to_numpy(dtype=np.int64)[known] * len(animals) + named[known]
    spread = own.set_axis(place).reindex(np.arange(len(grid)))
    spread["tracklet"] = spread["tracklet"].astype("Int32")
    spread["detection"] = spread["detection"].astype("Int8")
    sure = np.full(len(grid), np.nan)
    if confidence is not None:
        rows, hidden = confidence
        sure = hidden.ravel()
        sure[place] = rows[known]
    return tables.conform(pd.concat([grid, spread], axis=1).assign(confidence=sure), "identities")


def read(stage: "Identify") -> tuple[Scene, Verdict]:
    """Read a segment's tables and the models, and judge whether they belong together.

    Raises
    ------
    InputError
        If a model was made for another grid or frame of reference, or for fewer animals.
    """
    weights = affinity.read(stage.weights)
    positions = tables.read(stage.positions, "positions")
    group = positions["animal"].nunique()
    made_for.refuse(stage.weights, "weights", weights.made_for, stage.grid, stage.image, group)
    path_model = fitted.read(stage.path_model) if stage.path_model else None
    if path_model and path_model.made_for:
        made_for.refuse(
            stage.path_model, "path_model", path_model.made_for, stage.grid, stage.image
        )
    matrix = tables.read_matrices(stage.transforms, [stage.rig])[stage.rig]
    detections = tables.read(stage.detections, "detections")
    mice = detections[detections["label"] == "mouse"]
    mice = mice.sort_values(["frame", "detection"], ignore_index=True)
    tracklets = tables.read(stage.tracklets, "tracklets")
    filmed = timeline.filmed(tables.read_about(stage.positions))
    fps, fit = judge(mice, positions, weights, path_model, stage.rig, matrix, stage.fps, filmed)
    verdict = tell_nameless(detections, tracklets) | fit.verdict
    if not verdict.discarded:
        positions = fit_check.realign_positions(positions, weights.lagged, fit, fps)
    annotations = tables.read(stage.annotations, "annotations") if stage.annotations else None
    scene = Scene(
        mice, tracklets, positions, weights, path_model, matrix, stage.rig, fps, fit,
        stage.solve, stage.paths, stage.overlap, annotations,
    )  # fmt: skip
    return scene, verdict


def tell_nameless(detections: pd.DataFrame, tracklets: pd.DataFrame) -> Verdict:
    """Say why nobody can be named, where there are boxes (the tables) and none is in a tracklet."""
    if detections.empty or len(tracklets):
        return Verdict()
    mice = int((detections["label"] == "mouse").sum())
    if not mice:
        reason = f"nobody is named: none of {len(detections):,} boxes is labelled mouse"
    else:
        reason = (
            f"nobody is named: none of {mice:,} boxes is in a tracklet. Compare track.iou, "
            "track.min_length and track.max_age with how often there are boxes"
        )
    return Verdict("repaired", reason)
