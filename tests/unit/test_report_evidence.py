"""How right names are, on the first screen: little evidence, and no fair test, are called so."""

import re

import pandas as pd
import pytest

from dated_cages import FIRST, day, health, segment_of, summaries, told_of
from murid import schemas, tables
from murid.report import views
from murid.report.stage import Report as ReportStage
from murid.run.failed import UNKNOWN


def segment(cage, name="1", split="Test", frames=200, **others):
    return dict.fromkeys(UNKNOWN) | {
        "cage": cage, "segment": name, "split": split, "status": "usable", "reason": "",
        "animals": ("G", "R"), "frames": 45_000, "fps": 25.0, "detections": 90_000,
        "tracklets": 9, "method": "ilp", "identified": 0.9, "annotated_frames": frames,
        "evaluated_frames": frames, "begins": FIRST,
    } | others  # fmt: skip


def counts(*right, split="Test"):
    """Counts of a cage for each number that is right of 100."""
    rows = [
        ("ABCDEFGH"[place], "1", split, 0, method, metric, count, 100)
        for place, number in enumerate(right)
        for method, count in (("ilp", number), ("oracle", 99))
        for metric in ("A_O", "A_GD")
        if (method, metric) != ("oracle", "A_GD")
    ]
    return pd.DataFrame(rows, columns=schemas.CONTRACTS["counts"].schema.names)


def headline(right, frames=200, **others):
    rows = pd.DataFrame([segment("ABCDEFGH"[n], frames=frames) for n in range(len(right))])
    return views.headline(counts(*right), rows, ["Test"], **others)


@pytest.mark.parametrize(
    ("right", "frames", "little"),
    [
        ([90, 91, 92, 90], 200, ""),
        ([90, 91, 92, 90], 20, "too few annotated frames to judge"),
        ([90, 91], 2000, "too few cages to judge"),
        ([90], 23, "too few annotated frames to judge"),
        ([10, 99, 50, 90], 2000, "cages differ too much to judge"),
    ],
)
def test_a_share_of_few_frames_or_cages_or_of_cages_that_differ_is_little(right, frames, little):
    assert headline(right, frames).little == little


@pytest.fixture
def page(tmp_path):
    """Write the report and return its page, and that as its reader sees it."""

    def write(right, rows, told=()):
        given = {"counts": counts(*right), "summaries": pd.DataFrame(rows)}
        given |= {"health": health(*told)} if told else {}
        for name, table in given.items():
            tables.write(tables.conform(table, name), tmp_path / f"{name}.parquet", name)
        paths = {name: [tmp_path / f"{name}.parquet"] for name in given}
        ReportStage(**paths, output_dir=tmp_path / "report").run()
        text = (tmp_path / "report" / "index.html").read_text("utf-8")
        return text, " ".join(re.sub(r"<[^>]*>", " ", text.partition("<nav")[2]).split())

    return write


def first_screen(text):
    return text.partition('id="glance"')[2].partition('id="animals"')[0]


def test_of_few_frames_the_first_screen_has_no_share_that_is_right(page):
    text, told = page([90], [segment("A", frames=23)])
    assert "too few annotated frames to judge" in first_screen(text)
    assert "People marked who is who in 23 frames of 1 cage of the test set." in told
    assert "90.0%" not in first_screen(text).partition("How right names are")[2]


def test_of_few_cages_the_share_stands_in_no_large_type(page):
    text, told = page([90, 92], [segment("A"), segment("B")])
    assert "gave 91.0% of the boxes that the detector found the right name" in told
    assert "<strong>91.0" not in text


def test_a_test_of_cages_that_were_learnt_from_is_called_unfair_beside_its_figure(page):
    rows = [segment("A"), segment("B"), segment("C"), segment("A", "2", "Train")]
    text, told = page([90, 91, 92], rows)
    for part in (first_screen(text), text.partition('id="trust"')[2]):
        assert "No fair test:" in part
    assert "also in what was learnt from: A (1)" in told


@pytest.mark.parametrize(
    "other",
    [segment("D", "2", "Train"), segment("A", "2", ""), segment("A", "2", "Train", frames=0)],
)
def test_a_test_of_cages_that_nothing_was_learnt_from_is_fair(page, other):
    text, _ = page([90, 91, 92], [segment("A"), segment("B"), segment("C"), other])
    assert "No fair test" not in text


def test_every_link_within_the_page_lands_on_something(page):
    failed = segment("A", "2", status="failed", reason="a bug", frames=0)
    told = [told_of("dead_antenna", subject="8", value=20, since=2)]
    for rows, found in (([segment("A")], ()), ([segment("A"), failed], told)):
        text, _ = page([90], rows, found)
        places = {*re.findall(r'id="([^"]+)"', text)}
        assert {*re.findall(r'href="#([^"]*)"', text)} <= places


def test_an_alert_leads_to_the_page_of_its_cage_and_tells_its_days(tmp_path):
    given = {
        "summaries": summaries(*(segment_of(n, confidence=0.5) for n in range(3))),
        "counts": tables.empty("counts"),
    }
    for name, table in given.items():
        tables.write(table, tmp_path / f"{name}.parquet", name)
    path = tmp_path / "report" / "cages" / "A.html"
    path.parent.mkdir(parents=True)
    path.write_text("<title>Cage A</title>")
    paths = {name: [tmp_path / f"{name}.parquet"] for name in given}
    ReportStage(**paths, pages=[path], output_dir=tmp_path / "report").run()
    alerts = (tmp_path / "report" / "index.html").read_text().partition('id="alerts"')[2]
    assert 'href="cages/A.html">A</a>' in alerts
    assert f"{day(0)}<br>to {day(2)}" in alerts
