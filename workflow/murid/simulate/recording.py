"""One recording: the mice live, the camera films, the plate listens, a human annotates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas, tables, video
from murid.files import write_text
from murid.settings import Simulate
from murid.simulate.annotate import View, annotate, huddles, runs, via_project
from murid.simulate.antennas import trace
from murid.simulate.body import body
from murid.simulate.motion import roam
from murid.simulate.render import Painter, visible_box
from murid.simulate.scene import RIGS, TUNNEL, Camera, Tunnel, backdrop

Array = NDArray[np.float64]

SPECK = 0.05
"""Share of a silhouette that nobody would recognise as a mouse."""


@dataclass(frozen=True)
class Recording:
    """What is to be recorded, and what is to go wrong."""

    cage: str
    segment: str
    split: str
    rig: str
    seconds: float
    damage: str = ""
    """``gap`` (missing readings that can be filled in), ``lost`` (that cannot), ``short``."""

    @property
    def name(self) -> str:
        """Stem of its files."""
        return f"{self.cage}_{self.segment}"


def record(out: Path, recording: Recording, options: Simulate) -> None:
    """Write the video, positions, annotations and true boxes of one recording below ``out``."""
    name, animals = recording.name, list(options.animals)
    number = [int.from_bytes(part.encode(), "big") for part in (recording.cage, recording.segment)]
    rng = np.random.default_rng([options.seed, *number])
    # What belongs to the cage is the same in all its segments.
    cage_rng = np.random.default_rng([options.seed, number[0]])
    tunnel = _tunnel(cage_rng)
    frames = max(1, round(recording.seconds * options.fps))
    tracks = roam(frames, options.fps, len(animals), tunnel, rng)
    camera = Camera(options.width, options.height, RIGS[recording.rig])
    bodies = [body(track.pose, cage_rng.uniform(1.05, 1.15)) for track in tracks]
    empty = backdrop(camera, tunnel, cage_rng)
    painter = Painter(camera, empty, bodies, rng)
    view = View.unseen(frames, len(animals))
    video.write(
        out / "videos" / f"{name}.mp4", _film(painter, view, empty.kind == TUNNEL), options.fps,
        crf=options.crf, portable=True,
    )  # fmt: skip
    readings = _damaged(trace(tracks, options.fps, rng).astype(float), recording, options)
    positions = pd.DataFrame(readings, columns=animals).astype("Int64")
    text = positions.to_csv(index_label="frame", lineterminator="\n")
    write_text(out / "positions" / f"{name}.csv", text)
    huddled = huddles(view, np.stack([track.asleep for track in tracks], axis=1), rng)
    size = (options.width, options.height)
    annotated = [
        (frame, annotate(frame, view, huddled[frame], animals, size, rng))
        for frame in range(0, frames, max(1, round(options.annotate_every * options.fps)))
    ]
    text = via_project(name, annotated, animals)
    write_text(out / "annotations" / f"{name}.json", text)
    tables.write(_truth(view, animals), out / "truth" / f"{name}.parquet", "identities")


def _tunnel(rng: np.random.Generator) -> Tunnel:
    return Tunnel(
        x=float(rng.uniform(11.0, 12.5)), y=float(rng.uniform(7.8, 8.8)),
        angle=float(rng.uniform(-0.25, 0.25)),
    )  # fmt: skip


def _film(painter: Painter, view: View, tunnel: NDArray[np.bool_]) -> Iterator[NDArray[np.uint8]]:
    """Draw frame after frame, and fill in ``view`` on the way."""
    size = np.array([painter.camera.width, painter.camera.height])
    wholes = [animal.whole() for animal in painter.animals]
    for animal, whole in enumerate(wholes):
        low, high = np.clip(whole[:, :2], 0, size), np.clip(whole[:, 2:], 0, size)
        view.whole[:, animal] = np.concatenate([low, high - low], axis=1)
    least = 24 * (size[0] / 320) ** 2
    elsewhere = np.where(tunnel, 0, 255).astype(np.uint8)
    rows, columns = np.nonzero(tunnel)
    around = np.array([columns.min(), rows.min(), columns.max(), rows.max()])
    for frame in range(len(view.tunnel)):
        picture, owner = painter.draw(frame)
        for animal, whole in enumerate(wholes):
            seen = visible_box(owner, animal + 1, whole[frame])
            # A silhouette fills about three quarters of its box.
            area = 0.75 * np.prod(view.whole[frame, animal, 2:])
            if seen is not None and seen[1] >= max(least, SPECK * area):
                view.boxes[frame, animal] = seen[0]
                view.share[frame, animal] = min(float(seen[1] / area), 1.0)
        seen = visible_box(np.maximum(owner, elsewhere), 0, around)
        if seen is not None and seen[1] >= least:
            view.tunnel[frame] = seen[0]
        yield picture


def _damaged(readings: Array, recording: Recording, options: Simulate) -> Array:
    """Take readings away (NaN), as a real plate and a real disk do."""
    if recording.damage == "short":
        return readings[: max(1, len(readings) - round(4 * options.fps))]
    if recording.damage == "gap":
        animal, start, end = max(
            ((j, *run) for j in range(readings.shape[1]) for run in runs(readings[:, j])),
            key=lambda run: run[2] - run[1],
        )
        width = min(round(2 * options.fps), end - start - 2)
        middle = (start + end) // 2
        readings[middle - width // 2 : middle - width // 2 + width, animal] = np.nan
    if recording.damage == "lost":
        # From before an animal moves until after: nobody can tell when it did.
        moves = [(j, end) for j in range(readings.shape[1]) for _, end in runs(readings[:, j])[:-1]]
        animal, at = moves[len(moves) // 2] if moves else (0, len(readings))
        half = round(options.fps)
        readings[max(at - half, 1) : at + half, animal] = np.nan
    return readings


def _truth(view: View, animals: Sequence[str]) -> pd.DataFrame:
    """Return the true boxes as the table ``identities``."""
    index = pd.MultiIndex.from_product([range(len(view.boxes)), animals], names=["frame", "animal"])
    boxes = pd.DataFrame(view.boxes.reshape(-1, 4), index, schemas.BOX).reset_index()
    return boxes.assign(tracklet=None, detection=None, confidence=np.nan)
