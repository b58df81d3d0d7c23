"""The tables of formats in ``config/README.md``, made from the formats; no stage needs it."""

import re
import textwrap
from collections.abc import Callable, Mapping

from murid.archive import annotated, detected
from murid.archive.formats import Format
from murid.readings import logs
from murid.readings.log_format import LogFormat

_TABLE = re.compile(r"<!-- formats: (\w+) -->\n.*?<!-- end -->", re.DOTALL)
"""A table of formats, and what marks it: the name of their package."""
_MADE: dict[str, Callable[[], str]] = {
    "annotated": lambda: table(annotated.formats()),
    "detected": lambda: table(detected.formats()),
    "logs": lambda: of_logs(logs.formats()),
}


def documented(text: str) -> str:
    """Return config/README.md with its tables of formats as they should be."""

    def made(mark: re.Match[str]) -> str:
        return f"<!-- formats: {mark[1]} -->\n\n{_MADE[mark[1]]()}\n\n<!-- end -->"

    return _TABLE.sub(made, text)


def table(formats: Mapping[str, Format]) -> str:
    """Return a table of formats in Markdown."""
    rows = [f"| {_suffixes(each)} | {each.words} |" for each in formats.values()]
    return "\n".join(["| file | what it holds |", "| --- | --- |", *rows])


def of_logs(formats: Mapping[str, LogFormat]) -> str:
    """Return a table of formats of antenna logs in Markdown, and an example of each."""
    rows = [
        f"| `{name}` | {_suffixes(each)} | {each.words} | {each.clock} "
        f"| {each.kind}, {each.hold:g} |"
        for name, each in formats.items()
    ]
    examples = [
        f"**{name}**, {each.name}:\n\n{textwrap.indent(each.example, '    ')}"
        for name, each in formats.items()
    ]
    head = "| system | file | what it holds | clock | a read holds, s |"
    return "\n\n".join(["\n".join([head, "| --- | --- | --- | --- | --- |", *rows]), *examples])


def _suffixes(each: Format | LogFormat) -> str:
    """List the suffixes of a format's files."""
    return ", ".join(f"`{suffix}`" if suffix else "none" for suffix in each.suffixes)
