"""From a segment's tables to the path model's problem, and from its answer to confidences."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from murid.affinity import Affinity
from murid.errors import InputError
from murid.identify import paths, pieces, problem
from murid.identify.evidence import Evidence, Readings, reference_boxes, weigh
from murid.identify.fitted import Motion, PathModel, Score
from murid.settings import Paths

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STILL = Motion(np.zeros(1), np.zeros(1), np.ones((1, 4)), np.ones(4), np.zeros(1), 0.0)
"""No memory of where an animal was."""
_LEAST = 1e-12
"""Probability that keeps a candidate among the candidates."""


@dataclass(frozen=True)
class Segment:
    """A segment as the path model sees it: its tracklets, or the pieces they are cut into.

    Attributes
    ----------
    which
        (n,) tracklet of each row of the table.
    first, last
        (I,) first and last frame.
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
    """

    which: Ints
    first: Ints
    last: Ints
    opening: Floats
    closing: Floats
    task: problem.Problem
    scores: Floats
    fps: float
    whole: Ints | None = None
    counts: float = 1.0

    @property
    def tracklets(self) -> int:
        """Number of tracklets, or pieces, I."""
        return len(self.first)

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


def gather(
    detections: pd.DataFrame,
    tracklets: pd.DataFrame,
    trace: Readings,
    affinity: Affinity,
    matrix: ArrayLike,
    fps: float,
    cutting: Paths | None = None,
    reference_fps: float | None = None,
) -> Segment:
    """Reduce a segment's tables to its tracklets, or to their pieces.

    Parameters
    ----------
    detections, tracklets
        Tables of the segment.
    trace
        Its antennas, as the model ``affinity`` wants them.
    affinity, matrix
        The model of a box given an antenna; (2, 3), raw pixels to the frame of reference.
    fps
        Frames per second.
    cutting
        How tracklets are cut where the antennas speak for several animals in turn; None: not at
        all.
    reference_fps
        Frames per second for which the factors of summed evidence are set; None: those of the
        segment. Evidence adds up by the second: at twice the rate a frame counts half.

    Raises
    ------
    InputError
        If a box lies after the last reading, or a tracklet has a box that is no detection, or two
        boxes in one frame.
    """
    problem.refuse_twice(tracklets)
    evidence = weigh(tracklets, trace, affinity, matrix)
    scores = scores_of(detections, tracklets)
    whole = None
    counts = reference_fps / fps if reference_fps else 1.0
    if cutting is not None and cutting.transitions:
        said = _row_gains(tracklets, evidence, trace, cutting.antenna_weight * counts)
        pieces_of = pieces.cut(tracklets, said, cutting.doubt)
        whole = _whole(tracklets["tracklet"], pieces_of)
        tracklets = tracklets.assign(tracklet=pieces_of)
    task = problem.build(tracklets, evidence, trace)
    which = problem.ranks(tracklets)
    frames = tracklets["frame"].to_numpy(dtype=np.int64)
    order = np.lexsort((frames, which))
    opening = order[np.flatnonzero(np.diff(which[order], prepend=-1))]
    closing = order[np.flatnonzero(np.diff(which[order], append=task.tracklets))]
    geometry = reference_boxes(tracklets, matrix)
    geometry[:, 2:] = np.log(geometry[:, 2:])
    return Segment(
        which=which,
        first=frames[opening],
        last=frames[closing],
        opening=geometry[opening],
        closing=geometry[closing],
        task=task,
        scores=scores,
        fps=fps,
        whole=whole,
        counts=counts,
    )


def _row_gains(table: pd.DataFrame, evidence: Evidence, trace: Readings, factor: float) -> Floats:
    """Return what the antennas say for each row being each animal, as :func:`gains` has it."""
    hidden = trace.hidden[table["frame"].to_numpy()]
    return factor * (evidence.animals - evidence.outlier[:, None] - hidden)


def _whole(tracklets: pd.Series, pieces_of: Ints) -> Ints:
    """Return the rank of each piece's tracklet."""
    rank = np.unique(tracklets, return_inverse=True)[1]
    whole = np.empty(int(pieces_of.max(initial=-1)) + 1, dtype=np.int64)
    whole[pieces_of] = rank
    return whole


def scores_of(detections: pd.DataFrame, tracklets: pd.DataFrame) -> Floats:
    """Look up the score of each row of a table of tracklets: (n,).

    Raises
    ------
    InputError
        If a tracklet has a box that is no detection.
    """
    known = _key(detections)
    order = np.argsort(known)
    wanted = _key(tracklets)
    place = np.minimum(np.searchsorted(known, wanted, sorter=order), len(known) - 1)
    missing = np.ones(len(wanted), dtype=bool)
    if len(known):
        missing = known[order[place]] != wanted
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


def gains(segment: Segment, score: Score, settings: Paths) -> Floats:
    """Return the log odds of each tracklet being each animal against nobody: (I, J).

    Consecutive frames say nearly the same thing, so that sums over them are overconfident: what the
    antennas say and what the scores say is weighed down by a factor each. A higher frame rate says
    no more: the factors are those of a second's evidence, not a frame's.
    """
    scored = np.bincount(segment.which, score.log_odds(segment.scores), minlength=segment.tracklets)
    antenna_weight, score_weight = (
        factor * segment.counts for factor in (settings.antenna_weight, settings.score_weight)
    )
    return antenna_weight * segment.task.gains() + score_weight * scored[:, None]


def pose(
    segment: Segment, motion: Motion, weights: Floats, link_weight: float = 0.0
) -> paths.PathProblem:
    """Join gains, (I, J), and transitions to a problem.

    That two pieces are of one tracklet speaks for one animal, by the weight given.
    """
    reach = motion.reach_frames(segment.fps)
    pointers, previous, later = paths.predecessors(segment.first, segment.last, reach)
    change = segment.opening[later] - segment.closing[previous]
    gap = segment.first[later] - segment.last[previous]
    moves = motion.moves(change, gap, segment.fps)
    moves += link_weight * segment.linked(previous, later)
    return paths.PathProblem(
        segment.first, segment.last, weights, pointers, previous, moves, motion.fresh
    )


def solve(segment: Segment, model: PathModel, settings: Paths) -> paths.Paths:
    """Name the tracklets of a segment."""
    motion = model.motion if settings.transitions else STILL
    weights = gains(segment, model.score, settings)
    task = pose(segment, motion, weights, settings.link_weight)
    reach = motion.reach_frames(segment.fps)
    return paths.solve(task, reach, settings.most_states, settings.worst)


def confidence(
    segment: Segment, found: paths.Paths, model: PathModel, frames: Ints, total_frames: int
) -> tuple[Floats, Floats]:
    """Tell how probable it is that a row of the table ``identities`` is right.

    Parameters
    ----------
    segment, found, model
        The segment, its answer, and the calibration.
    frames
        (n,) frame of each row of the table of tracklets.
    total_frames
        Frames of the segment, F.

    Returns
    -------
    (n,) that the row's tracklet is the animal that it is named, and (F, J) that an animal without a
    tracklet is hidden.
    """
    named = found.named[segment.which]
    own = np.take_along_axis(found.probabilities[segment.which], named.clip(0)[:, None], axis=1)[
        :, 0
    ]
    absent, lengths, _ = absences(segment, found, frames, total_frames)
    return model.boxed(own), absent * model.hidden(lengths / segment.fps)


def absences(
    segment: Segment, found: paths.Paths, frames: Ints, total_frames: int
) -> tuple[Floats, Floats, Ints]:
    """Tell how surely, and for how long, each animal goes without a tracklet.

    Returns
    -------
    (F, J) posterior probability that no tracklet of the frame is the animal, (F, J) length in
    frames of the stretch without a tracklet that the frame is in, 0 where it has one, and (F, J)
    the first frame of that stretch, -1 where it has one.
    """
    animals = found.probabilities.shape[1]
    absent = np.ones((total_frames, animals))
    np.subtract.at(absent, frames, found.probabilities[segment.which])
    without = np.ones((total_frames, animals), dtype=bool)
    known = found.named[segment.which] != paths.NOBODY
    without[frames[known], found.named[segment.which][known]] = False
    lengths = np.zeros((total_frames, animals))
    begins = np.full((total_frames, animals), -1)
    for animal in range(animals):
        edges = np.flatnonzero(np.diff(without[:, animal], prepend=False, append=False))
        for start, end in edges.reshape(-1, 2):
            lengths[start:end, animal] = end - start
            begins[start:end, animal] = start
    return absent.clip(0.0, 1.0), lengths, begins


def posteriors(found: paths.Paths, model: PathModel) -> Floats:
    """Return the probability of each tracklet being each animal, put right: (I, J).

    What is given to the name in the answer is what :func:`confidence` says of it; the others share
    the rest as before.
    """
    nobody = 1.0 - found.probabilities.sum(axis=1, keepdims=True).clip(0.0, 1.0)
    every = np.hstack([found.probabilities, nobody])
    own = np.where(found.named == paths.NOBODY, every.shape[1] - 1, found.named)[:, None]
    before = np.take_along_axis(every, own, axis=1)
    after = model.boxed(before)
    rest = np.maximum(every, _LEAST)
    np.put_along_axis(rest, own, 0.0, axis=1)
    right = rest / rest.sum(axis=1, keepdims=True) * (1.0 - after)
    np.put_along_axis(right, own, after, axis=1)
    return right[:, :-1]


def of_tracklets(segment: Segment, probabilities: Floats) -> Floats:
    """Return what pieces are, (I, J), of the tracklets that they are cut from: box by box.

    A tracklet whose pieces are of several animals is thus none of them for certain.
    """
    if segment.whole is None:
        return probabilities
    boxes = np.bincount(segment.which, minlength=segment.tracklets).astype(np.float64)
    count = int(segment.whole.max(initial=-1)) + 1
    sums = np.zeros((count, probabilities.shape[1]))
    np.add.at(sums, segment.whole, probabilities * boxes[:, None])
    return sums / np.bincount(segment.whole, boxes, minlength=count)[:, None]
