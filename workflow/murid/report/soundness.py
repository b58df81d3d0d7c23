"""What the page tells of cages whose antenna logs are sound, and of what was not checked."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from murid.numbers import counted
from murid.report.metrics import natural

_NOTHING, _LOOKED, _CHECKED = "–", "looked for", "checked"


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
    unchecked
        What could not be checked, in words.
    """

    rows: list[dict[str, str]]
    antennas: str
    tags: str
    hours: str
    unread: str
    unchecked: list[str]


def checked(health: pd.DataFrame) -> Checked:
    """Sum up what was checked of each cage, and of all.

    Parameters
    ----------
    health
        The table, with what is told of a log for each of its cages.
    """
    parts = dict(iter(health.groupby("cage", sort=False)))
    names = sorted(parts, key=natural)
    rows = [{"cage": cage, **_of_cage(parts[cage])} for cage in names]
    return Checked(
        rows, _share(health, "antennas_read"), _share(health, "tags_read"), _hours(health),
        _unread(health), [*_unchecked(rows)],
    )  # fmt: skip


def _of_cage(part: pd.DataFrame) -> dict[str, str]:
    count, hours = _sums(part, "reads")
    stretches, needed = _sums(part, "stretches")
    return {
        "antennas": _share(part, "antennas_read"),
        "tags": _share(part, "tags_read"),
        "reads": f"{count / hours:,.0f}" if hours else _NOTHING,
        "hours": _hours(part),
        "seconds": f"{3600 * hours:.0f}",
        "unread": _unread(part),
        "silences": _LOOKED if stretches >= needed > 0 else "too short to tell",
        "clock": _clock(part),
    }


def _clock(part: pd.DataFrame) -> str:
    clocks = _of(part, "clock_offset")
    days = clocks[clocks["log"] != ""].groupby("day")["value"].count()
    known = int((days > 0).sum())
    if not known:
        return f"not {_CHECKED}"
    return _CHECKED if known == len(days) else f"{_CHECKED} on {known} of {len(days)} days"


def _unchecked(rows: list[dict[str, str]]) -> Iterator[str]:
    """Say what could not be checked, and of how many cages."""
    for text, lacking in (
        ("whether antennas or tags fell silent, since animals go about in too few stretches",
         [row["silences"] != _LOOKED for row in rows]),
        ("frames without a reading, since no segment can be used",
         [row["unread"] == _NOTHING for row in rows]),
        ("clocks, on all or some days", [row["clock"] != _CHECKED for row in rows]),
    ):  # fmt: skip
        if any(lacking):
            yield f"{text} ({sum(lacking):,} of {counted(len(rows), 'cage')})"


def _of(part: pd.DataFrame, kind: str) -> pd.DataFrame:
    return part[part["kind"] == kind]


def _sums(part: pd.DataFrame, kind: str) -> tuple[float, float]:
    rows = _of(part, kind)
    return float(rows["value"].sum()), float(rows["out_of"].sum())


def _share(part: pd.DataFrame, kind: str) -> str:
    rows = _of(part, kind)
    if rows.empty:
        return _NOTHING
    count, of = rows["value"].sum(), rows["out_of"].sum(skipna=False)
    return f"{count:,.0f}" if pd.isna(of) else f"{count:,.0f} of {of:,.0f}"


def _hours(part: pd.DataFrame) -> str:
    hours = _sums(part, "reads")[1]
    return f"{hours:,.1f} hours" if hours >= 1 else f"{60 * hours:.1f} minutes"


def _unread(part: pd.DataFrame) -> str:
    rows = _of(part, "unread")
    frames = rows["out_of"].sum()
    return f"{(rows['value'] * rows['out_of']).sum() / frames:.1%}" if frames else _NOTHING
