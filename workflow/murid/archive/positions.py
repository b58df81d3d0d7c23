"""Antenna readings: which antenna each animal was over at each frame.

Read from CSV, Parquet and pickled frames, long (``frame, animal, antenna``) or wide (``frame``,
then a column an animal, as in a TIDe release). An empty cell or 0 is no reading.
"""

from collections.abc import Sequence
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from murid import tables
from murid.archive import columns
from murid.archive.columns import Columns, Judged
from murid.errors import InputError, brief
from murid.sheet import ANIMAL, MOST_ANIMALS, is_animal
from murid.tables import Verdict

LONG = ("frame", "animal", "antenna", "filled")
"""Columns of a file with a row a frame and animal."""


def read(path: str | Path, animals: Sequence[str] = (), antennas: int | None = None) -> Judged:
    """Read antenna readings as they are found, in or out of the grid.

    Parameters
    ----------
    path
        The file.
    animals
        Names of the animals, if known. In a wide file, other columns then are none, unless they
        hold antennas as an animal's do.
    antennas
        Number of antennas, if known.

    Returns
    -------
    Columns of the table ``positions``, sorted by frame, animals in the order of the file; antenna
    ``Int64`` of any value, null = no reading. And ``repaired`` if columns were left out, naming
    them: those of a wide file that hold no antennas, those of a long one that are not known.

    Raises
    ------
    InputError
        If the file is missing, damaged or of another kind, a value is no whole number, an animal
        has no usable name, a column could be an animal or none, or a frame appears twice; naming
        the row.
    """
    source = columns.read(path, LONG)
    if {"x", "y", "w", "h"} <= set(source.names):
        raise InputError(path, "a table of boxes", "antenna readings")
    source.require(["frame"], "positions: frame, animal, antenna, or frame and a column an animal")
    if {"animal", "antenna"} <= set(source.names):
        readings, verdict = _long(source), source.passed_over(LONG)
    else:
        chosen, verdict = _animals(source, animals, antennas)
        readings = _wide(source, chosen)
    for animal in readings["animal"].unique():
        if not is_animal(animal):
            raise InputError(path, f"an animal called {brief(animal)!r}", ANIMAL)
    _refuse_spellings(path, readings["animal"], animals)
    readings.attrs["file"] = Path(path).name
    return Judged(readings, source.verdict | verdict)


def read_table(path: Path) -> Judged:
    """Read antenna readings as the table ``positions``; see :func:`read` and :func:`as_table`."""
    readings, verdict = read(path)
    return Judged(as_table(readings, path), verdict)


def as_table(readings: pd.DataFrame, source: object = "positions") -> pd.DataFrame:
    """Return readings as the table ``positions``; numbers below 1 are no readings.

    Raises
    ------
    InputError
        If an antenna's number is too large to be one.
    """
    antenna = readings["antenna"]
    return tables.conform(readings.assign(antenna=antenna.mask(antenna < 1)), "positions", source)


def _refuse_spellings(path: str | Path, rows: pd.Series, animals: Sequence[str]) -> None:
    """Refuse animals whose names differ in capitals only, unless they are known to be two."""
    counts = rows.value_counts(sort=False)
    alike: dict[str, list[str]] = {}
    for name in counts.index:
        alike.setdefault(name.lower(), []).append(name)
    # Of a file there may be names by the ten thousand, which cannot all be compared.
    for name, other in chain.from_iterable(combinations(names, 2) for names in alike.values()):
        if not {name, other} <= set(animals):
            found = f"the animals {name} ({counts[name]:,} rows) and {other} ({counts[other]:,})"
            raise InputError(
                path, f"{found}, which differ in capitals only", "one spelling of each animal",
                remedy="Write the name alike in all rows; if they are two, name both in the "
                "sheet's column animals.",
            )  # fmt: skip


def _long(source: Columns) -> pd.DataFrame:
    readings = pd.DataFrame({"frame": source.frames()})
    readings["animal"] = source.texts("animal").to_numpy(dtype=object)
    readings["antenna"] = _antennas(source, "antenna")
    readings["filled"] = source.flags("filled") if "filled" in source.names else False
    source.refuse(
        readings.duplicated(["frame", "animal"]).to_numpy(), "frame", "each once",
        lambda row: f"frame {readings['frame'][row]} of {readings['animal'][row]} a second time",
    )  # fmt: skip
    order = {animal: rank for rank, animal in enumerate(readings["animal"].unique())}
    ranks = readings["animal"].map(order)
    return readings.iloc[np.lexsort((ranks, readings["frame"]))].reset_index(drop=True)


def _animals(
    source: Columns, animals: Sequence[str], antennas: int | None
) -> tuple[list[str], Verdict]:
    """Return the columns that hold an animal's antennas, and what is to be said of the others.

    A file may have columns of other things: light, a flag, a temperature.
    """
    names = [name for name in source.names if name != "frame"]
    if not names:
        raise InputError(source.path, "no column but frame", "a column an animal")
    held = {name: _held(source, name, antennas) for name in names if name not in animals}
    # A column on one antenna throughout may be of an animal that the sheet forgot.
    no_animal = (_STRANGE, _FLAG, _ONE) if animals else (_STRANGE,)
    strange = [name for name, (_, kind) in held.items() if kind in no_animal]
    verdict = Verdict()
    if len(strange) == len(names):
        return names, verdict
    for name in strange:
        reason = f"column {name} left out: it holds {held[name][0]}, and so no antennas"
        verdict |= Verdict("repaired", reason)
    left = [name for name in names if name not in strange]
    if len(left) > MOST_ANIMALS:
        return left, verdict  # refused for that: each need not be compared with all others
    for name in left:
        what, kind = held.get(name, ("", ""))
        if kind == _FLAG and len(left) > 1:
            raise InputError(
                source.path, f"{what} only", "antennas of an animal, or no such column",
                where=f"column {name}", remedy=_NAME_THEM,
            )  # fmt: skip
        resting = kind == _STILL and not animals and _others_move(source, left, name)
        if resting or (kind == _ONE and len(left) > 1):
            reason = f"column {name} holds {what} only, and was taken for an animal on that antenna"
            verdict |= Verdict("repaired", f"{reason}. {_NAME_THEM}")
    return left, verdict


_STRANGE, _FLAG, _ONE, _STILL = "strange", "flag", "one", "still"
_NAME_THEM = "If it is none, name the animals in the sheet's column animals"
_TELLING = 250
"""Rows of which a column of one number, or of 0 and 1, is remarkable."""
_MOVING = 3
"""Changes of the other columns, by their median, beside which one without any is remarkable."""


def _held(source: Columns, name: str, antennas: int | None) -> tuple[str, str]:
    """Tell what a column holds if it is not plainly an animal's antennas, and how likely that is.

    Returns
    -------
    What it holds; and ``strange`` if that cannot be antennas, ``flag`` or ``one`` if it can, but
    looks like something else, ``still`` if it is an animal's only if that rests throughout; both ""
    if it looks like antennas, or holds nothing: an animal without readings must be told as such.
    """
    cells = source.frame[name]
    if pd.api.types.is_bool_dtype(cells.dtype):
        return "truth values", _STRANGE
    texts = source.texts(name)
    values = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64)
    filled = ~texts.str.lower().isin(columns.EMPTY).to_numpy()
    wrong = filled & ~((values == np.floor(values)) & (np.abs(values) < 2**31))
    if 2 * wrong.sum() > filled.sum():
        return f"{texts.iloc[int(np.flatnonzero(wrong)[0])]!r} and the like", _STRANGE
    numbers = np.unique(values[filled & ~wrong])
    readings = numbers[numbers != 0]
    if antennas is not None and len(readings) and (readings > antennas).all():
        return f"numbers from {readings.min():.0f} to {readings.max():.0f}", _STRANGE
    if len(readings) != 1 or not filled.all() or len(values) < _TELLING:
        return "", ""
    if readings[0] == 1:
        return ("0 and 1", _FLAG) if len(numbers) == 2 else ("1", _ONE)
    return (f"{numbers[0]:.0f}", _STILL) if len(numbers) == 1 else ("", "")


def _others_move(source: Columns, names: Sequence[str], name: str) -> bool:
    """Tell whether the other columns of antennas change, where one does not."""
    others = [source.texts(other).to_numpy(dtype=str) for other in names if other != name]
    changes = [np.count_nonzero(cells[1:] != cells[:-1]) for cells in others]
    return bool(changes) and float(np.median(changes)) >= _MOVING


def _wide(source: Columns, animals: list[str]) -> pd.DataFrame:
    frames = source.frames()
    source.refuse(
        pd.Series(frames).duplicated().to_numpy(), "frame", "each once",
        lambda row: f"frame {frames[row]} a second time",
    )  # fmt: skip
    order = np.argsort(frames, kind="stable")
    columns_of = {place: _antennas(source, name) for place, name in enumerate(animals)}
    antennas = pd.DataFrame(columns_of).iloc[order].to_numpy(dtype=np.float64, na_value=np.nan)
    return as_rows(frames[order], animals, antennas, np.zeros(antennas.shape, dtype=bool))


def as_rows(
    frames: NDArray[np.int64],
    animals: Sequence[str],
    antennas: NDArray[np.float64],
    filled: NDArray[np.bool_],
) -> pd.DataFrame:
    """Return readings with a row a frame and animal.

    Parameters
    ----------
    frames
        Numbers of the frames, (frames,).
    animals
        Names.
    antennas, filled
        (frames, animals); NaN = no reading.
    """
    return pd.DataFrame(
        {
            "frame": np.repeat(frames, len(animals)),
            "animal": np.tile(np.array(animals, dtype=object), len(frames)),
            "antenna": pd.array(antennas.ravel(), dtype="Int64"),
            "filled": filled.ravel(),
        }
    )


def _antennas(source: Columns, column: str) -> pd.Series:
    antennas = source.integers(column, required=False)
    return antennas.mask(antennas == 0)
