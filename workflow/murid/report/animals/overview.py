"""What the report of the archive tells of animals: a line each, and where their cage's page is."""

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from murid import tables
from murid.report.animals import phases, totals
from murid.report.animals.page import parse
from murid.report.metrics import natural

_UNKNOWN = {
    phase + end: float("nan")
    for phase in (phases.DARK, phases.LIGHT)
    for end in (*totals.ENDS, "_seconds")
}
"""What is not told where no phase is known."""


def rows(
    hours: pd.DataFrame,
    figures: Sequence[Path],
    pages: Sequence[Path],
    folder: Path,
    dark: str,
    most: int,
) -> list[dict[str, object]]:
    """Return a row of each animal of the first cages.

    Parameters
    ----------
    hours
        Table ``animal_figures``, hours of all cages.
    figures
        The same of each cage, with minutes, in a folder of its name: read of those cages that have
        an hour in which the light goes out or on.
    pages
        Pages of cages that there are.
    folder
        Of the report, to which links are relative.
    dark
        As the setting has it.
    most
        Cages at most, by name.

    Returns
    -------
    What :func:`murid.report.animals.totals.animals` tells, with ``cage``, ``unit``, ``page``, ""
    for none, and ``span``, the number of rows of the cage in its first one, else 0.
    """
    links = {path.stem: os.path.relpath(path, folder) for path in pages}
    of_cages = {path.parent.name: path for path in figures}
    phase = parse(dark)
    told: list[dict[str, object]] = []
    for cage in sorted(hours["cage"].unique(), key=natural)[:most]:
        own = hours[hours["cage"] == cage]
        whole = own
        if phases.has_both(own, phase) and cage in of_cages:
            whole = tables.read(of_cages[cage], "animal_figures")
        found = totals.animals(own, phases.parts(whole, phase))
        for place, row in enumerate(found.to_dict("records")):
            told.append({
                **_UNKNOWN, **row,
                "cage": cage, "unit": totals.unit(own), "page": links.get(cage, ""),
                "span": len(found) if place == 0 else 0,
            })  # fmt: skip
    return told
