"""What is usual for a cage: the median of the days before each."""

import pandas as pd

from murid.settings import Alerts

SHORT = 0.5
"""Part of the usual hours of video below which a day can be compared with no other."""


def before(cages: pd.DataFrame, column: str, settings: Alerts) -> pd.DataFrame:
    """Return what is usual for each cage on each day, of the days that can be compared.

    Parameters
    ----------
    cages
        The table, whose days of a cage follow each other.
    column
        Of it.
    settings
        How many days tell.

    Returns
    -------
    Columns ``value``, and ``usual``, the median over the days before; rows are those of ``cages``
    for which there are enough of these.
    """
    days = cages[cages["day"] != ""]
    hours = days["hours"].where(days["hours"] > 0)
    short = hours.isna() | (hours < SHORT * _median(hours, days["cage"], settings))
    value = days[column].mask(short)
    found = pd.DataFrame({"value": value, "usual": _median(value, days["cage"], settings)})
    return found.dropna()


def _median(values: pd.Series, cages: pd.Series, settings: Alerts) -> pd.Series:
    """Return the median of the days before each; NaN where too few tell."""
    if values.empty:
        return values
    rolling = values.groupby(cages, sort=False).rolling(
        settings.past_days, min_periods=settings.least_days, closed="left"
    )
    return rolling.median().droplevel(0).reindex(values.index)
