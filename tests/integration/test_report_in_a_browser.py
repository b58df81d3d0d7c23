"""The report as people see it, in a real browser."""

from pathlib import Path

import numpy as np
import pytest

import browser
from murid import settings, tables
from murid.report.stage import Report
from reported_cages import SEVERAL, table_of, write_cage

NUMBERS = {"images": 1200, "annotations": 3400, "detections": 3500, "matched": 3300, "iou": 0.5}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of three cages that has all of its parts."""
    folder = tmp_path_factory.mktemp("reported")
    random = np.random.default_rng(1)
    hours = [row for cage in range(3) for row in write_cage(folder, cage, random)]
    tables.write(table_of("animal_figures", hours), folder / "hours.parquet", "animal_figures")
    for name in ("detector_metrics", "detector_validation"):
        row = NUMBERS | {"split": "Validate", "label": "mouse"}
        columns = tables.empty(name).columns
        tables.write(
            table_of(name, [{column: row.get(column, 0.9) for column in columns}]),
            folder / f"{name}.parquet", name,
        )  # fmt: skip
    Report(
        **{name: sorted(folder.glob(f"*.{name}.parquet")) for name in SEVERAL},
        hours=folder / "hours.parquet",
        detector_metrics=folder / "detector_metrics.parquet",
        detector_validation=folder / "detector_validation.parquet",
        output_dir=folder / "report",
        report=settings.Report(dark="19:00-07:00", note="A remark of some length. " * 9),
    ).run()
    return folder / "report" / "index.html"


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_scrolls_sideways(page: Path, tmp_path: Path, width: int) -> None:
    text = page.read_text("utf-8")
    for part in ("Uncertain stretches", "Findings about antennas", "Alerts", "Network", "Animals"):
        assert f'aria-label="{part}' in text
    with browser.opened(tmp_path) as chromium:
        assert browser.scrolling(chromium, page, width) == []


def test_a_page_that_is_too_wide_is_found(tmp_path: Path) -> None:
    wide = tmp_path / "wide.html"
    wide.write_text('<div style="overflow-x: auto"><p style="width: 2000px">wide</p></div>')
    with browser.opened(tmp_path) as chromium:
        (found,) = browser.scrolling(chromium, wide, 400)
    assert found.startswith("DIV")


def test_figures_are_shown_once(page: Path, tmp_path: Path) -> None:
    shown = "return [...document.querySelectorAll(arguments[0])].filter(e => e.clientWidth).length"
    with browser.opened(tmp_path) as chromium:
        for width, there, other in ((400, ".slim", ".broad"), (1280, ".broad", ".slim")):
            browser.scrolling(chromium, page, width)
            assert chromium.execute_script(shown, there) == 3
            assert chromium.execute_script(shown, other) == 0


TABLES = """
return [...document.querySelectorAll("table.sortable")].map(table => [
    table.parentElement.getAttribute("aria-label"), table.tBodies[0].rows.length,
    table.querySelectorAll("th button").length,
    !!table.parentElement.previousElementSibling.querySelector("input")?.offsetParent
])
"""


def test_tables_of_cages_segments_and_alerts_are_sorted_and_filtered(
    page: Path, tmp_path: Path
) -> None:
    with browser.opened(tmp_path) as chromium:
        browser.scrolling(chromium, page, 1280)
        tables = chromium.execute_script(TABLES)
        assert [label.split(" (")[0] for label, *_ in tables] == [
            "Animals", "Alerts", "Uncertain stretches", "Segments discarded", "Segments repaired",
            "Findings about antennas and clocks", "What was checked of antennas and clocks",
        ]  # fmt: skip
        for label, rows, buttons, filtered in tables:
            assert bool(buttons) == (rows > 1), label
            assert filtered == (rows > 5), label
        assert not [entry for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]


def test_sorted_tables_are_no_wider(page: Path, tmp_path: Path) -> None:
    width = "return [...document.querySelectorAll('table')].map(table => table.offsetWidth)"
    with browser.opened(tmp_path) as chromium:
        assert browser.scrolling(chromium, page, 1280) == []
        before = chromium.execute_script(width)
        for button in chromium.find_elements("css selector", "th button"):
            chromium.execute_script("arguments[0].click()", button)
        assert chromium.execute_script(width) == before


UNDER_POINTER = """
const shown = [...document.querySelectorAll("figure svg g > title")]
    .filter(title => title.parentNode.getClientRects().length);
return shown.map(title => {
    const part = title.parentNode;
    part.scrollIntoView({block: "center"});
    const box = part.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return [title.textContent, top?.closest("g:has(> title)")?.firstChild.textContent];
});
"""


def test_figures_say_their_values_under_the_pointer(page: Path, tmp_path: Path) -> None:
    with browser.opened(tmp_path) as chromium:
        browser.scrolling(chromium, page, 1280)
        pairs = chromium.execute_script(UNDER_POINTER)
    assert len(pairs) > 50
    assert [own for own, under in pairs if own != under] == []
    for own, _ in pairs:
        assert "%" in own or "nothing is known" in own
        assert "nan" not in own.lower().split(":")[-1]
