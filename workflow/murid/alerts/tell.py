"""Tables of cages in; a line for each cage and day, and one for each alert, out."""

import pandas as pd

from murid.alerts import days, found
from murid.settings import Alerts


def tell(
    summaries: pd.DataFrame, health: pd.DataFrame, zone: str, limits: Alerts
) -> dict[str, pd.DataFrame]:
    """Return the tables ``cages`` and ``alerts``, by their names.

    Parameters
    ----------
    summaries, health
        The tables, of any number of cages; of a log that serves several, health has rows of each.
    zone
        By which days are told, an IANA name.
    limits
        Beyond which there is an alert; what was not measured is beyond none.
    """
    segments = days.dated(summaries, health, zone)
    cages = days.cages(segments, health)
    return {"cages": cages, "alerts": found.alerts(segments, cages, health, zone, limits)}
