"""That Snakemake finds the executor for SLURM, with its plugin and without."""

import importlib
import importlib.util
import subprocess
import sys
import tomllib
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from setuptools import find_packages
from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_executor_plugins.registry import ExecutorPluginRegistry

import snakemake_executor_plugin_murid_slurm as plugin

SLURM = "snakemake_executor_plugin_slurm"


@pytest.fixture
def without_slurm(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The package as it is where Snakemake's plugin for SLURM is not installed."""
    found = importlib.util.find_spec
    hidden = lambda name, *more: None if name == SLURM else found(name, *more)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", hidden)
    yield importlib.reload(plugin)
    monkeypatch.undo()
    importlib.reload(plugin)


def test_snakemake_offers_it() -> None:
    command = [sys.executable, "-m", "snakemake", "--help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "murid-slurm" in said


def test_it_has_the_settings_of_the_plugin() -> None:
    slurm = pytest.importorskip(SLURM)
    settings = [field.name for field in fields(slurm.ExecutorSettings)]
    assert "status_command" in settings
    assert [field.name for field in fields(plugin.ExecutorSettings)] == settings


def test_without_the_plugin_snakemake_starts_all_the_same(without_slurm: ModuleType) -> None:
    ExecutorPluginRegistry().validate_plugin(without_slurm.__name__, without_slurm)


def test_without_the_plugin_the_profile_is_read_all_the_same(
    without_slurm: ModuleType, root: Path
) -> None:
    profile = yaml.safe_load((root / "profiles" / "slurm" / "config.yaml").read_text())
    own = {key: value for key, value in profile.items() if key.startswith("murid-slurm-")}
    assert own
    offered = ExecutorPluginRegistry().load_plugin("murid-slurm", without_slurm)
    parser = ArgumentParser()
    offered.register_cli_args(parser, "executor")
    words = [word for key, value in own.items() for word in (f"--{key}", value)]
    offered.get_settings(parser.parse_args(words))


def test_an_install_has_all_packages(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())
    include = project["tool"]["setuptools"]["packages"]["find"]["include"]
    sources = str(root / "workflow")
    assert find_packages(sources, include=include) == find_packages(sources)
    assert plugin.__name__ in find_packages(sources)


def test_without_the_plugin_it_says_what_to_install(without_slurm: ModuleType) -> None:
    with pytest.raises(WorkflowError, match="pip install snakemake-executor-plugin-slurm"):
        without_slurm.Executor(None, None)
