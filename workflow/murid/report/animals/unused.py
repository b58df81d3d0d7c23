"""What was recorded of a cage and could not be used: no figure tells of it, so the page must."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from murid.evaluate.cage import usable
from murid.numbers import counted
from murid.okabe_ito import LINES
from murid.report.animals import phases
from murid.report.animals.words import duration
from murid.report.figures import say

STRIPES = np.linspace(0.02, 0.98, 25)
"""Of the height of a figure, where a stripe is."""
NARROWEST = 1 / 300
"""Of the width of a figure, that a stretch takes at least, so that it is seen."""


NONE = pd.DataFrame({
    "name": pd.Series(dtype=object), "begin": pd.Series(dtype="datetime64[ns]"),
    "end": pd.Series(dtype="datetime64[ns]"), "seconds": pd.Series(dtype="float64"),
})  # fmt: skip
"""Of a cage of which all could be used."""


def segments(summaries: pd.DataFrame, zone: str) -> pd.DataFrame:
    """Return what of a cage was recorded and could not be used.

    Parameters
    ----------
    summaries
        The table of the cage.
    zone
        By whose clock times are told, an IANA name.

    Returns
    -------
    A row a segment: ``name``; ``begin`` and ``end`` by the clock on the wall, NaT where that is not
    known; and ``seconds``, 0 where its length is not known.
    """
    rows = summaries[~usable(summaries)]
    local = rows["begins"].dt.tz_convert(zone).dt.strftime(phases.WALL).fillna("")
    begin = phases.wall(local.astype(object))
    seconds = (rows["frames"] / rows["fps"]).where(rows["fps"] > 0, 0.0).fillna(0.0)
    end = begin + pd.to_timedelta(seconds, unit="s")
    return pd.DataFrame({"name": rows["segment"], "begin": begin, "end": end, "seconds": seconds})


def in_words(lost: pd.DataFrame, count: int) -> str:
    """Say how much could not be used; "" if all could.

    Parameters
    ----------
    lost
        As :func:`segments` gives it.
    count
        Segments of which no figure tells: those, and any whose tables could not be read.
    """
    number = max(count, len(lost))
    if not number:
        return ""
    known = lost[lost["seconds"] > 0]
    parts = [duration(known["seconds"].sum())] if len(known) else []
    if len(known) < number:
        parts.append(f"{number - len(known)} of unknown length")
    return f"{counted(number, 'segment')} ({', and '.join(parts)})"


def stripe(axes: Axes, begin: Any, end: Any, words: str) -> None:
    """Stripe what lies between two places of the axis, and let it say what it is."""
    across = axes.get_xaxis_transform()
    axes.hlines(STRIPES, begin, end, color=LINES, lw=0.9, alpha=0.75, transform=across, zorder=0.5)
    say(axes.axvspan(begin, end, fill=False, lw=0), words)
