"""Days of the reads of a cage: mice that roam, stir in their sleep, and sleep for hours."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd

from murid.readings.stage import ReadLog

START = datetime(2026, 3, 2, tzinfo=UTC)
"""Midnight of the first day."""
DAY, HOUR, SCAN = 86_400.0, 3_600.0, 5.0
ROWS, COLUMNS = 3, 6
NAMES = ("R", "G", "B")


def at(hour: float) -> datetime:
    """Return an hour of the first day."""
    return datetime.fromtimestamp(START.timestamp() + hour * HOUR, UTC)


def roam(days: int, seed: int, passing: bool = False) -> pd.DataFrame:
    """Return reads by time: columns ``seconds`` since :data:`START`, ``tag``, ``antenna``.

    Mice are awake by bouts of minutes to an hour, more at night, and all of them have a long sleep
    a day. Each prefers a part of the cage, which changes from bout to bout. If ``passing``, they
    are read as they come to an antenna, else every five seconds.
    """
    rng = np.random.default_rng(seed)
    parts = [_mouse(days, rng, passing).assign(tag=name) for name in NAMES]
    return pd.concat(parts).sort_values("seconds", kind="stable", ignore_index=True)


def _mouse(days: int, rng: np.random.Generator, passing: bool) -> pd.DataFrame:
    ticks = int(days * DAY / SCAN)
    awake = _awake(days, ticks, rng)
    moves = awake & (rng.random(ticks) < 0.3)
    place = []
    for size in (ROWS, COLUMNS):
        walk = np.cumsum(np.where(moves, rng.integers(-1, 2, ticks), 0)) + rng.integers(0, size)
        # Reflected at the walls.
        place.append((size - 1) - abs(walk % (2 * size - 2 or 1) - (size - 1)))
    stirred = ~awake & (rng.random(ticks) < 0.01)
    antenna = place[1] * ROWS + np.where(stirred, (place[0] + 1) % ROWS, place[0]) + 1
    read = rng.random(ticks) < 0.9
    if passing:
        read &= np.r_[True, antenna[1:] != antenna[:-1]] & ~stirred
    seconds = (np.arange(ticks) + rng.random(ticks)) * SCAN
    return pd.DataFrame({"seconds": seconds[read], "antenna": antenna[read]})


def _awake(days: int, ticks: int, rng: np.random.Generator) -> np.ndarray:
    awake = np.zeros(ticks, dtype=bool)
    now = 0.0
    while now < days * DAY:
        night = now % DAY / HOUR < 7 or now % DAY / HOUR > 19
        bout = rng.uniform(300, 3_600 if night else 1_200)
        awake[int(now / SCAN) : int((now + bout) / SCAN)] = True
        now += bout + rng.uniform(300, 3_600 if night else 7_200)
    for day in range(days):
        begins = day * DAY + rng.uniform(9, 13) * HOUR
        awake[int(begins / SCAN) : int((begins + rng.uniform(2, 4) * HOUR) / SCAN)] = False
    return awake


def without(
    reads: pd.DataFrame, first: float, last: float, of: Callable[[pd.DataFrame], pd.Series]
) -> pd.DataFrame:
    """Leave out the reads of some hours that are of something."""
    hours = reads["seconds"] / HOUR
    return reads[~(hours.between(first, last) & of(reads))]


def write(
    reads: pd.DataFrame, folder: Path, name: str = "log", cages: tuple[str, ...] = ()
) -> Path:
    """Write a log as a table, read it, and return the table of its reads."""
    times = pd.Timestamp(START) + pd.to_timedelta(reads["seconds"], unit="s")
    log = folder / f"{name}.csv"
    pd.DataFrame(
        {"time": times.dt.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "tag": reads["tag"],
         "antenna": reads["antenna"]}
    ).to_csv(log, index=False)  # fmt: skip
    ReadLog(file=log, output=folder / f"{name}.parquet", cages=cages).run()
    return folder / f"{name}.parquet"
