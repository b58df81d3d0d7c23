"""Antenna traces that are not their segment's: what names are worth, with and without the check."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import swapped

from murid import tables
from murid.identify import scene as scenes
from murid.identify.stage import Naming
from murid.segment import Segment
from murid.settings import Simulate

SEED = 4_203
"""Of the simulated archive: used nowhere else."""
CAGES, SECONDS = 6, 300.0
SHIFTS = (0, 1, 3, 7, 14, -14)
COLUMNS = (
    "trace", "checked", "verdict", "put right, s", "own, p", "right, %", "wrong at .9, %",
    "confidence of wrong", "review, s",
)  # fmt: skip


@pytest.mark.bench
def test_traces_of_other_times_and_segments(
    tmp_path: Path, print_table: Callable[..., None]
) -> None:
    options = Simulate(
        seed=SEED, cages=CAGES, seconds=SECONDS, damaged_seconds=2.0, fps=swapped.FPS
    )
    recordings = swapped.make(tmp_path, options)
    models = swapped.learn(tmp_path, recordings)
    judged = [one for one in recordings if one.split == "Test"]
    rows = []
    for place, recording in enumerate(judged):
        traces = {f"{shift} s late": shifted(recording, shift) for shift in SHIFTS}
        other = judged[(place + 1) % len(judged)]
        traces["of another segment"] = tables.read(other.folder / "positions.parquet", "positions")
        for label, trace in traces.items():
            path = tmp_path / "trace.parquet"
            tables.write(trace, path, "positions")
            stage = models.naming(recording, positions=path)
            for checked, read in {"no": swapped.believed, "yes": by_the_stage}.items():
                figures = judge(recording, read(stage))
                rows.append((f"{recording.folder.name}, {label}", checked, *figures))
    print_table(
        f"Boxes named by the method path, segments of {SECONDS / 60:g} minutes of cages that no "
        f"model was fitted to (seed {SEED})",
        COLUMNS,
        rows,
    )
    for _, checked, *_, wrong, _, _ in rows:
        assert checked == "no" or wrong <= 5


def shifted(recording: swapped.Recording, seconds: float) -> pd.DataFrame:
    """Return a segment's positions as a clock has them that runs late."""
    table = tables.read(recording.folder / "positions.parquet", "positions")
    wide = table.pivot(index="frame", columns="animal", values="antenna")
    moved = wide.shift(round(seconds * swapped.FPS)).ffill().bfill()
    long = moved.reset_index().melt("frame", value_name="antenna", var_name="animal")
    return tables.conform(long.assign(filled=False), "positions")


def by_the_stage(stage: Naming) -> scenes.Scene:
    """Read a segment as the stage does, its trace put right."""
    return scenes.read(stage, Segment.of(stage, stage.transforms))[0]


def judge(
    recording: swapped.Recording, scene: scenes.Scene
) -> tuple[str, float, float, float, float, float, float]:
    """Name the boxes of a segment, unless it is discarded, and count: :data:`COLUMNS`."""
    fit = scene.fit
    told = fit.verdict.status, round(fit.shift, 1), round(fit.probability, 3)
    if fit.verdict.discarded:
        return *told, 0.0, 0.0, float("nan"), 0.0
    boxes, listed = swapped.name(recording, scene)
    return (
        *told, round(100 * float(boxes["right"].mean()), 1), swapped.wrong_and_sure(boxes),
        round(float(boxes.loc[boxes["wrong"], "confidence"].mean()), 3), round(listed, 1),
    )  # fmt: skip
