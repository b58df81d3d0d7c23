"""Whether a cage can be trusted, by day: what could be used, what is amiss, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import schemas
from murid.alerts import days, found
from murid.alerts.words import some
from murid.clocks.search import LEAST_JUMP
from murid.clocks.words import side
from murid.evaluate.cage import usable
from murid.numbers import lasting
from murid.reasons import gist, grouped
from murid.report import health as findings
from murid.report import views
from murid.report.animals.words import duration
from murid.report.calendar import frames_missing
from murid.settings import Alerts

ANSWERS = ("no", "in part", "with care", "yes")
"""What is said of a day, the worst first."""
UNKNOWN_DAY = "day not known"
_NOTES = {
    "failed_page": "", "failed": "", "discarded": "", "missing_frames": "frames missing",
    "contradicted": "annotations contradict names",
    "low_coverage": "few are named", "falling_coverage": "fewer named than usual",
    "low_confidence": "names unsure", "falling_confidence": "names less sure than usual",
    "fewer_boxes": "fewer mice detected than usual", "fewer_reads": "fewer reads than usual",
    "log": "log {subject} cannot be used", "failed_clock": "clock of {subject} jumps or stands",
    "silent_antenna": "antenna {subject} silent", "dead_antenna": "antenna {subject} silent",
    "silent_tag": "tag of {subject} silent", "missing_hours": "no reads for {hours}",
    "unknown_tag": "unknown tag {subject}", "foreign_tag": "tag {subject} of another cage",
    "unread": "{subject} hardly read", "ghost_reads": "misread tags",
    "clock_offset": "{clock}", "clock_drift": "antennas' clock goes fast or slow",
    "frames_missing": "frames missing",
}  # fmt: skip
"""What is amiss on a day, in short, by kind of alert or of finding; "" if its segments tell it."""
REASON = 100
"""Letters of why segments could not be used, or were put right, that stand beside a day."""
_OWN_WORDS = ("failed", "discarded")
"""Alerts that say no more than the reasons of segments, which stand beside."""


@dataclass(frozen=True)
class Day:
    """A day of a cage.

    Attributes
    ----------
    day
        Its date.
    answer
        One of :data:`ANSWERS`.
    segments
        How many there are of each status, in words.
    recorded, unused
        How long was recorded, and what of it could not be used, in words; "" of nothing.
    coverage, confidence
        Shares; NaN where nothing is known.
    missing, missing_share
        Frames that are missing of what could be used; NaN where that is not known.
    notes
        What is amiss, in short: "" only where the answer is yes.
    """

    day: str
    answer: str
    segments: str
    recorded: str
    unused: str
    coverage: float
    confidence: float
    missing: float
    missing_share: float
    notes: str


@dataclass(frozen=True)
class Trust:
    """Whether a cage can be trusted.

    Attributes
    ----------
    answer
        In a line.
    sound
        Whether nothing was found wrong.
    days
        All on which it was filmed.
    found
        What is amiss, in whole sentences.
    segments
        By status, the worst first: rows as :func:`murid.report.views.reasons` gives them.
    """

    answer: str
    sound: bool
    days: list[Day]
    found: list[str]
    segments: dict[str, list[dict[str, object]]]


def trust(summaries: pd.DataFrame, health: pd.DataFrame, zone: str, limits: Alerts) -> Trust:
    """Tell whether a cage can be trusted.

    Parameters
    ----------
    summaries, health
        The tables of the cage; ``health`` is empty where there are no antenna logs.
    zone
        By which days are told, an IANA name.
    limits
        Beyond which something is told.
    """
    segments = days.dated(summaries, health, zone)
    cages = days.cages(segments, health)
    alerts = found.alerts(segments, cages, health, zone, limits)
    # What is missing of a segment that cannot be used, the reason of that tells.
    unused = health["subject"].isin(segments.loc[~usable(segments), "segment"])
    lost = (health["kind"] == "frames_missing") & unused
    told = health[health["finding"].astype(bool) & ~lost]
    clocks = _put_right(health)
    rows = [*_days(segments, cages, _notes(cages["day"], alerts, told), clocks)]
    lacks = segments["segment"][found.lacking(segments) > limits.missing_frames]
    words = [*_sentences(alerts, told[~_known(alerts, told, lacks, zone)], zone)]
    ordered = views.sort_segments(summaries)
    kinds = {
        status: views.reasons(ordered[ordered["status"] == status], of_one_cage=True)
        for status in reversed(schemas.STATUSES)
        if status != "usable" and (ordered["status"] == status).any()
    }
    sound = bool(rows) and not words and all(row.answer == "yes" for row in rows)
    days_filmed = {*segments["day"]}
    filmed = {day: off for day, off in clocks.items() if day in days_filmed}
    return Trust(_answer(rows, sound, filmed), sound, rows, words, kinds)


def _answer(rows: list[Day], sound: bool, clocks: dict[str, float]) -> str:
    if not rows:
        return "Nothing of it was filmed."
    if sound:
        whole = f"the {len(rows)} days that were" if len(rows) > 1 else "the one day that was"
        worst = max(clocks.values(), key=abs, default=0.0)
        most = "at most " * (len(rows) > 1)
        right = f" The antennas' clock was {most}{side(worst)}, and was put right." if worst else ""
        return (
            f"Yes: all segments of {whole} filmed can be used, and nothing was found wrong.{right}"
        )
    if len(rows) == 1:
        return f"{rows[0].answer.capitalize()}, on the one day that was filmed."
    if len({row.answer for row in rows}) == 1:
        return f"{rows[0].answer.capitalize()}, on all {len(rows)} days that were filmed."
    dates = {answer: [row.day for row in rows if row.answer == answer] for answer in ANSWERS}
    others = len(dates.pop("yes"))
    parts = [f"{answer} on {some(several)}" for answer, several in dates.items() if several]
    rest = f"the other {others} days" if others > 1 else "the other day"
    parts += [f"yes on {rest}"] if others else []
    return f"Not all days alike: {'; '.join(parts)}."


def _days(
    segments: pd.DataFrame, cages: pd.DataFrame, notes: dict[str, list[str]],
    clocks: dict[str, float],
) -> Iterator[Day]:  # fmt: skip
    missing = frames_missing(segments).droplevel("cage")
    seconds = (segments["frames"] / segments["fps"]).fillna(0.0)
    recorded = seconds.groupby(segments["day"]).sum()
    unused = seconds[~usable(segments)].groupby(segments["day"]).sum()
    repaired = segments.loc[segments["status"] == "repaired", "day"].value_counts()
    reasons = {status: _reasons(segments, status) for status in schemas.STATUSES[1:]}
    for row in cages[cages["segments"] > 0].to_dict("records"):
        day, mended = row["day"], int(repaired.get(row["day"], 0))
        short = list(dict.fromkeys(notes.get(day, ())))
        clock = [_clock(clocks[day])] if day in clocks else []
        whole = [reasons[status].get(day, "") for status in ("failed", "discarded")]
        # What was put right is mostly told in short: twice it would be as two.
        whole += [] if short or clock else [reasons["repaired"].get(day, "")]
        answer = (
            "no" if not row["usable"]
            else "in part" if row["usable"] < row["segments"]
            else "with care" if mended or short
            else "yes"
        )  # fmt: skip
        yield Day(
            day=day or UNKNOWN_DAY, answer=answer,
            segments=_in_words({**row, "usable": row["usable"] - mended, "repaired": mended}),
            recorded=_long(recorded[day]), unused=_unused(unused.get(day, 0.0), row),
            coverage=row["coverage"],
            confidence=row["confidence"], missing=row["missing_frames"],
            missing_share=missing.get(day, float("nan")),
            notes="; ".join(filter(None, [*whole, ", ".join(short), *clock])),
        )  # fmt: skip


def _unused(seconds: float, counts: dict[str, Any]) -> str:
    """Say how long could not be used; "" if all could."""
    if counts["usable"] == counts["segments"]:
        return ""
    return _long(seconds)


def _long(seconds: float) -> str:
    return duration(seconds) if seconds else "not known"


def _in_words(counts: dict[str, Any]) -> str:
    return ", ".join(f"{counts[status]} {status}" for status in schemas.STATUSES if counts[status])


def _notes(known: pd.Series, alerts: pd.DataFrame, told: pd.DataFrame) -> dict[str, list[str]]:
    """Return what is amiss on each day, in short."""
    notes: dict[str, list[str]] = {}
    # Of a clock the most that it is off stands for all that its segments say.
    worst = told.assign(size=told["value"].abs()).sort_values("size", ascending=False)
    clocks = worst["kind"] == "clock_offset"
    again = worst[clocks].duplicated(["day"])
    for row in worst.drop(again[again].index).sort_index().to_dict("records"):
        notes.setdefault(row["day"], []).append(_note(row["kind"], row))
    measured = {*schemas.HEALTH, *found.SILENCES.values()}
    for row in alerts[~alerts["what"].isin(measured)].to_dict("records"):
        for day in known[known.between(row["day"], row["last_day"])]:
            notes.setdefault(day, []).append(_note(row["what"], row))
    return {day: [note for note in several if note] for day, several in notes.items()}


def _reasons(segments: pd.DataFrame, status: str) -> dict[str, str]:
    """Return why segments of a status are of it, in short: the commonest reason of each day."""
    reasons = {}
    for day, rows in segments[segments["status"] == status].groupby("day"):
        first, places = grouped(rows["reason"])[0]
        words = gist(first, REASON)
        more = "…" * (len(words) < len(first)) + " and others" * (len(places) < len(rows))
        reasons[str(day)] = f"{status}: {words}{more}"
    return reasons


def _note(kind: str, row: dict[str, Any]) -> str:
    value = row["value"]
    return _NOTES[kind].format(subject=row["subject"], hours=lasting(value), clock=_clock(value))


def _clock(off: float) -> str:
    return f"antennas' clock {side(off)} (put right)"


def _put_right(health: pd.DataFrame) -> dict[str, float]:
    """Return by how many seconds clocks were off that are no finding, the most of each day."""
    clocks = health[health["kind"] == "clock_offset"]
    amiss = clocks["day"].isin(clocks.loc[clocks["finding"].astype(bool), "day"])
    clocks = clocks[~amiss & (clocks["value"].abs() >= LEAST_JUMP)]
    worst = clocks.assign(size=clocks["value"].abs()).sort_values("size").groupby("day")["value"]
    return worst.last().to_dict()


def _sentences(alerts: pd.DataFrame, others: pd.DataFrame, zone: str) -> Iterator[str]:
    """Yield what is beyond its limits, and what else is out of the ordinary."""
    worst = alerts.sort_values("what", key=lambda what: what.map(schemas.ALERTS.index))
    for row in worst[~worst["what"].isin(_OWN_WORDS)].to_dict("records"):
        yield _sentence(row["words"])
    for row in findings.findings(others, zone):
        where = " ".join(part for part in (row["which"], row["day"]) if part != "–")
        yield _sentence(f"{row['what']} ({where}): {row['remark']}")


_ALERT_OF = {**found.SILENCES, "failed_clock": "log"}
"""The alert that tells of a kind of finding, where it has another name."""
_OF_LOGS = ("unknown_tag", "ghost_reads")
"""Alerts that tell of all of their kind that a log has on a day."""


def _known(
    alerts: pd.DataFrame, told: pd.DataFrame, lacks: pd.Series, zone: str
) -> NDArray[np.bool_]:
    """Tell which findings an alert tells of: of their day, and of what they are of.

    Parameters
    ----------
    alerts, told
        The alerts and findings.
    lacks
        Segments that lack so many frames that an alert tells of them.
    zone
        By which times of alerts are written.

    Returns
    -------
    (findings,).
    """
    spans: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for row in alerts.to_dict("records"):
        about = _about(row["what"], row["subject"], row["time"])
        spans.setdefault(about, []).append((row["day"], row["last_day"]))
    known, lacking = [], {*lacks}
    for row in told.to_dict("records"):
        what = _ALERT_OF.get(row["kind"], row["kind"])
        whose = row["log"] if what in _OF_LOGS else row["subject"]
        about = _about(what, whose, found.clock(row["since"], zone))
        on_day = any(first <= row["day"] <= last for first, last in spans.get(about, ()))
        known.append(on_day or (what == "frames_missing" and whose in lacking))
    return np.array(known, dtype=bool)


def _about(what: str, whose: str, time: str) -> tuple[str, str, str]:
    # Of one antenna or tag there may be several silences on a day.
    return what, whose, time if what in found.SILENCES.values() else ""


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "." * (not words.endswith((".", "?", "!")))
