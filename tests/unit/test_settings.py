"""The configuration: what is accepted, what is refused and how, and whether it is explained."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic.fields import FieldInfo

from murid import settings, settings_text
from murid.errors import InputError
from murid.identify import registry
from murid.run import configuration
from murid.settings import Block, Settings
from murid.sheet import COLUMNS, read_sheet
from simulated_rig import hopper

CONFIGURATIONS = ["config.yaml", "cpu.yaml", "simulated.yaml", "demo.yaml", "tide.yaml"]


def fields(model: type[Block], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield every setting and every block of settings, by its key."""
    for name, field in model.model_fields.items():
        yield prefix + name, field
        if isinstance(field.default, Block):
            yield from fields(type(field.default), f"{prefix}{name}.")


def leaves(values: object) -> Iterator[object]:
    """Yield the values within lists and blocks of settings, at any depth."""
    if isinstance(values, (dict, list)):
        for value in values.values() if isinstance(values, dict) else values:
            yield from leaves(value)
    else:
        yield values


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    Draft202012Validator.check_schema(settings_text.schema())
    return Draft202012Validator(settings_text.schema())


@pytest.mark.parametrize("name", ["config.yaml", "README.md", "schema.json"])
def test_what_is_written_of_settings_is_what_the_models_give(root: Path, name: str) -> None:
    path = root / "config" / name
    assert path.read_text() == settings_text.files(root)[path], "out of date: run `make settings`"


def test_what_is_out_of_date_is_written(root: Path, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.mkdir()
    table = settings_text.table("track")
    text = (root / "config" / "README.md").read_text()
    (config / "README.md").write_text(text.replace(table, "an old table"))
    settings_text.write(tmp_path)
    for path in (root / "config" / name for name in ("config.yaml", "README.md", "schema.json")):
        assert (config / path.name).read_text() == path.read_text()
    assert settings_text.write(tmp_path) == []


def test_a_table_without_a_place_and_a_place_without_a_block_are_refused(root: Path) -> None:
    text = (root / "config" / "README.md").read_text()
    with pytest.raises(ValueError, match=r"missing \['track'\], unknown \['tracks'\]"):
        settings_text.readme(text.replace("settings: track -->", "settings: tracks -->"))


def test_config_yaml_holds_every_key_with_its_default(root: Path) -> None:
    written = yaml.safe_load((root / "config" / "config.yaml").read_text())
    defaults = Settings(archive=written["archive"]).model_dump(mode="json")
    assert written == defaults
    assert written["archive"] == "demo/archive"


def test_no_stage_needs_what_is_written_of_settings(root: Path) -> None:
    for path in (root / "workflow").rglob("*.py"):
        assert not re.search(r"import.*settings_text", path.read_text()), path


def test_lines_of_config_yaml_fit_into_100_columns(root: Path) -> None:
    assert max(map(len, (root / "config" / "config.yaml").read_text().splitlines())) <= 100


def test_every_setting_is_described_and_every_word_that_it_takes() -> None:
    for model in (Settings, settings.Simulate):
        for key, field in fields(model):
            assert field.description, key
            assert not re.search("[`*|]", field.description), key
            told = settings_text.meaning(field)
            assert not told.endswith("."), key
            for word in re.findall(r"'(\w+)'", str(field.annotation).partition("Literal")[2]):
                assert word in told or key == "fit_weights.splits", (key, word)


def test_words_that_a_setting_takes_are_marked_in_the_readme() -> None:
    solver = settings_text.meaning(settings.Solve.model_fields["solver"])
    assert "`cbc`, `highs`: reduced integer programme; `paper`: the programme" in solver
    assert "else `highs`" in solver


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_schema_accepts_what_murid_does(
    root: Path, validator: Draft202012Validator, name: str
) -> None:
    validator.validate(yaml.safe_load((root / "config" / name).read_text()))


@pytest.mark.parametrize(
    "values",
    [
        {"trakc": {}},
        {"track": {"iuo": 1}},
        {"track": {"iou": 1.5}},
        {"track": {"iou": True}},
        {"grid": {"rows": 0}},
        {"calibrate": {"transform": "affin"}},
        {"identify": {"methods": ["magic"]}},
        {"identify": {"methods": ["ilp", "path", "ilp"]}},
        {"clips": {"methods": []}},
        {"detect": {"hopper": [[0, 0], [1, 1]]}},
    ],
)
def test_the_schema_refuses_what_murid_does(
    validator: Draft202012Validator, values: dict[str, Any]
) -> None:
    assert not validator.is_valid(values)
    with pytest.raises(InputError):
        settings.parse(Settings, {"archive": "x"} | values)


def test_the_schema_tells_editors_of_every_setting() -> None:
    made = settings_text.schema()
    assert made["properties"]["track"]["description"] == "how detections are linked into tracklets"
    for model in (made, *made["$defs"].values()):
        assert model["additionalProperties"] is False
        for name, told in model["properties"].items():
            assert told["description"], name
            assert "$ref" in told or "default" in told or name == "archive", name


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_configurations_are_valid(root: Path, name: str) -> None:
    written = yaml.safe_load((root / "config" / name).read_text())
    settings.parse(Settings, {"archive": "x"} | written)


def test_the_demo_trains_as_the_recipe_for_machines_without_a_gpu(root: Path) -> None:
    demo, recipe = (
        yaml.safe_load((root / "config" / name).read_text())
        for name in ("simulated.yaml", "cpu.yaml")
    )
    assert demo["train_detector"] == recipe["train_detector"]
    assert demo["detect"].items() >= recipe["detect"].items()


def test_the_demo_knows_where_its_hopper_is(root: Path) -> None:
    demo = yaml.safe_load((root / "config" / "simulated.yaml").read_text())
    assert demo["detect"]["hopper"] == hopper(demo["image"]["width"]).round(1).tolist()


@pytest.mark.parametrize("name", ["cpu.yaml", "simulated.yaml", "tide.yaml"])
def test_what_is_reused_from_any_folder_names_no_file(root: Path, name: str) -> None:
    written = yaml.safe_load((root / "config" / name).read_text())
    texts = [value for value in leaves(written) if isinstance(value, str)]
    assert [text for text in texts if "/" in text and " " not in text] == []
    assert not {"archive", "results", "points", "corrections"} & {
        key for key, value in written.items() if value
    }


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
            "expected 'static_c', ",
        ),
        ({"identify": {"methods": ["static_c"]}}, "default is path, which is not among methods"),
        ({"identify": {"methods": ["ilp", "path", "ilp"]}}, "expected each value once"),
        ({"clips": {"methods": ["ilp", "ilp"]}}, "expected each value once"),
        ({"fit_weights": {"splits": ["Train", "Train"]}}, "expected each value once"),
        ({"study": {"tracker": {"ious": [0.5, 0.5]}}}, "expected each value once"),
        ({"review": {"gap": "inf"}}, "key review.gap: found 'inf'; expected a finite number"),
        ({"study": {"identify": {"antenna_weights": [0]}}}, "greater than 0"),
        ({"visual": {"seed": -1}}, "key visual.seed: found -1; expected greater than or equal"),
        ({"visual": {"seed": 10**5000}}, "key visual.seed: found a number of more than 40 digits"),
        ({"train_detector": {"width": 10**6}}, "less than or equal to 4096"),
        ({"train_detector": {"weights": "coco", "backbone": "slim"}}, "resnet50, not for slim"),
        ({"train_detector": {"warm_up": 9, "iterations": 9}}, "fewer steps of warm_up than 9"),
        ({"detect": {"max_mice": 61}}, "less than or equal to 60"),
        ({"detect": {"hopper": [[0, 0], [1, 1]]}}, "at least 3 items"),
        ({"evaluate": {"snippets": []}}, "at least 1 item"),
        ({"grid": {"rows": 10**9}}, "less than or equal to 64"),
        ({"longest_segment": 1e300}, "less than or equal to 1000"),
        ({"identify": {"antenna_weight": 1e308}}, "less than or equal to 1000"),
        ({"identify": {"presence_weight": 1e308}}, "less than or equal to 1000"),
        ({"identify": {"score_weight": 1e308}}, "less than or equal to 1000"),
        ({"study": {"identify": {"antenna_weights": [1e308]}}}, "less than or equal to 1000"),
        ({"track": 3}, "key track: found 3"),
        ({"track": True}, "key track: found True; expected keys and values"),
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
    given = {"archive": "x", "detect": {"stride": 3}}
    parsed = settings.parse(Settings, given | {"track": {"max_age": 2}})
    assert parsed.detect.stride == 3
    with pytest.raises(InputError, match="max_age of 2 at least"):
        settings.parse(Settings, given | {"track": {"max_age": 1, "min_length": 1}})


@pytest.mark.parametrize(
    ("values", "remedy"),
    [
        ({"trakc": {}}, "Did you mean track?"),
        ({"track.iou": 0.5}, "write track: {iou: 0.5}."),
        ({"track": {"min_lenght": 2}}, "Did you mean min_length?"),
        ({"study": {"tracker": {"margins": 2}}}, "Did you mean margin?"),
        ({"track": {"zzz": 1}}, "ambiguity, loosen, cut_adopted."),
    ],
)
def test_what_a_misspelt_key_is_probably_meant_to_be_is_told(values: dict, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        settings.parse(Settings, {"archive": "x"} | values)
    assert str(caught.value).endswith(remedy)


def test_a_fault_is_told_with_its_place_or_that_of_its_block() -> None:
    places = {("track",): "my.yaml, line 2", ("track", "iou"): "my.yaml, line 3"}
    given = {"archive": "x", "track": {"iou": 7, "min_length": 0}, "results": ""}
    with pytest.raises(InputError) as caught:
        settings.parse(Settings, given, places)
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()] == [
        "configuration, key results", "my.yaml, line 3, key track.iou",
        "my.yaml, line 2, key track.min_length",
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["off", "on", "yes", "no", "2026", "1.5", "2026-03-01"])
@pytest.mark.parametrize("text", ["report: {{title: {}}}", "archive: {}", "detector: {}"])
def test_a_word_that_yaml_reads_as_something_else_is_told_to_be_quoted(
    text: str, word: str
) -> None:
    with pytest.raises(InputError, match=r"If a word is meant, put it into quotes"):
        settings.parse(Settings, {"archive": "x"} | configuration.parse(text.format(word)))


def test_only_where_a_word_may_stand_quotes_are_spoken_of() -> None:
    for text in (
        "track: {iou: yes}", "image: {width: off}", "evaluate: {snippets: on}",
        "summaries: {zones: {nest: [[1, 2]]}}", "summaries: {zones: {nest: 5}}",
        "summaries: {zones: {nest: [[1, 2], [3, 4], [5]]}}",
    ):  # fmt: skip
        with pytest.raises(InputError) as refused:
            settings.parse(Settings, {"archive": "x"} | configuration.parse(text))
        assert "quotes" not in str(refused.value)
    with pytest.raises(InputError, match="quotes"):
        settings.parse(Settings, {"archive": "x", "summaries": {"zones": {True: [[1, 2]] * 3}}})


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
    options = settings.options(detect, settings.Detect.model_fields)
    assert "--hopper=[[1.0, 2.0], [3.0, 4.0], [5.5, 6.0]]" in options
    words = dict(option.removeprefix("--").split("=", 1) for option in options)
    values = {name.replace("-", "_"): yaml.safe_load(text) for name, text in words.items()}
    assert settings.parse(settings.Detect, values) == detect


def test_options_of_a_part_of_a_block() -> None:
    options = settings.options(settings.Identify(time_limit=9), settings.Solve.model_fields)
    assert options == ['--solver="auto"', "--time-limit=9.0"]
    assert settings.options(settings.Image(), ["height"]) == ["--height=720"]


def test_every_key_at_fault_is_told_at_once() -> None:
    given = {"archive": "x", "annotations": "y", "grid": {"cols": 6}, "track": {"iuo": 1, "iou": 7}}
    with pytest.raises(InputError) as caught:
        settings.parse(Settings, given)
    told = str(caught.value).splitlines()
    assert [line.partition(":")[0].partition("key ")[2] for line in told] == [
        "grid.cols", "track.iou", "track.iuo", "annotations",
    ]  # fmt: skip


def test_every_method_is_explained_where_it_is_chosen(root: Path) -> None:
    text = (root / "config" / "README.md").read_text()
    for name in registry.chosen():
        assert f"`{name}`: {registry.methods()[name].words}" in text


def test_a_method_that_is_not_usual_runs_only_where_it_is_chosen(monkeypatch) -> None:
    known = registry.methods()
    rare = replace(known["static_c"], rank=1.5, usual=False)
    monkeypatch.setattr(registry, "methods", lambda: known | {"rare": rare})
    assert "rare" in registry.chosen()
    assert "rare" not in registry.usual()
    assert registry.usual() == settings.Identify().methods
