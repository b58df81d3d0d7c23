"""A recording that is cut: its segments share one video, which is read once for all of them."""

from pathlib import Path

import numpy as np
import pytest

from murid import tables, video
from pipeline import FRAMES, Workflow, copy_sources, make_segment

HEADER = "cage\tsegment\tpositions\tsplit\tvideo\tfirst_frame\tlast_frame"
ROWS = (
    "A\t1\tA/1/positions.parquet\tTrain\tday.mp4\t\t299",
    "A\t2\tA/2/positions.parquet\tTest\tday.mp4\t300\t",
)
WHERE = ("--config", "archive=archive", "results=results", "train_detector={backbone: slim}")
TABLES = [f"results/segments/A/{name}/positions.parquet" for name in "12"]


def film(path: Path, speed: int) -> None:
    """Write a picture that wanders to the right, for as long as both segments."""
    slope = np.tile(np.linspace(20, 230, 64), (48, 1)).astype(np.uint8)
    video.write(path, (np.roll(slope, speed * n, 1) for n in range(2 * FRAMES)), 25.0)


@pytest.fixture
def workflow(root: Path, tmp_path: Path) -> Workflow:
    archive = tmp_path / "run" / "archive"
    for number in (1, 2):
        make_segment(archive / "A" / str(number), number)
    film(archive / "day.mp4", 2)
    (archive / "segments.tsv").write_text("\n".join([HEADER, *ROWS]) + "\n")
    lines = [
        f"{HEADER}\tannotations",
        *(f"{row}\tA/{n}/via.json" for n, row in zip("12", ROWS, strict=True)),
    ]
    (archive / "annotated.tsv").write_text("\n".join(lines) + "\n")
    return Workflow(copy_sources(root, tmp_path / "sources"), tmp_path / "run")


def test_a_video_is_surveyed_once_for_all_its_segments(workflow: Workflow) -> None:
    workflow.run(*TABLES, *WHERE)
    for table in TABLES:
        path = workflow.folder / table
        assert tables.read_verdict(path).status == "usable"
        assert tables.read(path, "positions")["frame"].max() == FRAMES - 1
    assert len([*(workflow.folder / "results" / "videos").iterdir()]) == 1
    assert workflow.would_run(*TABLES, *WHERE) == {}
    film(workflow.folder / "archive" / "day.mp4", 3)
    assert workflow.would_run(*TABLES, *WHERE) == {"survey_video": 1, "check": 2}


def test_whatever_looks_at_the_video_waits_for_its_survey(workflow: Workflow) -> None:
    annotated = ("segments=archive/annotated.tsv", "visual={enabled: true}")
    counts = workflow.would_run("clips", "proofread", "report", *WHERE, *annotated)
    each = ("check", "detect", "track_visually", "moments", "questions")
    once = ("survey_video", "train_detector", "validate_detector", "clips", "proofread")
    assert {rule: counts[rule] for rule in each} == dict.fromkeys(each, 2)
    assert {rule: counts[rule] for rule in once} == dict.fromkeys(once, 1)
