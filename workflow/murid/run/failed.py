"""What a stage leaves that could not do its work: empty, valid tables, and models that say why."""

import html
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from murid import tables
from murid.exports import writers
from murid.exports.files import FORMATS
from murid.files import write_text
from murid.models import stored as models
from murid.run import guard
from murid.run.guard import Named

UNKNOWN = (
    "identified", "confidence", "median_confidence", "unread", "missing_frames", "begins",
    "compared", "alike", "expected_alike",
)  # fmt: skip
"""Columns of ``summaries`` that are not known of what failed."""
EXPORTS = {guard.EXPORT.format(name): name for name in FORMATS}
"""The formats of exports, by what their files are called among the names of tables."""
_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="murid.failed" content="{0}">
<title>Failed</title>
<p><a href="../index.html">The whole archive</a></p>
<p>This page could not be made, and the next run tries again: {0}</p>
</html>
"""
"""What stands for a page."""


_SAID = re.compile('<meta name="murid.failed" content="([^"]*)">')
_HEAD = 16 * tables.LONGEST_REASON
"""Letters of a page that are looked through for the reason, which is escaped."""


def of_page(path: Path) -> str:
    """Return why a page could not be made, as stands in its place; "" if it is one."""
    with path.open(encoding="utf-8", errors="replace") as file:
        said = _SAID.search(file.read(_HEAD))
    return html.unescape(said[1]) if said else ""


def write(outputs: Iterable[tuple[str, Path]], segments: Iterable[Named], reason: str) -> None:
    """Write tables with the verdict ``failed``, empty but for the summary of each segment.

    Parameters
    ----------
    outputs
        Name of each table, :data:`murid.run.guard.MODEL`, :data:`murid.run.guard.PAGE`, or one of
        :data:`EXPORTS`, and its path.
    segments
        The segments that failed.
    reason
        Why.

    Raises
    ------
    UnwritableError
        If they cannot be written.
    """
    verdict = tables.Verdict("failed", reason)
    for name, path in outputs:
        if name == guard.MODEL:
            models.write_unfitted(path, reason)
            continue
        if name == guard.PAGE:
            write_text(path, _PAGE.format(html.escape(reason)))
            continue
        if name in EXPORTS:
            for segment in segments:
                writers.write_empty(EXPORTS[name], path, segment.cage, segment.segment, reason)
            continue
        rows = [summary(segment, verdict) for segment in segments if name == "summaries"]
        table = pd.DataFrame(rows) if rows else tables.empty(name)
        tables.write(table, path, name, verdict)


def summary(segment: Named, verdict: tables.Verdict) -> dict[str, Any]:
    """Return the row of ``summaries`` of a segment of which nothing but its verdict is known."""
    counts = ("frames", "detections", "tracklets", "annotated_frames", "evaluated_frames")
    return {
        **segment._asdict(), "status": verdict.status, "reason": verdict.reason, "animals": (),
        "method": "", **dict.fromkeys(counts, 0), **dict.fromkeys(UNKNOWN),
    }  # fmt: skip
