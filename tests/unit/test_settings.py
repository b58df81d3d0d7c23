"""The configuration: what is accepted, what is refused and how, and whether it is explained."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from murid import settings
from murid.errors import InputError
from murid.settings import Settings
from murid.sheet import COLUMNS, read_sheet
from murid.simulate import hopper


def keys(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield every key of the configuration with its default."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from keys(field.annotation, f"{prefix}{name}.")
        else:
            yield prefix + name, field.default


def test_config_yaml_holds_every_key_with_its_default(root: Path) -> None:
    written = yaml.safe_load((root / "config" / "config.yaml").read_text())
    defaults = Settings(archive=written["archive"]).model_dump(mode="json")
    assert written == defaults


@pytest.mark.parametrize("name", ["cpu.yaml", "demo.yaml", "tide.yaml"])
def test_other_configurations_are_valid(root: Path, name: str) -> None:
    written = yaml.safe_load((root / "config" / name).read_text())
    settings.parse(Settings, {"archive": "x"} | written)


def test_the_demo_trains_as_the_recipe_for_machines_without_a_gpu(root: Path) -> None:
    demo, recipe = (
        yaml.safe_load((root / "config" / name).read_text()) for name in ("demo.yaml", "cpu.yaml")
    )
    assert demo["train_detector"] == recipe["train_detector"]
    assert demo["detect"].items() >= recipe["detect"].items()


def test_the_demo_knows_where_its_hopper_is(root: Path) -> None:
    demo = yaml.safe_load((root / "config" / "demo.yaml").read_text())
    assert demo["detect"]["hopper"] == hopper(demo["image"]["width"]).round(1).tolist()


def test_readme_explains_every_key_with_its_default(root: Path) -> None:
    rows = re.findall(
        r"^\| `([\w.]+)` \| `(.*?)` \| (.+) \|$",
        (root / "config" / "README.md").read_text(),
        re.MULTILINE,
    )
    explained = {key: yaml.safe_load(default) for key, default, _ in rows}
    expected = {
        key: json.loads(json.dumps(default)) for key, default in keys(Settings) if key != "archive"
    }
    assert {key: value for key, value in explained.items() if key != "archive"} == expected
    assert "archive" in explained


def test_readme_explains_every_column_of_the_sheet(root: Path) -> None:
    text = (root / "config" / "README.md").read_text()
    for column in COLUMNS:
        assert f"\n| `{column}` |" in text


def test_example_sheet_is_valid(root: Path) -> None:
    segments = read_sheet(root / "config" / "segments.tsv")
    assert {segment.split for segment in segments.values()} == {"Train", "Test", ""}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"trakc": {}}, "key trakc: found the unknown key 'trakc'; expected one of archive"),
        ({"track": {"iuo": 1}}, "unknown key 'track.iuo'; expected one of iou, min_length"),
        ({"track": {"iou": "high"}}, "key track.iou: found 'high'; expected a valid number"),
        ({"track": {"iou": 1.5}}, "found 1.5; expected less than or equal to 1"),
        (
            {"identify": {"methods": ["ilp", "magic"]}},
            "expected 'static_c', 'static_p', 'ilp', 'ilp_lag', ",
        ),
        ({"identify": {"methods": ["static_c"]}}, "default is path, which is not among methods"),
        ({"identify": {"methods": ["ilp", "path", "ilp"]}}, "expected each value once"),
        ({"clips": {"methods": ["ilp", "ilp"]}}, "expected each value once"),
        ({"fit_weights": {"splits": ["Train", "Train"]}}, "expected each value once"),
        ({"study": {"tracker": {"ious": [0.5, 0.5]}}}, "expected each value once"),
        ({"review": {"gap": "inf"}}, "key review.gap: found 'inf'; expected a finite number"),
        ({"study": {"identify": {"antenna_weights": [0]}}}, "greater than 0"),
        ({"visual": {"seed": -1}}, "key visual.seed: found -1; expected greater than or equal"),
        ({"visual": {"seed": 10**5000}}, "key visual.seed: found a huge integer"),
        ({"train_detector": {"width": 10**6}}, "less than or equal to 4096"),
        ({"train_detector": {"weights": "coco", "backbone": "slim"}}, "resnet50, not for slim"),
        ({"train_detector": {"warm_up": 9, "iterations": 9}}, "fewer steps of warm_up than 9"),
        ({"detect": {"max_mice": 61}}, "less than or equal to 60"),
        ({"detect": {"hopper": [[0, 0], [1, 1]]}}, "at least 3 items"),
        ({"evaluate": {"snippets": []}}, "at least 1 item"),
        ({"grid": {"rows": 10**9}}, "less than or equal to 64"),
        ({"longest_segment": 1e300}, "less than or equal to 1000"),
        ({"track": 3}, "key track: found 3"),
        ({"detect": {"stride": 3}}, "detect.stride 3 needs track.max_age of 2 at least"),
        ({"track": {"iou": True}}, "key track.iou: found True; expected no truth value"),
        ({"fit_weights": {"max_depth": True}}, "key fit_weights.max_depth: found True"),
        ({"longest_segment": True}, "key longest_segment: found True"),
        ({"evaluate": {"snippets": [[False, 5]]}}, "key evaluate.snippets: found [[False, 5]]"),
        ({"track": {"iou": 0, 5: None}}, "found the key 5; expected a name; a decimal is written"),
        ({"detect": {"hopper": [[0.1, 0.1], [0.5, 0.1], [0.5, 0.5]]}}, "not 0.1 to 0.5 across"),
        ({"detect": {"hopper": [[2000, 9], [2500, 9], [2500, 90]]}}, "not 2000 to 2500 across"),
        ({"detect": {"hopper": [[9, -400], [99, 9], [99, 90]]}}, "not -400 to 90 down, as in"),
        ({"results": 7}, "key results: found 7; expected a valid string"),
    ],
)
def test_errors_name_key_value_and_what_is_allowed(values: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        settings.parse(Settings, {"archive": "x"} | values)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("block", "values"),
    [("evaluate", {"snippets": [0, 60]}), ("identify", {"methods": ["paths"], "default": "path"})],
)
def test_a_list_is_not_called_too_short_since_its_items_are_wrong(block: str, values: dict) -> None:
    with pytest.raises(InputError) as caught:
        settings.parse(Settings, {"archive": "x", block: values})
    assert "at least" not in str(caught.value)


def test_truth_values_stay_what_they_are_and_a_hopper_may_reach_over_the_edge() -> None:
    values = {
        "identify": {"correct_lag": False},
        "detect": {"hopper": [[-9, 9], [90, 9], [90, 99]]},
    }
    parsed = settings.parse(Settings, {"archive": "x"} | values)
    assert parsed.identify.correct_lag is False
    assert parsed.detect.hopper[0] == (-9, 9)


def test_a_stride_goes_with_tracklets_that_outlive_it() -> None:
    track = {"max_age": 2, "min_length": 1}
    parsed = settings.parse(Settings, {"archive": "x", "detect": {"stride": 3}, "track": track})
    assert parsed.detect.stride == 3


def test_a_missing_key_is_named() -> None:
    with pytest.raises(InputError, match="key archive: found nothing; expected a value"):
        settings.parse(Settings, {})


def test_words_from_the_command_line_become_values() -> None:
    words = {"archive": "x", "detector": "null", "track": {"iou": "0.5", "max_age": "3"}}
    parsed = settings.parse(Settings, words | {"detect": {"hopper": "null"}})
    assert parsed.detector is None
    assert parsed.detect.hopper is None
    assert parsed.track == settings.Track(iou=0.5, max_age=3)


def test_options_are_one_word_a_setting_and_parse_back() -> None:
    detect = settings.Detect(hopper=((1, 2), (3, 4), (5.5, 6)), device="cpu")
    options = settings.options(detect)
    assert "--hopper=[[1.0, 2.0], [3.0, 4.0], [5.5, 6.0]]" in options
    words = dict(option.removeprefix("--").split("=", 1) for option in options)
    values = {name.replace("-", "_"): yaml.safe_load(text) for name, text in words.items()}
    assert settings.parse(settings.Detect, values) == detect


def test_options_of_a_part_of_a_block() -> None:
    options = settings.options(settings.Identify(time_limit=9), settings.Solve)
    assert options == ['--solver="auto"', "--time-limit=9.0"]
    assert settings.options(settings.Image(), leave_out=["width"]) == ["--height=720"]


def test_every_key_at_fault_is_told_at_once() -> None:
    given = {"archive": "x", "annotations": "y", "grid": {"cols": 6}, "track": {"iuo": 1, "iou": 7}}
    with pytest.raises(InputError) as caught:
        settings.parse(Settings, given)
    told = str(caught.value).splitlines()
    assert [line.partition(":")[0].partition("key ")[2] for line in told] == [
        "grid.cols", "track.iou", "track.iuo", "annotations",
    ]  # fmt: skip
