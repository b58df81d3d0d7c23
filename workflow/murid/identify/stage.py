"""The stage that names the tracklets of a segment."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from murid import settings
from murid.stage import MethodTable, Rate, Rig, Stage, makes, reads

if TYPE_CHECKING:
    import pandas as pd

    from murid.identify.scene import Scene
    from murid.tables import Verdict


class Naming(Stage):
    """What tracklets of a segment are named by."""

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
    corrections: Path | None = reads(
        "table of corrections, which the method path obeys", default=None
    )
    rig: Rig
    fps: Rate
    grid: settings.Grid | None = None
    image: settings.Image | None = None
    solve: settings.Solve = settings.Solve()
    paths: settings.Paths = settings.Paths()
    overlap: settings.Overlap = settings.Overlap()

    @contextmanager
    def scene(self) -> Iterator[tuple["Scene | None", "Verdict"]]:
        """Read the segment and its models; errors within name the files that they are of.

        Yields
        ------
        The scene, None of a segment that cannot be used, and the verdict of both.

        Raises
        ------
        InputError
            If tables or models do not belong together, or cannot be read.
        """
        from murid.errors import naming
        from murid.identify import scene as scenes
        from murid.segment import Segment

        segment = Segment.of(self, self.transforms)
        verdict = segment.verdict()
        if verdict.discarded:
            yield None, verdict
            return
        with naming(weights=self.weights, **segment.files):
            scene, fitting = scenes.read(self, segment)
            verdict |= fitting
            if verdict.discarded:
                yield None, verdict
                return
            scene.check()
            yield scene, verdict


class Identify(Naming):
    """Name the tracklets of a segment by one or several methods."""

    outputs: tuple[MethodTable, ...] = makes(
        "identities",
        "table of identities to write by a method; once for each method",
        option="--output",
    )
    output_posteriors: Path | None = makes(
        "posteriors", "posteriors to write (of the method path)", default=None
    )

    def run(self) -> None:
        """Name; of a segment that cannot be used, the tables are empty and say why."""
        from murid import tables
        from murid.identify.registry import namers

        self._check_methods()
        with self.scene() as (scene, verdict):
            if scene is None:
                self._write_empty(verdict)
                return
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
        from murid.identify.registry import methods

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
