"""When recordings start and how long they last, where names of files do not tell: a table, headers.

A table of starts wins over what names and headers tell.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from posixpath import normpath

from murid import start_times
from murid.archive import columns
from murid.errors import InputError, SeveralErrors, brief
from murid.listing.findings import Findings
from murid.video import container

COLUMNS = ("file", "start")
UNREADABLE = "videos whose header cannot be read, so that it tells neither start nor length"


def of_table(path: Path, zone: str | None) -> dict[str, datetime]:
    """Return the starts that a table tells (CSV, TSV or Parquet; columns file and start), in UTC.

    Raises
    ------
    InputError
        If it cannot be read, or has other columns.
    SeveralErrors
        Naming every row without a file, with one that stands above, or whose start is no time, or
        none that somebody can know; or that needs the zone of a clock, of which there is none.
    """
    table = columns.read(path, COLUMNS)
    table.require(COLUMNS, "the columns file and start")
    starts: dict[str, datetime] = {}
    wrong = []
    cells = zip(*(table.texts(name) for name in COLUMNS), strict=True)
    for row, (file, start) in enumerate(cells):
        try:
            if not file or normpath(file) in starts:
                place, expected = table.place(row, "file"), "a video of the archive, each once"
                raise InputError(path, brief(repr(file)), expected, where=place)
            starts[normpath(file)] = _time(path, table.place(row, "start"), start, zone)
        except InputError as error:
            wrong.append(error)
    if wrong:
        raise SeveralErrors(wrong)
    return starts


def _time(path: Path, where: str, text: str, zone: str | None) -> datetime:
    if not start_times.is_time(text):
        raise InputError(path, brief(repr(text)), start_times.WRITTEN, where=where)
    if zone is None and datetime.fromisoformat(text).tzinfo is None:
        remedy = "Give --zone, or write the offset from UTC behind the time, as +01:00."
        raise InputError(path, f"{text}, by a clock of no zone", "one", where=where, remedy=remedy)
    try:
        return start_times.parse(text, zone or "UTC")
    except (ValueError, OverflowError) as error:
        raise InputError(path, str(error), "a time that there was once", where=where) from error


def of_headers(
    archive: Path, paths: Iterable[str], findings: Findings
) -> dict[str, tuple[datetime | None, timedelta | None]]:
    """Return start and length of videos as far as their headers tell, by their paths.

    Containers tell when they were made in UTC; a header that cannot be read is told.
    """
    told: dict[str, tuple[datetime | None, timedelta | None]] = {}
    for path in paths:
        try:
            header = container.header(archive / path)
        except InputError as error:
            findings.add(UNREADABLE, path, f"found {error.found}")
            continue
        made = start_times.is_time(header.created)
        start = start_times.parse(header.created, "UTC") if made else None
        lasts = timedelta(seconds=header.seconds) if header.seconds else None
        told[path] = (start, lasts)
    return told
