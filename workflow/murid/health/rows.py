"""Rows of the table ``health``, and what of them is out of the ordinary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from murid.animals import Worn
from murid.health import silences
from murid.health.silences import Silence
from murid.health.visits import BIN, HOUR, Day, Ints, joined
from murid.readings.trace import SECOND

ROAMING = 3
"""Antennas by which an animal that roams is read within a stretch: one that stirs in its sleep is
read by two."""
WEAK = 0.1
"""A tag is weak if its animal has readings in less than this part of the frames in which others
have, by their median."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Look:
    """What the logs of a cage show, over all of their days.

    Attributes
    ----------
    cage, zone
        Its name, and the zone of the logs.
    days
        Those with logs, as :func:`murid.health.visits.look` filled them.
    """

    cage: str
    zone: str
    days: Sequence[Day]

    def row(self, kind: str, subject: str = "", **others: Any) -> Row:
        """Return a row of ``health``; times are microseconds, or None."""
        times = {name: _stamp(others.pop(name, None)) for name in ("since", "until")}
        usual = {
            "cage": self.cage, "day": "", "log": "", "value": np.nan, "out_of": np.nan,
            "finding": True, "remark": "",
        }  # fmt: skip
        return {**usual, "kind": kind, "subject": subject, **times, **others}

    def on_days(
        self, kind: str, subject: str, since: int, until: int | None, remark: str,
        finding: bool = True,
    ) -> Iterator[Row]:  # fmt: skip
        """Yield a row of a silence for each day that it touches, with its hours on that day."""
        ends = [int(day.visits["last"].max()) for day in self.days if len(day.visits)]
        last = until if until is not None else max(ends)
        for day in self.days:
            hours = (min(last, day.ends) - max(since, day.begins)) / HOUR
            if hours > 0:
                yield self.row(
                    kind, subject, day=day.name, since=since, until=until, value=hours,
                    finding=finding, remark=remark,
                )  # fmt: skip

    def clock(self, moment: int, unit: str = "minutes") -> str:
        """Write a moment, microseconds, by the zone of the logs, to the minute or ``seconds``."""
        local = datetime.fromtimestamp(moment / SECOND, UTC).astimezone(ZoneInfo(self.zone))
        return local.replace(tzinfo=None).isoformat(" ", unit)


def roaming(visits: pd.DataFrame) -> pd.DataFrame:
    """Return the visits of animals in stretches in which they go about."""
    antennas = visits.groupby(["bin", "animal"])["antenna"].transform("nunique")
    return visits[antennas >= ROAMING]


def of_antennas(look: Look, known: Sequence[str]) -> Iterator[Row]:
    """Yield rows of antennas that are silent while animals roam.

    Parameters
    ----------
    look
        The cage.
    known
        Antennas that there should be, of which some may never be read.
    """
    visits = joined(look.days)
    if visits.empty:
        return
    going = roaming(visits)
    trials = going[["bin", "animal"]].drop_duplicates()["bin"].sort_values().to_numpy()
    hits = going["antenna"].value_counts()
    begins = int(visits["first"].min())
    for name, own in visits.groupby("antenna"):
        alive = own.groupby("bin").agg(first=("first", "min"), last=("last", "max")).sort_index()
        for silence in silences.find(alive.index.to_numpy(), trials, int(hits.get(name, 0))):
            since, until = _ends(silence, alive, begins)
            share = f"until then in {hits[name] / (len(trials) - silence.trials):.0%} of"
            what = (
                f"{silence.trials} spells of ten minutes in which an animal went about (two at "
                "once count as two)"
            )
            if until is None:
                remark = f"no read since {look.clock(since)}, in {what}; {share} them"
                yield from look.on_days("dead_antenna", str(name), since, None, remark=remark)
            else:
                remark = f"no read from {look.clock(since)} to {look.clock(until)}, in {what}"
                yield from look.on_days("silent_antenna", str(name), since, until, remark=remark)
    rates = hits.to_numpy() / max(len(trials), 1)
    if silences.never(trials, rates):
        remark = "never read"
        for name in known:
            if name not in set(visits["antenna"]):
                yield from look.on_days("silent_antenna", name, begins, None, remark=remark)


def of_tags(look: Look, worn: Sequence[Worn]) -> Iterator[Row]:
    """Yield rows of animals that are not read any more while others roam.

    Parameters
    ----------
    look
        The cage.
    worn
        Who wears which tag in it, if there is a table of that.
    """
    visits = joined(look.days)
    if visits.empty:
        return
    going = roaming(visits)
    begins = int(visits["first"].min())
    for name, own in visits.groupby("animal"):
        others = np.unique(going.loc[going["animal"] != name, "bin"].to_numpy(dtype=np.int64))
        trials = others[_wearing(others, str(name), worn)]
        alive = own.groupby("bin").agg(first=("first", "min"), last=("last", "max")).sort_index()
        hits = int(np.isin(trials, alive.index.to_numpy()).sum())
        for silence in silences.find(alive.index.to_numpy(), trials, hits):
            since, until = _ends(silence, alive, begins)
            there = f"from {look.clock(since)} to {look.clock(until)}" if until else (
                f"since {look.clock(since)}"
            )  # fmt: skip
            remark = f"its tag is not read {there}, while others went about"
            yield from look.on_days("silent_tag", str(name), since, until, remark=remark)


def _wearing(bins: Ints, animal: str, worn: Sequence[Worn]) -> np.ndarray:
    """Tell in which stretches an animal wears a tag in the cage, (n,); without a table, always."""
    if not worn:
        return np.ones(len(bins), dtype=bool)
    there = np.zeros(len(bins), dtype=bool)
    for each in worn:
        if each.animal == animal:
            since, until = (moment.timestamp() * SECOND for moment in (each.since, each.until))
            there |= (bins >= since) & (bins + BIN <= until)
    return there


def _ends(silence: Silence, alive: pd.DataFrame, begins: int) -> tuple[int, int | None]:
    """Return from when to when a silence lasts, microseconds; None: until the end."""
    since = int(alive["last"].iloc[silence.after]) if silence.after >= 0 else begins
    return since, None if silence.before is None else int(alive["first"].iloc[silence.before])


def of_unread(look: Look, frames: Mapping[str, pd.DataFrame]) -> Iterator[Row]:
    """Yield the share of frames without a reading of each animal on each day.

    Parameters
    ----------
    look
        The cage.
    frames
        By day, a row for each animal and segment with columns ``animal``, ``frames``, ``unread``.
    """
    for day, table in frames.items():
        sums = table.groupby("animal")[["frames", "unread"]].sum()
        share = sums["unread"] / sums["frames"]
        for animal, value in share.items():
            others = 1 - share.drop(animal)
            weak = bool(len(others) and 1 - value < WEAK * others.median())
            remark = "of its frames without a reading"
            if weak:
                remark += f", far more than of the others; {_last_read(look, day, str(animal))}"
            yield look.row(
                "unread", str(animal), day=day, value=value, out_of=sums["frames"][animal],
                finding=weak, remark=f"{value:.1%} {remark}",
            )  # fmt: skip


def _last_read(look: Look, day: str, animal: str) -> str:
    """Say when an animal was read last, up to the end of a day."""
    visits = joined([each for each in look.days if each.name <= day])
    own = visits.loc[visits["animal"] == animal, "last"] if len(visits) else visits
    return f"last read at {look.clock(int(own.max()))}" if len(own) else "never read until then"


def _stamp(moment: int | None) -> pd.Timestamp | None:
    return None if moment is None else pd.Timestamp(int(moment), unit="us", tz="UTC")
