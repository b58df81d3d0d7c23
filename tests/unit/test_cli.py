"""Wrong options and outputs end in one line, not in a traceback."""

import resource
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, get_args, get_origin, get_type_hints

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from pydantic import TypeAdapter

import murid.cli
from murid import tables
from murid.cli import cli, options
from murid.cli.commands import command_of
from murid.clip import render
from murid.errors import InputError
from murid.files import write_text
from murid.run import command_line
from murid.settings import Settings
from murid.stage import Split, Stage, about, block_of, columns_of, makes, option_of, row_of
from murid.stages import STAGES, fields_of, settings_of, stage_of


def test_an_option_that_is_no_yaml_is_named():
    arguments = ["track", "--detections", "d", "--output", "t", "--min-length", "["]
    result = CliRunner().invoke(cli, arguments)
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == "options, --min-length: found '['; expected a value as in YAML."


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [
        ("check", "--fps", "0"),
        ("evaluate", "--fps", "-1"),
        ("evaluate", "--split", "Trane"),
        ("detect", "--fps", "0"),
        ("picture", "--scale", "0.001"),
        ("clip", "--scale", "1000"),
        ("clip", "--speed", "0"),
    ],
)
def test_options_out_of_range_are_refused(command, option, value):
    error = refused(command, option, value)
    assert f"options, {option}: found '{value}'; expected" in error


def refused(*words):
    """Return what a command line is refused with."""
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(cli, [*map(str, words)], catch_exceptions=False)
    return str(caught.value)


def numbers(annotation, limited=False):
    """Yield whether each number that an annotation holds, at any depth, has a lower limit."""
    if hasattr(annotation, "_fields"):
        for kind in get_type_hints(annotation, include_extras=True).values():
            yield from numbers(kind, limited)
    elif get_origin(annotation) is Annotated:
        kind, *metadata = get_args(annotation)
        yield from numbers(kind, limited or has_limit(metadata))
    elif annotation in (int, float):
        yield limited
    for part in get_args(annotation) if get_origin(annotation) is not Annotated else ():
        yield from numbers(part, limited)


def has_limit(metadata):
    """Tell whether what a field says besides its type is a lower limit."""
    return any(
        hasattr(one, "ge") or hasattr(one, "gt") or has_limit(getattr(one, "metadata", ()))
        for one in metadata
    )


PLACES = {"board_first", "hopper", "zones", "snippets"}
"""Settings of places, which may be negative or are checked as a whole."""


def test_every_number_that_is_declared_has_a_lower_limit():
    models = {stage_of(command) for command in STAGES} | {Settings}
    for model in list(models):
        models |= {kind for field in model.model_fields.values() if (kind := block_of(field))}
    found = 0
    for model in models:
        for name, field in model.model_fields.items():
            limits = list(numbers(field.annotation, has_limit(field.metadata)))
            assert all(limits) or name in PLACES, (model.__name__, name)
            found += len(limits)
    assert found > 100


def paths_of(command):
    """Yield the option of every path that a command declares, and words that leave it empty."""
    for name, field in stage_of(command).model_fields.items():
        kind = row_of(field) or field.annotation
        columns = columns_of(kind) or {"": kind}
        if field.is_required() and about(field).get("argument"):
            continue
        for column, of in columns.items():
            if Path in (of, *get_args(of)):
                cells = ["" if other == column else "1" for other in columns]
                yield option_of(name, field), cells, column if columns_of(kind) else ""


@pytest.mark.parametrize("command", STAGES)
def test_no_path_may_be_empty(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["1" for field in stage_of(command).model_fields.values()
                 if about(field).get("argument")]  # fmt: skip
    for option, cells, column in paths_of(command):
        told = refused(*command.split(), *arguments, option, *cells)
        (line,) = (line for line in told.splitlines() if "a path that is not empty" in line)
        assert line.startswith(f"options, {option}: found ")
        assert column in line
    if arguments:
        assert "a path that is not empty" in refused(*command.split(), *[""] * len(arguments))


def test_every_empty_path_is_told_at_once():
    told = refused("track", "--detections", "", "--output", "").splitlines()
    assert [line.partition(":")[0] for line in told] == [
        "options, --detections", "options, --output",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "place"),
    [
        (["import", "positions", "trace.csv", "trace.csv"], "OUTPUT"),
        (["import", "positions", "trace.csv", "./trace.csv"], "OUTPUT"),
        (["import", "tracklets", "trace.csv", "t.parquet", "--output-detections", "trace.csv"],
         "--output-detections"),
        (["clip", "--video", "trace.csv", "--positions", "p", "--identities", "path", "i",
          "--weights", "w", "--transforms", "t", "--rig", "r", "--fps", "25", "--frames", "0", "1",
          "--output", "trace.csv"], "--output"),
        (["identify", "--detections", "d", "--tracklets", "l", "--positions", "p", "--weights", "w",
          "--transforms", "t", "--rig", "r", "--fps", "25", "--output", "ilp", "trace.csv",
          "--annotations", "trace.csv"], "--output"),
    ],
)  # fmt: skip
def test_nothing_is_written_over_what_is_read(tmp_path, monkeypatch, command, place):
    monkeypatch.chdir(tmp_path)
    Path("trace.csv").write_text("frame,A\n0,1\n")
    told = refused(*command)
    assert "trace.csv, which is read, too; expected another file to write to" in told
    assert place.lower() in told.lower()
    assert Path("trace.csv").read_text() == "frame,A\n0,1\n"


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        (["--output", "ilp", "a", "--output", "path", "./a"], "--output: found a, given twice"),
        (["--output", "path", "a", "--output-posteriors", "a"], "found a, given twice"),
        (["--output", "ilp", "."], "--output: found ., a folder"),
    ],
)
def test_every_output_is_a_file_of_its_own(tmp_path, monkeypatch, outputs, told):
    monkeypatch.chdir(tmp_path)
    given = ["--detections", "d", "--tracklets", "l", "--positions", "p", "--weights", "w"]
    given += ["--transforms", "t", "--rig", "r", "--fps", "25"]
    assert told in refused("identify", *given, *outputs)


@pytest.mark.parametrize("value", ["!!int x", "!!float x", "!!timestamp x", "&a [*a]"])
def test_a_value_that_yaml_cannot_make_is_refused(value):
    with pytest.raises(InputError, match="iou"):
        CliRunner().invoke(
            cli, ["track", "--detections", "a", "--output", "b", "--iou", value],
            catch_exceptions=False,
        )  # fmt: skip


def test_a_fault_in_a_repeated_option_says_which_one_and_where():
    sound, wrong = ["--segment", "25", "p", "a", "r"], ["--segment", "0", "p", "a", "r"]
    told = refused("fit-weights", *sound, *wrong)
    assert "options, --segment number 2, fps: found '0'; expected greater than 0" in told
    told = refused("fit-weights", *sound, "--segment", "25", "", "a", "r")
    assert "options, --segment: found" in told
    assert "a path that is not empty as positions of number 2" in told
    told = refused("clip", "--frames", "-1", "x")
    assert "options, --frames, first: found '-1'; expected greater than or equal to 0" in told
    assert "options, --frames, last: found 'x'; expected a valid integer" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["track", "--output=a", "--output=b"], "options, --output: found it 2 times; expected it"),
        (["track", "--iou=0.1", "--iou=0.2"], "options, --iou: found it 2 times"),
        (["clip", "--clahe", "--clahe", "--clahe"], "options, --clahe: found it 3 times"),
        (["clip", "--frames", "1", "2", "--frames", "3", "4"], "--frames: found it 2 times"),
    ],
)
def test_an_option_that_is_no_list_may_be_given_once(words, told):
    assert told in refused(*words)


def test_what_is_missing_is_told_in_the_same_words_whether_or_not_it_is_a_list():
    told = refused("fit-weights").splitlines()
    for option in ("--segment", "--transforms", "--animals", "--output"):
        assert f"options, {option}: found nothing; expected a value." in told


def test_questions_without_a_path_model_say_which_option_is_missing():
    assert "options, --path-model: found nothing; expected a value." in refused("questions")


def test_faults_of_settings_are_told_with_those_of_other_options():
    told = refused("track", "--iou=2", "--min-length=x", "--output=t").splitlines()
    assert [line.partition(": found")[0] for line in told] == [
        "options, --detections", "options of track, --iou", "options of track, --min-length",
    ]  # fmt: skip
    told = refused("train-detector", "--weights=coco", "--backbone=slim")
    assert "options of train_detector: found" in told
    assert "resnet50, not for slim" in told


@pytest.mark.parametrize("command", STAGES)
def test_no_two_values_of_a_command_have_one_option(command):
    words = [word for each in command_of(command).params for word in each.opts]
    assert len(set(words)) == len(words)


def test_only_jobs_of_segments_ask_the_sheet_of_their_segment():
    others = (name for name in STAGES if stage_of(name).of not in (None, "", "segment"))
    assert [name for name in others if fields_of(stage_of(name), "sheet", "source")] == []


def test_a_table_called_output_is_the_only_one_of_its_stage():
    assert "output" in stage_of("track").model_fields
    with pytest.raises(TypeError, match="Two makes output, output_other: call output by what"):

        class Two(Stage):
            output: Path = makes("tracklets")
            output_other: Path = makes("detections")


def test_a_rule_names_each_output_or_takes_the_only_one():
    for command in STAGES:
        made = fields_of(stage_of(command), "makes")
        line = command_line.shell(command)
        assert ("{output:q}" in line) == (made == ["output"]), command


SET_SOMEWHERE = [name for name, stage in STAGES.items() if settings_of(stage_of(name))]


@pytest.mark.parametrize("command", SET_SOMEWHERE)
def test_settings_that_a_rule_writes_are_read_back(command):
    settings = Settings(archive=".")
    made = command_of(command)
    words = command_line.options(command, settings)
    given, left, _ = made.make_parser(click.Context(made)).parse_args(list(words))
    assert left == []
    for name, block in settings_of(made.stage).items():
        (of_them,) = (value for value in vars(settings).values() if isinstance(value, block))
        if getattr(of_them, name) is not None:
            assert options.value_of(name, given[name]) == getattr(of_them, name), name


def test_a_folder_that_is_a_file_cannot_be_written_to(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        write_text(tmp_path / "file" / "output.txt", "")
    with pytest.raises(InputError, match="cannot be written"):
        tables.write(tables.empty("counts"), tmp_path / "file" / "a" / "b.parquet", "counts")


@pytest.mark.parametrize(
    ("seconds", "terminal", "told"),
    [(0.1, True, False), (0.1, False, True), (1.5, True, True)],
)
def test_what_took_a_moment_is_told_the_log_alone(monkeypatch, capsys, seconds, terminal, told):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    murid.cli._tell(seconds)
    assert ("took" in capsys.readouterr().err) == told


def test_pictures_and_clips_tell_which_suffix_they_need(tmp_path):
    with pytest.raises(InputError, match=r"expected a file \.png"):
        render.draw_one(SimpleNamespace(output=tmp_path / "picture.foo"))
    with pytest.raises(InputError, match=r"expected a file \.mp4"):
        render.render(SimpleNamespace(output=tmp_path / "clip.txt"))


@pytest.mark.parametrize("limit", [0, 2_000])
def test_a_disk_that_is_full_is_one_message_and_leaves_nothing(tmp_path, limit):
    found = pd.DataFrame(
        {
            "frame": np.arange(5_000), "detection": 0, "label": "mouse", "x": np.arange(5_000) % 97,
            "y": 5.0, "w": 50.0, "h": 40.0, "score": 0.9,
        }
    )  # fmt: skip
    tables.write(found, tmp_path / "detections.parquet", "detections")
    output = tmp_path / "made" / "tracklets.parquet"
    done = subprocess.run(
        [sys.executable, "-m", "murid", "track", "--detections", tmp_path / "detections.parquet",
         "--output", output],
        # What a full disk does to a write, this limit does to one beyond so many bytes.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert f"murid: {output}: found that it cannot be written (" in done.stderr
    assert "File too large)" in done.stderr
    assert "Free some space" in done.stderr
    assert list(output.parent.iterdir()) == []


def test_a_segment_of_no_split_can_be_told_of_without_an_empty_argument() -> None:
    split = TypeAdapter(Split)
    assert split.validate_python("none") == ""
    assert split.validate_python("") == ""
    assert split.validate_python("Test") == "Test"
