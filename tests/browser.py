"""A real browser, without a window, for tests of pages that people use."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def opened(downloads: Path) -> Iterator[Any]:
    """Open Chromium; what is saved in it comes to a folder. Skips where there is none.

    With ``MURID_REQUIRE_BROWSER`` it must be there.
    """
    webdriver = pytest.importorskip("selenium.webdriver")
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not browser or not driver:
        lack = pytest.fail if os.environ.get("MURID_REQUIRE_BROWSER") else pytest.skip
        lack("needs Debian's chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options, webdriver.ChromeService(driver))
    try:
        yield made
    finally:
        made.quit()


_SCROLLING = """
return [...document.querySelectorAll("*")].filter(element =>
    element.scrollWidth > element.clientWidth + 1 && (element === document.documentElement
    || ["auto", "scroll"].includes(getComputedStyle(element).overflowX))
).map(element => `${element.tagName} ${element.getAttribute("aria-label") || element.className}: `
    + `${element.scrollWidth} of ${element.clientWidth}`)
"""


def scrolling(chromium: Any, page: Path, width: int) -> list[str]:
    """Open a page in so many pixels of width, and return what of it scrolls sideways."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    chromium.get(page.as_uri())
    found: list[str] = chromium.execute_script(_SCROLLING)
    return found
