"""Learning the path model: motion and scores from training segments, confidence from others.

Motion needs no annotations: the path model names the tracklets with what it knows, the changes from
each animal's tracklets to its next are fitted, and so on for some rounds (hard expectation
maximisation). It begins with what pairs of tracklets close in time show whoever they are: a mixture
of the same animal, which is near, and another, which is anywhere.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from murid.identify import continuity, oracle, paths
from murid.identify.continuity import Weighed
from murid.models.fitted_path import (
    Calibration,
    Missed,
    Motion,
    PathModel,
    Score,
    log_normal,
    log_odds,
    logistic,
)
from murid.settings import FitPath, Overlap, Paths
from murid.truth import unambiguous_frames

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROUNDS = 60
"""Rounds of the mixture's own expectation maximisation."""
_FEW = 20
"""Cases of either kind that a logistic regression needs at least."""
_LEAST = 1e-6
"""Probability below which none is taken to be stated."""
_SCORE_ROUNDS = 12
"""Rounds of naming tracklets and learning from that what scores say, at most."""
_SETTLED = 0.02
"""Share by which what scores say may change in a round that is the last."""
_NOBODY_AT_FIRST = 0.2
"""Share of tracklets taken to be nobody's before any was named."""


def learn_motion(
    segments: Sequence[tuple[Weighed, int]], score: Score, settings: Paths, fit: FitPath
) -> tuple[Motion, int]:
    """Learn how an animal gets from one tracklet to its next.

    Parameters
    ----------
    segments
        Segments, each with its number of frames.
    score
        What scores say.
    settings
        How tracklets are named meanwhile.
    fit
        Reach and rounds.

    Returns
    -------
    The motion, and the number of transitions that it was fitted to at last.
    """
    random = np.random.default_rng(0)
    unrelated = np.concatenate([_unrelated(segment, random) for segment, _ in segments])
    anywhere = np.maximum(unrelated.std(axis=0), 1e-3)
    total = sum(len(segment) for segment, _ in segments)
    # Time is counted in ticks, which are frames of the fastest segment.
    ticks = max(segment.fps for segment, _ in segments)
    reach = max(round(fit.reach * ticks), 1)
    seconds = np.arange(1, reach + 1) / ticks
    length = sum(count * ticks / segment.fps for segment, count in segments)
    pairs = [_pairs(segment, reach, ticks) for segment, _ in segments]
    change, gap, _ = (np.concatenate(part) for part in zip(*pairs, strict=True))
    near, spread = _near_and_spread(change, gap, reach, anywhere)
    rate = (_NOBODY_AT_FIRST * total + 1) / length
    begun = np.append(1.0 / np.arange(1, reach + 1) ** 2, 1.0 / reach)
    gaps, fresh = _gaps(begun / begun.sum(), rate, reach)
    # Whoever they are: most pairs are of two animals, so that `near` tells nothing yet.
    motion = Motion(seconds, np.full(reach, 0.9), spread, anywhere, gaps, fresh)
    for _ in range(fit.rounds):
        model = PathModel(motion, score)
        named = [continuity.solve(segment, model, settings).named for segment, _ in segments]
        follow = [
            _transitions(segment, names, ticks)
            for (segment, _), names in zip(segments, named, strict=True)
        ]
        change, gap, width = (np.concatenate(part) for part in zip(*follow, strict=True))
        nobody = sum(int((names == paths.NOBODY).sum()) for names in named)
        within = gap <= reach
        near, spread = _near_and_spread(change[within], gap[within], reach, anywhere)
        longer = gap[~within] - reach
        absence = float(longer.mean()) if len(longer) else float(reach)
        gaps, fresh = _gaps(_gap_shares(gap, width, reach), (nobody + 1) / length, absence)
        motion = Motion(seconds, near, spread, anywhere, gaps, fresh)
    return motion, len(gap)


def _unrelated(segment: Weighed, random: np.random.Generator, draws: int = 5_000) -> Floats:
    """Return changes between tracklets drawn at random: (draws, 4)."""
    if not len(segment):
        return np.zeros((0, 4))
    one, other = random.integers(len(segment), size=(2, draws))
    return segment.opening[one] - segment.closing[other]


def _pairs(segment: Weighed, reach: int, ticks: float) -> tuple[Floats, Floats, Floats]:
    """Return change, gap, and a frame's length of all pairs of tracklets within reach, in ticks."""
    frames = int(reach * segment.fps / ticks + 1e-6)
    _, previous, later = paths.predecessors(segment.tracklets.first, segment.tracklets.last, frames)
    return _steps(segment, previous, later, ticks)


def _transitions(segment: Weighed, named: Ints, ticks: float) -> tuple[Floats, Floats, Floats]:
    """Return change, gap, and a frame's length from each animal's tracklets to its next."""
    order = np.lexsort((segment.tracklets.first, named))
    order = order[named[order] != paths.NOBODY]
    same = named[order[1:]] == named[order[:-1]]
    return _steps(segment, order[:-1][same], order[1:][same], ticks)


def _steps(
    segment: Weighed, before: Ints, after: Ints, ticks: float
) -> tuple[Floats, Floats, Floats]:
    change = segment.opening[after] - segment.closing[before]
    width = np.full(len(after), ticks / segment.fps)
    return change, (segment.tracklets.first[after] - segment.tracklets.last[before]) * width, width


def _bins(reach: int) -> list[tuple[int, int]]:
    """Divide gaps of 1 to ``reach`` ticks into ranges that grow with the gap: [low, high)."""
    edges = np.unique(np.rint(np.geomspace(1, reach + 1, min(reach, 12) + 1)).astype(int))
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _over_gaps(reach: int, bins: Sequence[tuple[int, int]], values: Floats) -> Floats:
    """Interpolate values of ranges of gaps to every gap: (b, ...) -> (reach, ...)."""
    centres = [(low + high - 1) / 2 for low, high in bins]
    columns = values.reshape(len(bins), -1).T
    spread = [np.interp(np.arange(1, reach + 1), centres, column) for column in columns]
    return np.array(spread).T.reshape(reach, *values.shape[1:])


def _near_and_spread(
    change: Floats, gap: Floats, reach: int, anywhere: Floats
) -> tuple[Floats, Floats]:
    """Fit, for each gap, the mixture of an animal that is still near and one that is anywhere."""
    bins = _bins(reach)
    share, spread = 0.9, anywhere / 20
    fits = []
    for low, high in bins:
        within = change[(gap >= low) & (gap < high)]
        if len(within) >= _FEW:
            share, spread = _mixture(within, share, spread, anywhere)
        fits.append([share, *spread])
    values = _over_gaps(reach, bins, np.array(fits))
    return values[:, 0], values[:, 1:]


def _mixture(
    change: Floats, share: float, spread: Floats, anywhere: Floats
) -> tuple[float, Floats]:
    far = log_normal(change, anywhere)
    for _ in range(_ROUNDS):
        odds = log_normal(change, spread) - far + np.log(share) - np.log1p(-share)
        near = 1 / (1 + np.exp(-np.clip(odds, -50, 50)))
        share = float((near.sum() + 1) / (len(change) + 2))
        spread = np.sqrt((near @ change**2) / max(near.sum(), 1e-9))
        # Never narrower than boxes are told apart, nor wider than anywhere.
        spread = np.clip(spread, anywhere / 200, anywhere)
    return share, spread


def _gap_shares(gap: Floats, width: Floats, reach: int) -> Floats:
    """Return the share of gaps of 1, 2, .. ``reach`` ticks, and of longer ones: (reach + 1,).

    A gap of a slow segment may be any within a frame around it, which are several ticks.
    """
    counts = []
    for low, high in _bins(reach):
        upper = np.minimum(gap + width / 2, high - 0.5)
        lower = np.maximum(gap - width / 2, low - 0.5)
        counts.append(((upper - lower).clip(0.0) / width).sum() / (high - low))
    shares = _over_gaps(reach, _bins(reach), np.array(counts)) + 0.5
    shares = np.append(shares, (gap > reach).sum() + 0.5)
    return shares / shares.sum()


def _gaps(shares: Floats, rate: float, absence: float) -> tuple[Floats, float]:
    """Return the log ratios of each gap, and of a longer absence, to nobody's tracklets."""
    return np.log(shares[:-1] / rate), float(np.log(shares[-1] / max(absence, 1.0) / rate))


def learn_score(
    pairs: Sequence[tuple[pd.DataFrame, pd.DataFrame]], overlap: Overlap
) -> tuple[Score, dict[str, int]]:
    """Learn what a detection's score says, from detections and annotations of segments.

    A detection is an animal where it covers an annotation by ``overlap``.

    Returns
    -------
    The log odds of an animal against a false box given the score, less those without it; and how
    many of both there were. With too few of either, scores say nothing.
    """
    scores, real = [], []
    for detections, annotations in pairs:
        frames = unambiguous_frames(annotations)
        mice = detections[detections["frame"].isin(frames)]
        matched = oracle.assign(mice, annotations[annotations["frame"].isin(frames)], overlap)
        named = mice.merge(matched, how="left", on=["frame", "detection"])
        scores.append(named["score"].to_numpy(dtype=np.float64))
        real.append(named["animal"].notna().to_numpy())
    score = np.concatenate(scores) if scores else np.zeros(0)
    is_real = np.concatenate(real) if real else np.zeros(0, dtype=bool)
    counts = {"animals": int(is_real.sum()), "false_boxes": int((~is_real).sum())}
    if min(counts.values()) < _FEW:
        return Score(), counts
    slope, intercept = _logistic(score, is_real)
    prior = np.log(counts["animals"] / counts["false_boxes"])
    # A detector whose false boxes score higher is no reason to trust low scores.
    return (Score(slope, intercept - float(prior)) if slope > 0 else Score()), counts


def learn_score_by_names(
    segments: Sequence[Weighed], motion: Motion, settings: Paths
) -> tuple[Score, dict[str, int]]:
    """Learn what a detection's score says where nobody annotated which are animals.

    A detection is an animal as probably as antennas and motion name its tracklet. That is wrong at
    times, so that scores count for less than they could.

    Parameters
    ----------
    segments
        Segments.
    motion
        How animals get from one tracklet to the next.
    settings
        How tracklets are named.

    Returns
    -------
    As :func:`learn_score`, the numbers as stated by the names.
    """
    score, counts = Score(), {"animals": 0, "false_boxes": 0}
    for _ in range(_SCORE_ROUNDS):
        scores, named = [], []
        for weighed in segments:
            answer = continuity.solve(weighed, PathModel(motion, score), settings)
            each = slice(None, None, max(round(weighed.fps), 1))
            scores.append(weighed.scores[each])
            named.append(answer.probabilities.sum(axis=1)[weighed.tracklets.rank[each]])
        every, real = np.concatenate(scores), np.concatenate(named).clip(0.0, 1.0)
        animals, false = float(real.sum()), float((1 - real).sum())
        counts = {"animals": round(animals), "false_boxes": round(false)}
        if min(counts.values()) < _FEW:
            return Score(), counts
        slope, intercept = _logistic(
            np.concatenate([every, every]),
            np.arange(2 * len(every)) < len(every),
            np.concatenate([real, 1 - real]),
        )
        if slope <= 0:
            return Score(), counts
        before, score = score, Score(slope, intercept - float(np.log(animals / false)))
        # Names made without scores are too often of false boxes: the first rounds say too little.
        if abs(score.slope - before.slope) <= _SETTLED * score.slope:
            break
    return score, counts


def _logistic(
    values: Floats, outcome: NDArray[np.bool_], weights: Floats | None = None
) -> tuple[float, float]:
    fitted = LogisticRegression(C=1e4, max_iter=1_000).fit(
        values[:, None], outcome, sample_weight=weights
    )
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


def calibrate(stated: Floats, right: NDArray[np.bool_]) -> Calibration:
    """Fit the line that puts stated probabilities right: (n,), (n,) (Platt's scaling).

    With fewer than some twenty right or wrong rows, they are made as much less sure as it takes for
    their mean to be no higher than Laplace's rule allows: a temperature, or a constant where more
    than half are wrong. Their mean never rises, though one below a half may; without rows they are
    left as they are.
    """
    if min(right.sum(), (~right).sum()) < _FEW:
        return cool(stated, right)
    slope, intercept = _logistic(log_odds(stated), right)
    return Calibration(slope, intercept) if slope > 0 else Calibration(0.0, _odds(right))


def cool(stated: Floats, right: NDArray[np.bool_]) -> Calibration:
    """Make stated probabilities less sure until their mean is no higher than (n + 1) / (m + 2).

    That is of n right ones among m (Laplace's rule); see :func:`calibrate`.
    """
    odds, most = log_odds(stated), float(right.sum() + 1) / (len(right) + 2)

    def excess(slope: float) -> float:
        return float(logistic(slope * odds).mean()) - most

    if not len(odds) or excess(1.0) <= 0:
        return Calibration()
    if excess(0.0) >= 0:
        return Calibration(0.0, float(log_odds(np.array(most))))
    return Calibration(float(brentq(excess, 0.0, 1.0)), 0.0)


def learn_missed(
    lengths: Floats, hidden: NDArray[np.bool_], absences: Ints, stated: Floats
) -> Missed:
    """Fit how the length of absences, (n,) seconds, tells the hidden from the missed, (n,).

    It is fitted to what it is applied to: the factor that makes the probabilities ``stated``, (n,),
    add up to the number of the truly hidden. It may only rise with the length (isotonic
    regression), is 1 at most, and none is surer than its ``absences`` allow by Laplace's rule: rows
    of one absence, (n,) its number, are right or wrong together. With too few rows of either kind,
    the length says nothing; without a single row, absent is hidden.
    """
    if not len(hidden):
        return Missed()
    stated = np.maximum(stated, _LEAST)
    if min(hidden.sum(), (~hidden).sum()) < _FEW:
        return Missed(hidden=(_careful_factor(hidden, stated, absences),))
    factor = IsotonicRegression(y_max=1.0).fit_transform(
        np.log(lengths), hidden / stated, sample_weight=stated
    )
    seconds, factors = [], []
    for value in np.unique(factor):
        alike = factor == value
        seconds.append(float(np.exp(np.log(lengths[alike]).mean())))
        factors.append(_careful_factor(hidden[alike], stated[alike], absences[alike]))
    return Missed(tuple(seconds), tuple(np.maximum.accumulate(factors).tolist()))


def _careful_factor(outcome: NDArray[np.bool_], stated: Floats, groups: Ints) -> float:
    """Return true outcomes over those stated, by Laplace's rule, each group counted once."""
    count = len(np.unique(groups))
    factor = min(float(outcome.sum() / stated.sum()), 1.0)
    return (factor * count + 1) / (count + 2)


def _odds(outcome: NDArray[np.bool_]) -> float:
    return float(np.log(outcome.sum() / (~outcome).sum()))
