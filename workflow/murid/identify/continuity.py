"""From a segment's tables to the path model's problem, and from its answer to confidences."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid.errors import InputError
from murid.identify import corrections, dwells, paths, pieces, problem
from murid.identify.corrections import Answered
from murid.identify.evidence import Readings, read_trace, reference_boxes, weigh
from murid.models.fitted_path import Motion, PathModel, Score
from murid.models.fitted_weights import Affinity, Weights
from murid.segment import Segment
from murid.settings import Paths
from murid.tracklets import Tracklets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STILL = Motion(np.zeros(1), np.zeros(1), np.ones((1, 4)), np.ones(4), np.zeros(1), 0.0)
"""No memory of where an animal was."""
_LEAST = 1e-12
"""Probability that keeps a candidate among the candidates."""


@dataclass(frozen=True)
class Weighed:
    """A segment's tracklets, or the pieces they are cut into, as the path model sees them.

    Attributes
    ----------
    tracklets
        The rows of each.
    opening, closing
        (I, 4) ``x, y, log w, log h`` of the first and the last box, frame of reference.
    task
        The paper's problem, with evidence of the antennas alone.
    scores
        (n,) score of each row's detection.
    fps
        Frames per second.
    whole
        (I,) tracklet that each is a piece of, by its rank; None: none is cut.
    counts
        What a frame's evidence counts, against one at the rate for which factors are set.
    antennas
        (I, J) what the antennas say for each animal, weighed by their dwells; None: every frame of
        ``task`` counts alike.
    answered
        What people know of rows for certain; None: nobody was asked.
    """

    tracklets: Tracklets
    opening: Floats
    closing: Floats
    task: problem.Problem
    scores: Floats
    fps: float
    whole: Ints | None = None
    counts: float = 1.0
    antennas: Floats | None = None
    answered: Answered | None = None

    def __len__(self) -> int:
        """Return the number of tracklets, or pieces, I."""
        return len(self.tracklets)

    @property
    def cuts(self) -> int:
        """Number of places at which tracklets are cut."""
        return 0 if self.whole is None else len(self.whole) - len(np.unique(self.whole))

    def linked(self, earlier: Ints, later: Ints) -> NDArray[np.bool_]:
        """Tell whether pieces follow each other in one tracklet: (P,), (P,) -> (P,)."""
        if self.whole is None:
            return np.zeros(len(later), dtype=bool)
        # Pieces are numbered by tracklet and frame.
        return (self.whole[earlier] == self.whole[later]) & (earlier + 1 == later)


def weigh_segment(
    segment: Segment,
    weights: Weights,
    settings: Paths,
    reference_fps: float | None = None,
    cut: bool = True,
    answered: Answered | None = None,
) -> Weighed:
    """Weigh a segment's tracklets by its readings, put right by the lag if the settings say so.

    Parameters
    ----------
    segment
        The segment.
    weights
        The fitted models.
    settings
        Whether the lag is corrected, and as for :func:`gather`.
    reference_fps, cut, answered
        As for :func:`gather`.

    Raises
    ------
    InputError
        As :func:`gather`, or if a reading lies outside the model's grid.
    """
    model = weights.lagged if settings.correct_lag else weights.paper
    lag, life = model.lag_frames(segment.rig, segment.fps), settings.reading_life * segment.fps
    trace = read_trace(segment.positions, model, lag, life)
    return gather(
        segment.mice, segment.tracklets, trace, model, segment.matrix, segment.fps, settings,
        reference_fps, cut, answered,
    )  # fmt: skip


def gather(
    detections: pd.DataFrame,
    table: pd.DataFrame,
    trace: Readings,
    affinity: Affinity,
    matrix: ArrayLike,
    fps: float,
    settings: Paths,
    reference_fps: float | None = None,
    cut: bool = True,
    answered: Answered | None = None,
) -> Weighed:
    """Weigh tracklets, or the pieces that they are cut into.

    Parameters
    ----------
    detections, table
        Tables of the segment's mice, and of its tracklets.
    trace
        Its antennas, as the model ``affinity`` wants them.
    affinity, matrix
        The model of a box given an antenna; (2, 3), raw pixels to the frame of reference.
    fps
        Frames per second.
    settings
        How evidence is weighed, and how tracklets are cut where the antennas speak for several
        animals in turn.
    reference_fps
        Frames per second for which the factors of summed evidence are set; None: those of the
        segment. Evidence adds up by the second: at twice the rate a frame counts half.
    cut
        Whether tracklets are cut at all.
    answered
        What people know of rows of ``table`` for certain, which cuts tracklets, too.

    Raises
    ------
    InputError
        If a box lies after the last reading, or a tracklet has a box that is no detection.
    """
    tracklets, whole = Tracklets(table["frame"], table["tracklet"]), None
    evidence = weigh(table, trace, affinity, matrix)
    scores = scores_of(detections, table)
    counts = reference_fps / fps if reference_fps else 1.0
    constant = dwells.is_constant(settings)
    if constant:
        odds = evidence.animals - evidence.outlier[:, None] - trace.hidden[tracklets.frames]
        rows = settings.antenna_weight * counts * odds
    else:
        rows = counts * dwells.weigh_down(evidence, trace, tracklets.frames, fps, settings)
    if cut and (settings.transitions or answered is not None):
        pieced = Tracklets(table["frame"], _pieces(table, tracklets, rows, settings, answered))
        whole, tracklets = tracklets.rank[pieced.opening], pieced
    task = problem.build(tracklets, evidence, trace)
    geometry = reference_boxes(table, matrix)
    geometry[:, 2:] = np.log(geometry[:, 2:])
    return Weighed(
        tracklets=tracklets,
        opening=geometry[tracklets.opening],
        closing=geometry[tracklets.closing],
        task=task,
        scores=scores,
        fps=fps,
        whole=whole,
        counts=counts,
        antennas=None if constant else _summed(rows, tracklets),
        answered=answered,
    )


def _summed(rows: Floats, tracklets: Tracklets) -> Floats:
    """Sum over the rows of each tracklet: (n, J) -> (I, J)."""
    sums = np.zeros((len(tracklets), rows.shape[1]))
    np.add.at(sums, tracklets.rank, rows)
    return sums


def _pieces(
    table: pd.DataFrame,
    tracklets: Tracklets,
    rows: Floats,
    settings: Paths,
    answered: Answered | None,
) -> Ints:
    """Return the piece of each row: cut where the antennas say so, and where answers must be."""
    numbers = tracklets.rank
    if settings.transitions:
        numbers = pieces.cut(table, rows, settings.doubt)
    if answered is not None:
        numbers = corrections.cut(table, numbers, rows, answered)
    return numbers


def scores_of(detections: pd.DataFrame, tracklets: pd.DataFrame) -> Floats:
    """Look up the score of each row of a table of tracklets: (n,).

    Raises
    ------
    InputError
        If a tracklet has a box that is no detection.
    """
    keys = _key(detections)
    order = np.argsort(keys)
    wanted = _key(tracklets)
    place = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    missing = np.ones(len(wanted), dtype=bool)
    if len(keys):
        missing = keys[order[place]] != wanted
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise InputError(
            "tracklets", f"detection {tracklets['detection'].iloc[row]}",
            "a detection that the table of detections has",
            where=f"row {row} (frame {tracklets['frame'].iloc[row]})",
            remedy="Detections and tracklets belong to different runs: track again.",
        )  # fmt: skip
    return detections["score"].to_numpy(dtype=np.float64)[order[place]]


def _key(table: pd.DataFrame) -> Ints:
    return table["frame"].to_numpy(dtype=np.int64) * 128 + table["detection"].to_numpy(np.int64)


def gains(weighed: Weighed, score: Score, settings: Paths) -> Floats:
    """Return the log odds of each tracklet being each animal against nobody: (I, J).

    Consecutive frames say nearly the same thing, so that sums over them are overconfident: what the
    antennas say and what the scores say is weighed down, the former by the animals' dwells
    (:mod:`.dwells`), the latter by a factor. A higher frame rate says no more: the factors are
    those of a second's evidence, not a frame's.
    """
    scored = np.bincount(
        weighed.tracklets.rank, score.log_odds(weighed.scores), minlength=len(weighed)
    )
    antennas = weighed.antennas
    if antennas is None:
        antennas = settings.antenna_weight * weighed.counts * weighed.task.gains()
    return antennas + settings.score_weight * weighed.counts * scored[:, None]


def build(
    weighed: Weighed, motion: Motion, weights: Floats, link_weight: float = 0.0
) -> paths.PathProblem:
    """Join gains, (I, J), and transitions to a problem.

    That two pieces are of one tracklet speaks for one animal, by the weight given.
    """
    reach = motion.reach_frames(weighed.fps)
    pointers, previous, later = paths.predecessors(
        weighed.tracklets.first, weighed.tracklets.last, reach
    )
    change = weighed.opening[later] - weighed.closing[previous]
    gap = weighed.tracklets.first[later] - weighed.tracklets.last[previous]
    moves = motion.moves(change, gap, weighed.fps)
    moves += link_weight * weighed.linked(previous, later)
    return paths.PathProblem(
        weighed.tracklets.first,
        weighed.tracklets.last,
        weights,
        pointers,
        previous,
        moves,
        motion.fresh,
    )


def solve(weighed: Weighed, model: PathModel, settings: Paths) -> paths.Paths:
    """Name the tracklets of a weighed."""
    return paths.solve(*posed(weighed, model, settings))


def posed(
    weighed: Weighed, model: PathModel, settings: Paths
) -> tuple[paths.PathProblem, int, int, float]:
    """Return the problem of a weighed, and what limits its search, as :func:`.paths.solve` has it.

    What was answered is obeyed.
    """
    motion = model.motion if settings.transitions else STILL
    weights = gains(weighed, model.score, settings)
    task = build(weighed, motion, weights, settings.link_weight)
    if weighed.answered is not None:
        task = corrections.constrain(task, weighed.tracklets.rank, weighed.answered)
    return task, motion.reach_frames(weighed.fps), settings.most_states, settings.worst


def confidence(
    weighed: Weighed, answer: paths.Paths, model: PathModel, total_frames: int
) -> tuple[Floats, Floats]:
    """Tell how probable it is that a row of the table ``identities`` is right.

    Parameters
    ----------
    weighed, answer, model
        The tracklets, what they are named, and the calibration.
    total_frames
        Frames of the segment, F.

    Returns
    -------
    (n,) that the row's tracklet is the animal that it is named, and (F, J) that an animal without a
    tracklet is hidden.
    """
    named = answer.named[weighed.tracklets.rank]
    stated = answer.probabilities[weighed.tracklets.rank]
    chosen = np.take_along_axis(stated, named.clip(0)[:, None], axis=1)[:, 0]
    absent, lengths, _ = absences(weighed, answer, total_frames)
    return model.boxed(chosen), absent * model.hidden(lengths / weighed.fps)


def absences(
    weighed: Weighed, answer: paths.Paths, total_frames: int
) -> tuple[Floats, Floats, Ints]:
    """Tell how surely, and for how long, each animal goes without a tracklet.

    Returns
    -------
    (F, J) posterior probability that no tracklet of the frame is the animal, (F, J) length in
    frames of the stretch without a tracklet that the frame is in, 0 where it has one, and (F, J)
    the first frame of that stretch, -1 where it has one.
    """
    animals = answer.probabilities.shape[1]
    absent = np.ones((total_frames, animals))
    np.subtract.at(absent, weighed.tracklets.frames, answer.probabilities[weighed.tracklets.rank])
    without = np.ones((total_frames, animals), dtype=bool)
    named = answer.named[weighed.tracklets.rank]
    is_named = named != paths.NOBODY
    without[weighed.tracklets.frames[is_named], named[is_named]] = False
    lengths = np.zeros((total_frames, animals))
    begins = np.full((total_frames, animals), -1)
    for animal in range(animals):
        edges = np.flatnonzero(np.diff(without[:, animal], prepend=False, append=False))
        for start, end in edges.reshape(-1, 2):
            lengths[start:end, animal] = end - start
            begins[start:end, animal] = start
    return absent.clip(0.0, 1.0), lengths, begins


def posteriors(answer: paths.Paths, model: PathModel) -> Floats:
    """Return the probability of each tracklet being each animal, put right: (I, J).

    What is given to the name in the answer is what :func:`confidence` says of it; the others share
    the rest as before.
    """
    every, chosen = _with_nobody(answer.probabilities, answer.named)
    after = model.boxed(np.take_along_axis(every, chosen, axis=1))
    rest = np.maximum(every, _LEAST)
    np.put_along_axis(rest, chosen, 0.0, axis=1)
    right = rest / rest.sum(axis=1, keepdims=True) * (1.0 - after)
    np.put_along_axis(right, chosen, after, axis=1)
    return right[:, :-1]


def of_names(probabilities: Floats, named: Ints) -> Floats:
    """Return how probable it is of each tracklet to be what it is named, nobody too: (I,).

    Parameters
    ----------
    probabilities
        (I, J) of each tracklet being each animal.
    named
        (I,) animal of each, -1 = nobody.
    """
    every, chosen = _with_nobody(probabilities, named)
    return np.take_along_axis(every, chosen, axis=1)[:, 0]


def _with_nobody(probabilities: Floats, named: Ints) -> tuple[Floats, Ints]:
    """Return probabilities with a last column, nobody's, and the column of each name: (I, 1)."""
    nobody = 1.0 - probabilities.sum(axis=1, keepdims=True).clip(0.0, 1.0)
    every = np.hstack([probabilities, nobody])
    return every, np.where(named == paths.NOBODY, every.shape[1] - 1, named)[:, None]


def of_tracklets(weighed: Weighed, probabilities: Floats) -> Floats:
    """Return what pieces are, (I, J), of the tracklets that they are cut from: box by box.

    A tracklet whose pieces are of several animals is thus none of them for certain.
    """
    if weighed.whole is None:
        return probabilities
    boxes = np.bincount(weighed.tracklets.rank, minlength=len(weighed)).astype(np.float64)
    count = int(weighed.whole.max(initial=-1)) + 1
    sums = np.zeros((count, probabilities.shape[1]))
    np.add.at(sums, weighed.whole, probabilities * boxes[:, None])
    return sums / np.bincount(weighed.whole, boxes, minlength=count)[:, None]
