"""One cage: what is told of its segments joined, each hour of the clock once."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from murid import tables
from murid.errors import InputError, PartialError
from murid.evaluate.cage import strangers
from murid.run.findings import some
from murid.summaries.periods import SECONDS

if TYPE_CHECKING:
    from murid.summaries.stage import SummariseCage

KEYS = {
    "animal_figures": ("animal",),
    "zone_figures": ("animal", "zone"),
    "pair_figures": ("animal", "other"),
}
"""What a row is of, beside its period."""
USED, UNUSED = "segments_used", "segments_unused"
"""What the tables are told beside their rows: how many segments they are of, and are not of."""
SLACK = pd.Timedelta(seconds=1)
"""By which a segment may last into the next: cameras write whole seconds."""
_TOTALS = ("distance", "distance_cm")
"""Figures that add up; all others are means."""
_OF_ALL, _OF_SEEN, _OF_KNOWN = "seconds", "seen", "known"
_WEIGHTS = {"speed": _OF_ALL, "rearing": _OF_SEEN}
"""The time that a mean is over; of all others, that in which places are known."""
_STATES = ("seen", "inferred", "unknown", "known")


def join(stage: "SummariseCage") -> None:
    """Join the segments of a cage; what is not in the figures, their verdict tells.

    Left out are segments that failed, and those whose animals are not the cage's, as in the report.

    Raises
    ------
    PartialError
        If tables of a segment could not be read; all else is written.
    """
    outputs = {
        "animal_figures": ("animals", stage.output_animals),
        "zone_figures": ("zones", stage.output_zones),
        "pair_figures": ("pairs", stage.output_pairs),
        "tracklet_names": ("names", stage.output_names),
    }
    parts: dict[str, dict[str, pd.DataFrame]] = {}
    lost, verdict = [], tables.Verdict()
    for member in stage.segments:
        try:
            judged = tables.read_verdict(member.animals)
            read = {
                name: tables.read(getattr(member, field), name)
                for name, (field, _) in outputs.items()
            }
        except InputError as error:
            lost.append(f"{member.cage} {member.segment}: {' '.join(str(error).split())}")
            verdict |= _without(member.segment, lost[-1])
            continue
        if judged.status == "failed":
            verdict |= _without(member.segment, judged.reason)
        parts[member.segment] = read
    told = {name: read["animal_figures"] for name, read in parts.items()}
    animals = {name: frozenset(table["animal"]) for name, table in told.items() if len(table)}
    for name, stranger in strangers(animals).items():
        if stranger.discarded:
            del parts[str(name)], told[str(name)]
            verdict |= _without(str(name), stranger.reason)
        else:
            verdict |= tables.Verdict(stranger.status, f"segment {name}: {stranger.reason}")
    verdict |= _at_once(told)
    used = sum(len(table) > 0 for table in told.values())
    about = {USED: str(used), UNUSED: str(len(stage.segments) - used)}
    for name, (_, path) in outputs.items():
        table = tables.concatenate([read[name] for read in parts.values()], name)
        if name in KEYS and len(table):
            table = once(table, KEYS[name])
        tables.write(table, path, name, verdict, about)
    if lost:
        raise PartialError("; ".join(lost))


def _without(segment: str, reason: str) -> tables.Verdict:
    return tables.Verdict("repaired", f"without segment {segment} ({reason})")


def _at_once(told: Mapping[str, pd.DataFrame]) -> tables.Verdict:
    """Tell segments that were filmed at the same time, by their starts: hours count them all."""
    spans = []
    for name, table in told.items():
        rows = table[(table["period"] == "minute") & table["time"].notna()]
        if len(rows):
            ends = rows["time"] + pd.to_timedelta(rows["seconds"], unit="s")
            spans.append((rows["time"].min(), ends.max(), name))
    spans.sort()
    both = [
        f"{one} and {other}"
        for (_, until, one), (since, _, other) in pairwise(spans)
        if until - since > SLACK
    ]
    if not both:
        return tables.Verdict()
    return tables.Verdict(
        "repaired",
        f"segments that by their start were filmed at the same time ({some(both)}): hours count "
        "each of them; mend start in the sheet, unless the cage was filmed twice",
    )


def once(table: pd.DataFrame, key: Iterable[str]) -> pd.DataFrame:
    """Return a table of figures in which each period of the clock is there once.

    Segments that follow each other may each have a part of it. Times add up, and so do ways; means
    are over the time of both. What is off in one segment is not so in another, so that halves of
    intervals add up as errors do that have nothing to do with each other: by their squares.

    Parameters
    ----------
    table
        A table of figures of a cage; rows whose time is not known stay as they are.
    key
        What a row is of.
    """
    clocked = table["time"].notna().to_numpy()
    known = table[clocked].sort_values("time", kind="stable")
    begun = known["time"].copy()
    for period, seconds in SECONDS.items():
        own = (known["period"] == period).to_numpy()
        begun[own] = known.loc[own, "time"].dt.floor(f"{seconds}s")
    keys = ["cage", "period", "begun", *key]
    known = known.assign(begun=begun)
    if not known.duplicated(keys).any():
        return table
    groups = known.groupby(keys, sort=False)
    # All that is not counted is that of the part that came first.
    joined = groups.first().reset_index()
    number = groups.ngroup().to_numpy()
    for name, values in _combined(known, number, len(joined)).items():
        joined[name] = values
    rest = table[~clocked]
    order = ["cage", "period", "time", "segment", "start", *key]
    both = (
        pd.concat([joined[table.columns], rest], ignore_index=True)
        if len(rest)
        else (joined[table.columns])
    )
    return both.sort_values(order, kind="stable", ignore_index=True)


def _combined(table: pd.DataFrame, number: np.ndarray, count: int) -> dict[str, np.ndarray]:
    """Return the columns of numbers, of rows that are put together by their number."""

    def added(values: np.ndarray) -> np.ndarray:
        return np.bincount(number, values, count)

    seconds = table["seconds"].to_numpy(dtype=np.float64)
    weights = {_OF_ALL: seconds}
    if "seen" in table:
        weights[_OF_SEEN] = seconds * table["seen"].to_numpy()
        weights[_OF_KNOWN] = seconds * (1 - table["unknown"].to_numpy())
    else:
        weights[_OF_KNOWN] = seconds * table["known"].to_numpy()
    total = added(seconds)
    result = {"seconds": total}
    for name in table.columns:
        if name in _STATES:
            result[name] = added(table[name].to_numpy() * seconds) / total
        elif f"{name}_low" in table:
            value, low, high = (
                table[f"{name}{end}"].to_numpy(dtype=np.float64) for end in ("", "_low", "_high")
            )
            weight = weights[_WEIGHTS.get(name, _OF_KNOWN)]
            weight = np.where(np.isnan(value), 0.0, 1.0 if name in _TOTALS else weight)
            whole = added(weight)
            over = np.ones(count) if name in _TOTALS else whole
            filled = np.nan_to_num(np.stack([value, value - low, high - value])) * weight
            middle, below, above = (
                np.divide(part, over, out=np.full(count, np.nan), where=whole > 0)
                for part in (
                    added(filled[0]), np.sqrt(added(filled[1] ** 2)), np.sqrt(added(filled[2] ** 2))
                )
            )  # fmt: skip
            result |= {name: middle, f"{name}_low": middle - below, f"{name}_high": middle + above}
    return result
