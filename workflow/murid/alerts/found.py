"""What is beyond its limits: a row of the table ``alerts`` for each."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from murid import schemas, tables
from murid.alerts import usual, words
from murid.alerts.days import KEY
from murid.numbers import lasting
from murid.reasons import gist, grouped
from murid.report.health import told_once
from murid.report.metrics import natural_ranks
from murid.settings import Alerts

Row = dict[str, Any]

LOW = {"low_coverage": "coverage", "low_confidence": "confidence"}
"""Alerts of what is below a limit, and the column of ``cages`` of each."""
FALLING = {
    "falling_coverage": "coverage", "falling_confidence": "confidence",
    "fewer_boxes": "boxes_per_frame", "fewer_reads": "reads_per_hour",
}  # fmt: skip
"""The same of what is below what is usual."""
SILENCES = {
    "dead_antenna": "silent_antenna", "silent_antenna": "silent_antenna",
    "silent_tag": "silent_tag", "missing_hours": "missing_hours",
}  # fmt: skip
"""Kinds of ``health`` that last for hours, and the alert of each."""
OF_LOGS = ("log", "failed_clock")
"""The same that tell of logs of which reads are lost, for which there is no limit."""
NO_PAGES: Mapping[str, str] = {}
SEGMENTS, HEALTH = "report/segments.csv", "report/health.csv"
"""Where reasons stand in full."""


def alerts(
    segments: pd.DataFrame,
    cages: pd.DataFrame,
    health: pd.DataFrame,
    zone: str,
    limits: Alerts,
    pages: Mapping[str, str] = NO_PAGES,
) -> pd.DataFrame:
    """Tell what is beyond its limit.

    Parameters
    ----------
    segments, cages
        As :mod:`murid.alerts.days` gives them.
    health
        The table, of the same cages.
    zone
        By which times are told.
    limits
        What may be.
    pages
        Why the page of a cage could not be made, by cage.

    Returns
    -------
    The table ``alerts``: by the day on which each begins, the worst kinds first, then by cage,
    subject and time.
    """
    rows = [
        *_of_status(segments, limits),
        *_of_pages(pages),
        *_of_frames(segments, limits),
        *_low(cages, limits),
        *_falling(cages, limits),
        *_of_silences(health, zone, limits),
        *_of_animals(health, limits),
        *_of_logs(health, zone, limits),
        *_of_clocks(health, zone, limits),
    ]
    table = pd.DataFrame(rows, columns=schemas.CONTRACTS["alerts"].schema.names)
    table = table.astype({"value": "float64", "limit": "float64"})
    ranks = {
        "kind": table["what"].map(schemas.ALERTS.index),
        "place": natural_ranks(table["cage"]), "of": natural_ranks(table["subject"]),
    }  # fmt: skip
    table = table.assign(**ranks).sort_values(["day", *ranks, "time", "words"], ignore_index=True)
    return tables.conform(table, "alerts")


def _row(
    what: str, cage: str, day: str, value: float, limit: float, subject: str = "", time: str = "",
    last_day: str = "", **told: Any,
) -> Row:  # fmt: skip
    given = {"cage": cage, "subject": subject, "value": value, "limit": limit}
    return given | {
        "day": day, "last_day": last_day or day, "time": time, "what": what,
        "words": words.sentence(what, day, **given, **told),
    }  # fmt: skip


def _of_status(segments: pd.DataFrame, limits: Alerts) -> Iterator[Row]:
    """Yield a row for each cage and day of which too many segments failed or were discarded."""
    totals = segments.groupby(KEY).size()
    for status in ("failed", "discarded"):
        limit = getattr(limits, status)
        rows = segments[segments["status"] == status]
        rows = rows.assign(place=natural_ranks(rows["segment"])).sort_values("place")
        days = rows.groupby(KEY).agg(names=("segment", list), reasons=("reason", list))
        days["of"] = totals.reindex(days.index)
        days["share"] = days["names"].map(len).astype("float64") / days["of"]
        days = days[days["share"] > limit]
        for (cage, day), row in zip(days.index, days.to_dict("records"), strict=True):
            yield _row(
                status, cage, day, row["share"], limit, words.some(row["names"]),
                count=len(row["names"]), segments=row["of"],
                reason=_reason(row["reasons"], SEGMENTS),
            )  # fmt: skip


def _reason(reasons: Sequence[str], full: str) -> str:
    """Return the commonest of several reasons in short, and where all stand if that is not all."""
    (first, places), *others = grouped(reasons)
    told, alike = gist(first), len({*reasons}) == 1
    of = [f"{len(places)} of them"] if others else []
    such = ["such as"] if len({reasons[place] for place in places}) > 1 else []
    head = " ".join([*of, *such])
    more = "" if alike and told == first else f" (in full: {full})"
    return f"{head}: {told}{more}" if head else told + more


def _of_pages(pages: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row for each page of a cage that could not be made, as which it says why."""
    for cage, reason in pages.items():
        yield _row(
            "failed_page", cage, "", math.nan, math.nan, f"report/cages/{cage}.html",
            reason=_reason([reason], "that page"),
        )  # fmt: skip


def _of_frames(segments: pd.DataFrame, limits: Alerts) -> Iterator[Row]:
    """Yield a row for each cage and day with segments that lack too many frames."""
    share = segments["lacking"] / segments["expected"].where(segments["expected"] > 0)
    days = [segments[key] for key in KEY]
    rows = segments.assign(share=share, of=share.groupby(days).transform("size"))
    rows = rows[share > limits.missing_frames]
    rows = rows.assign(count=rows.groupby(KEY)["share"].transform("size"))
    rows = rows.sort_values(["share", "segment"], ascending=[False, True])
    for row in rows.drop_duplicates(KEY).to_dict("records"):
        yield _row(
            "missing_frames", row["cage"], row["day"], row["share"], limits.missing_frames,
            row["segment"], count=row["count"], segments=row["of"],
        )  # fmt: skip


def _low(cages: pd.DataFrame, limits: Alerts) -> Iterator[Row]:
    for what, column in LOW.items():
        limit = getattr(limits, what)
        rows = cages[cages[column] < limit]
        for cage, day, value in zip(rows["cage"], rows["day"], rows[column], strict=True):
            yield _row(what, cage, day, value, limit)


def _falling(cages: pd.DataFrame, limits: Alerts) -> Iterator[Row]:
    for what, column in FALLING.items():
        days = usual.before(cages, column, limits)
        days = days.assign(limit=(1 - getattr(limits, what)) * days["usual"])
        fallen = days[days["value"] < days["limit"]].join(cages[KEY])
        for row in fallen.itertuples():
            yield _row(what, row.cage, row.day, row.value, row.limit, usual=row.usual)


def _of_silences(health: pd.DataFrame, zone: str, limits: Alerts) -> Iterator[Row]:
    """Yield a row for each silence, with its hours of all days that it lasted."""
    rows = health[health["kind"].isin([*SILENCES]) & health["finding"].astype(bool)]
    keys = ["cage", "kind", "subject", "since", "until"]
    whole = rows.groupby(keys, dropna=False, as_index=False).agg(
        hours=("value", "sum"),
        first=("day", "min"),
        last=("day", "max"),
        remark=("remark", "first"),
    )
    limit = whole["kind"].map(lambda kind: getattr(limits, SILENCES[kind])).astype("float64")
    for row in whole.assign(limit=limit)[whole["hours"] > limit].to_dict("records"):
        what = SILENCES[row["kind"]]
        since, until = _clock(row["since"], zone), _clock(row["until"], zone)
        yield _row(
            what, row["cage"], row["first"], row["hours"], row["limit"], row["subject"], since,
            row["last"], silent=words.silent(since, until, row["hours"]),
            lasting=lasting(row["hours"]), reason=_reason([row["remark"]], HEALTH),
        )  # fmt: skip


def _of_animals(health: pd.DataFrame, limits: Alerts) -> Iterator[Row]:
    rows = health[(health["kind"] == "unread") & (health["value"] > limits.unread)]
    for row in rows.to_dict("records"):
        yield _row("unread", row["cage"], row["day"], row["value"], limits.unread, row["subject"])


def _of_logs(health: pd.DataFrame, zone: str, limits: Alerts) -> Iterator[Row]:
    """Yield a row for each log that cannot be used, or of which too many reads are nobody's."""
    unusable = health[health["kind"].isin(OF_LOGS) & health["finding"].astype(bool)]
    for row in told_once(unusable).to_dict("records"):
        yield _row(
            "log", row["cage"], row["day"], math.nan, math.nan, row["subject"],
            _clock(row["since"], zone), reason=_reason([row["remark"]], HEALTH),
        )  # fmt: skip
    for what in ("unknown_tag", "ghost_reads"):
        limit = getattr(limits, what)
        rows = health[health["kind"] == what]
        keys = [*KEY, "log"]
        share = rows["value"].groupby([rows[key] for key in keys]).transform("sum")
        share = share / rows["out_of"]
        once = told_once(rows.assign(share=share)[share > limit])
        often = once.sort_values(["value", "subject"], ascending=[False, True]).groupby(keys)
        logs = often.agg(share=("share", "first"), tags=("subject", list))
        for (cage, day, log), row in zip(logs.index, logs.to_dict("records"), strict=True):
            yield _row(what, cage, day, row["share"], limit, log, tags=words.some(row["tags"]))


def _of_clocks(health: pd.DataFrame, zone: str, limits: Alerts) -> Iterator[Row]:
    for what in ("clock_offset", "clock_drift"):
        limit = getattr(limits, what)
        rows = health[(health["kind"] == what) & (health["value"].abs() > limit)]
        for row in told_once(rows).to_dict("records"):
            size = abs(row["value"])
            yield _row(
                what, row["cage"], row["day"], size, limit, row["subject"],
                _clock(row["since"], zone),
                told=words.of_clock(row["remark"], row["cage"]),
            )  # fmt: skip


def _clock(moment: pd.Timestamp, zone: str) -> str:
    """Write a moment by a zone, to the minute; "" if it is none."""
    return "" if pd.isna(moment) else moment.tz_convert(zone).strftime("%Y-%m-%d %H:%M")
