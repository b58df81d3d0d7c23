"""The page's first screen: what there was, what of it is known, and what needs a human."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from murid.evaluate.cage import usable
from murid.numbers import counted
from murid.reasons import gist

MINUTES = 60.0
HOURS = 3600.0
TODO = "todo"
"""Where on the page it stands what needs a human."""
KINDS_SHOWN = 6
"""Kinds of alerts of which the first screen tells one."""
SEEN = "Mice seen"
"""Heading of a share of time, which is not how often names are right."""


@dataclass(frozen=True)
class Tile:
    """A figure of the first screen, and which part of the page tells more."""

    what: str
    figure: str
    more: str
    place: str
    see: bool = False
    """Whether somebody should look."""


def tiles(
    summaries: pd.DataFrame,
    stretches: pd.DataFrame,
    findings: int,
    alerts: int = 0,
    hours: pd.DataFrame | None = None,
    pages: int = 0,
) -> list[Tile]:
    """Answer what the archive holds, what could be used, what is known, and what is to be done.

    Parameters
    ----------
    summaries
        The table of all segments.
    stretches
        The table of stretches in which names are uncertain.
    findings
        Number of findings about antennas and clocks.
    alerts
        Number of things that are worse than their limits.
    hours
        Table ``animal_figures``, hours of all cages; None if animals are not told of.
    pages
        Number of cages whose page could not be made.

    Returns
    -------
    Four tiles; of an archive without any segment that can be used, the third has no figure.
    """
    used = usable(summaries)
    seconds = summaries["frames"] / summaries["fps"]
    return [
        _archive(summaries, float(seconds.sum())),
        _used(summaries, used, seconds),
        _known(summaries[used], hours),
        _to_do(summaries, stretches, findings, alerts, pages),
    ]


def _archive(summaries: pd.DataFrame, seconds: float) -> Tile:
    names = summaries["animals"].map(len).groupby(summaries["cage"]).max()
    more = _and([
        counted(summaries["cage"].nunique(), "cage"),
        counted(len(summaries), "segment"),
        counted(int(names.sum()), "mouse", "mice"),
    ])  # fmt: skip
    return Tile("In the archive", lasting(seconds), more, "archive")


def _used(summaries: pd.DataFrame, used: pd.Series, seconds: pd.Series) -> Tile:
    lost = summaries.loc[~used, "status"].value_counts()
    more = _and([
        f"{counted(number, 'segment')} {status}" for status, number in sorted(lost.items())
    ])  # fmt: skip
    share = float(seconds[used].sum() / seconds.sum()) if seconds.sum() else 0.0
    text = f"{100 * share:.1f}%" if share < 1 or len(lost) else "all"
    more = f"of the time; {more}" if more else "no segment is left out"
    return Tile("Could be used", text, more, "segments", bool(len(lost)))


def _known(used: pd.DataFrame, hours: pd.DataFrame | None) -> Tile:
    named = used.dropna(subset=["identified"])
    weight = named["frames"] * named["animals"].map(len)
    if not weight.sum():
        return Tile(SEEN, "–", "nothing is named", "archive", see=True)
    share = float((named["identified"] * weight).sum() / weight.sum())
    sure = named.dropna(subset=["confidence"])
    boxes = sure["identified"] * weight[sure.index]
    more = "of their time; in the rest they are hidden, or nobody can tell who is who"
    if boxes.sum():
        mean = float((sure["confidence"] * boxes).sum() / boxes.sum())
        more = (
            "of their time, in boxes with a name; how sure names are, by the method itself: "
            f"{100 * mean:.1f}%"
        )
    if hours is not None and len(hours):
        more += f"; {_least(hours)}"
    return Tile(SEEN, f"{100 * share:.1f}%", more, "trust")


def _least(hours: pd.DataFrame) -> str:
    """Say of which animal least is seen."""
    times = hours[["seen", "inferred"]].mul(hours["seconds"], axis=0).assign(all=hours["seconds"])
    sums = times.groupby([hours["cage"], hours["animal"]]).sum()
    shares = sums[["seen", "inferred"]].div(sums["all"], axis=0).fillna(0.0)
    cage, animal = shares["seen"].idxmin()
    seen, inferred = shares.loc[(cage, animal)]
    return (
        f"least of all {animal} in cage {cage}: seen {100 * seen:.0f}% of the time, its place "
        f"inferred for another {100 * inferred:.0f}%"
    )


def _to_do(
    summaries: pd.DataFrame, stretches: pd.DataFrame, findings: int, alerts: int, pages: int
) -> Tile:
    """Tell what is most urgent in large; what is beyond its limits stands among findings, too."""
    failed = int((summaries["status"] == "failed").sum())
    uncertain = lasting(covered(stretches))
    kinds = [
        (failed, counted(failed, "failed segment"), ""),
        (pages, counted(pages, "page of a cage", "pages of cages"), "not made"),
        (alerts, counted(alerts, "alert"), ""),
        (findings, counted(findings, "finding"), "about antennas and clocks"),
        (len(stretches),
         counted(len(stretches), "uncertain stretch", "uncertain stretches"), f"of {uncertain}"),
    ]  # fmt: skip
    there = [(figure, more) for number, figure, more in kinds if number]
    if not there:
        return Tile("Needs a human", "nothing", "as far as is known", "segments")
    (figure, more), *others = there
    rest = [f"{other} {about}".rstrip() for other, about in others]
    return Tile("Needs a human", figure, _and([more, *rest]), TODO, True)


@dataclass(frozen=True)
class ToDo:
    """Something for a human to do: how much there is of it, where it stands, and the first.

    ``first`` is "" where it is told already; ``others`` are the first of other kinds, and with the
    first ``all`` that there are, or some of them.
    """

    count: str
    link: str
    first: str
    others: tuple[str, ...] = ()
    all: bool = False


def to_do(
    summaries: pd.DataFrame,
    pages: Mapping[str, str],
    alerts: Sequence[Mapping[str, Any]],
    findings: Sequence[Mapping[str, str]],
    longest: Sequence[Mapping[str, Any]],
    stretches: int,
    proofread: str = "",
) -> list[ToDo]:
    """Return what needs a human, the most urgent first.

    Parameters
    ----------
    summaries
        The table of all segments.
    pages
        Why pages of cages could not be made, by cage.
    alerts
        Rows of the table, the most urgent first.
    findings
        About antennas and clocks, as :func:`murid.report.health.findings` gives them.
    longest, stretches
        The longest of the stretches in which names are uncertain, as
        :func:`murid.report.views.longest` gives them, and how many there are.
    proofread
        The page that asks who is who; "" if there is none.
    """
    failed = summaries[summaries["status"] == "failed"]
    found = []
    for row in failed[:1].to_dict("records"):
        count = counted(len(failed), "segment that failed", "segments that failed")
        first = f"{row['cage']} {row['segment']}: {gist(row['reason'])}"
        found.append(ToDo(count, "#segments", first))
    for cage, reason in [*pages.items()][:1]:
        count = counted(len(pages), "page of a cage not made", "pages of cages not made")
        found.append(ToDo(count, "#animals", f"cage {cage}: {gist(reason)}"))
    if alerts:
        kinds = {alert["what"]: str(alert["words"]) for alert in reversed(alerts)}
        first, *others = dict.fromkeys(kinds[alert["what"]] for alert in alerts)
        count = counted(len(alerts), "alert")
        shown = tuple(others[: KINDS_SHOWN - 1])
        found.append(ToDo(count, "#alerts", first, shown, 1 + len(shown) == len(alerts)))
    for finding in findings[:1]:
        count = counted(len(findings), "finding", "findings") + " about antennas and clocks"
        which = "" if finding["which"] == "–" else f" {finding['which']}"
        first = f"cage {finding['cage']}, {finding['what']}{which}: {finding['remark']}"
        # The worst of them is an alert, too.
        found.append(ToDo(count, "#health", "" if alerts else first))
    for row in longest[:1]:
        count = counted(stretches, "stretch", "stretches") + " in which names are uncertain"
        first = (
            f"cage {row['cage']}, segment {row['segment']}, after {row['starts']} (min:s), for "
            f"{row['seconds']:,.1f} s: {row['candidate']} or {row['other']}?"
        )
        found.append(ToDo(count, proofread or "#look", first))
    return found


def covered(stretches: pd.DataFrame) -> float:
    """Return the seconds in which any name is uncertain: what several stretches hold, once.

    Parameters
    ----------
    stretches
        Columns ``cage``, ``segment``, ``first_frame``, ``last_frame`` (included) and ``seconds``.
    """
    if stretches.empty:
        return 0.0
    rows = stretches.sort_values(["cage", "segment", "first_frame"])
    reached = rows.groupby(["cage", "segment"])["last_frame"].cummax()
    before = reached.groupby([rows["cage"], rows["segment"]]).shift(fill_value=-1)
    own = (rows["last_frame"] - np.maximum(rows["first_frame"] - 1, before)).clip(lower=0)
    frames = rows["last_frame"] - rows["first_frame"] + 1
    return float((rows["seconds"] * own / frames).sum())


def lasting(seconds: float) -> str:
    """Write a duration in minutes, hours or days, whichever suits it.

    Examples
    --------
    >>> lasting(90), lasting(7200), lasting(36e5)
    ('1.5 minutes', '2.0 hours', '1,000 hours')
    """
    if seconds < HOURS:
        return f"{seconds / MINUTES:,.1f} minutes"
    hours = seconds / HOURS
    return f"{hours:,.0f} hours" if hours >= 100 else f"{hours:,.1f} hours"


def _and(parts: Sequence[str]) -> str:
    return ", ".join(filter(None, parts))
