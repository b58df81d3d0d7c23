"""What tests of single parts share, and takes long to make."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def segment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a filmed segment, of a mouse; tests must leave it as it is."""
    import one_mouse

    folder = tmp_path_factory.mktemp("segment")
    one_mouse.make_segment(folder)
    return folder


@pytest.fixture(scope="session")
def detector(segment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A detector that was trained on that segment for a moment."""
    import one_mouse

    return one_mouse.train_on(segment, tmp_path_factory.mktemp("detector") / "d.safetensors")


@pytest.fixture(scope="session")
def usual():
    """What is usual of sound segments, as learnt from four of wandering animals."""
    from murid.identify import learn_norm
    from wandering_animals import boxes_of, wandering

    segments = [(boxes_of(wandering(seed), seed), wandering(seed), 0.0) for seed in range(11, 15)]
    return learn_norm.learn(segments)
