"""The model of a box given an antenna, learnt without a single annotation.

What annotations say, whose box is whose, is taken for a hidden cause of what detector and antennas
say, and both are estimated in turn (expectation maximisation): how probable it is that each box is
each animal's, by the model so far; and the model, from boxes given to animals by lot, as probable
as they are. It begins with the place of the grid in the picture: from calibration points, if there
are any, else from frames in which there are as many boxes as animals. There the sum of all places
is known, whoever is where. Of antennas in no grid, the places are known.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import tables
from murid.errors import InputError
from murid.fitting import gaussians, hiding, lag, offsets, refined, samples, visibility, whole
from murid.fitting.association import Association, associate
from murid.fitting.watched import STEP, Seen, look, readings
from murid.grid import Antennas
from murid.identify import continuity
from murid.models.densities import log_student
from murid.models.fitted_weights import (
    SHOWN,
    Affinity,
    Gaussians,
    Weights,
    log_outlier,
)
from murid.segment import Segment
from murid.settings import FitWeights, Image

if TYPE_CHECKING:
    from murid.fitting.stage import LearnWeights as Stage

log = logging.getLogger(__name__)

UNCHECKED = "learnt without annotations: nothing tells how right it is"
"""What is to be said of weights that are learnt so."""
A_STAY = 3
"""Boxes of one stay that are learnt from: a mouse that sleeps shows the same one over and over."""
_ROUNDS = 8
"""Rounds of expectation maximisation."""
_FEWEST = 100
"""Frames with as many boxes as animals, without which the grid is not found by them."""
_HIDDEN_AT_FIRST, _FALSE_AT_FIRST = 0.1, 0.1
"""Shares of animals without a box, and of boxes that are nobody's, before any was paired."""
_NOBODY = -1

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Guess:
    """The model so far.

    Attributes
    ----------
    model
        Where boxes lie given an antenna.
    outlier
        Mean (4,) and covariance (4, 4) of a box that is nobody's.
    hidden, false
        Share of animals without a box, and boxes a frame that are nobody's.
    """

    model: Gaussians
    outlier: tuple[Floats, Floats]
    hidden: float
    false: float


def start(seen: Seen, antennas: Ints, grid: Antennas, points: Floats | None, image: Image) -> Guess:
    """Guess the model, of antennas in no grid, from their places.

    Of a grid, from calibration points, or from frames with as many boxes as animals.

    Parameters
    ----------
    seen, antennas
        Boxes, and (N, J) readings of the same frames.
    grid
        The antenna grid.
    points
        (k, 3) antenna and its place in the frame of reference, if known. Where they do not tell
        where the grid is, which the log says, boxes have to.
    image
        The frame of reference.

    Raises
    ------
    InputError
        If none of it suffices.
    """
    there = ~np.isnan(seen.boxes[..., 0])
    boxes = seen.boxes[there]
    if not len(boxes):
        raise _too_little("no box of a mouse")
    homography = grid.view
    if homography is None and points is not None:
        homography = _by_points(points, grid)
    if homography is None:
        homography = find_grid(seen, antennas, grid)
    size = np.median(boxes[:, 2:], axis=0)
    covariance = np.diag(
        [*(np.array([image.width, image.height]) / 8) ** 2, *np.var(boxes[:, 2:], axis=0)]
    )
    # Boxes around tracked points may be of one size.
    covariance = gaussians.no_narrower(covariance)
    covariances = np.broadcast_to(covariance, (grid.rows, len(SHOWN), 4, 4)).copy()
    sizes = np.broadcast_to(size, (grid.rows, len(SHOWN), 2)).copy()
    model = Gaussians(grid, homography, sizes, covariances, np.zeros((grid.size, 4)), 0.0)
    table = pd.DataFrame(boxes, columns=samples.GEOMETRY)
    return Guess(model, gaussians.fit_outlier(table, image), _HIDDEN_AT_FIRST, _FALSE_AT_FIRST)


def _by_points(points: Floats, grid: Antennas) -> Floats | None:
    """Fit the homography to calibration points, (k, 3), if they suffice."""
    antennas = points[:, 0].astype(np.int64)
    if grid.contains(antennas).all() and gaussians.are_spread(antennas, grid):
        return gaussians.fit_homography(antennas, points[:, 1:], grid)
    log.warning(
        "calibration points are at the antennas %s, of a grid of %d x %d; from four on, in several "
        "rows and columns, they tell where it is. It is looked for by the boxes instead",
        ", ".join(map(str, np.unique(antennas))), grid.rows, grid.columns,
    )  # fmt: skip
    return None


def find_grid(seen: Seen, antennas: Ints, grid: Antennas) -> Floats:
    """Find the affine map from grid to picture by the sums of all places in a frame: (3, 3).

    Raises
    ------
    InputError
        If too few frames have as many boxes as animals, or animals were at too few places.
    """
    there = ~np.isnan(seen.boxes[..., 0])
    count = (antennas > 0).sum(axis=1)
    full = (there.sum(axis=1) == count) & (count > 0)
    if full.sum() < _FEWEST:
        raise _too_little(f"{full.sum()} frames that show as many mice as there are readings")
    ground = grid.coordinates(np.maximum(antennas[full], 1).ravel()).reshape(
        *antennas[full].shape, 2
    )
    ground[antennas[full] == 0] = 0
    known = np.column_stack([ground.sum(axis=1), count[full]])
    if np.linalg.matrix_rank(known) < 3:
        raise _too_little("readings of a single row or column of antennas")
    sums = np.nansum(seen.boxes[full][..., :2], axis=1)
    affine, *_ = np.linalg.lstsq(known, sums, rcond=None)
    return np.vstack([affine.T, [0.0, 0.0, 1.0]])


def _too_little(found: str) -> InputError:
    return InputError(
        "segments", found, f"{_FEWEST} frames, {STEP:g} s apart, that show every mouse",
        remedy="Give calibration points, annotate some frames and set fit_weights.annotations to "
        "use, or set weights.",
    )  # fmt: skip


def pair(seen: Seen, antennas: Ints, guess: Guess) -> Association:
    """Tell how probable each box is each animal's by a model: boxes, (N, J) readings."""
    there = ~np.isnan(seen.boxes[..., 0])
    frame, box, animal = np.nonzero(there[:, :, None] & (antennas > 0)[:, None])
    boxes, where = seen.boxes[frame, box], antennas[frame, animal]
    model, means = guess.model, guess.model.means(guess.model.grid.antennas)
    # Of an animal that annotations do not tell, one visibility stands for all.
    density = log_student(
        boxes - means[where - 1, 0], model.covariances[:, 0], model.grid.row(where), model.tail
    )
    nobody = log_outlier(boxes, *guess.outlier) + np.log(guess.false)
    odds = np.full((*there.shape, antennas.shape[1]), -np.inf)
    odds[frame, box, animal] = density - nobody + np.log1p(-guess.hidden) - np.log(guess.hidden)
    return associate(odds)


def draw(
    seen: Seen, antennas: Ints, found: Association, grid: Antennas, random: np.random.Generator
) -> pd.DataFrame:
    """Give each animal a box by lot, as probable as it is, or none.

    Returns
    -------
    Samples as :func:`murid.fitting.samples.collect` gives, with columns ``segment``, ``time`` and
    ``stay``.
    """
    chances = found.pairs.transpose(0, 2, 1).cumsum(axis=2)
    lot = random.random(chances.shape[:2])[..., None]
    chosen = (lot > chances).sum(axis=2)
    frame, animal = np.nonzero(antennas > 0)
    box = chosen[frame, animal]
    is_seen = box < seen.boxes.shape[1]
    geometry = np.full((len(frame), 4), np.nan)
    geometry[is_seen] = seen.boxes[frame[is_seen], box[is_seen]]
    table = pd.DataFrame(geometry, columns=samples.GEOMETRY).assign(
        frame=seen.frame[frame], animal=animal, antenna=antennas[frame, animal],
        visibility=np.where(is_seen, SHOWN[0], "hidden"),
        segment=seen.segment[frame], time=seen.time[frame],
    )  # fmt: skip
    table[samples.CONTEXT] = grid.context(antennas)[frame, animal]
    table["stay"] = offsets.stays(table)
    order = pd.Series(random.random(len(table))).groupby(table["stay"]).rank()
    return table[order <= A_STAY].reset_index(drop=True)


def improve(
    seen: Seen,
    antennas: Ints,
    guess: Guess,
    settings: FitWeights,
    random: np.random.Generator,
    *,
    rounds: int = _ROUNDS,
    beyond: bool = False,
) -> Guess:
    """Estimate in turn whose boxes are whose, and the model.

    Parameters
    ----------
    seen, antennas
        Boxes, and (N, J) readings of the same frames.
    guess
        Where to begin.
    settings
        The kind of covariance.
    random
        Draws lots.
    rounds
        How often.
    beyond
        Whether to go beyond the paper, as :func:`murid.fitting.refined.fit` does.

    Raises
    ------
    InputError
        If boxes are of too few antennas.
    """
    grid, total = guess.model.grid, (~np.isnan(seen.boxes[..., 0])).sum()
    how = refined.fit if beyond else gaussians.fit
    for _ in range(rounds):
        found = pair(seen, antennas, guess)
        drawn = draw(seen, antennas, found, grid, random)
        shown = drawn[drawn["x"].notna()].reset_index(drop=True)
        paired, hidden = float(found.pairs.sum()), (drawn["visibility"] == "hidden").sum()
        try:
            model = how(shown, grid, settings.covariance)
        except InputError as error:
            raise _too_little(error.found) from error
        guess = replace(
            guess,
            model=model,
            # Laplace's rule keeps the shares off 0 and 1.
            hidden=float(hidden + 1) / (len(drawn) + 2),
            false=float(total - paired + 1) / len(antennas),
        )
    return guess


def find_lag(
    segments: Sequence[Segment], seen: Seen, guess: Guess, settings: FitWeights
) -> tuple[float, lag.Curve | None]:
    """Tell how late readings run, by how well boxes and readings go together.

    As by annotated boxes (:mod:`murid.fitting.lag`), the smallest lag is taken that cannot be told
    from the best.

    Returns
    -------
    Seconds, and the curve that they are read from, None if the settings give the lag.
    """
    if settings.lag is not None:
        return settings.lag, None
    grid, evidence = guess.model.grid, []
    steps = lag.candidates(settings.max_lag, settings.lag_step)
    for seconds in steps:
        antennas = readings(segments, seen, grid, seconds)
        random = np.random.default_rng(settings.seed)
        fitted = improve(seen, antennas, guess, settings, random, rounds=2)
        # What false boxes and hidden animals are like is no matter of the lag.
        fitted = replace(fitted, hidden=guess.hidden, false=guess.false)
        evidence.append(pair(seen, antennas, fitted).evidence)
    stretch = (seen.time // lag.STRETCH).astype(np.int64)
    _, observation = np.unique(np.stack([seen.segment, stretch]), axis=1, return_inverse=True)
    curve = lag.curve_of(np.asarray(steps), np.array(evidence), observation.ravel())
    return curve.chosen, curve


def learn(
    segments: Sequence[Segment],
    animals: int,
    grid: Antennas,
    image: Image,
    settings: FitWeights,
    points: Floats | None = None,
) -> Weights:
    """Learn the paper's model, and one beyond it to readings put right by the lag.

    Parameters
    ----------
    segments
        Segments with detections and readings.
    animals, grid, image, settings
        As for :func:`murid.fitting.fit_weights.fit`.
    points
        (k, 3), antennas and their places in the frame of reference, if known.

    Raises
    ------
    InputError
        If boxes and readings do not suffice.
    """
    seen, random = look(segments), np.random.default_rng(settings.seed)
    punctual = readings(segments, seen, grid, 0.0)
    guess = start(seen, punctual, grid, points, image)
    guess = improve(seen, punctual, guess, settings, random)
    late, curve = find_lag(segments, seen, guess, settings)
    lagged = readings(segments, seen, grid, late)
    better = improve(seen, lagged, guess, settings, random, rounds=4, beyond=True)

    paper = _settle(seen, punctual, guess, animals, settings, random, beyond=False)
    house = _settle(seen, lagged, better, animals, settings, random, beyond=True)
    told = {"lag": {} if curve is None else {"": lag.shown(curve, late)}, "lag_remarks": []}
    return whole.join(paper, house, {"": late}, told, segments, image)


def _settle(
    seen: Seen,
    antennas: Ints,
    guess: Guess,
    animals: int,
    settings: FitWeights,
    random: np.random.Generator,
    *,
    beyond: bool,
) -> Affinity:
    """Make the model that names rest on of what was learnt."""
    grid = guess.model.grid
    fitted = improve(seen, antennas, guess, settings, random, rounds=1, beyond=beyond)
    rows = visibility.contexts(grid, animals)
    return Affinity(
        **vars(fitted.model),
        animals=animals,
        outlier_mean=fitted.outlier[0],
        outlier_covariance=fitted.outlier[1],
        contexts=rows,
        visibility=visibility.of_shares(rows, np.full(grid.rows, fitted.hidden), grid),
        hidden_share=fitted.hidden,
        provenance={
            "samples": int((antennas > 0).sum()),
            "remarks": [UNCHECKED],
            "covariance": settings.covariance,
            "log_likelihood": float(pair(seen, antennas, fitted).evidence.mean()),
        },
    )


def learn_segments(stage: "Stage") -> Weights:
    """Learn the models from the segments of a stage.

    A segment that cannot be used, since a table cannot be read, a reading lies outside the grid or
    its rig has no transform, is left out, and the log says so.

    Raises
    ------
    InputError
        If the segments do not suffice, naming what is missing.
    """

    def make(segments: Sequence[Segment], animals: int, grid: Antennas) -> Weights:
        points = _points(stage.points) if stage.points else None
        learnt = learn(segments, animals, grid, stage.image, stage.fit_weights, points)
        return hiding.tell_rows(learnt, segments, stage.paths, stage.fit_path)

    none_usable = _too_little("no usable segment with boxes and readings")
    return whole.of_segments(stage, _has_boxes, make, none_usable, _too_little)


def _has_boxes(segment: Segment) -> bool:
    """Tell whether a segment has boxes and readings."""
    segment.linked  # noqa: B018 - raises
    continuity.scores_of(segment.mice, segment.tracklets)
    return bool(len(segment.mice) and len(segment.positions))


def _points(path: Path) -> Floats | None:
    """Return antennas and their places in the frame of reference, if there are points."""
    table = tables.read(path, "calibration_points")
    if not len(table):
        return None
    return table[["antenna", "reference_x", "reference_y"]].to_numpy(dtype=np.float64)
