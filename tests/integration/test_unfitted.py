"""A fit that has nothing to learn from ends as a verdict of what needs it; there is a report."""

from pathlib import Path

import pandas as pd
import pytest

from murid import tables
from murid.run import guard
from pipeline import Workflow, copy_sources, make_archive

WHERE = ("--config", "archive=archive", "results=results")


@pytest.fixture(scope="module")
def workflow(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    folder = tmp_path_factory.mktemp("unfitted")
    make_archive(folder / "archive")
    return Workflow(copy_sources(root, folder / "sources"), folder)


def listed(workflow: Workflow) -> pd.DataFrame:
    table = pd.read_csv(workflow.folder / "results/report/segments.csv", keep_default_na=False)
    return table.set_index(["cage", "segment"])


def test_a_fit_without_anything_to_learn_from_ends_with_a_report(workflow: Workflow) -> None:
    path = workflow.folder / "archive" / "A/good/via.json"
    kept = path.read_text()
    path.write_text(kept.replace('"clear"', '"NA"').replace('"truncated"', '"NA"'))
    said = workflow.run(*WHERE, check=False)
    cause = "fit_weights failed: annotations: found 144 boxes "
    assert cause in said.rsplit("jobs failed, and only what needs them with them", 1)[1]
    assert "none of them clear or truncated" in said
    segments = listed(workflow)
    assert segments["status"].to_dict() == {
        ("A", "good"): "failed", ("B", "good"): "failed", ("B", "bad"): "discarded",
    }  # fmt: skip
    assert segments.loc[("B", "good"), "reason"].startswith(cause)
    page = (workflow.folder / "results/report/index.html").read_text()
    assert cause in page
    assert "nothing could be used: mend what stands" in page
    # What only lacked a model is no failure of its own.
    records = guard.failures(workflow.folder / "results")
    assert [record["rule"] for record in records] == ["fit_weights", "fit_weights_train"]

    path.write_text(kept)
    said = workflow.run(*WHERE)
    assert "how well it went stands in results/report/index.html" in said
    assert set(listed(workflow)["status"]) == {"usable", "discarded"}
    assert guard.failures(workflow.folder / "results") == []
    names = workflow.folder / "results/segments/B/good/identities/path.parquet"
    assert len(tables.read(names, "identities")) == 900


def test_where_no_annotated_segment_can_be_used_there_is_a_report(workflow: Workflow) -> None:
    archive = workflow.folder / "archive"
    for segment in ("A/good", "B/good"):
        (archive / segment / "positions.parquet").write_bytes(b"PAR1 was here")
    said = workflow.run(*WHERE, check=False)
    assert "fit_weights failed: " in said
    segments = listed(workflow)
    assert set(segments["status"]) == {"discarded"}
    assert "positions.parquet" in segments.loc[("A", "good"), "reason"]
