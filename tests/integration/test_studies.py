"""The studies behind the settings, as targets of the workflow."""

import shutil
from pathlib import Path

import pandas as pd
from pipeline import Workflow

WHERE = ("--config", "archive=archive", "results=results")
SMALL = (
    "study={tracker: {ious: [0.5, 0.8], min_lengths: [1, 2]}, weights: {folds: 2, permutations: 5}}"
)


def test_both_studies_come_from_the_tables_of_a_run(finished: Workflow, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for name in ("archive", "results", ".snakemake"):
        shutil.copytree(finished.folder / name, folder / name)
    workflow = Workflow(finished.sources, folder)
    targets = ("weights_study", "tune_tracker")
    said = workflow.run(*targets, *WHERE, SMALL)
    assert "rule identify" not in said
    study = folder / "results" / "study"
    for name in ("weights", "tracker"):
        assert "<html" in (study / f"{name}.html").read_text()
    compared = pd.read_csv(study / "tracker.csv")
    assert set(compared["iou"]) == {0.5, 0.8}
    # What is set aside for the test is not looked at.
    sweeps = [path.parent for path in folder.rglob("tracker_sweep.parquet")]
    assert sweeps == [folder / "results" / "segments" / "A" / "good"]
    assert set(pd.read_csv(study / "weights_covariances.csv")["judged_on"]) == {"Train"}
    assert "Nothing to be done" in workflow.run(*targets, *WHERE, SMALL)
