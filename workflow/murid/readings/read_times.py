"""Times of reads: as numbers, as moments, and in words."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.readings.lasting import LONGEST_VISIT
from murid.readings.trace import SECOND


def microseconds(events: pd.DataFrame) -> NDArray[np.int64]:
    """Return the times of reads, microseconds since 1970 in UTC."""
    return events["time"].dt.tz_localize(None).to_numpy().astype("datetime64[us]").view(np.int64)


def lasting(events: pd.DataFrame) -> NDArray[np.int64]:
    """Return how long each read lasted, microseconds; 0 where that is not known."""
    seconds = events["duration"].fillna(0).to_numpy(dtype=np.float64)
    return np.round(seconds.clip(0, LONGEST_VISIT) * SECOND).astype(np.int64)


def ends(events: pd.DataFrame) -> pd.Series:
    """Return when each read ends."""
    return events["time"] + pd.to_timedelta(lasting(events), unit="us")


def moment(microseconds: int) -> datetime:
    """Return microseconds since 1970 as a moment in UTC."""
    return datetime.fromtimestamp(microseconds // SECOND, UTC).replace(
        microsecond=microseconds % SECOND
    )


def written(moment: datetime) -> str:
    """Write a moment to the second before."""
    return moment.strftime("%Y-%m-%d %H:%M:%S")
