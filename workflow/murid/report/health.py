"""What the page shows of antennas and clocks: the findings of the table ``health``, worst first."""

import pandas as pd

from murid import schemas
from murid.report.metrics import natural, natural_ranks

KINDS = {
    "log": "log that cannot be used",
    "dead_antenna": "dead antenna",
    "silent_tag": "tag that falls silent",
    "missing_hours": "hours without a read",
    "silent_antenna": "silent antenna",
    "unknown_tag": "unknown tag",
    "frames_missing": "missing frames",
    "clock_offset": "clock that is off",
    "clock_drift": "clock that drifts",
    "unread": "animal that is rarely read",
    "ghost_reads": "misread tags",
}
"""What each kind is called, the worst first."""
SHOWN = 8
"""Antennas, tags or segments that a row names."""


def by_day(health: pd.DataFrame) -> pd.DataFrame:
    """Sort the table ``health`` by cage and day, the worst first."""
    rank = health["kind"].map(schemas.HEALTH.index)
    cage = natural_ranks(health["cage"])
    sorted_ = health.assign(rank=rank, place=cage).sort_values(
        ["place", "day", "rank", "subject", "since"], kind="stable", ignore_index=True
    )
    return sorted_.drop(columns=["rank", "place"])


def findings(health: pd.DataFrame) -> list[dict[str, str]]:
    """Return what is out of the ordinary as rows of the page, the worst first.

    What lasts for several days is one row, and so are antennas, tags or segments that begin and end
    in the same hour: a board that fails takes all of its antennas along.

    Parameters
    ----------
    health
        The table.

    Returns
    -------
    Texts ``cage``, ``day``, ``what``, ``which``, ``since`` and ``remark``.
    """
    found = by_day(health[health["finding"].astype(bool)])
    lasting = found["since"].notna()
    again = found.duplicated(["cage", "kind", "subject", "since"]) & lasting
    found = found[~again].assign(
        hour=found["since"].dt.floor("h"), end=found["until"].dt.floor("h")
    )
    keys = ["cage", "day", "kind", "hour", "end"]
    # What has no times has words of its own.
    alone = found["remark"].where(found["since"].isna(), "")
    groups = [
        (place, part)
        for place, (_, part) in enumerate(found.groupby([*keys, alone], dropna=False, sort=False))
    ]
    groups.sort(key=lambda group: (schemas.HEALTH.index(group[1]["kind"].iloc[0]), group[0]))
    return [_row(part) for _, part in groups]


def _row(part: pd.DataFrame) -> dict[str, str]:
    first = part.sort_values("since").iloc[0]
    names = sorted((name for name in part["subject"] if name), key=natural)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    several = f"{first['subject']}: " if len(names) > 1 else ""
    since = "" if pd.isna(first["since"]) else first["since"].strftime("%Y-%m-%d %H:%M")
    return {
        "cage": first["cage"], "day": first["day"] or "–", "what": KINDS[first["kind"]],
        "which": ", ".join(names[:SHOWN]) + more or "–", "since": since or "–",
        "remark": several + first["remark"],
    }  # fmt: skip
