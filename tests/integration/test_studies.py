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


def test_every_cage_is_left_out_in_turn(finished: Workflow, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for name in ("archive", "results", ".snakemake"):
        shutil.copytree(finished.folder / name, folder / name)
    sheet = folder / "archive" / "segments.tsv"
    sheet.write_text(sheet.read_text().replace("Test", "Validate"))
    workflow = Workflow(finished.sources, folder)
    for name in ("weights", "path_model"):
        shutil.copy(folder / "results" / f"{name}.json", folder)
    said = workflow.run(
        *("identify_study", *WHERE, "weights=weights.json", "path_model=path_model.json"),
        "study={identify: {antenna_weights: [0.04], dwell_exponents: [0.5]}}",
        "fit_weights={trees: 5, max_lag: 0.2}",
    )
    assert "rule track" not in said
    study = folder / "results" / "study"
    assert sorted(path.name for path in (study / "folds").iterdir()) == ["A", "B"]
    assert "<html" in (study / "identify.html").read_text()
    methods = pd.read_csv(study / "identify_methods.csv").set_index("method")
    frames = sum(
        len(pd.read_parquet(path)["frame"].unique())
        for path in (folder / "results").glob("segments/*/good/annotations.parquet")
    )
    assert methods.loc["path", "A_O_normaliser"] == 3 * frames
