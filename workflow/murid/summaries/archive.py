"""All cages: what is told of animals, as Parquet and as CSV."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from murid import tables
from murid.files import replacing
from murid.schemas import PERIODS
from murid.spreadsheets import to_csv

if TYPE_CHECKING:
    from murid.summaries.stage import SummariseAll

NAMES = {"animal_figures": "", "zone_figures": "zone_", "pair_figures": "pair_"}
"""What files of minutes and hours are called by, before that."""


def write(stage: "SummariseAll") -> None:
    """Write minutes and hours of animals, zones and pairs, and the names of tracklets."""
    given = {
        "animal_figures": stage.animals, "zone_figures": stage.zones, "pair_figures": stage.pairs,
    }  # fmt: skip
    for name, paths in given.items():
        for period in PERIODS:
            write_both(paths, stage.output_dir / f"{NAMES[name]}{period}s", name, period)
    write_both(stage.names, stage.output_dir / "tracklet_names", "tracklet_names")


def write_both(paths: Sequence[Path], path: Path, name: str, period: str | None = None) -> None:
    """Write tables one below the other, as Parquet and as CSV; one period's rows, if it is given.

    Parameters
    ----------
    paths
        Tables to read.
    path
        Where they go, without a suffix.
    name
        Of the table.
    period
        Kind of period.
    """

    def read(table: Path) -> pd.DataFrame:
        within = None if period is None else ("period", period, f"{period}\0")
        return tables.read(table, name, within)

    table = tables.concatenate(map(read, paths), name)
    tables.write(table, path.with_suffix(".parquet"), name)
    with replacing(path.with_suffix(".csv")) as temporary, temporary.open("w", newline="") as file:
        file.write(to_csv(table.iloc[:0]))
        # A table of years is large, and larger as text: a part at a time.
        for begin in range(0, len(table), 100_000):
            text = to_csv(table.iloc[begin : begin + 100_000])
            file.write(text.partition("\n")[2])
