"""Every method on one cage, by a pipeline that never saw it.

What the pipeline learns (weights from Train, confidence from Validate, then weights from both) is
learnt here without one cage, whose segments are then named and evaluated. Over all cages that is
leave-one-cage-out cross-validation, of the pipeline as it is used.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from murid.errors import InputError
from murid.evaluate import cage as evaluate_cage
from murid.evaluate import segment as evaluate_segment
from murid.grid import Grid
from murid.identify import fit_path
from murid.identify import stage as identify
from murid.settings import Evaluate, FitPath, FitWeights, Image, Paths, Solve, StudyIdentify
from murid.weights import fit as fit_weights

PLAIN = ("static_c", "static_p", "ilp", "ilp_lag", "ilp_tempered", "path")
"""The methods as they are set."""
UNSCORED = "path_unscored"
"""The path model without the detections' scores."""


def weighed(antenna_weight: float, score_weight: float) -> str:
    """Name the path model under other factors than those set."""
    return f"path_{antenna_weight:g}_{score_weight:g}"


@dataclass(frozen=True)
class Source:
    """An annotated segment: what the sheet says of it, and its tables."""

    cage: str
    segment: str
    split: str
    fps: float
    detections: Path
    tracklets: Path
    positions: Path
    annotations: Path
    rig: str


@dataclass(frozen=True)
class How:
    """Everything that the pipeline is set to."""

    grid: Grid
    image: Image
    fit_weights: FitWeights
    fit_path: FitPath
    solve: Solve
    paths: Paths
    evaluate: Evaluate
    study: StudyIdentify


def variants(paths: Paths, study: StudyIdentify) -> dict[str, Paths]:
    """Return the settings of every variant of the path model that is tried."""
    tried = {UNSCORED: paths.model_copy(update={"score_weight": 0.0})}
    for antenna_weight in study.antenna_weights:
        for score_weight in study.score_weights:
            change = {"antenna_weight": antenna_weight, "score_weight": score_weight}
            tried[weighed(antenna_weight, score_weight)] = paths.model_copy(update=change)
    return tried


def run(
    cage: str,
    segments: Sequence[tuple[Any, ...]],
    transforms: Path,
    animals: int,
    output_counts: Path,
    output_reliability: Path,
    how: How,
) -> None:
    """Leave a cage out, learn from the others, and evaluate every method on it.

    Parameters
    ----------
    cage
        The cage to leave out.
    segments
        Of every annotated segment the fields of :class:`Source`.
    transforms
        Table of the rigs' transforms.
    animals
        Most animals that any cage holds.
    output_counts, output_reliability
        Where the tables ``counts`` and ``reliability`` of the cage go.
    how
        All settings.

    Raises
    ------
    InputError
        If no segment is of the cage, or none of another one.
    """
    sources = [Source(*values) for values in segments]
    own = [source for source in sources if source.cage == cage]
    others = [source for source in sources if source.cage != cage]
    if not own or not others:
        known = ", ".join(sorted({source.cage for source in sources})) or "(none)"
        raise InputError(
            "segments", f"segments of the cages {known}", f"some of {cage}, and of another cage",
            remedy="Annotate segments of several cages, in the splits Train and Validate.",
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        weights, model = _learn(others, transforms, animals, how, Path(folder))
        judged = [_judge(source, weights, model, transforms, how, Path(folder)) for source in own]
        evaluate_cage.run(
            [
                (source.cage, source.segment, source.split, source.fps, *outcome.values())
                for source, outcome in zip(own, judged, strict=True)
            ],
            output_counts,
            output_reliability,
            Path(folder) / "summaries.parquet",
        )


def _learn(
    sources: Sequence[Source], transforms: Path, animals: int, how: How, folder: Path
) -> tuple[Path, Path]:
    """Fit weights and path model as the pipeline does, and return where they are."""

    def fit(chosen: Sequence[Source], output: Path) -> Path:
        parts = [
            (source.fps, source.positions, source.annotations, source.rig) for source in chosen
        ]
        fit_weights.run(parts, transforms, output, animals, how.grid, how.image, how.fit_weights)
        return output

    weights = fit(sources, folder / "weights.json")
    training = [source for source in sources if source.split == "Train"]
    inner = fit(training, folder / "weights_train.json") if training else weights
    parts = [
        (
            source.split, source.fps, source.detections, source.tracklets, source.positions,
            source.annotations, source.rig,
        )
        for source in sources
    ]  # fmt: skip
    model = folder / "path_model.json"
    fit_path.run(parts, inner, transforms, model, how.paths, how.fit_path, how.evaluate)
    return weights, model


def _judge(
    source: Source, weights: Path, model: Path, transforms: Path, how: How, folder: Path
) -> Mapping[str, Path]:
    """Name and evaluate a segment; return the tables of outcomes."""
    place = folder / source.segment
    place.mkdir()
    named: dict[str, Path] = {}

    def name(methods: Mapping[str, str], paths: Paths) -> None:
        outputs = [(method, place / f"{label}.parquet") for label, method in methods.items()]
        identify.run(
            source.detections, source.tracklets, source.positions, source.annotations, weights,
            model, transforms, source.rig, source.fps, outputs, None, how.solve, paths,
            how.evaluate,
        )  # fmt: skip
        named.update({label: place / f"{label}.parquet" for label in methods})

    name({method: method for method in (*PLAIN, "oracle")}, how.paths)
    for label, paths in variants(how.paths, how.study).items():
        name({label: "path"}, paths)
    outcomes = {
        part: place / f"outcomes_{part}.parquet" for part in ("animals", "detections", "summary")
    }
    labels = {"cage": source.cage, "segment": source.segment, "split": source.split}
    evaluate_segment.run(
        labels, source.fps, source.detections, source.tracklets, source.positions,
        source.annotations, named, "path", *outcomes.values(), how.evaluate,
    )  # fmt: skip
    return outcomes
