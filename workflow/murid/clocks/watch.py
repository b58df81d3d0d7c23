"""What a segment by itself tells of its clock."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from murid import tables
from murid.clocks import lateness, words
from murid.clocks.lateness import REACH, TICK, Late, Sight, Trace
from murid.errors import InputError
from murid.readings import of_stage, segment
from murid.readings.trace import SECOND

if TYPE_CHECKING:
    from murid.clocks.stage import WatchClock
    from murid.readings.logged import Logged

HOUR = 3600.0
HOURS = 14
"""Whole hours by which a clock may be off, of another zone or of daylight saving."""
TELLING = 10
"""Windows without which nothing is certain, so that other hours need not be looked at."""


def watch(stage: "WatchClock") -> str:
    """Write by how much the readings of a segment run late; return that in words.

    What is further off than :data:`murid.clocks.lateness.REACH` is looked for around whole hours.
    """
    verdict = tables.read_verdict(stage.positions, stage.detections)
    found, begins, seconds = None, pd.NaT, np.nan
    if not verdict.discarded:
        positions = tables.read(stage.positions, "positions")
        names = list(positions["animal"].unique())
        frames = of_stage.recorded(stage, tables.read_about(stage.positions))
        begins = pd.Timestamp(datetime.fromtimestamp(frames[0] / SECOND, UTC))
        times = (frames - frames[0]) / SECOND
        seconds = float(times[-1])
        mice = tables.mice(tables.read(stage.detections, "detections"))
        sight = lateness.look(mice, times)
        found = _found(stage, sight, names, frames)
    row = {
        "cage": stage.cage, "segment": stage.segment, "begins": begins,
        "seconds": seconds, "late": found.shift if found else np.nan,
        "spread": found.spread if found else np.nan, "certain": bool(found and found.certain),
        "lag": stage.of_logs.lag if stage.of_logs.lag is not None else np.nan,
        "logs": [tables.read_about(path).get(segment.FILE, path.stem) for path in stage.readings],
    }  # fmt: skip
    tables.write(pd.DataFrame([row]), stage.output, "lateness")
    name = f"{stage.cage} {stage.segment}"
    if found is None:
        return f"{name}: too little to tell whether the log's clock is off"
    sure = "" if found.certain else ", which may be chance"
    late = words.offset(found.shift, stage.of_logs.lag)
    return f"{name}: the log's clock is {late}, give or take {found.spread:.1f} s{sure}"


def _found(stage: "WatchClock", sight: Sight, names: list[str], frames: np.ndarray) -> Late | None:
    best: Late | None = None
    for hour in sorted(range(-HOURS, HOURS + 1), key=abs):
        around = hour * HOUR
        trace = _trace(stage, names, frames, around)
        found = None
        if trace is not None:
            found = lateness.find(sight, trace, of_stage.grid(stage), around)
        if found and found.certain:
            return found
        best = best or found
        if found and found.windows < TELLING:
            break
    return best


def _trace(stage: "Logged", names: list[str], frames: np.ndarray, around: float) -> Trace | None:
    """Return where animals were read from before a segment until after it; None if nowhere."""
    begins = around - REACH - HOUR / 60
    last = (frames[-1] - frames[0]) / SECOND + around + REACH + HOUR / 60
    seconds = np.arange(begins, last, TICK)
    moments = frames[0] + np.round(seconds * SECOND).astype(np.int64)
    try:
        readings, _ = segment.read(stage.readings, of_stage.wanted(stage, names, moments))
    except InputError:
        return None
    antennas = np.zeros((len(moments), len(names)), dtype=np.int64)
    column = pd.Index(names).get_indexer(readings["animal"])
    there = column >= 0
    antennas[readings["frame"].to_numpy()[there], column[there]] = (
        readings["antenna"].fillna(0).to_numpy(dtype=np.int64)[there]
    )
    return Trace(antennas, begins)
