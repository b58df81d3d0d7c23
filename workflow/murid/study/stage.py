"""The studies that settings rest on."""

from pathlib import Path
from typing import Literal, NamedTuple

from murid import settings
from murid.settings import Count, Whole
from murid.stage import (
    Cage,
    Positive,
    Rate,
    Rig,
    Segment,
    Split,
    Stage,
    makes,
    reads,
    same_as,
    takes,
)


class Sampled(NamedTuple):
    """A segment whose annotated animals the choices behind the weights are compared on."""

    cage: str
    split: Literal["Train", "Validate", "Test"]
    positions: Path
    annotations: Path
    rig: str


class Weights(Stage):
    """Compare the choices behind the weights."""

    leave_out = ("annotations", "learnt_segments", "splits")

    segments: tuple[Sampled, ...] = takes(
        "a segment's cage, split, two tables and rig set-up; once for each segment",
        option="--segment",
    )
    transforms: Path = reads("table of the rigs' transforms")
    output_dir: Path = takes("folder of the page and its CSV files")
    note: str | None = takes("remark on the data, shown under the heading", default=None)
    grid: settings.Grid = settings.Grid()
    fit_weights: settings.FitWeights = settings.FitWeights()
    study_weights: settings.StudyWeights = settings.StudyWeights()

    def run(self) -> None:
        """Write the page ``weights.html``, and the CSV files ``weights_*`` that it shows."""
        from murid.study import weights

        weights.compare(self)


class Source(NamedTuple):
    """An annotated segment: what the sheet says of it, and its tables."""

    cage: str
    segment: str
    split: Split
    fps: Positive
    detections: Path
    tracklets: Path
    positions: Path
    annotations: Path
    rig: str


class Fold(Stage):
    """Leave a cage out, learn from the others, and evaluate every method on it."""

    leave_out = ("annotations", "learnt_segments")

    cage: str = takes("the cage to leave out")
    segments: tuple[Source, ...] = takes(
        "an annotated segment, of any cage; once for each", option="--segment"
    )
    transforms: Path = reads("table of the rigs' transforms")
    animals: Count = takes("most animals in a cage")
    output_counts: Path = makes("counts", "counts to write")
    output_reliability: Path = makes("reliability", "reliability to write")
    output_missed: Path = makes("missed", "where what has no name is lost")
    grid: settings.Grid = settings.Grid()
    image: settings.Image = settings.Image()
    fit_weights: settings.FitWeights = settings.FitWeights()
    fit_path: settings.FitPath = settings.FitPath()
    solve: settings.Solve = settings.Solve()
    paths: settings.Paths = settings.Paths()
    evaluate: settings.Evaluate = settings.Evaluate()
    study_identify: settings.StudyIdentify = settings.StudyIdentify()

    def run(self) -> None:
        """Learn, name and evaluate by the stages that the pipeline runs."""
        from murid.study import fold

        fold.evaluate_cage(self)


class Identify(Stage):
    """Sum up the folds of all cages as a page."""

    counts: tuple[Path, ...] = reads("of a fold; repeatable")
    reliability: tuple[Path, ...] = reads("of a fold; repeatable")
    missed: tuple[Path, ...] = reads("of a fold; repeatable")
    weights: Path = reads("fitted weights (JSON), for the lag")
    path_model: Path = reads("fitted path model (JSON)")
    output_dir: Path = takes("folder of the page and its CSV files")
    note: str | None = takes("remark on the data, shown under the heading", default=None)
    paths: settings.Paths = settings.Paths()
    study_identify: settings.StudyIdentify = settings.StudyIdentify()

    def run(self) -> None:
        """Write the page ``identify.html``, and the CSV files ``identify_*`` that it shows."""
        from murid.study import identify

        identify.sum_up(self)


class Sweep(Stage):
    """Track, identify and evaluate a segment under every pair of the tracker's settings."""

    cage: Cage
    segment: Segment
    split: Split = ""
    fps: Rate
    detections: Path = reads("table of detections")
    positions: Path = reads("table of positions")
    annotations: Path = reads("table of annotations")
    weights: Path = reads("fitted model (JSON)")
    transforms: Path = reads("table of the rigs' transforms")
    rig: Rig
    max_age: Whole = same_as(settings.Track, "max_age")
    output: Path = makes("counts", "counts to write")
    solve: settings.Solve = settings.Solve()
    evaluate: settings.Evaluate = settings.Evaluate()
    study_tracker: settings.StudyTracker = settings.StudyTracker()

    def run(self) -> None:
        """Count; of a segment that cannot be used the table has no rows."""
        from murid import rigs, tables
        from murid.study import sweep

        verdict = rigs.read_segment_verdict(
            self.transforms, self.rig, self.detections, self.positions, self.annotations
        )
        counts = tables.empty("counts") if verdict.discarded else sweep.sweep(self)
        tables.write(counts, self.output, "counts", verdict)


class Tracker(Stage):
    """Sum up the sweeps of all segments as a page."""

    leave_out = ("max_age", "loosen", *settings.ADOPTED_ONLY)

    counts: tuple[Path, ...] = reads("of a sweep; repeatable")
    output_dir: Path = takes("folder of the page and its CSV file")
    note: str | None = takes("remark on the data, shown under the heading", default=None)
    track: settings.Track = settings.Track()
    study_tracker: settings.StudyTracker = settings.StudyTracker()

    def run(self) -> None:
        """Write ``tracker.html`` and ``tracker.csv``."""
        from murid.study import tracker

        tracker.sum_up(self)
