"""The animals of an archive: which cage each lives in, and which tag it wears, when.

A tag may be replaced, and an animal may move to another cage: each row of the table tells of a
time. Standard library only: planning reads it, and so does every job of a segment with logs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
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


def plain(tag: str) -> str:
    """Return a tag as all sources of it are compared: in capitals, without spaces.

    Examples
    --------
    >>> plain(" 9a44e61a04 "), plain("0065-0136655780")
    ('9A44E61A04', '0065-0136655780')
    """
    return "".join(tag.split()).upper()


def read(path: str | Path, zone: str) -> list[Worn]:
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
        Naming every row with a name or time that is none, and every tag that two animals, or one
        in two cages, wear at the same time.
    InputError
        If it is no such table.
    """
    path = Path(path)
    wrong: list[InputError] = []
    worn: list[Worn] = []
    for row in small_tables.read(path, REQUIRED, OPTIONAL, "animals and their tags"):
        try:
            worn.append(_worn(path, row, zone))
        except InputError as error:
            wrong.append(error)
    if not worn and not wrong:
        wrong.append(InputError(path, "no animals", "one line an animal below the header"))
    wrong += _clashes(path, worn)
    if wrong:
        raise SeveralErrors(wrong)
    return worn


def _worn(path: Path, row: small_tables.Row, zone: str) -> Worn:
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


def _clashes(path: Path, worn: Sequence[Worn]) -> Iterator[InputError]:
    """Yield a fault for each tag that is worn twice at the same time."""
    by_tag: dict[str, list[Worn]] = {}
    for each in worn:
        by_tag.setdefault(each.tag, []).append(each)
    for rows in by_tag.values():
        for former, later in pairwise(sorted(rows, key=lambda row: row.since)):
            if later.since < former.until:
                yield InputError(
                    path, f"the tag {later.tag} of {later.cage} {later.animal}, which "
                    f"{former.cage} {former.animal} wears by line {former.line}",
                    "a tag on one animal at a time", where=f"line {later.line}",
                    remedy="Tell in the columns from and to when it was changed.",
                )  # fmt: skip
