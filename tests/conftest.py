"""What all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Before any library reads it. Threads of libraries wait for each other by spinning, which costs
# more than they gain on small arrays, by far where tests run side by side; and sums that one thread
# adds up come out the same every time.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

# No deadlines, no complaints of slowness: a busy machine must not fail a test.
settings.register_profile("murid", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("murid")

ROOT = Path(__file__).parents[1]


RUNNING = (
    "test_corrected_runs.py",
    "test_corrections_check.py",
    "test_drawn_run.py",
    "test_exported_run.py",
    "test_kills.py",
    "test_proofread.py",
    "test_readme_commands.py",
    "test_studies.py",
    "test_summarised_archive.py",
    "test_workflow.py",
)
"""Files whose tests look at one finished run, which takes long to make."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Keep tests that share what takes long to make in one process, where there are several."""
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "finished" if Path(file).name in RUNNING else file

    return Together(config, log)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared test material beside the repository; skips where it is absent."""
    for folder in (ROOT.parent / "shared", ROOT.parents[1] / "shared"):
        if (folder / "design.md").is_file():
            return folder
    pytest.skip("shared test material (../shared) is not here")
