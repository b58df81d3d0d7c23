"""Tables of cages in; a line for each cage and day, and one for each alert, out."""

from collections.abc import Mapping

import pandas as pd

from murid.alerts import days, found
from murid.settings import Alerts

CONFIDENCES, DIGITS = ("confidence", "median_confidence"), 4


def tell(
    summaries: pd.DataFrame,
    health: pd.DataFrame,
    zone: str,
    limits: Alerts,
    pages: Mapping[str, str] = found.NO_PAGES,
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
    pages
        Why the page of a cage could not be made, by cage.
    """
    segments = days.dated(summaries, health, zone)
    cages = days.cages(segments, health)
    alerts = found.alerts(segments, cages, health, zone, limits, pages)
    # Limits are held against what was measured, which is told no closer than it is known.
    return {"cages": cages.round(dict.fromkeys(CONFIDENCES, DIGITS)), "alerts": alerts}
