"""The table of a log's reads, from which a segment reads only its own minutes."""

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path

import numpy as np
import pandas as pd

from murid import settings, tables
from murid.animals import plain
from murid.archive.columns import refused
from murid.errors import InputError
from murid.readings import logs
from murid.readings.how import How
from murid.readings.segment import CAGES, CLOCK, FILE, HOLD, NUMBERING
from murid.tables import Verdict


def write(path: Path, output: Path, given: settings.Logs, cages: Sequence[str] = ()) -> Verdict:
    """Read a log, and write its reads by time, with what is known of its system.

    Parameters
    ----------
    path
        The log.
    output
        Table ``readings`` to write; empty where the log cannot be used.
    given
        How it is read.
    cages
        Those that it serves, as far as that is known.

    Returns
    -------
    What is to be said of it; also in the table.
    """
    how = How(**given.model_dump())
    about = {FILE: path.name, CAGES: ",".join(cages)}
    try:
        _, chosen = logs.chosen_for(path, how.system)
        table, verdict = logs.read(path, how)
    except InputError as error:
        table, verdict = tables.empty("readings"), refused(error)
    else:
        about |= {HOLD: repr(float(chosen.hold)), NUMBERING: chosen.numbering or ""}
        about |= {CLOCK: table.attrs["clock"]} | _span(table)
        table = table.assign(tag=_alike(table["tag"]))
    tables.write(table, output, "readings", verdict, about)
    return verdict


def _alike(tags: pd.Series) -> pd.Categorical:
    """Write tags as all sources of them are compared: (reads,) categories."""
    written = [plain(str(name)) for name in tags.cat.categories]
    names = sorted({*written})
    places = np.array([names.index(name) for name in written], dtype=np.int32)
    codes = tags.cat.codes.to_numpy()
    return pd.Categorical.from_codes(places[codes] if len(places) else codes, categories=names)


def _span(table: pd.DataFrame) -> dict[str, str]:
    """Return from when to when there are reads."""
    if table.empty:
        return {}
    ends = (table["time"].iloc[place].to_pydatetime().astimezone(UTC) for place in (0, -1))
    return dict(zip(("first", "last"), (end.isoformat() for end in ends), strict=True))
