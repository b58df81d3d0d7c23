"""One segment under every pair of the tracker's IoU and minimum length, end to end (App. C.2)."""

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid import rigs, schemas, tables
from murid.evaluate.counts import count_metrics
from murid.evaluate.outcomes import ORACLE, animal_outcomes, detection_outcomes
from murid.identify import oracle, problem, solvers
from murid.identify.evidence import Readings, read_trace, weigh
from murid.models import fitted_weights
from murid.models.fitted_weights import Affinity
from murid.settings import Solve, StudyTracker
from murid.tracking import link, successive
from murid.tracklets import Tracklets
from murid.truth import evaluated_frames, ground_truth

if TYPE_CHECKING:
    from murid.study.stage import Sweep


def cell(iou: float, min_length: int) -> str:
    """Name a pair of settings, as ``method`` in the table ``counts``."""
    return f"iou={iou:g},min_length={min_length}"


def cells(grid: StudyTracker) -> list[str]:
    """Name all pairs of settings that are tried."""
    return [cell(*pair) for pair in product(grid.ious, grid.min_lengths)]


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
        numbers = link.link(mice["frame"], mice[schemas.BOX], iou, max_age)
        whole = Tracklets(successive.counted(mice["frame"]), numbers)
        runs = link.longest_runs(whole)[whole.rank]
        linked = mice.assign(tracklet=numbers)
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
    linked = Tracklets(tracklets["frame"], tracklets["tracklet"])
    task = problem.build(linked, weigh(tracklets, trace, model, matrix), trace)
    named = solvers.name_rows(task, linked.rank, settings)
    real = named != problem.NOBODY
    animals = np.array(trace.animals, dtype=object)[named[real]]
    return _identities(tracklets[real], animals)


def sweep(stage: "Sweep") -> pd.DataFrame:
    """Track, identify and evaluate one segment under every pair of settings.

    Returns
    -------
    Table ``counts``: ``method`` is a pair of settings as :func:`cell` names it, or ``oracle``.

    Raises
    ------
    InputError
        If the tables do not fit each other or the model.
    """
    detections = tables.read(stage.detections, "detections")
    positions = tables.read(stage.positions, "positions")
    annotations = tables.read(stage.annotations, "annotations")
    model = fitted_weights.read(stage.weights).paper
    matrix = rigs.read_matrices(stage.transforms, [stage.rig])[stage.rig]
    animals = sorted(positions["animal"].unique())
    frames = evaluated_frames(annotations, stage.fps, stage.evaluate)
    if frames.empty:
        return tables.empty("counts")
    truth = ground_truth(annotations, frames["frame"].to_numpy(), animals)
    margin = round(stage.study_tracker.margin * stage.fps)
    kept = detections["label"] == "mouse"
    kept &= near(detections["frame"], frames["frame"], margin)
    mice = detections[kept].sort_values(["frame", "detection"], ignore_index=True)
    trace = read_trace(positions, model)
    best = oracle.assign(mice, annotations, stage.evaluate)
    best = best.merge(mice, on=["frame", "detection"])
    named = {ORACLE: _identities(best, best["animal"].to_numpy())}
    for name, tracklets in tracklets_of(mice, stage.max_age, stage.study_tracker):
        table = identify(tracklets, trace, model, matrix, stage.solve)
        named[name] = table[table["frame"].isin(frames["frame"])].reset_index(drop=True)
    by_animal = animal_outcomes(frames, animals, truth, named, stage.evaluate)
    by_detection = detection_outcomes(frames, mice, named)
    labels = {"cage": stage.cage, "segment": stage.segment, "split": stage.split}
    return count_metrics(by_animal.assign(**labels), by_detection.assign(**labels))


def _identities(rows: pd.DataFrame, animals: NDArray[np.object_]) -> pd.DataFrame:
    columns = ["frame", "animal", "tracklet", "detection", *schemas.BOX, "confidence"]
    return rows.assign(animal=animals, confidence=np.nan).reindex(columns=columns)
