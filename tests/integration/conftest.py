"""The pipeline as a user runs it."""

import shutil
from pathlib import Path

import pytest
from told import ALL, TARGETS

from pipeline import Workflow, copy_sources, make_archive


@pytest.fixture(scope="session")
def finished(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A run that is through; tests may look and dry-run, but must leave it as it is."""
    folder = tmp_path_factory.mktemp("a folder")  # with a space in its name
    make_archive(folder / "archive")
    workflow = Workflow(copy_sources(root, folder / "sources"), folder)
    workflow.run("--config", "archive=archive", "results=results")
    return workflow


@pytest.fixture(scope="session")
def told(finished: Workflow, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A copy of the run that is through, which has made all that is made of names."""
    folder = tmp_path_factory.mktemp("told") / "a folder"
    shutil.copytree(finished.folder, folder, symlinks=True)
    workflow = Workflow(finished.sources, folder)
    (folder / "said.txt").write_text(workflow.run(*TARGETS, *ALL))
    return workflow
