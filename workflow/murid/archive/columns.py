"""The columns of a file, whatever its format, with rows that can be named in an error."""

import ast
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from murid import files, parquet, separated, spelling
from murid.archive.pickled_frames import read_frame
from murid.errors import InputError
from murid.small_tables import EMPTY as EMPTY
from murid.tables import Verdict, read_verdict

PICKLES = (".df", ".pkl", ".pickle", ".bz2", ".gz")
LONGEST = 255
"""Letters of a cell, at most; names of animals become names of files."""
MOST_CLASSES = 100
"""Different values of a column that may tell classes; more are names of images, or places."""
_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")


class Judged(NamedTuple):
    """What a file holds, and what is to be said of it, with what it says of itself."""

    table: pd.DataFrame
    verdict: Verdict


def refused(error: InputError) -> Verdict:
    """Return the verdict on a segment of which a file cannot be used."""
    return Verdict("discarded", " ".join(str(error).split()))


@dataclass(frozen=True)
class Columns:
    """Columns as found in a file."""

    path: Path
    frame: pd.DataFrame
    unit: str = "row"
    """What a row is called: a line of a text, else a row counted from 0."""
    first: int = 0
    """Number of the first row."""
    verdict: Verdict = field(default_factory=Verdict)
    """What the file carries, if it is a table already."""

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.frame.columns)

    def place(self, row: int, column: str) -> str:
        """Name a cell, given the row's position."""
        return f"{self.unit} {int(self.frame.index[row]) + self.first}, column {column}"

    def require(self, names: Sequence[str], what: str) -> None:
        """Refuse the file if a column is missing.

        Raises
        ------
        InputError
            Naming the first column that is missing and those that are there.
        """
        for name in names:
            if name not in self.names:
                found = f"the columns {', '.join(self.names) or '(none)'}"
                raise InputError(self.path, found, what, where=f"column {name}")

    def passed_over(self, wanted: Sequence[str]) -> Verdict:
        """Tell which columns are nearly known ones that are missing: ``repaired`` if any is."""
        free = [name for name in wanted if name not in self.names]
        listed = spelling.misspelt((name for name in self.names if name not in wanted), free)
        if not listed:
            return Verdict()
        return Verdict("repaired", f"{self.path.name}: {listed} not known, and passed over")

    def texts(self, column: str) -> pd.Series:
        """Return a column as text without spaces around it, "" where it is empty.

        Raises
        ------
        InputError
            If a cell is no text and cannot be written as such, or is longer than any name.
        """
        cells = self.frame[column]
        try:
            texts = cells.astype(object).where(cells.notna(), "").astype(str).str.strip()
            long = (texts.str.len() > LONGEST).to_numpy(dtype=bool)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(
                self.path, f"cells that are neither numbers nor text ({error})",
                "a number or a short text", where=f"column {column}",
            ) from error  # fmt: skip
        self.refuse(long, column, "a number or a short text")
        return texts

    def numbers(self, column: str) -> NDArray[np.float64]:
        """Return a column as numbers, NaN where it is empty.

        Raises
        ------
        InputError
            Naming the first cell that is no number; a truth value is none.
        """
        cells = self.frame[column]
        if pd.api.types.is_bool_dtype(cells.dtype):
            raise InputError(self.path, "truth values", "numbers", where=f"column {column}")
        if pd.api.types.is_numeric_dtype(cells.dtype):
            return cells.to_numpy(dtype=np.float64, na_value=np.nan)
        texts = self.texts(column)
        values = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64)
        wrong = np.isnan(values) & ~texts.str.lower().isin(EMPTY).to_numpy()
        self.refuse(wrong, column, "a number")
        return values

    def flags(self, column: str) -> NDArray[np.bool_]:
        """Return a column of truth values, false where it is empty.

        Raises
        ------
        InputError
            Naming the first cell that is no truth value.
        """
        texts = self.texts(column).str.lower()
        self.refuse(
            ~texts.isin([*spelling.YES, *spelling.NO, *EMPTY]).to_numpy(), column, "true or false"
        )
        return texts.isin(spelling.YES).to_numpy(dtype=bool)

    def integers(self, column: str, *, required: bool) -> pd.Series:
        """Return a column as ``Int64``, null where it is empty.

        Raises
        ------
        InputError
            Naming the first cell that is no whole number, or is empty where a value is required.
        """
        values = self.numbers(column)
        missing = np.isnan(values)
        if required:
            self.refuse(missing, column, "a whole number")
        values = np.where(missing, 0, values)
        self.refuse(
            (values != np.floor(values)) | (np.abs(values) >= 2**31), column, "a whole number"
        )
        return pd.Series(values.astype(np.int64), dtype="Int64").mask(missing)

    def frames(self) -> NDArray[np.int64]:
        """Return the column ``frame``.

        Raises
        ------
        InputError
            Naming the first cell that is no frame number from 0.
        """
        frames = self.integers("frame", required=True).to_numpy(dtype=np.int64)
        self.refuse(frames < 0, "frame", "a frame number from 0")
        return frames

    def choices(self, column: str, allowed: Sequence[str], default: str | None) -> pd.Series:
        """Return a column of words in small letters.

        Parameters
        ----------
        column
            Its name.
        allowed
            The words that may stand there, however they are written.
        default
            What an empty cell means; None: it may not be empty.

        Raises
        ------
        InputError
            Naming the first cell that holds another word.
        """
        texts = self.texts(column).str.lower()
        if default is not None:
            texts = texts.mask(texts.isin(EMPTY), default)
        wrong = ~texts.isin([*allowed, *[default] * (default is not None)])
        self.refuse(wrong.to_numpy(dtype=bool), column, f"one of {', '.join(allowed)}")
        return texts

    def refuse(
        self,
        wrong: NDArray[np.bool_],
        column: str,
        expected: str,
        found: Callable[[int], str] | None = None,
        remedy: str = "",
    ) -> None:
        """Refuse the file if a cell of a column is wrong.

        Parameters
        ----------
        wrong
            Shape (rows,).
        column, expected
            The column, and what should stand there.
        found
            Says what was found in a row; by default, what the cell holds.
        remedy
            What to do.

        Raises
        ------
        InputError
            Naming the first row that is wrong.
        """
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            cell = self.frame[column].iloc[row]
            what = "nothing" if pd.isna(cell) or cell == "" else repr(cell)
            where = self.place(row, column)
            what = found(row) if found else what
            raise InputError(self.path, what, expected, where=where, remedy=remedy)


def read(path: str | Path, wanted: Sequence[str]) -> Columns:
    """Read a CSV, Parquet or pickled pandas file, told by its suffix.

    Columns whose names differ from ``wanted`` ones by capitals only are renamed. A pickled frame's
    index becomes columns, an unnamed one the column ``frame``; where columns have levels, the last
    one names them (``Det.BB``, ``X``), without what stands before a dot (``Det.Score``).

    Raises
    ------
    InputError
        If the file is missing, damaged, or of another kind.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _read_csv(path, wanted)
    if suffix == ".parquet":
        frame = _renamed(path, _read_parquet(path), wanted)
        return Columns(path, frame, verdict=read_verdict(path))
    if suffix in PICKLES:
        return Columns(path, _renamed(path, _flat(path, read_frame(path)), wanted))
    raise InputError(
        path, f"the suffix {suffix!r}", "a file .csv, .parquet, .df or .pkl",
        remedy="The format is told by the suffix: rename the file.",
    )  # fmt: skip


def _read_csv(path: Path, wanted: Sequence[str]) -> Columns:
    expected = "CSV in UTF-8 with a header"
    text = io.StringIO(files.read_text(path, expected), newline="")
    reading = separated.rows(path, text, expected)
    _, names = next(reading)
    _refuse_many(path, len(names))
    lines, rows = [], []
    for line, cells in reading:
        separated.check_count(path, line, cells, names)
        lines.append(line)
        rows.append(cells)
    frame = pd.DataFrame(rows, lines, names, dtype=object)
    return Columns(path, _renamed(path, frame, wanted), unit="line")


def _read_parquet(path: Path) -> pd.DataFrame:
    table = parquet.read(parquet.bounded(path))
    try:
        frame = table.replace_schema_metadata(None).to_pandas()
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise InputError(path, f"cells of an odd kind ({error})", "numbers and text") from error
    frame.columns = [_as_levels(name) for name in frame.columns]
    # What pandas kept as an index is a column as others are, but for one that only counts.
    counted = _counted_index(table)
    if counted is not None and counted.name not in frame.columns:
        frame.insert(0, counted.name, np.asarray(counted))
    nameless = [name for name in frame.columns if _UNNAMED_INDEX.fullmatch(str(name))]
    return frame.drop(columns=nameless).set_axis(
        [_last_level(name) for name in frame.columns if name not in nameless], axis=1
    )


def _counted_index(table: pa.Table) -> pd.RangeIndex | None:
    """Return the named index that pandas did not store, since it only counts.

    What pandas says of a table may be damaged, too; then nothing is known of an index.
    """
    try:
        about = json.loads((table.schema.metadata or {}).get(b"pandas", b"{}"))
        (index,) = about["index_columns"]
        name, *ends = (index[key] for key in ("name", "start", "stop", "step"))
        if not isinstance(name, str) or not all(type(end) is int for end in ends):
            return None
        return pd.RangeIndex(*ends, name=name) if len(range(*ends)) == table.num_rows else None
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def _as_levels(name: str) -> object:
    """Return the levels of a column's name, which pandas writes as ``('Det.BB', 'X')``."""
    if not name.startswith("('"):
        return name
    try:
        levels = ast.literal_eval(name)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return name
    return levels if isinstance(levels, tuple) else name


def _flat(path: Path, frame: pd.DataFrame) -> pd.DataFrame:
    _refuse_many(path, frame.shape[1] + frame.index.nlevels)
    names = [_last_level(name) for name in frame.columns]
    index = [name if name is not None else "frame" for name in frame.index.names]
    keys = frame.index.to_frame(index=False, name=range(len(index))).set_axis(index, axis=1)
    taken = {name.lower() for name in names}
    kept = [place for place, name in enumerate(index) if str(name).lower() not in taken]
    return pd.concat(
        [keys.iloc[:, kept], frame.set_axis(names, axis=1).reset_index(drop=True)], axis=1
    )


def _refuse_many(path: Path, count: int) -> None:
    if count > files.MOST_COLUMNS:
        raise InputError(path, f"{count:,} columns", f"{files.MOST_COLUMNS:,} at most")


def _last_level(name: object) -> str:
    if not isinstance(name, tuple):
        return str(name)
    levels = [str(level) for level in name if level]
    return levels[-1].rpartition(".")[2] if levels else ""


def _renamed(path: Path, frame: pd.DataFrame, wanted: Sequence[str]) -> pd.DataFrame:
    names = [str(name).strip() for name in frame.columns]
    lower = [name.lower() for name in names]
    names = [low if low in wanted else name for low, name in zip(lower, names, strict=True)]
    counts = Counter(names)
    for name in names:
        if not name or counts[name] > 1:
            found = f"the column {name} twice" if name else "a column without a name"
            raise InputError(path, found, "columns with names of their own", where="the header")
    return frame.set_axis(names, axis=1)
