"""The archive that the site's notebooks look at: three simulated mice, a day of short recordings.

Nothing is filmed, so that it runs in a minute or two: what a detector would find of each mouse is
drawn, with its jitter, misses and merged boxes, and what a plate of antennas would read, late and
at times wrong. Run as ``python docs/making/archive.py FOLDER``.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.files import write_text
from murid.sheet import Segment, write_sheet

ANIMALS = ("B", "G", "R")
FPS, SECONDS = 12.5, 240.0
WIDTH, HEIGHT = 1280, 720
NEST = np.array([170.0, 560.0])
FEEDER = np.array([1090.0, 190.0])
HOURS = (0, 5, 9, 13, 17, 21)
"""Hours of the day at which the cage is filmed for :data:`SECONDS`; its night is 19:00 to 7:00."""
LEARNT = {"N2": ("Train", (1, 21)), "N3": ("Validate", (22,))}
"""Split of the cages that are learnt from, and hours of their night at which they are filmed."""
LATE, SCAN = 1.4, 0.5
"""Seconds by which antennas are late, and from one of their scans to the next."""
MISSED, MERGED = 0.02, 0.45
"""Chance that a box is missed, and the IoU from which two animals are one box."""
EVERY = 3.2
"""Seconds from one annotated frame to the next."""
FOLDERS, ENDINGS = ("detections", "positions", "annotations"), ("csv", "csv", "json")
"""Where the files of a recording are, and what their names end in."""

Floats = NDArray[np.float64]


@dataclass
class Mouse:
    """One animal, and what it is up to."""

    place: Floats
    target: Floats
    speed: float = 0.0
    left: float = 0.0
    """Seconds for which it stays once it has arrived."""


def active(hour: float) -> float:
    """Return how probable it is that a mouse goes about next, by the hour of the day."""
    return 0.85 if hour >= 19 or hour < 7 else 0.3


def live(hour: float, random: np.random.Generator) -> Floats:
    """Return where mice are: (F, J, 2) pixels, from a nest at the left to a feeder at the right."""
    mice = [Mouse(place, place) for place in (_anywhere(random) for _ in ANIMALS)]
    frames = round(SECONDS * FPS)
    places = np.empty((frames, len(mice), 2))
    for frame in range(frames):
        for number, mouse in enumerate(mice):
            away = mouse.target - mouse.place
            distance = float(np.hypot(*away))
            step = mouse.speed / FPS
            if distance > step:
                mouse.place = mouse.place + away * step / distance
            elif mouse.left > 0:
                mouse.left -= 1 / FPS
            else:
                _decide(mouse, number, hour, random)
            places[frame, number] = mouse.place
    return places


def _decide(mouse: Mouse, number: int, hour: float, random: np.random.Generator) -> None:
    """Choose where to go next, and for how long; the last mouse is the liveliest."""
    mouse.speed = random.uniform(120, 260)
    if random.random() < active(hour) - 0.15 + 0.1 * number:
        feeds = random.random() < 0.2
        mouse.target = FEEDER + random.normal(0, 30, 2) if feeds else _anywhere(random)
        mouse.left = random.exponential(6.0 if feeds else 2.0)
    else:
        # Close together, each at a place of its own: who lies behind is at times not seen.
        mouse.target = NEST + np.array([42.0 * number - 35, 10.0 * (number % 2)])
        mouse.target = mouse.target + random.normal(0, 8, 2)
        mouse.left = random.uniform(20, 70)


def _anywhere(random: np.random.Generator) -> Floats:
    return random.uniform((120, 120), (1160, 620))


def boxes(places: Floats, random: np.random.Generator) -> Floats:
    """Return the whole box of each animal: (F, J, 4), of which those in front are larger."""
    near = 0.75 + 0.4 * places[..., 1:] / HEIGHT
    step = np.gradient(places, axis=0)
    along = np.abs(step[..., :1]) / (np.hypot(step[..., :1], step[..., 1:]) + 0.5)
    size = near * np.concatenate([105 + 55 * along, 95 - 15 * along], axis=-1)
    for frame in range(1, len(size)):  # animals turn within some frames
        size[frame] = 0.85 * size[frame - 1] + 0.15 * size[frame]
    return np.concatenate([places - size / 2, size], axis=-1)


def overlaps(frame: Floats) -> Floats:
    """Return the IoU of each two boxes of a frame: (J, 4) -> (J, J)."""
    low, high = frame[:, :2], frame[:, :2] + frame[:, 2:]
    common = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    shared = np.prod(common.clip(min=0), axis=-1)
    area = np.prod(frame[:, 2:], axis=-1)
    return np.asarray(shared / (area[:, None] + area[None] - shared))


def shown(whole: Floats) -> NDArray[np.bool_]:
    """Tell which animals are seen: (F, J). Of two in one place it is the one in front."""
    seen = np.ones(whole.shape[:2], dtype=bool)
    for frame, of_frame in enumerate(whole):
        same = np.argwhere(np.triu(overlaps(of_frame) > MERGED, 1))
        for first, second in same:
            back = first if of_frame[first, 1] < of_frame[second, 1] else second
            seen[frame, back] = False
    return seen


def detections(whole: Floats, seen: NDArray[np.bool_], random: np.random.Generator) -> pd.DataFrame:
    """Return what a detector finds: a row a box, without names."""
    found = seen & (random.random(seen.shape) > MISSED)
    noise = random.normal(0, 1.5, whole.shape)
    frame, animal = np.nonzero(found)
    table = pd.DataFrame((whole + noise)[frame, animal], columns=["x", "y", "w", "h"]).round(2)
    table.insert(0, "frame", frame)
    table["score"] = random.uniform(0.6, 0.99, len(table)).round(3)
    return table.sample(frac=1, random_state=1).sort_values("frame", kind="stable")


def trace(places: Floats, random: np.random.Generator) -> pd.DataFrame:
    """Return the antenna of each animal in each frame: scanned in turn, late, at times wrong."""
    scan = round(SCAN * FPS)
    late = np.clip(np.arange(len(places)) // scan * scan - round(LATE * FPS), 0, None)
    cell = (places / (WIDTH / 6, HEIGHT / 3)).astype(int)
    wrong = np.repeat(random.random((len(places) // scan + 1, len(ANIMALS))) < 0.04, scan, axis=0)
    cell[..., 0] += wrong[: len(places)] * random.choice([-1, 1], cell.shape[:2])
    column, row = cell[late, :, 0].clip(0, 5), cell[late, :, 1].clip(0, 2)
    table = pd.DataFrame(3 * column + row + 1, columns=[*ANIMALS])
    table.insert(0, "frame", range(len(table)))
    return table


def annotations(whole: Floats, seen: NDArray[np.bool_]) -> str:
    """Return a VIA project of a frame every :data:`EVERY` seconds, as a human would draw it."""
    images = {}
    for frame in range(0, len(whole), round(EVERY * FPS)):
        regions = []
        for number in np.flatnonzero(seen[frame]):
            box = dict(
                zip(("x", "y", "width", "height"), whole[frame, number].round(1), strict=True)
            )
            hidden = (overlaps(whole[frame])[number] > 0.15).sum() > 1
            regions.append(
                {
                    "shape_attributes": {"name": "rect", **box},
                    "region_attributes": {
                        "identity": ANIMALS[number],
                        "type": "single",
                        "visibility": "truncated" if hidden else "clear",
                    },
                }
            )
        name = f"{frame:06d}.png"
        images[f"{name}-1"] = {
            "filename": name, "size": -1, "regions": regions,
            "file_attributes": {"frame": str(frame)},
        }  # fmt: skip
    project = {"_via_settings": {}, "_via_img_metadata": images, "_via_attributes": {}}
    return json.dumps(project)


def recorded(out: Path, cage: str, hour: int, split: str, seed: int) -> Segment:
    """Write the files of one recording; return its line of the sheet."""
    random = np.random.default_rng([seed, hour])
    places = live(hour, random)
    whole = boxes(places, random)
    seen = shown(whole)
    name = f"{cage}_{hour:02d}"
    boxed, read, drawn = (
        f"{folder}/{name}.{ending}" for folder, ending in zip(FOLDERS, ENDINGS, strict=True)
    )
    write_text(out / boxed, detections(whole, seen, random).to_csv(index=False))
    write_text(out / read, trace(places, random).to_csv(index=False))
    write_text(out / drawn, annotations(whole, seen))
    return Segment(
        cage=cage, segment=f"{hour:02d}00", split=split, fps=FPS, animals=ANIMALS,
        start=f"2026-03-02T{hour:02d}:00:00", detections=boxed, positions=read, annotations=drawn,
    )  # fmt: skip


def make(out: Path) -> None:
    """Write the archive to the folder ``out``; the same files every time."""
    recordings = [("N1", hour, "Test") for hour in HOURS]
    recordings += [(cage, hour, split) for cage, (split, hours) in LEARNT.items() for hour in hours]
    for folder in FOLDERS:
        (out / folder).mkdir(parents=True, exist_ok=True)
    rows = [
        recorded(out, cage, hour, split, number)
        for number, (cage, hour, split) in enumerate(recordings)
    ]
    write_sheet(out / "segments.tsv", rows)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
