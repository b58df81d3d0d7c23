"""Rows of ``health`` of the clocks of a cage's logs, and of segments that cannot be used."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from murid.clocks.align import usual
from murid.health.rows import Look, Row
from murid.health.visits import day_of

MOST_DRIFT = 100.0
"""Parts per million from which a drift is out of the ordinary: clocks of quartz keep below."""


def rows(look: Look, clocks: pd.DataFrame) -> Iterator[Row]:
    """Yield how late readings run on each day, and the segments that say otherwise.

    Parameters
    ----------
    look
        The cage.
    clocks
        Its rows of the table ``clocks``.
    """
    known = clocks[clocks["begins"].notna()]
    days = known["begins"].map(lambda begins: day_of(begins.to_pydatetime(), look.zone))
    for day, part in known.groupby(days):
        yield from _of_day(look, str(day), part)


def _of_day(look: Look, day: str, clocks: pd.DataFrame) -> Iterator[Row]:
    line = clocks[clocks["source"] == "line"]
    if line.empty and not (clocks["source"] == "own").any():
        remark = "nothing tells how late readings run"
        yield look.row("clock_offset", day=day, finding=False, remark=remark)
    if len(line):
        late = float(line["used"].median())
        spread, drift = (float(line[name].iloc[0]) for name in ("line_spread", "drift"))
        stands = int(line["line_segments"].iloc[0])
        by = f"by {stands} segment{'s' * (stands != 1)}"
        remark = f"readings run {late:.2f} s late, give or take {spread:.2f} s, {by}"
        off = _off(late, line["lag"].iloc[0])
        yield look.row("clock_offset", day=day, value=late, finding=off, remark=remark)
        far = abs(drift) > MOST_DRIFT
        remark = f"{drift:+.0f} ppm, {by}" if drift else f"none that can be told {by}"
        yield look.row("clock_drift", day=day, value=drift, finding=far, remark=remark)
    for row in clocks[clocks["source"] == "own"].itertuples():
        remark = (
            f"segment {row.segment}: readings run {row.used:.2f} s late, unlike the "
            f"{row.line_segments} of its day that agree"
        )
        yield look.row("clock_offset", str(row.segment), day=day, value=row.used, remark=remark)


def _off(late: float, lag: float) -> bool:
    """Tell whether readings run so late that somebody should see to the clock."""
    low, high = usual(None if np.isnan(lag) else lag)
    return not low <= late - (0.0 if np.isnan(lag) else lag) <= high
