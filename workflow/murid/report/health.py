"""What the page shows of antennas and clocks: the findings of the table ``health``, worst first."""

from collections.abc import Sequence

import pandas as pd

from murid import schemas
from murid.report.metrics import natural, natural_ranks

KINDS = {
    "log": "log that cannot be used",
    "failed_clock": "clock that stands, jumps or goes back",
    "dead_antenna": "dead antenna",
    "silent_tag": "tag that falls silent",
    "missing_hours": "hours without a read",
    "silent_antenna": "silent antenna",
    "unknown_tag": "unknown tag",
    "frames_missing": "frames missing",
    "foreign_tag": "tag of another cage",
    "clock_offset": "clock that is off",
    "clock_drift": "clock that drifts",
    "unread": "animal that is rarely read",
    "ghost_reads": "misread tags",
}
"""What each kind is called, the worst first."""
UNUSED = "segment of no use"
"""The same of a segment that cannot be used, all of whose frames count as missing."""
SHOWN = 8
"""Antennas, tags, segments or cages that a row names."""


def told_once(health: pd.DataFrame) -> pd.DataFrame:
    """Join the rows of a log that serves several cages: they name all of these.

    Parameters
    ----------
    health
        The table, which has what is told of a log for each of its cages.
    """
    shared = health["log"] != ""
    keys = [name for name in health if name != "cage"]
    joined = health[shared].groupby(keys, dropna=False, sort=False, as_index=False)["cage"]
    once = joined.agg(lambda cages: ", ".join(sorted(set(cages), key=natural)))
    return pd.concat([health[~shared], once[[*health]].astype(health.dtypes)], ignore_index=True)


def worst_first(health: pd.DataFrame) -> pd.DataFrame:
    """Sort the table ``health``: findings before all else, by kind, cage and day."""
    rank = health["kind"].map(schemas.HEALTH.index)
    cage = natural_ranks(health["cage"])
    sorted_ = health.assign(rank=rank, place=cage, usual=~health["finding"].astype(bool))
    sorted_ = sorted_.sort_values(
        ["usual", "rank", "place", "day", "subject", "log", "since"],
        kind="stable", ignore_index=True,
    )  # fmt: skip
    return sorted_.drop(columns=["rank", "place", "usual"])


def findings(health: pd.DataFrame, zone: str = "UTC") -> list[dict[str, str]]:
    """Return what is out of the ordinary as rows of the page, the worst first.

    What lasts for several days is one row, and so are antennas, tags or segments that begin and end
    in the same hour: a board that fails takes all of its antennas along.

    Parameters
    ----------
    health
        The table, as :func:`told_once` gives it.
    zone
        By whose clock ``since`` is written, as days and remarks are.

    Returns
    -------
    Texts ``cage``, ``day``, ``what``, ``which``, ``since`` and ``remark``.
    """
    found = worst_first(health[health["finding"].astype(bool)])
    lasting = found["since"].notna()
    again = found.duplicated(["cage", "kind", "subject", "log", "since"]) & lasting
    found = found[~again].assign(
        hour=found["since"].dt.floor("h"), end=found["until"].dt.floor("h")
    )
    keys = ["cage", "day", "kind", "hour", "end"]
    # What has no times, or is of a log, has words of its own.
    alone = found["remark"].where(found["since"].isna() | (found["log"] != ""), "")
    return [_row(part, zone) for _, part in found.groupby([*keys, alone], dropna=False, sort=False)]


def _row(part: pd.DataFrame, zone: str) -> dict[str, str]:
    first = part.sort_values("since").iloc[0]
    names = sorted((name for name in part["subject"] if name), key=natural)
    several = f"{first['subject']}: " if len(names) > 1 else ""
    cages = first["cage"].split(", ")
    begun = first["since"]
    since = "" if pd.isna(begun) else begun.tz_convert(zone).strftime("%Y-%m-%d %H:%M")
    return {
        "cage": _some(cages), "day": first["day"] or "–", "what": _what(first),
        "which": _some(names) or "–", "since": since or "–",
        "remark": several + first["remark"],
    }  # fmt: skip


def _what(row: pd.Series) -> str:
    """Say what a row is: that all frames of a segment miss is said of one that cannot be used."""
    if row["kind"] == "frames_missing" and not row["value"] < row["out_of"]:
        return UNUSED
    return KINDS[row["kind"]]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
