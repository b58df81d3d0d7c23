"""Alerts of a run, read from its report."""

from datetime import date
from pathlib import Path

from murid import schemas, small_tables
from murid.errors import InputError

NAME = Path("report", "alerts.csv")
"""File below the results."""


def lines(results: Path, since: str | None = None) -> list[str]:
    """Return the alerts of a run, a line each, in the order of the file.

    Parameters
    ----------
    results
        Folder of its results.
    since
        A day: what was over before is left out. What has no day is always told.

    Raises
    ------
    InputError
        If there are no alerts of a run, they are damaged, or the day is none.
    """
    if since is not None and not _is_day(since):
        raise InputError("options", repr(since), "a day such as 2026-03-01", where="--since")
    path = results / NAME
    if not path.exists():
        raise InputError(
            results, f"no {NAME}", "the folder of results of a run",
            remedy="Run snakemake first, without a target or with this file as one.",
        )  # fmt: skip
    names = schemas.CONTRACTS["alerts"].schema.names
    rows = [row.cells for row in small_tables.read(path, names, (), "alerts of a run")]
    return [
        f"{row['day'] or 'no day'} {row['cage']} {row['what']}: {row['words']}"
        for row in rows
        if since is None or not row["last_day"] or row["last_day"] >= since
    ]


def _is_day(text: str) -> bool:
    """Tell whether a text is a day as tables have it, which sort as texts do.

    Examples
    --------
    >>> [_is_day(text) for text in ("2026-03-01", "20260301", "2026-02-30", "yesterday")]
    [True, False, False, False]
    """
    try:
        return str(date.fromisoformat(text)) == text
    except ValueError:
        return False
