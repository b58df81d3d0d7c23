"""What starts from a process that has loaded libraries ends, and says, as it does by itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import forked


@pytest.mark.parametrize(
    "words", [["murid", "--help"], ["murid", "track"], ["murid", "check", "x"]]
)
def test_a_forked_command_is_the_command(root: Path, tmp_path: Path, words: list[str]) -> None:
    environment = os.environ | {"PYTHONPATH": str(root / "workflow")}
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert forked.run(words, tmp_path, environment) == (done.returncode, done.stdout)


def test_murid_is_that_of_the_path_and_jobs_of_shells_are_forked(tmp_path: Path) -> None:
    package = tmp_path / "murid"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(
        "import os, subprocess, sys\n"
        "print('numpy' in sys.modules, flush=True)\n"
        "if sys.argv[1:] == ['outer']:\n"
        "    sys.exit(subprocess.run(['bash', '-c', 'python -m murid inner']).returncode)\n"
        "sys.exit(3)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    assert forked.run(["murid", "outer"], tmp_path, environment) == (3, "True\nTrue\n")
