"""Tracklets of two animals: what the names are worth, with and without testing what is linked."""

import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import swapped

from murid import tables
from murid.identify import continuity
from murid.identify.scene import Scene
from murid.settings import Simulate
from murid.tracking import adopt

SEED = 4_311
"""Of the simulated archive: used nowhere else."""
CAGES, SECONDS = 6, 300.0
COLUMNS = (
    "tracklets", "tested", "right, %", "in the exchange, %", "confidence of right", "of wrong",
    "wrong at .9, %", "review, s",
)  # fmt: skip
Row = tuple[str, str, float, float, float, float, float, float]


@pytest.mark.bench
def test_exchanged_tracklets(tmp_path: Path, print_table: Callable[..., None]) -> None:
    options = Simulate(
        seed=SEED, cages=CAGES, seconds=SECONDS, damaged_seconds=2.0, fps=swapped.FPS
    )
    recordings = swapped.make(tmp_path, options)
    models = swapped.learn(tmp_path, recordings)
    rows = compare([one for one in recordings if one.split == "Test"], models)
    print_table(
        f"Boxes named by the method path, segments of {SECONDS / 60:g} minutes of cages that no "
        f"model was fitted to (seed {SEED})",
        COLUMNS,
        rows,
    )
    figures = {row[:2]: row for row in rows}
    for linked in ("exchanged in the middle", "exchanged at meetings"):
        before, after = figures[linked, "no"], figures[linked, "yes"]
        assert after[2] > before[2]
        assert after[6] < before[6]


class Whole(Scene):
    """A scene in which every tracklet is taken for one animal's, and its trace is believed."""

    @functools.cached_property
    def pieces(self) -> continuity.Weighed:
        """Tracklets, by dwells."""
        return continuity.weigh_segment(self.segment, self.weights, self.stage.paths, cut=False)


def compare(recordings: list[swapped.Recording], models: swapped.Models) -> list[Row]:
    """Name all boxes, as whole tracklets and tested, and count."""
    rows = []
    for label, link in swapped.LINKED.items():
        for one in recordings:
            table = link(one, np.random.default_rng([SEED, 9]))
            table = tables.conform(table, "tracklets")
            tables.write(table, one.folder / "whole.parquet", "tracklets")
            if label != "murid's own":
                table, _ = adopt.cut_doubtful(table)
            tables.write(table, one.folder / "tested.parquet", "tracklets")
        for tested, file, kind in (("no", "whole", Whole), ("yes", "tested", Scene)):
            parts = [name(one, models, one.folder / f"{file}.parquet", kind) for one in recordings]
            boxes = pd.concat([part[0] for part in parts])
            rows.append((label, tested, *figures(boxes), sum(part[1] for part in parts)))
    return rows


def name(
    recording: swapped.Recording, models: swapped.Models, tracklets: Path, kind: type[Scene]
) -> tuple[pd.DataFrame, float]:
    """Name the boxes of a segment as :func:`swapped.name` does."""
    return swapped.name(recording, swapped.believed(models.naming(recording, tracklets), kind))


def figures(boxes: pd.DataFrame) -> tuple[float, float, float, float, float]:
    """Return the shares and means of :data:`COLUMNS`."""
    inside = boxes["frame"].between(swapped.EXCHANGED[0], swapped.EXCHANGED[1] - 1)
    right, wrong = boxes["right"], boxes["wrong"]
    return (
        round(100 * float(right.mean()), 2),
        round(100 * float(right[inside].mean()), 2),
        round(float(boxes.loc[right, "confidence"].mean()), 3),
        round(float(boxes.loc[wrong, "confidence"].mean()), 3),
        swapped.wrong_and_sure(boxes),
    )
