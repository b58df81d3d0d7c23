"""The stage that fits the model of a box given an antenna."""

from pathlib import Path
from typing import NamedTuple

from murid import settings
from murid.settings import Count
from murid.stage import MODEL, Positive, Stage, makes, reads, takes


class Annotated(NamedTuple):
    """A segment that weights are fitted to."""

    fps: Positive
    positions: Path
    annotations: Path
    rig: str


class FitWeights(Stage):
    """Fit the model of a box given an antenna to annotated segments."""

    of = "all"

    segments: tuple[Annotated, ...] = takes(
        "a segment's frames per second, its tables and rig set-up; once for each segment",
        option="--segment",
    )
    transforms: Path = reads("table of the rigs' transforms")
    animals: Count = takes("most animals in a cage")
    output: Path = makes(MODEL, "model to write (JSON)")
    grid: settings.Grid = settings.Grid()
    image: settings.Image = settings.Image()
    fit_weights: settings.FitWeights = settings.FitWeights()

    def run(self) -> None:
        """Fit; a segment that cannot be used is left out, and the log says so."""
        from murid import affinity
        from murid.weights import fit

        affinity.write(fit.fit_segments(self), self.output)
