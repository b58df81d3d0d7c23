"""The page of a cage as people see it, in a real browser."""

from itertools import combinations
from pathlib import Path

import pytest

import browser
from animal_tables import rows, seconds_of, write_page
from murid.report.metrics import natural
from murid.settings import Report, Summaries

NAMES = {"B": "left-ear-mouse-number-0012", "G": "M3", "R": "R"}

SMALLEST = """
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const found = [];
for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const own = text.parentElement;
    if (text.data.trim() && own.getClientRects().length)
        found.push(parseFloat(getComputedStyle(own).fontSize));
}
return Math.min(...found);
"""
OUTSIDE = """
return [...document.querySelectorAll(".shares :is(td, th, .dot)")].filter(part =>
    part.getBoundingClientRect().right > document.documentElement.clientWidth
).length;
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a cage with long names that has all of its parts."""
    folder = tmp_path_factory.mktemp("cage")
    given = {
        "animals": rows("animal_figures", 24, distance=1_000.0, resting=0.3, huddled=0.2),
        "zones": rows("zone_figures", 24, inside=0.25),
        "pairs": rows("pair_figures", 24, contact=0.5),
    }
    for table in given.values():
        for column in {"animal", "other"} & set(table):
            table[column] = table[column].map(NAMES)
    write_page(
        folder, **given, seconds=[seconds_of(**dict.fromkeys(NAMES.values(), (100, 100)))],
        report=Report(dark="19:00-07:00"),
        summaries=Summaries(zones={"nest": ((0, 0), (90, 0), (90, 180))}),
    )  # fmt: skip
    return folder / "report" / "cages" / "A.html"


@pytest.mark.parametrize("width", [400, 1280])
def test_all_of_the_page_is_within_its_width_and_can_be_read(
    page: Path, tmp_path: Path, width: int
) -> None:
    text = page.read_text("utf-8")
    for one, other in combinations(sorted(NAMES.values(), key=natural), 2):
        assert f"{one} and {other}" in text
    with browser.opened(tmp_path) as chromium:
        assert browser.scrolling(chromium, page, width) == []
        assert chromium.execute_script(OUTSIDE) == 0
        assert chromium.execute_script(SMALLEST) >= 11
