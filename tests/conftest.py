"""What all tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No deadlines, no complaints of slowness: a busy machine must not fail a test.
settings.register_profile("murid", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("murid")

ROOT = Path(__file__).parents[1]


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share what takes long to make in one process, where there are several."""
    for item in items:
        shared = "finished" in getattr(item, "fixturenames", ())
        item.add_marker(pytest.mark.xdist_group("pipeline" if shared else item.path.name))


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


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Small networks gain nothing by threads; and one thread adds up in one order."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
