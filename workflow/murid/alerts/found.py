"""What is beyond its limits: a row of the table ``alerts`` for each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from murid import schemas, tables
from murid.alerts import causes, usual, words
from murid.alerts.days import KEY
from murid.alerts.faults import Fault, continued
from murid.clocks.words import A_DAY
from murid.numbers import lasting
from murid.reasons import gist, grouped
from murid.report.health import told_once
from murid.report.metrics import natural_ranks
from murid.settings import Alerts

Row = dict[str, Any]
Faults = Iterator[Fault]

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
TICKS = 0.1
"""Seconds a day from which it is told how fast a clock gains or loses."""
COMPARED = 20
"""Boxes that people named, of a cage and day, from which they can contradict the names."""
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
    """Tell what is beyond its limit; what goes on from day to day is told once.

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
    of_days: dict[str, list[Fault]] = {}
    for fault in (
        *_of_status(segments, limits),
        *_of_frames(segments, limits),
        *_contradicted(segments, limits),
        *_low(cages, limits),
        *_falling(cages, limits),
        *_of_animals(health, limits),
        *_of_logs(health, zone, limits),
        *_of_clocks(health, zone, limits),
    ):
        of_days.setdefault(fault.what, []).append(fault)
    faults = [*_of_pages(pages), *_of_silences(health, zone, limits)]
    for what, several in of_days.items():
        faults += continued(several, _measured(what, segments, cages, health))
    known = causes.Known(faults, segments)
    rows = [_row(fault, known) for fault in faults]
    table = pd.DataFrame(rows, columns=schemas.CONTRACTS["alerts"].schema.names)
    table = table.astype({"value": "float64", "limit": "float64"})
    ranks = {
        "kind": table["what"].map(schemas.ALERTS.index),
        "place": natural_ranks(table["cage"]), "of": natural_ranks(table["subject"]),
    }  # fmt: skip
    table = table.assign(**ranks).sort_values(["day", *ranks, "time", "words"], ignore_index=True)
    return tables.conform(table, "alerts")


def _measured(
    what: str, segments: pd.DataFrame, cages: pd.DataFrame, health: pd.DataFrame
) -> pd.DataFrame:
    """Return the cages and days of which a kind of fault would be told, if it were there."""
    if column := (LOW | FALLING).get(what):
        return cages.loc[cages[column].notna(), KEY]
    if what == "contradicted":
        return segments.loc[segments["compared"] > 0, KEY].drop_duplicates()
    if what in ("unread", "clock_offset", "clock_drift"):
        return health.loc[(health["kind"] == what) & health["value"].notna(), KEY]
    if what in ("log", "unknown_tag", "ghost_reads"):
        return health.loc[health["kind"] == "reads", KEY]
    return cages.loc[cages["segments"] > 0, KEY]


def _row(fault: Fault, known: causes.Known) -> Row:
    """Return the row of a fault, in whose words the likely cause stands, if one is known."""
    told = dict(fault.told)
    if "names" in told:
        told["subject"] = words.some(told["names"])
    if "off" in told:
        told["told"] = _of_clock(fault)
    if "tags" in told:
        told["tags"] = words.some([*dict.fromkeys(told["tags"])])
    if "reasons" in told:
        told["reason"] = _reason(told["reasons"], told["full"])
    given = {
        "cage": fault.cage, "subject": fault.subject, "value": fault.value, "limit": fault.limit,
    } | told  # fmt: skip
    cause = known.of(fault, lambda reasons: _reason(reasons, SEGMENTS))
    when = words.days(fault.day, fault.until, fault.worst_day)
    return {
        "cage": fault.cage, "day": fault.day, "last_day": fault.until, "time": fault.time,
        "what": fault.what, "subject": given["subject"], "value": fault.value,
        "limit": fault.limit, "words": words.sentence(fault.what, when, cause, **given),
    }  # fmt: skip


def _of_status(segments: pd.DataFrame, limits: Alerts) -> Faults:
    """Yield a fault for each cage and day of which too many segments failed or were discarded."""
    totals = segments.groupby(KEY).size()
    for status in ("failed", "discarded"):
        limit = getattr(limits, status)
        rows = segments[segments["status"] == status]
        rows = rows.assign(place=natural_ranks(rows["segment"])).sort_values("place")
        days = rows.groupby(KEY).agg(names=("segment", tuple), reasons=("reason", tuple))
        days["of"] = totals.reindex(days.index)
        days["share"] = days["names"].map(len).astype("float64") / days["of"]
        days = days[days["share"] > limit]
        for (cage, day), row in zip(days.index, days.to_dict("records"), strict=True):
            told = {"count": len(row["names"]), "segments": int(row["of"]), "full": SEGMENTS}
            told |= {name: row[name] for name in ("names", "reasons")}
            yield Fault(
                status, cage, day, row["share"], limit, told=told, size=row["share"], same=""
            )


def _reason(reasons: Sequence[str], full: str) -> str:
    """Return the commonest of several reasons in short, and where all stand if that is not all."""
    (first, places), *others = grouped(reasons)
    told, alike = gist(first), len({*reasons}) == 1
    of = f"{len(places)} of them: " if others else ""
    differ = "; others alike" * (len({reasons[place] for place in places}) > 1)
    more = "" if alike and told == first else f" (in full: {full}{differ})"
    return f"{of}{told}{more}"


def _of_pages(pages: Mapping[str, str]) -> Faults:
    """Yield a fault for each page of a cage that could not be made, as which it says why."""
    for cage, reason in pages.items():
        yield Fault(
            "failed_page", cage, "", subject=f"report/cages/{cage}.html",
            told={"reasons": (reason,), "full": "that page"},
        )  # fmt: skip


def _of_frames(segments: pd.DataFrame, limits: Alerts) -> Faults:
    """Yield a fault for each cage and day with segments that lack too many frames."""
    share = lacking(segments)
    days = [segments[key] for key in KEY]
    rows = segments.assign(share=share, of=share.groupby(days).transform("size"))
    rows = rows[share > limits.missing_frames]
    by_day = rows.groupby(KEY)
    rows = rows.assign(
        count=by_day["share"].transform("size"), all=by_day["lacking"].transform("sum")
    )
    rows = rows.sort_values(["share", "segment"], ascending=[False, True])
    for row in rows.drop_duplicates(KEY).to_dict("records"):
        told = {"count": int(row["count"]), "segments": int(row["of"]), "lacking": int(row["all"])}
        yield Fault(
            "missing_frames", row["cage"], row["day"], row["share"], limits.missing_frames,
            row["segment"], told={**told, "most": f"{row['lacking']:,.0f}"}, size=row["share"],
            same="",
        )  # fmt: skip


def lacking(segments: pd.DataFrame) -> pd.Series:
    """Return the share of their frames that segments lack, NaN where nothing tells.

    Parameters
    ----------
    segments
        As :func:`murid.alerts.days.dated` gives them.
    """
    return segments["lacking"] / segments["expected"].where(segments["expected"] > 0)


def _contradicted(segments: pd.DataFrame, limits: Alerts) -> Faults:
    """Yield a fault for each cage and day whose names are others than people and confidence say."""
    rows = segments[segments["expected_alike"].notna() & (segments["compared"] > 0)]
    counts = ["compared", "alike", "expected_alike"]
    rows = rows.astype(dict.fromkeys(counts, "float64"))
    rows = rows.assign(off=(rows["expected_alike"] - rows["alike"]) / rows["compared"])
    for (cage, day), of_day in rows.groupby(KEY):
        boxes, alike, expected = (of_day[name].sum() for name in counts)
        off = (expected - alike) / boxes
        if boxes < COMPARED or off <= limits.contradicted:
            continue
        worst = of_day[of_day["off"] > limits.contradicted].sort_values("off", ascending=False)
        told = {
            "boxes": int(boxes), "alike": int(alike), "expected": round(expected),
            "names": tuple(worst["segment"]),
        }  # fmt: skip
        yield Fault(
            "contradicted", cage, day, off, limits.contradicted, told=told, size=off, same=""
        )


def _low(cages: pd.DataFrame, limits: Alerts) -> Faults:
    for what, column in LOW.items():
        limit = getattr(limits, what)
        rows = cages[cages[column] < limit]
        for cage, day, value in zip(rows["cage"], rows["day"], rows[column], strict=True):
            yield Fault(what, cage, day, value, limit, size=-value, same="")


def _falling(cages: pd.DataFrame, limits: Alerts) -> Faults:
    for what, column in FALLING.items():
        days = usual.before(cages, column, limits)
        days = days.assign(limit=(1 - getattr(limits, what)) * days["usual"])
        fallen = days[days["value"] < days["limit"]].join(cages[KEY])
        for row in fallen.itertuples():
            yield Fault(
                what, row.cage, row.day, row.value, row.limit, told={"usual": row.usual},
                size=-row.value, same="",
            )  # fmt: skip


def _of_silences(health: pd.DataFrame, zone: str, limits: Alerts) -> Faults:
    """Yield each silence, with its hours of all days that it lasted."""
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
        since, until = clock(row["since"], zone), clock(row["until"], zone)
        told = {
            "silent": words.silent(since, until, row["hours"]), "lasting": lasting(row["hours"]),
            "reasons": (row["remark"],), "full": HEALTH,
        }  # fmt: skip
        yield Fault(
            SILENCES[row["kind"]], row["cage"], row["first"], row["hours"], row["limit"],
            row["subject"], since, row["last"], told,
        )  # fmt: skip


def _of_animals(health: pd.DataFrame, limits: Alerts) -> Faults:
    rows = health[(health["kind"] == "unread") & (health["value"] > limits.unread)]
    for row in rows.to_dict("records"):
        yield Fault(
            "unread", row["cage"], row["day"], row["value"], limits.unread, row["subject"],
            size=row["value"], same=row["subject"],
        )  # fmt: skip


def _of_logs(health: pd.DataFrame, zone: str, limits: Alerts) -> Faults:
    """Yield each log that cannot be used, or of which too many reads are nobody's."""
    unusable = health[health["kind"].isin(OF_LOGS) & health["finding"].astype(bool)]
    for row in told_once(unusable).to_dict("records"):
        yield Fault(
            "log", row["cage"], row["day"], subject=row["subject"],
            time=clock(row["since"], zone), told={"reason": _reason([row["remark"]], HEALTH)},
            same=" ".join([row["subject"], row["remark"]]),
        )  # fmt: skip
    for what in ("unknown_tag", "ghost_reads"):
        limit = getattr(limits, what)
        rows = health[health["kind"] == what]
        keys = [*KEY, "log"]
        share = rows["value"].groupby([rows[key] for key in keys]).transform("sum")
        share = share / rows["out_of"]
        once = told_once(rows.assign(share=share)[share > limit])
        often = once.sort_values(["value", "subject"], ascending=[False, True]).groupby(keys)
        logs = often.agg(share=("share", "first"), tags=("subject", tuple))
        for (cage, day, log), row in zip(logs.index, logs.to_dict("records"), strict=True):
            yield Fault(
                what, cage, day, row["share"], limit, log, told={"tags": row["tags"]},
                size=row["share"], same=log,
            )  # fmt: skip


def _of_clocks(health: pd.DataFrame, zone: str, limits: Alerts) -> Faults:
    """Yield each clock that is off or drifts; of a segment that is off by itself, its cage's.

    One that is off on a day says how it drifts, too, and is told once of that day.
    """
    drifts = health[(health["kind"] == "clock_drift") & health["value"].notna()]
    daily = drifts.set_index([*KEY, "log"])["value"] * A_DAY
    gains = daily[~daily.index.duplicated()].to_dict()
    off: set[tuple[str, str, str]] = set()
    for what in ("clock_offset", "clock_drift"):
        limit = getattr(limits, what)
        rows = health[(health["kind"] == what) & (health["value"].abs() > limit)]
        keys = zip(*(rows[name] for name in (*KEY, "log")), strict=True)
        rows = rows.assign(gains=[gains.get(key, 0.0) for key in keys])
        for row in told_once(rows).to_dict("records"):
            whose = row["cage"], row["log"], row["day"]
            if what == "clock_offset":
                off.add(whose)
            elif whose in off:
                continue
            size = abs(row["value"])
            told: Row = {
                "whose": words.whose_clock(row["log"], row["cage"], row["subject"]),
                "gains": (row["gains"],),
                "off": ((row["day"], row["value"]),),
                "remark": row["remark"],
            }
            yield Fault(
                what, row["cage"], row["day"], size, limit, row["subject"],
                clock(row["since"], zone), told=told, size=size, same=row["log"] or None,
            )  # fmt: skip


def _of_clock(fault: Fault) -> str:
    """Say how a clock is: on one day as health does, on several by the first, last and worst."""
    told = fault.told
    if len(told["off"]) == 1 and told["remark"]:
        return words.of_clock(_reason([told["remark"]], HEALTH), fault.cage)
    most = max(told["gains"], key=abs)
    gains = words.gains(most) if abs(most) >= TICKS else ""
    if fault.what == "clock_offset":
        off = f"against the camera's it is {words.late(told['off'])}{gains}"
        return f"{told['whose']}: {off}; readings are put right"
    on = words.days(fault.day, fault.until, fault.worst_day)
    return f"{told['whose']} drifts by {fault.value:.0f} parts per million {on}{gains}"


def clock(moment: pd.Timestamp, zone: str) -> str:
    """Write a moment by a zone, an IANA name, to the minute as ``time`` has it; "" if it is none.

    Examples
    --------
    >>> clock(pd.Timestamp("2026-03-01 23:30:40", tz="UTC"), "Europe/Paris"), clock(pd.NaT, "UTC")
    ('2026-03-02 00:30', '')
    """
    return "" if pd.isna(moment) else moment.tz_convert(zone).strftime("%Y-%m-%d %H:%M")
