"""All stages, by the words of their commands."""

import functools
import importlib
from pathlib import Path

from murid.settings import Block
from murid.stage import Stage, about, block_of, option_of, row_of

STAGES = {
    "import tide": "archive.stage.ImportTide",
    "import positions": "archive.stage.ImportPositions",
    "import detections": "archive.stage.ImportDetections",
    "import tracklets": "archive.stage.ImportTracklets",
    "import annotations": "archive.stage.ImportAnnotations",
    "sheet": "listing.stage.ListSegments",
    "frames": "picking.stage.PickFrames",
    "read-log": "readings.stage.ReadLog",
    "survey-video": "archive.stage.SurveyVideo",
    "check": "archive.stage.Check",
    "adopt-corrections": "archive.stage.AdoptCorrections",
    "simulate": "simulate.stage.Simulate",
    "calibrate": "calibrate.stage.Calibrate",
    "train-detector": "detect.stage.TrainDetector",
    "export-detector": "detect.stage.ExportDetector",
    "detect": "detect.stage.Detect",
    "adopt-detections": "detect.stage.AdoptDetections",
    "compare-annotations": "detect.stage.CompareAnnotations",
    "assess-detector": "detect.stage.AssessDetector",
    "validate-detector": "detect.stage.ValidateDetector",
    "watch-clock": "clocks.stage.WatchClock",
    "set-clock": "clocks.stage.SetClock",
    "align": "clocks.stage.Align",
    "tell-health": "health.stage.TellHealth",
    "track": "tracking.stage.Track",
    "adopt-tracklets": "tracking.stage.AdoptTracklets",
    "track-visually": "tracking.stage.TrackVisually",
    "fit-weights": "fitting.stage.FitWeights",
    "learn-weights": "fitting.stage.LearnWeights",
    "fit-path": "fitting.stage.FitPath",
    "publish-models": "models.stage.PublishModels",
    "identify": "identify.stage.Identify",
    "draw": "draws.stage.Draw",
    "fit-places": "places.stage.FitPlaces",
    "infer-places": "places.stage.InferPlaces",
    "summarise": "summaries.stage.Summarise",
    "summarise-cage": "summaries.stage.SummariseCage",
    "summarise-all": "summaries.stage.SummariseAll",
    "export": "exports.stage.Export",
    "evaluate": "evaluate.stage.Evaluate",
    "aggregate": "evaluate.stage.Aggregate",
    "join": "evaluate.stage.Join",
    "verdicts": "verdicts.stage.Verdicts",
    "review": "review.stage.Review",
    "report": "report.stage.Report",
    "report-cage": "report.animals.stage.ReportCage",
    "picture": "clip.stage.Picture",
    "clip": "clip.stage.Clip",
    "show": "clip.stage.Show",
    "moments": "clip.stage.Moments",
    "clips": "clip.stage.Clips",
    "questions": "proofread.stage.Questions",
    "proofread": "proofread.stage.Proofread",
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
    stage: type[Stage] = getattr(importlib.import_module(f"murid.{module}"), name)
    return stage


def fields_of(stage: type[Stage], *kinds: str) -> list[str]:
    """Return the names of the fields of some kinds, as :func:`murid.stage.about` tells them."""
    return [name for name, field in stage.model_fields.items() if about(field)["kind"] in kinds]


def blocks_of(stage: type[Stage]) -> dict[str, type[Block]]:
    """Return the models of the blocks of settings that a stage takes, by the name of the field."""
    blocks = {name: block_of(field) for name, field in stage.model_fields.items()}
    return {name: model for name, model in blocks.items() if model is not None}


def settings_of(stage: type[Stage]) -> dict[str, type[Block]]:
    """Return the blocks of the settings that a stage takes by themselves, by their fields."""
    return {name: about(stage.model_fields[name])["block"] for name in fields_of(stage, "same")}


def lists_of(stage: type[Stage]) -> dict[str, str]:
    """Return the options of a stage that take any number of files to read, by their fields."""
    return {
        name: option_of(name, field)
        for name, field in stage.model_fields.items()
        if about(field)["kind"] == "reads" and row_of(field) is Path
    }
