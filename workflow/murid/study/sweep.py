"""One segment under every pair of the tracker's IoU and minimum length, end to end (App. C.2)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import affinity, contracts, tables, track
from murid.affinity import Affinity
from murid.evaluate.counts import count_metrics
from murid.evaluate.outcomes import ORACLE, animal_outcomes, detection_outcomes
from murid.identify import oracle, problem, solvers
from murid.identify.evidence import Readings, read_trace, weigh
from murid.settings import Evaluate, Solve, StudyTracker
from murid.truth import evaluated_frames, ground_truth


def cell(iou: float, min_length: int) -> str:
    """Name a pair of settings, as ``method`` in the table ``counts``."""
    return f"iou={iou:g},min_length={min_length}"


def near(frames: ArrayLike, wanted: ArrayLike, margin: int) -> NDArray[np.bool_]:
    """Tell which frames lie within ``margin`` of a wanted one: (n,), (m,) -> (n,)."""
    frames, wanted = np.asarray(frames, dtype=np.int64), np.unique(np.asarray(wanted))
    after = np.searchsorted(wanted, frames - margin)
    return after < np.searchsorted(wanted, frames + margin, side="right")


def tracklets_of(
    mice: pd.DataFrame, max_age: int, grid: StudyTracker
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Track once an IoU, and filter by every minimum length.

    Parameters
    ----------
    mice
        Rows of the table ``detections`` labelled mouse, by frame and detection.
    max_age
        Frames without a detection that a tracklet survives.
    grid
        The settings to try.

    Yields
    ------
    The name of each pair of settings, and its tracklets; their numbers may have gaps.
    """
    for iou in grid.ious:
        links = track.link(mice["frame"], mice[contracts.BOX], iou, max_age)
        runs = track.longest_runs(mice["frame"], links.tracklet)
        linked = mice.assign(tracklet=links.tracklet)
        for length in grid.min_lengths:
            yield cell(iou, length), linked[runs >= length].reset_index(drop=True)


def identify(
    tracklets: pd.DataFrame,
    trace: Readings,
    model: Affinity,
    matrix: NDArray[np.float64],
    settings: Solve,
) -> pd.DataFrame:
    """Name tracklets by the paper's ILP.

    Returns
    -------
    Rows of the table ``identities`` that have a box; an animal without a row is hidden.
    """
    task = problem.build(tracklets, weigh(tracklets, trace, model, matrix), trace)
    assignment = solvers.solve(task, settings)
    which = np.unique(tracklets["tracklet"], return_inverse=True)[1]
    named = assignment[which] if len(which) else np.zeros(0, dtype=np.int64)
    real = named != task.outlier
    animals = np.array(trace.animals, dtype=object)[named[real]]
    return _identities(tracklets[real], animals)


def sweep(
    found: pd.DataFrame,
    positions: pd.DataFrame,
    annotations: pd.DataFrame,
    model: Affinity,
    matrix: NDArray[np.float64],
    fps: float,
    labels: Mapping[str, str],
    max_age: int,
    solve: Solve,
    evaluate: Evaluate,
    grid: StudyTracker,
) -> pd.DataFrame:
    """Track, identify and evaluate one segment under every pair of settings.

    Parameters
    ----------
    found, positions, annotations
        The segment's tables; ``found`` are the detections.
    model, matrix
        The fitted weights, and (2, 3) raw pixels to the frame of reference.
    fps
        Frames per second.
    labels
        ``cage``, ``segment``, ``split``.
    max_age
        Frames without a detection that a tracklet survives.
    solve, evaluate
        Settings of the stages.
    grid
        Which pairs, and how far around the evaluated frames detections are tracked.

    Returns
    -------
    Table ``counts``: ``method`` is a pair of settings as :func:`cell` names it, or ``oracle``.
    """
    animals = sorted(positions["animal"].unique())
    frames = evaluated_frames(annotations, fps, evaluate)
    if frames.empty:
        return tables.empty("counts")
    truth = ground_truth(annotations, frames["frame"].to_numpy(), animals)
    margin = round(grid.margin * fps)
    kept = (found["label"] == "mouse") & near(found["frame"], frames["frame"], margin)
    mice = found[kept].sort_values(["frame", "detection"], ignore_index=True)
    trace = read_trace(positions, model)
    best = oracle.assign(mice, annotations, evaluate).merge(mice, on=["frame", "detection"])
    named = {ORACLE: _identities(best, best["animal"].to_numpy())}
    for name, tracklets in tracklets_of(mice, max_age, grid):
        table = identify(tracklets, trace, model, matrix, solve)
        named[name] = table[table["frame"].isin(frames["frame"])].reset_index(drop=True)
    by_animal = animal_outcomes(frames, animals, truth, named, evaluate)
    by_detection = detection_outcomes(frames, mice, named)
    return count_metrics(by_animal.assign(**labels), by_detection.assign(**labels))


def _identities(rows: pd.DataFrame, animals: NDArray[np.object_]) -> pd.DataFrame:
    columns = ["frame", "animal", "tracklet", "detection", *contracts.BOX, "confidence"]
    return rows.assign(animal=animals, confidence=np.nan).reindex(columns=columns)


def run(
    labels: Mapping[str, str],
    fps: float,
    detections: Path,
    positions: Path,
    annotations: Path,
    weights: Path,
    transforms: Path,
    rig: str,
    output: Path,
    max_age: int,
    solve: Solve,
    evaluate: Evaluate,
    grid: StudyTracker,
) -> None:
    """Count what every pair of settings gets right in one segment.

    Parameters
    ----------
    labels
        ``cage``, ``segment``, ``split``.
    fps
        Frames per second.
    detections, positions, annotations
        The segment's tables.
    weights, transforms, rig
        The fitted model, the table of transforms, and the segment's rig set-up.
    output
        The table ``counts`` to write.
    max_age, solve, evaluate, grid
        As :func:`sweep`.

    Raises
    ------
    InputError
        If the tables do not fit each other or the model.
    """
    verdict = tables.read_segment_verdict(transforms, rig, detections, positions, annotations)
    counts = tables.empty("counts")
    if not verdict.discarded:
        counts = sweep(
            tables.read(detections, "detections"),
            tables.read(positions, "positions"),
            tables.read(annotations, "annotations"),
            affinity.read(weights).paper,
            tables.read_matrices(transforms, [rig])[rig],
            fps,
            labels,
            max_age,
            solve,
            evaluate,
            grid,
        )
    tables.write(counts, output, "counts", verdict)
