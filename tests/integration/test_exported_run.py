"""What `snakemake export` makes of a run that is through, and what it makes again."""

import json
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
from told import ALL, TARGETS, WHERE

from murid import tables
from murid.exports.files import FORMATS, files
from pipeline import ANIMALS, FRAMES, Workflow

SEGMENTS = ("A/good", "B/good", "B/bad")
NAMES = sorted(ANIMALS)


def listed(workflow: Workflow) -> pd.DataFrame:
    return pd.read_csv(workflow.folder / "results/segments.csv", keep_default_na=False)


def test_a_run_without_a_report_ends_with_what_became_of_all_segments(told: Workflow) -> None:
    said = (told.folder / "said.txt").read_text()
    lines = [line for line in said.splitlines() if line.startswith("murid: ")]
    assert lines[-4:-2] == [
        "murid: 3 segments: 2 named, 1 discarded",
        f"murid:   1 discarded: {listed(told)['reason'].iloc[-1]}",
    ]
    assert lines[-2].endswith("each with its reason in full: results/segments.csv")
    assert "results/segments/CAGE/SEGMENT/identities/path.parquet" in lines[-1]
    assert listed(told)["status"].tolist() == ["usable", "usable", "discarded"]
    # Who only asks what would be done is not told what was.
    assert "named" not in told.run("--dry-run", *TARGETS, *ALL)


def of_format(workflow: Workflow, name: str, segment: str, suffix: str) -> Path:
    return workflow.folder / "results" / "exports" / name / f"{segment}{suffix}"


def test_every_segment_has_a_file_of_each_format_and_no_others(told: Workflow) -> None:
    folder = told.folder / "results" / "exports"
    expected = {f"{name}/{of}{suffix}" for name, suffix in files(FORMATS) for of in SEGMENTS}
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == expected


@pytest.mark.parametrize("segment", ["A/good", "B/good"])
def test_exports_hold_the_names_of_the_default_method(told: Workflow, segment: str) -> None:
    path = told.folder / "results" / "segments" / segment / "identities" / "path.parquet"
    named = tables.read(path, "identities").dropna(subset=["x"])
    named = named.sort_values(["frame", "animal"], ignore_index=True)
    assert len(named) > FRAMES
    numbers = named["animal"].map(NAMES.index)
    lines = pd.read_csv(of_format(told, "mot", segment, ".txt"), header=None)
    assert (lines[0] - 1).tolist() == named["frame"].tolist()
    assert (lines[1] - 1).tolist() == numbers.tolist()
    values = named[["x", "y", "w", "h", "confidence"]].to_numpy(np.float32)
    np.testing.assert_array_equal(lines[[2, 3, 4, 5, 6]].to_numpy(np.float32), values)
    with h5py.File(of_format(told, "movement", segment, ".nc")) as file:
        assert file["confidence"].shape == (FRAMES, len(ANIMALS))
        found = file["confidence"][()][named["frame"], numbers]
        np.testing.assert_array_equal(found.astype(np.float32), values[:, 4])
        assert np.isfinite(file["shape"][:, 0]).sum() == len(named)
    seconds = pd.read_csv(of_format(told, "csv", segment, ".csv"))
    seen = (seconds["seen"] * seconds["frames"]).groupby(seconds["animal"]).sum().round()
    assert seen.to_dict() == named["animal"].value_counts().to_dict()


def test_of_a_discarded_segment_files_are_empty_and_say_why(told: Workflow) -> None:
    about = json.loads(of_format(told, "coco", "B/bad", ".json").read_text())
    assert about["info"]["status"] == "discarded"
    assert "positions.parquet" in about["info"]["reason"]
    assert about["annotations"] == about["images"] == []
    assert of_format(told, "mot", "B/bad", ".txt").read_text() == ""


def test_only_what_is_stale_is_exported_again(told: Workflow) -> None:
    assert told.would_run(*TARGETS, *ALL) == {}
    assert told.would_run("export", *WHERE, "export=[slp]", "report={title: Ours}") == {}
    zone = told.would_run("export", *ALL, "readings={zone: Europe/London}")
    assert zone["export_segment"] == 3
    lost = of_format(told, "slp", "A/good", ".slp")
    kept = lost.rename(lost.with_suffix(".kept"))
    try:
        assert told.would_run("export", *ALL) == {"export_segment": 1, "export": 1}
    finally:
        kept.rename(lost)


def test_a_format_that_there_is_not_is_told_before_the_run(told: Workflow) -> None:
    said = told.run("export", *WHERE, "export=[movement, nwb]", check=False)
    assert "key export" in said
    assert "'nwb'" in said
