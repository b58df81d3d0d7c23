"""Versions are pinned in envs/pins.txt; pyproject.toml and the conda environments agree with it."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OWN_BUILD = {"torch", "torchvision", "onnxruntime-gpu"}
"""What a cluster brings in its own build, so that the CUDA environment gives a range."""
FOR_CUDA = {"onnxruntime": "onnxruntime-gpu"}
"""What another package takes the place of in the CUDA environment."""
NOT_FOR_JOBS = {"snakemake"}
"""What only the process that plans the run needs."""


def requirements(lines: list[str]) -> dict[str, Requirement]:
    parsed = [Requirement(line) for line in lines]
    found = {canonicalize_name(requirement.name): requirement for requirement in parsed}
    assert len(found) == len(parsed)
    return found


@pytest.fixture(scope="module")
def pins(root: Path) -> dict[str, str]:
    lines = (root / "envs" / "pins.txt").read_text().splitlines()
    found = requirements([line for line in lines if line and not line.startswith("#")])
    versions = {}
    for name, requirement in found.items():
        (specifier,) = requirement.specifier
        assert specifier.operator == "=="
        versions[name] = specifier.version
    return versions


def of_jobs(project: dict) -> dict[str, Requirement]:
    return requirements([*project["dependencies"], *project["optional-dependencies"]["onnx"]])


@pytest.fixture(scope="module")
def project(root: Path) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text())["project"]


def conda(root: Path, name: str) -> dict[str, Requirement]:
    environment = yaml.safe_load((root / "envs" / f"{name}.yaml").read_text())
    (pip,) = [part["pip"] for part in environment["dependencies"] if isinstance(part, dict)]
    return requirements([line for line in pip if not line.startswith("--")])


def test_every_dependency_is_pinned_within_its_range(project: dict, pins: dict[str, str]) -> None:
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    ranges = {name: r for group in groups for name, r in requirements(group).items()}
    assert set(ranges) == set(pins)
    for name, requirement in ranges.items():
        assert requirement.specifier.contains(pins[name]), name


def test_tools_of_recipes_are_pinned_and_needed_by_nothing_else(
    root: Path, pins: dict[str, str]
) -> None:
    lines = (root / "envs" / "recipes.txt").read_text().splitlines()
    found = requirements([line for line in lines if not line.startswith("#")])
    assert found
    assert not set(found) & set(pins)
    for requirement in found.values():
        assert [specifier.operator for specifier in requirement.specifier] == ["=="]


def test_the_package_accepts_the_torch_of_a_cluster(project: dict) -> None:
    torch = requirements(project["dependencies"])["torch"]
    assert torch.specifier.contains("2.9.0")
    assert torch.specifier.contains("2.9.0+cu128")
    assert torch.specifier.contains("3.0")


def test_the_workflow_asks_for_the_snakemake_that_the_package_needs(
    root: Path, project: dict
) -> None:
    (asked,) = re.findall(r'min_version\("(.+)"\)', (root / "Snakefile").read_text())
    needed = requirements(project["dependencies"])["snakemake"].specifier
    assert asked in {part.version for part in needed if part.operator == ">="}


@pytest.mark.parametrize("name", ["cpu", "cuda"])
def test_a_conda_environment_has_what_jobs_need(root: Path, project: dict, name: str) -> None:
    needed = set(of_jobs(project)) - NOT_FOR_JOBS
    swapped = FOR_CUDA if name == "cuda" else {}
    assert set(conda(root, name)) == {swapped.get(package, package) for package in needed}


@pytest.mark.parametrize("name", ["cpu", "cuda"])
def test_a_conda_environment_has_the_pinned_versions(
    root: Path, project: dict, pins: dict[str, str], name: str
) -> None:
    ranges = of_jobs(project)
    ranges |= {other: ranges[package] for package, other in FOR_CUDA.items()}
    for package, requirement in conda(root, name).items():
        if name == "cuda" and package in OWN_BUILD:
            assert requirement.specifier == ranges[package].specifier
        else:
            assert str(requirement.specifier) == f"=={pins[package]}"


@pytest.mark.parametrize("name", ["cpu", "cuda"])
def test_a_conda_environment_has_a_python_that_the_package_accepts(
    root: Path, project: dict, name: str
) -> None:
    environment = yaml.safe_load((root / "envs" / f"{name}.yaml").read_text())
    (python,) = [
        part.split("=")[1]
        for part in environment["dependencies"]
        if isinstance(part, str) and part.startswith("python=")
    ]
    assert Requirement(f"python{project['requires-python']}").specifier.contains(python)
