"""The table of a log's reads, from which a segment reads only its own minutes."""

from datetime import UTC
from pathlib import Path

import pandas as pd

from murid import settings, tables
from murid.archive.columns import refused
from murid.errors import InputError
from murid.readings import logs
from murid.readings.how import How
from murid.readings.segment import FILE, HOLD, NUMBERING
from murid.tables import Verdict


def write(path: Path, output: Path, given: settings.Logs) -> Verdict:
    """Read a log, and write its reads by time, with what is known of its system.

    Parameters
    ----------
    path
        The log.
    output
        Table ``readings`` to write; empty where the log cannot be used.
    given
        How it is read.

    Returns
    -------
    What is to be said of it; also in the table.
    """
    how = How(**given.model_dump())
    about = {FILE: path.name}
    try:
        chosen = logs.format_of(path, how)
        table, verdict = logs.read(path, how)
    except InputError as error:
        table, verdict = tables.empty("readings"), refused(error)
    else:
        about |= {HOLD: repr(float(chosen.hold)), NUMBERING: chosen.numbering or ""}
        about |= _span(table)
    tables.write(table, output, "readings", verdict, about)
    return verdict


def _span(table: pd.DataFrame) -> dict[str, str]:
    """Return from when to when there are reads."""
    if table.empty:
        return {}
    ends = (table["time"].iloc[place].to_pydatetime().astimezone(UTC) for place in (0, -1))
    return dict(zip(("first", "last"), (end.isoformat() for end in ends), strict=True))
