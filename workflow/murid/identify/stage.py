"""The stage ``identify``: one segment's tables in, one table of identities a method out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import affinity, tables
from murid.affinity import Affinity
from murid.errors import InputError
from murid.identify import oracle, problem, solvers, static
from murid.identify.evidence import Readings, read_trace, weigh
from murid.settings import Solve

METHODS = ("static_c", "static_p", "ilp", "oracle")


def by_ilp(
    tracklets: pd.DataFrame,
    trace: Readings,
    model: Affinity,
    matrix: NDArray[np.float64],
    settings: Solve,
) -> NDArray[np.int64]:
    """Name whole tracklets by the paper's ILP: (n,) animal of each row, -1 = outlier."""
    task = problem.build(tracklets, weigh(tracklets, trace, model, matrix), trace)
    try:
        assignment = solvers.solve(task, settings)
    except problem.SolverError as error:
        if settings.time_limit is None:
            raise
        limit = f"a proven optimum within {settings.time_limit:g} s"
        raise InputError("identify.time_limit", f"that {error}", limit) from error
    which = np.unique(tracklets["tracklet"], return_inverse=True)[1]
    named = assignment[which] if len(which) else np.zeros(0, dtype=np.int64)
    return np.where(named == task.outlier, static.NOBODY, named)


def to_identities(
    table: pd.DataFrame, named: NDArray[np.int64], animals: Sequence[str], frames: int
) -> pd.DataFrame:
    """Turn named rows into the table ``identities``: every animal at every frame, hidden or not.

    Parameters
    ----------
    table
        Rows with ``frame, detection``, a box and perhaps ``tracklet``.
    named
        (n,), index of the animal of each row, -1 = nobody.
    animals
        Names.
    frames
        Number of frames of the segment.
    """
    grid = pd.DataFrame(
        {
            "frame": np.repeat(np.arange(frames, dtype=np.int32), len(animals)),
            "animal": np.tile(np.array(animals, dtype=object), frames),
        }
    )
    columns = ["tracklet", "detection", *tables.BOX]
    known = named >= 0
    own = table.loc[known].reindex(columns=columns)
    place = table["frame"].to_numpy(dtype=np.int64)[known] * len(animals) + named[known]
    spread = own.set_axis(place).reindex(np.arange(len(grid)))
    spread["tracklet"] = spread["tracklet"].astype("Int32")
    spread["detection"] = spread["detection"].astype("Int8")
    return tables.conform(pd.concat([grid, spread], axis=1).assign(confidence=np.nan), "identities")


def run(
    detections: Path,
    tracklets: Path,
    positions: Path,
    annotations: Path,
    weights: Path,
    transforms: Path,
    rig: str,
    outputs: Sequence[tuple[str, Path]],
    settings: Solve,
) -> None:
    """Name the tracklets, or detections, of one segment by each of several methods.

    Parameters
    ----------
    detections, tracklets, positions, annotations
        The segment's tables.
    weights
        The fitted model (JSON).
    transforms, rig
        Table of the rigs' transforms, and the segment's rig set-up.
    outputs
        ``(method, path)``: which methods to run, and where each writes its table.

    Raises
    ------
    InputError
        If a method is unknown, or the tables do not fit each other or the model.
    """
    for method, _ in outputs:
        if method not in METHODS:
            raise InputError("options", f"the method {method!r}", f"one of {', '.join(METHODS)}")
    verdict = tables.read_verdict(positions, annotations, detections, tracklets)
    if verdict.discarded:
        for _, path in outputs:
            tables.write(tables.empty("identities"), path, "identities", verdict)
        return
    model = affinity.read(weights)
    matrix = tables.read_matrices(transforms, [rig])[rig]
    trace = read_trace(tables.read(positions, "positions"), model)
    found = tables.read(detections, "detections")
    mice = found[found["label"] == "mouse"].sort_values(["frame", "detection"], ignore_index=True)
    linked = tables.read(tracklets, "tracklets")
    for method, path in outputs:
        if method == "oracle":
            truth = tables.read(annotations, "annotations")
            table = _oracle_identities(mice, truth, trace)
        elif method == "ilp":
            named = by_ilp(linked, trace, model, matrix, settings)
            table = to_identities(linked, named, trace.animals, trace.frames)
        else:
            rule = static.by_centroid if method == "static_c" else static.by_probability
            named = rule(mice, trace, model, matrix)
            table = to_identities(mice, named, trace.animals, trace.frames)
        tables.write(table, path, "identities", verdict)


def _oracle_identities(mice: pd.DataFrame, truth: pd.DataFrame, trace: Readings) -> pd.DataFrame:
    matched = oracle.assign(mice, truth)
    index = {name: number for number, name in enumerate(trace.animals)}
    rows = matched.merge(mice, on=["frame", "detection"])
    strange = ~rows["animal"].isin(index)
    if strange.any():
        frame, animal = rows.loc[strange, ["frame", "animal"]].iloc[0]
        raise InputError(
            "annotations", f"the animal {animal!r}",
            f"one of {', '.join(trace.animals) or '(none)'}, which have positions",
            where=f"frame {frame}",
        )  # fmt: skip
    named = rows["animal"].map(index).to_numpy(dtype=np.int64)
    table = to_identities(rows, named, trace.animals, trace.frames)
    return table[table["frame"].isin(truth["frame"])].reset_index(drop=True)
