"""The stages that fit weights and the path model to annotated segments."""

from pathlib import Path
from typing import Any, NamedTuple

from murid import settings
from murid.settings import Count
from murid.stage import MODEL, Positive, Split, Stage, makes, reads, takes

SEGMENTS = takes(
    "a segment's frames per second, its tables and rig set-up; once for each segment",
    option="--segment",
)


class Modelling(Stage):
    """Make the model of a box given an antenna."""

    of = "all"

    segments: tuple[Any, ...] = SEGMENTS
    transforms: Path = reads("table of the rigs' transforms")
    animals: Count = takes("most animals in a cage")
    output: Path = makes(MODEL, "model to write (JSON)")
    grid: settings.Grid = settings.Grid()
    image: settings.Image = settings.Image()
    fit_weights: settings.FitWeights = settings.FitWeights()


class Annotated(NamedTuple):
    """A segment that weights are fitted to."""

    fps: Positive
    positions: Path
    annotations: Path
    rig: str


class FitWeights(Modelling):
    """Fit the model of a box given an antenna to annotated segments."""

    leave_out = ("annotations", "learnt_segments")

    segments: tuple[Annotated, ...] = SEGMENTS

    def run(self) -> None:
        """Fit; a segment that cannot be used is left out, and the log says so."""
        from murid.fitting import fit_weights as fit
        from murid.models import fitted_weights

        fitted_weights.write(fit.fit_segments(self), self.output)


class Watched(NamedTuple):
    """A segment that weights are learnt from without annotations."""

    fps: Positive
    detections: Path
    tracklets: Path
    positions: Path
    rig: str


class LearnWeights(Modelling):
    """Learn the model of a box given an antenna from detections alone, without annotations."""

    leave_out = (
        "annotations",
        "learnt_segments",
        "splits",
        "trees",
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
    )

    segments: tuple[Watched, ...] = SEGMENTS
    points: Path | None = reads("table of calibration points, to begin with", default=None)
    paths: settings.Paths = settings.Paths()
    fit_path: settings.FitPath = settings.FitPath()

    def run(self) -> None:
        """Learn; a segment that cannot be used is left out, and the log says so."""
        from murid.fitting import unannotated
        from murid.models import fitted_weights

        fitted_weights.write(unannotated.learn_segments(self), self.output)


class Learnt(NamedTuple):
    """A segment that the path model is fitted to."""

    split: Split
    fps: Positive
    detections: Path
    tracklets: Path
    positions: Path
    annotations: Path
    rig: str


class FitPath(Stage):
    """Fit how animals get from one tracklet to the next, and how sure names are."""

    of = "all"

    segments: tuple[Learnt, ...] = takes(
        "a segment's split and frames per second, its tables and rig set-up; once for each",
        option="--segment",
    )
    weights: Path = reads("weights fitted without the validation")
    naming_weights: Path | None = reads(
        "weights that names are to rest on, if others", default=None
    )
    transforms: Path = reads("table of the rigs' transforms")
    output: Path = makes(MODEL, "path model to write (JSON)")
    grid: settings.Grid | None = None
    image: settings.Image | None = None
    paths: settings.Paths = settings.Paths()
    fit_path: settings.FitPath = settings.FitPath()
    overlap: settings.Overlap = settings.Overlap()

    def run(self) -> None:
        """Fit; a segment of which the tables cannot be used is left out, and the log says so."""
        from murid.fitting import fit_path
        from murid.models import fitted_path

        fitted_path.write(fit_path.fit_segments(self), self.output)
