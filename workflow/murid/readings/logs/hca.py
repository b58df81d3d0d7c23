"""Files of the Home Cage Analyser: where each animal was, every 40 ms, by the antennas below it."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from murid import hdf5
from murid.archive.columns import Judged
from murid.errors import InputError
from murid.readings import times
from murid.readings.how import How
from murid.readings.log_format import LogFormat
from murid.readings.reads import MOST_READS, Reads

EXPECTED = "a file of the Home Cage Analyser: /subjects/TAG/antenna/ant1 with t and antenna"
_FILE = re.compile(r"(?P<study>[0-9]{13})_[0-9]{6}_.*@.*_(?P<offset>[0-9]{1,13})")
_NOBODY = "?"
_POSES = ("tracks", "df_with_missing", "poseest")
"""What is in files of poses that end alike: of SLEAP, DeepLabCut and JABS."""
_COLUMNS = ("t", "antenna")
_CLOCK = "data/0"
_APART = 1000.0
"""Milliseconds that the two times of a file's start may differ by, without a word."""
_MOST_SUBJECTS = 1000


def read(path: Path, how: How) -> Judged:
    """Read the antenna of each animal at each time.

    The file's name tells when it begins: the study's start and the ms since; without such a name,
    the first ``time`` of the table ``/data/0`` does, ms since 1970, beside which stands ``reading``
    (so scripts of those who have such files take it apart). The subject ``?`` is nobody, and
    antennas below 1 are none: neither is a fault.

    Raises
    ------
    InputError
        If it is no such file or is damaged, a column is missing, is not of numbers or longer than
        another, or nothing tells when the file begins.
    """
    reads = Reads(path, EXPECTED, "row")
    with hdf5.opened(path, EXPECTED) as file:
        if not file.has("subjects"):
            poses = next(filter(file.has, _POSES), None)
            raise InputError(
                path, f"no subjects, but /{poses}: tracks of another tool" if poses
                else "no subjects", EXPECTED, where="/subjects",
                remedy="Name it in the sheet's column tracklets (murid sheet --tracklets), not "
                "among its antenna logs." if poses else "",
            )  # fmt: skip
        start = _start(path, file, reads)
        subjects = file.names("subjects")
        if len(subjects) > _MOST_SUBJECTS:
            raise InputError(path, f"{len(subjects):,} subjects", f"{_MOST_SUBJECTS:,} at most")
        tags = [tag for tag in sorted(subjects) if tag != _NOBODY]
        parts = [_rows(path, file, tag) for tag in tags]
    counts = [len(part) for part in parts]
    if sum(counts) > MOST_READS:
        raise InputError(path, f"{sum(counts):,} rows", f"{MOST_READS:,} at most")
    joined = np.concatenate([*parts, np.empty((0, 3))])
    subject = np.repeat(np.arange(len(tags)), counts)
    order = np.argsort(joined[:, 0], kind="stable")
    milliseconds, antenna, number = joined[order].T
    when = times.since_1970(start + milliseconds)
    numbers, named = np.unique(antenna, return_inverse=True)
    reads.add(
        times.Times(when, np.ones(len(when), dtype=bool)),
        _of_names(subject[order], tags),
        _of_names(named, [f"{each:g}" for each in numbers]),
        number.astype(np.int64),
    )
    return reads.judged()


def _rows(path: Path, file: hdf5.Hdf5, tag: str) -> NDArray[np.float64]:
    """Return time (ms since the file's start), antenna and number of the rows with an antenna."""
    place = f"subjects/{tag}/antenna/ant1"
    if file.names(place):
        columns = {name: file.numbers(f"{place}/{name}", 1) for name in _COLUMNS}
    else:
        columns = file.columns(place, _COLUMNS)
    offset, antenna = (columns[name] for name in _COLUMNS)
    if len(offset) != len(antenna):
        raise InputError(
            path, f"{len(offset):,} times and {len(antenna):,} antennas", "as many of both",
            where=f"/{place}",
        )  # fmt: skip
    there = np.flatnonzero(antenna >= 1)
    return np.column_stack([offset[there], antenna[there], there + 1])


def _start(path: Path, file: hdf5.Hdf5, reads: Reads) -> float:
    """Return when a file begins, in ms since 1970."""
    named = _FILE.fullmatch(path.stem)
    by_name = float(named["study"]) + float(named["offset"]) if named else None
    clock = _clock(file)
    by_clock = float(clock[0]) if len(clock) else np.nan
    if by_name is None and np.isnan(by_clock):
        raise InputError(
            path, "no time at which it begins", "a name START_NUMBER_NAME@CAGE_OFFSET.hdf5, or "
            "times in /data/0", remedy="Give the file the name that the system gave it.",
        )  # fmt: skip
    if by_name is None:
        return by_clock
    if abs(by_clock - by_name) > _APART:
        reads.notes.append(
            f"its name tells a start that is {(by_name - by_clock) / 1000:,.1f} s after that in "
            f"/{_CLOCK}; the name's is taken"
        )
    return by_name


def _clock(file: hdf5.Hdf5) -> NDArray[np.float64]:
    """Return the times in ``/data/0``, ms since 1970: a column of a table, or an array."""
    if not file.has(_CLOCK):
        return np.empty(0)
    if file.array(_CLOCK).dtype.names is None:
        return file.numbers(_CLOCK, 1)
    return file.columns(_CLOCK, ("time",))["time"]


def _of_names(codes: NDArray[np.integer], names: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes.astype(np.int32), pa.array(names, pa.string()))


def _holds(path: Path) -> bool:
    return hdf5.is_hdf5(path, EXPECTED)


FORMAT = LogFormat(
    name="a file of the Home Cage Analyser (.hdf5)",
    words="for each animal, `/subjects/TAG/antenna/ant1` with `t` (ms since the file's start, "
    "which its name tells) and `antenna` (from 1, down the first column first; below 1: none), "
    "every 40 ms; a file an hour",
    suffixes=(".hdf5", ".h5"),
    read=read,
    holds=_holds,
    example="1489000000000_000123_study@cage7_0000003600000.hdf5\n"
    "/subjects/900215001234567/antenna/ant1: t, antenna, bx, by, distance, separation, "
    "temperature, transition",
    clock="UTC",
    hold=0.2,
    kind="presence",
    numbering="columns",
    unit="row",
)
