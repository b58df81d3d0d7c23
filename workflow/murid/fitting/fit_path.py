"""Fitting the path model to tracked and annotated segments."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median_high
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import tables, timeline
from murid.choice import spread_over
from murid.errors import InputError, LeftOut, naming
from murid.fitting import exchanged, learn
from murid.identify import continuity, fit_check, learn_norm, oracle
from murid.models import fitted_weights, made_for
from murid.models.fitted_path import PathModel
from murid.models.fitted_weights import Affinity, Weights
from murid.models.made_for import MadeFor
from murid.segment import Segment
from murid.settings import FitPath, Overlap, Paths
from murid.truth import shown_animals, unambiguous_frames

if TYPE_CHECKING:
    from murid.fitting.stage import FitPath as Stage

log = logging.getLogger(__name__)

CONDITIONS = (
    "correct_lag", "antenna_weight", "dwell_exponent", "presence_weight", "reading_life",
    "score_weight", "transitions",
)  # fmt: skip
"""Settings that change how sure the model is of a name."""
_JUDGED_AS = {
    "frame": np.int64, "animal": object, "boxed": bool, "stated": np.float64,
    "absence": np.float64, "begin": np.int64, "right": bool,
}  # fmt: skip
_JUDGED = list(_JUDGED_AS)


@dataclass(frozen=True)
class Recording:
    """What a segment is fitted by: its tables, as arrays where they are big."""

    weighed: continuity.Weighed
    numbers: NDArray[np.int64]
    """Number of the detection of each row of the table of tracklets."""
    animals: list[str]
    frames: int
    detections: pd.DataFrame
    annotations: pd.DataFrame
    fit: tuple[fit_check.Sampled, NDArray[np.int64], float]
    """What its boxes say of antennas, its readings, and its rig's lag in seconds."""


def load(
    segment: Segment, weights: Weights, settings: Paths, reference_fps: float | None = None
) -> Recording | None:
    """Reduce a segment to what is learnt from it.

    ``reference_fps`` are the frames a second for which the settings' factors of summed evidence
    hold; None: those of the segment.

    Returns
    -------
    Nothing if the segment was discarded.

    Raises
    ------
    InputError
        If the tables do not fit each other or the weights.
    """
    if segment.verdict_of_tables().discarded:
        return None
    mice, annotations, path = segment.mice, segment.annotations, segment.files["annotations"]
    refuse_exchanged(segment, weights.lagged)
    reason = tables.read_verdict(path).reason
    if annotations.empty and reason:
        log.warning("%s: motion alone is learnt from it: %s", path, reason)
    segment.linked  # noqa: B018 - raises
    weighed = continuity.weigh_segment(segment, weights, settings, reference_fps)
    trace = timeline.trace(segment.positions, weights.paper.grid)
    numbers = segment.tracklets["detection"].to_numpy(dtype=np.int64)
    # Of the many detections, only those of annotated frames are needed from here on.
    near = mice[mice["frame"].isin(annotations["frame"])].reset_index(drop=True)
    fit = fit_check.weigh_fit(segment, weights.lagged, segment.fps)
    return Recording(weighed, numbers, list(trace.columns), len(trace), near, annotations, fit)


def refuse_exchanged(segment: Segment, model: Affinity) -> None:
    """Refuse a segment whose names are exchanged: right names would be taken for wrong ones.

    Parameters
    ----------
    segment
        The segment.
    model
        The weights of readings put right by the lag.

    Raises
    ------
    InputError
        Naming who is whom by the readings.
    """
    boxes = exchanged.boxes_of(segment, model.grid, model.lag(segment.rig))
    outlier = model.outlier_mean, model.outlier_covariance
    if (exchange := exchanged.exchanged(boxes, model, outlier)) is not None:
        raise InputError(
            segment.files["annotations"],
            f"boxes that fit the antenna trace better if those named {exchange}",
            f"names that fit (the others do so by {exchange.gain:.1f} nats a box)",
            remedy="Exchange the names in the annotations, or the columns of the antenna trace.",
        )  # fmt: skip


def fit(
    training: Sequence[Recording],
    validating: Sequence[Recording],
    settings: Paths,
    how: FitPath,
    overlap: Overlap,
) -> PathModel:
    """Learn motion and scores from some segments, and confidence from others.

    Parameters
    ----------
    training, validating
        Segments; the latter should be of cages that the weights were not fitted to: the confidence
        of names is learnt from them alone, that of absences from all. Without any annotated box of
        theirs, training ones tell how sure names are at most.
    settings, how
        How tracklets are named, and how much is learnt.
    overlap
        From which IoU on a box is an annotated animal's.

    Raises
    ------
    InputError
        If there is nothing to learn from.
    """
    if not sum(len(recording.weighed) for recording in training):
        raise InputError(
            "segments", "no tracklets", "usable segments with tracklets",
            remedy="Set path_model, or leave the methods that need it out of identify.methods.",
        )  # fmt: skip
    pairs = [(recording.detections, recording.annotations) for recording in training]
    score, counts = learn.learn_score(pairs, overlap)
    segments = [(recording.weighed, recording.frames) for recording in training]
    motion, transitions = learn.learn_motion(segments, score, settings, how)
    if all(recording.annotations.empty for recording in training):
        score, counts = learn.learn_score_by_names([one for one, _ in segments], motion, settings)
    model = PathModel(motion, score)
    # Names are too good to be true in segments that the weights were fitted to, absences are not: a
    # detector misses an animal whatever the weights.
    others = [] if training is validating else training
    judged = _judged([*validating, *others], model, settings, overlap)
    absent, boxed_rows = judged.query("~boxed"), judged.query("boxed")
    named = boxed_rows[boxed_rows.index.get_level_values("segment") < len(validating)]
    provenance = {
        "segments": len(training),
        "transitions": transitions,
        "scores": counts,
        "validating_segments": len(validating),
        "named_rows": len(named),
        "absent_rows": len(absent),
    }
    put_right = learn.calibrate if len(named) else learn.cool
    known = named if len(named) else boxed_rows
    boxed = put_right(known["stated"].to_numpy(), known["right"].to_numpy(dtype=bool))
    absences = absent.groupby(["segment", "animal", "begin"], sort=False).ngroup()
    hidden = learn.learn_missed(
        absent["absence"].to_numpy(),
        absent["right"].to_numpy(dtype=bool),
        absences.to_numpy(),
        absent["stated"].to_numpy(dtype=np.float64),
    )
    norm = learn_norm.learn([recording.fit for recording in [*validating, *others]])
    return replace(model, boxed=boxed, hidden=hidden, norm=norm, provenance=provenance)


def _judged(
    recordings: Sequence[Recording], model: PathModel, settings: Paths, overlap: Overlap
) -> pd.DataFrame:
    """Judge several recordings, whose place is the first level of the index, ``segment``."""
    judged = [judge(recording, model, settings, overlap) for recording in recordings]
    if not judged:
        judged = [pd.DataFrame(columns=_JUDGED).astype(_JUDGED_AS)]
    return pd.concat(judged, keys=range(len(judged)), names=["segment"])


def judge(
    recording: Recording, model: PathModel, settings: Paths, overlap: Overlap
) -> pd.DataFrame:
    """Name a segment's tracklets, and tell for each animal in annotated frames if that is right.

    Returns
    -------
    Columns ``frame, animal``, ``boxed`` (it was named a box), ``stated`` (the posterior probability
    of that, or of having none), ``absence`` and ``begin`` (for how many seconds and from which
    frame it has none), and ``right``: the box is the animal's by the oracle, or the animal is
    annotated as hidden.
    """
    frames = np.intersect1d(unambiguous_frames(recording.annotations), np.arange(recording.frames))
    weighed = recording.weighed
    answer = continuity.solve(weighed, model, settings)
    absent, lengths, begins = continuity.absences(weighed, answer, recording.frames)
    truth = recording.annotations[recording.annotations["frame"].isin(frames)]
    shown = shown_animals(truth)
    visible = set(zip(shown["frame"], shown["animal"], strict=True))
    matched = oracle.assign(recording.detections, truth, overlap)
    rightful = set(matched[["frame", "animal", "detection"]].itertuples(index=False, name=None))
    frame_of = weighed.tracklets.frames
    near = np.flatnonzero(np.isin(frame_of, frames))
    named = answer.named[weighed.tracklets.rank[near]]
    near, named = near[named >= 0], named[named >= 0]
    row_of = dict(
        zip(
            zip(frame_of[near].tolist(), named.tolist(), strict=True),
            near,
            strict=True,
        )
    )
    rows = []
    for frame in frames.tolist():
        for number, animal in enumerate(recording.animals):
            row = row_of.get((frame, number))
            if row is None:
                stated, right = absent[frame, number], (frame, animal) not in visible
            else:
                stated = answer.probabilities[weighed.tracklets.rank[row], number]
                right = (frame, animal, int(recording.numbers[row])) in rightful
            absence = lengths[frame, number] / weighed.fps, begins[frame, number]
            rows.append((frame, animal, row is not None, stated, *absence, right))
    # Of a segment without annotated frames there are no rows, from which no dtypes are told.
    return pd.DataFrame(rows, columns=_JUDGED).astype(_JUDGED_AS)


def fit_segments(stage: "Stage") -> PathModel:
    """Fit the path model to the segments of a stage.

    Motion and scores are learnt from those of Train, confidence from the others; without any of
    Train, motion and scores are learnt from the others too. A segment of which the tables cannot be
    read, or do not fit each other or the weights, or of which the rig has no transform, is left
    out, and the log says so.

    Raises
    ------
    InputError
        If there is nothing to learn from, or the weights were made for something else.
    """
    models = fitted_weights.read(stage.weights)
    made_for.refuse(stage.weights, "weights", models.made_for, stage.grid, stage.image)
    others = LeftOut(log)
    # That of most segments: one that is filmed faster does not change what others say.
    rates = [segment.fps for segment in stage.segments]
    reference = median_high(rates) if rates else 0.0

    def load_all(training: bool) -> list[Recording]:
        given = [segment for segment in stage.segments if (segment.split == "Train") == training]
        loaded = []
        for one in spread_over(given, stage.fit_path.max_segments):
            segment = Segment.of(one, stage.transforms)
            with others.if_faulty(one.positions), naming(weights=stage.weights, **segment.files):
                recording = load(segment, models, stage.paths, reference)
                loaded += [recording] if recording is not None else []
        return loaded

    validating = load_all(training=False)
    training = load_all(training=True) or validating
    if not training:
        others.raise_if_all()
    model = fit(training, validating, stage.paths, stage.fit_path, stage.overlap)
    conditions = _conditions([*training, *validating], models, stage.paths)
    digests = [models.digest]
    if stage.naming_weights is not None:
        digests.append(fitted_weights.read(stage.naming_weights).digest)
    # The segments that the rate is of may have been left out.
    slowest, fastest = conditions.fps
    fps = min(slowest, reference), max(fastest, reference)
    made = replace(
        conditions, fps=fps, weights=tuple(dict.fromkeys(digests)), evidence_fps=reference
    )
    return replace(model, made_for=made)


def _conditions(recordings: Sequence[Recording], weights: Weights, settings: Paths) -> MadeFor:
    """Tell under which conditions a path model is fitted."""
    groups = [len(recording.animals) or 1 for recording in recordings]
    rates = [recording.weighed.fps for recording in recordings]
    return replace(
        weights.made_for,
        animals=(min(groups), max(groups)),
        fps=(min(rates), max(rates)),
        weighing={name: getattr(settings, name) for name in CONDITIONS},
        lags=weights.lagged.lags if settings.correct_lag else weights.paper.lags,
    )
