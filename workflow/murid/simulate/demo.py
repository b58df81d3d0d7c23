"""The files of the demo archive: every recording, the points of its rigs, and its sheet."""

import csv
import io
from concurrent.futures import ProcessPoolExecutor
from itertools import count, repeat
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from murid.files import write_text
from murid.settings import Simulate
from murid.sheet import Segment, write_sheet
from murid.simulate.antennas import centres
from murid.simulate.processor import plain_processes
from murid.simulate.recording import Recording, antenna_points, record
from murid.simulate.scene import HOPPER_HIGH, HOPPER_LOW, Camera

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


def hopper(width: int) -> NDArray[np.float64]:
    """Return the corners of the hopper's front in the frame of reference, shape (4, 2), pixels.

    The frame of reference is the picture of rig ``north``, ``width`` pixels wide.
    """
    options = Simulate(width=width)
    camera = Camera(options.width, options.height, _setup("north", options))
    (x0, _, z0), (x1, y, z1) = HOPPER_LOW, HOPPER_HIGH
    return camera.project([[x0, y, z1], [x1, y, z1], [x1, y, z0], [x0, y, z0]])


def _setup(
    rig: str, options: Simulate
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return how a rig's camera was moved: a similarity of its picture, shape (2, 3).

    The first is the smaller picture, hence the prototype: residuals count in its pixels.
    """
    scale, degrees, x, y = {"north": (1.0, 0.4, 1.5, -1.0), "south": (1.035, -1.3, -6.0, 1.0)}[rig]
    factor = options.width / 320
    middle = np.array([options.width, options.height]) / 2
    c, s = scale * np.cos(np.radians(degrees)), scale * np.sin(np.radians(degrees))
    linear = np.array([[c, -s], [s, c]])
    shift = middle - linear @ middle + factor * np.array([x, y])
    first, second = np.column_stack([linear, shift]).tolist()
    return tuple(first), tuple(second)


def _use(number: int) -> tuple[str, str]:
    """Return the split and the rig of a cage."""
    return CAGES[number % len(CAGES)]


def _recordings(options: Simulate) -> list[Recording]:
    recordings = []
    for number in range(options.cages):
        cage, setup = f"C{number + 1:02d}", _setup(_use(number)[1], options)
        damage = "gap" if number == 0 else ""
        recordings.append(Recording(cage, "1", options.seconds, setup, damage))
        if number < 2:
            damage = ("short", "lost")[number]
            recordings.append(Recording(cage, "2", options.damaged_seconds, setup, damage))
    return recordings


def _row(recording: Recording, options: Simulate) -> Segment:
    number = int(recording.cage[1:]) - 1
    name, (split, rig) = recording.name, _use(number)
    return Segment(
        cage=recording.cage,
        segment=recording.segment,
        rig=rig,
        video=f"videos/{name}.mp4",
        positions=f"positions/{name}.csv",
        annotations=f"annotations/{name}.json",
        split=split,
        fps=options.fps,
        start=f"2024-03-{number % 28 + 1:02d}T19:{30 * (int(recording.segment) - 1):02d}:00",
        animals=options.animals,
    )


def _points(options: Simulate) -> str:
    """Mark the antennas in the picture of every rig in use, a quarter of a pixel unsteadily."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["rig", "antenna", "x", "y"])
    used = sorted({_use(number)[1] for number in range(options.cages)})
    for index, rig in enumerate(used):
        rng = np.random.default_rng([options.seed, 7, index])
        camera = Camera(options.width, options.height, _setup(rig, options))
        points = antenna_points(camera, centres())
        points += rng.normal(0, 0.25 * options.width / 320, points.shape)
        for antenna, (x, y) in zip(count(1), points, strict=False):
            writer.writerow([rig, antenna, f"{x:.2f}", f"{y:.2f}"])
    return text.getvalue()
