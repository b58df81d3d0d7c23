"""The tables of formats in ``config/README.md``, made from the formats; no stage needs it."""

import re
from collections.abc import Mapping

from murid.archive import annotated, detected
from murid.archive.formats import Format

_TABLE = re.compile(r"<!-- formats: (\w+) -->\n.*?<!-- end -->", re.DOTALL)
"""A table of formats, and what marks it: the name of their package."""
_PACKAGES = {"annotated": annotated.formats, "detected": detected.formats}


def documented(text: str) -> str:
    """Return config/README.md with its tables of formats as they should be."""

    def made(mark: re.Match[str]) -> str:
        return f"<!-- formats: {mark[1]} -->\n\n{table(_PACKAGES[mark[1]]())}\n\n<!-- end -->"

    return _TABLE.sub(made, text)


def table(formats: Mapping[str, Format]) -> str:
    """Return a table of formats in Markdown."""
    rows = [
        f"| {', '.join(f'`{suffix}`' for suffix in each.suffixes)} | {each.words} |"
        for each in formats.values()
    ]
    return "\n".join(["| file | what it holds |", "| --- | --- |", *rows])
