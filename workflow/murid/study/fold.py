"""Every method on one cage, by a pipeline that never saw it.

What the pipeline learns (weights from Train, confidence from Validate, then weights from both) is
learnt here without one cage, whose segments are then named and evaluated. Over all cages that is
leave-one-cage-out cross-validation, of the pipeline as it is used.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from murid.errors import InputError
from murid.evaluate.outcomes import ORACLE
from murid.evaluate.stage import Aggregate, Evaluate, Member
from murid.identify.methods import chosen
from murid.identify.stage import FitPath, Identify, Learnt
from murid.settings import Paths, StudyIdentify
from murid.stage import MethodTable
from murid.weights.stage import Annotated, FitWeights

if TYPE_CHECKING:
    from murid.study.stage import Fold, Source

UNSCORED = "path_unscored"
"""The path model without the detections' scores."""


def weighed(antenna_weight: float, score_weight: float) -> str:
    """Name the path model under other factors than those set."""
    return f"path_{antenna_weight:g}_{score_weight:g}"


def variants(paths: Paths, study: StudyIdentify) -> dict[str, Paths]:
    """Return the settings of every variant of the path model that is tried."""
    tried = {UNSCORED: paths.model_copy(update={"score_weight": 0.0})}
    for antenna_weight in study.antenna_weights:
        for score_weight in study.score_weights:
            change = {"antenna_weight": antenna_weight, "score_weight": score_weight}
            tried[weighed(antenna_weight, score_weight)] = paths.model_copy(update=change)
    return tried


def evaluate_cage(stage: "Fold") -> None:
    """Leave a cage out, learn from the others, and write what every method got right on it.

    Raises
    ------
    InputError
        If no segment is of the cage, or none of another one.
    """
    own = [source for source in stage.segments if source.cage == stage.cage]
    others = [source for source in stage.segments if source.cage != stage.cage]
    if not own or not others:
        known = ", ".join(sorted({source.cage for source in stage.segments})) or "(none)"
        raise InputError(
            "segments", f"segments of the cages {known}",
            f"some of {stage.cage}, and of another cage",
            remedy="Annotate segments of several cages, in the splits Train and Validate.",
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        weights, model = _learn(stage, others, Path(folder))
        Aggregate(
            members=tuple(_judge(stage, source, weights, model, Path(folder)) for source in own),
            output_counts=stage.output_counts,
            output_reliability=stage.output_reliability,
            output_summaries=Path(folder) / "summaries.parquet",
        ).run()


def _learn(stage: "Fold", sources: Sequence["Source"], folder: Path) -> tuple[Path, Path]:
    """Fit weights and path model as the pipeline does, and return where they are."""

    def fit(taught: Sequence["Source"], output: Path) -> Path:
        FitWeights(
            segments=tuple(
                Annotated(source.fps, source.positions, source.annotations, source.rig)
                for source in taught
            ),
            transforms=stage.transforms,
            animals=stage.animals,
            output=output,
            grid=stage.grid,
            image=stage.image,
            fit_weights=stage.fit_weights,
        ).run()
        return output

    weights = fit(sources, folder / "weights.json")
    training = [source for source in sources if source.split == "Train"]
    inner = fit(training, folder / "weights_train.json") if training else weights
    model = folder / "path_model.json"
    FitPath(
        segments=tuple(
            Learnt(
                # Confidence is learnt from all that is not of Train.
                source.split or "Validate", source.fps, source.detections, source.tracklets,
                source.positions, source.annotations, source.rig,
            )
            for source in sources
        ),
        weights=inner,
        transforms=stage.transforms,
        output=model,
        grid=stage.grid,
        image=stage.image,
        paths=stage.paths,
        fit_path=stage.fit_path,
        overlap=stage.evaluate,
    ).run()  # fmt: skip
    return weights, model


def _judge(stage: "Fold", source: "Source", weights: Path, model: Path, folder: Path) -> Member:
    """Name and evaluate a segment; return it with the tables of outcomes."""
    place = folder / source.segment
    place.mkdir()
    named: list[MethodTable] = []

    def name(methods: Mapping[str, str], paths: Paths) -> None:
        outputs = {label: place / f"{label}.parquet" for label in methods}
        Identify(
            detections=source.detections,
            tracklets=source.tracklets,
            positions=source.positions,
            annotations=source.annotations,
            weights=weights,
            path_model=model,
            transforms=stage.transforms,
            rig=source.rig,
            fps=source.fps,
            outputs=tuple(MethodTable(methods[label], path) for label, path in outputs.items()),
            solve=stage.solve,
            paths=paths,
            overlap=stage.evaluate,
        ).run()
        named.extend(MethodTable(label, path) for label, path in outputs.items())

    name({method: method for method in (*chosen(), ORACLE)}, stage.paths)
    for label, paths in variants(stage.paths, stage.study_identify).items():
        name({label: "path"}, paths)
    about = source.cage, source.segment, source.split, source.fps
    animals, detections, summary = (
        place / f"outcomes_{part}.parquet" for part in ("animals", "detections", "summary")
    )
    Evaluate(
        cage=source.cage,
        segment=source.segment,
        split=source.split,
        fps=source.fps,
        detections=source.detections,
        tracklets=source.tracklets,
        positions=source.positions,
        annotations=source.annotations,
        identities=tuple(named),
        default="path",
        output_animals=animals,
        output_detections=detections,
        output_summary=summary,
        evaluate=stage.evaluate,
    ).run()
    return Member(*about, animals, detections, summary)
