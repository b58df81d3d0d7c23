"""Wrong options and outputs end in one line, not in a traceback."""

import resource
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from pydantic import TypeAdapter

import murid.cli
from murid import tables
from murid.cli import cli
from murid.cli.commands import command_of
from murid.clip import render
from murid.errors import InputError
from murid.files import write_text
from murid.stage import Split


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
    given = command_of(command)
    words = []
    for parameter in given.params:
        if parameter.required and parameter.opts[0] != option:
            words += [parameter.opts[0], *["1"] * parameter.nargs]
    with pytest.raises(InputError, match=rf"options, {option}: found '{value}'; expected"):
        CliRunner().invoke(cli, [command, *words, option, value], catch_exceptions=False)


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
