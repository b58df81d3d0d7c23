"""Targets of the Makefile that do not need an installation."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def make(root: Path, tmp_path: Path):
    """Run make in a copy of the Makefile's folder, with a home of its own."""
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    shutil.copy(root / "Makefile", tmp_path)
    shutil.copytree(root / "profiles", tmp_path / "profiles")
    environment = os.environ | {"XDG_CONFIG_HOME": str(tmp_path / "home" / ".config")}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", *arguments],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def test_profile_is_linked_to_where_snakemake_looks(make, tmp_path: Path) -> None:
    link = tmp_path / "home" / ".config" / "snakemake" / "slurm"
    for _ in range(2):
        assert make("profile").returncode == 0
        assert link.resolve() == (tmp_path / "profiles" / "slurm").resolve()


def test_a_profile_of_the_user_is_left_alone(make, tmp_path: Path) -> None:
    own = tmp_path / "home" / ".config" / "snakemake" / "slurm"
    own.mkdir(parents=True)
    done = make("profile")
    assert done.returncode != 0
    assert "is there already" in done.stderr
    assert own.is_dir()
    assert not own.is_symlink()


def test_an_old_python_is_refused_by_name(make, tmp_path: Path) -> None:
    old = tmp_path / "python2"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs" / "pins.txt").touch()
    done = make("demo", f"PYTHON={old}")
    assert done.returncode != 0
    assert f"{old} is too old or missing: murid needs Python 3.11 or newer" in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_help_names_every_target(make, root: Path) -> None:
    lines = (root / "Makefile").read_text().splitlines()
    (targets,) = [line.split()[1:] for line in lines if line.startswith(".PHONY:")]
    shown = make().stdout
    for target in targets:
        assert target == "help" or f"make {target} " in shown


def test_snakemake_finds_no_fault_in_the_rules(root: Path, tmp_path: Path) -> None:
    words = (
        "-m", "snakemake", "--lint", "--sdm", "conda", "--snakefile", str(root / "Snakefile"),
        "--directory", str(tmp_path), "--configfile", str(root / "config" / "config.yaml"),
        "--config", f"archive={root / 'config'}",
    )  # fmt: skip
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
