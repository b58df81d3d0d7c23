"""Tables of cages in, a line for each cage and day and one for each alert out."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from murid import spreadsheets, tables
from murid.alerts import days, found
from murid.files import write_text

if TYPE_CHECKING:
    from murid.alerts.stage import TellAlerts


def tell(stage: "TellAlerts") -> str:
    """Write the tables ``cages`` and ``alerts``, also as CSV; return how many alerts there are.

    Raises
    ------
    InputError
        If a table is none of its kind, or nothing can be written.
    """
    summaries, health = _joined(stage.summaries, "summaries"), _joined(stage.health, "health")
    segments = days.dated(summaries, health, stage.zone)
    cages = days.cages(segments, health)
    alerts = found.alerts(segments, cages, health, stage.zone, stage.alerts)
    for table, name, path in (
        (cages, "cages", stage.output_cages), (alerts, "alerts", stage.output_alerts),
    ):  # fmt: skip
        made = tables.conform(table, name)
        tables.write(made, path, name)
        write_text(path.with_suffix(".csv"), spreadsheets.to_csv(made))
    return f"{len(alerts):,} alerts of {cages['cage'].nunique():,} cages"


def _joined(paths: Sequence[Path], name: str) -> pd.DataFrame:
    return tables.concatenate((tables.read(path, name) for path in paths), name)
