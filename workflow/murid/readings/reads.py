"""The reads of a log, gathered block by block: what is no read is left out and counted."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from murid.animals import is_rounded
from murid.archive.columns import EMPTY, LONGEST, Judged
from murid.errors import InputError, brief
from murid.readings.antenna_table import antenna_name
from murid.readings.lasting import WITHOUT_END
from murid.readings.tally import Tally
from murid.readings.times import EARLIEST, LATEST, NONE, Times
from murid.tables import Verdict

MOST_READS = 20_000_000
"""Reads of a file, at most: four days of a busy grid, and what fits into memory."""
MOST_TAGS, MOST_ANTENNAS = 100_000, 10_000
"""Different ones of a file, at most: misread tags are some hundreds a day."""
_FIRST_SPACE = 1024
_IN = "\x1f"
"""Between a place and an antenna in it; no sound line has it."""
_TYPES = {
    "time": "datetime64[us]", "tag": "int32", "antenna": "int16", "duration": "float32",
    "line": "uint32", "end": "datetime64[us]",
}  # fmt: skip
_NO_TIME = "whose time is none"
_UNSET = f"whose time is before {EARLIEST.item():%Y} or from {LATEST.item():%Y} on"
"""Of a clock that lost its power, or was never set."""
_NO_END = f"whose end is no time, or before {EARLIEST.item():%Y} or from {LATEST.item():%Y} on"
_NEGATIVE = "whose duration is below 0: it ends before it starts"
_NO_NUMBER = "whose duration is no number"
_NO_TAG = "without a tag"
_NO_ANTENNA = "without an antenna"
_ODD = f"with a tag or antenna of more than {LONGEST} letters"


def in_place(place: pa.ChunkedArray, antennas: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the names of antennas that are numbered anew in each place, a cage or a matrix.

    :meth:`Reads.judged` leaves the place out of them if a file has one only.
    """
    return pc.binary_join_element_wise(place, antennas, _IN)


def _placed_name(text: str) -> str:
    place, within, antenna = text.rpartition(_IN)
    name = antenna_name(antenna)
    return f"{antenna_name(place)}{within}{name}" if name else ""


def tag_name(text: str) -> str:
    """Return a tag as it is written everywhere; "" for none.

    Raises
    ------
    ValueError
        If a spreadsheet has made a number of it, and dropped its last digits.
    """
    text = text.strip()
    if is_rounded(text):
        raise ValueError(text)
    return "" if text.lower() in EMPTY else text


class Names:
    """Names that occur in a file, each with a number: what stands in millions of rows is one byte.

    Parameters
    ----------
    canonical
        How a name is written; "" for none.
    most
        How many different ones there may be.
    """

    def __init__(self, canonical: Callable[[str], str], most: int) -> None:
        self.canonical, self.most = canonical, most
        self.numbers: dict[str, int] = {}

    def codes(self, texts: pa.ChunkedArray | pa.Array) -> NDArray[np.int32]:
        """Return the number of each name, -1 for none, -2 for one that is too long.

        Raises
        ------
        ValueError
            As ``canonical``.
        OverflowError
            If there are too many different ones.
        """
        encoded = texts.dictionary_encode()
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.unify_dictionaries().combine_chunks()
        found = np.array([self._code(name) for name in encoded.dictionary.to_pylist()], np.int32)
        if len(self.numbers) > self.most:
            raise OverflowError
        return found[encoded.indices.to_numpy()] if len(found) else np.empty(0, np.int32)

    def _code(self, text: str) -> int:
        name = self.canonical(text)
        if not name or len(name) > LONGEST:
            return -2 if name else -1
        return self.numbers.setdefault(name, len(self.numbers))


class Growing:
    """An array that grows, of which no part is in memory twice but while it does.

    Parameters
    ----------
    dtype
        Of its values.
    """

    def __init__(self, dtype: str) -> None:
        self.space = np.empty(_FIRST_SPACE, dtype)
        self.count = 0

    def add(self, values: NDArray) -> None:
        """Add values behind those that are there."""
        end = self.count + len(values)
        if end > len(self.space):
            wider = np.empty(max(end, 2 * len(self.space)), self.space.dtype)
            wider[: self.count] = self.filled
            self.space = wider
        self.space[self.count : end] = values
        self.count = end

    @property
    def filled(self) -> NDArray:
        """What was added."""
        return self.space[: self.count]


class Ends(NamedTuple):
    """Until when reads lasted."""

    times: Times
    written: pa.ChunkedArray
    """As the file has them."""


class Durations(NamedTuple):
    """How long reads lasted."""

    seconds: NDArray[np.float64]
    """NaN where the file has no number."""
    written: pa.ChunkedArray
    """As the file has them."""


class Reads:
    """The reads of a file.

    Parameters
    ----------
    path
        The file.
    expected
        What it should hold, for messages.
    unit
        What a row is called: a line of a text, or a row.
    """

    def __init__(self, path: Path, expected: str, unit: str = "line") -> None:
        self.path, self.expected = path, expected
        self.tally = Tally(path.name, unit)
        self.tags = Names(tag_name, MOST_TAGS)
        self.antennas = Names(_placed_name, MOST_ANTENNAS)
        self.columns = {name: Growing(dtype) for name, dtype in _TYPES.items() if name != "end"}
        self.endless = Tally(path.name, unit, WITHOUT_END)
        self.count = self.ended = self.lasted = 0
        self.zoned: bool | None = None
        self.notes: list[str] = []
        self.unset: list[np.datetime64] = []

    def add(
        self,
        times: Times,
        tags: pa.ChunkedArray | pa.Array,
        antennas: pa.ChunkedArray | pa.Array,
        numbers: NDArray[np.int64],
        durations: Durations | None = None,
        written: pa.ChunkedArray | pa.Array | None = None,
        ends: Ends | None = None,
    ) -> None:
        """Add reads; those without a time, a tag or an antenna are left out and counted.

        Parameters
        ----------
        times
            Of the reads.
        tags, antennas
            Text.
        numbers
            Of their rows, from 1.
        durations
            How long they lasted, if the log tells that; those below 0, or that are no number, are
            taken for none and counted.
        written
            Times as the file has them, of which the first that is none is told.
        ends
            Until when they lasted, if the log tells that rather than durations; those that are
            empty are not told unless all are.

        Raises
        ------
        InputError
            If a spreadsheet has spoilt the tags, there are too many reads, tags or antennas, or
            some times or ends tell their zone and others do not.
        """
        codes = (
            self._codes(self.tags, tags, "tags"),
            self._codes(self.antennas, antennas, "antennas"),
        )
        values = times.when
        keep = np.ones(len(numbers), dtype=bool)
        no_time = np.isnat(values)
        unset = ~no_time & ~((values >= EARLIEST) & (values < LATEST))
        if unset.any():
            self.unset += [values[unset].min(), values[unset].max()]
        for kind, wrong in (
            (_NO_TIME, no_time), (_UNSET, unset), (_NO_TAG, codes[0] == -1),
            (_NO_ANTENNA, codes[1] == -1), (_ODD, np.minimum(*codes) < -1),
        ):  # fmt: skip
            wrong &= keep
            example = None
            if kind in (_NO_TIME, _UNSET) and written is not None and wrong.any():
                example = written[int(np.argmax(wrong))].as_py()
            self.tally.add(kind, numbers[wrong], example)
            keep &= ~wrong
        self._check_zones(times.zoned[keep], numbers[keep], "a time")
        self.count += int(keep.sum())
        if self.count > MOST_READS:
            raise InputError(
                self.path, f"more than {MOST_READS:,} reads", f"{MOST_READS:,} at most",
                remedy="Split the log, by days for example.",
            )  # fmt: skip
        lasted = self._lasted(durations, numbers, keep)
        rows = {
            "time": values, "tag": codes[0], "antenna": codes[1], "duration": lasted,
            "line": numbers,
        }  # fmt: skip
        if ends is not None:
            self.columns.setdefault("end", Growing(_TYPES["end"]))
            rows["end"] = self._ended(ends, numbers, keep)
        for name, column in rows.items():
            self.columns[name].add(column if keep.all() else column[keep])

    def judged(self, *, headed: bool = True) -> Judged:
        """Return the reads, in the order of their rows, and what was left out.

        Parameters
        ----------
        headed
            Whether the file tells its format apart from its reads, so that it may have none.

        Raises
        ------
        InputError
            If there is not one read among rows that should be some, or not one end can be read.
        """
        if not self.count and (self.tally.total or not headed):
            faults, remedy = self.tally.verdict().reason, "Is it of this system, and whole?"
            if self.unset:
                first, last = (f"{end.item():%Y-%m-%d %H:%M:%S}" for end in _ends(self.unset))
                faults += f", times from {first} to {last}"
                remedy = (
                    "Its clock was not set: write its times anew, all later or earlier by as much "
                    "as it was off."
                )
            raise InputError(
                self.path, f"not one read ({faults or 'no rows'})", self.expected, remedy=remedy
            )
        self._judge_ends()
        self._judge_durations()
        columns = {name: column.filled for name, column in self.columns.items()}
        antennas = _without_only_place([*self.antennas.numbers])
        found = {
            "time": columns["time"],
            "tag": _of_names(columns["tag"], [*self.tags.numbers]),
            "antenna": _of_names(columns["antenna"], antennas),
            "duration": columns["duration"],
            "line": columns["line"],
        }
        found |= {name: columns[name] for name in ("end",) if name in columns}
        self.columns = {}
        frame = pd.DataFrame(found, copy=False)
        if self.zoned:
            frame["time"] = frame["time"].dt.tz_localize("UTC")
        verdict = self.tally.verdict() | self.endless.verdict()
        for note in self.notes:
            verdict |= Verdict("repaired", f"{self.path.name}: {note}")
        return Judged(frame, verdict)

    def _codes(
        self, names: Names, texts: pa.ChunkedArray | pa.Array, what: str
    ) -> NDArray[np.int32]:
        try:
            return names.codes(texts)
        except OverflowError as error:
            raise InputError(
                self.path, f"more than {names.most:,} different {what}", self.expected,
                remedy=f"Is it the column of {what}?",
            ) from error  # fmt: skip
        except ValueError as error:
            raise InputError(
                self.path, f"the tag {brief(str(error))}, of which a spreadsheet has dropped the "
                "last digits", "tags with all their digits",
                remedy="Give the file that the system wrote.",
            ) from error  # fmt: skip

    def _lasted(
        self, durations: Durations | None, numbers: NDArray[np.int64], keep: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return durations, NaN where there is none; count those of reads that stay that are no."""
        if durations is None:
            return np.full(len(numbers), np.nan)
        values = durations.seconds
        negative = values < 0
        wrong = {_NEGATIVE: negative, _NO_NUMBER: np.isnan(values) & ~_empty(durations.written)}
        for kind, rows in wrong.items():
            rows &= keep
            example = durations.written[int(np.argmax(rows))].as_py() if rows.any() else None
            self.endless.add(kind, numbers[rows], example)
        self.lasted += int((keep & (values >= 0)).sum())
        return np.where(negative, np.nan, values)

    def _ended(
        self, ends: Ends, numbers: NDArray[np.int64], keep: NDArray[np.bool_]
    ) -> NDArray[np.datetime64]:
        """Return ends, NaT where there is none; count those of reads that stay that are no time."""
        values = ends.times.when
        sound = (values >= EARLIEST) & (values < LATEST)
        wrong = keep & ~sound & ~_empty(ends.written)
        example = ends.written[int(np.argmax(wrong))].as_py() if wrong.any() else None
        self.endless.add(_NO_END, numbers[wrong], example)
        there = keep & sound
        self._check_zones(ends.times.zoned[there], numbers[there], "an end")
        self.ended += int(there.sum())
        return np.where(sound, values, NONE)

    def _judge_ends(self) -> None:
        """Refuse ends of which none can be read, and tell if all are empty."""
        if "end" not in self.columns or self.ended or not self.count:
            return
        if self.endless.total:
            raise InputError(
                self.path,
                f"not one end that can be read (the first is {self.endless.first[_NO_END]})",
                self.expected, remedy="Let ends be written as the starts are.",
            )  # fmt: skip
        self.notes.append("all ends are empty: how long reads last is not known")

    def _judge_durations(self) -> None:
        """Refuse durations of which none can be."""
        found = [kind for kind in (_NEGATIVE, _NO_NUMBER) if kind in self.endless.counts]
        if found and not self.lasted:
            first = self.endless.first[found[0]]
            raise InputError(
                self.path, f"not one duration that can be (the first is {first})", self.expected,
                remedy="Is it the column of durations, in the unit that is expected?",
            )  # fmt: skip

    def _check_zones(self, zoned: NDArray[np.bool_], numbers: NDArray[np.int64], what: str) -> None:
        if not len(zoned):
            return
        if self.zoned is None:
            self.zoned = bool(zoned[0])
        other = zoned != self.zoned
        if other.any():
            kinds = "without a zone", "with a zone"
            raise InputError(
                self.path, f"{what} {kinds[not self.zoned]}",
                f"a time {kinds[self.zoned]}, as before",
                where=f"{self.tally.unit} {numbers[other][0]}",
                remedy="Let all times tell their zone, or none.",
            )  # fmt: skip


def _empty(texts: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Tell which cells hold nothing."""
    small = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    return pc.is_in(small, pa.array([*EMPTY])).to_numpy(zero_copy_only=False).astype(bool)


def _ends(times: Sequence[np.datetime64]) -> tuple[np.datetime64, np.datetime64]:
    return min(times), max(times)


def _of_names(codes: NDArray[np.integer], names: list[str]) -> pd.Categorical:
    """Return names by their positions in a list, in which one may be twice."""
    kinds, place = np.unique(np.array(names, dtype=object), return_inverse=True)
    taken = place.astype(codes.dtype)[codes] if len(names) else codes
    return pd.Categorical.from_codes(taken, pd.Index(kinds, dtype="str"))


def _without_only_place(names: list[str]) -> list[str]:
    """Return names of antennas, with the place of each if there are several."""
    several = len({name.rpartition(_IN)[0] for name in names}) > 1
    return [name.replace(_IN, "_") if several else name.rpartition(_IN)[2] for name in names]
