"""Tracklets of two animals: what the names are worth, with and without testing what is linked."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import swapped

from murid import rigs, tables
from murid.identify import continuity
from murid.identify.evidence import read_trace
from murid.models import fitted_path, fitted_weights
from murid.review import stretches
from murid.settings import Paths, Review, Simulate
from murid.tracking import adopt

SEED = 4_311
"""Of the simulated archive: used nowhere else."""
CAGES, SECONDS = 6, 300.0
SURE = 0.9
COLUMNS = (
    "tracklets", "tested", "right, %", "in the exchange, %", "confidence of right", "of wrong",
    "wrong at .9, %", "review, s",
)  # fmt: skip


@pytest.mark.bench
def test_exchanged_tracklets(tmp_path: Path, print_table: Callable[..., None]) -> None:
    options = Simulate(
        seed=SEED, cages=CAGES, seconds=SECONDS, damaged_seconds=2.0, fps=swapped.FPS
    )
    recordings = swapped.make(tmp_path, options)
    models = swapped.learn(tmp_path, recordings)
    rows = list(compare(tmp_path, [one for one in recordings if one.split == "Test"], *models))
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


def compare(
    folder: Path, recordings: list[swapped.Recording], weights: Path, path_model: Path
) -> list[tuple[object, ...]]:
    """Name all boxes, as whole tracklets and tested, and count."""
    rows = []
    for label, link in swapped.LINKED.items():
        linked = [link(one, np.random.default_rng([SEED, 9])) for one in recordings]
        for tested in (False, True):
            parts = [
                name(folder, one, table, weights, path_model, tested, label != "murid's own")
                for one, table in zip(recordings, linked, strict=True)
            ]
            boxes = pd.concat([part[0] for part in parts])
            rows.append(
                (label, "yes" if tested else "no", *figures(boxes), sum(p[1] for p in parts))
            )
    return rows


def name(
    folder: Path,
    recording: swapped.Recording,
    linked: pd.DataFrame,
    weights: Path,
    path_model: Path,
    tested: bool,
    foreign: bool,
) -> tuple[pd.DataFrame, float]:
    """Name the boxes of a segment.

    Returns
    -------
    Of each box ``frame``, ``right`` and ``confidence`` (none without a name), and the seconds that
    are listed for review.
    """
    models, known = fitted_weights.read(weights), fitted_path.read(path_model)
    positions = tables.read(recording.folder / "positions.parquet", "positions")
    lag = models.lagged.lag_frames(recording.rig, swapped.FPS)
    trace = read_trace(positions, models.lagged, lag)
    matrix = rigs.read_matrices(folder / "transforms.parquet", [recording.rig])[recording.rig]
    settings = Paths()
    table = tables.conform(linked, "tracklets")
    if tested and foreign:
        table, _ = adopt.cut_doubtful(table)
    segment = continuity.gather(
        recording.detections, table, trace, models.lagged, matrix, swapped.FPS,
        settings, cut=tested,
    )  # fmt: skip
    found = continuity.solve(segment, known, settings)
    sure, _ = continuity.confidence(segment, found, known, trace.frames)
    named = found.named[segment.tracklets.rank]
    names = np.where(named >= 0, np.array([*trace.animals, ""], dtype=object)[named], "")
    keys = ["frame", "detection"]
    whose = recording.detections[keys].assign(animal=recording.whose.to_numpy())
    answers = table[keys].assign(named=names, confidence=np.where(named >= 0, sure, np.nan))
    boxes = whose.merge(answers, how="left", on=keys)
    boxes["right"] = boxes["named"] == boxes["animal"]
    beliefs = continuity.of_tracklets(segment, continuity.posteriors(found, known))
    listed = stretches.find(table, posteriors(table, beliefs, trace.animals), swapped.FPS, Review())
    return boxes, float(listed["seconds"].sum())


def posteriors(table: pd.DataFrame, beliefs: np.ndarray, animals: list[str]) -> pd.DataFrame:
    numbers = np.unique(table["tracklet"])
    return pd.DataFrame(
        {
            "tracklet": np.repeat(numbers, len(animals)),
            "animal": np.tile(np.array(animals, dtype=object), len(numbers)),
            "probability": beliefs.ravel(),
        }
    )


def figures(boxes: pd.DataFrame) -> tuple[float, ...]:
    """Return the shares and means of :data:`COLUMNS`."""
    inside = boxes["frame"].between(swapped.EXCHANGED[0], swapped.EXCHANGED[1] - 1)
    right = boxes["right"]
    given = boxes["confidence"].notna()
    wrong = given & ~right
    return (
        round(100 * right.mean(), 2),
        round(100 * right[inside].mean(), 2),
        round(boxes.loc[right, "confidence"].mean(), 3),
        round(boxes.loc[wrong, "confidence"].mean(), 3) if wrong.any() else float("nan"),
        round(100 * (wrong & (boxes["confidence"] >= SURE)).sum() / len(boxes), 2),
    )
