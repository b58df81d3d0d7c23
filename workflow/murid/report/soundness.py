"""What the page tells of cages whose antenna logs are sound, and of what was not checked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from murid.alerts.words import some
from murid.clocks.words import side
from murid.numbers import counted
from murid.report.metrics import natural

_NOTHING = "–"
LEAST = 0.05
"""Seconds from which a clock is said to be off."""
_DEAD = {"antennas_read": "dead_antenna", "tags_read": "silent_tag"}
"""Of what is counted as read, what of it is not read any more."""


@dataclass(frozen=True)
class Checked:
    """What was checked of the antenna logs of all cages.

    Attributes
    ----------
    rows
        Texts ``cage``, ``antennas``, ``tags``, ``reads`` (an hour), ``hours``, ``seconds`` (the
        same as a number), ``unread`` (share of frames), ``silences`` and ``clock``, a cage each.
    antennas, tags, hours, unread
        The same of all cages together.
    silent
        What is not read any more, in words; "" if all is.
    unchecked
        What could not be checked, in words.
    """

    rows: list[dict[str, str]]
    antennas: str
    tags: str
    hours: str
    unread: str
    silent: str
    unchecked: list[str]


def checked(health: pd.DataFrame, zone: str = "UTC") -> Checked:
    """Sum up what was checked of each cage, and of all.

    Parameters
    ----------
    health
        The table, with what is told of a log for each of its cages.
    zone
        By whose clock it is told since when something is silent.
    """
    parts = dict(iter(health.groupby("cage", sort=False)))
    names = sorted(parts, key=natural)
    of_cages = {cage: _of_cage(parts[cage], zone) for cage in names}
    rows = [{"cage": cage, **row} for cage, (row, _) in of_cages.items()]
    gone = [f"in cage {cage} {told}" for cage in names for told in _silent(parts[cage], zone, True)]
    return Checked(
        rows, _share(health, "antennas_read"), _share(health, "tags_read"), _hours(health),
        _unread(health), some(gone), [*_unchecked([lacks for _, lacks in of_cages.values()])],
    )  # fmt: skip


class _Lacks(NamedTuple):
    """What could not be checked of a cage."""

    silences: bool
    unread: bool
    clock: bool


def _of_cage(part: pd.DataFrame, zone: str) -> tuple[dict[str, str], _Lacks]:
    count, hours = _sums(part, "reads")
    stretches, needed = _sums(part, "stretches")
    short = not stretches >= needed > 0
    silences = "; ".join(_silent(part, zone))
    if not silences:
        silences = "not checked: animals go about too seldom" if short else "none"
    clock, whole = _clock(part)
    unread = _unread(part)
    row = {
        "antennas": _share(part, "antennas_read"),
        "tags": _share(part, "tags_read"),
        "reads": f"{count / hours:,.0f}" if hours else _NOTHING,
        "hours": _hours(part),
        "seconds": f"{3600 * hours:.0f}",
        "unread": unread,
        "silences": silences,
        "clock": clock,
    }
    return row, _Lacks(short, unread == _NOTHING, not whole)


def _silent(part: pd.DataFrame, zone: str, still: bool = False) -> list[str]:
    """Name the antennas and tags of a cage that fall silent, or those alone that still are."""
    kinds = {
        "dead_antenna": "antenna {}",
        "silent_antenna": "antenna {}",
        "silent_tag": "tag of {}",
    }
    rows = part[part["kind"].isin([*kinds]) & part["finding"].astype(bool)]
    rows = rows.drop_duplicates(["kind", "subject", "since"]).sort_values("since", kind="stable")
    told = []
    for row in rows.to_dict("records"):
        ends = row["until"]
        if still and not pd.isna(ends):
            continue
        since = f" since {_moment(row['since'], zone)}" if pd.notna(row["since"]) else ""
        if pd.notna(ends):
            since = f" from {_moment(row['since'], zone)} to {_moment(ends, zone)}"
        told.append(kinds[row["kind"]].format(row["subject"]) + since)
    return told


def _moment(moment: pd.Timestamp, zone: str) -> str:
    return f"{moment.tz_convert(zone):%Y-%m-%d %H:%M}"


def _clock(part: pd.DataFrame) -> tuple[str, bool]:
    """Say how far the clock of a cage is off at most, and whether that is known of all days."""
    clocks = _of(part, "clock_offset")
    clocks = clocks[clocks["log"] != ""]
    days = clocks.groupby("day")["value"].count()
    known = int((days > 0).sum())
    every = _of(part, "clock_offset")["value"].dropna()
    if every.empty:
        return "not checked", False
    worst = every.iloc[int(every.abs().argmax())]
    told = f"at most {side(worst)}, put right" if abs(worst) >= LEAST else "right"
    if known and known == len(days):
        return told, True
    return f"{told}; known on {known} of {len(days)} days" if known else told, False


def _unchecked(lacks: Sequence[_Lacks]) -> Iterator[str]:
    """Say what could not be checked, and of how many cages."""
    for text, lacking in (
        ("whether antennas or tags fell silent, since animals go about in too few stretches",
         [each.silences for each in lacks]),
        ("frames without a reading, since no segment can be used",
         [each.unread for each in lacks]),
        ("clocks, on all or some days", [each.clock for each in lacks]),
    ):  # fmt: skip
        if any(lacking):
            yield f"{text} ({sum(lacking):,} of {counted(len(lacks), 'cage')})"


def _of(part: pd.DataFrame, kind: str) -> pd.DataFrame:
    return part[part["kind"] == kind]


def _sums(part: pd.DataFrame, kind: str) -> tuple[float, float]:
    rows = _of(part, kind)
    return float(rows["value"].sum()), float(rows["out_of"].sum())


def _share(part: pd.DataFrame, kind: str) -> str:
    rows = _of(part, kind)
    if rows.empty:
        return _NOTHING
    gone = part[(part["kind"] == _DEAD[kind]) & part["until"].isna()]
    lost = len(gone.drop_duplicates(["cage", "subject"]))
    # One that is dead was read before it died, and counts among those that are.
    count, of = max(rows["value"].sum() - lost, 0), rows["out_of"].sum(skipna=False)
    return f"{count:,.0f}" if pd.isna(of) else f"{count:,.0f} of {of:,.0f}"


def _hours(part: pd.DataFrame) -> str:
    hours = _sums(part, "reads")[1]
    return f"{hours:,.1f} hours" if hours >= 1 else f"{60 * hours:.1f} minutes"


def _unread(part: pd.DataFrame) -> str:
    rows = _of(part, "unread")
    frames = rows["out_of"].sum()
    return f"{(rows['value'] * rows['out_of']).sum() / frames:.1%}" if frames else _NOTHING
