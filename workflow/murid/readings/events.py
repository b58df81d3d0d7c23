"""What is done to the reads of every log alike: clocks into UTC, in order, each read once."""

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid.archive.columns import Judged
from murid.errors import InputError
from murid.readings import clock_faults, lasting, local_time
from murid.readings.reads import MOST_ANTENNAS
from murid.readings.tally import Tally
from murid.tables import Verdict

LATE = np.timedelta64(60, "s")
"""How late a read may be written, from its end, without a word: several readers share a log."""
_NEVER = "in an hour that the clock skips: does it keep one offset all the year?"
_UNSURE = "in an hour that comes twice, whose order does not tell in which"
_TWICE = "saying again what was said"


def in_utc(reads: Judged, path: Path, zone: str, unit: str = "line") -> Judged:
    """Return the reads of a log as the table that all stages know.

    Parameters
    ----------
    reads
        Columns ``time`` (datetime64[us]: local, or in UTC if it says so), ``tag``, ``antenna``,
        ``duration`` (s), ``line``, and ``end`` if the log tells ends rather than durations (as
        ``time``); in the order of the file.
    path
        The log.
    zone
        IANA name of the zone of local times.
    unit
        What a row of the log is called.

    Returns
    -------
    Columns ``time`` (datetime64[us, UTC]), ``tag`` and ``antenna`` (categorical), ``duration``
    (float32), sorted by time, at the same time in the order of the file; each time, tag and antenna
    once. Left out and counted are local times that never were, or that cannot be told from the same
    an hour later, reads that are there twice, and those at which the clock failed
    (:mod:`murid.readings.clock_faults`), which ``attrs`` tell, too.

    Raises
    ------
    InputError
        If there is no such zone, no read is left of some, not one ends after it starts, or the
        clock went back too far.
    """
    frame, verdict = reads
    rows = {name: frame[name] for name in frame}
    local = frame["time"].dt.tz is None
    some = len(frame) > 0
    del reads, frame  # of millions of reads, what is not needed any more is not kept
    tally = Tally(path.name, unit)
    rows["time"], told = _times_in_utc(rows, path, zone, tally)
    verdict |= told
    rows = _taken(rows, rows["time"].notna().to_numpy())
    verdict |= _last(rows, path, zone if local else None, unit)
    failed = clock_faults.find(path, _in_order(rows, path, unit))
    rows = _taken(rows, failed.keep)
    clock = "; ".join(failed.faults)
    if clock:
        verdict |= Verdict("repaired", f"{path.name}: {clock}")
    verdict |= _late(rows, tally)
    if not rows["time"].is_monotonic_increasing:
        rows = _taken(rows, np.argsort(rows["time"].to_numpy(), kind="stable"))
    again = _again(rows)
    if (rows["time"].to_numpy()[again].astype(np.int64) % 1_000_000).any():
        # Clocks that tell whole seconds give two reads the same one, which is no fault.
        tally.add(_TWICE, rows["line"].to_numpy()[again])
    rows = _taken(rows, ~again)
    if some and not len(rows["time"]):
        raise InputError(
            path, f"no read that is left ({tally.verdict().reason})", "reads at times that were",
            remedy="Is it the zone of its clock?",
        )  # fmt: skip
    table = {
        "time": rows.pop("time").dt.tz_localize("UTC"),
        "tag": _in_use(rows["tag"]),
        "antenna": _in_use(rows["antenna"]),
        "duration": rows["duration"],
    }
    made = pd.DataFrame(table, copy=False)
    made.attrs["clock"] = clock
    return Judged(made, verdict | tally.verdict())


def _in_order(rows: dict[str, pd.Series], path: Path, unit: str) -> clock_faults.Rows:
    """Return when and what each row is of, in the order of the file."""
    tags, antennas = (rows[name].cat.codes.to_numpy() for name in ("tag", "antenna"))
    times = rows["time"].to_numpy().astype("datetime64[us]", copy=False).view(np.int64)
    what = clock_faults.pairs(tags, antennas)
    return clock_faults.Rows(path.name, unit, times, what, rows["line"].to_numpy())


def _times_in_utc(
    rows: dict[str, pd.Series], path: Path, zone: str, tally: Tally
) -> tuple[pd.Series, Verdict]:
    """Return times in UTC, without saying so; NaT where a local time is none, or two."""
    times, lines = rows.pop("time"), rows["line"].to_numpy()
    if times.dt.tz is not None:
        return times.dt.tz_convert("UTC").dt.tz_localize(None), Verdict()
    ends = rows["end"].to_numpy() if "end" in rows else None
    found = _converted(times.to_numpy(), ends, path, zone)
    tally.add(_NEVER, lines[found.never])
    tally.add(_UNSURE, lines[found.unsure])
    return pd.Series(found.utc, copy=False), _supposed(found.supposed, path, zone)


def _last(rows: dict[str, pd.Series], path: Path, zone: str | None, unit: str) -> Verdict:
    """Put how long reads last in the place of their ends, and tell which cannot last so long."""
    lines, tally = rows["line"].to_numpy(), Tally(path.name, unit, lasting.WITHOUT_END)
    if "end" in rows:
        ends, begun = rows.pop("end").to_numpy(), rows["time"].to_numpy()
        rows["duration"] = pd.Series(lasting.until(ends, begun, zone, lines, tally), copy=False)
    long = lasting.judge_long(rows["duration"].to_numpy(), lines, path, unit)
    return tally.verdict() | long


def _taken(
    rows: dict[str, pd.Series], which: NDArray[np.bool_] | NDArray[np.intp]
) -> dict[str, pd.Series]:
    """Return some rows, column by column."""
    if which.dtype == bool and which.all():
        return rows
    return {name: rows.pop(name).iloc[which].reset_index(drop=True) for name in [*rows]}


def _in_use(names: pd.Series) -> pd.Series:
    """Return names with sorted categories, without those that no row has."""
    return names.cat.set_categories(sorted(names.cat.remove_unused_categories().cat.categories))


def _converted(
    local: NDArray[np.datetime64], ends: NDArray[np.datetime64] | None, path: Path, zone: str
) -> local_time.Converted:
    try:
        if ends is not None:
            return local_time.begun_in_utc(local, ends, zone)
        return local_time.to_utc(local, zone)
    except InputError as error:
        raise InputError(
            path, f"the zone {error.found}", error.expected, remedy=error.remedy
        ) from error


def _supposed(supposed: NDArray[np.bool_], path: Path, zone: str) -> Verdict:
    if not supposed.any():
        return Verdict()
    return Verdict(
        "repaired",
        f"{path.name}: {supposed.sum():,} reads are in the hour that comes twice in {zone}, where "
        "the clock is not seen to fall back: which one they are in is supposed, by what is before "
        "and after them",
    )


def _late(rows: dict[str, pd.Series], tally: Tally) -> Verdict:
    """Tell of reads that stand far behind later ones: a log has a read when it has ended."""
    utc = rows["time"].to_numpy()
    if not (utc[1:] < utc[:-1]).any():
        return Verdict()
    lasted = np.nan_to_num(rows["duration"].to_numpy()) * 1e6
    behind = np.maximum.accumulate(utc) - utc - lasted.astype("timedelta64[us]")
    late = behind > LATE
    if not late.any():
        return Verdict()
    seconds = behind.max() / np.timedelta64(1, "s")
    return Verdict(
        "repaired",
        f"{tally.file}: {late.sum():,} reads stand after later ones, by up to {seconds:,.0f} s "
        f"(the first is {tally.unit} {rows['line'].to_numpy()[np.argmax(late)]}); they are sorted",
    )


def _again(rows: dict[str, pd.Series]) -> NDArray[np.bool_]:
    """Tell which reads, sorted by time, are of the same time, tag and antenna as one before."""
    utc = rows["time"].to_numpy()
    again = np.zeros(len(utc), dtype=bool)
    same = utc[1:] == utc[:-1]
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    if len(tied):
        tags, antennas = (
            rows[name].cat.codes.to_numpy()[tied].astype(np.int64) for name in ("tag", "antenna")
        )
        keys = tags * MOST_ANTENNAS + antennas
        order = np.lexsort((keys, utc[tied]))
        times, keys = utc[tied][order], keys[order]
        twice = (times[1:] == times[:-1]) & (keys[1:] == keys[:-1])
        again[tied[order[1:][twice]]] = True
    return again
