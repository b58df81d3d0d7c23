"""An archive of cages whose antennas are in no grid, the corners of an IntelliCage."""

import json
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from murid import tables
from pipeline import Workflow, copy_sources
from placed_cage import ANIMALS, CORNERS, FPS, Filmed, film, nearest, right

START = datetime(2026, 3, 1, 9, 0, 0)
SECONDS = 120
CAGES = {"A": "Train", "B": "Test"}
ORDER = (3, 1, 4, 2)
"""Corners as the table of antennas has them: the first is antenna 1."""
CONFIG = """\
archive: archive
results: results
animals: archive/animals.tsv
antennas: archive/antennas.csv
track: {iou: 0.4}
fit_weights: {trees: 20}
identify: {methods: [path]}
"""


def visits(cage: str, filmed: Filmed) -> pd.DataFrame:
    """Return a row for each stay at a corner."""
    rows = []
    for animal, read in zip(ANIMALS, filmed.read.T, strict=True):
        bounds = [0, *(np.flatnonzero(np.diff(read)) + 1), len(read)]
        for begin, end in pairwise(bounds):
            if read[begin]:
                times = [START + timedelta(seconds=frame / FPS) for frame in (begin, end - 0.5)]
                rows.append([tag(cage, animal), *times, read[begin]])
    table = pd.DataFrame(rows, columns=["AnimalTag", "Start", "End", "Corner"])
    table = table.sort_values("Start", ignore_index=True).assign(
        VisitID=lambda t: t.index + 1, ModuleName="Adapt", Cage=1
    )
    for name in ("Start", "End"):
        table[name] = [f"{time:%Y-%m-%d %H:%M:%S.%f}"[:-3] for time in table[name]]
    return table[["VisitID", "AnimalTag", "Start", "End", "ModuleName", "Cage", "Corner"]]


def tag(cage: str, animal: str) -> str:
    return f"9002150{ord(cage):04d}{ord(animal):04d}"


def make_archive(folder: Path) -> dict[str, Filmed]:
    """Write two cages with logs, and ``my.yaml``; return what is true of each."""
    archive = folder / "archive"
    truth = {}
    sheet = ["cage\tsegment\treadings\tstart\tfps\tdetections\tannotations\tsplit"]
    for number, (cage, split) in enumerate(CAGES.items()):
        made = archive / cage
        made.mkdir(parents=True)
        truth[cage] = filmed = film(CORNERS, SECONDS, number, held=False)
        visits(cage, filmed).to_csv(made / "Visits.txt", sep="\t", index=False)
        for table in ("detections", "annotations"):
            tables.write(getattr(filmed, table), made / f"{table}.parquet", table)
        # Of the other it is known here who is who; methods need not be compared on it as well.
        annotated = f"{cage}/annotations.parquet" if split == "Train" else ""
        sheet.append(
            f"{cage}\ts\t{cage}/Visits.txt\t2026-03-01 09:00\t{FPS:g}\t{cage}/detections.parquet\t"
            f"{annotated}\t{split}"
        )
    (archive / "segments.tsv").write_text("\n".join(sheet) + "\n")
    worn = [f"{cage}\t{animal}\t{tag(cage, animal)}" for cage in CAGES for animal in ANIMALS]
    (archive / "animals.tsv").write_text("\n".join(["cage\tanimal\ttag", *worn]) + "\n")
    placed = [f"{corner},{CORNERS[corner - 1][0]},{CORNERS[corner - 1][1]}" for corner in ORDER]
    (archive / "antennas.csv").write_text("\n".join(["antenna,x,y", *placed]) + "\n")
    (folder / "my.yaml").write_text(CONFIG)
    return truth


@pytest.fixture(scope="module")
def placed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Workflow, Filmed]:
    folder = tmp_path_factory.mktemp("placed")
    truth = make_archive(folder)
    workflow = Workflow(copy_sources(root, folder / "sources"), folder)
    workflow.run("--configfile", "my.yaml")
    return workflow, truth["B"]


def test_animals_are_named_by_the_corners_that_they_visit(
    placed: tuple[Workflow, Filmed],
) -> None:
    workflow, truth = placed
    segment = workflow.folder / "results/segments/B/s"
    positions = tables.read(segment / "positions.parquet", "positions")
    number = np.array([0, *(ORDER.index(corner) + 1 for corner in range(1, 5))])
    read = positions.sort_values(["frame", "animal"])["antenna"].fillna(0).to_numpy(dtype=int)
    own = number[truth.read[:, np.argsort(ANIMALS)]].ravel()
    assert (read == own)[own > 0].mean() > 0.95
    named = tables.read(segment / "identities/path.parquet", "identities")
    share = right(named, truth)
    assert share > 0.8
    assert share > right(nearest(CORNERS, truth), truth)


def test_models_are_made_for_the_places_and_for_no_others(
    placed: tuple[Workflow, Filmed],
) -> None:
    workflow, _ = placed
    places = [list(CORNERS[corner - 1]) for corner in ORDER]
    for name in ("weights", "path_model"):
        made = json.loads((workflow.folder / f"results/{name}.json").read_text())["made_for"]
        assert made["places"] == places
    table = workflow.folder / "archive/antennas.csv"
    before = table.read_text()
    try:
        table.write_text(before.replace("220.0", "225.0"))
        stale = workflow.would_run("--configfile", "my.yaml")
        given = ["weights=results/weights.json", "path_model=results/path_model.json"]
        said = workflow.run("--dry-run", "--configfile", "my.yaml", "--config", *given, check=False)
    finally:
        table.write_text(before)
    assert {"check", "fit_weights", "fit_path", "identify"} <= {*stale}
    assert "of which 1 at 220, 600; 2 at 220, 240; expected one for" in said
    assert "of which 1 at 225, 600; 2 at 225, 240, as is set" in said
    assert workflow.would_run("--configfile", "my.yaml") == {}


def test_a_table_with_faults_stops_the_run_before_it_begins(
    placed: tuple[Workflow, Filmed],
) -> None:
    workflow, _ = placed
    table = workflow.folder / "archive/antennas.csv"
    before = table.read_text()
    try:
        table.write_text("antenna,x,y\n1,20,30\n2,1400,30\n3,wall,30\n")
        said = workflow.run("--dry-run", "--configfile", "my.yaml", check=False)
    finally:
        table.write_text(before)
    assert "antennas.csv, line 3: found x '1400' and y '30'; expected x from 0 to 1280" in said
    assert "antennas.csv, line 4: found x 'wall'" in said
