"""A cage whose antennas are in no grid: what they read, what is seen over them, and who is who."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from murid import tables

FPS = 10.0
PICTURE = (1280, 720)
ANIMALS = ("R", "G", "B")
BOX = (150.0, 90.0)
ABOVE = 25.0
"""Pixels by which the middle of a body is above the floor that it is on."""
SPEED = 350.0
"""Pixels a second."""
RANGE = 110.0
"""Pixels up to which an antenna reads."""

ODD = ((180.0, 560.0), (430.0, 260.0), (700.0, 590.0), (900.0, 220.0), (1130.0, 480.0))
CORNERS = ((220.0, 240.0), (1060.0, 240.0), (220.0, 600.0), (1060.0, 600.0))


@dataclass(frozen=True)
class Filmed:
    """A segment as tables, and the truth.

    Attributes
    ----------
    positions, detections, tracklets, annotations
        Its tables.
    read
        (F, J), the antenna that reads each animal at that moment, 0 = none.
    owners
        Columns ``frame``, ``x``, ``y`` and ``animal``, of every box that is an animal's.
    """

    positions: pd.DataFrame
    detections: pd.DataFrame
    tracklets: pd.DataFrame
    annotations: pd.DataFrame
    read: NDArray[np.int64]
    owners: pd.DataFrame


def walk(
    antennas: NDArray[np.float64], frames: int, random: np.random.Generator
) -> NDArray[np.float64]:
    """Return where an animal is, (F, 2): it rests at antennas, and elsewhere now and then."""
    place = antennas[random.integers(len(antennas))] + random.normal(0, 20, 2)
    path: list[NDArray[np.float64]] = []
    while len(path) < frames:
        goal = random.uniform([100, 150], [PICTURE[0] - 100, PICTURE[1] - 60])
        if random.random() < 0.8:
            goal = antennas[random.integers(len(antennas))] + random.normal(0, 25, 2)
        steps = int(np.ceil(np.linalg.norm(goal - place) / (SPEED / FPS))) + 1
        rest = int(random.integers(int(FPS), int(8 * FPS)))
        path += [*np.linspace(place, goal, steps), *[goal] * rest]
        place = goal
    return np.array(path[:frames])


def film(
    antennas: tuple[tuple[float, float], ...], seconds: float, seed: int, held: bool = True
) -> Filmed:
    """Let three animals wander among antennas; each frame has boxes of most, and false ones.

    ``held`` tells whether a reading stays until the next, or as long as the animal is there.
    """
    random = np.random.default_rng(seed)
    frames, count = round(seconds * FPS), len(ANIMALS)
    where = np.array(antennas)
    paths = np.stack([walk(where, frames, random) for _ in ANIMALS], axis=1)
    away = np.linalg.norm(paths[:, :, None] - where, axis=-1)
    read = np.where(away.min(axis=-1) <= RANGE, away.argmin(axis=-1) + 1, 0)
    latest = np.maximum.accumulate(np.where(read > 0, np.arange(frames)[:, None], 0), axis=0)
    told = np.take_along_axis(read, latest, axis=0) if held else read
    positions = pd.DataFrame(
        {
            "frame": np.repeat(np.arange(frames), count),
            "animal": np.tile(ANIMALS, frames),
            "antenna": pd.array(told.ravel(), dtype="Int16"),
            "filled": False,
        }
    ).assign(antenna=lambda table: table["antenna"].where(table["antenna"] > 0))

    middle = paths + random.normal(0, 5, paths.shape) - [0, ABOVE]
    # From one rest to the next they curl up or stretch.
    moves = np.linalg.norm(np.diff(paths, axis=0, prepend=paths[:1]), axis=-1) > 0
    rest = np.cumsum(np.diff(moves, axis=0, prepend=moves[:1]), axis=0)
    stretched = np.exp(random.normal(0, 0.2, (int(rest.max()) + 1, count, 2)))
    size = np.array(BOX) * np.take_along_axis(stretched, rest[..., None], axis=0)
    size += random.normal(0, 5, paths.shape)
    true = np.concatenate([middle - size / 2, size], axis=-1)
    shown = random.random((frames, count)) > 0.08
    frame, owner = np.nonzero(shown)
    wrong = np.flatnonzero(random.random(frames) < 0.1)
    anywhere = random.uniform([0, 0, 80, 50], [1150, 640, 200, 130], (len(wrong), 4))
    seen = pd.DataFrame(
        np.vstack([true[frame, owner], anywhere]), columns=["x", "y", "w", "h"]
    ).assign(
        frame=np.concatenate([frame, wrong]),
        owner=np.concatenate([owner, np.full(len(wrong), -1)]),
        label="mouse",
        score=np.concatenate(
            [random.uniform(0.7, 1, len(frame)), random.uniform(0.5, 0.8, len(wrong))]
        ),
    )
    # In no order that tells whose they are.
    seen = seen.sample(frac=1, random_state=seed).sort_values("frame", kind="stable")
    seen = seen.assign(detection=seen.groupby("frame").cumcount()).reset_index(drop=True)
    own = seen[seen["owner"] >= 0].sort_values(["owner", "frame"])
    # A tracker loses who is missed for two frames, and others every ten seconds or so.
    begins = (own["owner"].diff() != 0) | (own["frame"].diff() > 2)
    begins |= random.random(len(own)) < 0.01
    linked = own.assign(tracklet=begins.cumsum() - 1).sort_values(["frame", "detection"])
    return Filmed(
        tables.conform(positions, "positions"),
        tables.conform(seen, "detections"),
        tables.conform(linked.reset_index(drop=True), "tracklets"),
        _annotated(true, range(0, frames, 10)),
        read,
        own.assign(animal=np.array(ANIMALS, dtype=object)[own["owner"]])[
            ["frame", "x", "y", "animal"]
        ].astype({"x": "float32", "y": "float32"}),
    )


def _annotated(true: NDArray[np.float64], frames: range) -> pd.DataFrame:
    rows = [
        (frame, number, "single", (name,), *true[frame, number], "clear", False)
        for frame in frames
        for number, name in enumerate(ANIMALS)
    ]
    columns = ["frame", "object", "type", "identities", "x", "y", "w", "h", "visibility"]
    return tables.conform(pd.DataFrame(rows, columns=[*columns, "difficult"]), "annotations")


def right(names: pd.DataFrame, filmed: Filmed, told: bool = False) -> float:
    """Return the share of the animals' boxes that have the right name.

    ``names`` has columns ``frame``, ``x``, ``y`` and ``animal``. If ``told``, boxes are left out
    of animals that were read last where another was: a single frame does not tell them apart.
    """
    given = names.dropna(subset=["x"]).rename(columns={"animal": "given"})
    given = given[["frame", "x", "y", "given"]]
    owners = filmed.owners
    if told:
        read = filmed.positions.dropna(subset=["antenna"])
        alone = ~read.duplicated(["frame", "antenna"], keep=False)
        owners = owners.merge(read.loc[alone, ["frame", "animal"]], on=["frame", "animal"])
    both = owners.merge(given, how="left", on=["frame", "x", "y"])
    return float((both["animal"] == both["given"]).mean())


def nearest(antennas: tuple[tuple[float, float], ...], filmed: Filmed) -> pd.DataFrame:
    """Name boxes so that each frame's are nearest to the antennas that animals were read at."""
    read = filmed.positions.dropna(subset=["antenna"])
    read = dict(zip(zip(read["frame"], read["animal"], strict=True), read["antenna"], strict=True))
    rows = []
    for frame, boxes in filmed.detections.groupby("frame"):
        animals = [name for name in ANIMALS if (frame, name) in read]
        at = np.array([antennas[read[frame, name] - 1] for name in animals]).reshape(-1, 2)
        sides = boxes[["x", "y", "w", "h"]].to_numpy(dtype=float)
        far = np.linalg.norm((sides[:, :2] + sides[:, 2:] / 2)[:, None] - at, axis=-1)
        for box, animal in zip(*linear_sum_assignment(far), strict=True):
            rows.append((frame, *boxes[["x", "y"]].iloc[box], animals[animal]))
    return pd.DataFrame(rows, columns=["frame", "x", "y", "animal"])
