"""Simulated segments whose boxes are linked by trackers that at times follow the wrong animal.

Mice are simulated as in the demo archive; the boxes are those of what is visible of each, as an
unsteady detector would give them, so that it is known of every box whose it is. They are named by
the method path, by whatever tables and models are asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from murid import schemas, sheet, tables
from murid.archive.stage import Check
from murid.boxes import paired_iou
from murid.calibrate.stage import Calibrate
from murid.fitting.stage import FitPath, FitWeights
from murid.identify.fit_check import Fit
from murid.identify.methods import path
from murid.identify.scene import Scene
from murid.identify.stage import Naming
from murid.models import fitted_path, fitted_weights
from murid.review import stretches
from murid.segment import Segment
from murid.settings import Image, Review, Simulate, Track
from murid.simulate import demo
from murid.tracking import link

FPS = 12.5
IMAGE = Image(width=320, height=180)
JITTER = 0.6
"""Pixels by which a box of a picture of 320 pixels is off."""
MISS = 0.02
"""Share of boxes that are missing."""
PATIENCE = 12
"""Frames without its animal that another tool's tracklet survives."""
EXCHANGED = (1500, 3000)
"""Frames in which two tracklets have exchanged numbers."""
TABLES = ("positions", "annotations")
SURE = 0.9
"""Confidence of names that nobody looks at."""


@dataclass(frozen=True)
class Recording:
    """A simulated segment: its tables, and whose each detection is."""

    folder: Path
    split: str
    rig: str
    detections: pd.DataFrame
    whose: pd.Series


def make(folder: Path, options: Simulate) -> list[Recording]:
    """Simulate an archive, and the detections and own tracklets of its segments."""
    if not (folder / "segments.tsv").exists():
        demo.make(folder, options)
    Calibrate(
        points=folder / "points.csv", rigs=("north", "south"),
        output_transforms=folder / "transforms.parquet", image=IMAGE,
    ).run()  # fmt: skip
    recordings = []
    for key, segment in sheet.read_sheet(folder / "segments.tsv").items():
        if segment.segment != "1":
            continue
        own = folder / "tables" / segment.cage
        own.mkdir(parents=True, exist_ok=True)
        sources = {name: folder / getattr(segment, name) for name in TABLES}
        outputs = {f"output_{name}": own / f"{name}.parquet" for name in TABLES}
        Check(cage=key[0], segment=key[1], fps=FPS, **sources, **outputs).run()
        truth = tables.read(folder / "truth" / f"{segment.cage}_1.parquet", "identities")
        number = int(segment.cage[1:])
        found, whose = detect(truth, np.random.default_rng([options.seed, number]))
        tables.write(found, own / "detections.parquet", "detections")
        tables.write(link.track(found, Track()), own / "tracklets.parquet", "tracklets")
        recordings.append(Recording(own, segment.split, segment.rig, found, whose))
    return recordings


def detect(truth: pd.DataFrame, random: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """Return the detections of what is visible, and the animal of each."""
    seen = truth.dropna(subset="x").reset_index(drop=True)
    seen = seen[random.random(len(seen)) >= MISS]
    seen[schemas.BOX] += random.normal(0, JITTER, (len(seen), 4))
    seen[["w", "h"]] = seen[["w", "h"]].clip(lower=2)
    seen = seen.assign(score=random.beta(8, 1.5, len(seen)), label="mouse")
    seen = seen.sort_values(["frame", "score"], ascending=[True, False], ignore_index=True)
    seen["detection"] = seen.groupby("frame").cumcount()
    return tables.conform(seen, "detections"), seen["animal"]


@dataclass(frozen=True)
class Models:
    """What tracklets are named by."""

    weights: Path
    path_model: Path
    transforms: Path

    def naming(
        self, recording: Recording, tracklets: Path | None = None, positions: Path | None = None
    ) -> Naming:
        """Return what a segment is named by, with tracklets or a trace in place of its own."""
        own = recording.folder
        return Naming(
            detections=own / "detections.parquet",
            tracklets=tracklets or own / "tracklets.parquet",
            positions=positions or own / "positions.parquet",
            weights=self.weights, path_model=self.path_model, transforms=self.transforms,
            rig=recording.rig, fps=FPS, image=IMAGE,
        )  # fmt: skip


def learn(folder: Path, recordings: list[Recording]) -> Models:
    """Fit weights and path model to Train and Validate, with own tracklets."""
    weights, path_model = folder / "weights.json", folder / "path_model.json"
    transforms = folder / "transforms.parquet"
    known = [one for one in recordings if one.split != "Test"]
    for chosen, output in (
        ([one for one in known if one.split == "Train"], folder / "weights_train.json"),
        (known, weights),
    ):
        FitWeights(
            segments=[
                (FPS, *(one.folder / f"{name}.parquet" for name in TABLES), one.rig)
                for one in chosen
            ],
            transforms=transforms, output=output, animals=3, image=IMAGE,
        ).run()  # fmt: skip
    names = ("detections", "tracklets", *TABLES)
    parts = [
        (one.split, FPS, *(one.folder / f"{name}.parquet" for name in names), one.rig)
        for one in known
    ]
    FitPath(
        segments=parts, weights=folder / "weights_train.json", transforms=transforms,
        output=path_model,
    ).run()  # fmt: skip
    return Models(weights, path_model, transforms)


def believed(stage: Naming, kind: type[Scene] = Scene) -> Scene:
    """Return a segment with all that it is named by, its trace as it is and not judged."""
    assert stage.path_model
    return kind(
        stage, Segment.of(stage, stage.transforms), fitted_weights.read(stage.weights),
        fitted_path.read(stage.path_model), Fit(),
    )  # fmt: skip


def name(recording: Recording, scene: Scene) -> tuple[pd.DataFrame, float]:
    """Name the boxes of a segment.

    Returns
    -------
    Of each box ``frame``, ``right``, ``wrong`` (neither is a box without a name) and
    ``confidence``; and the seconds that are listed for review.
    """
    answer = path.identify(scene)
    keys = ["frame", "detection"]
    whose = recording.detections[keys].assign(animal=recording.whose.to_numpy())
    named = answer.identities(scene.trace).dropna(subset="detection")
    named = named[[*keys, "animal", "confidence"]].rename(columns={"animal": "named"})
    boxes = whose.merge(named, how="left", on=keys)
    boxes["right"] = boxes["named"] == boxes["animal"]
    boxes["wrong"] = boxes["named"].notna() & ~boxes["right"]
    beliefs = answer.posteriors(scene.trace.animals)
    listed = stretches.find(scene.segment.tracklets, beliefs, FPS, Review())
    return boxes, float(listed["seconds"].sum())


def wrong_and_sure(boxes: pd.DataFrame) -> float:
    """Return the percentage of boxes with a wrong name of which the method is sure."""
    return round(100 * float((boxes["wrong"] & (boxes["confidence"] >= SURE)).mean()), 2)


def pure(recording: Recording, random: np.random.Generator) -> pd.DataFrame:
    """Link the boxes of each animal, as long as it is not away for long."""
    table = recording.detections.assign(animal=recording.whose)
    table["number"] = table.groupby("animal").ngroup()
    away = table.groupby("animal")["frame"].diff().fillna(0) > PATIENCE
    return _numbered(table, away.groupby(table["animal"]).cumsum())


def exchanged(recording: Recording, random: np.random.Generator) -> pd.DataFrame:
    """Let the tracklets of two animals exchange numbers in the middle, wherever they are."""
    table = pure(recording, random)
    names = random.permutation(recording.whose.unique())[:2]
    inside = table["frame"].between(EXCHANGED[0], EXCHANGED[1] - 1)
    swap = dict(zip(names, names[::-1], strict=True))
    keys = table["animal"].where(~inside, table["animal"].replace(swap))
    # Tracklets that are alive at both ends carry on with the other animal's boxes.
    table["number"] = keys.map({name: rank for rank, name in enumerate(sorted(set(keys)))})
    away = table.groupby("number")["frame"].diff().fillna(0) > PATIENCE
    return _numbered(table, away.groupby(table["number"]).cumsum())


def met(recording: Recording, random: np.random.Generator) -> pd.DataFrame:
    """Let two tracklets exchange numbers at every other meeting, where their boxes overlap most."""
    table = recording.detections.assign(animal=recording.whose)
    names = sorted(recording.whose.unique())
    number = {name: rank for rank, name in enumerate(names)}
    wide = {name: table[table["animal"] == name].set_index("frame") for name in names}
    moments = []
    for one in range(len(names)):
        for other in range(one + 1, len(names)):
            a, b = wide[names[one]], wide[names[other]]
            both = a.index.intersection(b.index)
            near = _overlap(a.loc[both], b.loc[both])
            met_at = pd.Series(near, index=both)
            run = (met_at < 0.1).cumsum()[met_at >= 0.1]
            for _, part in met_at[met_at >= 0.1].groupby(run):
                moments.append((int(part.idxmax()), one, other))
    current = np.arange(len(names))
    table["number"] = table["animal"].map(number)
    numbers = table["number"].to_numpy().copy()
    frames, rank = table["frame"].to_numpy(), table["number"].to_numpy()
    for frame, one, other in sorted(moments):
        if random.random() < 0.5:
            current[[one, other]] = current[[other, one]]
            later = frames >= frame
            numbers[later] = current[rank[later]]
    table["number"] = numbers
    away = table.groupby("number")["frame"].diff().fillna(0) > PATIENCE
    return _numbered(table, away.groupby(table["number"]).cumsum())


def loose(recording: Recording, random: np.random.Generator) -> pd.DataFrame:
    """Link boxes as SORT does with the settings that many use: IoU 0.3, and a second to wait."""
    linked = link.track(recording.detections, Track(iou=0.3, max_age=PATIENCE, min_length=1))
    keys = recording.detections[["frame", "detection"]].assign(animal=recording.whose)
    return linked.merge(keys, on=["frame", "detection"])


def own(recording: Recording, random: np.random.Generator) -> pd.DataFrame:
    """Link boxes as murid does."""
    linked = tables.read(recording.folder / "tracklets.parquet", "tracklets")
    keys = recording.detections[["frame", "detection"]].assign(animal=recording.whose)
    return linked.merge(keys, on=["frame", "detection"])


LINKED: dict[str, Callable[[Recording, np.random.Generator], pd.DataFrame]] = {
    "murid's own": own,
    "one animal each": pure,
    "exchanged in the middle": exchanged,
    "exchanged at meetings": met,
    "SORT, IoU 0.3": loose,
}


def _numbered(table: pd.DataFrame, part: pd.Series) -> pd.DataFrame:
    number = pd.Series(list(zip(table["number"], part, strict=True))).factorize()[0]
    return table.assign(tracklet=number.astype(np.int32))


def _overlap(one: pd.DataFrame, other: pd.DataFrame) -> np.ndarray:
    return paired_iou(one[schemas.BOX], other[schemas.BOX])
