"""The stage ``identify``: one segment's tables in, one table of identities a method out."""

import functools
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import affinity, contracts, made_for, tables, timeline
from murid.affinity import Affinity, Weights
from murid.errors import InputError, naming
from murid.identify import (
    box_scale,
    continuity,
    fit_check,
    fitted,
    norm,
    oracle,
    paths,
    problem,
    rates,
    solvers,
    static,
    strangers,
)
from murid.identify.evidence import Readings, check_frames, read_trace, weigh
from murid.settings import NEED_PATH_MODEL, Grid, Image, Overlap, Paths, Solve
from murid.tables import Verdict

log = logging.getLogger(__name__)

METHODS = ("static_c", "static_p", "ilp", "ilp_lag", "ilp_tempered", "path", "oracle")
LOST = 1e-3
"""Share of the weight of all paths that may be let go without a word."""
Confidence = tuple[NDArray[np.float64], NDArray[np.float64]]
"""How sure each row of a table is, (n,), and that each animal is hidden in each frame, (F, J)."""


def by_ilp(
    tracklets: pd.DataFrame,
    trace: Readings,
    model: Affinity,
    matrix: NDArray[np.float64],
    settings: Solve,
) -> NDArray[np.int64]:
    """Name whole tracklets by the paper's ILP: (n,) animal of each row, -1 = outlier."""
    task = problem.build(tracklets, weigh(tracklets, trace, model, matrix), trace)
    return by_problem(task, np.unique(tracklets["tracklet"], return_inverse=True)[1], settings)


def by_problem(
    task: problem.Problem, which: NDArray[np.int64], settings: Solve
) -> NDArray[np.int64]:
    """Name tracklets by the ILP: (n,) tracklet of each row -> (n,) animal of it, -1 = outlier.

    Raises
    ------
    InputError
        If the time allowed does not suffice.
    """
    try:
        assignment = solvers.solve(task, settings)
    except problem.SolverError as error:
        if settings.time_limit is None:
            raise
        limit = f"a proven optimum within {settings.time_limit:g} s"
        raise InputError("identify.time_limit", f"that {error}", limit) from error
    named = assignment[which] if len(which) else np.zeros(0, dtype=np.int64)
    return np.where(named == task.outlier, static.NOBODY, named)


def to_identities(
    table: pd.DataFrame,
    named: NDArray[np.int64],
    animals: Sequence[str],
    frames: int,
    confidence: Confidence | None = None,
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
    confidence
        If it was estimated.
    """
    grid = pd.DataFrame(
        {
            "frame": np.repeat(np.arange(frames, dtype=np.int32), len(animals)),
            "animal": np.tile(np.array(animals, dtype=object), frames),
        }
    )
    columns = ["tracklet", "detection", *contracts.BOX]
    known = named >= 0
    own = table.loc[known].reindex(columns=columns)
    place = table["frame"].to_numpy(dtype=np.int64)[known] * len(animals) + named[known]
    spread = own.set_axis(place).reindex(np.arange(len(grid)))
    spread["tracklet"] = spread["tracklet"].astype("Int32")
    spread["detection"] = spread["detection"].astype("Int8")
    sure = np.full(len(grid), np.nan)
    if confidence is not None:
        rows, hidden = confidence
        sure = hidden.ravel()
        sure[place] = rows[known]
    return tables.conform(pd.concat([grid, spread], axis=1).assign(confidence=sure), "identities")


def run(
    detections: Path,
    tracklets: Path,
    positions: Path,
    annotations: Path | None,
    weights: Path,
    path_model: Path | None,
    transforms: Path,
    rig: str,
    fps: float,
    outputs: Sequence[tuple[str, Path]],
    output_posteriors: Path | None,
    settings: Solve,
    weighing: Paths,
    overlap: Overlap,
    grid: Grid | None = None,
    image: Image | None = None,
) -> None:
    """Name the tracklets, or detections, of one segment by each of several methods.

    Parameters
    ----------
    detections, tracklets, positions, annotations
        The segment's tables; annotations only for the oracle.
    weights
        The fitted weights (JSON).
    path_model
        The fitted path model (JSON); only for the methods that need it.
    transforms, rig
        Table of the rigs' transforms, and the segment's rig set-up.
    fps
        Frames per second.
    outputs
        ``(method, path)``: which methods to run, and where each writes its table.
    output_posteriors
        Where the table ``posteriors`` goes, if at all; empty unless the method ``path`` is run.
    settings, weighing
        How assignments are solved, and what the methods beyond the paper's weigh.
    overlap
        From which IoU on the oracle takes a detection for an annotated animal.
    grid, image
        The antenna grid and the frame of reference in use, if the models are to be compared with
        them.

    Raises
    ------
    InputError
        If a method is unknown, the tables do not fit each other or the model, or a model was made
        for another grid or frame of reference, or for fewer animals.
    """
    _check_methods([method for method, _ in outputs], path_model, annotations)
    given = [path for path in (positions, annotations, detections, tracklets) if path]
    verdict = tables.read_segment_verdict(transforms, rig, *given)
    if verdict.discarded:
        _write_empty(outputs, output_posteriors, verdict)
        return
    models = affinity.read(weights)
    readings = tables.read(positions, "positions")
    group = readings["animal"].nunique()
    made_for.refuse(weights, "weights", models.made_for, grid, image, group)
    known = fitted.read(path_model) if path_model else None
    if known and known.made_for:
        made_for.refuse(path_model, "path_model", known.made_for, grid, image)
    matrix = tables.read_matrices(transforms, [rig])[rig]
    found = tables.read(detections, "detections")
    mice = found[found["label"] == "mouse"].sort_values(["frame", "detection"], ignore_index=True)
    linked = tables.read(tracklets, "tracklets")
    verdict |= tell_nameless(found, linked)
    with naming(
        detections=detections, tracklets=tracklets, positions=positions, annotations=annotations,
        weights=weights,
    ):  # fmt: skip
        usual = known.norm if known else norm.DEFAULT
        weigh_fit = functools.partial(
            fit_check.weigh_fit, mice, readings, models.lagged, rig, matrix
        )
        fps, fit = rates.judge(
            weigh_fit,
            usual,
            fps,
            rates.others(
                fps,
                timeline.filmed(tables.read_about(positions)),
                known.made_for if known else None,
            ),
        )
        if fit.windows < fit_check.FEWEST:
            log.info("too little to tell whether the antenna trace is the segment's own")
        fit = box_scale.judge(functools.partial(weigh_fit, fps), fit, usual)
        names = timeline.trace(readings, models.lagged.grid).columns
        fit = strangers.judge(weigh_fit(fps), fit, usual, list(names))
        if fit.verdict.reason:
            log.warning("%s", fit.verdict.reason)
        verdict |= fit.verdict
        if verdict.discarded:
            _write_empty(outputs, output_posteriors, verdict)
            return
        readings = fit_check.realign_positions(readings, models.lagged, fit, fps)
        trace = read_trace(readings, models.paper)
        check_frames(mice, trace, "detections")
        check_frames(linked, trace, "tracklets")
        continuity.scores_of(mice, linked)  # raises if they do not belong together

        @functools.cache
        def segment(tested: bool = False) -> continuity.Segment:
            model = models.lagged if weighing.correct_lag else models.paper
            late = read_trace(readings, model, model.lag_frames(rig, fps))
            cutting = weighing if tested else None
            made = known.made_for if known else None
            rate = made.reference_fps if made else None
            return continuity.gather(mice, linked, late, model, matrix, fps, cutting, rate)

        if output_posteriors and "path" not in dict(outputs):
            tables.write(tables.empty("posteriors"), output_posteriors, "posteriors", verdict)
        for method, path in outputs:
            rows, confidence, told, about = linked, None, verdict, {}
            if method == "oracle":
                truth = tables.read(annotations, "annotations")
                table = oracle_identities(mice, truth, overlap, trace.animals, trace.frames)
                tables.write(table, path, "identities", verdict)
                continue
            if method == "ilp":
                named = by_ilp(linked, trace, models.paper, matrix, settings)
            elif method == "ilp_lag":
                named = by_problem(segment().task, segment().which, settings)
            elif method == "ilp_tempered":
                weighed = continuity.gains(segment(), known.score, weighing)
                task = segment().task.with_gains(weighed)
                named = by_problem(task, segment().which, settings)
            elif method == "path":
                pieces = segment(tested=True)
                answer = continuity.solve(pieces, known, weighing)
                named = answer.named[pieces.which]
                frames = linked["frame"].to_numpy(dtype=np.int64)
                confidence = continuity.confidence(pieces, answer, known, frames, trace.frames)
                confidence = tuple(fit.temper(part, len(trace.animals)) for part in confidence)
                about = _searched(pieces, answer)
                told |= _cut_short(answer, weighing)
                told |= _conditions(known, models, len(trace.animals), rig, fps, weighing)
                if output_posteriors:
                    beliefs = continuity.of_tracklets(pieces, continuity.posteriors(answer, known))
                    beliefs = fit.temper(beliefs, len(trace.animals))
                    table = _posteriors(linked, beliefs, trace.animals)
                    tables.write(table, output_posteriors, "posteriors", told, about)
            else:
                rule = static.by_centroid if method == "static_c" else static.by_probability
                rows, named = mice, rule(mice, trace, models.paper, matrix)
            told |= tell_unnamed(method, rows, named)
            table = to_identities(rows, named, trace.animals, trace.frames, confidence)
            tables.write(table, path, "identities", told, about)


def tell_nameless(detections: pd.DataFrame, tracklets: pd.DataFrame) -> Verdict:
    """Say why nobody can be named, where there are boxes (the tables) and none is in a tracklet."""
    if detections.empty or len(tracklets):
        return Verdict()
    mice = int((detections["label"] == "mouse").sum())
    if not mice:
        reason = f"nobody is named: none of {len(detections):,} boxes is labelled mouse"
    else:
        reason = (
            f"nobody is named: none of {mice:,} boxes is in a tracklet. Compare track.iou, "
            "track.min_length and track.max_age with how often there are boxes"
        )
    return Verdict("repaired", reason)


def tell_unnamed(method: str, rows: pd.DataFrame, named: NDArray[np.int64]) -> Verdict:
    """Say so where a method had boxes, rows of a table, and gives nobody any: (n,), -1 = nobody."""
    if not len(named) or (named != static.NOBODY).any():
        return Verdict()
    reason = (
        f"{method} names nobody: it takes each of {len(rows):,} boxes for no animal's. Compare "
        "weights: and path_model:, if they are given, and the rig with what the segment shows"
    )
    log.warning("%s", reason)
    return Verdict("repaired", reason)


def _write_empty(
    outputs: Sequence[tuple[str, Path]], output_posteriors: Path | None, verdict: Verdict
) -> None:
    """Write the tables of a segment that cannot be used."""
    for _, path in outputs:
        tables.write(tables.empty("identities"), path, "identities", verdict)
    if output_posteriors:
        tables.write(tables.empty("posteriors"), output_posteriors, "posteriors", verdict)


def _searched(segment: continuity.Segment, found: paths.Paths) -> dict[str, str]:
    """Tell, in the log and for the tables' metadata, how the path model was solved."""
    about = {
        "pieces": str(segment.tracklets),
        "tracklet_cuts": str(segment.cuts),
        "most_states": str(found.most_states),
        "steps_cut_short": str(found.cut),
        "weight_let_go": f"{found.lost:.2g}",
    }
    log.info("path: %s", ", ".join(f"{name} {value}" for name, value in about.items()))
    return about


def _cut_short(found: paths.Paths, settings: Paths) -> Verdict:
    """Say so if what the search let go could have changed names or how sure they are."""
    if found.lost <= LOST:
        return Verdict()
    reason = (
        f"the search for names let go of {found.lost:.2g} of the weight of all that is possible, "
        f"where at most {LOST:g} is negligible: more than identify.most_states "
        f"{settings.most_states} states were worth keeping at {found.cut} tracklets; raise it"
    )
    log.warning("%s", reason)
    return Verdict("repaired", reason)


def _conditions(
    model: fitted.PathModel, weights: Weights, animals: int, rig: str, fps: float, settings: Paths
) -> Verdict:
    """Say in what a segment differs from those that confidence was learnt from."""
    if model.made_for is None:
        return Verdict()
    lag = weights.lagged.lag(rig) if settings.correct_lag else 0.0
    found = made_for.differences(
        model.made_for, animals, fps, settings.model_dump(), (rig, lag), weights.digest
    )
    remark = made_for.remark(found)
    if not remark:
        return Verdict()
    log.warning("%s", remark)
    return Verdict("repaired", remark)


def _check_methods(
    methods: Sequence[str], path_model: Path | None, annotations: Path | None
) -> None:
    for method in methods:
        if method not in METHODS:
            raise InputError("options", f"the method {method!r}", f"one of {', '.join(METHODS)}")
        if methods.count(method) > 1:
            raise InputError("options", f"the method {method!r} twice", "each method once")
        if method in NEED_PATH_MODEL and path_model is None:
            raise InputError(
                "options", f"the method {method!r} without a path model", "--path-model FILE",
                remedy="murid fit-path makes one.",
            )  # fmt: skip
        if method == "oracle" and annotations is None:
            raise InputError(
                "options", "the method 'oracle' without annotations", "--annotations FILE"
            )


def _posteriors(
    tracklets: pd.DataFrame, probabilities: NDArray[np.float64], animals: Sequence[str]
) -> pd.DataFrame:
    numbers = np.unique(tracklets["tracklet"])
    return pd.DataFrame(
        {
            "tracklet": np.repeat(numbers, len(animals)),
            "animal": np.tile(np.array(animals, dtype=object), len(numbers)),
            "probability": probabilities.ravel(),
        }
    )


def oracle_identities(
    mice: pd.DataFrame,
    truth: pd.DataFrame,
    overlap: Overlap,
    animals: Sequence[str],
    frames: int,
) -> pd.DataFrame:
    """Return the table ``identities`` of the oracle, in annotated frames only.

    Raises
    ------
    InputError
        If the annotations name an animal that has no positions.
    """
    matched = oracle.assign(mice, truth, overlap)
    index = {name: number for number, name in enumerate(animals)}
    rows = matched.merge(mice, on=["frame", "detection"])
    strange = ~rows["animal"].isin(index)
    if strange.any():
        frame, animal = rows.loc[strange, ["frame", "animal"]].iloc[0]
        raise InputError(
            "annotations", f"the animal {animal!r}",
            f"one of {', '.join(animals) or '(none)'}, which have positions",
            where=f"frame {frame}",
        )  # fmt: skip
    named = rows["animal"].map(index).to_numpy(dtype=np.int64)
    table = to_identities(rows, named, animals, frames)
    return table[table["frame"].isin(truth["frame"])].reset_index(drop=True)
