"""The stages that learn how animals stay and roam, and infer where they are while hidden."""

from pathlib import Path
from typing import NamedTuple

from murid import settings
from murid.stage import MODEL, Positive, Rate, Rig, Stage, makes, reads, takes


class Named(NamedTuple):
    """A segment whose animals are named."""

    fps: Positive
    detections: Path
    positions: Path
    identities: Path
    rig: str


class FitPlaces(Stage):
    """Learn how animals stay and roam from known places, each hidden in turn."""

    of = "all"
    leave_out = ("learnt_segments",)

    segments: tuple[Named, ...] = takes(
        "a segment's frames per second, its tables and rig set-up; once for each",
        option="--segment",
    )
    weights: Path = reads("fitted weights (JSON)")
    path_model: Path | None = reads("fitted path model (JSON), if names rest on it", default=None)
    transforms: Path = reads("table of the rigs' transforms")
    output: Path = makes(MODEL, "model of places to write (JSON)")
    places: settings.Places = settings.Places()

    def run(self) -> None:
        """Fit; a segment of which the tables cannot be used is left out, and the log says so."""
        from murid.places import fit, model

        model.write(fit.fit_segments(self), self.output)


class InferPlaces(Stage):
    """Tell where each animal of a segment is in every frame: seen, inferred, or not known."""

    of = "segment"

    detections: Path = reads("table of detections")
    positions: Path = reads("table of positions")
    identities: Path = reads("table of identities")
    weights: Path = reads("fitted weights (JSON)")
    path_model: Path | None = reads("fitted path model (JSON), if names rest on it", default=None)
    places_model: Path = reads("fitted model of places (JSON)")
    transforms: Path = reads("table of the rigs' transforms")
    output: Path = makes("places", "table of places to write")
    rig: Rig
    fps: Rate

    def run(self) -> None:
        """Infer; of a segment that cannot be used, the table is empty and says why."""
        from murid.places import infer

        infer.infer_segment(self)
