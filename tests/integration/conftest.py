"""The pipeline as a user runs it."""

from pathlib import Path

import pytest
from pipeline import SHEET, Workflow, copy_sources, make_segment


@pytest.fixture(scope="session")
def finished(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A run that is through; tests may look and dry-run, but must leave it as it is."""
    folder = tmp_path_factory.mktemp("a folder")  # with a space in its name
    archive = folder / "archive"
    for number, segment in enumerate(("A/good", "B/good", "B/bad")):
        make_segment(archive / segment, number)
    (archive / "B/bad/positions.parquet").write_bytes(b"PAR1 was here")
    (archive / "segments.tsv").write_text(SHEET)
    workflow = Workflow(copy_sources(root, folder / "sources"), folder)
    workflow.run("--config", "archive=archive", "results=results")
    return workflow
