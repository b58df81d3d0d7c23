"""Whole assignments that a run draws, only where they are asked for."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from murid import tables
from pipeline import Workflow

WHERE = ("--config", "archive=archive", "results=results")


@pytest.fixture(scope="module")
def drawn(finished: Workflow, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A copy of a finished run, of which assignments are drawn."""
    folder = tmp_path_factory.mktemp("drawn")
    shutil.copytree(finished.folder, folder, dirs_exist_ok=True)
    run = Workflow(finished.sources, folder)
    run.run("draws", *WHERE, "draws={count: 5}")
    return run


def table(run: Workflow, segment: str) -> Path:
    return run.folder / "results" / "segments" / segment / "draws.parquet"


def test_draws_are_made_of_a_finished_run_alone_and_only_if_asked_for(
    finished: Workflow, drawn: Workflow
) -> None:
    assert finished.would_run(*WHERE) == {}
    once = {"draw": 3, "list_segments": 1, "draws": 1}
    assert {**finished.would_run("draws", *WHERE), "draws": 1} == once
    assert drawn.would_run(*WHERE) == {}
    assert drawn.would_run("draws", *WHERE, "draws={count: 5}") == {}
    # Their settings make nothing else stale.
    assert drawn.would_run(*WHERE, "draws={count: 6}") == {}
    assert drawn.would_run("draws", *WHERE, "draws={count: 6}")["draw"] == 3


def test_every_box_is_somebody_in_every_draw_and_what_is_discarded_says_so(
    drawn: Workflow,
) -> None:
    draws = tables.read(table(drawn, "A/good"), "draws")
    assert draws["draw"].unique().tolist() == [0, 1, 2, 3, 4]
    assert set(draws["animal"].dropna()) <= {"R", "G", "B"}
    spans = tables.read(table(drawn, "A/good").parent / "tracklets.parquet", "tracklets")
    spans = spans.groupby("tracklet")["frame"].agg(["min", "max"])
    for _, draw in draws.groupby("draw"):
        own = draw.groupby("tracklet").agg(min=("first_frame", "min"), max=("last_frame", "max"))
        pd.testing.assert_frame_equal(own, spans, check_dtype=False, check_index_type=False)
    assert tables.read(table(drawn, "B/bad"), "draws").empty
    assert tables.read_verdict(table(drawn, "B/bad")).discarded


def test_of_a_method_that_does_not_tell_what_else_is_probable_none_are_drawn(
    finished: Workflow,
) -> None:
    methods = "identify={methods: [ilp, path], default: ilp}"
    said = finished.run("--dry-run", "draws", *WHERE, methods, check=False)
    assert "whole assignments can be drawn of path alone, and identify.default is ilp" in said
    assert "Traceback" not in said
