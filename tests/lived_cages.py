"""Cages of simulated mice of which everything is known, seen by a detector that is none of ours.

Nothing is filmed: what a camera would see of each mouse is drawn, and a detector's jitter, misses
and merged boxes are added to that, so that hours take minutes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import boxes, tables
from murid.sheet import Segment, write_sheet
from murid.simulate.annotate import View, annotate, huddles, via_project
from murid.simulate.antennas import trace
from murid.simulate.body import body
from murid.simulate.motion import roam
from murid.simulate.recording import _film, _tunnel
from murid.simulate.render import Painter
from murid.simulate.scene import RIGS, TUNNEL, Camera, backdrop

Floats = NDArray[np.float64]
FPS = 12.5
SIZE = (320, 180)
ANIMALS = ("B", "G", "R")
EDGE = 0.02
"""Of a box's side: by how much the detector's edges are unsteady, and stay so for half a second."""
STEADY = 0.85
"""What is left of that in the next frame."""
MISSED, HARDLY_MISSED = 0.02, 0.4
"""Chance that a box is missed: of animals that are well seen, and hardly."""
HARDLY = 0.35
"""Share of a body that is seen of an animal that is hardly seen."""
MERGED = 0.45
"""IoU beyond which two animals are one box."""


@dataclass(frozen=True)
class Lived:
    """What is true of a cage; a row a frame, a column an animal in the order of ``ANIMALS``.

    Attributes
    ----------
    whole, seen
        (F, J, 4) boxes of all of the body, and of what the camera sees, which may be nothing.
    floor
        (F, J, 2) where the middle of the body is over the floor, cm.
    raised
        (F, J) pitch of the body, radians.
    """

    whole: Floats
    seen: Floats
    floor: Floats
    raised: Floats

    def save(self, path: Path) -> None:
        """Keep it."""
        np.savez_compressed(path, **vars(self))

    @classmethod
    def load(cls, path: Path) -> "Lived":
        """Return what was kept."""
        with np.load(path) as kept:
            return cls(**{name: kept[name] for name in kept.files})


def live(out: Path, name: str, seconds: float, seed: int) -> None:
    """Let mice live, and write what is true, and what is detected, read and annotated of them."""
    random = np.random.default_rng([seed, *name.encode()])
    tunnel = _tunnel(random)
    frames = round(seconds * FPS)
    tracks = roam(frames, FPS, len(ANIMALS), tunnel, random)
    camera = Camera(*SIZE, RIGS["north"])
    bodies = [body(track.pose, random.uniform(1.05, 1.15)) for track in tracks]
    empty = backdrop(camera, tunnel, random)
    painter = Painter(camera, empty, bodies, random)
    view = View.unseen(frames, len(ANIMALS))
    for _ in _film(painter, view, empty.kind == TUNNEL):
        pass
    floor = np.stack([[track.pose.x, track.pose.y] for track in tracks]).transpose(2, 0, 1)
    raised = np.stack([track.pose.pitch for track in tracks], axis=1)
    out.mkdir(parents=True, exist_ok=True)
    Lived(view.whole, view.boxes, floor, raised).save(out / f"{name}.truth.npz")
    read = pd.DataFrame(trace(tracks, FPS, random), columns=list(ANIMALS))
    read.to_csv(out / f"{name}.positions.csv", index_label="frame")
    tables.write(detect(view, random), out / f"{name}.detections.parquet", "detections")
    huddled = huddles(view, np.stack([track.asleep for track in tracks], axis=1), random)
    marked = [
        (frame, annotate(frame, view, huddled[frame], ANIMALS, SIZE, random))
        for frame in range(0, frames, round(2 * FPS))
    ]
    (out / f"{name}.json").write_text(via_project(name, marked, ANIMALS))


def detect(view: View, random: np.random.Generator) -> pd.DataFrame:
    """Return the table ``detections`` of a detector that is unsteady, misses and merges."""
    frames, count = view.share.shape
    unsteady = np.empty((frames, count, 4))
    unsteady[0] = random.normal(0, 1, (count, 4))
    fresh = np.sqrt(1 - STEADY**2) * random.normal(0, 1, unsteady.shape)
    for frame in range(1, frames):
        unsteady[frame] = STEADY * unsteady[frame - 1] + fresh[frame]
    sides = view.boxes[..., [2, 3, 2, 3]]
    edges = np.concatenate([view.boxes[..., :2], view.boxes[..., :2] + view.boxes[..., 2:]], -1)
    edges = edges + EDGE * sides * unsteady
    chance = np.where(view.share < HARDLY, HARDLY_MISSED, MISSED)
    shown = ~np.isnan(edges[..., 0]) & (random.random((frames, count)) > chance)
    for one, other in combinations(range(count), 2):
        alike = boxes.paired_iou(view.boxes[:, one], view.boxes[:, other]) > MERGED
        merged = alike & shown[:, one] & shown[:, other]
        low = np.minimum(edges[:, one, :2], edges[:, other, :2])
        high = np.maximum(edges[:, one, 2:], edges[:, other, 2:])
        edges[merged, one] = np.concatenate([low, high], axis=1)[merged]
        shown[merged, other] = False
    rows, animal = np.nonzero(shown)
    found = edges[rows, animal]
    table = pd.DataFrame(
        np.column_stack([found[:, :2], found[:, 2:] - found[:, :2]]), columns=["x", "y", "w", "h"]
    ).assign(frame=rows, score=random.uniform(0.6, 1, len(rows)), label="mouse")
    table = table.sort_values(["frame", "score"], ascending=[True, False], ignore_index=True)
    table = table.assign(detection=table.groupby("frame").cumcount())
    return tables.conform(table[(table["w"] > 1) & (table["h"] > 1)], "detections")


def write_archive(
    out: Path,
    splits: dict[str, str],
    seconds: float,
    seed: int = 1,
    *,
    longer: Mapping[str, float] = MappingProxyType({}),
) -> None:
    """Write an archive of one segment for each cage, by its split; what is there stays.

    Segments last ``seconds``; those of splits in ``longer`` as long as is said there.
    """
    rows = []
    for number, (cage, split) in enumerate(splits.items()):
        if not (out / f"{cage}.json").exists():
            live(out, cage, longer.get(split, seconds), seed)
        rows.append(
            Segment(
                cage=cage, segment="1", positions=f"{cage}.positions.csv",
                detections=f"{cage}.detections.parquet", annotations=f"{cage}.json",
                split=split, fps=FPS, start=f"2024-03-{number % 28 + 1:02d}T19:00:00",
                animals=ANIMALS,
            )
        )  # fmt: skip
    write_sheet(out / "segments.tsv", rows)
