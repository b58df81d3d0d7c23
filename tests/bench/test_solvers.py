"""Every solver on the eight released segments: how long each takes, and that they agree."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

from murid import settings, sheet, tables
from murid.archive.stage import Check, ImportTide
from murid.calibrate.stage import Calibrate
from murid.detect import select
from murid.fitting.stage import FitWeights
from murid.identify import evidence, problem, solvers
from murid.models import fitted_weights
from murid.tracking import link
from murid.tracklets import Tracklets

RIG = "rig"
SOLVERS = ("dp", "highs", "cbc", "paper")
PARTS = ("positions", "annotations", "detections")


@pytest.fixture(scope="module")
def segments(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, problem.Problem]:
    """The assignment problem of every segment, weights fitted to Train and Validate."""
    folder = tmp_path_factory.mktemp("release")
    transforms, weights = folder / "transforms.parquet", folder / "weights.json"
    ImportTide(archive=shared / "tide", out=folder, sheet_only=True).run()
    Calibrate(rigs=[RIG], output_transforms=transforms).run()
    known = sheet.read_sheet(folder / "segments.tsv")
    for key, segment in known.items():
        sources = {part: shared / "tide" / getattr(segment, part) for part in PARTS}
        own = folder / "_".join(key)
        outputs = {f"output_{part}": own / f"{part}.parquet" for part in PARTS}
        Check(cage=key[0], segment=key[1], **sources, **outputs).run()
    fitted = [folder / "_".join(key) for key, row in known.items() if row.split != "Test"]
    FitWeights(
        segments=[
            (25.0, own / "positions.parquet", own / "annotations.parquet", RIG) for own in fitted
        ],
        transforms=transforms, output=weights, animals=3,
    ).run()  # fmt: skip
    model = fitted_weights.read(weights).paper
    return {" ".join(key): _build(folder / "_".join(key), model) for key in known}


def _build(own: Path, model: fitted_weights.Affinity) -> problem.Problem:
    matrix = np.eye(2, 3)
    found = tables.read(own / "detections.parquet", "detections")
    linked = link.track(select.select(found, matrix, settings.Detect()), settings.Track())
    trace = evidence.read_trace(tables.read(own / "positions.parquet", "positions"), model)
    return problem.build(
        Tracklets(linked["frame"], linked["tracklet"]),
        evidence.weigh(linked, trace, model, matrix),
        trace,
    )


@pytest.mark.bench
def test_every_solver_finds_the_same_optimum_of_every_segment(
    segments: dict[str, problem.Problem], print_table: Callable[..., None]
) -> None:
    rows, gaps = [], []
    for name, task in segments.items():
        seconds, objectives = [], []
        for solver in SOLVERS:
            begin = perf_counter()
            assignment = solvers.solve(task, settings.Solve(solver=solver))
            seconds.append(perf_counter() - begin)
            objectives.append(task.objective(assignment))
        gap = float(np.ptp(objectives))
        gaps.append(gap)
        best = f"{objectives[0]:.3f}"
        rows.append([name, task.tracklets, *seconds, seconds[-1] / seconds[0], best, f"{gap:.1e}"])
    counted = [row[1 : 2 + len(SOLVERS)] for row in rows]
    total = [sum(column) for column in zip(*counted, strict=True)]
    rows.append(["together", *total, total[-1] / total[1], "", f"{max(gaps):.1e}"])
    columns = ["segment", "tracklets", *(f"{name}, s" for name in SOLVERS)]
    print_table(
        "Solvers on whole segments (seconds in the solver; objective in natural logarithms)",
        [*columns, "paper / dp", "objective", "largest difference"],
        rows,
    )
    assert len(gaps) == 8
    assert max(gaps) < 1e-6
