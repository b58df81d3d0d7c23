"""The clock of a day: what its segments tell, joined, and each segment's part of it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from murid import tables
from murid.clocks import line, words
from murid.clocks.line import Line


def set_clock(parts: Sequence[Path], output: Path) -> str:
    """Write by how much the readings of each segment of a day run late; return that in words.

    A segment that is surely off the line has its own figure: its clock jumped, or was set. One that
    tells nothing for certain has the line's. Where there is no line, nothing is known.

    Parameters
    ----------
    parts
        Tables ``lateness``, of one segment each, of the same clock and day.
    output
        Table ``clocks`` to write.
    """
    known = tables.concatenate((tables.read(path, "lateness") for path in parts), "lateness")
    known = known.sort_values(["begins", "cage", "segment"], ignore_index=True)
    middles = _seconds(known) + known["seconds"].to_numpy() / 2
    sure = known["certain"].to_numpy(dtype=bool)
    late, spread = (known[name].to_numpy(dtype=np.float64) for name in ("late", "spread"))
    told = np.isfinite(late) & np.isfinite(spread)
    through = line.through(middles[told], late[told], spread[told], sure[told])
    source = np.full(len(known), "none", dtype=object)
    used = np.full(len(known), np.nan)
    drift = 0.0
    if through is not None:
        jumped = sure.copy()
        jumped[sure] = line.off(through, middles[sure], late[sure], spread[sure])
        used = np.where(jumped, late, through.at(middles))
        source[:] = np.where(jumped, "own", "line")
        # Of a segment that is discarded, not even the time is known.
        unknown = known["begins"].isna().to_numpy()
        used[unknown], source[unknown] = np.nan, "none"
        drift = through.drift
    made = known.assign(
        used=used, source=source, drift=1e6 * drift,
        line_segments=through.segments if through else 0,
        line_spread=through.late_spread if through else np.nan,
        drift_spread=1e6 * through.drift_spread if through else np.nan,
    )  # fmt: skip
    tables.write(made, output, "clocks")
    return _described(through, known)


def _seconds(known: pd.DataFrame) -> np.ndarray:
    """Return when segments begin, seconds since 1970; NaN where that is not known."""
    begins = known["begins"].dt.tz_localize(None).to_numpy().astype("datetime64[us]")
    return np.where(np.isnat(begins), np.nan, begins.astype(np.int64) / 1e6)


def _described(through: Line | None, known: pd.DataFrame) -> str:
    if through is None:
        return f"none of {len(known)} segments tells whether the log's clock is off"
    lags = known["lag"].dropna()
    late = words.offset(through.late, float(lags.iloc[0]) if len(lags) else None)
    drift = words.drift(1e6 * through.drift, 1e6 * through.drift_spread)
    parts = [
        f"the log's times are {late}, give or take {through.late_spread:.1f} s, in the middle of "
        "the day's segments",
        drift,
        words.told_by(through.segments, len(known)),
    ]
    return "; ".join(filter(None, parts))
