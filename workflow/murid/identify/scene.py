"""What a method of naming is given: a segment, the models, and the settings."""

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from murid import tables
from murid.identify import continuity, corrections, dwells, fit_check
from murid.identify.corrections import Answered
from murid.identify.evidence import Readings, check_frames, read_trace
from murid.identify.fit_check import Fit
from murid.identify.judge import judge
from murid.models import fitted_path, fitted_weights, made_for
from murid.models.fitted_path import PathModel
from murid.models.fitted_weights import Weights
from murid.segment import Segment
from murid.settings import Paths
from murid.tables import Verdict

if TYPE_CHECKING:
    from murid.identify.stage import Naming


@dataclass(frozen=True)
class Scene:
    """A segment with all that it is named by.

    Attributes
    ----------
    stage
        The options, among them the settings ``solve``, ``paths`` and ``overlap``, and the paths of
        any table.
    segment
        Its tables; the readings on the segment's own clock.
    weights, path_model
        The models.
    fit
        How the antenna trace fits the boxes.
    """

    stage: "Naming"
    segment: Segment
    weights: Weights
    path_model: PathModel | None
    fit: Fit

    @functools.cached_property
    def trace(self) -> Readings:
        """The readings as the paper has them."""
        return read_trace(self.segment.positions, self.weights.paper)

    @functools.cached_property
    def whole(self) -> continuity.Weighed:
        """The tracklets, weighed frame by frame by readings put right."""
        return self._weighed(dwells.frame_by_frame(self.stage.paths), cut=False)

    @functools.cached_property
    def pieces(self) -> continuity.Weighed:
        """Tracklets, by dwells, cut where the antennas speak for several animals in turn."""
        return self._weighed(self.stage.paths, cut=True, answered=self.answered)

    @functools.cached_property
    def corrections(self) -> pd.DataFrame | None:
        """What people say of the boxes, the table ``corrections``; None: nobody was asked."""
        path = self.stage.corrections
        return tables.read(path, "corrections") if path else None

    @functools.cached_property
    def answered(self) -> Answered | None:
        """The same, as far as it can be obeyed."""
        if self.corrections is None:
            return None
        segment, trace = self.segment, self.trace
        return corrections.find(
            self.corrections, segment.mice, segment.tracklets, trace.animals, trace.frames
        )

    def not_obeyed(self) -> Verdict:
        """Say what people wrote that cannot be read, or not be obeyed."""
        if self.corrections is None or self.answered is None or not self.stage.corrections:
            return Verdict()
        # Names are made all the same, whatever became of their corrections.
        read = tables.read_verdict(self.stage.corrections)
        read = Verdict("repaired", read.reason) if read.reason else Verdict()
        return read | self.answered.verdict(self.corrections)

    @property
    def needed_path_model(self) -> PathModel:
        """The path model, for methods that need it."""
        if self.path_model is None:
            raise ValueError("what needs a path model must say so in its method's needs")
        return self.path_model

    def check(self) -> None:
        """Refuse tables that do not belong together.

        Raises
        ------
        InputError
            If a box lies after the last reading, a tracklet has two boxes in one frame, or one that
            is no detection.
        """
        segment = self.segment
        check_frames(segment.mice, self.trace, "detections")
        check_frames(segment.tracklets, self.trace, "tracklets")
        continuity.scores_of(segment.mice, segment.tracklets)
        segment.linked  # noqa: B018 - raises

    def _weighed(
        self, paths: Paths, cut: bool, answered: Answered | None = None
    ) -> continuity.Weighed:
        made = self.path_model.made_for if self.path_model else None
        return continuity.weigh_segment(
            self.segment, self.weights, paths, made.reference_fps if made else None, cut, answered,
        )  # fmt: skip


def read(stage: "Naming", segment: Segment) -> tuple[Scene, Verdict]:
    """Read the models, and judge whether a segment's tables and they belong together.

    Raises
    ------
    InputError
        If a model was made for another grid or frame of reference, or for fewer animals.
    """
    weights = fitted_weights.read(stage.weights)
    group = segment.positions["animal"].nunique()
    made_for.refuse(stage.weights, "weights", weights.made_for, stage.grid, stage.image, group)
    path_model = fitted_path.read(stage.path_model) if stage.path_model else None
    if path_model and path_model.made_for:
        made_for.refuse(
            stage.path_model, "path_model", path_model.made_for, stage.grid, stage.image
        )
    fps, fit = judge(segment, weights, path_model)
    verdict = warn_if_nameless(segment.detections, segment.tracklets) | fit.verdict
    if not verdict.discarded:
        positions = fit_check.realign_positions(segment.positions, weights.lagged, fit, fps)
        segment = segment.corrected(positions, fps)
    return Scene(stage, segment, weights, path_model, fit), verdict


def warn_if_nameless(detections: pd.DataFrame, tracklets: pd.DataFrame) -> Verdict:
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
