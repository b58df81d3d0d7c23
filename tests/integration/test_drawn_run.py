"""Whole assignments that a run draws, only where they are asked for."""

from pathlib import Path

import pandas as pd
from told import EXPORT, WHERE

from murid import tables
from pipeline import Workflow


def table(run: Workflow, segment: str) -> Path:
    return run.folder / "results" / "segments" / segment / "draws.parquet"


def test_draws_and_exports_are_made_of_a_finished_run_alone(finished: Workflow) -> None:
    stale = finished.would_run("draws", "export", *WHERE, EXPORT)
    once = {"draws": 1, "export": 1, "list_segments": 1}
    assert stale == {"draw": 3, "export_segment": 3, **once}


def test_settings_of_draws_make_nothing_else_stale(told: Workflow) -> None:
    more = (*WHERE, "draws={count: 6}")
    assert told.would_run(*more) == {}
    assert told.would_run("draws", *more)["draw"] == 3


def test_every_box_is_somebody_in_every_draw_and_what_is_discarded_says_so(
    told: Workflow,
) -> None:
    draws = tables.read(table(told, "A/good"), "draws")
    assert draws["draw"].unique().tolist() == [0, 1, 2, 3, 4]
    assert set(draws["animal"].dropna()) <= {"R", "G", "B"}
    spans = tables.read(table(told, "A/good").parent / "tracklets.parquet", "tracklets")
    spans = spans.groupby("tracklet")["frame"].agg(["min", "max"])
    for _, draw in draws.groupby("draw"):
        own = draw.groupby("tracklet").agg(min=("first_frame", "min"), max=("last_frame", "max"))
        pd.testing.assert_frame_equal(own, spans, check_dtype=False, check_index_type=False)
    assert tables.read(table(told, "B/bad"), "draws").empty
    assert tables.read_verdict(table(told, "B/bad")).discarded


def test_of_a_method_that_does_not_tell_what_else_is_probable_none_are_drawn(
    finished: Workflow,
) -> None:
    methods = "identify={methods: [ilp, path], default: ilp}"
    said = finished.run("--dry-run", "draws", *WHERE, methods, check=False)
    assert "whole assignments can be drawn of path alone, and identify.default is ilp" in said
    assert "Traceback" not in said
