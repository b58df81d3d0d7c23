"""Scenes for the path model: tracklets whose weights are given, and tables of animals that move."""

import numpy as np

from murid.identify import continuity, problem
from murid.models import fitted_path
from murid.settings import Paths
from murid.tracklets import Tracklets
from small_rig import FPS, annotation, boxes_at, positions

MOTION = fitted_path.Motion(
    seconds=np.array([1, 2]) / FPS,
    near=np.array([0.9, 0.8]),
    spread=np.array([[5.0, 5.0, 0.1, 0.1], [8.0, 8.0, 0.2, 0.2]]),
    anywhere=np.array([150.0, 50.0, 0.5, 0.5]),
    gaps=np.array([1.0, -1.0]),
    fresh=-4.0,
)


def by_frames(weight, **others):
    """Settings by which every frame counts alike."""
    return Paths(antenna_weight=weight, presence_weight=weight, dwell_exponent=0, **others)


SURE = by_frames(1.0)


def made_segment(first, last, opening, closing, gains, fps=FPS):
    """A segment of tracklets of one row each, whose gains are given."""
    count, animals = gains.shape
    edges = np.unique(np.concatenate([first, last + 1]))
    weights = np.column_stack([gains, np.zeros(count)])
    starts, ends = np.searchsorted(edges, first), np.searchsorted(edges, last + 1)
    task = problem.Problem(starts, ends, weights, np.zeros((len(edges), animals)))
    # A row for the first frame of each, and one for the last.
    spans = Tracklets(np.concatenate([first, last]), np.tile(np.arange(count), 2))
    return continuity.Weighed(spans, opening, closing, task, np.full(2 * count, 0.5), fps)


def made_tables(random, frames):
    """Two animals that change places, each in tracklets of some frames with gaps between them."""
    place = np.where(np.arange(frames) // 60 % 2, 1, -1)
    rows = []
    for animal, side in enumerate((1, -1)):
        x = 250 + 100 * side * place + random.normal(0, 3, frames)
        number = 1_000 * animal + np.arange(frames) // 12
        seen = np.arange(frames) % 12 > 1
        rows += [(f, animal, x[f], number[f]) for f in np.flatnonzero(seen)]
    rows.sort()
    # Where A is at antenna 1, B is at antenna 3 or 4, which are seen at 300 and 400.
    antennas = np.where(place[:, None] == 1, [3, 2], [2, 3])
    truth = annotation(
        [
            (frame, (name,), 250 + 100 * side * place[frame], "single", False)
            for frame in range(5, frames, 6)
            for name, side in (("A", 1), ("B", -1))
        ]
    )
    return {
        "detections": boxes_at([row[:3] for row in rows]),
        "tracklets": boxes_at(rows, "tracklets"),
        "positions": positions(antennas),
        "annotations": truth,
    }
