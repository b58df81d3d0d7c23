"""The animals of an archive: which cage each lives in, and which tag it wears, when.

A tag may be replaced, and an animal may move to another cage: each row of the table tells of a
time. Standard library only: planning reads it, and so does every job of a segment with logs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from murid import small_tables
from murid.errors import InputError, SeveralErrors, brief
from murid.sheet import ANIMAL, NAME, NAMED, is_animal
from murid.start_times import WRITTEN, is_time, parse

REQUIRED = ("cage", "animal", "tag")
OPTIONAL = ("from", "to", "sex", "genotype", "remark")
ALWAYS = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
LONGEST = 64
"""Letters of a tag, at most."""
_ROUNDED = re.compile(
    r"[0-9][.,][0-9]+E\+?[0-9]{1,3}|[0-9]E\+[0-9]{1,3}|[0-9]{9,}[.,][0-9]+", re.IGNORECASE
)


@dataclass(frozen=True)
class Worn:
    """A tag that an animal wears in a cage, from one time to another, both in UTC.

    Attributes
    ----------
    cage, animal, tag
        Names, and the tag as :func:`plain` writes it.
    since, until
        When it is put on or the animal moves in, and when that ends (not included).
    line
        In the file.
    """

    cage: str
    animal: str
    tag: str
    since: datetime = ALWAYS[0]
    until: datetime = ALWAYS[1]
    line: int = 0

    def within(self, first: datetime, last: datetime) -> bool:
        """Tell whether it is worn at any time from ``first`` to ``last``."""
        return self.since <= last and first < self.until


@dataclass(frozen=True)
class Contradiction:
    """Two rows of which not both can be right.

    Attributes
    ----------
    former, later
        The rows.
    since, until
        When what they say cannot both be.
    found, expected, remedy
        In words, as an :class:`murid.errors.InputError` takes them.
    """

    former: Worn
    later: Worn
    since: datetime
    until: datetime
    found: str
    expected: str
    remedy: str

    def concerns(self, cage: str, first: datetime, last: datetime) -> bool:
        """Tell whether it is about a cage at any time from ``first`` to ``last``."""
        within = self.since <= last and first < self.until
        return within and cage in (self.former.cage, self.later.cage)

    def error(self, path: str | Path) -> InputError:
        """Return it as a fault of the table."""
        where = f"line {self.later.line}"
        return InputError(path, self.found, self.expected, where=where, remedy=self.remedy)


@dataclass(frozen=True)
class Fault:
    """A row that cannot be read: nobody knows who wears what in its cage.

    Attributes
    ----------
    cage
        Its cage; empty where that is no name.
    error
        What is wrong with it.
    """

    cage: str
    error: InputError


@dataclass(frozen=True)
class Table:
    """What the table of animals says, and its rows that say nothing.

    Attributes
    ----------
    worn, faults
        The rows, by lines.
    """

    worn: list[Worn]
    faults: list[Fault]


def plain(tag: str) -> str:
    """Return a tag as all sources of it are compared: in capitals, without spaces.

    Examples
    --------
    >>> plain(" 9a44e61a04 "), plain("0065-0136655780")
    ('9A44E61A04', '0065-0136655780')
    """
    return "".join(tag.split()).upper()


def is_rounded(tag: str) -> bool:
    """Tell whether a tag is a long number as spreadsheets write it: with decimals, or rounded.

    Tags of hexadecimal digits may look like it, but not with a point or a plus.

    Examples
    --------
    >>> is_rounded("9,00215E+14"), is_rounded("900215000123456.0"), is_rounded("9E14")
    (True, True, False)
    """
    return _ROUNDED.fullmatch(tag) is not None


def read(path: str | Path, zone: str) -> Table:
    """Read the table of animals and their tags.

    Parameters
    ----------
    path
        CSV or TSV with the columns ``cage``, ``animal``, ``tag`` and perhaps ``from``, ``to``,
        ``sex``, ``genotype``, ``remark``. An empty ``from`` or ``to`` is always.
    zone
        Of times that do not say theirs.

    Raises
    ------
    SeveralErrors
        Naming every row with a name or time that is none, if no row is sound. Where others are,
        a row is a fault of its cage alone, as are rows that contradict each other of the cages and
        times concerned: see :func:`check`.
    InputError
        If it is no such table.
    """
    path = Path(path)
    faults: list[Fault] = []
    worn: list[Worn] = []
    for row in small_tables.each_row(path, REQUIRED, OPTIONAL, "animals and their tags"):
        try:
            worn.append(_worn(path, row, zone))
        except InputError as error:
            cage = row.cells["cage"]
            faults.append(Fault(cage if NAME.fullmatch(cage) else "", error))
    if not worn and not faults:
        raise InputError(path, "no animals", "one line an animal below the header")
    if not worn:
        raise SeveralErrors([fault.error for fault in faults])
    return Table(worn, faults)


def _worn(path: Path, row: small_tables.Row, zone: str) -> Worn:
    if row.fault:
        raise row.fault
    cage, animal, tag = (row.cells[name] for name in REQUIRED)
    for column, value, fits, expected in (
        ("cage", cage, NAME.fullmatch(cage) is not None, NAMED),
        ("animal", animal, is_animal(animal), ANIMAL),
        ("tag", tag, 0 < len(plain(tag)) <= LONGEST and tag.isprintable(),
         f"the tag as the antennas read it, at most {LONGEST} letters"),
    ):  # fmt: skip
        if not fits:
            raise InputError(
                path, f"{brief(value)!r} in column {column}", expected, where=row.where
            )
    if is_rounded(plain(tag)):
        raise InputError(
            path, f"{brief(tag)!r} in column tag", "the tag as the antennas read it",
            where=row.where,
            remedy="A spreadsheet took it for a number, and may have rounded it: format the column "
            "as text, enter the tag again, and save.",
        )  # fmt: skip
    since, until = (
        _time(path, row, column, zone) or always
        for column, always in zip(("from", "to"), ALWAYS, strict=True)
    )
    if until <= since:
        raise InputError(
            path, f"from {row.cells['from']} to {row.cells['to']}",
            "a time that ends after it began", where=row.where,
        )  # fmt: skip
    return Worn(cage, animal, plain(tag), since, until, row.line)


def _time(path: Path, row: small_tables.Row, column: str, zone: str) -> datetime | None:
    text = row.cells[column]
    if not text:
        return None
    # A day alone is its first moment.
    whole = text if ":" in text else f"{text} 00:00"
    if not is_time(whole):
        expected = f"a day, or {WRITTEN}"
        raise InputError(path, f"{brief(text)!r} in column {column}", expected, where=row.where)
    try:
        return parse(whole, zone)
    except ValueError as error:
        raise InputError(path, str(error), "one moment", where=row.where) from error


def contradictions(worn: Sequence[Worn]) -> list[Contradiction]:
    """Return what rows of the table say against each other, by lines.

    A tag cannot be on two animals at once, nor on one in two cages; and names in a cage that differ
    in capitals only are one animal's, written in two ways.
    """
    return sorted((*_worn_twice(worn), *_written_twice(worn)), key=lambda each: each.later.line)


def check(path: str | Path, table: Table, cage: str, when: tuple[datetime, datetime]) -> None:
    """Refuse a table that contradicts itself about a cage at a time, or cannot be read about it.

    Parameters
    ----------
    path, table
        The table, and what it says.
    cage, when
        Of which it is asked, from the first moment to the last.

    Raises
    ------
    SeveralErrors
        Naming every row of the cage that cannot be read, and every two of which not both can be
        right.
    """
    wrong = [fault.error for fault in table.faults if fault.cage == cage]
    against = contradictions(table.worn)
    wrong += [each.error(path) for each in against if each.concerns(cage, *when)]
    if wrong:
        raise SeveralErrors(wrong)


def by_cage(table: Table) -> dict[str, list[str]]:
    """Return texts that change with what is said of a cage, by cage."""
    told: dict[str, list[str]] = {}
    for each in table.worn:
        text = f"{each.animal} {each.tag} {each.since} {each.until}"
        told.setdefault(each.cage, []).append(text)
    for fault in table.faults:
        told.setdefault(fault.cage, []).append(str(fault.error))
    for wrong in contradictions(table.worn):
        for cage in {wrong.former.cage, wrong.later.cage}:
            told[cage].append(wrong.found)
    return told


def _worn_twice(worn: Sequence[Worn]) -> Iterator[Contradiction]:
    """Yield rows of one tag at the same time.

    Each row is held against the one, of those that begin before, that ends last: so whatever time
    any two have in common is told, and no row is held against all others.
    """
    longest: dict[str, Worn] = {}
    for later in sorted(worn, key=lambda row: (row.since, row.line)):
        former = longest.setdefault(later.tag, later)
        if later.until > former.until:
            longest[later.tag] = later
        if former is not later and later.since < former.until:
            yield Contradiction(
                former, later, later.since, min(former.until, later.until),
                f"the tag {later.tag} of {later.cage} {later.animal}, which {former.cage} "
                f"{former.animal} wears by line {former.line}",
                "a tag on one animal at a time, in capitals or not",
                "Tell in the columns from and to when it was changed.",
            )  # fmt: skip


def _written_twice(worn: Sequence[Worn]) -> Iterator[Contradiction]:
    """Yield rows whose animals differ in capitals only, each against the first."""
    first: dict[tuple[str, str], Worn] = {}
    for later in worn:
        former = first.setdefault((later.cage, later.animal.lower()), later)
        if former.animal != later.animal:
            yield Contradiction(
                former, later, *ALWAYS,
                f"the animal {later.animal} of {later.cage}, where line {former.line} has "
                f"{former.animal}",
                "names that differ in more than capitals",
                "Write an animal alike everywhere, and give another one another name.",
            )  # fmt: skip
