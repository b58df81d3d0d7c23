"""The verdicts that tables of names carry, of all segments of a run."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd

from murid import tables
from murid.errors import InputError
from murid.run import record
from murid.sheet import read_sheet

READERS = 8
"""Files that are opened at a time: most of what opening takes is waiting for the disk."""


def collect(results: Path) -> pd.DataFrame:
    """Return a row for each segment of a run, in the order of its sheet.

    Parameters
    ----------
    results
        Folder of the results.

    Returns
    -------
    Columns ``cage``, ``segment``, ``status``, ``reason`` and ``identities``, the table of names
    relative to ``results``, "" of a segment that has no names. Of the tables nothing but what they
    carry beside their rows is read.

    Raises
    ------
    InputError
        If the run left no record, or its sheet cannot be read.
    """
    run = record.read(results)
    rows = [
        (cage, segment, f"segments/{cage}/{segment}/identities/{run.method}.parquet")
        for cage, segment in read_sheet(Path(run.sheet))
    ]
    with ThreadPoolExecutor(READERS) as readers:
        verdicts = list(readers.map(lambda row: _verdict(results / row[2]), rows))
    table = pd.DataFrame(rows, columns=["cage", "segment", "identities"])
    table.insert(2, "status", [verdict.status for verdict in verdicts])
    table.insert(3, "reason", [verdict.reason for verdict in verdicts])
    table.loc[[verdict.discarded for verdict in verdicts], "identities"] = ""
    return table


def _verdict(path: Path) -> tables.Verdict:
    try:
        return tables.read_verdict(path)
    except InputError as error:
        return tables.Verdict("failed", " ".join(str(error).split()))
