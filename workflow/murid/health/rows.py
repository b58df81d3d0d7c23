"""Rows of the table ``health``, and what of them is out of the ordinary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from murid.animals import Worn
from murid.health import silences
from murid.health.silences import Silence
from murid.health.visits import BIN, HOUR, Day, Ints, joined
from murid.readings.segment import UNUSUAL
from murid.readings.trace import SECOND

ROAMING = 3
"""Antennas by which an animal that roams is read within a stretch: one that stirs in its sleep is
read by two."""
MOST_PAUSES = 50
"""Pauses that are told: where more are long, that is usual."""
NIGHT = 6 * HOUR
"""Microseconds of a pause over midnight from which it may be that nothing is logged at night."""
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
        self, kind: str, subject: str, since: int, until: int | None, remark: str
    ) -> Iterator[Row]:
        """Yield a row of a silence for each day that it touches, with its hours on that day."""
        ends = [int(day.visits["last"].max()) for day in self.days if len(day.visits)]
        last = until if until is not None else max(ends)
        for day in self.days:
            hours = (min(last, day.ends) - max(since, day.begins)) / HOUR
            if hours > 0:
                yield self.row(
                    kind, subject, day=day.name, since=since, until=until, value=hours,
                    remark=remark,
                )  # fmt: skip

    def clock(self, moment: int) -> str:
        """Write a moment by the zone of the logs, to the minute."""
        local = datetime.fromtimestamp(moment / SECOND, UTC).astimezone(ZoneInfo(self.zone))
        return local.strftime("%Y-%m-%d %H:%M")


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
    antennas = visits.groupby(["bin", "animal"])["antenna"].transform("nunique")
    roaming = visits[antennas >= ROAMING]
    trials = roaming[["bin", "animal"]].drop_duplicates()["bin"].sort_values().to_numpy()
    hits = roaming["antenna"].value_counts()
    begins = int(visits["first"].min())
    for name, own in visits.groupby("antenna"):
        alive = own.groupby("bin").agg(first=("first", "min"), last=("last", "max")).sort_index()
        for silence in silences.find(alive.index.to_numpy(), trials, int(hits.get(name, 0))):
            since, until = _ends(silence, alive, begins)
            share = f"until then in {hits[name] / (len(trials) - silence.trials):.0%} of"
            what = f"{silence.trials} stretches of ten minutes in which an animal went about"
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
    antennas = visits.groupby(["bin", "animal"])["antenna"].nunique()
    roaming = antennas[antennas >= ROAMING].reset_index()
    begins = int(visits["first"].min())
    for name, own in visits.groupby("animal"):
        others = np.unique(roaming.loc[roaming["animal"] != name, "bin"].to_numpy(dtype=np.int64))
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


def of_pauses(look: Look) -> Iterator[Row]:
    """Yield rows of the times in which no animal at all is read.

    Where animals are read when they pass, all may sleep for an hour: a pause is told if it is
    :data:`murid.readings.segment.UNUSUAL` times what all but a twentieth of the pauses of that day
    take, and stands apart from all that are not told.
    """
    read = [day for day in look.days if len(day.visits)]
    within = [(day.usual, *pause) for day in read for pause in day.pauses]
    over = [
        (max(day.usual, after.usual), day.visits["last"].max(), after.visits["first"].min())
        for day, after in pairwise(read)
    ]
    pauses = np.array([*within, *over], dtype=np.float64).reshape(-1, 3)
    lengths = pauses[:, 2] - pauses[:, 1]
    told = (
        silences.apart(lengths, MOST_PAUSES) & (lengths >= BIN) & (lengths > UNUSUAL * pauses[:, 0])
    )
    nights = (np.arange(len(pauses)) >= len(within)) & (lengths >= NIGHT)
    if 2 * (told & nights).sum() > len(over):
        # Nothing is logged at night, as it seems: then that is no fault.
        told &= ~nights
    for _, since, until in pauses[told]:
        remark = f"no tag is read from {look.clock(int(since))} to {look.clock(int(until))}"
        yield from look.on_days("missing_hours", "", int(since), int(until), remark=remark)


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
