"""Whole processes, from the interpreter's start to the written table, on a made-up segment."""

import functools
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
import synthetic

from murid import tables
from murid.identify import evidence, problem, solvers
from murid.models import fitted_weights
from murid.settings import Solve
from murid.tracklets import Tracklets

MEASURE = Path(__file__).with_name("measure.py")
MINUTES, ANIMALS = 30, 3
"""Of the segment that all is compared on."""
LENGTHS = (10, 30, 60, 90)
GROUPS = (2, 3, 4, 5, 6)
REPEATS = 3
PATIENCE = 300
"""Seconds that the paper's formulation gets in the tables of growth."""
COLUMNS = ("process", "seconds", "processor s", "frames/s", "peak MB")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("speed")


class Segments:
    """Makes segments and the models to name them by, each once; measures commands on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.transforms = folder / "transforms.parquet"
        self.make = functools.cache(self._make)
        self.models = functools.cache(self._models)
        murid("calibrate", "--rig", "rig", "--output", self.transforms)

    def _make(self, minutes: int, animals: int, seed: int = 1) -> Path:
        own = self.folder / f"{minutes} min, {animals} animals, {seed}"
        synthetic.make(own, minutes * 60 * synthetic.FPS, animals, seed)
        murid(*self.track(own))
        return own

    def _models(self, animals: int) -> tuple[Path, Path]:
        """Fit weights and path model to two other segments."""
        train, validate = (self.make(10, animals, seed) for seed in (2, 3))
        weights = self.folder / f"weights {animals}.json"
        murid(
            "fit-weights", *("--transforms", self.transforms), "--animals", animals,
            "--segment", synthetic.FPS, train / "positions.parquet",
            train / "annotations.parquet", "rig",
            "--output", weights,
        )  # fmt: skip
        path_model = self.folder / f"path model {animals}.json"
        parts = [
            ("Train", synthetic.FPS, *self.files(train), "rig"),
            ("Validate", synthetic.FPS, *self.files(validate), "rig"),
        ]
        murid(
            "fit-path", *(word for part in parts for word in ("--segment", *part)),
            "--weights", weights, "--transforms", self.transforms, "--output", path_model,
        )  # fmt: skip
        return weights, path_model

    def track(self, own: Path) -> list[object]:
        return [
            "track", "--detections", own / "detections.parquet",
            "--output", own / "tracklets.parquet",
        ]  # fmt: skip

    def identify(self, own: Path, animals: int, method: str, *options: str) -> list[object]:
        weights, path_model = self.models(animals)
        inputs = [word for path in self.files(own) for word in (f"--{path.stem}", path)]
        if method == "path":
            inputs += ["--path-model", path_model]
        return [
            "identify", *inputs, "--weights", weights, "--transforms", self.transforms,
            "--rig", "rig", "--fps", synthetic.FPS, "--output", method, own / f"{method}.parquet",
            *options,
        ]  # fmt: skip

    def files(self, own: Path) -> list[Path]:
        names = ("detections", "tracklets", "positions", "annotations")
        return [own / f"{name}.parquet" for name in names]

    def task(self, minutes: int, animals: int) -> problem.Problem:
        """Return what the solvers are given."""
        own = self.make(minutes, animals)
        model = fitted_weights.read(self.models(animals)[0]).paper
        trace = evidence.read_trace(tables.read(own / "positions.parquet", "positions"), model)
        linked = tables.read(own / "tracklets.parquet", "tracklets")
        return problem.build(
            Tracklets(linked["frame"], linked["tracklet"]),
            evidence.weigh(linked, trace, model, np.eye(2, 3)),
            trace,
        )

    def processes(self, minutes: int, animals: int, *limit: str) -> dict[str, list[object]]:
        """Return the commands to measure, the paper's formulation last."""
        own = self.make(minutes, animals)
        commands = {
            "track": self.track(own),
            "identify ilp (auto)": self.identify(own, animals, "ilp"),
        }
        commands["identify path"] = self.identify(own, animals, "path")
        paper = self.identify(own, animals, "ilp", "--solver=paper", *limit)
        commands["identify ilp (paper)"] = paper
        return commands

    def size(self, minutes: int, animals: int) -> tuple[int, int]:
        """Return how many frames and tracklets a segment has."""
        own = self.make(minutes, animals)
        tracklets = tables.read(own / "tracklets.parquet", "tracklets")["tracklet"]
        return minutes * 60 * synthetic.FPS, tracklets.nunique()


def murid(*arguments: object) -> dict[str, float]:
    """Run a command of murid that must succeed; return its seconds and megabytes."""
    found = measure(arguments)
    assert found["exit"] == 0, f"murid {' '.join(map(str, arguments))} failed"
    return found


def measure(arguments: Iterable[object]) -> dict[str, float]:
    command = [sys.executable, str(MEASURE), sys.executable, "-m", "murid", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def segments(folder: Path) -> Segments:
    return Segments(folder)


@pytest.mark.bench
def test_a_segment(segments: Segments, print_table: Callable[..., None]) -> None:
    frames, tracklets = segments.size(MINUTES, ANIMALS)
    rows = {}
    for name, command in segments.processes(MINUTES, ANIMALS).items():
        repeats = 1 if "paper" in name else REPEATS
        best = min((murid(*command) for _ in range(repeats)), key=lambda found: found["seconds"])
        rows[name] = best
    paper = rows["identify ilp (paper)"]["seconds"]
    print_table(
        f"A segment of {frames:,} frames, {ANIMALS} animals, {tracklets:,} tracklets "
        f"(the best of {REPEATS} runs; the paper's formulation once)",
        [*COLUMNS, "paper's formulation takes"],
        [
            (
                name,
                found["seconds"],
                found["processor"],
                round(frames / found["seconds"]),
                round(found["megabytes"]),
                f"{paper / found['seconds']:.1f} x",
            )
            for name, found in rows.items()
        ],
    )


@pytest.mark.bench
def test_solvers_alone(segments: Segments, print_table: Callable[..., None]) -> None:
    task = segments.task(MINUTES, ANIMALS)
    seconds = {}
    for solver in ("auto", "dp", "highs", "cbc", "paper"):
        begin = perf_counter()
        solvers.solve(task, Solve(solver=solver))
        seconds[solver] = perf_counter() - begin
    print_table(
        "The solver alone, on the same segment",
        ["solver", "seconds", "paper's formulation takes"],
        [(name, value, f"{seconds['paper'] / value:.1f} x") for name, value in seconds.items()],
    )


@pytest.mark.bench
def test_longer_segments(segments: Segments, print_table: Callable[..., None]) -> None:
    sizes = [(minutes, ANIMALS) for minutes in LENGTHS]
    heads = [f"{minutes} min" for minutes in LENGTHS]
    show_growth(segments, print_table, f"Growth with length, {ANIMALS} animals", heads, sizes)


@pytest.mark.bench
def test_larger_groups(segments: Segments, print_table: Callable[..., None]) -> None:
    sizes = [(MINUTES, animals) for animals in GROUPS]
    heads = [f"{animals} animals" for animals in GROUPS]
    show_growth(segments, print_table, f"Growth with the group, {MINUTES} minutes", heads, sizes)


def show_growth(
    segments: Segments,
    print_table: Callable[..., None],
    title: str,
    heads: list[str],
    sizes: list[tuple[int, int]],
) -> None:
    cells: dict[str, list[object]] = {"tracklets": [segments.size(*size)[1] for size in sizes]}
    for size in sizes:
        for name, command in segments.processes(*size, f"--time-limit={PATIENCE}").items():
            found = measure(command)
            seconds = f"{found['seconds']:.2f} s"
            text = f"{seconds}, {found['megabytes']:.0f} MB"
            if found["exit"]:
                # The paper's formulation alone has a limit.
                text = f"none in {PATIENCE} s" if "paper" in name else "failed"
            cells.setdefault(name, []).append(text)
    print_table(title, ["process", *heads], [(name, *row) for name, row in cells.items()])
