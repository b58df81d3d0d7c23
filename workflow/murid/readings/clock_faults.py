"""Clocks of logs that stand still, jump away, or go back, told by the order of a log's rows.

What is left out, and what refuses a log, in this order:

- reads at one time, far more than at any other, of which most are of the same tag and antenna:
  the clock stood. They are left out, and so is what follows unless the clock caught up, since how
  late it then runs is not known;
- reads half a year or more from the rows beside them, of fewer rows than the others: left out;
- reads from where a clock jumped ahead to where it came back by as much: left out;
- times that come twice, for the same tags and antennas: the clock went back. Nothing tells whether
  what is before or after is wrong, and the log is refused.

Steps of less than :data:`LATE` are left to the boxes, which put such clocks right.

Rows that are only written out of order, antenna by antenna, in files that were joined, or sent
twice, are no fault of a clock. Nor is one told that jumps ahead by less and stays there: that looks
like a pause.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from murid.errors import InputError
from murid.readings.reads import MOST_ANTENNAS

SECOND = 1_000_000
LATE = 120 * SECOND
"""Microseconds by which rows may be behind others: several readers share a log, and boxes put right
a clock that is off by so much (:mod:`murid.clocks`)."""
ALIKE = 60 * SECOND
"""Microseconds by which a clock may jump by more than it comes back: reads have pauses."""
FAR = 183 * 86_400 * SECOND
"""Microseconds between two rows for which no log pauses."""
AT_ONCE, UNUSUAL = 100, 20
"""Reads at one time, for each second that times are apart at least, and so many times what all but
a twentieth of the times have, from which a clock stands."""
RESOLUTIONS = (86_400, 3_600, 60)
"""Seconds of which all times of a log may be multiples."""
FEWEST = 20
"""Rows that are behind others before it is the clock: a reader may be late with some."""
DISORDER = 0.1
"""Share of the rows between two steps back that may be behind others, above which rows are in no
order by which a clock could be told."""
MOST_STEPS = 100
"""Times that rows step back, from which they are in no order at all."""

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Rows:
    """The rows of a log, in the order of the file.

    Attributes
    ----------
    file, unit
        Its name, and what a row is called.
    times
        (n,) microseconds since 1970 in UTC.
    what
        (n,) a number for each tag at an antenna.
    lines
        (n,) numbers of the rows, from 1.
    """

    file: str
    unit: str
    times: Ints
    what: Ints
    lines: NDArray[np.uint32]

    def only(self, which: Truths) -> "Rows":
        """Return some of them."""
        if which.all():
            return self
        return Rows(self.file, self.unit, self.times[which], self.what[which], self.lines[which])

    def at(self, row: int) -> str:
        """Say when and where a row is."""
        return f"{_written(self.times[row])} UTC in {self.unit} {self.lines[row]:,}"


@dataclass
class Found:
    """What is wrong with a clock.

    Attributes
    ----------
    keep
        (n,) rows that stay.
    faults
        In words, with the rows that are left out.
    """

    keep: Truths
    faults: list[str] = field(default_factory=list)

    def leave_out(self, which: Truths, fault: str) -> None:
        """Leave out rows, of those that stay."""
        count = int(which.sum())
        self.faults.append(f"{fault}; {count:,} reads are left out")
        places = np.flatnonzero(self.keep)
        self.keep[places[which]] = False


def pairs(tags: NDArray[np.integer], antennas: NDArray[np.integer]) -> Ints:
    """Return a number for each tag at an antenna, (n,), of the numbers of both."""
    return tags.astype(np.int64) * MOST_ANTENNAS + antennas


def find(path: Path, rows: Rows) -> Found:
    """Find what is wrong with the clock of a log.

    Raises
    ------
    InputError
        If its clock stood all the time, or went back so far that nothing tells what is right.
    """
    found = Found(np.ones(len(rows.times), dtype=bool))
    _leave_out_still(path, rows, found)
    _leave_out_far(rows.only(found.keep), found)
    _leave_out_ahead(path, rows.only(found.keep), found)
    return found


def _leave_out_still(path: Path, rows: Rows, found: Found) -> None:
    """Leave out reads at a time at which the clock stood, and those after which it is late."""
    times = rows.times
    if len(times) < AT_ONCE:
        return
    starts = np.flatnonzero(np.r_[True, times[1:] != times[:-1]])
    counts = np.diff(np.r_[starts, len(times)])
    if len(starts) == 1:
        raise InputError(
            path, f"all {len(times):,} reads at one time, {rows.at(0)}", "a clock that goes",
            remedy="Its clock stood still: nothing tells when the reads were.",
        )  # fmt: skip
    usual = float(np.percentile(counts, 95, method="lower"))
    whole = next((step for step in RESOLUTIONS if not (times % (step * SECOND)).any()), 1)
    for place in np.flatnonzero(counts > max(AT_ONCE * whole, UNUSUAL * usual)):
        start, count = int(starts[place]), int(counts[place])
        end = start + count
        if len(np.unique(rows.what[start:end])) > count / 2:
            continue
        which = np.zeros(len(times), dtype=bool)
        which[start:end] = True
        fault = (
            f"its clock stood still: {count:,} rows from {rows.unit} {rows.lines[start]:,} on have "
            f"the time {_written(times[start])} UTC"
        )
        late = end < len(times) and not _caught_up(times, start, end)
        if late:
            which[end:] = True
            fault += f", and those from {rows.unit} {rows.lines[end]:,} on are late by as long"
        found.leave_out(which[found.keep], fault)
        if late:
            return


def _caught_up(times: Ints, start: int, end: int) -> bool:
    """Tell whether a clock that stood for some rows has gone on by about as long as that took."""
    before, after = times[:start], times[end:]
    rates = [
        (part[-1] - part[0]) / (len(part) - 1)
        for part in (before, after)
        if len(part) >= FEWEST and part[-1] > part[0]
    ]
    if not rates:
        return False
    return bool(times[end] - times[start] >= (end - start) * min(rates) / 2)


def _leave_out_far(rows: Rows, found: Found) -> None:
    """Leave out reads that are far from most others of the file."""
    times = rows.times
    breaks = np.flatnonzero(np.abs(np.diff(times)) > FAR) + 1
    if not len(breaks):
        return
    ends = [0, *breaks.tolist(), len(times)]
    most = int(np.argmax(np.diff(ends)))
    main = times[ends[most] : ends[most + 1]]
    far = (times < main.min() - FAR) | (times > main.max() + FAR)
    if not far.any():
        return
    first = int(np.argmax(far))
    beside = rows.at(first - 1) if first else f"{_written(main[0])} UTC, which most have"
    low, high = times[far].min(), times[far].max()
    found.leave_out(
        far,
        f"its clock jumped: {rows.at(first)} after {beside}, and times from {_written(low)} to "
        f"{_written(high)} UTC are far from most others",
    )


def _leave_out_ahead(path: Path, rows: Rows, found: Found) -> None:
    """Leave out reads that are ahead of what follows; refuse a clock that went back otherwise."""
    times = rows.times
    ahead = np.zeros(len(times), dtype=bool)
    start = 0
    for _ in range(MOST_STEPS):
        step = _step_back(times, start)
        if step is None:
            break
        end = _step_back(times, step) or len(times)
        disorder = max(_behind(times[a:b]).mean() for a, b in ((start, step), (step, end)))
        jump = _jump(times, start, step)
        if disorder <= DISORDER and jump is not None:
            which = np.zeros(len(times), dtype=bool)
            which[jump:step] = True
            found.faults.append(
                f"its clock was ahead: it jumped to {rows.at(jump)} after {rows.at(jump - 1)}, and "
                f"back to {rows.at(step)}; {step - jump:,} reads are left out"
            )
            ahead |= which
        elif disorder <= DISORDER:
            _refuse_twice(path, rows, step, end)
        start = step
    found.keep[np.flatnonzero(found.keep)[ahead]] = False


def _behind(times: Ints) -> Truths:
    """Tell which rows are behind one before them."""
    return np.maximum.accumulate(times) - times > LATE


def _step_back(times: Ints, start: int) -> int | None:
    """Return the first row from which many are behind those from ``start`` on; None if none is."""
    edges = np.flatnonzero(np.diff(np.r_[False, _behind(times[start:]), False]))
    begins, ends = edges[::2], edges[1::2]
    long = np.flatnonzero(ends - begins >= FEWEST)
    return start + int(begins[long[0]]) if len(long) else None


def _jump(times: Ints, start: int, step: int) -> int | None:
    """Return the last row at which a clock jumped by as much as it comes back at ``step``."""
    back = times[start:step].max() - times[step]
    jumps = np.diff(times[start:step])
    alike = np.flatnonzero((jumps > LATE) & (np.abs(jumps - back) <= ALIKE))
    return start + int(alike[-1]) + 1 if len(alike) else None


def _refuse_twice(path: Path, rows: Rows, step: int, end: int) -> None:
    """Refuse a log whose rows come to times a second time, with the same tags and antennas."""
    times = rows.times
    later = times[step:end]
    low, high = times[step], min(int(later.max()), int(times[:step].max()))
    before = np.flatnonzero((times[:step] >= low) & (times[:step] <= high))
    after = step + np.flatnonzero((later >= low) & (later <= high))
    if np.isin(rows.what[after], rows.what[before]).sum() < FEWEST:
        return  # written antenna by antenna or tag by tag, or files in another order
    of_before = {*zip(times[before].tolist(), rows.what[before].tolist(), strict=True)}
    sent = zip(times[after].tolist(), rows.what[after].tolist(), strict=True)
    if 2 * sum(each in of_before for each in sent) >= len(after):
        return  # sent twice
    latest = _written(times[:step].max())
    raise InputError(
        path, f"that its clock went back: {rows.at(step)} after {latest} UTC, so that times come "
        f"twice, with {len(after):,} reads of the same tags", "a clock that goes on",
        remedy="It does not tell which part has the right times: cut the file there, and name the "
        "part that has (or see to readings.zone, if that is when summer time ended).",
    )  # fmt: skip


def _written(moment: int | np.integer) -> str:
    return np.datetime_as_string(np.datetime64(int(moment), "us"), unit="s").replace("T", " ")
