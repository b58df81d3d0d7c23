"""Times as the clock on the wall tells them, without saying by which zone."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pandas as pd


def local(times: pd.Series, zone: str) -> list[datetime]:
    """Return instants as naive times of a zone's clock; an hour can come twice."""
    return [
        time.to_pydatetime().replace(tzinfo=None) for time in times.dt.tz_convert(ZoneInfo(zone))
    ]


def epoch(times: pd.Series) -> list[int]:
    """Return instants as whole milliseconds since 1970."""
    return [time.value // 1_000_000 for time in times]
