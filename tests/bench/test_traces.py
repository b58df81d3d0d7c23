"""Antenna traces that are not their segment's: what names are worth, with and without the check."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import swapped

from murid import rigs, tables
from murid.identify import continuity, fit_check
from murid.identify.evidence import read_trace
from murid.models import fitted_path, fitted_weights
from murid.review import stretches
from murid.settings import Paths, Review, Simulate

SEED = 4_203
"""Of the simulated archive: used nowhere else."""
CAGES, SECONDS = 6, 300.0
SURE = 0.9
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
            label = f"{recording.folder.name}, {label}"
            rows += [
                (label, *name(tmp_path, recording, trace, *models, checked))
                for checked in (False, True)
            ]
    print_table(
        f"Boxes named by the method path, segments of {SECONDS / 60:g} minutes of cages that no "
        f"model was fitted to (seed {SEED})",
        COLUMNS,
        rows,
    )
    for row in rows:
        assert row[1] == "no" or row[6] <= 5


def shifted(recording: swapped.Recording, seconds: float) -> pd.DataFrame:
    """Return a segment's positions as a clock has them that runs late."""
    table = tables.read(recording.folder / "positions.parquet", "positions")
    wide = table.pivot(index="frame", columns="animal", values="antenna")
    moved = wide.shift(round(seconds * swapped.FPS)).ffill().bfill()
    long = moved.reset_index().melt("frame", value_name="antenna", var_name="animal")
    return tables.conform(long.assign(filled=False), "positions")


def name(
    folder: Path,
    recording: swapped.Recording,
    positions: pd.DataFrame,
    weights: Path,
    path_model: Path,
    checked: bool,
) -> tuple[object, ...]:
    """Name the boxes of a segment by a trace, and count."""
    models, known = fitted_weights.read(weights), fitted_path.read(path_model)
    matrix = rigs.read_matrices(folder / "transforms.parquet", [recording.rig])[recording.rig]
    fps, model, found = swapped.FPS, models.lagged, recording.detections
    fit = fit_check.Fit()
    if checked:
        fit = fit_check.judge(
            *fit_check.weigh_fit(found, positions, model, recording.rig, matrix, fps), known.norm
        )
        positions = fit_check.realign_positions(positions, model, fit, fps)
    told = (fit.verdict.status, round(fit.shift, 1), round(fit.probability, 3))
    if fit.verdict.discarded:
        return "yes", *told, 0.0, 0.0, float("nan"), 0.0
    linked = tables.read(recording.folder / "tracklets.parquet", "tracklets")
    trace = read_trace(positions, model, model.lag_frames(recording.rig, fps))
    segment = continuity.gather(found, linked, trace, model, matrix, fps, Paths())
    answer = continuity.solve(segment, known, Paths())
    sure, _ = continuity.confidence(segment, answer, known, trace.frames)
    sure = fit.temper(sure, len(trace.animals))
    named = answer.named[segment.tracklets.rank]
    names = np.where(named >= 0, np.array([*trace.animals, ""], dtype=object)[named], "")
    keys = ["frame", "detection"]
    whose = found[keys].assign(animal=recording.whose.to_numpy())
    answers = linked[keys].assign(named=names, confidence=np.where(named >= 0, sure, np.nan))
    boxes = whose.merge(answers, how="left", on=keys)
    right = boxes["named"] == boxes["animal"]
    wrong = boxes["confidence"].notna() & ~right
    beliefs = continuity.of_tracklets(segment, continuity.posteriors(answer, known))
    numbers = np.unique(linked["tracklet"])
    posteriors = pd.DataFrame(
        {
            "tracklet": np.repeat(numbers, len(trace.animals)),
            "animal": np.tile(np.array(trace.animals, dtype=object), len(numbers)),
            "probability": fit.temper(beliefs, len(trace.animals)).ravel(),
        }
    )
    listed = stretches.find(linked, posteriors, fps, Review())["seconds"].sum()
    return (
        "yes" if checked else "no", *told, round(100 * right.mean(), 1),
        round(100 * (wrong & (boxes["confidence"] >= SURE)).sum() / len(boxes), 2),
        round(boxes.loc[wrong, "confidence"].mean(), 3), round(float(listed), 1),
    )  # fmt: skip
