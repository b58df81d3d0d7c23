"""What became of a run's segments, in a few lines: read from the list of them, nothing else.

Standard library only: the process that plans a run tells it.
"""

from collections.abc import Iterator
from pathlib import Path

from murid import small_tables
from murid.errors import InputError
from murid.numbers import counted
from murid.reasons import gist, grouped

COLUMNS = ("cage", "segment", "status", "reason")
NAMED = ("usable", "repaired")
UNNAMED = ("failed", "discarded")
"""In the order in which they are told."""
WITH_REASONS = (*UNNAMED, "repaired")
"""Those whose commonest reasons are told, in their order."""
SHOWN = 3
"""Kinds of reasons of a status that are told."""


def lines(listed: Path, results: str, method: str) -> Iterator[str]:
    """Tell how many segments are named, why not all are, or are repaired, and where all is.

    Parameters
    ----------
    listed
        CSV with the columns :data:`COLUMNS`; of what is none, nothing is told.
    results
        Folder of the results.
    method
        The method whose names are the run's.
    """
    try:
        rows = [row.cells for row in small_tables.read(listed, COLUMNS, (), "segments of a run")]
    except InputError:
        return
    reasons: dict[str, list[str]] = {status: [] for status in (*NAMED, *UNNAMED)}
    for row in rows:
        reasons.setdefault(row["status"], []).append(row["reason"])
    counts = {status: len(those) for status, those in reasons.items()}
    repaired = f" ({counts['repaired']:,} of them repaired)" if counts["repaired"] else ""
    named = sum(counts[status] for status in NAMED)
    parts = [f"{named:,} named{repaired}"]
    parts += [f"{counts[status]:,} {status}" for status in reversed(UNNAMED) if counts[status]]
    yield f"{counted(len(rows), 'segment')}: {', '.join(parts)}"
    for status in WITH_REASONS:
        kinds = grouped(reasons[status])
        for reason, places in kinds[:SHOWN]:
            such = ", such as" if len(places) > 1 else ""
            yield f"  {len(places):,} {status}{such}: {gist(reason)}"
        if more := sum(len(places) for _, places in kinds[SHOWN:]):
            yield f"  {more:,} {status} for other reasons"
    yield f"  each with its reason in full: {listed}"
    if named:
        where = Path(results, "segments", "CAGE", "SEGMENT", "identities", f"{method}.parquet")
        yield f'  names: {where}; in Python, pandas.read_parquet("{where.name}")'
