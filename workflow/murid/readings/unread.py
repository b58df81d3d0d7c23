"""Why a segment has too few readings: since when its cage, or an animal of it, is not read."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import tables
from murid.readings import read_times, tags
from murid.readings.trace import SECOND
from murid.tables import Verdict

if TYPE_CHECKING:
    from murid.readings.segment import Wanted


def last_read(logs: Sequence[Path], worn: Sequence[str], wanted: "Wanted") -> str:
    """Say when some tags were read last before a segment, as far as its logs go."""
    first = wanted.moments[0]
    latest = None
    for path in logs:
        if not tables.read_verdict(path).discarded:
            before = tables.read(path, "readings", within=("time", read_times.moment(0), first))
            times = before.loc[before["tag"].isin(worn), "time"]
            latest = max(filter(None, (latest, times.max() if len(times) else None)), default=None)
    if latest is None:
        return "is not read in its logs either"
    offset = timedelta(seconds=wanted.settings.offset)
    return f"was read last at {read_times.written(latest + offset)} UTC"


def seldom(
    antennas: NDArray[np.int64],
    events: pd.DataFrame,
    owners: NDArray[np.int64],
    sorted_: tags.Sorted,
) -> Verdict:
    """Say when each animal is read last, of a segment in which all are read too seldom."""
    told = [
        f"{name} at {read_times.written(read_times.ends(events[owners == place]).max())} UTC "
        f"({(antennas[:, place] == 0).mean():.0%} of the frames without)"
        for place, name in enumerate(sorted_.animals)
        if (owners == place).any()
    ]
    return Verdict("repaired", f"last reads: {', '.join(told)}") if told else Verdict()


def since(logs: Sequence[Path], sorted_: tags.Sorted, wanted: "Wanted") -> str:
    """Say since when no animal of a cage is read, if that alone is why readings are too few."""
    reads, own, whose = _of_cage(logs, sorted_, wanted)
    first, last = wanted.moments
    later = reads["time"] > last
    until, again = read_times.ends(reads[own & ~later]).max(), reads.loc[own & later, "time"].min()
    if pd.isna(until):
        never = "at all" if pd.isna(again) else f"before {read_times.written(again)} UTC"
    else:
        gone = wanted.frames.astype("datetime64[us]") > until.tz_localize(None).to_datetime64()
        if gone.mean() <= wanted.settings.max_unread:
            return ""
        ends = read_times.written(until)
        never = f"after {ends} UTC"
        if not pd.isna(again):
            never = f"from {ends} to {read_times.written(again)} UTC"
    told = (
        f"cage {wanted.cage} is not read {never}; the segment is from {read_times.written(first)}"
    )
    told += f" to {read_times.written(last)} UTC"
    on = reads.loc[~own & later, "time"].max()
    return (
        told
        if pd.isna(on)
        else f"{told}, the log goes on until {read_times.written(on)} for {whose}"
    )


def _of_cage(
    logs: Sequence[Path], sorted_: tags.Sorted, wanted: "Wanted"
) -> tuple[pd.DataFrame, pd.Series, str]:
    """Return all reads of the logs, which are of a segment's cage, and of what the others are."""
    usable = [path for path in logs if not tables.read_verdict(path).discarded]
    reads = pd.concat([tables.read(path, "readings") for path in usable], ignore_index=True)
    reads["time"] += pd.Timedelta(round(wanted.settings.offset * SECOND), "us")
    if wanted.worn is None:
        known = [tag for worn in sorted_.animals.values() for tag in worn]
        return reads, reads["tag"].isin(known), "other tags"
    found, owners = tags.of_reads(
        reads["tag"].astype("category"), read_times.microseconds(reads), wanted.worn, wanted.cage,
        (reads["time"].min(), reads["time"].max()), wanted.settings.ghost_share,
    )  # fmt: skip
    whose = "other cages" if found.elsewhere else "other tags"
    return reads, pd.Series(owners >= 0, index=reads.index), whose
