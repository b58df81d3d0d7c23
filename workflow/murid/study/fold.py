"""Every method on one cage, by a pipeline that never saw it.

What the pipeline learns (weights from Train, confidence from Validate, then weights from both) is
learnt here without one cage, whose segments are then named and evaluated. Over all cages that is
leave-one-cage-out cross-validation, of the pipeline as it is used.
"""

import tempfile
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from murid import tables
from murid.errors import InputError
from murid.evaluate.outcomes import ORACLE
from murid.evaluate.stage import Aggregate, Evaluate, Member
from murid.fitting.stage import Annotated, FitPath, FitWeights, Learnt
from murid.identify.dwells import frame_by_frame
from murid.identify.registry import usual
from murid.identify.stage import Identify
from murid.settings import Paths, StudyIdentify
from murid.stage import MethodTable, Stage
from murid.study import missed

if TYPE_CHECKING:
    from murid.study.stage import Fold, Source

UNSCORED = "path_unscored"
"""The path model without the detections' scores."""


CONSTANT = "path_constant"
"""The path model with every frame's evidence counted alike, however long a dwell is."""
CONSTANT_WEIGHT = 0.05
"""The factor that it then has."""


def weighed(antenna_weight: float, dwell_exponent: float) -> str:
    """Name the path model under other weights of the antennas than those set."""
    return f"path_{antenna_weight:g}_{dwell_exponent:g}"


def variants(paths: Paths, study: StudyIdentify) -> dict[str, Paths]:
    """Return the settings of every variant of the path model that is tried."""
    constant = paths.model_copy(update={"antenna_weight": CONSTANT_WEIGHT})
    tried = {
        UNSCORED: paths.model_copy(update={"score_weight": 0.0}),
        CONSTANT: frame_by_frame(constant),
    }
    for antenna_weight, dwell_exponent in product(study.antenna_weights, study.dwell_exponents):
        change = {"antenna_weight": antenna_weight, "dwell_exponent": dwell_exponent}
        tried[weighed(antenna_weight, dwell_exponent)] = paths.model_copy(update=change)
    return tried


def evaluate_cage(stage: "Fold") -> None:
    """Leave a cage out, learn from the others, and write what every method got right on it.

    Raises
    ------
    InputError
        If no segment is of the cage, or none of another one.
    """
    left_out = [source for source in stage.segments if source.cage == stage.cage]
    others = [source for source in stage.segments if source.cage != stage.cage]
    if not left_out or not others:
        cages = ", ".join(sorted({source.cage for source in stage.segments})) or "(none)"
        raise InputError(
            "segments", f"segments of the cages {cages}",
            f"some of {stage.cage}, and of another cage",
            remedy="Annotate segments of several cages, in the splits Train and Validate.",
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = _learn(stage, others, folder)
        members = tuple(_judge(stage, source, models, folder) for source in left_out)
        lost = [
            missed.count(
                tables.read(member.animals, "animal_outcomes"),
                tables.read(member.detections, "detection_outcomes"),
                tables.read(source.tracklets, "tracklets"),
            )
            for source, member in zip(left_out, members, strict=True)
        ]
        tables.write(tables.concatenate(lost, "missed"), stage.output_missed, "missed")
        Aggregate(
            members=members,
            output_counts=stage.output_counts,
            output_reliability=stage.output_reliability,
            output_summaries=folder / "summaries.parquet",
        ).run()


def _given(needed: type[Stage], stage: "Fold", source: "Source | None" = None) -> dict[str, Any]:
    """Return what a stage of the pipeline takes of this one, and of a segment, by the same name."""
    given = {name: getattr(stage, name) for name in type(stage).model_fields}
    given |= source._asdict() if source else {}
    return {name: value for name, value in given.items() if name in needed.model_fields}


def _learn(stage: "Fold", sources: Sequence["Source"], folder: Path) -> dict[str, Path]:
    """Fit weights and path model as the pipeline does, and return where they are."""

    def fit(taught: Sequence["Source"], output: Path) -> Path:
        segments = tuple(
            Annotated(source.fps, source.positions, source.annotations, source.rig)
            for source in taught
        )
        FitWeights(**_given(FitWeights, stage) | {"segments": segments, "output": output}).run()
        return output

    weights = fit(sources, folder / "weights.json")
    training = [source for source in sources if source.split == "Train"]
    inner = fit(training, folder / "weights_train.json") if training else weights
    segments = tuple(
        Learnt(
            # Confidence is learnt from all that is not of Train.
            source.split or "Validate", source.fps, source.detections, source.tracklets,
            source.positions, source.annotations, source.rig,
        )
        for source in sources
    )  # fmt: skip
    model = folder / "path_model.json"
    given = _given(FitPath, stage) | {"segments": segments, "weights": inner, "output": model}
    FitPath(**given, overlap=stage.evaluate).run()
    return {"weights": weights, "path_model": model}


def _judge(stage: "Fold", source: "Source", models: dict[str, Path], folder: Path) -> Member:
    """Name and evaluate a segment; return it with the tables of outcomes."""
    place = folder / source.segment
    place.mkdir()
    named: list[MethodTable] = []

    def name(methods: Mapping[str, str], paths: Paths) -> None:
        outputs = [MethodTable(label, place / f"{label}.parquet") for label in methods]
        Identify(
            **_given(Identify, stage, source) | models | {"paths": paths},
            outputs=tuple(MethodTable(methods[label], path) for label, path in outputs),
            overlap=stage.evaluate,
        ).run()
        named.extend(outputs)

    name({method: method for method in (*usual(), ORACLE)}, stage.paths)
    for label, paths in variants(stage.paths, stage.study_identify).items():
        name({label: "path"}, paths)
    animals, detections, summary = (
        place / f"outcomes_{part}.parquet" for part in ("animals", "detections", "summary")
    )
    Evaluate(
        **_given(Evaluate, stage, source),
        identities=tuple(named),
        default="path",
        output_animals=animals,
        output_detections=detections,
        output_summary=summary,
    ).run()
    about = source.cage, source.segment, source.split, source.fps, ""
    return Member(*about, animals, detections, summary)
