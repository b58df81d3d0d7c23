"""A clock in words, the same wherever it is told: ahead or behind, going fast or slow.

What a log stamps too early is by a clock that is behind the camera's; it goes slow if that grows.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from murid.clocks.search import LEAST_JUMP

A_DAY = 0.0864
"""Seconds a day that a part per million is."""


def offset(late: float, lag: float | None) -> str:
    """Say by how much the clock of antennas is off the camera's.

    Parameters
    ----------
    late
        Seconds by which readings run late, the system's lag included.
    lag
        Seconds of it that are the system's; None if that is not known.

    Examples
    --------
    >>> offset(-1.71, None)
    "1.7 s behind the camera's, the antennas' own delay counted in"
    >>> offset(2.5, 0.5)
    "2.0 s ahead of the camera's, the antennas' own delay left out"
    """
    off = late - (lag or 0.0)
    of = "of " if off > 0 else ""
    return f"{side(off)} {of}the camera's, the antennas' own delay " + (
        "counted in" if lag is None else "left out"
    )


def side(late: float) -> str:
    """Say by how much, and on which side of the camera's, a clock is off by some seconds.

    Examples
    --------
    >>> side(-1.71)
    '1.7 s behind'
    """
    return f"{abs(late):,.1f} s {'ahead' if late > 0 else 'behind'}"


def of_logs(names: str) -> str:
    """Name the clock of antennas by its log, or by several whose names stand with commas.

    Examples
    --------
    >>> of_logs("3.csv"), of_logs("a.csv, b.csv")
    ("the antennas' clock (log 3.csv)", "the antennas' clock (logs a.csv, b.csv)")
    """
    return f"the antennas' clock (log{'s' * (', ' in names)} {names})"


def drift(ppm: float, spread: float, who: str = "its clock") -> str:
    """Say by how much a clock goes fast or slow; "" if no drift is told.

    Parameters
    ----------
    ppm
        Parts per million by which readings run later and later; 0 where that is not told.
    spread
        Its standard error, parts per million.

    Examples
    --------
    >>> drift(-39.5, 3.96)
    'its clock goes slow by 3.4 s a day (-40 +/- 4 ppm)'
    >>> drift(0.0, 0.0)
    ''
    """
    if not ppm:
        return ""
    return f"{who} {rate(ppm * A_DAY)} ({ppm:+.0f} +/- {spread:.0f} ppm)"


def rate(seconds: float) -> str:
    """Say how a clock goes that is off by so many more seconds every day.

    Examples
    --------
    >>> rate(11.04), rate(-2)
    ('goes fast by 11 s a day', 'goes slow by 2.0 s a day')
    """
    return f"goes {'fast' if seconds > 0 else 'slow'} by {_a_day(seconds)}"


def _a_day(seconds: float) -> str:
    # Of one clock each day tells a figure of its own: they are alike to no more than two digits.
    size = abs(seconds)
    return f"{size:.1f} s a day" if size < 9.95 else f"{size:,.0f} s a day"


def told_by(standing: int, segments: int, days: int = 1) -> str:
    """Say how many segments, of how many days, tell that.

    Examples
    --------
    >>> told_by(4, 8), told_by(1, 1), told_by(5, 6, 3)
    ('told by 4 of 8 segments', 'told by 1 of 1 segment', 'told by 5 of 6 segments of 3 days')
    """
    of = f" of {days} days" if days > 1 else ""
    return f"told by {standing} of {segments} segment{'s' * (segments != 1)}{of}"


def jumped(by: float, after: str, before: str, who: str = "its clock") -> str:
    """Say when a clock jumped or was set, and by how much; it was so between two moments.

    Examples
    --------
    >>> jumped(-20.04, "2026-03-01 22:00", "2026-03-02 10:00")
    'its clock was set, or jumped, by 20.0 s to earlier times between 2026-03-01 22:00 and \
2026-03-02 10:00'
    """
    to = "later" if by > 0 else "earlier"
    return (
        f"{who} was set, or jumped, by {abs(by):,.1f} s to {to} times between {after} and {before}"
    )


def either(by: float, ppm: float, who: str = "its clock") -> str:
    """Say that a drift cannot be told from a jump.

    Examples
    --------
    >>> either(5.5, 127.3)
    'its clock moved by 5.5 s to later times: by a drift of 11 s a day (+127 ppm), or it was \
set; too few segments tell which'
    """
    return (
        f"{who} moved by {abs(by):,.1f} s to {'later' if by > 0 else 'earlier'} times: by a drift "
        f"of {_a_day(ppm * A_DAY)} ({ppm:+.0f} ppm), or it was set; too few segments tell which"
    )


def alone(standing: int, by: float, who: str = "its clock") -> str:
    """Say that a clock was off in one segment alone, by its own figure.

    Examples
    --------
    >>> alone(3, 61.04)
    'unlike the 3 segments around it that agree, by 61.0 s: its clock was off in this segment \
alone, or its own figure is wrong: check'
    """
    return (
        f"unlike the {standing} segments around it that agree, by {by:,.1f} s: {who} was off "
        "in this segment alone, or its own figure is wrong: check"
    )


def unsure(seconds: float) -> str:
    """Say that what tells of a clock contradicts itself.

    Examples
    --------
    >>> unsure(62.3)
    'not sure: what tells of it differs by 62.3 s: check'
    """
    return f"not sure: what tells of it differs by {seconds:,.1f} s: check"


def explained(row: Mapping[str, Any], zone: str, who: str = "its clock") -> list[str]:
    """Return what a row of ``clocks`` tells beside the offset: doubts, jumps, drift, what tells it.

    Parameters
    ----------
    row
        Of a segment whose clock is known.
    zone
        By which moments are told.
    who
        What the clock is called.
    """
    if row["source"] == "own":
        return [alone(int(row["line_segments"]), row["doubt"], who)]
    parts = []
    if row["doubt"] >= LEAST_JUMP:
        parts.append(unsure(row["doubt"]))
    if np.isfinite(row["jump"]):
        if row["other_drift"]:
            parts.append(either(row["jump"], row["other_drift"], who))
        else:
            after, before = (_moment(row[name], zone) for name in ("jump_after", "jump_before"))
            parts.append(jumped(row["jump"], after, before, who))
    parts.append(drift(row["drift"], row["drift_spread"], who))
    parts.append(told_by(int(row["line_segments"]), int(row["line_of"]), days(row, zone)))
    return [part for part in parts if part]


def days(row: Mapping[str, Any], zone: str) -> int:
    """Return from the first to the last of how many days what a row of ``clocks`` stands on is."""
    first, last = (row[name].tz_convert(zone).date() for name in ("line_from", "line_to"))
    return int((last - first).days) + 1


def _moment(moment: pd.Timestamp, zone: str) -> str:
    return f"{moment.tz_convert(zone):%Y-%m-%d %H:%M}"
