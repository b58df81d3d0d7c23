"""Animals that rest, go elsewhere, and rest again, over the antennas of a small rig."""

from dataclasses import replace

import numpy as np
import pandas as pd

from murid.fitting.visibility import contexts
from murid.grid import Grid
from murid.identify.fit_check import Fit
from murid.places.tracks import Tracks, gather
from murid.segment import Segment
from small_rig import IDENTITY, positions, simple_model

FPS = 5.0
GRID = Grid(2, 6)


def rig():
    """2 x 6 antennas, 100 pixels apart; boxes of 60 x 40 are some 30 pixels from theirs."""
    few, around = simple_model(), contexts(GRID, 3)
    return replace(
        few, grid=GRID, contexts=around,
        sizes=np.repeat(few.sizes, 2, axis=0), covariances=np.repeat(few.covariances, 2, axis=0),
        offsets=np.zeros((GRID.size, 4)),
        visibility=np.tile(few.visibility[0], (len(around), 1)),
    )  # fmt: skip


def roam(seconds, seed, animals=3):
    """(F, J, 2) centres in pixels: rests of half a minute on average, ways of some seconds."""
    random = np.random.default_rng(seed)
    frames = round(seconds * FPS)
    centres = np.empty((frames, animals, 2))
    for animal in range(animals):
        frame, place = 0, random.uniform([80, 30], [620, 170])
        while frame < frames:
            rest = int(random.exponential(30) * FPS) + 1
            stay = centres[frame : frame + rest, animal]
            stay[:] = place + random.normal(0, 3, stay.shape)
            frame += rest
            goal = random.uniform([80, 30], [620, 170])
            way = max(int(np.hypot(*(goal - place)) / 60 * FPS), 1)
            going = centres[frame : frame + way, animal]
            going[:] = place + (goal - place) * np.linspace(0, 1, way)[: len(going), None]
            frame, place = frame + way, goal
    return centres


def read_of(model, centres, seed=0):
    """(F, J) antennas: the nearest one, another in one of twenty seconds."""
    random = np.random.default_rng(seed)
    away = np.linalg.norm(centres[:, :, None] - model.centroids(GRID.antennas), axis=-1)
    read = away.argmin(axis=-1) + 1
    wrong = np.repeat(random.random((len(read) // 5 + 1, read.shape[1])) < 0.05, 5, axis=0)
    return np.where(wrong[: len(read)], random.integers(1, GRID.size + 1, read.shape), read)


def named(centres, seen, confidence=1.0):
    """(F, J, 2) centres, (F, J) whether there is a box -> the table ``identities``."""
    frames, animals = np.indices(seen.shape)
    table = pd.DataFrame(
        {"frame": frames.ravel(), "animal": np.array(list("ABC"))[animals.ravel()]}
    )
    boxes = np.where(seen.reshape(-1, 1), centres.reshape(-1, 2) - [30, 20], np.nan)
    table[["x", "y"]] = boxes
    table["w"], table["h"] = (np.where(seen.ravel(), side, np.nan) for side in (60.0, 40.0))
    return table.assign(confidence=confidence, detection=np.where(seen, animals, -1).ravel())


def tracks_of(identities, read, matrix=IDENTITY) -> Tracks:
    """Gather what the table ``identities`` and antennas (F, J) say."""
    segment = Segment({}, "", FPS, {"positions": positions(read), "matrix": matrix})
    return gather(segment, identities, rig(), Fit(), FPS)


def always_seen(seconds, seed):
    """Tracks of animals that have a box in every frame."""
    centres = roam(seconds, seed)
    seen = np.ones(centres.shape[:2], dtype=bool)
    return tracks_of(named(centres, seen), read_of(rig(), centres))
