"""Settings reach every stage that they are about: none is written down a second time."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from murid import settings, stages
from murid.settings import Settings

Leaf = tuple[str, ...]

PLANNED = {
    "archive_format", "segments", "results", "archive", "points", "detector", "weights",
    "path_model", "longest_segment", "visual.enabled", "fit_weights.splits", "corrections",
    "fit_weights.annotations", "fit_weights.learnt_segments", "animals", "antennas",
    "readings.one_clock", "places.learnt_segments", "export",
}  # fmt: skip
"""Settings that say what is run, and are no option of a stage."""
EVERYWHERE = {
    "evaluate.iou": {"evaluate", "identify_others", "fit_path", "study_fold", "sweep_tracker"},
    "evaluate.iou_difficult": {"evaluate", "identify_others", "fit_path", "study_fold"},
    "evaluate.snippets": {"evaluate", "track_visually", "study_fold", "sweep_tracker"},
    "detect.score": {"detect", "adopt_detections", "validate_detector"},
    "detect.max_mice": {"detect", "adopt_detections"},
    "detect.nms": {"detect", "validate_detector"},
    "track.iou": {"track", "assess_detector", "tune_tracker"},
    "track.max_age": {"track", "sweep_tracker"},
    "check.frame_tolerance": {"check", "detect"},
    "grid.rows": {"check", "calibrate", "fit_weights", "weights_study", "study_fold"},
    "image.width": {"compare_annotations", "fit_weights", "study_fold"},
    "identify.antenna_weight": {"identify", "identify_others", "fit_path", "study_fold"},
    "identify.solver": {"identify", "identify_others", "study_fold", "sweep_tracker"},
}
"""Stages that a setting is about beyond its own."""


def leaves(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, BaseModel, str]]:
    """Yield every setting: its key, its block with the defaults, and its name there."""
    for name, field in model.model_fields.items():
        if isinstance(field.default, BaseModel):
            yield from leaves(type(field.default), f"{prefix}{name}.")
        else:
            yield prefix + name, model, name


def rules(root: Path) -> dict[str, str]:
    """Return the text of every rule."""
    found = {}
    for path in sorted((root / "workflow" / "rules").glob("*.smk")):
        for part in re.split(r"\n(?=rule \w+:|use rule )", "\n" + path.read_text())[1:]:
            name = re.match(r"rule (\w+)|use rule \w+ as (\w+)", part)
            found[name[1] or name[2]] = part
    return found


def blocks(block: BaseModel, prefix: str = "") -> Iterator[tuple[str, BaseModel]]:
    """Yield every block of settings, and its key."""
    for name, value in block:
        if isinstance(value, BaseModel):
            yield prefix + name, value
            yield from blocks(value, f"{prefix}{name}.")


def reached(text: str) -> set[str]:
    """Return the keys of the settings that a rule's stage gets."""
    keys = set(re.findall(r"SETTINGS\.(\w+\.\w+(?:\.\w+)?)", text))
    for command, rest in re.findall(r'\*\*given\(\s*"([^"]+)"([^()]*)\)', text):
        stage = stages.stage_of(command)
        without = set(stage.leave_out)
        if left := re.search(r"leave_out=settings\.(\w+)\.model_fields", rest):
            without |= getattr(settings, left[1]).model_fields.keys()
        for model in stages.blocks_of(stage).values():
            keys |= {f"{key_of(model)}.{name}" for name in model.model_fields.keys() - without}
        keys |= {f"{key_of(model)}.{name}" for name, model in stages.settings_of(stage).items()}
    return keys


def key_of(model: type[BaseModel]) -> str:
    """Return the key of the block of settings that has the values of a model."""
    return next(key for key, block in blocks(Settings(archive="x")) if isinstance(block, model))


@pytest.fixture(scope="module")
def by_rule(root: Path) -> dict[str, set[str]]:
    """What settings each rule's stage gets."""
    return {name: reached(text) for name, text in rules(root).items()}


def test_every_setting_reaches_a_stage(by_rule: dict[str, set[str]]) -> None:
    every = {key for key, _, _ in leaves(Settings)}
    helped = {"clips.methods", "identify.methods", "identify.default"}
    assert every - set().union(*by_rule.values()) <= PLANNED | helped


@pytest.mark.parametrize("key", EVERYWHERE)
def test_a_setting_reaches_all_stages_that_it_is_about(
    by_rule: dict[str, set[str]], key: str
) -> None:
    assert {name for name, keys in by_rule.items() if key in keys} >= EVERYWHERE[key]


@pytest.mark.filterwarnings("ignore:Pydantic serializer")
def test_an_option_tells_its_setting() -> None:
    for _, model, name in leaves(Settings):
        if model is Settings:
            continue
        block = model()
        other = model.model_construct(**(dict(block) | {name: "another value"}))
        told, before = (settings.options(of, model.model_fields) for of in (other, block))
        changed = set(told) - set(before)
        assert changed == {f'--{name.replace("_", "-")}="another value"'}


def test_no_module_keeps_a_copy_of_a_default(root: Path) -> None:
    models = "|".join({model.__name__ for _, model, _ in leaves(Settings)} | {"Overlap"})
    for path in (root / "workflow" / "murid").rglob("*.py"):
        if path.name != "settings.py":
            assert not re.findall(rf"\b(?:{models})\(\)\.\w+", path.read_text()), path
