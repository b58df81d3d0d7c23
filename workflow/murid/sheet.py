"""The sample sheet: one row a segment. Read by every cluster job, so nothing slow is imported."""

import csv
import difflib
import hashlib
import io
import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, TypeAdapter, ValidationError

from murid.errors import InputError, SeveralErrors, brief
from murid.files import read_text, write_text
from murid.start_times import WRITTEN, is_time
from murid.video_part import Part

REQUIRED = ("cage", "segment")
COLUMNS = (
    "cage", "segment", "rig", "video", "first_frame", "last_frame", "detections", "tracklets",
    "positions", "readings", "frame_times", "annotations", "split", "fps", "start", "animals",
    "corrections",
)  # fmt: skip
SELDOM = ("first_frame", "last_frame", "readings", "frame_times", "corrections")
"""Columns that a sheet is written without where no segment has any."""
SPLITS = ("Train", "Validate", "Test", "")
LIST = ";"
"""What separates the antenna logs of a segment."""
NOTHINGS = ("NA", "NULL", "NaN", "None", "nan", "null")
"""What pandas and R read in a table as nothing, so that no name may be so."""
NAME = re.compile(rf"(?!(?:{'|'.join(NOTHINGS)})\Z)[A-Za-z0-9][A-Za-z0-9._-]{{0,99}}")
_STRANGE = re.compile(r"[^A-Za-z0-9._-]")
"""Letters that no name has."""
NAMED = (
    "at most 100 letters, digits, '.', '_' and '-', a letter or digit first, and none of "
    f"{', '.join(NOTHINGS)}, which tables are read with as nothing"
)
"""What :data:`NAME` matches, for messages."""
DEFAULT_RIG = "rig"
ALL = "all"
"""What the report calls all cages together."""
RESERVED = (
    "all", "nobody", "hidden", "outlier", "tunnel", "frame", "animal", "antenna", "filled",
)  # fmt: skip
"""What no animal may be called, in capitals or not: words of reports and of antenna traces."""
MOST_ANIMALS = 60
"""Animals in a cage, at most: there is a rank for so many boxes of a label in a frame."""
DEFAULT_FPS = 25.0
SLOWEST, FASTEST = 0.01, 1000.0
"""Frames per second that a segment may have: from time lapse to high-speed cameras."""
_WHOLE = re.compile(r"[0-9]{1,9}")
_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{0,20})?|\.[0-9]{1,20}")
MOST_BYTES = 2**26
"""Size of a sheet, at most: some 200,000 segments."""
MOST_LETTERS = 50_000
"""Letters in a line, at most: a path has at most 4,096, and the rest is short."""


def is_animal(name: str) -> bool:
    """Tell whether an animal may be called so.

    Examples
    --------
    >>> [is_animal(name) for name in ("R", "Nobody", "a/b")]
    [True, False, False]
    """
    return NAME.fullmatch(name) is not None and name.lower() not in RESERVED


ANIMAL = f"{NAMED}; nor {', '.join(RESERVED)}"
"""What :func:`is_animal` allows, for messages."""


def is_path(text: str) -> bool:
    """Tell whether a sheet may name such a path.

    Examples
    --------
    >>> [is_path(text) for text in ("a/b c.mp4", "v{1}.mp4", "a<b", "a\\tb")]
    [True, False, False, False]
    """
    return text.isprintable() and not set(text) & set("{}<>")


def allowed(test: Callable[[Any], object], expected: str) -> AfterValidator:
    """Return a validator that refuses what does not pass a test, and says what is expected."""

    def check(value: Any) -> Any:
        if not test(value):
            raise ValueError(expected)
        return value

    return AfterValidator(check)


def _rate(text: str) -> float:
    fps = float(text) if _DECIMAL.fullmatch(text) else -1.0
    if not SLOWEST <= fps <= FASTEST:
        raise ValueError(f"frames per second, {SLOWEST:g} to {FASTEST:g}, written as 12.5")
    return fps


def _frame(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError("the number of a frame of the video, from 0")
    return int(text)


def _separated_by(sign: str) -> BeforeValidator:
    return BeforeValidator(lambda cell: tuple(part.strip() for part in cell.split(sign)))


_Text = Annotated[str, allowed(str.isprintable, "no control characters")]
_Name = Annotated[_Text, allowed(NAME.fullmatch, NAMED)]
_Cage = Annotated[
    _Name,
    allowed(lambda name: name != ALL, "another name: the report calls all cages together so"),
]
_Part = Annotated[_Text, allowed(is_path, "a path without braces and angle brackets")]
_Frame = Annotated[int | None, BeforeValidator(_frame)]
_Split = Annotated[_Text, allowed(SPLITS.__contains__, "Train, Validate, Test or nothing")]
Animal = Annotated[_Text, allowed(is_animal, ANIMAL)]
_Animals = Annotated[
    tuple[Animal, ...],
    allowed(
        lambda names: len({name.lower() for name in names}) == len(names) <= MOST_ANIMALS,
        f"each once, in capitals or not, and at most {MOST_ANIMALS}",
    ),
    _separated_by(","),
]
_Parts = Annotated[
    tuple[Annotated[_Part, allowed(bool, "a path")], ...],
    allowed(lambda paths: len({*paths}) == len(paths), "each once"),
    _separated_by(LIST),
]
_REMEDIES = {
    **dict.fromkeys(("cage", "segment", "rig"), "Names become file names: give it another one."),
    "animals": "Names are separated by commas.",
    "readings": f"Paths are separated by {LIST!r}.",
}
"""What to do about a cell at fault, by its column."""


@dataclass(frozen=True)
class Segment:
    """One recording of one cage: where its parts lie, and how it is used.

    Paths are relative to the archive's folder; an empty one means that there is no such part.
    """

    cage: _Cage
    segment: _Name
    positions: _Part = ""
    rig: _Name = DEFAULT_RIG
    video: _Part = ""
    first_frame: _Frame = None
    last_frame: _Frame = None
    detections: _Part = ""
    tracklets: _Part = ""
    readings: _Parts = ()
    frame_times: _Part = ""
    annotations: _Part = ""
    split: _Split = ""
    fps: Annotated[float, BeforeValidator(_rate)] = DEFAULT_FPS
    start: _Text = ""
    animals: _Animals = ()
    corrections: _Part = ""
    fps_assumed: bool = field(default=False, compare=False)
    """Whether the sheet does not say ``fps``, so that it is :data:`DEFAULT_FPS`."""

    @property
    def part(self) -> Part:
        """Which part of its video it is."""
        return Part(self.first_frame or 0, self.last_frame)

    @property
    def positions_table(self) -> str:
        """Name of the table of positions that names rest on: logs are put right by boxes first."""
        return "positions.aligned" if self.readings else "positions"


_ROW = TypeAdapter(Segment)


def read_sheet(path: str | Path) -> dict[tuple[str, str], Segment]:
    """Read a sample sheet (tab-separated, UTF-8, with a header) into segments by (cage, segment).

    Blank lines and lines that begin with ``#`` are passed over.

    Raises
    ------
    SeveralErrors
        Naming every row that has more or fewer cells than the header, a column is unknown or
        missing, a name is not as :data:`NAME` (names become file names and wildcards), an animal's
        is reserved, a segment appears twice, a split is unknown, fps is no plain number from
        :data:`SLOWEST` to :data:`FASTEST`, neither a video nor detections nor tracklets are given,
        not one of positions and readings, readings without the times of frames, or a part of no
        video, or that ends before it begins.
    InputError
        If the file or its header cannot be read, or it is larger than any sheet.
    """
    path = Path(path)
    try:
        text = read_text(path, "a sample sheet, UTF-8", MOST_BYTES, empty=True)
    except InputError as error:
        if error.remedy:
            raise
        raise InputError(
            path, error.found, error.expected, where=error.where, remedy="See config/README.md."
        ) from error
    return parse(path, text)


def write_sheet(path: str | Path, segments: Iterable[Segment]) -> None:
    """Write segments as a sample sheet, under a temporary name, then rename.

    Raises
    ------
    InputError
        As :func:`read_sheet`, if a segment could not be read back as it is.
    """
    write_text(path, _checked(path, list(segments)))


def check_segment(segment: Segment) -> None:
    """Refuse a segment that no sheet can list.

    Raises
    ------
    InputError
        As :func:`write_sheet`.
    """
    _checked("a sample sheet", [segment])


def _checked(path: str | Path, segments: list[Segment]) -> str:
    """Return a sheet as text that was read back."""
    columns = [
        name
        for name in COLUMNS
        if name not in SELDOM
        or any(getattr(segment, name) not in (None, (), "") for segment in segments)
    ]
    text = lines_of([columns, *(cells_of(segment, columns) for segment in segments)], "\n")
    for segment, read in zip(segments, parse(path, text).values(), strict=True):
        if segment != read:
            raise InputError(
                path, f"{segment}, which would be read as {read}",
                "values without spaces around them", where=f"{segment.cage} {segment.segment}",
            )  # fmt: skip
    return text


def lines_of(rows: Iterable[Sequence[str]], end: str) -> str:
    """Return rows of cells as lines of a sheet, each with its end."""
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator=end).writerows(rows)
    return text.getvalue()


def cells_of(segment: Segment, columns: Iterable[str]) -> list[str]:
    """Return the cells of a segment's row; that of a rate which was assumed is empty."""
    cells = {name: getattr(segment, name) for name in columns}
    written = {
        "fps": "" if segment.fps_assumed else repr(float(segment.fps)).removesuffix(".0"),
        "animals": ",".join(segment.animals),
        "readings": LIST.join(segment.readings),
    }
    return [written.get(name, cell) for name, cell in cells.items()]


def parse(path: str | Path, text: str) -> dict[tuple[str, str], Segment]:
    """Return what the text of a sheet says, which is that of a file or is to be.

    Raises
    ------
    InputError
        As :func:`read_sheet`.
    """
    path = Path(path)
    rows = csv.reader(_lines(path, text), delimiter="\t", strict=True)
    header: list[str] = []
    segments: dict[tuple[str, str], Segment] = {}
    wrong: list[InputError] = []
    begun = 1
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            where, begun = f"line {begun}", rows.line_num + 1
            if not any(cells) or cells[0].startswith("#"):
                continue
            if not header:
                header = cells
                _check_header(path, header, where)
                continue
            try:
                segment = _row(path, where, header, cells, segments)
                segments[segment.cage, segment.segment] = segment
            except InputError as error:
                wrong += error.faults
    except csv.Error as error:
        found = f"quotes that do not fit ({error})"
        remedy = "Remove the quote, or close it."
        where = f"line {begun}"
        wrong.append(InputError(path, found, "cells without quotes", where=where, remedy=remedy))
    if wrong:
        raise SeveralErrors(wrong)
    if not header:
        _check_header(path, header, "line 1")
    if not segments:
        raise InputError(path, "no segments", "one line a segment below the header")
    return segments


def _row(
    path: Path, where: str, header: list[str], cells: list[str], above: Container[tuple[str, str]]
) -> Segment:
    """Return the segment of a row, which is none of those above it."""
    if len(cells) != len(header):
        raise InputError(
            path, f"{len(cells)} cells", f"{len(header)}, as the header", where=where,
            remedy="A row must have all its cells, empty ones too: this one may be cut "
            "short." if len(cells) < len(header) else "Remove what is too much.",
        )  # fmt: skip
    segment = _segment(path, where, dict(zip(header, cells, strict=True)))
    if (segment.cage, segment.segment) in above:
        raise InputError(
            path, f"cage {segment.cage} segment {segment.segment} a second time", "each once",
            where=where, remedy="Remove one of the two lines.",
        )  # fmt: skip
    return segment


def _lines(path: Path, text: str) -> Iterator[str]:
    """Yield the lines, with their ends, so far as each may be one of a sheet."""
    for number, line in enumerate(io.StringIO(text, newline=""), start=1):
        if len(line) > MOST_LETTERS:
            raise InputError(
                path, f"{len(line):,} letters", f"at most {MOST_LETTERS:,} in a line",
                where=f"line {number}",
            )  # fmt: skip
        yield line


def _check_header(path: Path, header: list[str], where: str) -> None:
    missing = [name for name in REQUIRED if name not in header]
    if not {"positions", "readings"} & {*header}:
        missing.append("positions")
    unknown = [name for name in header if name not in COLUMNS]
    remedy = None
    if missing:
        found = f"the columns {brief(', '.join(header)) or '(none)'}"
        expected, remedy = f"a column {missing[0]}", _rename(header, missing[0])
    elif unknown:
        found, expected = (
            f"the unknown column {brief(unknown[0])!r}",
            f"one of {', '.join(COLUMNS)}",
        )
        remedy = _rename(unknown[:1], *COLUMNS)
    elif len({*header}) < len(header):
        found, expected = "a column twice", "each column once"
    else:
        return
    raise InputError(path, found, expected, where=where, remedy=remedy)


def _rename(header: Sequence[str], *names: str) -> str | None:
    """Tell how a column is to be called that has one of the names but for capitals or a letter."""
    lower = {given.lower(): given for given in header}
    for name in names:
        if near := difflib.get_close_matches(name, lower, n=1, cutoff=0.8):
            return f"Call the column {brief(lower[near[0]])} {name}."
    return "Columns are separated by tabs." if len(header) < 2 and len(names) == 1 else None


def _segment(path: Path, where: str, cells: dict[str, str]) -> Segment:
    """Return what the cells of a row, by column, say of a segment; see :func:`read_sheet`."""
    values = {name: cell for name, cell in cells.items() if cell or name in REQUIRED}
    try:
        segment = _ROW.validate_python(values | {"fps_assumed": "fps" not in values})
    except ValidationError as error:
        raise SeveralErrors([_fault(path, where, fault) for fault in error.errors()]) from error
    if not (segment.video or segment.detections or segment.tracklets):
        raise InputError(
            path, "neither video nor detections nor tracklets", "at least one of them", where=where
        )
    if not segment.part.whole:
        _check_part(path, where, segment)
    if bool(segment.positions) == bool(segment.readings):
        found = "both positions and" if segment.readings else "neither positions nor"
        raise InputError(
            path, f"{found} readings",
            "either positions, an antenna a frame, or readings, antenna logs with clock times",
            where=where,
        )  # fmt: skip
    if segment.readings and not segment.frame_times and not is_time(segment.start):
        raise InputError(
            path, f"readings, and {brief(segment.start)!r} in column start",
            f"{WRITTEN}, at which frame 0 was taken; or a file in column frame_times", where=where,
        )  # fmt: skip
    return segment


def _check_part(path: Path, where: str, segment: Segment) -> None:
    """Refuse a part of no video, or one that ends before it begins."""
    if not segment.video:
        raise InputError(
            path, f"{segment.part.written} of no video", "a file in column video", where=where,
            remedy="first_frame and last_frame say which part of it is the segment.",
        )  # fmt: skip
    if segment.last_frame is not None and segment.last_frame < segment.part.first:
        raise InputError(
            path, f"last_frame {segment.last_frame}", f"{segment.part.first}, first_frame, or more",
            where=where,
        )  # fmt: skip


def table_name(path: str) -> str:
    """Return the name of the table of a file that is read once for many segments, without a suffix.

    Files in several folders may be called alike.

    Examples
    --------
    >>> table_name("week 3/cam2.mp4")
    'cam2.mp4-d8e8ff0c'
    """
    digest = hashlib.sha256(path.encode()).hexdigest()[:8]
    name = _STRANGE.sub("_", os.path.basename(path))[:60].lstrip("._-")
    return f"{name or 'file'}-{digest}"


def _fault(path: Path, where: str, fault: Any) -> InputError:
    """Tell a fault that pydantic found in a cell."""
    column, cell = str(fault["loc"][0]), fault["input"]
    text = ", ".join(cell) if isinstance(cell, tuple) else cell
    return InputError(
        path,
        f"{brief(text)!r} in column {column}",
        fault["msg"].removeprefix("Value error, "),
        where=where,
        remedy=_REMEDIES.get(column),
    )
