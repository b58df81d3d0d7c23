"""What a page of a study is; the templates of the pages lie beside this.

Apart from what is measured, so that another layout does not make anybody measure again.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from murid import __version__, spreadsheets
from murid.files import write_text
from murid.report import metric_words
from murid.report.templates import environment, style


@dataclass(frozen=True)
class Page:
    """A page of a study, which needs no network and no other file.

    Attributes
    ----------
    name
        Of its file, and of its template in this folder: ``NAME.html``, ``NAME.html.j2``.
    title
        Its heading.
    tables
        What it shows, by the names of the CSV files that are written beside it.
    shown
        What its template takes.
    """

    name: str
    title: str
    tables: Mapping[str, pd.DataFrame]
    shown: Mapping[str, Any]

    def render(self, note: str | None) -> str:
        """Return the page as HTML, with a remark on the data, if any, under its heading."""
        templates = environment("study/pages")
        templates.filters["odds"] = math.exp
        templates.filters["growth"] = math.expm1
        templates.filters["signed"] = lambda value: f"{value:+.3f}".replace("-", "−")
        return templates.get_template(f"{self.name}.html.j2").render(
            self.shown, css=style(), version=__version__, interval_words=metric_words.INTERVALS,
            title=self.title, note=note, files=list(self.tables),
        )  # fmt: skip

    def write(self, folder: Path, note: str | None) -> None:
        """Write the page and its CSV files to a folder."""
        for name, table in self.tables.items():
            write_text(folder / f"{name}.csv", spreadsheets.to_csv(table))
        write_text(folder / f"{self.name}.html", self.render(note))
