"""All stages by the name of their command, and what the rules of the workflow need to run them.

A rule says what goes into its stage and what comes out, by the names that the stage gives them;
the rest of its command line is made here from the stage's declaration.
"""

import functools
import importlib
from collections.abc import Collection
from typing import Any

from pydantic.fields import FieldInfo

from murid import settings
from murid.settings import Settings
from murid.stage import Stage, about, block_of, option_of, row_of

STAGES = {
    "import tide": "archive.stage.ImportTide",
    "import positions": "archive.stage.ImportPositions",
    "import detections": "archive.stage.ImportDetections",
    "import tracklets": "archive.stage.ImportTracklets",
    "import annotations": "archive.stage.ImportAnnotations",
    "check": "archive.stage.Check",
    "simulate": "simulate.stage.Simulate",
    "calibrate": "calibrate.stage.Calibrate",
    "train-detector": "detect.stage.TrainDetector",
    "detect": "detect.stage.Detect",
    "adopt-detections": "detect.stage.AdoptDetections",
    "compare-annotations": "detect.stage.CompareAnnotations",
    "assess-detector": "detect.stage.AssessDetector",
    "validate-detector": "detect.stage.ValidateDetector",
    "track": "tracking.stage.Track",
    "adopt-tracklets": "tracking.stage.AdoptTracklets",
    "track-visually": "tracking.stage.TrackVisually",
    "fit-weights": "weights.stage.FitWeights",
    "fit-path": "identify.stage.FitPath",
    "publish-models": "identify.stage.PublishModels",
    "identify": "identify.stage.Identify",
    "evaluate": "evaluate.stage.Evaluate",
    "aggregate": "evaluate.stage.Aggregate",
    "join": "evaluate.stage.Join",
    "review": "review.stage.Review",
    "report": "report.stage.Report",
    "picture": "clip.stage.Picture",
    "clip": "clip.stage.Clip",
    "moments": "clip.stage.Moments",
    "clips": "clip.stage.Clips",
    "study weights": "study.stage.Weights",
    "study fold": "study.stage.Fold",
    "study identify": "study.stage.Identify",
    "study sweep": "study.stage.Sweep",
    "study tracker": "study.stage.Tracker",
}
"""The place of each stage in the package, by the words of its command, in the order of the data."""


@functools.cache
def stage_of(command: str) -> type[Stage]:
    """Return the stage of a command.

    Raises
    ------
    KeyError
        If there is no such command.
    """
    module, _, name = STAGES[command].rpartition(".")
    found = getattr(importlib.import_module(f"murid.{module}"), name)
    assert issubclass(found, Stage)
    return found


def shell(command: str, *optional: str) -> str:
    """Return the shell line of a rule, as Snakemake takes it.

    Parameters
    ----------
    command
        Of the stage.
    optional
        Names of fields that the rule gives although they have a default.
    """
    stage = stage_of(command)
    words = ["python -m murid"]
    if stage.of:
        words.append("guard --record {params.record:q} --attempt {resources.attempt}")
    words.append(command)
    for name, field in stage.model_fields.items():
        if field.is_required() or name in optional:
            words += _words(name, field)
    if fields_of(stage, "sheet", "source"):
        words.append("{params.about:q}")
    if blocks_of(stage):
        words.append("{params.options:q}")
    return " ".join(words) + " > {log:q} 2>&1"


def _words(name: str, field: FieldInfo) -> list[str]:
    """Return the part of a shell line that gives a field its value."""
    kind, argument = about(field)["kind"], about(field).get("argument")
    if kind in ("sheet", "source", "settings"):
        return []
    if row_of(field):
        # Options that are repeated, or not there at all, are written out by the rule.
        return [f"{{params.{name}:q}}"]
    place = {
        "reads": f"{{input.{name}:q}}",
        "makes": f"{{output.{name.removeprefix('output_')}:q}}",
    }.get(kind, f"{{params.{name}:q}}")
    if name == "output":
        place = "{output[0]:q}"
    return [place] if argument else [f"{option_of(name, field)} {place}"]


def fields_of(stage: type[Stage], *kinds: str) -> list[str]:
    """Return the names of the fields of some kinds, as :func:`murid.stage.about` tells them."""
    return [name for name, field in stage.model_fields.items() if about(field)["kind"] in kinds]


def blocks_of(stage: type[Stage]) -> dict[str, type[settings.Block]]:
    """Return the models of the blocks of settings that a stage takes, by the name of the field."""
    blocks = {name: block_of(field) for name, field in stage.model_fields.items()}
    return {name: model for name, model in blocks.items() if model is not None}


def options(command: str, given: Settings, leave_out: Collection[str] = ()) -> tuple[str, ...]:
    """Write the settings of a stage as options of its command.

    Returns
    -------
    A tuple, since in texts and lists Snakemake takes braces for wildcards.
    """
    stage = stage_of(command)
    without = {*stage.leave_out, *leave_out}
    return tuple(
        option
        for model in blocks_of(stage).values()
        for option in settings.options(find_block(given, model), model, without)
    )


def find_block(given: settings.Block, model: type[settings.Block]) -> Any:
    """Return the block of the settings that holds the values of a model.

    Raises
    ------
    KeyError
        If none does.
    """
    for _, value in given:
        if isinstance(value, model):
            return value
        if isinstance(value, settings.Block):
            try:
                return find_block(value, model)
            except KeyError:
                continue
    raise KeyError(model.__name__)
