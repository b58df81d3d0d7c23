"""The stages that fit the path model, publish models, and name the tracklets of a segment."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from murid import settings
from murid.stage import MODEL, MethodTable, Positive, Rate, Rig, Stage, makes, reads, takes

if TYPE_CHECKING:
    import pandas as pd

    from murid.tables import Verdict


class Learnt(NamedTuple):
    """A segment that the path model is fitted to."""

    split: Literal["Train", "Validate", "Test"]
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
        from murid.identify import fit_path, fitted

        fitted.write(fit_path.fit_segments(self), self.output)


class Published(NamedTuple):
    """A fitted model, and its copy."""

    model: Path
    duplicate: Path


class PublishModels(Stage):
    """Copy the models that names rest on to where every segment takes them from."""

    models: tuple[Published, ...] = takes(
        "a fitted model, and its copy to write; once for each",
        option="--model",
        metavar="MODEL COPY",
    )
    output: Path = takes("list of the models' digests to write")

    def run(self) -> None:
        """Copy, then list the digests."""
        from murid import publish

        publish.publish(self.models, self.output)


class Identify(Stage):
    """Name the tracklets of a segment by one or several methods."""

    of = "segment"

    detections: Path = reads("table of detections")
    tracklets: Path = reads("table of tracklets")
    positions: Path = reads("table of positions")
    annotations: Path | None = reads("table of annotations, for the oracle", default=None)
    weights: Path = reads("fitted weights (JSON)")
    path_model: Path | None = reads(
        "fitted path model (JSON), for methods that need it", default=None
    )
    transforms: Path = reads("table of the rigs' transforms")
    rig: Rig
    fps: Rate
    outputs: tuple[MethodTable, ...] = makes(
        "identities",
        "table of identities to write by a method; once for each method",
        option="--output",
    )
    output_posteriors: Path | None = makes(
        "posteriors", "posteriors to write (of the method path)", default=None
    )
    grid: settings.Grid | None = None
    image: settings.Image | None = None
    solve: settings.Solve = settings.Solve()
    paths: settings.Paths = settings.Paths()
    overlap: settings.Overlap = settings.Overlap()

    def run(self) -> None:
        """Name; of a segment that cannot be used, the tables are empty and say why."""
        from murid import tables
        from murid.errors import naming
        from murid.identify import scene as scenes
        from murid.identify.methods import namers
        from murid.segment import Segment

        self._check_methods()
        segment = Segment.of(self, self.transforms)
        verdict = segment.verdict()
        if verdict.discarded:
            self._write_empty(verdict)
            return
        with naming(weights=self.weights, **segment.files):
            scene, fitting = scenes.read(self, segment)
            verdict |= fitting
            if verdict.discarded:
                self._write_empty(verdict)
                return
            scene.check()
            posteriors: tuple[pd.DataFrame, Verdict, Mapping[str, str]]
            posteriors = tables.empty("posteriors"), verdict, {}
            for method, path in self.outputs:
                answer = namers()[method](scene)
                whole = verdict | answer.verdict | answer.warn_if_unnamed(method)
                table = answer.identities(scene.trace)
                tables.write(table, path, "identities", whole, answer.about)
                if answer.beliefs is not None:
                    posteriors = answer.posteriors(scene.trace.animals), whole, answer.about
            if self.output_posteriors:
                table, whole, about = posteriors
                tables.write(table, self.output_posteriors, "posteriors", whole, about)

    def _write_empty(self, verdict: "Verdict") -> None:
        """Write the tables of a segment that cannot be used."""
        from murid import tables

        for _, path in self.outputs:
            tables.write(tables.empty("identities"), path, "identities", verdict)
        if self.output_posteriors:
            tables.write(tables.empty("posteriors"), self.output_posteriors, "posteriors", verdict)

    def _check_methods(self) -> None:
        from murid.errors import InputError
        from murid.identify.methods import methods

        known = {name: method for name, method in methods().items() if method.identify}
        names = [method for method, _ in self.outputs]
        for name in names:
            if name not in known:
                raise InputError("options", f"the method {name!r}", f"one of {', '.join(known)}")
            if names.count(name) > 1:
                raise InputError("options", f"the method {name!r} twice", "each method once")
            if "path_model" in known[name].needs and self.path_model is None:
                raise InputError(
                    "options", f"the method {name!r} without a path model", "--path-model FILE",
                    remedy="murid fit-path makes one.",
                )  # fmt: skip
            if "annotations" in known[name].needs and self.annotations is None:
                raise InputError(
                    "options", f"the method {name!r} without annotations", "--annotations FILE"
                )
