"""Readings by a clock that is put right."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from murid import tables
from murid.archive.check import judge_positions
from murid.clocks import words
from murid.errors import InputError
from murid.readings import of_stage, segment
from murid.readings.trace import SECOND
from murid.tables import Verdict

if TYPE_CHECKING:
    from murid.clocks.stage import Align

USUAL = (-1.0, 4.0)
"""Seconds by which readings run late without a word where the system's lag is not known."""
LEAST = 1.0
"""Seconds by which a clock must be off to be told where it is: less does no harm."""


def align(stage: "Align") -> Verdict:
    """Write the table ``positions`` of a segment, read by its clock put right; return its verdict.

    Readings then run late by the system's lag, as the settings have it, or not at all: so much of
    it as is the same everywhere is found again where weights are fitted.
    """
    verdict = tables.read_verdict(stage.positions, stage.clocks)
    about = tables.read_about(stage.positions)
    given = tables.read(stage.positions, "positions")
    clock = _clock(stage)
    made = given
    if clock is None:
        reason = "nothing tells whether the clock of its antenna log is off: it is taken as it is"
        verdict |= Verdict("repaired", reason)
    elif not verdict.discarded:
        lag = stage.of_logs.lag
        off = clock["used"] - (lag or 0.0)
        verdict |= _told(clock, lag, stage.of_logs.zone)
        made, judged = _read(stage, given, about, off, 1e-6 * clock["drift"])
        verdict |= judged
    if verdict.discarded:
        made = tables.empty("positions")
    tables.write(made, stage.output, "positions", verdict, about)
    return verdict


def _clock(stage: "Align") -> pd.Series | None:
    """Return the row of a segment's clock; None if nothing is known."""
    clocks = tables.read(stage.clocks, "clocks")
    own = clocks[(clocks["cage"] == stage.cage) & (clocks["segment"] == stage.segment)]
    if own.empty or own["source"].iloc[0] == "none":
        return None
    return own.iloc[0]


def _read(
    stage: "Align", given: pd.DataFrame, about: Mapping[str, str], off: float, drift: float
) -> tuple[pd.DataFrame, Verdict]:
    """Return the readings of a segment whose clock is off by seconds, at its middle."""
    names = list(given["animal"].unique())
    frames = of_stage.recorded(stage, about)
    along = (frames - (frames[0] + frames[-1]) / 2) / SECOND
    moments = frames + np.round((off + drift * along) * SECOND).astype(np.int64)
    try:
        wanted = of_stage.wanted(stage, names, moments)
        readings, _ = segment.read(stage.readings, wanted)
    except InputError as error:
        return given, Verdict("discarded", " ".join(str(error).split()))
    readings = readings[readings["animal"].isin(names)].reset_index(drop=True)
    table, verdict = judge_positions(
        readings, wanted.grid, stage.of_logs.max_unread, names, logged=True
    )
    last = len(given) // max(len(names), 1)
    return table[table["frame"] < last].reset_index(drop=True), verdict


def usual(lag: float | None) -> tuple[float, float]:
    """Return from how many to how many seconds readings run late beyond a lag without a word."""
    return USUAL if lag is None else (-LEAST, LEAST)


def _told(clock: pd.Series, lag: float | None, zone: str) -> Verdict:
    """Say by how much a clock is off, where it is, and where that is not sure."""
    beyond = clock["used"] - (lag or 0.0)
    low, high = usual(lag)
    if low <= beyond <= high and clock["doubt"] < LEAST:
        return Verdict()
    hours = round(beyond / 3600)
    whole = f" ({hours:+d} h: is it of another zone, or of daylight saving?)" if hours else ""
    late = f"its antennas' clock is {words.offset(clock['used'], lag)}{whole}"
    return Verdict(
        "repaired", ", ".join([late, *words.explained(clock.to_dict(), zone, "it"), "put right"])
    )
