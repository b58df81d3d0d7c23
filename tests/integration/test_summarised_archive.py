"""A small archive, of which one segment cannot be read: what animals did, by one command."""

import pandas as pd
from told import COUNT, WHERE

from murid import tables
from pipeline import ANIMALS, FRAMES, Workflow

FILES = ("minutes", "hours", "zone_minutes", "zone_hours", "pair_minutes", "pair_hours",
         "tracklet_names")  # fmt: skip


def test_all_tables_are_there_as_parquet_and_as_csv(told: Workflow) -> None:
    for name in FILES:
        table = pd.read_parquet(told.folder / f"results/animals/{name}.parquet")
        text = pd.read_csv(told.folder / f"results/animals/{name}.csv")
        assert len(table) == len(text) > 0


def test_every_cage_has_a_page_that_tells_of_its_animals(told: Workflow) -> None:
    assert not (told.folder / "results/failed").exists()
    pages = told.folder / "results/report/cages"
    assert sorted(page.name for page in pages.iterdir()) == ["A.html", "B.html"]
    for path in pages.iterdir():
        page = path.read_text("utf-8")
        assert "<h2>Activity</h2>" in page
        assert all(f">{animal}<" in page for animal in ANIMALS)


def test_animals_of_segments_that_can_be_read_are_told_of(told: Workflow) -> None:
    hours = pd.read_parquet(told.folder / "results/animals/hours.parquet")
    assert sorted(zip(hours["cage"], hours["animal"], strict=True)) == [
        (cage, animal) for cage in "AB" for animal in sorted(ANIMALS)
    ]
    assert hours["seconds"].tolist() == [FRAMES / 25.0] * 6
    assert ((hours["seen"] + hours["inferred"] + hours["unknown"]).round(6) == 1).all()
    assert (hours["distance_low"] <= hours["distance"]).all()
    assert (hours["distance"] <= hours["distance_high"]).all()


def test_a_segment_that_cannot_be_read_has_empty_tables_that_say_why(told: Workflow) -> None:
    segment = told.folder / "results/segments/B/bad"
    for name in ("seconds", "animal_figures"):
        assert tables.read(segment / f"{name}.parquet", name).empty
        assert tables.read_verdict(segment / f"{name}.parquet").discarded


def test_a_zone_that_is_moved_makes_no_names_anew_and_no_report(told: Workflow) -> None:
    moved = "summaries={zones: {left: [[0, 0], [600, 0], [600, 720], [0, 720]]}}"
    stale = told.would_run("animals", *WHERE, COUNT, moved)
    assert (stale["summarise"], stale["report_cage"]) == (3, 2)
    assert not {"identify", "draw", "infer_places", "track", "evaluate", "report"} & {*stale}
