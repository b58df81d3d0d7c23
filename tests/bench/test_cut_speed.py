"""Parts of a long video: what it takes to begin at the end of it, beside all that is before."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

from murid import video
from murid.video import Part
from murid.video.survey_table import write

FPS, MINUTES = 25.0, 10
PART = round(20 * FPS)
"""Frames of the part, the last of the video."""
COLUMNS = ("what", "seconds", "of the whole")


def film(path: Path) -> int:
    """Write a noisy floor over which something moves, 640 x 360; return the number of frames."""
    random = np.random.default_rng(1)
    floors = random.integers(90, 150, (20, 360, 640), dtype=np.uint8)
    frames = round(MINUTES * 60 * FPS)

    def picture(number: int) -> np.ndarray:
        grey = floors[number % len(floors)].copy()
        across = 3 * number % 560
        grey[100:160, across : across + 80] = 30
        return grey

    return video.write(path, (picture(number) for number in range(frames)), FPS, crf=35)


@pytest.mark.bench
def test_a_part_at_the_end_beside_the_whole(
    tmp_path: Path, print_table: Callable[..., None]
) -> None:
    path, keys = tmp_path / "day.mp4", tmp_path / "keys.parquet"
    frames = film(path)
    part = Part(frames - PART)
    seconds = {}
    for what, work in {
        "survey, once a video": lambda: write(path, keys),
        "decode all": lambda: video.inspect(path, FPS),
        f"decode the last {PART} frames": lambda: video.inspect(
            path, FPS, Part(part.first, None, keys)
        ),
        "the same without a survey": lambda: video.inspect(path, FPS, part),
    }.items():
        begin = perf_counter()
        work()
        seconds[what] = perf_counter() - begin
    print_table(
        f"{frames:,} frames in {path.stat().st_size / 1e6:.0f} MB",
        COLUMNS,
        [(what, took, took / seconds["decode all"]) for what, took in seconds.items()],
    )
