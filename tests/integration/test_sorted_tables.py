"""Tables of the report, sorted by a click on a header and filtered by words, in a real browser."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest

import browser
from murid.report.templates import script, style

COLUMNS = ("Cage", "Day", "Count", "Share", "Starts", "Way", "Segment")
TEXTS = ("Cage", "Day", "Segment")
ROWS = (
    ("C10", "2026-04-02", "1,000", "9.5%", "12:05", "850 px", "1,200"),
    ("C9", "–", "–", "100.0%", "2:10", "", "7"),
    ("C1", "2026-03-28", "20", "–", "–", "1,200 px", "0900"),
    ("C2", "2025-12-31", "3 of 18", "12.0%", "2:09", "–", "20"),
    ("c3", "2026-03-30", "0", "0.0%", "0:00", "90 px", "1"),
    ("C2", "2026-03-29", "200 to 299", "–", "100:00", "1,000 px", "3"),
)
SMALL = '<span class="word">5 to 6</span>'
SHOWN = """
const rows = [...document.querySelectorAll("tbody tr")].filter(row => row.getClientRects().length);
return rows.map(row => row.cells[arguments[0]].textContent);
"""
SORTED = """
return [...document.querySelectorAll("th")].map(header => header.getAttribute("aria-sort"));
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Write a page with a table that can be sorted."""
    kind = {name: ' class="text"' if name in TEXTS else "" for name in COLUMNS}
    head = "".join(f"<th{kind[name]}>{name}</th>" for name in COLUMNS)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td data-label="{name}"{kind[name]}>{escape(cell)}{SMALL}</td>'
            for name, cell in zip(COLUMNS, row, strict=True)
        )
        + "</tr>"
        for row in ROWS
    )
    path = tmp_path / "page.html"
    path.write_text(
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><style>{style()}</style>'
        f'<div class="scroll" aria-label="Cages"><table class="stacked sortable">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        f"<script>{script()}</script></html>",
        "utf-8",
    )
    return path


@pytest.fixture
def chromium(tmp_path: Path, page: Path) -> Iterator[Any]:
    """Open the page."""
    with browser.opened(tmp_path) as opened:
        browser.scrolling(opened, page, 1280)
        yield opened


def column(chromium: Any, name: str) -> list[str]:
    """Return what the rows that are shown say in a column, without the small print."""
    texts = chromium.execute_script(SHOWN, COLUMNS.index(name))
    return [text.removesuffix("5 to 6") for text in texts]


def press(chromium: Any, name: str, keys: str = "") -> None:
    """Press the header of a column, with the mouse or with a key."""
    button = chromium.find_elements("css selector", "th button")[COLUMNS.index(name)]
    button.send_keys(keys) if keys else button.click()


@pytest.mark.parametrize(
    ("name", "expected", "empty"),
    [
        ("Cage", ["C1", "C2", "C2", "c3", "C9", "C10"], []),
        ("Day", ["2025-12-31", "2026-03-28", "2026-03-29", "2026-03-30", "2026-04-02"], ["–"]),
        ("Count", ["0", "3 of 18", "20", "200 to 299", "1,000"], ["–"]),
        ("Share", ["0.0%", "9.5%", "12.0%", "100.0%"], ["–", "–"]),
        ("Starts", ["0:00", "2:09", "2:10", "12:05", "100:00"], ["–"]),
        ("Way", ["90 px", "850 px", "1,000 px", "1,200 px"], ["", "–"]),
        ("Segment", ["1", "3", "7", "20", "0900", "1,200"], []),
    ],
)
def test_values_are_sorted_as_what_they_are_and_empty_ones_last(
    chromium: Any, name: str, expected: list[str], empty: list[str]
) -> None:
    press(chromium, name)
    assert column(chromium, name) == expected + empty
    press(chromium, name)
    assert column(chromium, name) == expected[::-1] + empty
    press(chromium, name)
    assert column(chromium, name) == [row[COLUMNS.index(name)] for row in ROWS]


def test_the_header_tells_how_rows_are_sorted_and_keys_do_what_the_mouse_does(
    chromium: Any,
) -> None:
    assert chromium.execute_script(SORTED) == [None] * len(COLUMNS)
    for key, expected in (("\ue007", "ascending"), (" ", "descending"), (" ", None)):
        press(chromium, "Count", key)
        assert chromium.execute_script(SORTED) == [None, None, expected, None, None, None, None]
    press(chromium, "Count")
    press(chromium, "Share")
    assert chromium.execute_script(SORTED) == [None, None, None, "ascending", None, None, None]


def test_rows_that_lack_a_word_are_left_out_and_come_back(chromium: Any) -> None:
    (field,) = chromium.find_elements("css selector", "input[type=search]")
    (told,) = chromium.find_elements("css selector", "[role=status]")
    assert field.get_attribute("aria-label") == "Filter rows: Cages"
    field.send_keys("c2")
    assert column(chromium, "Cage") == ["C2", "C2"]
    field.send_keys(" 2026")
    assert column(chromium, "Day") == ["2026-03-29"]
    assert told.text == "1 of 6 rows"
    press(chromium, "Cage")
    assert column(chromium, "Day") == ["2026-03-29"]
    field.clear()
    field.send_keys(" ")
    assert column(chromium, "Cage") == ["C1", "C2", "C2", "c3", "C9", "C10"]
    assert told.text == ""


def test_paper_has_all_rows_and_no_tools(chromium: Any) -> None:
    (field,) = chromium.find_elements("css selector", "input[type=search]")
    field.send_keys("C10")
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert len(column(chromium, "Cage")) == len(ROWS)
    assert not field.is_displayed()


def test_a_telephone_sorts_without_headers(chromium: Any, page: Path) -> None:
    (choice,) = chromium.find_elements("css selector", "select")
    assert not choice.is_displayed()
    assert browser.scrolling(chromium, page, 400) == []
    (choice,) = chromium.find_elements("css selector", "select")
    assert choice.is_displayed()
    choice.find_element("xpath", "option[.='Starts ▼']").click()
    assert column(chromium, "Starts") == ["100:00", "12:05", "2:10", "2:09", "0:00", "–"]
    choice.find_element("xpath", "option[.='as listed']").click()
    assert column(chromium, "Cage") == [row[0] for row in ROWS]


def test_without_scripts_the_table_is_as_it_is_written(chromium: Any, page: Path) -> None:
    chromium.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    chromium.get(page.as_uri())
    assert not chromium.find_elements("css selector", "input, select, button")
    assert column(chromium, "Cage") == [row[0] for row in ROWS]
