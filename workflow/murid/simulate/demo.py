"""The files of the demo archive: every recording, the points of its rigs, and its sheet."""

from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd

from murid.files import write_text
from murid.settings import Simulate
from murid.sheet import Segment, write_sheet
from murid.simulate.antennas import GRID, centres
from murid.simulate.processor import plain_processes
from murid.simulate.recording import Recording, record
from murid.simulate.scene import RIGS, Camera

CAGES = (
    ("Train", "north"),
    ("Test", "south"),
    ("Train", "south"),
    ("Validate", "north"),
    ("Train", "north"),
    ("Test", "north"),
)
"""Split and rig of the cages, again and again."""

README = """A demo archive, made by `murid simulate`
========================================

Nothing here was measured on animals. Three simulated mice live in each home cage; a camera before
the cage films them, an antenna plate below the cage reports where they are.

segments.tsv   the sample sheet: one line a segment
points.csv     where the antennas appear in the picture of each rig's camera (with the error of a
               hand that marks them)
videos/        H.264, grey
positions/     the antenna of each mouse in each frame: scanned twice a second, about 1.5 seconds
               late, coarse, and wrong at times where mice huddle or climb
annotations/   VIA 2 projects: a frame every {every:g} seconds, as a human would annotate it
truth/         true boxes of what is visible of each mouse in every frame (table `identities`); no
               real archive has them, and nothing in the pipeline reads them

Cages: {cages}. Frames: {width} x {height} pixels, {fps:g} a second.
Segment 2 of each of the first two cages is damaged on purpose: one trace lacks readings that nobody
can fill in, the other stops too early. In segment 1 of the first cage a few readings are missing
that can be filled in.
"""


def make(out: Path, options: Simulate) -> None:
    """Write a demo archive to the folder ``out``.

    The same options give the same archive, byte for byte, on every x86-64 processor. Files that are
    already there are overwritten. It is drawn by processes of its own, even if that is one, so that
    a script that calls this needs the usual ``if __name__ == "__main__"``.
    """
    context = get_context("spawn")
    with plain_processes(), ProcessPoolExecutor(options.processes, mp_context=context) as pool:
        recordings = pool.submit(_recordings, options).result()
        points = pool.submit(_points, options)
        list(pool.map(record, repeat(out), recordings, repeat(options)))
    write_text(out / "points.csv", points.result())
    cages = list(dict.fromkeys(recording.cage for recording in recordings))
    write_text(
        out / "README.txt",
        README.format(
            every=options.annotate_every, cages=", ".join(cages), width=options.width,
            height=options.height, fps=options.fps,
        ),
    )  # fmt: skip
    # Last, since whoever sees the sheet may take the archive to be complete.
    write_sheet(out / "segments.tsv", [_row(recording, options) for recording in recordings])


def _recordings(options: Simulate) -> list[Recording]:
    recordings = []
    for number in range(options.cages):
        cage, use = f"C{number + 1:02d}", CAGES[number % len(CAGES)]
        damage = "gap" if number == 0 else ""
        recordings.append(Recording(cage, "1", *use, options.seconds, damage))
        if number < 2:
            damage = ("short", "lost")[number]
            recordings.append(Recording(cage, "2", *use, options.damaged_seconds, damage))
    return recordings


def _row(recording: Recording, options: Simulate) -> Segment:
    day, half_hour = (int(recording.cage[1:]) - 1) % 28 + 1, int(recording.segment) - 1
    return Segment(
        cage=recording.cage,
        segment=recording.segment,
        rig=recording.rig,
        video=f"videos/{recording.name}.mp4",
        positions=f"positions/{recording.name}.csv",
        annotations=f"annotations/{recording.name}.json",
        split=recording.split,
        fps=options.fps,
        start=f"2024-03-{day:02d}T19:{30 * half_hour:02d}:00",
        animals=options.animals,
    )


def _points(options: Simulate) -> str:
    """Mark the antennas in the picture of every rig in use, a quarter of a pixel unsteadily."""
    floor = np.column_stack([centres(), np.zeros(GRID.size)])
    parts = []
    for index, rig in enumerate(sorted({rig for _, rig in CAGES[: options.cages]})):
        rng = np.random.default_rng([options.seed, 7, index])
        points = Camera(options.width, options.height, RIGS[rig]).project(floor)
        points += rng.normal(0, 0.25 * options.width / 320, points.shape)
        part = pd.DataFrame(points, columns=["x", "y"])
        part.insert(0, "rig", rig)
        part.insert(1, "antenna", GRID.antennas)
        parts.append(part)
    return pd.concat(parts).to_csv(index=False, float_format="%.2f", lineterminator="\n")
